package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// inDeep returns an intent with its fee in a second coin.
func inDeep() plan.Intent {
	in := testkit.Swap("10", "SUI", "USDC")
	in.FeeMode = "deep"
	return in
}

// Node reports about the fee's coin are checked like others.
func TestLyingAboutTheFee(t *testing.T) {
	deep := func(f func(*sui.BalanceChange)) func(*sui.Simulation) {
		return func(s *sui.Simulation) {
			for i := range s.Balances {
				if s.Balances[i].Coin == coins.DEEP && s.Balances[i].Owner == sandbox.Account {
					f(&s.Balances[i])
				}
			}
		}
	}
	for _, c := range []struct {
		name string
		lie  func(*sui.Simulation)
		says string // "" for a review that becomes ready
	}{
		{"the truth", func(*sui.Simulation) {}, ""},
		{"nothing leaves for the fee", deep(func(c *sui.BalanceChange) { c.Amount.Amount = 0 }), ""},
		{"all that was attached leaves", deep(func(c *sui.BalanceChange) { c.Amount.Amount += c.Amount.Amount / 20 }), ""},
		{"twice as much leaves", deep(func(c *sui.BalanceChange) { c.Amount.Amount *= 2 }), "more DEEP leaves for the fee"},
		{"somebody else gets it", deep(func(c *sui.BalanceChange) {
			c.Owner, c.Amount.Negative = sui.MustAddress("0xb0b"),
				false
		}), "someone gains a coin"},
		{"a third coin leaves", func(s *sui.Simulation) {
			s.Balances = append(s.Balances, sui.BalanceChange{Owner: sandbox.Account, Coin: "0x7::gem::GEM",
				Amount: sui.Delta{Negative: true, Amount: 1}})
		}, "also loses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &testkit.Interceptor{After: c.lie}
			h := testkit.Start(t, time.Now, func(cfg *review.Config) { w.Simulator, cfg.Simulator = cfg.Simulator, w })
			s := h.Compute(h.Open(inDeep()))
			if c.says == "" {
				if s.Status != record.Ready {
					t.Errorf("%s %+v", s.Status, s.State.Checks[0])
				}
				return
			}
			if worst := s.State.Checks[0]; s.Reason != plan.EffectsMismatch || worst.ID != "cross_check_effects" ||
				!strings.Contains(worst.Message, c.says) {
				t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
			}
		})
	}
	t.Run("its coin is of another kind", func(t *testing.T) {
		edit := func(list []sui.Object) {
			for i := range list {
				if list[i].Type == coins.DEEP.Object() {
					list[i].Type = sui.CoinType("0x7::gem::GEM").Object()
				}
			}
		}
		h := testkit.Start(t, time.Now, func(cfg *review.Config) { cfg.Chain = pockets{Chain: cfg.Chain, objects: edit} })
		s := h.Compute(h.Open(inDeep()))
		if s.Reason != plan.AssetMismatch || s.State.Checks[0].ID != "transaction_object_ownership_unverified" {
			t.Errorf("%s %+v", s.Reason, s.State.Checks[0])
		}
	})
}

// edited is an adapter whose draft is changed after its last stage.
type edited struct {
	plan.Adapter
	edit func(*plan.Step)
}

func (e edited) Stages(p plan.Plan) []plan.Stage {
	stages := e.Adapter.Stages(p)
	last := &stages[len(stages)-1]
	run := last.Run
	last.Run = func(ctx context.Context, d *plan.Step) error {
		err := run(ctx, d)
		e.edit(d)
		return err
	}
	return stages
}

// The second coin is only for the fee; whatever an adapter does with it is checked.
func TestFeePolicy(t *testing.T) {
	fee := func(a plan.Amount) func(*plan.Step) {
		return func(d *plan.Step) {
			d.Needs = append(d.Needs[:1:1], plan.CoinRequest{Role: plan.RoleFee, Amount: a, Otherwise: "Do something else."})
			d.Promise = plan.SwapPromise([]plan.Amount{d.Needs[0].Amount, a}, d.Quote.Minimum)
		}
	}
	coin := func(symbol string) plan.Asset {
		c, _ := coins.BySymbol(symbol)
		return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	}
	for _, c := range []struct {
		name string
		in   plan.Intent
		edit func(*plan.Step)
	}{
		{"paid in gas", inDeep(), fee(coin("SUI").Of(1000))},
		{"paid in what is bought", inDeep(), fee(coin("USDC").Of(1000))},
		{"paid in a coin that the quote does not name", inDeep(), fee(coin("WAL").Of(1_000_000_000))},
		{"less than the quote requires", inDeep(), fee(coin("DEEP").Of(1))},
		{"nothing at all", inDeep(), func(d *plan.Step) { d.Quote.Fee.Raw = 0; fee(d.Quote.Fee.Of(0))(d) }},
		{"although it was asked to come out of the input", testkit.Swap("10", "SUI", "USDC"), func(d *plan.Step) {
			d.Quote.Fee = coin("DEEP").Of(10)
			fee(coin("DEEP").Of(1000))(d)
		}},
		{"although no second coin was wanted, the quote says so", inDeep(), func(d *plan.Step) {
			d.Needs = d.Needs[:1]
			d.Promise = plan.SwapPromise([]plan.Amount{d.Needs[0].Amount}, d.Quote.Minimum)
		}},
		{"another mode in the quote", inDeep(), func(d *plan.Step) { d.Quote.FeeMode = "input" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Use(edited{swap.New(h.Pools), c.edit})
			s := h.Compute(h.Open(c.in))
			if s.Status != record.Blocked || s.Reason != plan.AmountMismatch ||
				s.State.Checks[0].ID != "deepbook_quote_policy_material_binding_failed" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
	t.Run("R004-410 an adapter that builds something else than its policy is found out", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Use(edited{swap.New(h.Pools), func(d *plan.Step) {
			build, agreed := d.Append, d.Promise
			d.Append = func(b *plan.Builder) error {
				defer func() { d.Promise = agreed }()
				fee := agreed.Amount(plan.RoleFee)
				d.Promise = plan.SwapPromise([]plan.Amount{agreed.Amount(plan.RoleInput), fee.Of(fee.Raw * 10)}, d.Quote.Minimum)
				return build(b)
			}
		}})
		s := h.Compute(h.Open(inDeep()))
		if s.Status != record.Blocked || s.State.Checks[0].ID != "cross_check_bytes" {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
}
