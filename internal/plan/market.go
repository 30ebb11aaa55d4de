package plan

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// This file compares trades with the mid price of their market, in exact rational arithmetic that
// is the same for every venue.

// Traded is one side of a comparison: what a trade pays, the venue's fee in it, and what arrives. A
// fee in a third coin is not compared.
type Traded struct {
	Paid    Amount `json:"paid"`
	Fee     Amount `json:"fee"` // part of Paid; ignored if it is another coin
	Arrives Amount `json:"arrives"`
}

// Against compares a trade with the mid price: the guaranteed and the expected amount. It returns
// false if there is no mid price, the coins are not the market's, or the result is out of range.
func (m Market) Against(guaranteed, expected Traded) (*Trade, bool) {
	middle, ok := Rational(m.Middle)
	if !ok {
		return nil, false
	}
	t := Trade{Promised: guaranteed}
	for _, side := range []struct {
		of Traded
		to *Shortfall
	}{{guaranteed, &t.Guaranteed}, {expected, &t.Expected}} {
		worth, ok := m.worth(middle, side.of.Paid, side.of.Arrives.Asset)
		if !ok {
			return nil, false
		}
		if *side.to, ok = shortfall(worth, side.of.Arrives); !ok {
			return nil, false
		}
	}
	traded := expected.Paid
	if expected.Fee.CoinType == traded.CoinType {
		if expected.Fee.Raw >= traded.Raw {
			return nil, false
		}
		traded.Raw -= expected.Fee.Raw
	}
	worth, ok := m.worth(middle, traded, expected.Arrives.Asset)
	if !ok {
		return nil, false
	}
	impact, ok := shortfall(worth, expected.Arrives)
	t.ImpactBps = impact.Bps
	return &t, ok
}

// ShortfallAt returns how far a trade's guaranteed amount is below another price of the same pair, in
// the market's units. It returns false if the two cannot be compared.
func (m Market) ShortfallAt(t Trade, price sui.Decimal) (Shortfall, bool) {
	other, ok := Rational(price)
	if !ok {
		return Shortfall{}, false
	}
	worth, ok := m.worth(other, t.Promised.Paid, t.Promised.Arrives.Asset)
	if !ok {
		return Shortfall{}, false
	}
	return shortfall(worth, t.Promised.Arrives)
}

// Converted converts an amount to another coin and rounds down. The price is in coins of to per
// coin of a. It returns false if the result is zero or does not fit.
func Converted(a Amount, price *big.Rat, to Asset) (Amount, bool) {
	n := new(big.Rat).SetInt(BigInt(a.Raw))
	n.Mul(n, price).Mul(n, new(big.Rat).SetFrac(tenTo(to.Decimals), tenTo(a.Decimals)))
	raw := new(big.Int).Quo(n.Num(), n.Denom())
	return to.Of(sui.Raw(raw.Uint64())), raw.Sign() > 0 && raw.IsUint64()
}

// Sells reports whether a trade pays with the market's base coin.
func (m Market) Sells(in Asset) bool { return in.CoinType == m.Base.CoinType }

// worth returns the value of an amount at the mid price, in raw units of the coin out.
func (m Market) worth(middle *big.Rat, paid Amount, out Asset) (*big.Rat, bool) {
	price := new(big.Rat)
	switch {
	case paid.CoinType == m.Base.CoinType && out.CoinType == m.Quote.CoinType:
		price.Set(middle)
	case paid.CoinType == m.Quote.CoinType && out.CoinType == m.Base.CoinType:
		price.Inv(middle)
	default:
		return nil, false
	}
	n := new(big.Rat).SetInt(BigInt(paid.Raw))
	n.Mul(n, price).Mul(n, new(big.Rat).SetFrac(tenTo(out.Decimals), tenTo(paid.Decimals)))
	return n, n.Sign() > 0
}

// shortfall returns how far an amount is below worth, which is in the same raw units.
func shortfall(worth *big.Rat, got Amount) (Shortfall, bool) {
	lost := new(big.Rat).Sub(worth, new(big.Rat).SetInt(BigInt(got.Raw)))
	bps, ok := share(lost, worth)
	amount := ceil(lost) // a loss is never rounded down, a gain never up
	amount.Abs(amount)
	if !ok || !amount.IsUint64() {
		return Shortfall{}, false
	}
	return Shortfall{Bps: bps, Amount: got.Of(sui.Raw(amount.Uint64()))}, true
}

// share returns part divided by whole in basis points, rounded up, or false if that does not fit.
func share(part, whole *big.Rat) (bps int64, ok bool) {
	n := ceil(new(big.Rat).Mul(new(big.Rat).Quo(part, whole), big.NewRat(wholeBps, 1)))
	return n.Int64(), n.IsInt64()
}

// Under returns how many basis points, rounded up, an amount is below the value of what is traded
// at the quote's mid price; a negative result means above. It returns false if the quote has no
// readable mid price.
func (q *QuoteEvidence) Under(least Amount) (bps int64, ok bool) {
	m := Market{Base: q.Input.Asset, Quote: least.Asset, Middle: sui.Decimal(q.MidPrice)}
	if q.Direction == "quote_to_base" {
		m.Base, m.Quote = m.Quote, m.Base
	}
	middle, ok := Rational(m.Middle)
	if !ok || q.Unspent.Raw >= q.Input.Raw {
		return 0, false
	}
	worth, ok := m.worth(middle, q.Input.Of(q.Input.Raw-q.Unspent.Raw), least.Asset)
	if !ok {
		return 0, false
	}
	return share(new(big.Rat).Sub(worth, new(big.Rat).SetInt(BigInt(least.Raw))), worth)
}

const wholeBps = 10_000

// ceil rounds up to a whole number.
func ceil(r *big.Rat) *big.Int {
	n := new(big.Int).Add(r.Num(), r.Denom())
	return n.Sub(n, big.NewInt(1)).Div(n, r.Denom())
}

func tenTo(n uint8) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// Compare converts another venue's price of the same pair to the market's units and returns it with
// its distance from the market's mid price. in is the coin that the reference paid with. It returns
// false if the market has no mid price.
func (m Market) Compare(in Asset, r Reference) (*OtherVenue, bool) {
	own, ok := Rational(m.Middle)
	if !ok {
		return nil, false
	}
	theirs, ok := Rational(r.Price)
	if !ok {
		return nil, false
	}
	if in.CoinType == m.Quote.CoinType {
		theirs.Inv(theirs)
	}
	off := new(big.Rat).Sub(theirs, own)
	apart, ok := share(off.Abs(off), own)
	middle, written := DecimalOf(theirs, MiddleDigits)
	return &OtherVenue{Venue: r.Venue, Pool: r.Pool, Middle: middle, ApartBps: apart, ReadAt: r.ReadAt}, ok && written
}

// Reference returns the market's mid price for a trade that pays with in, or false if there is
// none.
func (m Market) Reference(in Asset) (Reference, bool) {
	price, ok := Rational(m.Middle)
	if !ok {
		return Reference{}, false
	}
	if in.CoinType == m.Quote.CoinType {
		price.Inv(price)
	}
	text, ok := DecimalOf(price, referenceDigits)
	return Reference{Venue: m.Venue, Pool: m.Pool, Price: text, ReadAt: m.ReadAt}, ok
}

// Significant digits of computed prices. A reference has more, because it may be inverted again.
const (
	MiddleDigits    = 9
	referenceDigits = 24
)

// mostPlaces bounds the decimals of a price.
const mostPlaces = 60

// DecimalOf formats a positive number with the given number of significant digits, rounded to the
// nearest. It never drops digits before the decimal point. It returns false if the number is not
// positive or too small to write.
func DecimalOf(r *big.Rat, digits int) (sui.Decimal, bool) {
	if r.Sign() <= 0 {
		return "", false
	}
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	places := digits - len(whole.String())
	if whole.Sign() == 0 {
		// 1/r has as many whole digits as r has decimals up to its first digit.
		places = digits + len(new(big.Int).Quo(r.Denom(), r.Num()).String()) - 1
	}
	places = max(places, 0)
	if places > mostPlaces {
		return "", false
	}
	text := r.FloatString(places)
	if places > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	_, err := sui.ParseDecimal(text)
	return sui.Decimal(text), err == nil && text != "0"
}

// Rational parses a decimal above zero. It returns false for any other text.
func Rational(d sui.Decimal) (*big.Rat, bool) {
	if _, err := sui.ParseDecimal(string(d)); err != nil {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(string(d))
	return r, ok && r.Sign() > 0
}

// Level is the quantity that one side of a book offers at one price. Quantity is raw base coin.
type Level struct{ Price, Quantity sui.Raw }

// Ladder is one side of a book, best price first. Price divided by Scale is raw quote coin per raw
// base coin. InPart means that there may be further levels.
type Ladder struct {
	Levels []Level
	Scale  uint64
	InPart bool
}

// Take returns what an order trades at once: at most quantity of base coin at the limit or better,
// and the quote coin for it. incomplete reports that the levels ended before the order was filled.
// ok is false if the quote coin overflows.
func (l Ladder) Take(buys bool, limit, quantity sui.Raw) (base, quote sui.Raw, incomplete, ok bool) {
	left, paid, scale := quantity, new(big.Int), new(big.Int).SetUint64(l.Scale)
	for _, level := range l.Levels {
		if left == 0 || buys && level.Price > limit || !buys && level.Price < limit {
			return quantity - left, sui.Raw(paid.Uint64()), false, paid.IsUint64()
		}
		part := min(left, level.Quantity)
		cost := new(big.Int).Mul(BigInt(part), BigInt(level.Price))
		paid.Add(paid, cost.Quo(cost, scale))
		left -= part
	}
	return quantity - left, sui.Raw(paid.Uint64()), l.InPart && left > 0, paid.IsUint64()
}

// Distance returns how many basis points a limit is better than the mid price for the user who
// places the order, rounded down. It returns false if there is no mid price or the distance does
// not fit.
func (l PriceLimit) Distance() (int64, bool) {
	if l.Middle == 0 {
		return 0, false
	}
	better := new(big.Int).Neg(l.Worse())
	return better.Int64(), better.IsInt64()
}

// Priced returns the market with prices set from raw prices that have the given number of decimals.
// A raw price of 0 means that there is none.
func (m Market) Priced(decimals uint8, middle, bid, ask sui.Raw) Market {
	for _, p := range []struct {
		to  *sui.Decimal
		raw sui.Raw
	}{{&m.Middle, middle}, {&m.Bid, bid}, {&m.Ask, ask}} {
		if p.raw > 0 {
			*p.to = p.raw.Decimal(decimals)
		}
	}
	return m
}

// Average returns the price in quote coins per base coin, or false if either amount is zero.
func Average(base, quote Amount) (sui.Decimal, bool) {
	if base.Raw == 0 {
		return "", false
	}
	r := new(big.Rat).SetFrac(BigInt(quote.Raw), BigInt(base.Raw))
	return DecimalOf(r.Mul(r, new(big.Rat).SetFrac(tenTo(base.Decimals), tenTo(quote.Decimals))), MiddleDigits)
}

// Holds returns an object's free balance of a coin before and after it receives and gives amounts.
// It returns false if the reported balance is impossible.
func Holds(coin Asset, free sui.Raw, gets, gives uint64) (HolderBalance, bool) {
	after := BigInt(free)
	after.Add(after, new(big.Int).SetUint64(gets)).Sub(after, new(big.Int).SetUint64(gives))
	return HolderBalance{Asset: coin, Before: free, After: sui.Raw(after.Uint64())}, after.IsUint64()
}
