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
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

func lend(amount string) plan.Intent {
	return plan.Intent{Type: "supply", Protocol: "suilend", From: plan.IntentSource{Symbol: "SUI", Amount: amount}}
}

func takeBack(amount string) plan.Intent {
	return plan.Intent{Type: "supply-withdraw", Protocol: "suilend", To: plan.IntentTarget{Symbol: "SUI", Amount: amount}}
}

// of picks an action of a protocol.
func of(h *testkit.Harness, in plan.Intent) plan.Adapter {
	for _, a := range h.Adapters() {
		if m := a.Meta(); m.Action == in.Type && m.Slug == in.Protocol {
			return a
		}
	}
	return nil
}

// TestAskedByOutput: a request that names what arrives leaves to the adapter how much of another
// coin that takes, and nothing else. What arrives is at least the amount asked for, and something.
func TestAskedByOutput(t *testing.T) {
	row := func(edit func(in, out *plan.Bound)) func(*plan.Step) {
		return func(d *plan.Step) {
			o := d.Promise.Outcomes[0]
			o.Bounds = slices.Clone(o.Bounds)
			edit(&o.Bounds[0], &o.Bounds[1])
			d.Promise = plan.Promise{Outcomes: []plan.Outcome{o}}
		}
	}
	unit := big.NewInt(1)
	for _, c := range []struct {
		name, amount string
		draft        func(*plan.Step)
		ready        bool
		at           string // the check that finds it; "" for that of the policy
	}{
		{"a part, as asked", "4", func(*plan.Step) {}, true, ""},
		{"all", "", func(*plan.Step) {}, true, ""},
		{"more receipts than are needed, which the page states", "4", func(d *plan.Step) {
			row(func(in, _ *plan.Bound) { in.Least = new(big.Int).Sub(in.Least, unit) })(d)
			d.Needs[0].Amount.Raw++
			d.Needs[0].Amount = d.Needs[0].Amount.Of(d.Needs[0].Amount.Raw)
		}, false, "cross_check_bytes"},
		{"a unit less", "4", row(func(_, out *plan.Bound) { out.Least = new(big.Int).Sub(out.Least, unit) }), false, ""},
		{"a unit more", "4", row(func(_, out *plan.Bound) { out.Least = new(big.Int).Add(out.Least, unit) }), false, ""},
		{"no more than was asked for", "4", row(func(_, out *plan.Bound) { out.Most = out.Least }), false, ""},
		{"no minimum", "4", row(func(_, out *plan.Bound) { out.Least = nil }), false, ""},
		{"a minimum below zero", "4", row(func(_, out *plan.Bound) { out.Least = new(big.Int).Neg(out.Least) }), false, ""},
		{"all, without a minimum", "", row(func(_, out *plan.Bound) { out.Least = nil }), false, ""},
		{"all, with a minimum of zero", "", row(func(_, out *plan.Bound) { out.Least = new(big.Int) }), false, ""},
		{"all, with a minimum below zero", "", row(func(_, out *plan.Bound) { out.Least = new(big.Int).Neg(out.Least) }),
			false, ""},
		{"all, and nothing arrives", "", func(d *plan.Step) {
			d.Promise = plan.Promise{Outcomes: []plan.Outcome{{Bounds: d.Promise.Outcomes[0].Bounds[:1]}}}
		}, false, ""},
		{"another coin pays", "4", func(d *plan.Step) {
			row(func(in, _ *plan.Bound) { in.Coin = plan.SUI })(d)
			d.Needs[0].Amount = plan.SUI.Of(d.Needs[0].Amount.Raw)
		}, false, ""},
		{"a second coin pays", "4", func(d *plan.Step) {
			o := d.Promise.Outcomes[0]
			o.Bounds = append(slices.Clone(o.Bounds), plan.Leaves(plan.RoleInput, plan.SUI.Of(5)))
			d.Promise = plan.Promise{Outcomes: []plan.Outcome{o}}
			d.Needs = append(d.Needs, plan.CoinRequest{Role: plan.RoleInput, Amount: plan.SUI.Of(5)})
		}, false, ""},
		{"nothing pays", "4", func(d *plan.Step) {
			row(func(in, _ *plan.Bound) { in.Least = new(big.Int) })(d)
			d.Needs = nil
		}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			if done := h.Settle(h.Ready(lend("10"))); done.Status != record.Success {
				t.Fatal(done.Status)
			}
			in := takeBack(c.amount)
			h.Use(forger{Adapter: of(h, in), draft: c.draft})
			s := h.Compute(h.Open(in))
			if (s.Status == record.Ready) != c.ready || !c.ready && (s.Status != record.Blocked || s.Commitment != "") {
				t.Errorf("%s, %+v", s.Status, s.State.Checks[0])
			}
			// Nothing is built of a policy that is not the request's.
			if worst := s.State.Checks[0].ID; !c.ready && c.at == "" && !strings.HasSuffix(worst, "_material_binding_failed") ||
				c.at != "" && worst != c.at {
				t.Errorf("it is found by %s", worst)
			}
		})
	}
}

// describing answers for the metadata of one coin; nil: there is none.
type describing struct {
	node.Chain
	coin string // a part of its type
	as   *sui.Metadata
}

func (d describing) Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error) {
	switch {
	case !strings.Contains(string(coin), d.coin):
		return d.Chain.Metadata(ctx, coin)
	case d.as == nil:
		return sui.Metadata{}, fault.New(fault.ProviderRefused, "There is none.").With("code", "NotFound")
	}
	m := *d.as
	m.Type = coin
	return m, nil
}

// TestUndescribedCoins: a coin may lack metadata only if the adapter knows that it has none. What
// a node then tells of it is compared all the same.
func TestUndescribedCoins(t *testing.T) {
	for _, c := range []struct {
		name  string
		node  describing
		draft func(*plan.Step)
		ready bool
	}{
		{"a receipt without metadata", describing{coin: "CToken"}, nil, true},
		{"a receipt with the pinned decimals", describing{coin: "CToken", as: &sui.Metadata{Decimals: 9, Symbol: "cSUI"}}, nil,
			true},
		{"a receipt with other decimals", describing{coin: "CToken", as: &sui.Metadata{Decimals: 6, Symbol: "cSUI"}}, nil,
			false},
		{"a receipt with a deceptive symbol", describing{coin: "CToken", as: &sui.Metadata{Decimals: 9,
			Symbol: "c\u202eSUI"}}, nil, false},
		{"a receipt that the adapter does not know as such", describing{coin: "CToken"}, func(d *plan.Step) { d.Bare = nil },
			false},
		{"another coin without metadata", describing{coin: "::sui::SUI"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, func(r *review.Config) {
				c.node.Chain = r.Chain
				r.Chain = c.node
			})
			if c.draft != nil {
				h.Use(forger{Adapter: of(h, lend("10")), draft: c.draft})
			}
			s := h.Compute(h.Open(lend("10")))
			if (s.Status == record.Ready) != c.ready {
				t.Errorf("%s, %+v", s.Status, s.State.Checks[0])
			}
		})
	}
}
