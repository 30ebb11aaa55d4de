package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/review/web"
)

// TestGroupedText groups amounts in sentences, and leaves names, dates, ids and what is
// grouped already as they are.
func TestGroupedText(t *testing.T) {
	for text, want := range map[string]string{
		"Up to 12000 SUI would leave.":                  "Up to 12,000 SUI would leave.",
		"It holds 1000 SUI and 1234567.5 USDC":          "It holds 1,000 SUI and 1,234,567.5 USDC",
		"a budget of 5000000 MIST":                      "a budget of 5,000,000 MIST",
		"end of epoch 12345":                            "end of epoch 12,345",
		"from -12345 SUI":                               "from -12,345 SUI",
		"Ends 2199-01-01 00:00:00 UTC":                  "Ends 2199-01-01 00:00:00 UTC",
		"asked 2 Jan 2026, 15:04:05 UTC":                "asked 2 Jan 2026, 15:04:05 UTC",
		"in 2026 UTC":                                   "in 2026 UTC",
		"0.0012345678 SUI":                              "0.0012345678 SUI",
		"12,845,730 and 12,845.73":                      "12,845,730 and 12,845.73",
		"version 1.2.30000":                             "version 1.2.30000",
		"0x12345678 and a_12345 and v12345":             "0x12345678 and a_12345 and v12345",
		"http://127.0.0.1:40400/x":                      "http://127.0.0.1:40400/x",
		"order 170141183460469231731687303715884105727": "order 170141183460469231731687303715884105727",
		"18446744073709551615":                          "18,446,744,073,709,551,615",
		"":                                              "",
	} {
		if got := web.Grouped(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
}

// TestTypesKeepTheirDigits loses no zero of a coin's address.
func TestTypesKeepTheirDigits(t *testing.T) {
	own := "0x0" + strings.Repeat("a", 63) + "::coin::COIN"
	system := "0x" + strings.Repeat("0", 63) + "2::sui::SUI"
	if web.ShortType(own) != own || web.ShortType(system) != "0x2::sui::SUI" {
		t.Errorf("%s, %s", web.ShortType(own), web.ShortType(system))
	}
}

// TestVerdict says in one line what the checks came to, by their classes.
func TestVerdict(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	warn := plan.Warn(plan.SourceQuote, "some", "Some check", "Something is unusual.", "")
	for _, c := range []struct {
		name, want string
		checks     []plan.Check
	}{
		{"nothing", "No problems found</p>", nil},
		{"a note is no problem", "No problems found</p>", []plan.Check{warn.AsNote()}},
		{"one caution", "1 thing to look at</p>", []plan.Check{warn}},
		{"two cautions", "2 things to look at</p>", []plan.Check{warn, warn}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			body := r.page(record.Ready, func(s *record.Session) { s.State.Checks = c.checks })
			if strings.Count(body, c.want) != 1 || strings.Count(body, `data-part="verdict"`) != 1 {
				t.Errorf("the page does not say %q", c.want)
			}
			if open := strings.Contains(body, `<li class="caution">`); open != strings.Contains(c.want, "look at") {
				t.Errorf("a caution stands open: %t", open)
			}
		})
	}
}

// TestCheckAgain offers to check again only where that can help.
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
