package flowx_test

import (
	"context"
	"math"
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

// node is a sandbox over its wire, whose answers a test may change.
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
	tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 10_000_000_000)
	if err != nil || len(tiers) != len(registry.Pools()) {
		t.Fatal(tiers, err)
	}
	return tiers
}

func TestEveryTierAnswers(t *testing.T) {
	n := start(t)
	for i, tier := range n.tenSUI(t) {
		if tier.Pool != registry.Pools()[i] || !tier.Usable() || tier.Out < 12_600_000 || tier.Out > 13_100_000 || tier.At.IsZero() {
			t.Errorf("%+v", tier)
		}
	}
	x, y := pair()
	t.Run("a coin of the account is needed, and several are put together", func(t *testing.T) {
		tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, y, x, 3_000_000_000)
		if err != nil || !tiers[2].Usable() {
			t.Errorf("%+v, %v", tiers, err)
		}
		_, err = flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, y, x, 4_000_000_001)
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
		tiers, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 400_000_000_000_000)
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
			if _, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 1_000_000_000); !fault.Is(err, fault.ProviderMismatch) {
				t.Error(err)
			}
		})
	}
	t.Run("one tier refuses, the others answer", func(t *testing.T) {
		n.edit = func(tx *sui.Transaction, s *sui.Simulation) {
			call := tx.Commands[1].(sui.MoveCall)
			fee, _ := tx.Inputs[call.Arguments[1].Index].(sui.PureInput).U64()
			if fee == 500 {
				s.Status = sui.ExecutionStatus{Kind: "MOVE_ABORT", Abort: &sui.MoveAbort{Package: registry.Package, Module: "pool_manager", Code: 5}}
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
		if _, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, y, 1); !fault.Is(err, fault.ProviderUnavailable) {
			t.Error(err)
		}
	})
	if _, err := flowx.New(n, time.Now).Tiers(t.Context(), sandbox.Account, x, x, 1); !fault.Is(err, fault.InputInvalid) {
		t.Error(err)
	}
}

func TestMeanings(t *testing.T) {
	for _, c := range []struct {
		abort sui.MoveAbort
		want  string
	}{
		{sui.MoveAbort{Package: registry.Package, Module: "utils"}, "the deadline of the swap has passed"},
		{sui.MoveAbort{Package: registry.OriginalPackage, Module: "versioned", Code: 1001}, "FlowX paused all swaps"},
		{sui.MoveAbort{Package: registry.Object, Module: "utils"}, "the contract refused for a reason that this program does not know (module utils, code 0)"},
		{sui.MoveAbort{Package: registry.Package, Module: "a b", Code: math.MaxUint64},
			"the contract refused for a reason that this program does not know (an unnamed module, code 18446744073709551615)"},
	} {
		if got := flowx.Meaning(c.abort); got != c.want {
			t.Errorf("%+v: %q", c.abort, got)
		}
	}
}
