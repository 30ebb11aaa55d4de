package swap_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

func TestSourceCoins(t *testing.T) {
	const one = 1_000_000_000
	usdc := coinType(t, "USDC")
	times := func(n int, of sui.CoinType, each uint64) func(*testkit.Harness) {
		return func(h *testkit.Harness) {
			for range n {
				h.Sandbox.Hold(stranger, of, each, 0)
			}
		}
	}
	both := func(list ...func(*testkit.Harness)) func(*testkit.Harness) {
		return func(h *testkit.Harness) {
			for _, give := range list {
				give(h)
			}
		}
	}
	cases := []struct {
		name             string
		give             func(*testkit.Harness)
		amount, from, to string
		reason           plan.Reason // "" for ready
		says             string      // text of the first command, or of the worst check
	}{
		{"SUI from one coin", times(1, sui.SUI, 20*one), "10", "SUI", "USDC", "",
			"Take 10 SUI out of the SUI coin that pays for gas."},
		{"SUI from several", times(12, sui.SUI, one), "10", "SUI", "USDC", "",
			"Merge 10 of your SUI coins into the SUI coin that pays for gas."},
		{"SUI from as many as may be merged", times(40, sui.SUI, one), "32.9", "SUI", "USDC", "",
			"Merge 32 of your SUI coins"},
		{"SUI in more coins than that", times(40, sui.SUI, one), "33.5", "SUI", "USDC", plan.InsufficientBalance,
			"holds 40 SUI in so many small coins that the 32 largest do not make up 33.5 SUI"},
		{"USDC from one coin", both(times(1, sui.SUI, one), times(1, usdc, 50_000_000)), "25", "USDC", "SUI", "",
			"Take 25 USDC out of one of your USDC coins."},
		{"USDC from as many as may be merged", both(times(1, sui.SUI, one), times(40, usdc, 1_000_000)), "32", "USDC", "SUI",
			"",
			"Merge 31 of your USDC coins into one of your USDC coins."},
		{"USDC in more coins than that", both(times(1, sui.SUI, one), times(40, usdc, 1_000_000)), "32.5", "USDC", "SUI",
			plan.InsufficientBalance,
			"holds 40 USDC in so many small coins that the 32 largest do not make up 32.5 USDC"},
		{"USDC as an address balance", both(times(1, sui.SUI, one), func(h *testkit.Harness) {
			h.Sandbox.Hold(stranger, usdc,
				0, 50_000_000)
		}),
			"25", "USDC", "SUI", "", "Take 25 USDC out of your address balance"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := house(t, nil)
			c.give(h)
			s := computeFor(t, h, stranger, testkit.Swap(c.amount, c.from, c.to))
			if c.reason != "" {
				blockedBy(t, s, c.reason, "deepbook_insufficient_balance", c.says, "check again")
				return
			}
			if s.Status != record.Ready || !strings.HasPrefix(s.Facts.Commands()[0], c.says) {
				t.Fatalf("%s %+v %+v", s.Status, s.State.Checks[0], s.Facts)
			}
		})
	}
}

// The amounts that the review states as traded and returned match the chain, except for the rounding
// of the fee.
func TestRemainders(t *testing.T) {
	for _, c := range []struct {
		amount, from, to, mode, flow string
	}{
		{"10.05", "SUI", "USDC", "deep", "10.05 SUI in: 10 SUI traded, 0.05 SUI returned;"},
		{"10.05", "SUI", "USDC", "input",
			"10.05 SUI in: 10 SUI traded, 0.00125 SUI as DeepBook's fee, 0.04875 SUI returned."},
		{"100.05", "WAL", "USDC", "deep", "100.05 WAL in: 100 WAL traded, 0.05 WAL returned;"},
		{"100.05", "WAL", "USDC", "input", "100.05 WAL in: 100 WAL traded, 0.025 WAL as DeepBook's fee, 0.025 WAL returned."},
		{"123.456789", "DEEP", "USDC", "input", "123.456789 DEEP in: 123 DEEP traded, 0.456789 DEEP returned."},
		{"123.456789", "DEEP", "SUI", "deep", "123.456789 DEEP in: 123 DEEP traded, 0.456789 DEEP returned."},
		{"100", "USDC", "SUI", "deep", ""},
		{"100", "USDC", "SUI", "input", ""},
		{"50", "USDC", "DEEP", "input", ""},
	} {
		t.Run(c.amount+" "+c.from+" to "+c.to+" "+c.mode, func(t *testing.T) {
			h := house(t, nil)
			in := testkit.Swap(c.amount, c.from, c.to)
			in.FeeMode = c.mode
			s := h.Ready(in)
			q := s.State.Quote
			if !strings.HasPrefix(q.Sentences[0], c.flow) {
				t.Errorf("%q", q.Sentences[0])
			}
			if got, ok := testkit.Check(s, "deepbook_unspent_input"); !ok || !strings.Contains(got.Message, q.Sentences[0]) ||
				strings.Contains(got.Message, "too thin") {
				t.Errorf("%+v", got)
			}
			if got, ok := testkit.Check(s, "deepbook_fee_mode"); !ok || !strings.HasPrefix(got.Message, "Fee mode "+q.FeeMode) {
				t.Errorf("%+v", got)
			}
			if traded := q.Input.Raw - q.Unspent.Raw - q.Fee.Raw; q.FeeMode == "input" && c.to == "USDC" && traded%100_000 != 0 {
				t.Errorf("%d raw units are said to be traded, which is no whole lot", traded)
			}
			after := finish(t, h, s)
			left, _ := moved(after, coinType(t, c.from))
			_, came := moved(after, coinType(t, c.to))
			used := uint64(q.Input.Raw - q.Unspent.Raw)
			if c.from == "SUI" {
				left = used // includes gas
			}
			// The quote rounds the fee of each order, and execution rounds the fee of the whole.
			near := func(a, b uint64) bool { return a == b || q.FeeMode == "input" && max(a, b)-min(a, b) <= 100 }
			if !near(left, used) {
				t.Errorf("%d left, %d was said", left, used)
			}
			if c.to != "SUI" && !near(came, uint64(q.Expected.Raw)) {
				t.Errorf("%d came, %d was said", came, q.Expected.Raw)
			}
		})
	}
}

func TestThinBook(t *testing.T) {
	for _, c := range []struct{ amount, from, to, mode string }{
		{"9000", "SUI", "USDC", "input"}, {"9000", "SUI", "USDC", "deep"}, {"9000", "USDC", "SUI", "input"}, {"9000", "USDC",
			"SUI", "deep"},
	} {
		t.Run(c.from+" to "+c.to+" "+c.mode, func(t *testing.T) {
			h := house(t, nil)
			h.Sandbox.Hold(sandbox.Account, coinType(t, c.from), 10_000_000_000_000, 0)
			h.Inject(sandbox.Fault{Kind: sandbox.ThinBook, Pool: "SUI_USDC", Number: 2})
			in := testkit.Swap(c.amount, c.from, c.to)
			in.FeeMode = c.mode
			s := h.Ready(in)
			q := s.State.Quote
			got, ok := testkit.Check(s, "deepbook_unspent_input")
			if !ok || got.Status != plan.CheckWarning || got.Do == "" ||
				!strings.HasPrefix(got.Message, "The book is too thin for all of it: 9000 "+c.from+" in: ") ||
				!strings.Contains(got.Message, q.Unspent.String()+" returned") {
				t.Errorf("%+v", got)
			}
			finish(t, h, s)
		})
	}
	t.Run("empty", func(t *testing.T) {
		h := house(t, nil)
		h.Inject(sandbox.Fault{Kind: sandbox.ThinBook, Pool: "SUI_USDC"})
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		blockedBy(t, s, plan.QuoteUnavailable, "deepbook_quote_source_failed", "its book is too thin", "larger amount")
	})
	t.Run("what cannot be known is said", func(t *testing.T) {
		s := house(t, nil).Ready(testkit.Swap("10", "SUI", "USDC"))
		if last := s.State.Quote.Sentences[2]; !strings.Contains(last, "expire") || !strings.Contains(last,
			"placed yourself") {
			t.Errorf("%q", last)
		}
	})
}

// Below the pool's minimum size a swap succeeds, returns every coin and never checks the minimum.
func TestBelowTheLeastSize(t *testing.T) {
	for _, mode := range []string{"input", "deep"} {
		for _, pair := range [][3]string{{"0.9", "SUI", "USDC"}, {"1", "USDC", "SUI"}} {
			t.Run("before: "+mode+" "+pair[1], func(t *testing.T) {
				h := house(t, nil)
				in := testkit.Swap(pair[0], pair[1], pair[2])
				in.FeeMode = mode
				blockedBy(t, h.Compute(h.Open(in)), plan.QuoteUnavailable, "deepbook_quote_source_failed",
					"its minimum trade is 1 SUI", "larger amount")
			})
			t.Run("in simulation: "+mode+" "+pair[1], func(t *testing.T) {
				m := &meanwhile{}
				h := house(t, m)
				m.checked = func() { h.Inject(sandbox.Fault{Kind: sandbox.LeastSize, Pool: "SUI_USDC", Number: 1000_000_000_000}) }
				in := testkit.Swap("10", pair[1], pair[2])
				in.FeeMode = mode
				s := h.Compute(h.Open(in))
				blockedBy(t, s, plan.AmountMismatch, "cross_check_effects", "nothing is swapped", "larger amount")
			})
		}
	}
}

func TestVersionGates(t *testing.T) {
	off := func(h *testkit.Harness, versions ...uint64) {
		for _, v := range versions {
			h.Inject(sandbox.Fault{Kind: sandbox.DisableVersion, Pool: "SUI_USDC", Version: v})
		}
	}
	for _, c := range []struct {
		off    []uint64
		number uint64 // of the package that is called
	}{{nil, 8}, {[]uint64{8}, 7}, {[]uint64{8, 6}, 5}} {
		h := house(t, nil)
		off(h, c.off...)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		var called registry.Package
		for _, p := range registry.Packages() {
			if p.Number == c.number {
				called = p
			}
		}
		if s.Facts.Steps[0].Package != called.ID ||
			s.State.Quote.SourceMoveFunction[:len(called.ID.String())] != called.ID.String() {
			t.Errorf("off %v: calls %s", c.off, s.Facts.Steps[0].Package)
		}
		got, ok := testkit.Check(s, "deepbook_version_gate")
		says := "the older package number " + string('0'+rune(c.number)) + " is called"
		if ok != (c.number != 8) || (ok && (got.Status != plan.CheckWarning || !strings.Contains(got.Message, says))) {
			t.Errorf("off %v: %+v", c.off, got)
		}
		finish(t, h, s)
	}
	t.Run("none is admitted", func(t *testing.T) {
		h := house(t, nil)
		off(h, 1, 2, 3, 4, 5, 6, 8)
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		blockedBy(t, s, plan.QuoteUnavailable, "deepbook_version_gate", "admits none of the DeepBook versions",
			"newer release")
	})
	t.Run("switched off after the quote", func(t *testing.T) {
		m := &meanwhile{}
		h := house(t, m)
		m.checked = func() { off(h, 8) }
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		blockedBy(t, s, plan.QuoteUnavailable, "deepbook_swap_refused", "disabled the package version",
			"older admitted version")
		if s = h.Compute(s); s.Status != record.Ready || s.Facts.Steps[0].Package != registry.Packages()[1].ID {
			t.Errorf("afterwards %s %+v", s.Status, s.State.Checks[0])
		}
	})
	t.Run("the price moves after the quote", func(t *testing.T) {
		for _, mode := range []string{"input", "deep"} {
			m := &meanwhile{}
			h := house(t, m)
			m.checked = func() { h.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -100}) }
			in := testkit.Swap("10", "SUI", "USDC")
			in.FeeMode = mode
			blockedBy(t, h.Compute(h.Open(in)), plan.QuoteStale, "deepbook_swap_refused", "less than the guaranteed minimum",
				"current price")
		}
	})
}
