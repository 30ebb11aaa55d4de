package deepbook

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// readsAtOnce is the number of accounts that are read concurrently.
const readsAtOnce = 8

// Accounts reads what a balance manager holds in every pinned pool, in the registry's order. One
// simulated transaction finds the pools in which the manager has an account. Each account is then read
// separately. at is when this machine received the first response. It returns fault.InputInvalid if
// manager is not a balance manager.
func (i *Inventory) Accounts(ctx context.Context, manager sui.ObjectID) (found []PoolAccount, at time.Time, err error) {
	return i.AccountsAfter(ctx, nil, manager)
}

// AccountsAfter is like Accounts, after a transaction of an account, ignoring its gas. The transaction
// may be nil.
func (i *Inventory) AccountsAfter(ctx context.Context, after *sui.Transaction,
	manager sui.ObjectID) (found []PoolAccount,
	at time.Time, err error) {
	pools, at, err := i.poolsOf(ctx, manager)
	if err != nil {
		return nil, at, err
	}
	found, errs := make([]PoolAccount, len(pools)), make([]error, len(pools))
	var reading sync.WaitGroup
	free := make(chan struct{}, readsAtOnce)
	for n, p := range pools {
		reading.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			defer fault.Recover(&errs[n])
			found[n], errs[n] = i.accountAfter(ctx, after, p.Key, manager)
		})
	}
	reading.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, at, err
		}
	}
	return found, at, nil
}

// poolsOf returns the pinned pools in which a manager has an account.
func (i *Inventory) poolsOf(ctx context.Context, manager sui.ObjectID) (own []registry.Pool, at time.Time, err error) {
	in := sui.SharedInput{ID: manager}
	if in.InitialVersion, err = i.manager(ctx, manager); err != nil {
		return nil, at, err
	}
	if in.InitialVersion == 0 {
		return nil, at, fault.New(fault.InputInvalid, "The address %s is not a DeepBook balance manager.", manager)
	}
	pools := registry.Pools()
	versions := make([]uint64, len(pools))
	for n, p := range pools {
		if versions[n], err = i.reader.sharedVersion(ctx, p); err != nil {
			return nil, at, err
		}
	}
	s, _, err := i.simulate(ctx, packageDisabled, func(pkg sui.ObjectID) sui.Kind {
		k := sui.Kind{Inputs: []sui.Input{in}}
		for n, p := range pools {
			one := managed(p, versions[n], in, pkg, existsRead)
			call := one.Commands[0].(sui.MoveCall)
			k.Inputs = append(k.Inputs, one.Inputs[0])
			call.Arguments = []sui.Argument{sui.InputArg(len(k.Inputs) - 1), sui.InputArg(0)}
			k.Commands = append(k.Commands, call)
		}
		return k
	})
	if err != nil {
		return nil, at, err
	}
	for n, p := range pools {
		exists := newValues(s.Returns, n, 0)
		if has := exists.flag(); exists.end() != nil {
			return nil, at, misshapenValue()
		} else if has {
			own = append(own, p)
		}
	}
	return own, s.At, nil
}
