package sandbox

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
)

func TestFaultsOfBooks(t *testing.T) {
	n := start(t, Config{})
	pool := func() *clob.Pool {
		return bookOf(t, n.Sandbox, "SUI_USDC")
	}
	cases := []struct {
		kind   faults.Kind
		number uint64
		holds  func(*clob.Pool) bool
	}{
		{faults.ThinBook, 2, func(p *clob.Pool) bool {
			return len(p.Bids) == 2 && len(p.Asks) == 2 && p.Bids[0].Price() >= p.Bids[1].Price()
		}},
		{faults.ThinBook, 0, func(p *clob.Pool) bool { return len(p.Bids) == 0 && len(p.Asks) == 0 }},
		{faults.LeastSize, 7, func(p *clob.Pool) bool { return p.Min == 7 }},
		{faults.LotSize, 8, func(p *clob.Pool) bool { return p.Lot == 8 }},
		{faults.TakerFee, 9, func(p *clob.Pool) bool { return p.TakerFee == 9 }},
		{faults.MakerFee, 7, func(p *clob.Pool) bool { return p.MakerFee == 7 }},
		{faults.DeepPoints, 10, func(p *clob.Pool) bool { return p.DeepPrice.PerAsset == 10 }},
		{faults.DeepPoints, 0, func(p *clob.Pool) bool { return p.DeepPrice == nil }},
	}
	for _, c := range cases {
		t.Run(string(c.kind), func(t *testing.T) {
			n.inject(t, faults.Fault{Kind: c.kind, Pool: "SUI_USDC", Number: c.number})
			if !c.holds(pool()) {
				t.Errorf("%+v", pool())
			}
		})
	}
	for _, f := range []faults.Fault{{Kind: faults.ThinBook, Pool: "NO_POOL"}, {Kind: faults.LotSize, Pool: "SUI_USDC"}} {
		if n.Inject(f) == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}
