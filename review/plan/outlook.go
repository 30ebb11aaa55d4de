package plan

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Outlook is what nodes reported around one step when it was computed: the market, how the trade
// compares with it, and the outcome of coins that an object holds. None of it is guaranteed and
// none of it is in the bytes. A part that is nil or empty does not apply, or could not be read.
type Outlook struct {
	Market *Market         `json:"market,omitempty"`
	Trade  *Trade          `json:"trade,omitempty"`  // of a swap, and of an order that fills now
	Order  *OrderOutlook   `json:"order,omitempty"`  // of a limit order
	Other  *OtherVenue     `json:"other,omitempty"`  // the same pair elsewhere
	Holder []HolderBalance `json:"holder,omitempty"` // free coins of the object, before and after
	Frees  []Amount        `json:"frees,omitempty"`  // what a cancellation returns to the object

	Subject *Subject `json:"subject,omitempty"` // what the step is about
}

// Subject is what a node reports of the object that the bytes of a step name by its id:
// the bytes do not hold it. Texts are ours.
type Subject struct {
	Title  string      `json:"title"`           // what the step does, in one line
	Holder sui.Address `json:"holder,omitzero"` // whom it concerns; zero: not known
	Part   string      `json:"part,omitempty"`  // how it does, as in "Who can take"
	Says   string      `json:"says"`            // what is so before the step, in sentences
}

// Market is the state of a market in one reading. Prices are exact decimals in coins Quote for one
// Base; "" if a side of the book is empty, or where the venue has no book.
type Market struct {
	Venue  string      `json:"venue"` // as people say it, as in "DeepBook"
	Pool   string      `json:"pool"`  // key of the registry
	Base   Asset       `json:"base"`
	Quote  Asset       `json:"quote"`
	Middle sui.Decimal `json:"middle,omitempty"`
	Bid    sui.Decimal `json:"bid,omitempty"` // the best price that is paid
	Ask    sui.Decimal `json:"ask,omitempty"` // the best price that is asked
	ReadAt time.Time   `json:"readAt"`
}

// Trade compares what a trade gives with what it would give at the mid price of the same reading.
type Trade struct {
	Guaranteed Shortfall `json:"guaranteed"`
	Expected   Shortfall `json:"expected"`
	ImpactBps  int64     `json:"impactBps"` // average price before the fee under the mid price

	// Promised is the trade that is guaranteed, which is compared with other prices too.
	Promised Traded `json:"promised,omitzero"`
}

// Shortfall is by how much an amount is under what the mid price would give.
type Shortfall struct {
	Bps    int64  `json:"bps"`    // hundredths of a percent, rounded up; negative: more arrives
	Amount Amount `json:"amount"` // the difference without its sign, in the coin that arrives
}

// OrderOutlook is what would become of a limit order in the market as it was read.
type OrderOutlook struct {
	Buys bool `json:"buys"`
	// of the limit from the mid price; positive: better for who orders
	DistanceBps int64       `json:"distanceBps"`
	Fills       Amount      `json:"fills"`                // base coin that trades at once; zero: nothing
	FillsFor    Amount      `json:"fillsFor"`             // quote coin paid or received for that, before the fee
	Average     sui.Decimal `json:"average,omitempty"`    // price of what trades at once
	Rests       Amount      `json:"rests"`                // base coin that waits in the book
	Incomplete  bool        `json:"incomplete,omitempty"` // the book was read in part, so Fills is a least amount
}

// TermAtOnce is the name of the term of an order that says whether it may trade at once.
// Before a signature an OrderOutlook says more of it.
const TermAtOnce = "Trades at once"

// OtherVenue is the mid price of the same pair at another venue: a reference, not advice.
type OtherVenue struct {
	Venue    string      `json:"venue"`
	Pool     string      `json:"pool"`
	Middle   sui.Decimal `json:"middle"`   // in the units of the step's own market
	ApartBps int64       `json:"apartBps"` // distance of the two mid prices, without its sign
	ReadAt   time.Time   `json:"readAt"`
}

// HolderBalance is what an object has free of one coin, before and after the step.
type HolderBalance struct {
	Asset
	Before sui.Raw `json:"before"`
	After  sui.Raw `json:"after"`
}

// ReferencePricer is an adapter whose venue can be asked for a mid price beside the one of another
// venue. in is what the trade pays and out the coin that arrives; account is the one that asks. A
// venue without such a market, or where the trade would move the price by more than a hundredth,
// returns fault.QuoteUnavailable. The price is in coins out for one in.
type ReferencePricer interface {
	ReferencePrice(ctx context.Context, account sui.Address, in Amount, out Asset) (Reference, error)
}

// CrossPricer is an adapter whose venue can be asked what a pair comes to over two of its other
// markets, at their mid prices. Both have to be as deep as a ReferencePricer says, else it returns
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

// Told reports whether there is anything in it.
func (o Outlook) Told() bool {
	return o.Market != nil || o.Trade != nil || o.Order != nil || o.Other != nil || o.Subject != nil || len(o.Holder)+
		len(o.Frees) > 0
}

// Written reports whether every price is a number above zero or none, and every amount
// is written as its raw number says.
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
