package swap_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// adapter returns the FlowX adapter for the harness's chain and router.
func adapter(t testing.TB, h *testkit.Harness) *swap.Adapter {
	t.Helper()
	router, err := quoter.New(quoter.Config{URL: h.URL, Now: h.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(router.Close)
	return swap.New(flowx.New(h.Node, h.Clock.Now), router)
}

func TestConformance(t *testing.T) {
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: func(h *testkit.Harness) plan.Adapter { return adapter(t, h) },
		Good: []plan.Intent{
			testkit.Swap("10", "SUI", "USDC"),
			testkit.Swap("250.5", "USDC", "SUI"),
			testkit.Swap("700", "SUI", "USDC"),  // coins merged into the gas coin
			testkit.Swap("3000", "USDC", "SUI"), // coins merged
		},
		Bad: map[string]func(*plan.Intent){
			"one coin":             func(in *plan.Intent) { in.To.Symbol = "SUI" },
			"a pair without pools": func(in *plan.Intent) { in.To.Symbol = "DEEP" },
			"a fee mode":           func(in *plan.Intent) { in.FeeMode = "deep" },
		},
	})
}

// house starts a harness with only the FlowX adapter.
func house(t *testing.T) *testkit.Harness {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	h.Use(adapter(t, h))
	return h
}

func check(t *testing.T, s record.Session, id string) plan.Check {
	t.Helper()
	for _, c := range s.State.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %s in %+v", id, s.State.Checks)
	return plan.Check{}
}

func TestASwapOnChain(t *testing.T) {
	for _, in := range []plan.Intent{testkit.Swap("10", "SUI", "USDC"), testkit.Swap("250.5", "USDC", "SUI")} {
		t.Run(in.From.Symbol, func(t *testing.T) {
			h := house(t)
			s := h.Ready(in)
			h.Send(s)
			s = h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() })
			if s.Status != record.Success {
				t.Fatalf("%s %+v", s.Status, s.Execution)
			}
			q := s.State.Quote
			for _, p := range s.Execution.Receipt.Promises {
				if !p.Kept {
					t.Errorf("a promise was not kept: %+v", p)
				}
			}
			for _, c := range s.Execution.Receipt.BalanceChanges {
				if got := uint64(c.Amount.Amount); c.Coin == q.Expected.CoinType && in.To.Symbol == "USDC" &&
					got != uint64(q.Expected.Raw) {
					t.Errorf("%d arrived, the simulation said %s", got, q.Expected.Raw)
				}
			}
			again := h.Ready(in)
			if again.State.Quote.Expected.Raw >= q.Expected.Raw {
				t.Errorf("the second swap gets %s after %s: the first did not move the price", again.State.Quote.Expected,
					q.Expected)
			}
		})
	}
}

func TestTheReview(t *testing.T) {
	h := house(t)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	q := s.State.Quote
	t.Run("R004-109 the quote is a simulation of the swap itself, and the bytes are simulated again", func(t *testing.T) {
		if q.SourceMoveFunction != registry.Package.String()+"::swap_router::swap_exact_input" || s.State.Simulation == nil ||
			!s.State.Simulation.Success {
			t.Errorf("got %+v, %+v", q, s.State.Simulation)
		}
		if c := check(t, s, "flowx_route_quote_evidence"); !strings.Contains(c.Message, q.Route) ||
			!strings.Contains(c.Message, "of the 7 pools") {
			t.Error(c.Message)
		}
	})
	t.Run("the router's word stands beside it", func(t *testing.T) {
		if c := check(t, s, "flowx_router_beside"); c.Status != plan.CheckPass || !strings.Contains(c.Message,
			q.Expected.String()) {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("pool and deadline are agreed", func(t *testing.T) {
		terms := s.State.HumanReview.Terms
		deadline, _ := plan.Stamp(uint64(q.FetchedAt.Add(10 * time.Minute).UnixMilli()))
		if len(terms) != 2 || !strings.HasPrefix(terms[0].Value, q.Route+", fee ") || !strings.HasPrefix(terms[1].Value,
			deadline) {
			t.Errorf("got %+v", terms)
		}
	})
	t.Run("the lifecycle is FlowX's", func(t *testing.T) {
		if l := s.State.AdapterLifecycle; l.AdapterID != "flowx-swap" || l.StageCatalogID != "flowx_swap_review_v1" ||
			l.Protocol != "FlowXCLMM" {
			t.Errorf("got %+v", l)
		}
	})
}

// TestTheBestPoolIsTaken lowers the price of every pool but one.
func TestTheBestPoolIsTaken(t *testing.T) {
	h := house(t)
	for _, p := range registry.Pools() {
		if p.Fee != 3000 {
			if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: p.Key(), BasisPoints: -700}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := h.Ready(testkit.Swap("10", "SUI", "USDC")); s.State.Quote.Route != "SUI_USDC_3000" {
		t.Errorf("it takes %s", s.State.Quote.Route)
	}
}

// words is a router that always returns the same answer.
type words struct {
	quote quoter.Quote
	err   error
}

func (w words) Quote(_ context.Context, r quoter.Request) (quoter.Quote, error) {
	w.quote.Request = r
	return w.quote, w.err
}

func TestTheRouterDecidesNothing(t *testing.T) {
	leg := quoter.Leg{Pool: registry.Pools()[0]}
	for name, c := range map[string]struct {
		router swap.Router
		status plan.CheckStatus
		says   string
	}{
		"it says twice as much": {words{quote: quoter.Quote{Out: 26_000_000, Legs: []quoter.Leg{leg}}}, plan.CheckWarning,
			"more than one percent"},
		"it says half as much": {words{quote: quoter.Quote{Out: 6_000_000, Legs: []quoter.Leg{leg}}}, plan.CheckWarning,
			"more than one percent"},
		"it cannot be reached": {words{err: fault.New(fault.ProviderUnavailable, "The FlowX quoter cannot be reached.")},
			plan.CheckWarning, "cannot be reached"},
		"it breaks with the pins": {words{err: fault.New(fault.ProviderMismatch, "The answer names other objects.")},
			plan.CheckWarning, "other objects"},
		"it was not asked": {nil, plan.CheckPass, "was not asked"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Use(swap.New(flowx.New(h.Node, h.Clock.Now), c.router))
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			if got := check(t, s, "flowx_router_beside"); got.Status != c.status || !strings.Contains(got.Message, c.says) {
				t.Errorf("got %+v", got)
			}
			if out := s.State.Quote.Expected.Raw; out < 12_500_000 || out > 13_500_000 {
				t.Errorf("the quote is %s", out)
			}
		})
	}
}

func TestWhatStopsAReview(t *testing.T) {
	t.Run("the account holds too little", func(t *testing.T) {
		h := house(t)
		s := h.Compute(h.Open(testkit.Swap("5000", "USDC", "SUI")))
		if s.Reason != plan.InsufficientBalance || !strings.Contains(s.State.Checks[0].Message, "4000 USDC") {
			t.Errorf("%s %+v", s.Reason, s.State.Checks[0])
		}
	})
	t.Run("more than the pools hold", func(t *testing.T) {
		h := house(t)
		s := h.Compute(h.Open(testkit.Swap("900000000", "SUI", "USDC")))
		if s.Reason != plan.QuoteUnavailable || !strings.Contains(s.State.Checks[0].Message, "none takes the whole amount") {
			t.Errorf("%s %+v", s.Reason, s.State.Checks[0])
		}
	})
	t.Run("the price moves before it is sent", func(t *testing.T) {
		h := house(t)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		handoff := h.HandOff(s)
		raw, signature := h.Sign(handoff)
		for _, p := range registry.Pools() {
			if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: p.Key(), BasisPoints: -500}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Reviews.Signed(context.Background(), s.ID, handoff.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		s = h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() })
		if s.Status != record.Failure || s.Execution.Receipt == nil || s.Execution.Receipt.OK {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		for _, p := range s.Execution.Receipt.Promises {
			if !p.Kept {
				t.Errorf("a promise was not kept: %+v", p)
			}
		}
	})
	t.Run("the deadline passes", func(t *testing.T) {
		h := house(t)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		handoff := h.HandOff(s)
		raw, signature := h.Sign(handoff)
		h.Clock.Advance(11 * time.Minute)
		if _, err := h.Reviews.Signed(context.Background(), s.ID, handoff.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		s = h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() })
		if s.Status != record.Failure {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
	})
	for name, c := range map[string]struct {
		module string
		code   uint64
		reason plan.Reason
		says   string
	}{
		"the minimum":   {"swap_router", 1, plan.QuoteStale, "guaranteed minimum"},
		"the deadline":  {"utils", 0, plan.QuoteStale, "deadline"},
		"an upgrade":    {"versioned", 999, plan.QuoteUnavailable, "upgraded"},
		"a pause":       {"versioned", 1001, plan.QuoteUnavailable, "paused"},
		"a new refusal": {"pool", 77, plan.QuoteUnavailable, "does not know (module pool, code 77)"},
	} {
		t.Run("FlowX refuses: "+name, func(t *testing.T) {
			a := sui.MoveAbort{Package: registry.Package, Module: c.module, Code: c.code}
			d := complete(t)
			stop := d.Explain(a)
			if stop == nil || stop.Reason != c.reason || !strings.Contains(stop.Check.Message, c.says) {
				t.Errorf("got %+v", stop)
			}
			if a.Package = (sui.ObjectID{31: 2}); d.Explain(a) != nil {
				t.Error("an abort of another package is explained")
			}
		})
	}
}

// tiers returns fixed quotes of FlowX's pools.
type tiers []flowx.Tier

func (list tiers) Tiers(context.Context, sui.Address, coins.Coin, coins.Coin, sui.Raw, *flowx.After) ([]flowx.Tier,
	error) {
	return list, nil
}

// complete runs all stages with fixed quotes and returns the step.
func complete(t *testing.T) *plan.Step {
	t.Helper()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	a := swap.New(tiers{{Pool: registry.Pools()[2], Out: 12_900_000, At: now}}, nil)
	planned, err := a.Plan(testkit.Swap("10", "SUI", "USDC"), now)
	if err != nil {
		t.Fatal(err)
	}
	d := plan.NewStep(planned, testkit.Swap("10", "SUI", "USDC"), sandbox.Account, func() time.Time { return now },
		30*time.Second)
	for _, stage := range a.Stages(planned) {
		if err := stage.Run(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestReadRefusesOtherShapes changes a transaction that the adapter built.
func TestReadRefusesOtherShapes(t *testing.T) {
	d := complete(t)
	kind := testkit.Build(t, sandbox.Account, d.Append, plan.Selection{Coin: sui.SUI, Gas: true})
	a := swap.New(nil, nil)
	facts, err := testkit.Read(a, &sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands})
	if err != nil || facts.Promise.Amount(plan.RoleOutput) != d.Quote.Minimum || facts.Sends != sandbox.Account {
		t.Fatal(facts, err)
	}
	call := func(edit func(*sui.MoveCall)) func(*sui.Kind) {
		return func(k *sui.Kind) {
			c := k.Commands[1].(sui.MoveCall)
			c.Arguments = append([]sui.Argument{}, c.Arguments...)
			c.TypeArgs = append([]sui.TypeTag{}, c.TypeArgs...)
			edit(&c)
			k.Commands[1] = c
		}
	}
	input := func(argument int, in sui.Input) func(*sui.Kind) {
		return func(k *sui.Kind) { k.Inputs[k.Commands[1].(sui.MoveCall).Arguments[argument].Index] = in }
	}
	for name, edit := range map[string]func(*sui.Kind){
		"another package":         call(func(c *sui.MoveCall) { c.Package = registry.OriginalPackage }),
		"another function":        call(func(c *sui.MoveCall) { c.Function = "swap_exact_output" }),
		"another module":          call(func(c *sui.MoveCall) { c.Module = "router" }),
		"one type argument":       call(func(c *sui.MoveCall) { c.TypeArgs = c.TypeArgs[:1] }),
		"a coin that is unpinned": call(func(c *sui.MoveCall) { c.TypeArgs[1] = sui.MustTypeTag("0x3::x::X") }),
		"one coin twice":          call(func(c *sui.MoveCall) { c.TypeArgs[1] = c.TypeArgs[0] }),
		"the coins turned round": call(func(c *sui.MoveCall) {
			c.TypeArgs[0], c.TypeArgs[1] = c.TypeArgs[1],
				c.TypeArgs[0]
		}),
		"the gas coin paid":      call(func(c *sui.MoveCall) { c.Arguments[2] = sui.GasCoin }),
		"an argument less":       call(func(c *sui.MoveCall) { c.Arguments = c.Arguments[:7] }),
		"another registry":       input(0, sui.SharedInput{ID: registry.Versioned, InitialVersion: 1, Mutable: true}),
		"a registry only read":   input(0, sui.SharedInput{ID: registry.Object, InitialVersion: registry.ObjectVersion}),
		"a fee without pool":     input(1, sui.PureU64(501)),
		"a fee of four bytes":    input(1, sui.PureInput{Bytes: []byte{1, 2, 3, 4}}),
		"a price limit":          input(4, sui.PureInput{Bytes: append([]byte{1}, make([]byte, 15)...)}),
		"a short price limit":    input(4, sui.PureU64(0)),
		"an endless deadline":    input(5, sui.PureU64(1<<63)),
		"another version object": input(6, sui.SharedInput{ID: registry.Object, InitialVersion: registry.ObjectVersion}),
		"a version that changes": input(6, sui.SharedInput{ID: registry.Versioned, InitialVersion: registry.VersionedVersion,
			Mutable: true}),
		"another clock":  input(7, sui.SharedInput{ID: sui.MustAddress("0x8"), InitialVersion: 1}),
		"a command more": func(k *sui.Kind) { k.Commands = append(k.Commands, k.Commands[2]) },
		"nothing sent":   func(k *sui.Kind) { k.Commands = k.Commands[:2] },
		"an input more":  func(k *sui.Kind) { k.Inputs = append(k.Inputs, sui.PureU64(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			k := sui.Kind{Inputs: append([]sui.Input{}, kind.Inputs...), Commands: append([]sui.Command{}, kind.Commands...)}
			edit(&k)
			if facts, err := testkit.Read(a, &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands}); !fault.Is(err,
				fault.InputInvalid) {
				t.Errorf("read as %+v, %v", facts, err)
			}
		})
	}
	if len(fmt.Sprint(facts.Commands)) == 0 || len(facts.Commands) != len(kind.Commands) {
		t.Errorf("the commands are told as %v", facts.Commands)
	}
}
