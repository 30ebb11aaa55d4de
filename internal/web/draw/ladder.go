package draw

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Maximum number of offers on each side of a ladder, and on a phone.
const (
	sideRungs  = 7
	phoneRungs = 3
)

// Kinds of rungs.
const (
	rungSeller = "seller"
	rungBuyer  = "buyer"
	rungMarket = "market"
	rungOwn    = "own"
)

// Ladder shows an order among the offers nearest to the market's price, the highest price first.
type Ladder struct {
	Rungs   []Rung
	Unit    string // unit of the prices, such as "USDC per SUI"
	Base    string // symbol of the coin of the amounts
	Caption string // source of the offers, for users who cannot see the ladder
}

// Rung is one row of a Ladder.
type Rung struct {
	Kind   string // seller, buyer, market or own
	Price  string
	Amount string // offered amount; for the user's order, its distance from the market's price
	Words  string // the user's order, such as "sell 10 SUI"
	Bar    int    // amount in percent of the largest amount shown
	Far    bool   // a narrow page omits it
	Apart  bool   // the user's order is beyond all offers shown

	price *big.Rat
}

// LadderOf inserts an order into a book's offers. It returns false if the order or the book is
// missing.
func LadderOf(book Book, m Mark) (l Ladder, ok bool) {
	d, sound := depthOf(book, m)
	if !sound || m.limit == nil {
		return l, false
	}
	bids, _ := offersOf(book.Bids, -1)
	asks, _ := offersOf(book.Asks, 1)
	bids, asks = bids[:min(len(bids), sideRungs)], asks[:min(len(asks), sideRungs)]
	most := new(big.Rat)
	for _, o := range slices.Concat(bids, asks) {
		if o.amount.Cmp(most) > 0 {
			most = o.amount
		}
	}
	for i, o := range slices.Backward(asks) {
		l.Rungs = append(l.Rungs, rung(rungSeller, o, most, i))
	}
	l.Rungs = append(l.Rungs, Rung{Kind: rungMarket, Price: exactly(d.middle), price: d.middle})
	for i, o := range bids {
		l.Rungs = append(l.Rungs, rung(rungBuyer, o, most, i))
	}
	l.place(m, d)
	l.Unit, l.Base = unitOf(book.Base, book.Quote), words.Whole(book.Base.Symbol)
	l.Caption = fmt.Sprintf("Offers in %s, as a node reported them at %s, not guaranteed, highest price first.",
		words.Whole(book.Source), words.At(book.At))
	return l, true
}

func rung(kind string, o offer, most *big.Rat, nth int) Rung {
	share := new(big.Rat).Quo(new(big.Rat).Mul(o.amount, big.NewRat(100, 1)), most)
	bar, _ := share.Float64()
	return Rung{Kind: kind, Price: exactly(o.price), Amount: roughly(o.amount), Bar: max(int(bar), 1),
		Far:   nth >= phoneRungs,
		price: o.price}
}

// place inserts the user's order at its price. It is placed behind equal offers, because it fills
// after them.
func (l *Ladder) place(m Mark, d depth) {
	verb := "sell"
	if m.buys {
		verb = "buy"
	}
	own := Rung{Kind: rungOwn, Price: exactly(m.limit), Amount: apart(m.limit, d.middle),
		Words: verb + " " + exactly(m.amount) + " " + words.Whole(d.Base.Symbol)}
	at := slices.IndexFunc(l.Rungs, func(r Rung) bool {
		less := r.price.Cmp(m.limit)
		return less < 0 || less == 0 && !m.buys
	})
	if at < 0 {
		at = len(l.Rungs)
	}
	own.Apart = at == 0 || at == len(l.Rungs)
	l.Rungs = slices.Insert(l.Rungs, at, own)
}

// apart returns how far a price is from the market's and on which side, in percent with one
// decimal.
func apart(price, market *big.Rat) string {
	off := new(big.Rat).Quo(new(big.Rat).Sub(price, market), market)
	off.Mul(off, big.NewRat(100, 1))
	side := " above"
	if off.Sign() < 0 {
		side = " below"
		off.Neg(off)
	}
	if off.Cmp(big.NewRat(1, 20)) < 0 {
		return "at the market"
	}
	return words.Spaced(off.FloatString(1)) + "%" + side
}

// roughly formats an amount with enough digits for a comparison.
func roughly(n *big.Rat) string {
	switch {
	case n.Cmp(big.NewRat(100, 1)) >= 0:
		return words.Spaced(n.FloatString(0))
	case n.Cmp(big.NewRat(1, 100)) < 0:
		return exactly(n)
	}
	return words.Spaced(n.FloatString(2))
}
