package web_test

import (
	"html"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
)

// TestReviewPageShowsItsEvidence checks that the page shows every piece of evidence of a computed
// review.
func TestReviewPageShowsItsEvidence(t *testing.T) {
	o := openReview(t)
	before := html.UnescapeString(o.do("GET", o.path+"/view", o.token, nil).body)
	o.compute()
	after := html.UnescapeString(o.do("GET", o.path+"/view", o.token, nil).body)
	s := o.session(o.id)
	for name, words := range map[string][]string{
		"R004-369 ready offers the wallet, nothing before": {`data-action="sign"`, s.WalletName},
		"R004-371 the resolved pool":                       {"SUI_USDC", s.Facts.Steps[0].RouteID.String()[2:6]},
		"R004-372 the raw quote":                           {"Likely ", string(s.Facts.Steps[0].Expected.Display)},
		"R004-373 the age of the quote": {`">` +
			s.State.Quote.FetchedAt.UTC().Format("2 Jan 2006, 15:04:05"), "Price holds "},
		"R004-374 the derived minimum": {"You get at least",
			string(s.Facts.Promise().Amount(plan.RoleOutput).Display), "0.5% below the quote"},
		"R004-375 the fee and DEEP":               {"Venue fee", "no DEEP is needed"},
		"R004-376 the transaction was built here": {"An unsigned transaction was built here"},
		"R004-377 the commitment": {s.Commitment[:4] + "</span><span>" + s.Commitment[4:8],
			"Identifies exactly these transaction bytes"},
		"R004-378 who owns what it uses": {"Every coin that the transaction uses belongs to your account"},
		"R004-379 facts in words": {"The transaction does all of these steps or none", "Swap in the pool SUI_USDC",
			"your own account", "Gas, at most"},
		"R004-380 the trial run with all checks": {"As a Sui node simulated it", "Before and after",
			"with all checks on"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range words {
				if !strings.Contains(after, w) {
					t.Errorf("the page does not show %q", w)
				}
			}
			if strings.Contains(before, words[0]) {
				t.Errorf("the page shows %q before anything was computed", words[0])
			}
		})
	}
}
