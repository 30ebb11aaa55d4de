package swap_test

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// build returns a valid transaction that swaps 10 SUI, or 25 USDC from two coins.
func build(t *testing.T, gas bool) *sui.Transaction {
	t.Helper()
	pool, ok := registry.PoolByKey("SUI_USDC")
	if !ok {
		t.Fatal("no pool")
	}
	c := swap.Call{Package: registry.Packages()[0].ID, Pool: pool, SharedVersion: pool.InitialSharedVersion,
		Direction: registry.BaseToQuote, MinOut: 30_000_000}
	s, paid := plan.Selection{Coin: pool.Base.Type, Gas: gas}, sui.Raw(10_000_000_000)
	if !gas {
		c.Direction, s.Coin, paid = registry.QuoteToBase, pool.Quote.Type, 25_000_000
		s.Coins = []sui.ObjectRef{{ID: sui.MustAddress("0xc1")}, {ID: sui.MustAddress("0xc2")}}
	}
	account := sui.MustAddress("0xa")
	k := testkit.Build(t, account, func(b *plan.Builder) error {
		return swap.Append(b, c, plan.Asset{Symbol: "X", CoinType: s.Coin}.Of(paid))
	}, s)
	return &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: account, Expiration: sui.NoExpiration{}}
}

// change edits command i of a transaction as a T.
func change[T sui.Command](i int, f func(c *T)) func(*sui.Transaction) {
	return func(tx *sui.Transaction) {
		c := tx.Commands[i].(T)
		f(&c)
		tx.Commands[i] = c
	}
}

func TestReadRefuses(t *testing.T) {
	other := sui.MustAddress("0xbad")
	type call = sui.MoveCall
	cases := []struct {
		name string
		gas  bool // which of the two valid transactions is changed
		edit func(*sui.Transaction)
	}{
		{"an input that nothing uses", true, func(tx *sui.Transaction) { tx.Inputs = append(tx.Inputs, sui.PureU64(1)) }},
		{"no command", true, func(tx *sui.Transaction) { tx.Commands = nil }},
		{"one command more", true, func(tx *sui.Transaction) { tx.Commands = append(tx.Commands, tx.Commands[1]) }},
		{"one command less", true, func(tx *sui.Transaction) { tx.Commands = tx.Commands[:3] }},
		{"a package that is not pinned", true, change(2, func(c *call) { c.Package = other })},
		{"another module", true, change(2, func(c *call) { c.Module = "order" })},
		{"another function", true, change(2, func(c *call) { c.Function = "swap_exact_quantity" })},
		{"the other direction", true, change(2, func(c *call) { c.Function = "swap_exact_quote_for_base" })},
		{"other coins", true, change(2, func(c *call) { slices.Reverse(c.TypeArgs) })},
		{"an argument less", true, change(2, func(c *call) { c.Arguments = c.Arguments[:4] })},
		{"another coin as the one that is paid", true, change(2, func(c *call) { c.Arguments[1] = sui.GasCoin })},
		{"another coin for the fee", true, change(2, func(c *call) { c.Arguments[2] = sui.NestedArg(0, 0) })},
		{"a pool that is not pinned", true, func(tx *sui.Transaction) {
			tx.Inputs[0] = sui.SharedInput{ID: other,
				Mutable: true}
		}},
		{"a pool that is only read", true, func(tx *sui.Transaction) {
			in := tx.Inputs[0].(sui.SharedInput)
			in.Mutable = false
			tx.Inputs[0] = in
		}},
		{"another clock", true, func(tx *sui.Transaction) { tx.Inputs[2] = sui.SharedInput{ID: other, InitialVersion: 1} }},
		{"a minimum that is no u64", true, func(tx *sui.Transaction) { tx.Inputs[1] = sui.PureInput{Bytes: []byte{1}} }},
		{"a recipient that is no address", true,
			func(tx *sui.Transaction) { tx.Inputs[3] = sui.PureInput{Bytes: []byte{1}} }},
		{"two amounts", true, change(0, func(c *sui.SplitCoins) { c.Amounts = append(c.Amounts, c.Amounts[0]) })},
		{"an amount that is another result", true, change(0, func(c *sui.SplitCoins) { c.Amounts[0] = sui.ResultArg(0) })},
		{"SUI from a coin that does not pay for gas", true, func(tx *sui.Transaction) {
			tx.Inputs = append(tx.Inputs, sui.OwnedInput{})
			change(0, func(c *sui.SplitCoins) { c.Coin = sui.InputArg(len(tx.Inputs) - 1) })(tx)
		}},
		{"another coin made empty", true, change(1, func(c *call) { c.TypeArgs[0] = sui.SUI.Tag() })},
		{"a coin that is not empty", true, change(1, func(c *call) { c.Function = "from_balance" })},
		{"only two of three results sent", true, change(3, func(c *sui.TransferObjects) { c.Objects = c.Objects[:2] })},
		{"a result sent twice", true, change(3, func(c *sui.TransferObjects) { c.Objects[2] = c.Objects[1] })},
		{"USDC split from the gas coin", false, func(tx *sui.Transaction) {
			change(0, func(c *sui.MergeCoins) { c.Into = sui.GasCoin })(tx)
			change(1, func(c *sui.SplitCoins) { c.Coin = sui.GasCoin })(tx)
		}},
		{"merged into another coin than the one that is split", false,
			change(0, func(c *sui.MergeCoins) { c.Into = c.Sources[0] })},
		{"merged into the gas coin besides", false, change(0, func(c *sui.MergeCoins) { c.Into = sui.GasCoin })},
		{"the same coin twice", false, change(0, func(c *sui.MergeCoins) { c.Sources[0] = c.Into })},
		{"a coin merged twice", false, change(0, func(c *sui.MergeCoins) { c.Sources = append(c.Sources, c.Sources[0]) })},
		{"something merged that is no coin", false, change(0, func(c *sui.MergeCoins) { c.Sources[0] = sui.InputArg(0) })},
		{"nothing merged", false, change(0, func(c *sui.MergeCoins) { c.Sources = nil })},
	}
	adapter := swap.New(nil)
	for _, gas := range []bool{true, false} {
		if _, err := testkit.Read(adapter, build(t, gas)); err != nil {
			t.Fatalf("a good transaction is refused: %v", err)
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tx := build(t, c.gas)
			c.edit(tx)
			if facts, err := testkit.Read(adapter, tx); err == nil {
				t.Errorf("read as %+v", facts)
			}
		})
	}
}
