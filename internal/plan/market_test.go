package plan

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	ten6 = Asset{Symbol: "Q", CoinType: "0x5::q::Q", Decimals: 6}
	ten9 = Asset{Symbol: "B", CoinType: "0x6::b::B", Decimals: 9}
)

func TestAgainstTheMiddle(t *testing.T) {
	fee := func(of Asset, raw sui.Raw) Amount { return of.Of(raw) }
	for _, c := range []struct {
		name                 string
		middle               sui.Decimal
		paid                 Amount
		fee                  Amount
		guaranteed, expected Amount
		want                 Trade // raw amounts only
		none                 bool
	}{
		{name: "a sale", middle: "1.25", paid: ten9.Of(10_000_000_000), guaranteed: ten6.Of(11_000_000),
			expected: ten6.Of(12_000_000),
			want: Trade{Guaranteed: Shortfall{1200, ten6.Of(1_500_000)}, Expected: Shortfall{400, ten6.Of(500_000)},
				ImpactBps: 400}},
		{name: "a purchase", middle: "1.25", paid: ten6.Of(12_500_000), guaranteed: ten9.Of(9_000_000_000),
			expected: ten9.Of(9_500_000_000),
			want: Trade{Guaranteed: Shortfall{1000, ten9.Of(1_000_000_000)}, Expected: Shortfall{500, ten9.Of(500_000_000)},
				ImpactBps: 500}},
		{name: "the fee is no impact", middle: "1", paid: ten9.Of(1_000_000_000), fee: fee(ten9, 100_000_000),
			guaranteed: ten6.Of(900_000),
			expected:   ten6.Of(900_000), want: Trade{Guaranteed: Shortfall{1000, ten6.Of(100_000)}, Expected: Shortfall{1000,
				ten6.Of(100_000)}, ImpactBps: 0}},
		{name: "a fee in a third coin is not counted", middle: "1", paid: ten9.Of(1_000_000_000), fee: fee(SUI, 100_000_000),
			guaranteed: ten6.Of(900_000),
			expected:   ten6.Of(900_000), want: Trade{Guaranteed: Shortfall{1000, ten6.Of(100_000)}, Expected: Shortfall{1000,
				ten6.Of(100_000)}, ImpactBps: 1000}},
		{name: "exactly the middle", middle: "2", paid: ten9.Of(1_000_000_000), guaranteed: ten6.Of(2_000_000),
			expected: ten6.Of(2_000_000)},
		{name: "one unit less is one too many", middle: "2", paid: ten9.Of(1_000_000_000), guaranteed: ten6.Of(1_999_999),
			expected: ten6.Of(2_000_001),
			want:     Trade{Guaranteed: Shortfall{1, ten6.Of(1)}, Expected: Shortfall{0, ten6.Of(1)}, ImpactBps: 0}},
		{name: "more than at the middle", middle: "1", paid: ten9.Of(1_000_000_000), guaranteed: ten6.Of(1_500_000),
			expected: ten6.Of(2_000_000),
			want: Trade{Guaranteed: Shortfall{-5000, ten6.Of(500_000)}, Expected: Shortfall{-10000, ten6.Of(1_000_000)},
				ImpactBps: -10000}},
		{name: "nothing arrives", middle: "1", paid: ten9.Of(1_000_000_000), guaranteed: ten6.Of(0), expected: ten6.Of(0),
			want: Trade{Guaranteed: Shortfall{10000, ten6.Of(1_000_000)}, Expected: Shortfall{10000, ten6.Of(1_000_000)},
				ImpactBps: 10000}},
		{name: "the loss is beyond all amounts", middle: "9223372036854.775807", paid: ten9.Of(math.MaxUint64),
			guaranteed: ten6.Of(1), expected: ten6.Of(1), none: true},
		{name: "the gain is beyond all shares", middle: "0.000000000000000000000000000001", paid: ten9.Of(1),
			guaranteed: ten6.Of(math.MaxUint64), expected: ten6.Of(1), none: true},
		{name: "nothing is paid", middle: "1", paid: ten9.Of(0), guaranteed: ten6.Of(1), expected: ten6.Of(1), none: true},
		{name: "all of it is fee", middle: "1", paid: ten9.Of(5), fee: fee(ten9, 5), guaranteed: ten6.Of(1),
			expected: ten6.Of(1), none: true},
		{name: "more than all of it is fee", middle: "1", paid: ten9.Of(5), fee: fee(ten9, math.MaxUint64),
			guaranteed: ten6.Of(1), expected: ten6.Of(1), none: true},
		{name: "no middle", paid: ten9.Of(5), guaranteed: ten6.Of(1), expected: ten6.Of(1), none: true},
		{name: "a middle of nothing", middle: "0", paid: ten9.Of(5), guaranteed: ten6.Of(1), expected: ten6.Of(1),
			none: true},
		{name: "a middle that is no number", middle: "1/3", paid: ten9.Of(5), guaranteed: ten6.Of(1), expected: ten6.Of(1),
			none: true},
		{name: "another coin is paid", middle: "1", paid: SUI.Of(5), guaranteed: ten6.Of(1), expected: ten6.Of(1),
			none: true},
		{name: "the same coin on both sides", middle: "1", paid: ten6.Of(5), guaranteed: ten6.Of(1), expected: ten6.Of(1),
			none: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Market{Base: ten9, Quote: ten6, Middle: c.middle}
			got, ok := m.Against(Traded{c.paid, c.fee, c.guaranteed}, Traded{c.paid, c.fee, c.expected})
			if ok == c.none {
				t.Fatalf("%+v %t", got, ok)
			}
			if c.none {
				return
			}
			if c.want.Guaranteed.Amount.Symbol == "" { // no difference at all
				c.want.Guaranteed.Amount, c.want.Expected.Amount = c.guaranteed.Of(0), c.expected.Of(0)
			}
			c.want.Promised = got.Promised
			if *got != c.want {
				t.Errorf("%+v, want %+v", *got, c.want)
			}
		})
	}
}

// Whatever is paid and arrives: the share and the amount that are stated are the exact
// ones, rounded against whoever trades, and by less than one unit.
func TestAgainstTheMiddleHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	number := func() sui.Raw { return sui.Raw(random.Uint64() >> random.IntN(64)) }
	compared := 0
	for range 20_000 {
		middle := sui.Raw(random.Uint64()>>(1+random.IntN(60)) | 1).Decimal(uint8(random.IntN(19)))
		m := Market{Base: ten9, Quote: ten6, Middle: middle}
		price, _ := Rational(middle)
		paid, got := ten9.Of(number()), ten6.Of(number())
		if random.IntN(2) == 0 {
			paid, got = ten6.Of(number()), ten9.Of(number())
			price.Inv(price)
		}
		trade, ok := m.Against(Traded{Paid: paid, Arrives: got}, Traded{Paid: paid, Arrives: got})
		if !ok {
			continue
		}
		compared++
		worth := new(big.Rat).SetInt(BigInt(paid.Raw))
		worth.Mul(worth, price).Mul(worth, new(big.Rat).SetFrac(tenTo(got.Decimals), tenTo(paid.Decimals)))
		lost := new(big.Rat).Sub(worth, new(big.Rat).SetInt(BigInt(got.Raw)))
		stated := new(big.Rat).SetInt(BigInt(trade.Guaranteed.Amount.Raw))
		if lost.Sign() < 0 {
			stated.Neg(stated)
		}
		bps := new(big.Rat).Quo(new(big.Rat).Mul(lost, big.NewRat(10_000, 1)), worth)
		for _, off := range []*big.Rat{stated.Sub(stated, lost), bps.Sub(big.NewRat(trade.Guaranteed.Bps, 1), bps)} {
			if off.Sign() < 0 || off.Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("%s for %s at %s: %+v is off by %s", paid, got, middle, trade, off.FloatString(3))
			}
		}
		if trade.Guaranteed != trade.Expected || trade.ImpactBps != trade.Guaranteed.Bps {
			t.Fatalf("%+v", trade)
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d compared", compared)
	}
}

func TestCompareVenues(t *testing.T) {
	for _, c := range []struct {
		in            Asset
		own, theirs   sui.Decimal
		middle        sui.Decimal
		apart         int64
		none, neither bool
	}{
		{in: ten9, own: "1.25", theirs: "1.25", middle: "1.25"},
		{in: ten9, own: "1.25", theirs: "1.3125", middle: "1.3125", apart: 500},
		{in: ten9, own: "1.25", theirs: "1.1875", middle: "1.1875", apart: 500},
		{in: ten6, own: "1.25", theirs: "0.8", middle: "1.25"},
		{in: ten6, own: "1.25", theirs: "0.4", middle: "2.5", apart: 10_000},
		{in: ten9, own: "1.25", theirs: "0.000000000001", middle: "0.000000000001", apart: 10_000},
		{in: ten9, own: "", theirs: "1", none: true},
		{in: ten9, own: "1", theirs: "", none: true},
		{in: ten9, own: "1", theirs: "0", none: true},
		{in: ten9, own: "0.0000000000000000000000000001", theirs: "9999999999999999", none: true},
	} {
		got, ok := Market{Base: ten9, Quote: ten6, Middle: c.own}.Compare(c.in, Reference{Venue: "V", Pool: "P",
			Price: c.theirs})
		if ok == c.none || ok && (got.Middle != c.middle || got.ApartBps != c.apart || got.Venue != "V" || got.Pool != "P") {
			t.Errorf("%s beside %s: %+v %t", c.own, c.theirs, got, ok)
		}
	}
	// A venue's price means the same to another venue, whichever coin is paid.
	for _, middle := range []sui.Decimal{"1.298331", "0.000000123", "98765.4321", "3"} {
		m := Market{Base: ten9, Quote: ten6, Middle: middle}
		for _, in := range []Asset{ten9, ten6} {
			r, ok := m.Reference(in)
			if other, same := m.Compare(in, r); !ok || !same || other.Middle != middle || other.ApartBps > 1 {
				t.Errorf("%s paid with %s: %+v %+v", middle, in.Symbol, r, other)
			}
		}
	}
	if _, ok := (Market{Base: ten9, Quote: ten6}).Reference(ten9); ok {
		t.Error("a market without a mid price is a reference")
	}
}

func TestDecimalOf(t *testing.T) {
	for _, c := range []struct {
		a, b   int64
		digits int
		want   sui.Decimal
	}{
		{1, 3, 3, "0.333"}, {2, 3, 3, "0.667"}, {1, 300, 3, "0.00333"}, {20000, 3, 3, "6667"}, {1, 2, 9, "0.5"},
		{12, 1, 1, "12"}, {1, 1, 9, "1"},
		{1_298_331, 1_000_000, 9, "1.298331"}, {100, 1, 2, "100"}, {0, 1, 9, ""}, {-1, 2, 9, ""}, {1, math.MaxInt64, 9,
			"0.000000000000000000108420217"},
	} {
		if got, ok := DecimalOf(big.NewRat(c.a, c.b), c.digits); got != c.want || ok != (c.want != "") {
			t.Errorf("%d/%d: %q %t", c.a, c.b, got, ok)
		}
	}
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 250))
	if got, ok := DecimalOf(tiny, 9); ok {
		t.Errorf("%q", got)
	}
}

func TestTakeOfALadder(t *testing.T) {
	asks := Ladder{Scale: 1_000_000_000, Levels: []Level{{1_000_000_000, 50}, {2_000_000_000, 30}, {3_000_000_000, 10}}}
	bids := Ladder{Scale: 1_000_000_000, Levels: []Level{{3_000_000_000, 10}, {2_000_000_000, 30}}, InPart: true}
	for _, c := range []struct {
		name            string
		side            Ladder
		buys            bool
		limit, quantity sui.Raw
		base, quote     sui.Raw
		incomplete      bool
		beyond          bool
	}{
		{"nothing at the limit", asks, true, 999_999_999, 60, 0, 0, false, false},
		{"a part of a level", asks, true, 1_000_000_000, 20, 20, 20, false, false},
		{"a whole level and no more", asks, true, 1_000_000_000, 60, 50, 50, false, false},
		{"into the second", asks, true, 2_500_000_000, 60, 60, 70, false, false},
		{"all of a whole side", asks, true, 9_000_000_000, 100, 90, 140, false, false},
		{"a sale above the bids", bids, false, 3_000_000_001, 5, 0, 0, false, false},
		{"a sale into the second", bids, false, 2_000_000_000, 15, 15, 40, false, false},
		{"exactly all that was read", bids, false, 1, 40, 40, 90, false, false},
		{"more than was read", bids, false, 1, 41, 40, 90, true, false},
		{"an empty side", Ladder{Scale: 1}, true, 1, 5, 0, 0, false, false},
		{"beyond all amounts", Ladder{Scale: 1, Levels: []Level{{math.MaxUint64, math.MaxUint64}}}, true, math.MaxUint64,
			math.MaxUint64, 0, 0, false, true},
	} {
		base, quote, incomplete, ok := c.side.Take(c.buys, c.limit, c.quantity)
		if ok == c.beyond || ok && (base != c.base || quote != c.quote || incomplete != c.incomplete) {
			t.Errorf("%s: %d for %d, %t %t", c.name, base, quote, incomplete, ok)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		free        sui.Raw
		gets, gives uint64
		after       sui.Raw
		ok          bool
	}{
		{10, 0, 10, 0, true}, {10, 5, 3, 12, true}, {10, 0, 11, 0, false}, {math.MaxUint64, 1, 0, 0, false}, {math.MaxUint64,
			1, 1, math.MaxUint64, true},
	} {
		if got, ok := Holds(ten6, c.free, c.gets, c.gives); ok != c.ok || ok && (got.Before != c.free ||
			got.After != c.after || got.Asset != ten6) {
			t.Errorf("%+v: %+v %t", c, got, ok)
		}
	}
	for _, c := range []struct {
		limit PriceLimit
		want  int64
		ok    bool
	}{
		{PriceLimit{Price: 110, Middle: 100}, 1000, true}, {PriceLimit{Buys: true, Price: 110, Middle: 100}, -1000, true},
		{PriceLimit{Price: 100, Middle: 300}, -6667, true}, {PriceLimit{Price: 100, Middle: 0}, 0, false},
		{PriceLimit{Price: 1<<63 - 1, Middle: 1}, 0, false},
	} {
		if got, ok := c.limit.Distance(); ok != c.ok || ok && got != c.want {
			t.Errorf("%+v: %d %t", c.limit, got, ok)
		}
	}
}

func TestOutlookIsWritten(t *testing.T) {
	whole := func() Outlook {
		return Outlook{Market: &Market{Middle: "1.5", Bid: "", Ask: "2"}, Trade: &Trade{Guaranteed: Shortfall{1, ten6.Of(1)},
			Expected: Shortfall{0, ten6.Of(0)}},
			Order: &OrderOutlook{Fills: ten9.Of(1), FillsFor: ten6.Of(2), Average: "2", Rests: ten9.Of(0)},
			Other: &OtherVenue{Middle: "3"}, Frees: []Amount{ten9.Of(7)}}
	}
	if !(Outlook{}).Written() || !whole().Written() || !whole().HasContent() || (Outlook{}).HasContent() {
		t.Error("what was written by this program is not said to be")
	}
	for name, damage := range map[string]func(*Outlook){
		"a mid price": func(o *Outlook) { o.Market.Middle = "-1" }, "a bid": func(o *Outlook) { o.Market.Bid = "0" },
		"an ask": func(o *Outlook) { o.Market.Ask = "<b>" }, "another venue": func(o *Outlook) { o.Other.Middle = "1e5" },
		"a shortfall":     func(o *Outlook) { o.Trade.Expected.Amount.Display = "5" },
		"an average":      func(o *Outlook) { o.Order.Average = "x" },
		"what fills":      func(o *Outlook) { o.Order.Fills.Raw++ },
		"what comes free": func(o *Outlook) { o.Frees[0].Display = "" },
	} {
		o := whole()
		if damage(&o); o.Written() {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
