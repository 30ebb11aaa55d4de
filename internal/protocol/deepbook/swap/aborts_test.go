package swap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// explained runs an adapter's stages with a quote from one package, and explains an abort of that
// package.
func explained(t *testing.T, called sui.ObjectID, mode string, a sui.MoveAbort) *plan.Stop {
	t.Helper()
	s := snapshot(30_000_000, 0, 100_000, 100_000_000, 1_000_000_000, 3_000_000)
	s.Quote.Package, s.Quote.DeepRequired = called, 0
	if mode == "deep" {
		s.Quote.DeepRequired = 40_000
	}
	in := intent("10", "SUI", "USDC")
	in.FeeMode = mode
	d, err := run(t, pool{snapshot: s}, in)
	if err != nil {
		t.Fatal(err)
	}
	return d.Explain(a)
}

func TestAbortsInWords(t *testing.T) {
	newest, older := registry.Packages()[0].ID, registry.Packages()[2].ID
	const unknown = "for an unknown reason"
	cases := []struct {
		module string
		code   uint64
		called sui.ObjectID
		mode   string
		reason plan.Reason
		says   string
	}{
		{"pool", 6, newest, "input", plan.AmountMismatch, "exactly one coin"},
		{"pool", 11, newest, "input", plan.QuoteUnavailable, "disabled the package version"},
		{"pool", 12, newest, "input", plan.QuoteStale, "less than the guaranteed minimum"},
		{"pool", 12, older, "deep", plan.QuoteStale, "less than the guaranteed minimum"},
		{"pool", 14, newest, "input", plan.QuoteUnavailable, "no longer registered"},
		{"pool", 21, newest, "deep", plan.QuoteUnavailable, "rejects the pool's current price of DEEP"},
		{"pool", 21, older, "deep", plan.ObjectResolutionFailed, unknown}, // added in package 8
		{"book", 1, newest, "input", plan.AmountMismatch, "an amount of nothing"},
		{"book", 2, newest, "input", plan.QuoteUnavailable, "no live orders"},
		{"order_info", 0, newest, "input", plan.QuoteUnavailable, "rejects the price"},
		{"order_info", 1, newest, "input", plan.QuoteStale, "below the pool's current minimum"},
		{"order_info", 2, newest, "input", plan.QuoteStale, "steps"},
		{"order_info", 8, newest, "input", plan.QuoteUnavailable, "an order of its own"},
		{"balance_manager", 3, newest, "input", plan.AmountMismatch, "rounds the fee"},
		{"balance_manager", 3, newest, "deep", plan.QuoteStale, "DEEP that was attached does not cover"},
		{"deep_price", 2, newest, "deep", plan.QuoteUnavailable, "no price of DEEP"},
		{"pool", 99, newest, "input", plan.ObjectResolutionFailed, unknown + " (module pool, code 99)"},
		{"book", 12, newest, "input", plan.ObjectResolutionFailed, unknown + " (module book, code 12)"},
		{"balance_manager", 0, newest, "input", plan.ObjectResolutionFailed, unknown},
		{"<b>pool</b>", 12, newest, "input", plan.ObjectResolutionFailed, unknown + " (an unnamed module, code 12)"},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %d %s", c.module, c.code, c.mode), func(t *testing.T) {
			for _, told := range []sui.ObjectID{c.called, registry.OriginalPackage} {
				stop := explained(t, c.called, c.mode, sui.MoveAbort{Package: told, Module: c.module, Code: c.code})
				if stop == nil || stop.Reason != c.reason || !strings.Contains(stop.Check.Message, c.says) || stop.Check.Do == "" {
					t.Errorf("%+v", stop)
				}
			}
		})
	}
	t.Run("of a swap that was executed", func(t *testing.T) {
		var adapter swap.Adapter
		step := plan.StepFacts{Package: newest}
		stop := adapter.ReadAbort(sui.MoveAbort{Package: newest, Module: "pool", Code: 12}, step)
		if stop == nil || !stop.Short {
			t.Errorf("%+v", stop)
		}
		for _, a := range []sui.MoveAbort{{Package: newest, Module: "pool", Code: 99}, {Package: older, Module: "pool",
			Code: 12}} {
			if stop := adapter.ReadAbort(a, step); stop != nil {
				t.Errorf("%+v: %+v", a, stop)
			}
		}
	})
	t.Run("a code means nothing without its package", func(t *testing.T) {
		for _, pkg := range []sui.ObjectID{sui.MustAddress("0xbad"), sui.MustAddress("0x2"), older} {
			if stop := explained(t, newest, "input", sui.MoveAbort{Package: pkg, Module: "pool", Code: 12}); stop != nil {
				t.Errorf("%s: %+v", pkg.Short(), stop)
			}
		}
	})
}
