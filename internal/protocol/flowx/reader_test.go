package flowx_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// node is a connection to a sandbox whose answers a test can change.
type node struct {
	*rpc.Client
	chain *sandbox.Sandbox
	edit  func(tx *sui.Transaction, s *sui.Simulation)
}

func (n *node) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	s, err := n.Client.Simulate(ctx, tx, checks)
	if n.edit != nil && err == nil {
		n.edit(tx, &s)
	}
	return s, err
}

func start(t *testing.T) *node {
	t.Helper()
	chain, url := sandboxtest.Serve(t, sandbox.Config{Now: time.Now})
	client, err := rpc.New(rpc.Config{URL: url, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return &node{Client: client, chain: chain}
}

func pair() (x, y coins.Coin) { return registry.Coins()[0], registry.Coins()[1] }

func (n *node) tenSUI(t *testing.T) []flowx.Tier {
	t.Helper()
	x, y := pair()
	tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 10_000_000_000, nil)
	if err != nil || len(tiers) != len(registry.Pools()) {
		t.Fatal(tiers, err)
	}
	return tiers
}

func TestEveryTierAnswers(t *testing.T) {
	n := start(t)
	for i, tier := range n.tenSUI(t) {
		if tier.Pool != registry.Pools()[i] || !tier.Usable() || tier.Out < 12_600_000 || tier.Out > 13_100_000 ||
			tier.At.IsZero() {
			t.Errorf("%+v", tier)
		}
	}
	x, y := pair()
	t.Run("a coin of the account is needed, and several are put together", func(t *testing.T) {
		tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, y, x, 3_000_000_000, nil)
		if err != nil || !tiers[2].Usable() {
			t.Errorf("%+v, %v", tiers, err)
		}
		_, err = flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, y, x, 4_000_000_001, nil)
		if !fault.Is(err, fault.QuoteUnavailable) || fault.As(err).Detail.Get("reason") != flowx.TooLittle {
			t.Error(err)
		}
	})
	t.Run("asking changes nothing", func(t *testing.T) {
		if first, again := n.tenSUI(t), n.tenSUI(t); first[2].Out != again[2].Out {
			t.Errorf("%s, then %s", first[2].Out, again[2].Out)
		}
	})
	t.Run("a pool that cannot take it all is not usable", func(t *testing.T) {
		tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 400_000_000_000_000, nil)
		if err != nil {
			t.Fatal(err)
		}
		usable, partial := 0, 0
		for _, tier := range tiers {
			if tier.Usable() {
				usable++
			}
			if tier.Partial {
				partial++
			}
		}
		if usable == 0 || partial == 0 || usable+partial != len(tiers) {
			t.Errorf("%d usable, %d partial", usable, partial)
		}
	})
}

func TestAnswersThatAreNone(t *testing.T) {
	n := start(t)
	x, y := pair()
	for name, edit := range map[string]func(*sui.Simulation){
		"no return values":       func(s *sui.Simulation) { s.Returns = nil },
		"a value too many":       func(s *sui.Simulation) { s.Returns[1] = append(s.Returns[1], s.Returns[1]...) },
		"a value of eight bytes": func(s *sui.Simulation) { s.Returns[1][0].BCS = s.Returns[1][0].BCS[:8] },
	} {
		t.Run(name, func(t *testing.T) {
			n.edit = func(_ *sui.Transaction, s *sui.Simulation) { edit(s) }
			if _, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 1_000_000_000, nil); !fault.Is(err,
				fault.ProviderMismatch) {
				t.Error(err)
			}
		})
	}
	t.Run("one tier refuses, the others answer", func(t *testing.T) {
		n.edit = func(tx *sui.Transaction, s *sui.Simulation) {
			call := tx.Commands[1].(sui.MoveCall)
			fee, _ := tx.Inputs[call.Arguments[1].Index].(sui.PureInput).U64()
			if fee == 500 {
				s.Status = sui.ExecutionStatus{Kind: "MOVE_ABORT", Abort: &sui.MoveAbort{Package: registry.Package,
					Module: "pool_manager", Code: 5}}
			}
		}
		tiers := n.tenSUI(t)
		if tiers[2].Usable() || tiers[2].Refused != "the pool does not exist" || !tiers[1].Usable() || !tiers[3].Usable() {
			t.Errorf("%+v", tiers)
		}
	})
	t.Run("an outage is one", func(t *testing.T) {
		n.edit = nil
		if err := n.chain.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "SimulateTransaction"}); err != nil {
			t.Fatal(err)
		}
		if _, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 1, nil); !fault.Is(err,
			fault.ProviderUnavailable) {
			t.Error(err)
		}
	})
	if _, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, x, 1, nil); !fault.Is(err,
		fault.InputInvalid) {
		t.Error(err)
	}
}

// event changes a number in the event of a swap's simulation, given its size and its offset in the
// event's contents.
func event(at, size int, value *big.Int) func(*sui.Simulation) {
	return func(s *sui.Simulation) {
		for i := range s.Events {
			b := value.FillBytes(make([]byte, size))
			slices.Reverse(b)
			s.Events[i].Contents = slices.Concat(s.Events[i].Contents[:at], b, s.Events[i].Contents[at+size:])
		}
	}
}

// A pool's price is the price before the swap that the pool's event in the same simulation reports.
func TestPriceBefore(t *testing.T) {
	n := start(t)
	x, y := pair()
	mid := big.NewRat(12929, 10000)
	for _, from := range []coins.Coin{x, y} {
		tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, from, map[bool]coins.Coin{true: y,
			false: x}[from == x], 3_000_000_000, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tier := range tiers {
			s := tier.Swap
			if s == nil || s.SellsX != (from == x) || s.Pool != tier.Pool || s.Liquidity.Sign() <= 0 {
				t.Fatalf("%s: %+v", tier.Pool.Key(), s)
			}
			off := new(big.Rat).Sub(s.Price(), mid)
			if off.Abs(off).Mul(off, big.NewRat(100, 1)).Cmp(mid) > 0 {
				t.Errorf("%s: %s %s for one %s", tier.Pool.Key(), s.Price().FloatString(6), y.Symbol, x.Symbol)
			}
			in, out := s.X, s.Y
			if !s.SellsX {
				in, out = s.Y, s.X
			}
			if in != 3_000_000_000 || out != tier.Out || (s.Before.Cmp(s.After) > 0) != s.SellsX {
				t.Errorf("%+v", s)
			}
		}
	}
	// A root of 2^64 means one raw unit for another. SUI has three decimals more than USDC, so that is
	// 1000 USDC per SUI.
	root := func(shift uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), shift) }
	for shift, want := range map[uint]*big.Rat{64: big.NewRat(1000, 1), 65: big.NewRat(4000, 1), 54: big.NewRat(1000,
		1<<20)} {
		if got := (flowx.Swapped{Pool: registry.Pools()[0], Before: root(shift)}).Price(); got.Cmp(want) != 0 {
			t.Errorf("2^%d: %s", shift, got)
		}
	}
	moved := func(before, after int64) flowx.Swapped {
		return flowx.Swapped{Before: big.NewInt(before), After: big.NewInt(after)}
	}
	for _, c := range []struct {
		s    flowx.Swapped
		want bool
	}{{moved(1000, 1000), true}, {moved(1000, 995), true}, {moved(1000, 994), false}, {moved(1000, 1004), true},
		{moved(1000, 1005), false}, {moved(1000, 1), false}} {
		if c.s.MovedBy(100) != c.want {
			t.Errorf("%s to %s", c.s.Before, c.s.After)
		}
	}
}

func TestEventOfTheSimulation(t *testing.T) {
	n := start(t)
	x, y := pair()
	big128 := func(shift uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), shift) }
	const direction, amountX, amountY, before, after = 64, 65, 73, 81, 97
	ask := func(edit func(*sui.Simulation)) ([]flowx.Tier, error) {
		n.edit = func(_ *sui.Transaction, s *sui.Simulation) { edit(s) }
		return flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 1_000_000_000, nil)
	}
	for name, edit := range map[string]func(*sui.Simulation){
		"the other direction":              event(direction, 1, big.NewInt(0)),
		"neither direction":                event(direction, 1, big.NewInt(2)),
		"less that went in":                event(amountX, 8, big.NewInt(999_999_999)),
		"more that went in":                event(amountX, 8, big.NewInt(1_000_000_001)),
		"another amount that came out":     event(amountY, 8, big.NewInt(1)),
		"a price of nothing":               event(before, 16, big.NewInt(0)),
		"a price under all":                event(after, 16, big.NewInt(4295048015)),
		"a price beyond all":               event(before, 16, big128(96)),
		"the largest price":                event(before, 16, new(big.Int).Sub(big128(128), big.NewInt(1))),
		"a price that rose by a sale":      event(after, 16, big128(63)),
		"less before than what it brought": event(before, 16, big128(58)),
		"an event more":                    func(s *sui.Simulation) { s.Events = append(s.Events, s.Events...) },
		"another pool": func(s *sui.Simulation) {
			other := registry.Pools()[6].ID
			copy(s.Events[0].Contents[32:64], other[:])
		},
		"another sender": func(s *sui.Simulation) { s.Events[0].Sender[0] ^= 1 },
		"a byte less":    func(s *sui.Simulation) { s.Events[0].Contents = s.Events[0].Contents[1:] },
	} {
		if tiers, err := ask(edit); !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("%s: %v %v", name, tiers, err)
		}
	}
	tiers, err := ask(func(s *sui.Simulation) { s.Events = nil })
	if err != nil || tiers[0].Swap != nil || !tiers[0].Usable() {
		t.Errorf("no event: %+v, %v", tiers, err)
	}
	if tiers, err = ask(func(*sui.Simulation) {}); err != nil || tiers[0].Swap == nil {
		t.Errorf("honest: %v", err)
	}
}

func TestMeanings(t *testing.T) {
	for _, c := range []struct {
		abort sui.MoveAbort
		want  string
	}{
		{sui.MoveAbort{Package: registry.Package, Module: "utils"}, "the deadline of the swap has passed"},
		{sui.MoveAbort{Package: registry.OriginalPackage, Module: "versioned", Code: 1001}, "FlowX paused all swaps"},
		{sui.MoveAbort{Package: registry.Object, Module: "utils"},
			"the contract refused for a reason that this program does not know (module utils, code 0)"},
		{sui.MoveAbort{Package: registry.Package, Module: "a b", Code: math.MaxUint64},
			"the contract refused for a reason that this program does not know (an unnamed module, code 18446744073709551615)"},
	} {
		if got := flowx.Meaning(c.abort); got != c.want {
			t.Errorf("%+v: %q", c.abort, got)
		}
	}
}
