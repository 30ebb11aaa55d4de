package balancemanager

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// AppendCreate adds the call that creates a manager. The manager is shared, as DeepBook requires, at
// the end of the transaction, so later steps can use it before.
func AppendCreate(b *plan.Builder, pkg sui.ObjectID) {
	made := b.Add(sui.MoveCall{Package: pkg, Module: managed.Module, Function: create})
	b.Make(made, share(pkg, made))
}

// share returns the call that shares a manager.
func share(pkg sui.ObjectID, made sui.Argument) sui.MoveCall {
	return sui.MoveCall{Package: framework, Module: "transfer", Function: "public_share_object",
		TypeArgs: []sui.TypeTag{managed.Type(pkg)}, Arguments: []sui.Argument{made}}
}

// AppendDeposit adds the calls that split off an amount and deposit it.
func AppendDeposit(b *plan.Builder, h deepbook.Holder, what plan.Amount) error {
	at, err := managed.Use(b, h)
	if err != nil {
		return err
	}
	paid, err := b.Fund(what)
	if err != nil {
		return err
	}
	b.Add(sui.MoveCall{Package: h.Package, Module: managed.Module, Function: deposit,
		TypeArgs: []sui.TypeTag{what.CoinType.Tag()}, Arguments: []sui.Argument{at, paid}})
	return nil
}

// AppendWithdraw adds the calls that withdraw amounts and send them to the account.
func AppendWithdraw(b *plan.Builder, h deepbook.Holder, what plan.Amount, more ...plan.Amount) error {
	at, err := managed.Use(b, h)
	if err != nil {
		return err
	}
	all := append([]plan.Amount{what}, more...)
	var raw, out []sui.Argument
	for _, a := range all {
		raw = append(raw, b.Input(sui.PureU64(uint64(a.Raw))))
	}
	var to sui.Argument
	if !b.Passes() {
		to = b.Input(sui.PureAddress(b.Account))
	}
	for n, a := range all {
		out = append(out, b.Add(sui.MoveCall{Package: h.Package, Module: managed.Module, Function: withdraw,
			TypeArgs: []sui.TypeTag{a.CoinType.Tag()}, Arguments: []sui.Argument{at, raw[n]}}))
	}
	if len(more) > 0 || !b.Pass(what.CoinType, out[0]) {
		b.Add(sui.TransferObjects{Objects: out, Recipient: to})
	}
	return nil
}
