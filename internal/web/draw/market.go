package draw

import (
	"math/big"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Book is a part of an order book in one reading. Prices are coins Quote for one Base.
type Book struct {
	Source      string // as in "the market SUI_USDC"
	Base, Quote plan.Asset
	Middle      sui.Decimal
	Bids, Asks  []Offer
	At          time.Time
}

// Offer is a price with the amount of the base coin that is wanted or offered at it.
type Offer struct{ Price, Amount sui.Decimal }

// PastPrices are prices between two moments, in coins Quote for one Base.
type PastPrices struct {
	Source      string // as in "the indexer"
	Base, Quote plan.Asset
	From, To    time.Time
	Points      []PastPrice
	At          time.Time // when this machine had the answer
}

// PastPrice is one price. Apart reports that nothing is known between it and the previous one.
type PastPrice struct {
	At    time.Time
	Price sui.Decimal
	Apart bool
}

// Mark is the user's own mark: an order's limit, or how far an amount reaches.
type Mark struct {
	limit  *big.Rat     // nil for a swap
	buys   bool         // of an order
	pays   sui.CoinType // of a swap
	amount *big.Rat     // base coin of an order, payment of a swap
}

// Order reports whether the mark is an order's.
func (m Mark) Order() bool { return m.limit != nil }

// MarkOf reads what a step would trade. A step without a trade has no mark.
func MarkOf(in plan.Intent, step plan.StepFacts, q *plan.QuoteEvidence) (m Mark, ok bool) {
	if o := in.Order; o != nil && o.Price != "" {
		var priced bool
		m.limit, priced = positive(sui.Decimal(o.Price))
		m.amount, ok = positive(sui.Decimal(o.Quantity))
		m.buys = o.Side == "buy"
		return m, ok && priced
	}
	pays := step.Promise.Amount(plan.RoleInput)
	if pays.Raw == 0 || step.Promise.Amount(plan.RoleOutput).Raw == 0 {
		return Mark{}, false
	}
	if q != nil && q.RouteID == step.RouteID.String() && q.Input == pays {
		pays = amounts.Spent(q)
		if q.Fee.CoinType == pays.CoinType { // the fee is not traded
			pays = pays.Of(pays.Raw - min(pays.Raw, q.Fee.Raw))
		}
	}
	m.pays = pays.CoinType
	m.amount, ok = positive(pays.Display)
	return m, ok
}

// mostDigits is the maximum number of digits before and after the point in a drawing; nothing on
// chain has more.
const mostDigits = 20

// positive reads a number above zero that can be drawn.
func positive(d sui.Decimal) (*big.Rat, bool) {
	whole, fraction, _ := strings.Cut(string(d), ".")
	if _, err := sui.ParseDecimal(string(d)); err != nil || len(whole) > mostDigits || len(fraction) > mostDigits {
		return nil, false
	}
	n, ok := new(big.Rat).SetString(string(d))
	return n, ok && n.Sign() > 0
}

// exactly prints a number with at most a few digits more than the input.
func exactly(n *big.Rat) string {
	text := n.FloatString(mostDigits + 4)
	return words.Spaced(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}
