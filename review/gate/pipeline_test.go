package gate_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

// forger is an adapter whose builder does not do what it says.
type forger struct {
	plan.Adapter
	forge func(k *sui.Kind)                   // changes what is built
	read  func(plan.StepFacts) plan.StepFacts // changes what is read back; nil means honest
	draft func(d *plan.Step)                  // changes the stages' output; may be nil
	cut   func([]plan.Stage) []plan.Stage     // changes the stages; may be nil
}

func (f forger) Stages(p plan.Plan) []plan.Stage {
	stages := f.Adapter.Stages(p)
	if f.cut != nil {
		return f.cut(stages)
	}
	last := len(stages) - 1
	honest := stages[last].Run
	stages[last].Run = func(ctx context.Context, d *plan.Step) error {
		if err := honest(ctx, d); err != nil {
			return err
		}
		build := d.Append
		d.Append = func(b *plan.Builder) error {
			err := build(b)
			if err == nil && f.forge != nil {
				b.Edit(f.forge)
			}
			return err
		}
		if f.draft != nil {
			f.draft(d)
		}
		return nil
	}
	return stages
}

func (f forger) Read(r *readback.Reader) (plan.StepFacts, error) {
	facts, err := f.Adapter.Read(r)
	if err == nil && f.read != nil {
		facts = f.read(facts)
	}
	return facts, err
}

var thief = sui.MustAddress("0xbad")

// setPure replaces the pure input that a command argument of the swap uses.
// DeepBook's inputs are pool, minimum, clock, recipient, coins, amount.
func setPure(i int, in sui.PureInput) func(*sui.Kind) {
	return func(k *sui.Kind) { k.Inputs[i] = in }
}

func TestGatesCatchABuilder(t *testing.T) {
	cases := []struct {
		name   string
		f      forger
		reason plan.Reason
		check  string
	}{
		{"another recipient", forger{forge: setPure(3, sui.PureAddress(thief))}, plan.WalletMismatch, "cross_check_bytes"},
		{"a lower minimum", forger{forge: setPure(1, sui.PureU64(1))}, plan.AmountMismatch, "cross_check_bytes"},
		{"a larger amount", forger{forge: setPure(4, sui.PureU64(20_000_000_000))}, plan.AmountMismatch, "cross_check_bytes"},
		{"a payment to somebody else besides", forger{forge: func(k *sui.Kind) {
			k.Inputs = append(k.Inputs, sui.PureU64(1_000_000_000), sui.PureAddress(thief))
			n := len(k.Inputs)
			k.Commands = append(k.Commands, sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(n - 2)}})
			k.Commands = append(k.Commands, sui.TransferObjects{
				Objects: []sui.Argument{sui.NestedArg(len(k.Commands)-1, 0)}, Recipient: sui.InputArg(n - 1)})
		}}, plan.WalletMismatch, "cross_check_bytes"},
		{"another recipient, read back as the right one", forger{
			forge: setPure(3, sui.PureAddress(thief)),
			read:  func(f plan.StepFacts) plan.StepFacts { f.Sends = sandbox.Account; return f },
		}, plan.WalletMismatch, "cross_check_bytes"},
		{"a larger amount, read back as the right one", forger{
			forge: setPure(4, sui.PureU64(20_000_000_000)),
			read: func(f plan.StepFacts) plan.StepFacts {
				f.Promise = plan.SwapPromise([]plan.Amount{plan.Asset{Symbol: "SUI", CoinType: sui.SUI,
					Decimals: 9}.Of(10_000_000_000)}, f.Promise.Amount(plan.RoleOutput))
				return f
			},
		}, plan.EffectsMismatch, "cross_check_effects"},
		{"a package that is read back otherwise", forger{
			read: func(f plan.StepFacts) plan.StepFacts { f.Package = thief; return f },
		}, plan.AllowlistViolation, "cross_check_bytes"},
		{"coins that are read back otherwise", forger{
			read: func(f plan.StepFacts) plan.StepFacts { f.TypeArgs = slices.Clone(f.TypeArgs[:1]); return f },
		}, plan.AssetMismatch, "cross_check_bytes"},
		{"a policy with a lower minimum", forger{draft: func(d *plan.Step) { d.Quote.Minimum = d.Quote.Minimum.Of(1) }},
			plan.AmountMismatch, "deepbook_quote_policy_material_binding_failed"},
		{"a policy that wants more", forger{draft: func(d *plan.Step) { d.Needs[0].Amount.Raw *= 2 }},
			plan.AmountMismatch, "deepbook_quote_policy_material_binding_failed"},
		{"a policy about another coin", forger{draft: func(d *plan.Step) { d.Needs[0].Amount.CoinType = "0x7::gem::GEM" }},
			plan.AssetMismatch, "deepbook_quote_policy_material_binding_failed"},
		{"R004-401 no builder", forger{draft: func(d *plan.Step) { d.Append = nil }},
			plan.ProducerStageMissing, "transaction_material_build_or_verify_missing"},
		{"R004-401 a stage is left out", forger{cut: func(s []plan.Stage) []plan.Stage { return s[:2] }},
			plan.ProducerStageMissing, "quote_evidence_fetched_missing"},
		{"stages in another order", forger{cut: func(s []plan.Stage) []plan.Stage { s[1], s[2] = s[2], s[1]; return s }},
			plan.ProducerStageMissing, "pool_resolved_missing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, func(cfg *review.Config) {
				c.f.Adapter = cfg.Adapters[0]
				cfg.Adapters = []plan.Adapter{c.f}
			})
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if s.Status != record.Blocked || s.Reason != c.reason {
				t.Errorf("%s %s", s.Status, s.Reason)
			}
			if s.State.Checks[0].ID != c.check || s.State.Checks[0].Status != plan.CheckFail {
				t.Errorf("worst check %+v", s.State.Checks[0])
			}
			if s.Commitment != "" || s.State.Contract != nil {
				t.Error("something could be signed")
			}
			if s.Reason == plan.ProducerStageMissing && len(s.State.AdapterLifecycle.MissingStages) == 0 {
				t.Error("no stage is named as missing")
			}
		})
	}
}

func TestPipelineOrder(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	if h.Reviews.Progress(s.ID) != nil {
		t.Error("there is progress before anything ran")
	}
	s = h.Compute(s)
	var ids []plan.StageID
	var last time.Time
	for _, p := range h.Reviews.Progress(s.ID) {
		if p.Status != gate.StageDone || p.At.Before(last) {
			t.Errorf("%+v", p)
		}
		ids, last = append(ids, p.ID), p.At
	}
	if diff := cmp.Diff(s.State.AdapterLifecycle.CompletedStages, ids); diff != "" {
		t.Errorf("progress and lifecycle differ:\n%s", diff)
	}
}

func TestNoAdapter(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	h.Use()
	t.Run("R004-403 without an adapter the review says so", func(t *testing.T) {
		if s = h.Compute(s); s.Status != record.Blocked || s.Reason != plan.AdapterNotImplemented {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
}

func TestComputeAtOnce(t *testing.T) {
	ctx := context.Background()
	var asked atomic.Int32
	w := &testkit.Interceptor{Before: func(checks bool) error {
		if checks {
			asked.Add(1)
		}
		return nil
	}}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	h.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "GetEpoch", Milliseconds: 100})
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	results := make(chan record.Session, 8)
	for range cap(results) {
		go func() {
			out, err := h.Reviews.ComputeNow(ctx, s.ID, s.Revision)
			if err != nil {
				out = record.Session{}
			}
			results <- out
		}()
	}
	ready := 0
	for range cap(results) {
		if (<-results).Status == record.Ready {
			ready++
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the pipeline ran %d times", n)
	}
	now, err := h.Reviews.Get(ctx, s.ID)
	if err != nil || now.Status != record.Ready || now.Revision != s.Revision+1 || ready == 0 {
		t.Errorf("%v %s: revision %d after %d, %d callers were told ready", err, now.Status, now.Revision, s.Revision, ready)
	}
}
