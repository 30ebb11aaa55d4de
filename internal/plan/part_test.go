package plan_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

func TestParts(t *testing.T) {
	c, _ := coins.BySymbol("USDC")
	usdc := plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	alice, bob := plan.AddressParty(sui.MustAddress("0xa11ce")), plan.AddressParty(sui.MustAddress("0xb0b"))
	pay := func(to plan.Party, n sui.Raw) *plan.Step {
		return &plan.Step{Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "sent", Bounds: []plan.Bound{
			plan.Moves(plan.RoleInput, plan.Party{}, usdc.Of(n), true), plan.Moves(plan.RolePayment, to, usdc.Of(n), false)}}}}}
	}
	taking := func(shares ...string) (parts []plan.Promise, sum plan.Promise, err error) {
		in := plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{{Type: "swap"}}}
		for _, share := range shares {
			in.Steps = append(in.Steps, plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1,
				Share: share}})
		}
		swap := &plan.Step{Promise: plan.SwapPromise([]plan.Amount{plan.SUI.Of(10)}, usdc.Of(31))}
		feeds, err := swap.Divide(in.Feeds(1))
		if err != nil {
			return nil, sum, err
		}
		swap.Gives(1, feeds)
		parts = append(parts, swap.Promise)
		for i, f := range feeds {
			s := pay([]plan.Party{alice, bob}[i], f.Least.Raw)
			s.Takes(f)
			parts = append(parts, s.Promise)
		}
		sum, err = plan.Sum(parts...)
		return parts, sum, err
	}
	row := func(p plan.Promise, of plan.Party) plan.Bound {
		for _, b := range p.Bounds() {
			if b.Party == of && b.Coin == usdc {
				return b
			}
		}
		return plan.Bound{}
	}
	t.Run("a share is a fixed amount, and the rest arrives", func(t *testing.T) {
		_, sum, err := taking("1/2")
		if err != nil || len(sum.Outcomes) != 1 {
			t.Fatalf("%v %+v", err, sum)
		}
		if b := row(sum, alice); !b.Exact() || b.Least.Int64() != 15 {
			t.Errorf("%+v", b)
		}
		if b := row(sum, plan.Party{}); b.Least.Int64() != 16 || b.Most != nil {
			t.Errorf("%+v", b)
		}
	})
	t.Run("shares that are all of it leave the rest to the last step", func(t *testing.T) {
		_, sum, err := taking("25%", "75%")
		if err != nil {
			t.Fatal(err)
		}
		if a, b := row(sum, alice), row(sum, bob); !a.Exact() || a.Least.Int64() != 7 || b.Least.Int64() != 24 ||
			b.Most != nil || row(sum, plan.Party{}).Least != nil {
			t.Errorf("%+v %+v", a, b)
		}
	})
	t.Run("a part that is taken twice, or by nobody", func(t *testing.T) {
		parts, _, _ := taking("1/2", "1/4")
		for _, list := range [][]plan.Promise{{parts[0], parts[1]}, {parts[0], parts[1], parts[1]}, {parts[0], parts[1],
			parts[2], parts[2]}} {
			if p, err := plan.Sum(list...); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%+v %v", p, err)
			}
		}
	})
	t.Run("a share of nothing", func(t *testing.T) {
		if _, _, err := taking("1/40"); !fault.Is(err, fault.InputInvalid) {
			t.Error(err)
		}
	})
	t.Run("what an outcome cannot be divided into does not happen", func(t *testing.T) {
		parts, _, _ := taking("1/2")
		if len(parts[0].Outcomes) != 1 || parts[0].Whole() != usdc.Of(31) {
			t.Errorf("%+v", parts[0])
		}
	})
	t.Run("shares are read exactly", func(t *testing.T) {
		for text, want := range map[string]string{"all": "1/1", "1/2": "1/2", "25%": "1/4", "0.0001%": "1/1000000",
			"100%": "1/1",
			"":     "", "0%": "", "101%": "", "3/2": "", "1/0": "", "-1/2": "", "half": "", "0.5": "", " 1/2": ""} {
			if got, ok := plan.ReadShare(text); ok != (want != "") || ok && got.String() != want {
				t.Errorf("%q: %v %v", text, got, ok)
			}
		}
	})
}

// Parts split from a result in the bytes must match the step's result.
func TestReadFactsOfParts(t *testing.T) {
	c, _ := coins.BySymbol("USDC")
	usdc := plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	read := func(got plan.Asset, amounts ...uint64) (plan.Facts, error) {
		out := sui.ResultArg(0)
		tx := &sui.Transaction{Commands: []sui.Command{sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin",
			Function: "zero"}}}
		split := sui.SplitCoins{Coin: out}
		for i, n := range amounts {
			tx.Inputs, split.Amounts = append(tx.Inputs, sui.PureU64(n)), append(split.Amounts, sui.InputArg(i))
		}
		tx.Inputs = append(tx.Inputs, sui.PureAddress(sui.MustAddress("0x7")))
		tx.Commands = append(tx.Commands, split, sui.TransferObjects{Objects: []sui.Argument{out},
			Recipient: sui.InputArg(len(amounts))})
		adapters := []plan.Adapter{stepReader{read: func(r *readback.Reader) (plan.StepFacts, error) {
			r.Next()
			_, err := r.SentOrKept(readback.Result{Value: out, Coin: c.Type, Least: 30}, out)
			return plan.StepFacts{Commands: []string{"Make it.", "Send it."},
				Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done", Bounds: []plan.Bound{
					plan.Arrives(got.Of(30))}}}}}, err
		}}}
		for range amounts {
			call := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "f",
				Arguments: []sui.Argument{sui.NestedArg(1, len(adapters)-1)}}
			tx.Commands = append(tx.Commands, call)
			adapters = append(adapters, stepReader{read: func(r *readback.Reader) (plan.StepFacts, error) {
				f, err := r.Funded()
				r.Next()
				return plan.StepFacts{Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done", Bounds: []plan.Bound{
					plan.Moves(plan.RoleInput, plan.Party{}, usdc.Of(f.Amount), true)}}}}}, err
			}})
		}
		return plan.ReadFacts(tx, adapters)
	}
	f, err := read(usdc, 10, 5)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Steps[0]; s.Passes || s.Promise.Whole() != usdc.Of(30) || s.Promise.Amount(plan.RoleOutput) != usdc.Of(15) ||
		len(s.Commands) != 4 || s.Commands[3] != "Send it." {
		t.Errorf("%+v", s)
	}
	if a, b := f.Steps[1], f.Steps[2]; a.Part != 1 || b.Part != 2 || a.Promise.Bounds()[0].Party != plan.ResultParty(1,
		1) || b.ResultOf != 1 {
		t.Errorf("%+v %+v", a, b)
	}
	if _, err := read(plan.SUI, 10); err == nil {
		t.Error("it splits another coin than the step results in")
	}
	for _, amounts := range [][]uint64{{30}, {10, 20}, {0}, {31}, {1 << 63, 1 << 63}} {
		if _, err := read(usdc, amounts...); err == nil {
			t.Errorf("%v of 30 are split off", amounts)
		}
	}
}
