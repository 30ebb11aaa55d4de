package material_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/gate"
)

// adding is a node whose simulations add a gain for some account.
type adding struct{ material.Chain }

func (n adding) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	s, err := n.Chain.SimulateBytes(ctx, b, checks)
	s.Balances = append(s.Balances, sui.BalanceChange{Owner: sui.MustAddress("0xbad"), Coin: sui.SUI,
		Amount: sui.Delta{Amount: 1}})
	return s, err
}

// A member decodes the same facts that the maker of the transaction saw.
func TestReadForMembers(t *testing.T) {
	long.Skip(t, "each transaction needs a chain of its own")
	pay := func(amount string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount},
			Recipient: friend.String()}
	}
	for name, in := range map[string]plan.Intent{
		"a payment":        pay("1.5"),
		"a swap":           testkit.Swap("10", "SUI", "USDC"),
		"several payments": {Type: plan.Bundle, Steps: []plan.Intent{pay("1"), pay("2"), pay("3")}},
		"swap, then pay":   {Type: plan.Bundle, Steps: []plan.Intent{testkit.Swap("10", "SUI", "USDC"), pay("1")}},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Connect(sandbox.Account)
			s := h.Ready(in)
			raw := h.HandOff(s).Bytes.Bytes()
			tx, err := sui.DecodeTransaction(raw)
			if err != nil {
				t.Fatal(err)
			}
			c := material.Config{Chain: h.Node, Network: testkit.Network, Adapters: h.Adapters(),
				MostGas: gate.DefaultLimits().MostGasBudget,
				Called:  func(sui.ObjectID) bool { return true }}
			r, err := material.New(c).Read(t.Context(), sandbox.Account, s.ChainID, tx, raw)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Facts.Steps {
				r.Facts.Steps[i].Expected = s.Facts.Steps[i].Expected // of a quote, which is in no bytes
			}
			if !record.SameJSON(r.Facts, *s.Facts) {
				t.Errorf("read is\n%+v\nshown was\n%+v", r.Facts, *s.Facts)
			}
			refused := func(what, word string, c material.Config, account sui.Address, chain string) {
				t.Helper()
				_, err := material.New(c).Read(t.Context(), account, chain, tx, raw)
				if r := (*material.Refused)(nil); !errors.As(err, &r) || r.Word != word {
					t.Errorf("%s: %v, want %s", what, err, word)
				}
			}
			refused("another account", material.WrongSender, c, friend, s.ChainID)
			refused("another chain", material.WrongNetwork, c, sandbox.Account, "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S")
			other := c
			other.Called = func(id sui.ObjectID) bool { return false }
			if in.Type == "swap" {
				refused("a package that is not known", material.NotAllowed, other, sandbox.Account, s.ChainID)
			}
			other = c
			other.Chain = adding{c.Chain}
			refused("somebody gains in the simulation", material.Effects, other, sandbox.Account, s.ChainID)
			other = c
			other.Adapters = nil
			refused("what nobody reads", material.Unsupported, other, sandbox.Account, s.ChainID)
		})
	}
}
