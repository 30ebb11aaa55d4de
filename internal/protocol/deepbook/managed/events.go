package managed

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// FromEvents reads the actions of one kind that the events of a transaction report,
// as in FromEvents(events, account, deepbook.Actions.Orders, describe), where
// describe returns what a step of that kind must be. One that is none is left to other
// steps: an event that no step accounts for is told there.
func FromEvents[T any](events []sui.Event, account sui.Address, of func(deepbook.Actions) ([]T, error), describe func(T) (plan.Action, error)) (plan.Reported, error) {
	all, err := ReadActions(events, account)
	if err != nil {
		return plan.Reported{}, err
	}
	if _, err := all.Orders(); err != nil {
		return plan.Reported{}, err // events of orders contradict each other
	}
	list, err := of(all)
	if err != nil {
		return plan.Reported{}, err
	}
	reported := plan.Reported{All: all.At()}
	var strange error
	for _, one := range list {
		action, err := describe(one)
		if err != nil {
			strange = err
			continue
		}
		reported.Actions = append(reported.Actions, action)
	}
	if len(reported.Actions) == 0 && strange != nil {
		return plan.Reported{}, strange
	}
	return reported, nil
}

// EventPool returns the pinned pool that an event names.
func EventPool(id sui.ObjectID) (registry.Pool, error) {
	if pool, ok := registry.PoolByID(id); ok {
		return pool, nil
	}
	return registry.Pool{}, readback.Unlike("DeepBook’s events tell of a market that is not pinned.")
}

// Moved says which amount goes into a manager or comes out of it.
func Moved(manager sui.ObjectID, in bool, a plan.Amount) []plan.Term {
	name := TermOut
	if in {
		name = TermIn
	}
	return []plan.Term{Term(manager), {Name: name, Value: a.String()}}
}

// MovesFromEvents reads the deposits, or the withdrawals, that events report.
func MovesFromEvents(events []sui.Event, account sui.Address, in bool) (plan.Reported, error) {
	return FromEvents(events, account, func(all deepbook.Actions) (list []deepbook.BalanceMove, err error) {
		for _, m := range all.Moves {
			if m.In == in {
				list = append(list, m)
			}
		}
		return list, nil
	}, func(m deepbook.BalanceMove) (plan.Action, error) {
		coin, ok := coins.ByType(m.Coin)
		if !ok {
			return plan.Action{}, readback.Unlike("DeepBook’s events tell of a coin that is not pinned.")
		}
		change := new(big.Int).SetUint64(uint64(m.Amount))
		if !m.In {
			change.Neg(change)
		}
		return plan.Action{Events: []int{m.At}, Terms: Moved(m.Manager, m.In, Asset(coin).Of(m.Amount)),
			Changes: []plan.Change{{Party: Party(m.Manager), Coin: coin.Type, Amount: change}}}, nil
	})
}
