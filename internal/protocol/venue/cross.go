package venue

import (
	"math"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
)

// Asking asks a venue for a price of a pair that has a market there.
type Asking func(in plan.Amount, out plan.Asset) (plan.Reference, error)

// The bounds of a cross rate: how many coins it is asked over, each of which is two
// readings, and its significant digits, as it may be inverted.
const (
	mostCrossed = 2
	crossDigits = 24
)

// Cross returns the best price over two markets that have one coin in common; over lists these
// coins. It is false if none is deep enough.
func Cross(in plan.Amount, out plan.Asset, over []plan.Asset, ask Asking) (best plan.Reference, found bool) {
	var highest *big.Rat
	for _, coin := range over[:min(len(over), mostCrossed)] {
		price, ref, ok := ask.across(in, coin, out)
		//mutant:never `price.Cmp(highest) <= 0` ./internal/protocol/deepbook/swap TestCrossPrice
		if !ok || highest != nil && price.Cmp(highest) <= 0 {
			continue
		}
		if ref.Price, ok = plan.DecimalOf(price, crossDigits); ok {
			highest, best = price, ref
		}
	}
	return best, highest != nil
}

// across asks for the price over one coin.
func (ask Asking) across(in plan.Amount, over, out plan.Asset) (*big.Rat, plan.Reference, bool) {
	first, err := ask.leg(in, over)
	price, ok := plan.Rational(first.Price)
	if err != nil || !ok {
		return nil, first, false
	}
	through, ok := plan.Converted(in, price, over)
	if !ok {
		return nil, first, false
	}
	second, err := ask.leg(through, out)
	next, ok := plan.Rational(second.Price)
	if err != nil || !ok {
		return nil, second, false
	}
	return price.Mul(price, next), plan.Reference{Venue: second.Venue, Pool: first.Pool + " and " + second.Pool,
		ReadAt: first.ReadAt}, true
}

// raised is by how much an amount is raised that is below the least size of a market on
// the way: if the book is deep enough for more, it is for less.
const raised = 100

func (ask Asking) leg(in plan.Amount, out plan.Asset) (plan.Reference, error) {
	ref, err := ask(in, out)
	if err != nil && fault.Is(err, fault.QuoteUnavailable) && in.Raw < math.MaxUint64/raised {
		return ask(in.Of(in.Raw*raised), out)
	}
	return ref, err
}
