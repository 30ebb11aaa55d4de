package transfer_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// A payment without gas from coins is only read if it does nothing else. Any other call, recipient or
// coin is rejected.
func TestGaslessCoins(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	amount := plan.Asset{Symbol: usdc.Symbol, CoinType: usdc.Type, Decimals: usdc.Decimals}.Of(5_000_000)
	account, friend := sui.MustAddress("0xace"), sui.MustAddress(somebody)
	ref := func(n byte) sui.ObjectRef { return sui.ObjectRef{ID: sui.ObjectID{31: n}, Version: 1} }
	build := func(edit func(*sui.Kind)) (plan.StepFacts, error) {
		b := plan.NewBuilder(account, plan.Selection{Coin: usdc.Type, Coins: []sui.ObjectRef{ref(1), ref(2)}})
		b.Gasless = true
		if err := transfer.Append(b, amount, friend); err != nil {
			t.Fatal(err)
		}
		b.Edit(edit)
		k := b.Kind()
		r := readback.New(&sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: account})
		f, err := transfer.New(nil, nil).Read(r)
		if err == nil {
			err = r.End()
		}
		return f, err
	}
	f, err := build(func(*sui.Kind) {})
	said := strings.Join(f.Commands, " ")
	if err != nil || f.Sends != friend || f.Promise.Amount(plan.RoleInput) != amount || f.Function != "coin::send_funds" {
		t.Fatalf("%+v %v", f, err)
	}
	for _, words := range []string{"Merge 1 of your USDC coins", "Put it into the address balance of " + somebody,
		"Put the rest of your USDC coin into your own address balance."} {
		if !strings.Contains(said, words) {
			t.Errorf("%q is not in %q", words, said)
		}
	}
	call := func(k *sui.Kind, fromEnd int, change func(*sui.MoveCall)) {
		at := len(k.Commands) - 1 - fromEnd
		c := k.Commands[at].(sui.MoveCall)
		c.Arguments = append([]sui.Argument{}, c.Arguments...)
		change(&c)
		k.Commands[at] = c
	}
	for name, edit := range map[string]func(*sui.Kind){
		"the rest to somebody else": func(k *sui.Kind) {
			k.Inputs[len(k.Inputs)-1] = sui.PureAddress(sui.MustAddress("0xbad"))
		},
		"the rest left out": func(k *sui.Kind) { k.Commands = k.Commands[:len(k.Commands)-1] },
		"the rest of another coin type": func(k *sui.Kind) {
			call(k, 0, func(c *sui.MoveCall) { c.TypeArgs = []sui.TypeTag{sui.SUI.Tag()} })
		},
		"the amount twice": func(k *sui.Kind) { call(k, 0, func(c *sui.MoveCall) { c.Arguments[0] = sui.NestedArg(1, 0) }) },
		"the rest first":   func(k *sui.Kind) { call(k, 1, func(c *sui.MoveCall) { c.Arguments[0] = sui.InputArg(1) }) },
		"another function": func(k *sui.Kind) { call(k, 0, func(c *sui.MoveCall) { c.Function = "put" }) },
		"another package":  func(k *sui.Kind) { call(k, 1, func(c *sui.MoveCall) { c.Package = sui.MustAddress("0x3") }) },
		"out of the gas coin": func(k *sui.Kind) {
			k.Commands[1] = sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(3)}}
		},
	} {
		if f, err := build(edit); err == nil {
			t.Errorf("%s: read as %v", name, f.Commands)
		}
	}
}
