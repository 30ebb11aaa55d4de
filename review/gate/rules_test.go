package gate_test

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

// easy intercepts estimates and reports every transaction as cheap and valid, so that the bytes
// decide.
type easy struct{ node.Simulator }

func (easy) Simulate(context.Context, *sui.Transaction, bool) (sui.Simulation, error) {
	return sui.Simulation{Effects: sui.Effects{Status: sui.ExecutionStatus{OK: true},
		Gas: sui.GasCost{Computation: 20_000_000}}}, nil
}

// teller intercepts the node's reports about coins and objects.
type teller struct {
	node.Chain
	coin   func(*sui.Metadata)
	object func(*sui.Object)
}

func (w teller) Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error) {
	m, err := w.Chain.Metadata(ctx, coin)
	if w.coin != nil {
		w.coin(&m)
	}
	return m, err
}

func (w teller) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	list, err := w.Chain.Objects(ctx, ids)
	for i := range list {
		if w.object != nil {
			w.object(&list[i])
		}
	}
	return list, err
}

// twin returns an address easily mistaken for the sandbox account.
func twin() sui.Address {
	a := sandbox.Account
	a[10] ^= 0xff
	return a
}

const usdcType sui.CoinType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"

// broken is one way to break a rule.
type broken struct {
	rule   plan.RuleID
	name   string
	told   plan.RuleID // the reported rule, if it is another one
	reason plan.Reason // "": only a warning
	check  string
	edit   func(*review.Config)
	second func(*gate.Second)
}

// forging returns an edit that replaces the builder.
func forging(forge func(k *sui.Kind)) func(*review.Config) {
	return func(c *review.Config) {
		c.Adapters = []plan.Adapter{forger{Adapter: c.Adapters[0], forge: forge}}
		c.Simulator = easy{c.Simulator}
	}
}

// swapCall returns the command that swaps, for a change of it.
func swapCall(change func(*sui.MoveCall)) func(k *sui.Kind) {
	return func(k *sui.Kind) {
		for i, c := range k.Commands {
			if call, ok := c.(sui.MoveCall); ok && call.Module == "pool" {
				change(&call)
				k.Commands[i] = call
			}
		}
	}
}

func telling(w teller) func(*review.Config) {
	return func(c *review.Config) { w.Chain = c.Chain; c.Chain = w }
}

// priced makes a second node whose mid price is so many hundredths of the true one.
func priced(percent int64) func(*gate.Second) {
	return func(s *gate.Second) {
		s.Adapters = []plan.Adapter{forger{Adapter: s.Adapters[0], draft: func(d *plan.Step) {
			mid, _ := new(big.Rat).SetString(d.Quote.MidPrice)
			d.Quote.MidPrice = mid.Mul(mid, big.NewRat(percent, 100)).FloatString(9)
		}}}
	}
}

// pricedFirst does the same to the first node: two nodes that tell different mid prices disagree.
func pricedFirst(percent int64) func(*review.Config) {
	return func(c *review.Config) {
		s := gate.Second{Adapters: c.Adapters}
		priced(percent)(&s)
		c.Adapters = s.Adapters
	}
}

func brokenRules() []broken {
	bytes, wallet := "cross_check_bytes", plan.WalletMismatch
	add := func(c sui.Command) func(k *sui.Kind) {
		return func(k *sui.Kind) { k.Commands = append(k.Commands, c) }
	}
	limits := func(least, most uint64) func(*review.Config) {
		return func(c *review.Config) {
			c.Limits = gate.DefaultLimits()
			c.Limits.LeastGasBudget, c.Limits.MostGasBudget = least, most
		}
	}
	simulated := func(lie func(*sui.Simulation)) func(*review.Config) {
		return func(c *review.Config) {
			c.Simulator = &testkit.Interceptor{Simulator: c.Simulator, After: lie}
		}
	}
	return []broken{
		{rule: "C01", name: "another recipient", reason: wallet, check: bytes,
			edit: forging(setPure(3, sui.PureAddress(thief)))},
		{rule: "C01", name: "a recipient that is no address", reason: wallet, check: bytes,
			edit: forging(setPure(3, sui.PureU64(7)))},
		{rule: "C02", name: "another coin of the call", reason: plan.AssetMismatch, check: bytes,
			edit: forging(swapCall(func(c *sui.MoveCall) { c.TypeArgs[1] = sui.CoinType("0x7::usdc::USDC").Tag() }))},
		{rule: "C03", name: "a lower minimum", reason: plan.AmountMismatch, check: bytes,
			edit: forging(setPure(1, sui.PureU64(1)))},
		{rule: "C03", name: "no minimum", reason: plan.AmountMismatch, check: bytes,
			edit: forging(setPure(1, sui.PureU64(0)))},
		{rule: "C04", name: "fifteen per cent under", check: "price_second_source", second: priced(117),
			edit: pricedFirst(117)},
		{rule: "C04", name: "far under", reason: plan.AmountMismatch, check: "price_second_source", second: priced(130)},
		{rule: "C05", name: "another package", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(swapCall(func(c *sui.MoveCall) { c.Package = thief }))},
		{rule: "C06", name: "an upgrade that is not pinned", told: "C05", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(swapCall(func(c *sui.MoveCall) { c.Package[31] ^= 1 }))},
		{rule: "C07", name: "publishing", reason: plan.AllowlistViolation, check: bytes, edit: forging(add(sui.Publish{}))},
		{rule: "C07", name: "a list", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(add(sui.MakeMoveVec{Elements: []sui.Argument{sui.NestedArg(0, 0)}}))},
		{rule: "C07", name: "a call besides", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(add(sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero",
				TypeArgs: []sui.TypeTag{sui.SUI.Tag()}}))},
		{rule: "C09", name: "the gas coin is sent", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(add(sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin}, Recipient: sui.InputArg(3)}))},
		{rule: "C09", name: "the gas coin is given to a call", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(swapCall(func(c *sui.MoveCall) { c.Arguments[1] = sui.GasCoin }))},
		{rule: "C10", name: "sixty times what it costs", check: "gas_budget_proportion", edit: limits(60_000_000,
			1_000_000_000)},
		{rule: "C10", name: "more than one SUI", reason: plan.AllowlistViolation, check: "gas_budget_proportion",
			edit: limits(1_500_000_000, 2_000_000_000)},
		{rule: "C11", name: "a withdrawal", reason: plan.AllowlistViolation,
			check: "transaction_object_ownership_unsupported",
			edit: forging(func(k *sui.Kind) {
				k.Inputs = append(k.Inputs, sui.WithdrawalInput{MaxAmount: 1, Coin: sui.SUI.Tag()})
			})},
		{rule: "C11", name: "a withdrawal written as a coin", reason: plan.AllowlistViolation,
			check: "transaction_object_ownership_unsupported",
			edit: forging(func(k *sui.Kind) {
				ref := sui.ObjectRef{ID: sui.ObjectID{9}, Version: 1}
				for i := 12; i < len(ref.Digest); i++ {
					ref.Digest[i] = 0xac
				}
				k.Inputs = append(k.Inputs, sui.OwnedInput{Ref: ref})
			})},
		{rule: "C13", name: "a coin moved on", reason: plan.QuoteStale, check: "transaction_object_ownership_moved",
			edit: telling(teller{object: func(o *sui.Object) {
				if o.Balance != nil {
					o.Ref.Version++
				}
			}})},
		{rule: "C14", name: "the clock for change", reason: plan.AllowlistViolation, check: bytes,
			edit: forging(func(k *sui.Kind) {
				clock := k.Inputs[2].(sui.SharedInput)
				clock.Mutable = true
				k.Inputs[2] = clock
			})},
		{rule: "C15", name: "a recipient never seen", told: "C01", reason: wallet, check: bytes,
			edit: forging(setPure(3, sui.PureAddress(sui.MustAddress("0x5eed"))))},
		{rule: "C16", name: "a recipient that looks like the account", reason: wallet, check: bytes,
			edit: forging(setPure(3, sui.PureAddress(twin())))},
		{rule: "C17", name: "a hidden character", reason: plan.AssetMismatch, check: "coin_description",
			edit: telling(teller{coin: func(m *sui.Metadata) { m.Symbol += "\u200b" }})},
		{rule: "C17", name: "two scripts", reason: plan.AssetMismatch, check: "coin_description",
			edit: telling(teller{coin: func(m *sui.Metadata) { m.Name = "Cоin" }})}, // with a Cyrillic o
		{rule: "C18", name: "other decimals", reason: plan.AssetMismatch, check: "coin_description",
			edit: telling(teller{coin: func(m *sui.Metadata) { m.Decimals++ }})},
		{rule: "C18", name: "another coin described", reason: plan.ObjectResolutionFailed, check: "coin_description",
			edit: telling(teller{coin: func(m *sui.Metadata) { m.Type = "0x7::gem::GEM" }})},
		{rule: "C19", name: "a failing simulation", reason: plan.ObjectResolutionFailed,
			check: "review_time_simulation_result_failed",
			edit:  simulated(func(s *sui.Simulation) { s.Status = sui.ExecutionStatus{Kind: "MADE_UP"} })},
		{rule: "C19", name: "other effects than the bytes say", reason: plan.EffectsMismatch, check: "cross_check_effects",
			edit: simulated(func(s *sui.Simulation) {
				s.Balances = append(s.Balances, sui.BalanceChange{Owner: thief, Coin: usdcType, Amount: sui.Delta{Amount: 1}})
			})},
		{rule: "C20", name: "other effects by the second node", reason: plan.EffectsMismatch, check: "provider_mismatch",
			second: func(s *gate.Second) {
				s.Simulator = &testkit.Interceptor{Simulator: s.Simulator,
					After: func(s *sui.Simulation) { s.Balances = s.Balances[:1] }}
			}},
	}
}

// Each broken rule is reported by its id, and nothing can be signed.
func TestRules(t *testing.T) {
	reached := map[plan.RuleID]bool{"C08": true, "C12": true} // the envelope, which no adapter can forge: TestCrossBytes
	for _, b := range brokenRules() {
		reached[b.rule] = true
		t.Run(string(b.rule)+" "+b.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, b.edit)
			if b.second != nil {
				h.Compare(b.second)
			}
			judgeBroken(t, b, h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))))
		})
	}
	for _, rule := range gate.Rules() {
		if !reached[rule.ID] {
			t.Errorf("no case breaks %s", rule.ID)
		}
	}
}

func judgeBroken(t *testing.T, b broken, s record.Session) {
	t.Helper()
	told := b.told
	if told == "" {
		told = b.rule
	}
	worst := s.State.Checks[0]
	if b.reason == "" {
		if s.Status != record.Ready || !slices.Contains(s.State.Rules.Warned, told) {
			t.Fatalf("%s %s: %+v, rules %+v", s.Status, s.Reason, worst, s.State.Rules)
		}
		if c, ok := testkit.Check(s, b.check); !ok || c.Status != plan.CheckWarning || c.Rule != told || c.Do == "" {
			t.Errorf("%+v", c)
		}
		return
	}
	if s.Status != record.StatusOf(b.reason) || s.Reason != b.reason || s.Commitment != "" || s.State.Contract != nil {
		t.Errorf("%s %s", s.Status, s.Reason)
	}
	if worst.ID != b.check || worst.Status != plan.CheckFail || worst.Rule != told || worst.Do == "" {
		t.Errorf("worst check %+v", worst)
	}
	if !slices.Equal(s.State.Rules.Failed, []plan.RuleID{told}) {
		t.Errorf("rules %+v", s.State.Rules)
	}
	i := slices.IndexFunc(gate.Rules(), func(r gate.Rule) bool { return r.ID == b.rule })
	if again := gate.Rules()[i].Level == gate.Again; again != (s.Status == record.RefreshRequired) {
		t.Errorf("%s is of level %s and ended as %s", b.rule, gate.Rules()[i].Level, s.Status)
	}
}

func TestRulesOfAReadyReview(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	t.Run("without a second node two rules are said to be not checked", func(t *testing.T) {
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		r := s.State.Rules
		if !slices.Equal(r.NotChecked, []plan.RuleID{"C04", "C20"}) || len(r.Proved) != 18 || r.Failed != nil ||
			r.NotReached != nil {
			t.Errorf("%+v", r)
		}
		if c, ok := testkit.Check(s, "second_provider_not_set"); !ok || c.Status != plan.CheckWarning || c.Do == "" {
			t.Errorf("%+v", c)
		}
	})
	t.Run("with one all twenty are proved", func(t *testing.T) {
		h.Compare(nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		if r := s.State.Rules; len(r.Proved) != 20 {
			t.Errorf("%+v, checks %+v", r, s.State.Checks)
		}
	})
	t.Run("a review that stops early says what was not reached", func(t *testing.T) {
		s := h.Compute(h.Open(testkit.Swap("5000", "USDC", "SUI")))
		if r := s.State.Rules; s.Status != record.Blocked || len(r.NotReached) != 20 || r.Proved != nil {
			t.Errorf("%s %+v", s.Status, r)
		}
	})
}

// C13 again before the release: a coin that was spent meanwhile takes the build back.
func TestCoinsAreLatestAtRelease(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	t.Run("an outage keeps the build", func(t *testing.T) {
		h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "BatchGetObjects"})
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.ProviderUnavailable) {
			t.Errorf("%v", err)
		}
		h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		if now, err := h.Reviews.Get(ctx, s.ID); err != nil || now.Status != record.Ready || len(now.Releases) != 0 {
			t.Errorf("%v %s", err, now.Status)
		}
	})
	h.Inject(sandbox.Fault{Kind: sandbox.ConsumeCoin, Object: s.Facts.Gas.Payment[0].ID.String()})
	t.Run("a page that shows another transaction takes nothing back", func(t *testing.T) {
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, strings.Repeat("ab", 32)); !fault.Is(err,
			fault.HandoffCommitmentMismatch) {
			t.Errorf("%v", err)
		}
		if now, err := h.Reviews.Get(ctx, s.ID); err != nil || now.Status != record.Ready || now.Revision != s.Revision {
			t.Errorf("%v %s", err, now.Status)
		}
	})
	t.Run("C13 a coin that moved on", func(t *testing.T) {
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
			t.Fatalf("%v", err)
		}
		now, err := h.Reviews.Get(ctx, s.ID)
		if err != nil || now.Status != record.RefreshRequired || now.Reason != plan.QuoteStale || len(now.Releases) != 0 ||
			now.State.Checks[0].Rule != "C13" || now.State.Contract != nil || now.State.Visualization != nil {
			t.Errorf("%v %s %+v", err, now.Status, now.State.Checks[0])
		}
		if again := h.Compute(now); again.Status != record.Ready {
			t.Errorf("%s %s", again.Status, again.Reason)
		}
	})
}

// A release that wins while another page's request still reads the coins stays.
func TestLateReadTakesNoReleaseBack(t *testing.T) {
	ctx := context.Background()
	var h *testkit.Harness
	var s record.Session
	inner := false
	h = testkit.Start(t, time.Now, telling(teller{object: func(o *sui.Object) {
		if s.Commitment == "" || inner || o.Balance == nil {
			return
		}
		inner = true // the inner request sees the real coins
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); err != nil {
			t.Errorf("the first release: %v", err)
		}
		o.Ref.Version++
	}}))
	s = h.Ready(testkit.Swap("10", "SUI", "USDC"))
	if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
		t.Errorf("the second release: %v", err)
	}
	now, err := h.Reviews.Get(ctx, s.ID)
	if err != nil || now.Status != record.Ready || len(now.Releases) != 1 {
		t.Errorf("%v %s, %d releases", err, now.Status, len(now.Releases))
	}
}

// The coin of a fee is stated in units, too.
func TestFeeCoinIsDescribed(t *testing.T) {
	in := testkit.Swap("10", "SUI", "USDC")
	in.FeeMode = "deep"
	h := testkit.Start(t, time.Now, nil)
	h.Compare(nil)
	s := h.Ready(in)
	last := s.State.Contract.Amounts[len(s.State.Contract.Amounts)-1]
	if last.Role != "fee_at_most" || last.Symbol != "DEEP" || last.Raw == 0 || len(s.State.Rules.Proved) != 20 {
		t.Errorf("%+v, rules %+v", last, s.State.Rules)
	}
	for _, c := range s.State.Contract.Claims {
		if i := slices.IndexFunc(s.State.Contract.Sources,
			func(one record.TruthSource) bool { return one.ID == c.Source }); c.ID == last.UnitClaim &&
			s.State.Contract.Sources[i].Kind != record.OnchainMetadata {
			t.Errorf("its unit rests on %s", s.State.Contract.Sources[i].Kind)
		}
	}
	t.Run("C18 other decimals of the fee's coin", func(t *testing.T) {
		h := testkit.Start(t, time.Now, telling(teller{coin: func(m *sui.Metadata) {
			if m.Type == last.CoinType {
				m.Decimals++
			}
		}}))
		s := h.Compute(h.Open(in))
		if s.Status != record.Blocked || s.State.Checks[0].Rule != "C18" {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
}
