package handoff

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestHandoffNeedsAcceptance(t *testing.T) {
	far := plan.Warn(plan.SourceQuote, "p", "Price", "You get 12.4% less.", "").MustAccept("price:12.4",
		"I accept 12.4% less.")
	apart := plan.Warn(plan.SourceQuote, "v", "Other venue", "They are 6% apart.", "").MustAccept("venues",
		"I accept 6% apart.")
	plain := plan.Warn(plan.SourceQuote, "w", "Something", "Look at it.", "")
	for name, c := range map[string]struct {
		checks   []plan.Check
		twice    bool
		accepted []string
		missing  string // the id that the refusal names, "" for none
		says     string
	}{
		"nothing is asked":                {},
		"a caution without a tick":        {checks: []plan.Check{plain}},
		"more is accepted than was asked": {accepted: []string{"price:12.4", "venues", "opened_twice"}},
		"a price that was not accepted": {checks: []plan.Check{plain, far}, missing: "price:12.4",
			says: "“I accept 12.4% less.”"},
		"a price that was accepted": {checks: []plan.Check{far}, accepted: []string{"price:12.4"}},
		"venues apart, and only the price accepted": {checks: []plan.Check{far, apart}, accepted: []string{"price:12.4"},
			missing: "venues", says: "6% apart"},
		"both accepted": {checks: []plan.Check{far, apart}, accepted: []string{"venues",
			"price:12.4"}},
		"another figure": {checks: []plan.Check{far}, accepted: []string{"price:12.5", "price:12",
			"price:12.40"}, missing: "price:12.4"},
		"another id in its place": {checks: []plan.Check{far}, accepted: []string{"again:law", "venues",
			""}, missing: "price:12.4"},
		"opened twice":                {twice: true, missing: "opened_twice", says: "opened twice"},
		"opened twice, by themselves": {twice: true, accepted: []string{"opened_twice"}},
		"opened twice, and only the price accepted": {checks: []plan.Check{far}, twice: true,
			accepted: []string{"price:12.4"}, missing: "opened_twice"},
	} {
		t.Run(name, func(t *testing.T) {
			r := lawRow("ready_for_wallet_review")
			r.Session.State.Checks, r.Session.OpenedTwice = c.checks, c.twice
			_, err := release(&r, releaseRequest{revision: 4, commitment: r.Session.Commitment, nonce: record.HashOf("n"),
				active: &record.Account{Address: lawAccount}, accepted: c.accepted, wish: lawWish}, lawTime)
			f := fault.As(err)
			switch {
			case c.missing == "" && err != nil:
				t.Error(err)
			case c.missing == "" && !slices.Equal(r.Session.Releases[0].Accepted, c.accepted):
				t.Errorf("the release keeps %q", r.Session.Releases[0].Accepted)
			case c.missing == "":
			case f.Code != fault.HandoffUnavailable || f.Detail.Get("accept") != c.missing ||
				f.Detail.Get("reason") != "not_accepted" ||
				!strings.Contains(f.Text, c.says) || !strings.Contains(f.Text, "Nothing was sent to your wallet"):
				t.Errorf("%v %v", err, f.Detail)
			case len(r.Session.Releases) != 0 || r.Present().Bytes.Digest() != sui.TransactionDigest(lawBytes):
				t.Error("it was handed out, or lost")
			}
		})
	}
}
