package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// page returns the review page of a session that change has edited.
func (r *rig) page(status record.Status, change func(*record.Session)) string {
	r.t.Helper()
	s, materials := sample(r.t, status)
	change(&s)
	id := r.put(s, materials)
	return r.do("GET", "/api/review/"+id+"/view", r.wide(pagetoken.Review, id), nil).body
}

// TestEverythingThatLeaves checks that a second outgoing coin, and a recipient other than the
// account, are shown prominently.
func TestEverythingThatLeaves(t *testing.T) {
	r := newRig(t, nil)
	deep := plan.Asset{Symbol: "DEEP", Decimals: 6, CoinType: "0x1::deep::DEEP"}
	stranger := sui.MustAddress("0x" + strings.Repeat("5", 64))
	body := r.page(record.Ready, func(s *record.Session) {
		p := s.Facts.Promise()
		s.Facts.Steps[0].Promise = plan.SwapPromise([]plan.Amount{p.Amount(plan.RoleInput), deep.Of(1_250_000)},
			p.Amount(plan.RoleOutput))
		s.Facts.Steps[0].Sends, s.Facts.Gas.Owner = stranger, stranger
	})
	for _, words := range []string{"And at most, for the fee",
		`<span>1.25</span><span class="rest"></span> <span class="unit">DEEP</span>`,
		"Another account than yours gets at least",
		"not your connected account", "Gas paid by"} {
		if !strings.Contains(body, words) {
			t.Errorf("the page does not show %q", words)
		}
	}
}

// TestLongNumbers checks that numbers too long for a line of a small screen are printed smaller.
func TestLongNumbers(t *testing.T) {
	r := newRig(t, nil)
	for raw, class := range map[sui.Raw]string{12_845_730: `class="money hero"`, 12_845_730_123: `class="money hero long"`,
		18_446_744_073_709_551_615: `class="money hero longest"`} {
		body := r.page(record.Ready, func(s *record.Session) {
			p := s.Facts.Promise()
			s.Facts.Steps[0].Promise = plan.SwapPromise(p.Amounts(plan.RoleInput), p.Amount(plan.RoleOutput).Of(raw))
		})
		if !strings.Contains(body, class+` data-fact="Guaranteed"`) {
			t.Errorf("%d is not in %s", raw, class)
		}
	}
}

// TestPriceIsNamed checks that the headline of a review that was blocked by its price names the
// price, and that of another block names its reason.
func TestPriceIsNamed(t *testing.T) {
	r := newRig(t, nil)
	for rule, title := range map[plan.RuleID]string{"C04": "Do not sign. The price is far from the market",
		"C03": "Do not sign. The amounts are not the ones you asked for"} {
		body := r.page(record.Blocked, func(s *record.Session) {
			check := plan.Fail(plan.SourceQuote, "price", "Price", "Far off.", "Prepare another.")
			check.Rule = rule
			s.Reason, s.State.Checks = plan.AmountMismatch, []plan.Check{check}
		})
		if !strings.Contains(body, title+".</strong>") {
			t.Errorf("%s is not headed %q", rule, title)
		}
	}
}

// TestReleasedTransactionsAreNamed checks that a rebuilt or blocked review says that an earlier
// transaction can still be signed.
func TestReleasedTransactionsAreNamed(t *testing.T) {
	r := newRig(t, nil)
	const words = "An earlier transaction of this review is still with your wallet"
	release := func(dead bool) func(*record.Session) {
		return func(s *record.Session) {
			s.Releases = []record.Release{{Digest: sui.Digest{9}, Commitment: sui.Commitment(sui.Digest{9}), Revision: 2,
				At:      s.CreatedAt,
				GasCoin: s.Facts.Gas.Payment[0], LastEpoch: 102, Facts: *s.Facts, Dead: dead}}
		}
	}
	if body := r.page(record.RefreshRequired, release(false)); !strings.Contains(body, words) {
		t.Error("a stopped review does not name the transaction that is still out")
	}
	if body := r.page(record.RefreshRequired, release(true)); strings.Contains(body, words) {
		t.Error("a transaction that can never execute is said to be out")
	}
}

// TestDrawing checks that the drawing is described as text, and that its size is limited.
func TestDrawing(t *testing.T) {
	r := newRig(t, nil)
	body := r.page(record.Ready, func(*record.Session) {})
	for _, words := range []string{`role="img"`, "<title", "<desc", "Step 3: swap_exact_base_for_quote",
		"result 1 of step 1",
		"market SUI_USDC", "your gas coin", "to your account", `class="g-wire"`} {
		if !strings.Contains(body, words) {
			t.Errorf("the drawing lacks %q", words)
		}
	}
	if strings.Contains(body, "style=") {
		t.Error("the drawing carries style of its own")
	}
	s, materials := sample(t, record.Ready)
	tx := sampleTransaction(t)
	for range 400 {
		tx.Commands = append(tx.Commands, tx.Commands[0])
	}
	raw, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	s.Commitment = sui.Commitment(sui.TransactionDigest(raw))
	materials[0].Bytes, materials[0].Digest = sui.NewMaterial(raw), sui.TransactionDigest(raw)
	for range 400 {
		s.Facts.Steps[0].Commands = append(s.Facts.Steps[0].Commands, strings.Repeat("word ", 100))
	}
	id := r.put(s, materials)
	long := r.do("GET", "/api/review/"+id+"/view", r.token(pagetoken.Review, id), nil).body
	if len(long) > 80<<10 || !strings.Contains(long, "more commands") || !strings.Contains(long, "more steps") {
		t.Errorf("a transaction of 404 commands makes a page of %d bytes", len(long))
	}
}
