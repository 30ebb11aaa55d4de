package plan

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Outlook is the environment of one step as nodes reported it: the market, how the trade compares
// with it, and the balances of an object. Nothing in it is guaranteed or contained in the bytes. A
// part that is nil or empty does not apply or could not be read.
type Outlook struct {
	Market *Market         `json:"market,omitempty"`
	Trade  *Trade          `json:"trade,omitempty"`  // for a swap, or an order that fills at once
	Order  *OrderOutlook   `json:"order,omitempty"`  // for a limit order
	Other  *OtherVenue     `json:"other,omitempty"`  // the same pair elsewhere
	Holder []HolderBalance `json:"holder,omitempty"` // free coins of the object, before and after
	Frees  []Amount        `json:"frees,omitempty"`  // amounts that a cancellation returns to the object

	Subject *Subject `json:"subject,omitempty"` // object of the step
}

// Subject describes an object that the bytes name by id, as a node reports it. This program writes
// the texts.
type Subject struct {
	Title  string      `json:"title"`           // what the step does, on one line
	Holder sui.Address `json:"holder,omitzero"` // address that it concerns; zero if unknown
	Part   string      `json:"part,omitempty"`  // label of what changes, as in "Who can take"
	Says   string      `json:"says"`            // the state before the step, in sentences
}

// Market is the state of a market in one reading. Prices are exact decimals in coins Quote for one
// Base; "" if a side of the book is empty or the venue has no book.
type Market struct {
	Venue  string      `json:"venue"` // display name, as in "DeepBook"
	Pool   string      `json:"pool"`  // key of the registry
	Base   Asset       `json:"base"`
	Quote  Asset       `json:"quote"`
	Middle sui.Decimal `json:"middle,omitempty"`
	Bid    sui.Decimal `json:"bid,omitempty"` // best bid
	Ask    sui.Decimal `json:"ask,omitempty"` // best ask
	ReadAt time.Time   `json:"readAt"`
}

// Trade compares a trade with the mid price of the same reading.
type Trade struct {
	Guaranteed Shortfall `json:"guaranteed"`
	Expected   Shortfall `json:"expected"`
	ImpactBps  int64     `json:"impactBps"` // how far the average price before the fee is below the mid price

	// Promised is the guaranteed trade, for comparison with other prices.
	Promised Traded `json:"promised,omitzero"`
}

// Shortfall is how far an amount is below its value at the mid price.
type Shortfall struct {
	Bps    int64  `json:"bps"`    // hundredths of a percent, rounded up; negative: more arrives
	Amount Amount `json:"amount"` // the difference without its sign, in the coin that arrives
}

// OrderOutlook describes how a limit order would fare given the market data that was read.
type OrderOutlook struct {
	Buys bool `json:"buys"`
	// distance of the limit from the mid price; positive is better for the user
	DistanceBps int64       `json:"distanceBps"`
	Fills       Amount      `json:"fills"`                // base coin that trades at once; zero if none
	FillsFor    Amount      `json:"fillsFor"`             // quote coin paid or received for that, before the fee
	Average     sui.Decimal `json:"average,omitempty"`    // average price of what trades at once
	Rests       Amount      `json:"rests"`                // base coin that waits in the book
	Incomplete  bool        `json:"incomplete,omitempty"` // the book was read only in part, so Fills is a minimum
}

// TermAtOnce names the order term that says whether it may trade at once. Before signing, an
// OrderOutlook has more detail.
const TermAtOnce = "Trades at once"

// OtherVenue is the mid price of the same pair at another venue: a reference, not advice.
type OtherVenue struct {
	Venue    string      `json:"venue"`
	Pool     string      `json:"pool"`
	Middle   sui.Decimal `json:"middle"`   // in the units of the step's own market
	ApartBps int64       `json:"apartBps"` // distance of the two mid prices, without its sign
	ReadAt   time.Time   `json:"readAt"`
}

// HolderBalance is an object's free balance of one coin, before and after the step.
type HolderBalance struct {
	Asset
	Before sui.Raw `json:"before"`
	After  sui.Raw `json:"after"`
}

// ReferencePricer is an adapter whose venue can provide a mid price for comparison with another
// venue. in is the amount that the trade pays, out the coin that arrives, and account the account
// that asks. The price is in coins out per coin in. ReferencePrice returns fault.QuoteUnavailable
// if the venue has no such market, or if the trade would move its price by more than one percent.
type ReferencePricer interface {
	ReferencePrice(ctx context.Context, account sui.Address, in Amount, out Asset) (Reference, error)
}

// CrossPricer is an adapter whose venue can price a pair through two of its other markets, at their
// mid prices. Both must be as deep as a ReferencePricer requires; otherwise it returns
// fault.QuoteUnavailable.
type CrossPricer interface {
	CrossPrice(ctx context.Context, account sui.Address, in Amount, out Asset) (Reference, error)
}

// Reference is the answer of a ReferencePricer or a CrossPricer.
type Reference struct {
	Venue, Pool string
	Price       sui.Decimal // coins that arrive for one that is paid, at the mid price
	ReadAt      time.Time
}

// HasContent reports whether the outlook has any content.
func (o Outlook) HasContent() bool {
	return o.Market != nil || o.Trade != nil || o.Order != nil || o.Other != nil || o.Subject != nil || len(o.Holder)+
		len(o.Frees) > 0
}

// Written reports whether every price is absent or a positive number, and every amount's text
// matches its raw number.
func (o Outlook) Written() bool {
	var prices []sui.Decimal
	amounts := slices.Clone(o.Frees)
	if m := o.Market; m != nil {
		prices = append(prices, m.Middle, m.Bid, m.Ask)
	}
	if t := o.Trade; t != nil {
		amounts = append(amounts, t.Guaranteed.Amount, t.Expected.Amount)
	}
	if w := o.Order; w != nil {
		prices, amounts = append(prices, w.Average), append(amounts, w.Fills, w.FillsFor, w.Rests)
	}
	if o.Other != nil {
		prices = append(prices, o.Other.Middle)
	}
	return !slices.ContainsFunc(prices, func(p sui.Decimal) bool { _, ok := Rational(p); return p != "" && !ok }) &&
		!slices.ContainsFunc(amounts, func(a Amount) bool { return a != a.Of(a.Raw) })
}
