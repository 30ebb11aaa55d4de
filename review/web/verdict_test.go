package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestVerdict checks that one line summarizes the checks by their classes.
func TestVerdict(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	warn := plan.Warn(plan.SourceQuote, "some", "Some check", "Something is unusual.", "")
	for _, c := range []struct {
		name, want string
		checks     []plan.Check
	}{
		{"nothing", "No problems found</strong>", nil},
		{"a note is no problem", "No problems found</strong>", []plan.Check{warn.AsNote()}},
		{"one caution", "Look at 1 thing</strong>", []plan.Check{warn}},
		{"two cautions", "Look at 2 things</strong>", []plan.Check{warn, warn}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			body := r.page(record.Ready, func(s *record.Session) { s.State.Checks = c.checks })
			if strings.Count(body, c.want) != 1 || strings.Count(body, `data-part="verdict"`) != 1 {
				t.Errorf("the page does not say %q", c.want)
			}
			if open := strings.Contains(body, `<li class="caution">`); open != strings.Contains(c.want, "Look at") {
				t.Errorf("a caution stands open: %t", open)
			}
		})
	}
}

// TestCheckAgain checks that the page offers to check again only if that can help.
func TestCheckAgain(t *testing.T) {
	r := newRig(t, nil)
	for _, c := range []struct {
		reason plan.Reason
		check  plan.Check
		helps  bool
	}{
		{plan.InsufficientBalance, plan.Fail("wallet", "balance", "Balance", "Too little.", ""), true},
		{plan.InsufficientGas, plan.Fail("wallet", "gas", "Gas", "Too little.", ""), true},
		{plan.AllowlistViolation, plan.Fail("adapter", "allowance_recipient", "Recipient", "Not allowed.", ""), true},
		{plan.AllowlistViolation, plan.Fail("adapter", "cross_check_bytes", "Built bytes", "Not understood.", ""), false},
		{plan.AmountMismatch, plan.Fail("quote", "price", "Price", "Far off.", "").Under("C04"), true},
		{plan.AmountMismatch, plan.Fail("quote", "amount", "Amount", "Too small.", ""), false},
		{plan.WalletMismatch, plan.Fail("wallet", "wallet_account", "Account", "Another.", ""), true},
		{plan.WalletMismatch, plan.Fail("wallet", "payment_recipient", "Recipient", "Looks alike.", ""), false},
		{plan.UnsupportedAction, plan.Fail("adapter", "unsupported", "Action", "Not supported.", ""), false},
		{plan.AssetMismatch, plan.Fail("registry", "coin", "Coin", "Another coin.", ""), false},
	} {
		body := r.page(record.Blocked, func(s *record.Session) { s.Reason, s.State.Checks = c.reason, []plan.Check{c.check} })
		if got := strings.Contains(body, "Check again"); got != c.helps {
			t.Errorf("%s, %s: offered %t", c.reason, c.check.ID, got)
		}
		if n := strings.Count(body, ">"+c.check.Message); n != 1 {
			t.Errorf("%s: %q is said %d times", c.reason, c.check.Message, n)
		}
	}
}
