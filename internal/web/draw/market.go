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

// Book is part of an order book, read at one time. Prices are amounts of Quote for one Base.
type Book struct {
	Source      string // for use in a sentence, such as "the market SUI_USDC"
	Base, Quote plan.Asset
	Middle      sui.Decimal
	Bids, Asks  []Offer
	At          time.Time
}

// Offer is a price, and the amount of the base coin that is bid or asked at it.
type Offer struct{ Price, Amount sui.Decimal }

// PastPrices are prices in a period, in Quote for one Base.
type PastPrices struct {
	Source      string // for use in a sentence, such as "the indexer"
	Base, Quote plan.Asset
	From, To    time.Time
	Points      []PastPrice
	At          time.Time // when this machine received the answer
}

// PastPrice is one price. Apart means that the prices between the previous one and this one are
// unknown.
type PastPrice struct {
	At    time.Time
	Price sui.Decimal
	Apart bool
}

// Mark is the user's mark in a drawing: an order's limit, or how far a swap reaches.
type Mark struct {
	limit  *big.Rat     // price limit of an order; nil for a swap
	buys   bool         // direction of an order
	pays   sui.CoinType // coin that a swap pays
	amount *big.Rat     // in the base coin for an order, in the paid coin for a swap
}

// Order reports whether the mark is that of an order.
func (m Mark) Order() bool { return m.limit != nil }

// MarkOf returns the mark of a step. It returns false if the step does not trade.
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

// mostDigits is the maximum number of digits before the point, and also after it, in a drawing. No
// amount on chain has more.
const mostDigits = 20

// positive parses a positive number. It returns false if the number cannot be drawn.
func positive(d sui.Decimal) (*big.Rat, bool) {
	whole, fraction, _ := strings.Cut(string(d), ".")
	if _, err := sui.ParseDecimal(string(d)); err != nil || len(whole) > mostDigits || len(fraction) > mostDigits {
		return nil, false
	}
	n, ok := new(big.Rat).SetString(string(d))
	return n, ok && n.Sign() > 0
}

// exactly formats a number without rounding. It has at most a few more digits than the input.
func exactly(n *big.Rat) string {
	text := n.FloatString(mostDigits + 4)
	return words.Spaced(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}
