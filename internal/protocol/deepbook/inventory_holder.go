package deepbook

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Holder is a balance manager on chain: its owner, and the version at which it was shared, which
// transactions must state. Package is the newest package that DeepBook accepts for managers. If Made is
// above 0, the current transaction creates the manager, as its manager number Made. ID is then a
// placeholder.
type Holder struct {
	ID      sui.ObjectID
	Initial uint64
	Owner   sui.Address
	Package sui.ObjectID
	Made    int
}

// Holder reads a balance manager. It returns fault.InputInvalid if id is not one.
func (i *Inventory) Holder(ctx context.Context, id sui.ObjectID) (Holder, error) {
	version, err := i.manager(ctx, id)
	if err != nil {
		return Holder{}, err
	}
	if version == 0 {
		return Holder{}, fault.New(fault.InputInvalid, "The address %s is not a DeepBook balance manager.", id)
	}
	s, pkg, err := i.simulate(ctx, place{}, func(pkg sui.ObjectID) sui.Kind {
		return managed(registry.Pool{}, 0, sui.SharedInput{ID: id, InitialVersion: version}, pkg, ownerRead)
	})
	if err != nil {
		return Holder{}, err
	}
	v := newValues(s.Returns, 0, 0)
	h := Holder{ID: id, Initial: version, Owner: v.id(), Package: pkg}
	return h, v.end()
}

// Free reads a balance manager's free balance of one coin.
func (i *Inventory) Free(ctx context.Context, h Holder, coin sui.CoinType) (sui.Raw, error) {
	return i.FreeAfter(ctx, nil, h, coin)
}

// FreeAfter is like Free, after a transaction of an account, which may be nil. It ignores the
// transaction's gas.
func (i *Inventory) FreeAfter(ctx context.Context, after *sui.Transaction, h Holder, coin sui.CoinType) (sui.Raw,
	error) {
	if h.Made > 0 {
		return i.freeOfMade(ctx, after, h.Made, coin)
	}
	free, err := i.BalancesAfter(ctx, after, h, []sui.CoinType{coin})
	if err != nil {
		return 0, err
	}
	return free[0], nil
}

// BalancesAfter reads the free balances of several coins after a transaction, in order and in the same
// state of the chain. The manager must exist on chain.
func (i *Inventory) BalancesAfter(ctx context.Context, after *sui.Transaction, h Holder,
	coins []sui.CoinType) ([]sui.Raw,
	error) {
	var reads []managedRead
	for _, coin := range coins {
		reads = append(reads, managedRead{module: "balance_manager", function: "balance",
			coin: func(registry.Pool) sui.CoinType { return coin }})
	}
	ahead := Request{After: after}.ahead()
	s, _, err := i.simulateAfter(ctx, after, place{}, func(pkg sui.ObjectID) sui.Kind {
		return managedAfter(after, registry.Pool{}, 0, sui.SharedInput{ID: h.ID, InitialVersion: h.Initial}, pkg,
			reads...)
	})
	if err != nil {
		return nil, err
	}
	free := make([]sui.Raw, len(coins))
	for n := range free {
		v := newValues(s.Returns, ahead+n, 0)
		free[n] = v.raw()
		if err := v.end(); err != nil {
			return nil, err
		}
	}
	return free, nil
}

// freeOfMade reads the free balance of the manager that the transaction creates as number n. It reads
// before the last commands, which share the created objects.
func (i *Inventory) freeOfMade(ctx context.Context, after *sui.Transaction, n int, coin sui.CoinType) (sui.Raw, error) {
	if after == nil {
		return 0, fault.New(fault.InternalError, "No transaction creates the balance manager to read.")
	}
	first := len(after.Commands)
	for first > 0 && shares(after.Commands[first-1]) {
		first--
	}
	if n > len(after.Commands)-first {
		return 0, fault.New(fault.InternalError, "The transaction creates fewer balance managers than expected.")
	}
	made := after.Commands[first+n-1].(sui.MoveCall).Arguments[0]
	s, _, err := i.simulateAfter(ctx, after, place{}, func(pkg sui.ObjectID) sui.Kind {
		read := sui.MoveCall{Package: pkg, Module: "balance_manager", Function: "balance",
			TypeArgs: []sui.TypeTag{coin.Tag()}, Arguments: []sui.Argument{made}}
		return sui.Kind{Inputs: after.Inputs, Commands: slices.Concat(after.Commands[:first], []sui.Command{read},
			after.Commands[first:])}
	})
	if err != nil {
		return 0, err
	}
	v := newValues(s.Returns, first, 0)
	free := v.raw()
	return free, v.end()
}

// shares reports whether a command shares an object.
func shares(c sui.Command) bool {
	call, ok := c.(sui.MoveCall)
	return ok && call.Module == "transfer" && call.Function == "public_share_object" && len(call.Arguments) == 1
}
