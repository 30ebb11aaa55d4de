package draw

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/web/words"
)

// mostOffers is the maximum number of offers per side.
const mostOffers = 50

// offer is an Offer as exact numbers, with the sum of the amounts up to and including it.
type offer struct{ price, amount, sum *big.Rat }

// offersOf parses one side of a book, best offer first. sign is 1 if its prices rise. It returns
// false if the list cannot be a side of a book.
func offersOf(list []Offer, sign int) ([]offer, bool) {
	if len(list) == 0 || len(list) > mostOffers {
		return nil, false
	}
	var side []offer
	sum := new(big.Rat)
	for i, o := range list {
		price, ok := positive(o.Price)
		amount, sound := positive(o.Amount)
		if !ok || !sound || i > 0 && price.Cmp(side[i-1].price) != sign {
			return nil, false
		}
		sum = new(big.Rat).Add(sum, amount)
		side = append(side, offer{price, amount, sum})
	}
	return side, true
}

// depth is a book that is ready to be drawn: the offers between two prices at the same distance
// from the mid price.
type depth struct {
	Book
	bids, asks       []offer
	low, middle, top *big.Rat // prices at the left edge, in the middle and at the right edge
	most             *big.Rat // the larger sum of either side
}

// depthOf validates a book and selects the part to draw. It returns false if it cannot be a book.
func depthOf(b Book, m Mark) (d depth, ok bool) {
	d.Book = b
	bids, sound := offersOf(b.Bids, -1)
	asks, right := offersOf(b.Asks, 1)
	if d.middle, ok = positive(b.Middle); !ok || !sound || !right || bids[0].price.Cmp(asks[0].price) >= 0 ||
		d.middle.Cmp(bids[0].price) < 0 || d.middle.Cmp(asks[0].price) > 0 || b.At.IsZero() {
		return d, false
	}
	half := d.half(bids, asks, m.limit)
	d.low, d.top = new(big.Rat).Sub(d.middle, half), new(big.Rat).Add(d.middle, half)
	for _, o := range bids {
		if o.price.Cmp(d.low) >= 0 {
			d.bids = append(d.bids, o)
		}
	}
	for _, o := range asks {
		if o.price.Cmp(d.top) <= 0 {
			d.asks = append(d.asks, o)
		}
	}
	if len(d.bids) == 0 || len(d.asks) == 0 {
		return d, false
	}
	d.most = d.bids[len(d.bids)-1].sum
	if other := d.asks[len(d.asks)-1].sum; other.Cmp(d.most) > 0 {
		d.most = other
	}
	return d, true
}

// half returns the distance from the mid price that the drawing covers. It reaches the farthest
// offer, except for single offers far away, and an order's limit if that is near.
func (d depth) half(bids, asks []offer, limit *big.Rat) *big.Rat {
	const farther, near = 4, 5
	apart := func(price *big.Rat) *big.Rat {
		n := new(big.Rat).Sub(price, d.middle)
		return n.Abs(n)
	}
	times := func(a int64, of *big.Rat) *big.Rat { return new(big.Rat).Mul(big.NewRat(a, 1), of) }
	half, other := apart(bids[len(bids)-1].price), apart(asks[len(asks)-1].price)
	if half.Cmp(other) < 0 {
		half, other = other, half
	}
	if most := times(farther, other); other.Sign() > 0 && half.Cmp(most) > 0 {
		half = most
	}
	if limit != nil {
		if far := apart(limit); far.Cmp(half) > 0 && far.Cmp(times(near, half)) <= 0 {
			half = far
		}
	}
	half = new(big.Rat).Mul(half, big.NewRat(11, 10)) // leaves space at the edge
	if half = twoDigits(half); half.Cmp(d.middle) > 0 {
		return d.middle
	}
	return half
}

// twoDigits rounds a positive number up to two significant digits, so that labels are easy to read.
func twoDigits(n *big.Rat) *big.Rat {
	unit, ten := big.NewRat(1, 1), big.NewRat(10, 1)
	for q := new(big.Rat).Quo(n, unit); q.Cmp(big.NewRat(100, 1)) >= 0; q.Quo(n, unit) {
		unit.Mul(unit, ten)
	}
	for q := new(big.Rat).Quo(n, unit); q.Cmp(ten) < 0; q.Quo(n, unit) {
		unit.Quo(unit, ten)
	}
	q := new(big.Rat).Quo(n, unit)
	up := new(big.Int).Add(q.Num(), new(big.Int).Sub(q.Denom(), big.NewInt(1)))
	return unit.Mul(unit, new(big.Rat).SetInt(up.Div(up, q.Denom())))
}

// taken returns the offers on one side that a trade would take, with new sums, and whether it would
// take more than all of them.
func (m Mark) taken(side []offer, inQuote bool) (list []offer, more bool) {
	left, sum := new(big.Rat).Set(m.amount), new(big.Rat)
	for _, o := range side {
		if m.limit != nil && (m.buys && o.price.Cmp(m.limit) > 0 || !m.buys && o.price.Cmp(m.limit) < 0) {
			return list, false
		}
		amount, paid := o.amount, o.amount
		if inQuote {
			paid = new(big.Rat).Mul(o.amount, o.price)
		}
		if left.Cmp(paid) < 0 {
			amount, paid = left, left
			if inQuote {
				amount = new(big.Rat).Quo(left, o.price)
			}
		}
		sum = new(big.Rat).Add(sum, amount)
		list = append(list, offer{o.price, amount, sum})
		if left = new(big.Rat).Sub(left, paid); left.Sign() == 0 {
			return list, false
		}
	}
	return list, true
}

func (d depth) x(price *big.Rat) int {
	return place(new(big.Rat).Sub(price, d.low), new(big.Rat).Sub(d.top, d.low), plotLeft, plotRight)
}

func (d depth) y(sum *big.Rat) int { return place(sum, d.most, plotFoot, plotTop) }

// stairs returns the outline of offers, from the foot of the plot up and then to edge.
func (d depth) stairs(side []offer, edge int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "M%d %d", d.x(side[0].price), plotFoot)
	for _, o := range side {
		fmt.Fprintf(&b, "H%dV%d", d.x(o.price), d.y(o.sum))
	}
	fmt.Fprintf(&b, "H%d", edge)
	return b.String()
}

// BookChart draws cumulative offers by price, with the user's mark. It returns "" for an impossible
// book or one of another market.
func BookChart(book Book, m Mark) template.HTML {
	sells, quote := !m.buys, false
	if m.limit == nil {
		sells, quote = m.pays == book.Base.CoinType, m.pays == book.Quote.CoinType
	}
	d, ok := depthOf(book, m)
	if !ok || m.limit == nil && sells == quote {
		return ""
	}
	side, edge := d.asks, plotRight
	if sells {
		side, edge = d.bids, plotLeft
	}
	taken, more := m.taken(side, quote)
	own, at := d.own(m, taken, more, edge)

	p := picture{description: d.describe(own)}
	// Beyond the farthest offer, the book was not requested or is empty.
	const beyond = 150
	p.hill(d.stairs(d.bids, max(plotLeft, d.x(d.bids[len(d.bids)-1].price)-beyond)))
	p.hill(d.stairs(d.asks, min(plotRight, d.x(d.asks[len(d.asks)-1].price)+beyond)))
	p.path("p-middle", fmt.Sprintf("M%d %dV%d", d.x(d.middle), plotTop, plotFoot))
	if len(taken) > 0 {
		last := taken[len(taken)-1]
		p.path("p-taken", d.stairs(taken, d.x(last.price))+fmt.Sprintf("V%dZ", plotFoot))
	}
	p.path("p-axis", fmt.Sprintf("M%d %dH%d", plotLeft, plotFoot, plotRight))
	if m.limit == nil || m.limit.Cmp(d.low) >= 0 && m.limit.Cmp(d.top) <= 0 {
		p.path("p-own", fmt.Sprintf("M%d %dV%d", at, secondLine+50, plotFoot))
	}
	if !p.ends("p-words", firstLine, "Buyers "+d.amount(d.bids), "Sellers "+d.amount(d.asks)) {
		p.ends("p-words", firstLine, "Buyers", "Sellers")
	}
	p.near("p-mine", at, secondLine, own)
	p.axis(exactly(d.low), "middle "+exactly(d.middle), exactly(d.top))
	return p.figure("Offers now, in " + unitOf(book.Base, book.Quote))
}

// own returns the text and the position of the user's mark. edge is the end of the plot on the side
// whose offers the trade takes.
func (d depth) own(m Mark, taken []offer, more bool, edge int) (string, int) {
	switch {
	case m.limit != nil && m.limit.Cmp(d.low) < 0:
		return "← your price " + exactly(m.limit), plotLeft
	case m.limit != nil && m.limit.Cmp(d.top) > 0:
		return "your price " + exactly(m.limit) + " →", plotRight
	case m.limit != nil:
		return "your price " + exactly(m.limit), d.x(m.limit)
	case more:
		return "your swap takes more than these offers", edge
	}
	reach := taken[len(taken)-1].price
	return "your swap reaches " + exactly(reach), d.x(reach)
}

func (d depth) amount(side []offer) string {
	return exactly(side[len(side)-1].sum) + " " + words.Whole(d.Base.Symbol)
}

// describe describes the drawing in one sentence.
func (d depth) describe(own string) string {
	prices := func(side []offer) string {
		return exactly(side[0].price) + " to " + exactly(side[len(side)-1].price)
	}
	return fmt.Sprintf("Offers in %s, as a node reported them at %s, not guaranteed: buyers want %s at %s, sellers "+
		"offer %s at %s %s, "+
		"the mid price is %s, %s.", words.Whole(d.Source), words.At(d.At), d.amount(d.bids), prices(d.bids),
		d.amount(d.asks), prices(d.asks),
		unitOf(d.Base, d.Quote), exactly(d.middle), strings.Trim(own, "←→ "))
}
