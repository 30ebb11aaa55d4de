package venue

import (
	"math"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
)

// Asking returns a venue's price for a pair that has a market there.
type Asking func(in plan.Amount, out plan.Asset) (plan.Reference, error)

// Limits of a cross rate: the number of intermediate coins that are tried, each of which takes two
// reads, and the number of significant digits, which is high because the rate may be inverted.
const (
	mostCrossed = 2
	crossDigits = 24
)

// Cross returns the best price over two markets with a common coin. over lists the possible common
// coins. Cross returns false if no pair of markets is deep enough.
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

// across returns the price over one common coin.
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

// raised is the factor by which an amount below a market's minimum size is raised. A book that is deep
// enough for the larger amount is deep enough for the smaller one.
const raised = 100

func (ask Asking) leg(in plan.Amount, out plan.Asset) (plan.Reference, error) {
	ref, err := ask(in, out)
	if err != nil && fault.Is(err, fault.QuoteUnavailable) && in.Raw < math.MaxUint64/raised {
		return ask(in.Of(in.Raw*raised), out)
	}
	return ref, err
}
