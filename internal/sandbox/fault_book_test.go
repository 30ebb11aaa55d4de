package sandbox

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
)

func TestFaultsOfBooks(t *testing.T) {
	n := start(t, Config{})
	pool := func() *clob.Pool {
		return bookOf(t, n.Sandbox, "SUI_USDC")
	}
	cases := []struct {
		kind   FaultKind
		number uint64
		holds  func(*clob.Pool) bool
	}{
		{ThinBook, 2, func(p *clob.Pool) bool {
			return len(p.Bids) == 2 && len(p.Asks) == 2 && p.Bids[0].Price() >= p.Bids[1].Price()
		}},
		{ThinBook, 0, func(p *clob.Pool) bool { return len(p.Bids) == 0 && len(p.Asks) == 0 }},
		{LeastSize, 7, func(p *clob.Pool) bool { return p.Min == 7 }},
		{LotSize, 8, func(p *clob.Pool) bool { return p.Lot == 8 }},
		{TakerFee, 9, func(p *clob.Pool) bool { return p.TakerFee == 9 }},
		{MakerFee, 7, func(p *clob.Pool) bool { return p.MakerFee == 7 }},
		{DeepPoints, 10, func(p *clob.Pool) bool { return p.DeepPrice.PerAsset == 10 }},
		{DeepPoints, 0, func(p *clob.Pool) bool { return p.DeepPrice == nil }},
	}
	for _, c := range cases {
		t.Run(string(c.kind), func(t *testing.T) {
			n.inject(t, Fault{Kind: c.kind, Pool: "SUI_USDC", Number: c.number})
			if !c.holds(pool()) {
				t.Errorf("%+v", pool())
			}
		})
	}
	for _, f := range []Fault{{Kind: ThinBook, Pool: "NO_POOL"}, {Kind: LotSize, Pool: "SUI_USDC"}} {
		if n.Inject(f) == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}
