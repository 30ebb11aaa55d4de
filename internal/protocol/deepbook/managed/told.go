package managed

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

// Told reads the one deed of a kind that the events of a transaction tell, as in
// Told(events, account, deepbook.Deeds.Order).
func Told[T any](events []sui.Event, account sui.Address, deed func(deepbook.Deeds) (T, error)) (T, error) {
	all, err := deepbook.ReadDeeds(events, account)
	if err != nil {
		var none T
		return none, err
	}
	return deed(all)
}

// ToldPool gives the pinned pool that an event names.
func ToldPool(id sui.ObjectID) (registry.Pool, error) {
	if pool, ok := registry.PoolByID(id); ok {
		return pool, nil
	}
	return registry.Pool{}, readback.Unlike("DeepBook’s events tell of a market that is not pinned.")
}

// Moved says which amount goes into a manager or comes out of it.
func Moved(manager sui.ObjectID, in bool, a review.Amount) []review.Term {
	name := review.TermOut
	if in {
		name = review.TermIn
	}
	return []review.Term{Term(manager), {Name: name, Value: a.String()}}
}

// ToldMove gives the terms of a deposit or a withdrawal by the events.
func ToldMove(events []sui.Event, account sui.Address) ([]review.Term, error) {
	m, err := Told(events, account, deepbook.Deeds.Move)
	if err != nil {
		return nil, err
	}
	coin, ok := coins.ByType(m.Coin)
	if !ok {
		return nil, readback.Unlike("DeepBook’s events tell of a coin that is not pinned.")
	}
	return Moved(m.Manager, m.In, Asset(coin).Of(m.Amount)), nil
}
