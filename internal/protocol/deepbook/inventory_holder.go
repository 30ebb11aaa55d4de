package deepbook

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Holder is a balance manager as the chain tells it: who owns it, and the
// version at which it was shared, by which transactions name it. Package is the
// newest package that DeepBook admits for managers.
type Holder struct {
	ID      sui.ObjectID
	Initial uint64
	Owner   sui.Address
	Package sui.ObjectID
}

// Holder reads a balance manager. One that is none is fault.InputInvalid.
func (i *Inventory) Holder(ctx context.Context, id sui.ObjectID) (Holder, error) {
	version, err := i.manager(ctx, id)
	if err != nil {
		return Holder{}, err
	}
	if version == 0 {
		return Holder{}, fault.New(fault.InputInvalid, "The address %s is no DeepBook balance manager.", id)
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

// Free reads how much of one coin lies in a balance manager, tied to nothing.
func (i *Inventory) Free(ctx context.Context, h Holder, coin sui.CoinType) (sui.Raw, error) {
	return i.FreeAfter(ctx, nil, h, coin)
}

// FreeAfter reads it as a transaction of an account, without its gas, would leave it; nil
// for none.
func (i *Inventory) FreeAfter(ctx context.Context, after *sui.Transaction, h Holder, coin sui.CoinType) (sui.Raw,
	error) {
	of := managedRead{module: "balance_manager", function: "balance", coin: func(registry.Pool) sui.CoinType { return coin }}
	ahead := Request{After: after}.ahead()
	s, _, err := i.simulateAfter(ctx, after, place{}, func(pkg sui.ObjectID) sui.Kind {
		return managedAfter(after, registry.Pool{}, 0, sui.SharedInput{ID: h.ID, InitialVersion: h.Initial}, pkg, of)
	})
	if err != nil {
		return 0, err
	}
	v := newValues(s.Returns, ahead, 0)
	n := v.raw()
	return n, v.end()
}
