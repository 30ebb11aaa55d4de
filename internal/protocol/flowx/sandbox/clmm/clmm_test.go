package clmm

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
)

// whole returns n coins of nine decimals, as the Move tests count.
func whole(n int64) *big.Int { return new(big.Int).Mul(big.NewInt(n), big.NewInt(1_000_000_000)) }

// ratio returns the price y/x.
func ratio(y, x int64) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(y), 128)
	return n.Sqrt(n.Quo(n, big.NewInt(x)))
}

func same(t *testing.T, what string, got *big.Int, want string) {
	t.Helper()
	if got.String() != want {
		t.Errorf("%s is %s, want %s", what, got, want)
	}
}

// TestTheChainsOwnVectors checks the results in FlowX's Move tests.
func TestTheChainsOwnVectors(t *testing.T) {
	one, billion := ratio(1, 1), whole(1)
	same(t, "X between 1 and 1.21, up", amountX(one, ratio(121, 100), billion, true), "90909091")
	same(t, "X between 1 and 1.21, down", amountX(one, ratio(121, 100), billion, false), "90909090")
	same(t, "Y between 1 and 1.21, up", amountY(one, ratio(121, 100), billion, true), "100000000")
	same(t, "Y between 1 and 1.21, down", amountY(one, ratio(121, 100), billion, false), "99999999")
	tenth := new(big.Int).Quo(billion, big.NewInt(10))
	same(t, "the price after 0.1 Y", afterInput(one, billion, tenth, false), "20291418481080506777")
	same(t, "the price after 0.1 X", afterInput(one, billion, tenth, true), "16769767339735956015")
	same(t, "the price after nothing", afterInput(one, big.NewInt(1), new(big.Int), true), one.String())

	capped := stepTo(one, ratio(101, 100), whole(2), billion, 600)
	same(t, "input of a step that arrives", capped.in, "9975125")
	same(t, "fee of a step that arrives", capped.fee, "5989")
	same(t, "output of a step that arrives", capped.out, "9925619")
	spent := stepTo(one, ratio(1000, 100), whole(2), billion, 600)
	same(t, "input of a step that falls short", spent.in, "999400000")
	same(t, "fee of a step that falls short", spent.fee, "600000")
	same(t, "output of a step that falls short", spent.out, "666399946")

	same(t, "the least price", PriceAt(MinTick), MinSqrtPrice().String())
	same(t, "the greatest price", PriceAt(MaxTick), MaxSqrtPrice().String())
	same(t, "the price at tick 0", PriceAt(0), one.String())
}

// TestTheRoutersOwnVectors: a full range of liquidity 1000000 at price 1 and fee
// 3000 returns 1 for 3, both ways.
func TestTheRoutersOwnVectors(t *testing.T) {
	for _, xForY := range []bool{true, false} {
		p := &Pool{Pool: registry.Pool{Fee: 3000, TickSpacing: 60}, Price: ratio(1, 1), Liquidity: big.NewInt(1_000_000),
			ReserveX: 1_000_000, ReserveY: 1_000_000,
			Ticks: []Tick{{-443580, big.NewInt(1_000_000)}, {443580, big.NewInt(-1_000_000)}}}
		s, stopped := p.Swap(xForY, 3, nil)
		if stopped != nil || s.In != 3 || s.Out != 1 {
			t.Errorf("%+v, %v", s, stopped)
		}
		if x, y := p.ReserveX, p.ReserveY; x+y != 2_000_002 || (x > y) != xForY {
			t.Errorf("reserves %d, %d", x, y)
		}
	}
}

func TestTicksAndPricesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		tick := r.Int32N(2*MaxTick) - MaxTick
		price := PriceAt(tick)
		if TickAt(price) != tick || TickAt(new(big.Int).Sub(price, big.NewInt(1))) != tick-1 {
			t.Fatalf("tick %d", tick)
		}
		if PriceAt(tick+1).Cmp(price) <= 0 {
			t.Fatalf("the price does not rise after tick %d", tick)
		}
	}
}

// middle is 1.2929 USDC for a SUI, in raw units.
func middle() *big.Rat { return big.NewRat(12_929, 10_000_000) }

// TestSwapsObeyTheLaws: a swap creates nothing, splitting it gains nothing beyond rounding, and a
// round trip loses at least the fees.
func TestSwapsObeyTheLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 400 {
		p := Generate(middle())[n%7]
		xForY := r.IntN(2) == 0
		amount := 1 + r.Uint64N(1<<uint(10+r.IntN(40)))
		before := *p.Clone()
		s, stopped := p.Swap(xForY, amount, nil)
		if stopped != nil {
			t.Fatal(stopped)
		}
		if s.In > amount || (s.In < amount && s.After.Cmp(p.Price) != 0) {
			t.Fatalf("took %d of %d", s.In, amount)
		}
		if p.ReserveX+p.ReserveY == 0 || TickAt(p.Price) != p.Tick && p.Tick != TickAt(p.Price)-1 {
			t.Fatalf("tick %d at price %s", p.Tick, p.Price)
		}
		sum := new(big.Int)
		for _, tick := range p.Ticks {
			if tick.Index <= p.Tick {
				sum.Add(sum, tick.Net)
			}
		}
		if sum.Cmp(p.Liquidity) != 0 {
			t.Fatalf("liquidity %s, the ticks below say %s", p.Liquidity, sum)
		}
		if half := s.In / 2; half > 0 {
			q := before.Clone()
			a, _ := q.Swap(xForY, half, nil)
			b, _ := q.Swap(xForY, s.In-half, nil)
			if a.Out+b.Out > s.Out+4 {
				t.Fatalf("in two parts %d, at once %d", a.Out+b.Out, s.Out)
			}
		}
		if s.Out == 0 {
			continue
		}
		back, stopped := p.Swap(!xForY, s.Out, nil)
		if stopped != nil || back.Out > s.In {
			t.Fatalf("%d there, %d back, %v", s.In, back.Out, stopped)
		}
	}
}

func TestLimitsAndExhaustion(t *testing.T) {
	p := Generate(middle())[2]
	below, above := new(big.Int).Sub(p.Price, big.NewInt(1<<40)), new(big.Int).Add(p.Price, big.NewInt(1<<40))
	for name, c := range map[string]struct {
		xForY bool
		limit *big.Int
		code  uint64
	}{
		"a limit that is passed, down":  {true, above, 4},
		"a limit that is passed, up":    {false, below, 4},
		"a limit outside, down":         {true, MinSqrtPrice(), 5},
		"a limit outside, up":           {false, MaxSqrtPrice(), 5},
		"the present price, both count": {true, p.Price, 4},
	} {
		if _, stopped := p.Clone().Swap(c.xForY, 1000, c.limit); stopped == nil || stopped.Code != c.code ||
			stopped.Module != "pool" {
			t.Errorf("%s: %v", name, stopped)
		}
	}
	s, stopped := p.Clone().Swap(true, 1<<60, below)
	if stopped != nil || s.In >= 1<<60 || s.After.Cmp(below) != 0 {
		t.Errorf("at the limit: %+v, %v", s, stopped)
	}
	for _, xForY := range []bool{true, false} {
		q := p.Clone()
		s, stopped := q.Swap(xForY, 1<<62, nil)
		if stopped != nil || s.In == 1<<62 || q.Liquidity.Sign() != 0 {
			t.Errorf("a swap beyond all liquidity: %+v, %v", s, stopped)
		}
		if again, stopped := q.Swap(xForY, 1000, nil); stopped == nil && (again.In != 0 || again.Out != 0) {
			t.Errorf("an empty pool gives %+v", again)
		}
	}
	if p.Tick != TickAt(p.Price) {
		t.Error("a clone's swap changed the pool")
	}
}

func TestGeneratedPoolsAreNearTheMiddle(t *testing.T) {
	for _, p := range Generate(middle()) {
		s, stopped := p.Clone().Swap(true, 1_000_000_000, nil)
		// One SUI at 1.2929 is 1292900 raw USDC, less the fee, within a percent.
		net := 1_292_900 * (registry.FeeDenominator - p.Fee) / registry.FeeDenominator
		if stopped != nil || s.In != 1_000_000_000 || s.Out < net*99/100 || s.Out > net*101/100 {
			t.Errorf("%s: %d for one SUI, %v", p.Key(), s.Out, stopped)
		}
		moved, _ := p.Shift(-500).Swap(true, 1_000_000_000, nil)
		if moved.Out >= s.Out*96/100 || moved.Out <= s.Out*94/100 {
			t.Errorf("%s shifted: %d after %d", p.Key(), moved.Out, s.Out)
		}
	}
}
