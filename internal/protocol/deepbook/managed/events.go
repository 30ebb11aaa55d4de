package managed

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// FromEvents reads actions of one kind from a transaction's events. of selects the actions, and
// describe returns the expected action of a step. All reported DeepBook events must be claimed by some
// step, so the indexes of all of them are returned.
func FromEvents[T any](events []sui.Event, account sui.Address, of func(deepbook.Actions) ([]T, error),
	describe func(T) (plan.Action, error)) (plan.Reported, error) {
	all, err := ReadActions(events, account)
	if err != nil {
		return plan.Reported{}, err
	}
	if _, err := all.Orders(); err != nil {
		return plan.Reported{}, err // the events of an order contradict each other
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
	return registry.Pool{}, readback.Unlike("DeepBook’s events name a market that is not pinned.")
}

// Moved returns the terms that state which amounts enter or leave a manager.
func Moved(manager sui.ObjectID, in bool, list ...plan.Amount) []plan.Term {
	name := TermOut
	if in {
		name = TermIn
	}
	var texts []string
	for _, a := range list {
		texts = append(texts, a.String())
	}
	return []plan.Term{Term(manager), {Name: name, Value: strings.Join(texts, ", ")}}
}

// MovesFromEvents reads deposits or withdrawals from events. Each one is an action. With together set,
// each run of consecutive ones for the same manager is an action too, because one step can withdraw
// several coins. Which of the actions is expected depends on the step.
func MovesFromEvents(events []sui.Event, account sui.Address, in, together bool) (plan.Reported, error) {
	of := func(all deepbook.Actions) (runs [][]deepbook.BalanceMove, err error) {
		var moves []deepbook.BalanceMove
		for _, m := range all.Moves {
			if m.In == in {
				moves = append(moves, m)
			}
		}
		for from, m := range moves {
			runs = append(runs, moves[from:from+1])
			to := from + 1
			for ; together && to < len(moves) && moves[to].Manager == m.Manager; to++ {
				runs = append(runs, moves[from:to+1])
			}
		}
		return runs, nil
	}
	return FromEvents(events, account, of, moveAction)
}

// moveAction returns the expected action of a step that deposits or withdraws these amounts.
func moveAction(run []deepbook.BalanceMove) (action plan.Action, err error) {
	var list []plan.Amount
	for _, m := range run {
		coin, ok := coins.ByType(m.Coin)
		if !ok {
			return plan.Action{}, readback.Unlike("DeepBook’s events name a coin that is not pinned.")
		}
		list = append(list, Asset(coin).Of(m.Amount))
		change := new(big.Int).SetUint64(uint64(m.Amount))
		if !m.In {
			change.Neg(change)
		}
		action.Events = append(action.Events, m.At)
		action.Changes = append(action.Changes, plan.Change{Party: Party(m.Manager), Coin: coin.Type, Amount: change})
	}
	action.Terms = Moved(run[0].Manager, run[0].In, list...)
	return action, nil
}
