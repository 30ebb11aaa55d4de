package clob

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

var day = time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)

func generated(t testing.TB, key string) *Pool {
	t.Helper()
	for _, p := range Generate(1, day) {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("no pool %s", key)
	return nil
}

func TestOrderIDs(t *testing.T) {
	ids := []OrderID{{}, {1, 2}, {MaxPrice, ^uint64(0)}, NewOrderID(false, 1, 1), NewOrderID(false, MaxPrice, ^uint64(0))}
	for i, id := range ids {
		back, err := ParseOrderID(id.String())
		if err != nil || back != id {
			t.Errorf("%v came back as %v, %v", id, back, err)
		}
		if i > 0 && ids[i-1].Compare(id) >= 0 {
			t.Errorf("%v does not come after %v", id, ids[i-1])
		}
		little := id.BCS()
		for a, b := 0, 15; a < b; a, b = a+1, b-1 {
			little[a], little[b] = little[b], little[a]
		}
		if new(big.Int).SetBytes(little).String() != id.String() {
			t.Errorf("bytes of %v are %x", id, id.BCS())
		}
	}
	for _, bad := range []string{"", "-1", "+1", "01", "1.0", "340282366920938463463374607431768211456",
		strings.Repeat("9", 60)} {
		if _, err := ParseOrderID(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestGenerate(t *testing.T) {
	now := uint64(day.UnixMilli())
	pools := Generate(1, day)
	if len(pools) != len(registry.Pools()) {
		t.Fatalf("%d pools", len(pools))
	}
	if diff := cmp.Diff(pools, Generate(1, day)); diff != "" {
		t.Error("the same seed gives other books")
	}
	if cmp.Equal(pools, Generate(2, day)) {
		t.Error("another seed gives the same books")
	}
	for _, p := range pools {
		mid, err := p.MidPrice(now)
		if err != nil || mid == 0 {
			t.Errorf("%s has no middle: %v", p.Key, err)
		}
		if p.InitialSharedVersion == 0 || len(p.Bids) < 40 || len(p.Asks) < 40 || p.Bids[0].Price() >= p.Asks[0].Price() {
			t.Errorf("%s: %d bids, %d asks, version %d", p.Key, len(p.Bids), len(p.Asks), p.InitialSharedVersion)
		}
		if p.Whitelisted != (p.Key == "DEEP_SUI" || p.Key == "DEEP_USDC") || p.Whitelisted != (p.DeepPrice == nil) {
			t.Errorf("%s: whitelisted %v, DEEP price %v", p.Key, p.Whitelisted, p.DeepPrice)
		}
		expired, forever, ending := 0, 0, 0
		for _, o := range append(append([]Order{}, p.Bids...), p.Asks...) {
			switch {
			case !o.Live(now):
				expired++
			case o.Expire >= never:
				forever++
			default:
				ending++
			}
			if o.Price() == 0 || o.Price()%p.Tick != 0 || o.Quantity%p.Lot != 0 || o.Quantity < p.Min || o.Remaining() < p.Lot {
				t.Fatalf("%s has the order %+v", p.Key, o)
			}
		}
		if expired == 0 || forever == 0 || ending == 0 {
			t.Errorf("%s: %d expired, %d forever, %d ending", p.Key, expired, forever, ending)
		}
		in := p.Base.Scalar * 100
		if p.Base.Symbol == "XBTC" || p.Base.Symbol == "LZWBTC" {
			in = p.Base.Scalar / 100
		}
		if _, out, _, err := p.QuantityOut(in, 0, true, now); err != nil || out == 0 {
			t.Errorf("%s buys nothing for %d: %v", p.Key, in, err)
		}
		if mid, err := p.MidPrice(now + 400*24*hourMs); err != nil || mid == 0 {
			t.Errorf("%s runs dry: %v", p.Key, err)
		}
	}
	ten := uint64(10_000_000_000)
	if _, out, _, err := generated(t, "SUI_USDC").QuantityOut(ten, 0, false, now); err != nil || out < 12_000_000 ||
		out > 13_500_000 {
		t.Errorf("10 SUI give %d USDC raw, %v", out, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	const pool = `"pool":"0xe05dafb5133bcffb8d59f4e12465dc0e9faeaa05e3e342a08fe135800e3e4407","tickSize":"1","lotSize":"1","minSize":"1","takerFee":"1","makerFee":"0","stakeRequired":"0"`
	ask := `{"order_id":"170141183460493083371774610166267536772","quantity":"5","filled_quantity":"0","expire_timestamp":"1"}`
	book := func(rest string) string { return `{"books":{"a":{` + pool + rest + `}}}` }
	good, err := Load(strings.NewReader(book(`,"timestampMs":5,"asks":[`+ask+`]`)), time.UnixMilli(105))
	if err != nil || len(good) != 1 || good[0].Key != "SUI_USDC" || good[0].Asks[0].Expire != 101 {
		t.Fatalf("%+v, %v", good, err)
	}
	for name, text := range map[string]string{
		"no JSON":         `{`,
		"unknown pool":    strings.Replace(book(""), "0xe05d", "0xe05e", 1),
		"ask among bids":  book(`,"bids":[` + ask + `]`),
		"order twice":     book(`,"asks":[` + ask + `,` + ask + `]`),
		"filled order":    book(`,"asks":[` + strings.Replace(ask, `y":"0"`, `y":"5"`, 1) + `]`),
		"negative amount": book(`,"asks":[` + strings.Replace(ask, `"5"`, `"-5"`, 1) + `]`),
		"number":          book(`,"asks":[` + strings.Replace(ask, `"5"`, `5`, 1) + `]`),
		"no lot":          strings.Replace(book(""), `"lotSize":"1"`, `"lotSize":"0"`, 1),
		"pool twice":      `{"books":{"a":{` + pool + `},"b":{` + pool + `}}}`,
	} {
		if pools, err := Load(strings.NewReader(text), day); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s: %v, %v", name, pools, err)
		}
	}
	all := Complete(good, 1, day)
	if len(all) != len(registry.Pools()) || all[1] != good[0] {
		t.Errorf("completed to %d pools", len(all))
	}
}

func TestShifted(t *testing.T) {
	for _, c := range []struct{ expire, recorded, now, want uint64 }{
		{100, 50, 80, 130}, {100, 50, 20, 70}, {10, 50, 20, 0}, {never, 50, 80, never}, {^uint64(0), 80, 50, ^uint64(0)},
		{never - 1, 0, 7, never + 6}, {100, 0, ^uint64(0), ^uint64(0)},
	} {
		if got := shifted(c.expire, c.recorded, c.now); got != c.want {
			t.Errorf("%d moved from %d to %d is %d, want %d", c.expire, c.recorded, c.now, got, c.want)
		}
	}
}

func TestAborts(t *testing.T) {
	p := generated(t, "WAL_SUI")
	now := uint64(day.UnixMilli())
	dry := p.Clone()
	dry.Asks, dry.DeepPrice = nil, nil
	huge := p.Clone()
	huge.Bids = []Order{{NewOrderID(true, MaxPrice, 1), ^uint64(0), 0, never}}
	for name, c := range map[string]struct {
		want *Abort
		call func() *Abort
	}{
		"both inputs": {abortAmountIn(), func() *Abort { _, _, _, e := p.QuantityOut(1, 1, true, now); return e }},
		"no input":    {abortAmountIn(), func() *Abort { _, _, _, e := p.QuantityOut(0, 0, false, now); return e }},
		"no target":   {abortAmountIn(), func() *Abort { _, _, _, e := p.BaseQuantityIn(0, false, now); return e }},
		"empty side":  {abortEmptyBook(), func() *Abort { _, e := dry.MidPrice(now); return e }},
		"no DEEP price": {abortNoDeepPrice(), func() *Abort {
			_, _, _, e := dry.QuantityOut(p.Min, 0, true,
				now)
			return e
		}},
		"no price, swap":  {abortNoDeepPrice(), func() *Abort { _, e := dry.SwapExact(p.Min, 0, 1, 0, now); return e }},
		"range":           {abortPriceRange(), func() *Abort { _, _, e := p.Level2Range(2, 1, true, now); return e }},
		"range from zero": {abortPriceRange(), func() *Abort { _, _, e := p.Level2Range(0, 1, true, now); return e }},
		"range too high": {abortPriceRange(), func() *Abort {
			_, _, e := p.Level2Range(1, MaxPrice+1, true,
				now)
			return e
		}},
		"no ticks":    {abortTicks(), func() *Abort { _, _, _, _, e := p.Level2TicksFromMid(0, now); return e }},
		"swap both":   {abortQuantityIn(), func() *Abort { _, e := p.SwapExact(1, 1, 0, 0, now); return e }},
		"minimum":     {abortMinimumOut(), func() *Abort { _, e := p.SwapExact(p.Min*2, 0, 0, 1<<60, now); return e }},
		"little DEEP": {abortBalance(), func() *Abort { _, e := p.SwapExact(p.Min*50, 0, 1, 0, now); return e }},
		"overflow": {&Abort{Module: "math", Arithmetic: true}, func() *Abort {
			_, _, _, e := huge.QuantityOut(1<<63, 0,
				false, now)
			return e
		}},
	} {
		before := p.Clone()
		if diff := cmp.Diff(c.want, c.call()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(before, p); diff != "" {
			t.Errorf("%s changed the book: %s", name, diff)
		}
	}
	noPrice := p.Clone()
	noPrice.DeepPrice = nil
	if _, _, deep, err := noPrice.QuantityOut(p.Min*2, 0, false, now); err != nil || deep != 0 {
		t.Errorf("a fee from the input needs no DEEP price: %v", err)
	}
	s, err := p.SwapExact(p.Min-1, 0, 7, 1<<60, now)
	if err != nil || s.Traded || s.BaseOut != p.Min-1 || s.QuoteOut != 0 || s.DeepOut != 7 {
		t.Errorf("below the minimum: %+v, %v", s, err)
	}
}

func TestVisitLimitCountsExpired(t *testing.T) {
	p := &Pool{Tick: 1, Lot: 1, Min: 1, Whitelisted: true}
	for i := range uint64(150) {
		expire := uint64(5)
		if i >= 99 {
			expire = never
		}
		p.Asks = append(p.Asks, Order{NewOrderID(false, scaling, i), 1, 0, expire})
	}
	if base, left, _, err := p.QuantityOut(0, 10, true, 6); err != nil || base != 1 || left != 9 {
		t.Errorf("bought %d, %d left, %v", base, left, err)
	}
	if out, _, _, err := p.QuoteQuantityIn(2, true, 6); err != nil || out != 0 {
		t.Errorf("reached %d, %v", out, err)
	}
	c := p.Clone()
	if s, err := c.SwapExact(0, 1, 0, 1, 6); err != nil || !s.LimitReached || len(c.Asks) != 50 || len(s.Fills) != 100 {
		t.Errorf("swap met %d orders, %d stay, %v", len(s.Fills), len(c.Asks), err)
	}
	sale := &Pool{Tick: 1, Lot: 1, Min: 1, Whitelisted: true}
	for i := range uint64(150) {
		sale.Bids = append(sale.Bids, Order{NewOrderID(true, scaling, ^i), 1, 0, never})
	}
	if s, err := sale.SwapExact(120, 0, 0, 1, 6); err != nil || !s.LimitReached || s.QuoteOut != 100 || s.BaseOut != 20 ||
		len(sale.Bids) != 50 {
		t.Errorf("a sale of 120 met %d orders, %+v, %v", len(s.Fills), s.BaseOut, err)
	}
	if base, _, _, _ := p.QuantityOut(0, 10, true, 5); base != 10 {
		t.Errorf("an order is live at its own expiry: bought %d", base)
	}
}

// TestSwapsKeepWhatThereIs checks random swaps: the total of taker, book and fee stays the same, a
// clone keeps its book, and the result is within a few units of the quote, as documented.
func TestSwapsKeepWhatThereIs(t *testing.T) {
	now := uint64(day.UnixMilli())
	r := rand.New(rand.NewPCG(7, 7))
	for _, p := range Generate(3, day) {
		for range 25 {
			trySwap(t, p, r, now)
			if t.Failed() {
				return
			}
		}
	}
}

func open(orders []Order) (base uint64) {
	for _, o := range orders {
		base += o.Remaining()
	}
	return base
}

func trySwap(t *testing.T, p *Pool, r *rand.Rand, now uint64) {
	var base, quote, deepIn uint64
	size := p.Min/2 + r.Uint64N(p.Min*uint64(1+r.IntN(400)))
	if mid, _ := p.MidPrice(now); r.IntN(2) == 0 {
		base = size
	} else {
		var c checked
		quote = 1 + c.mul(size, mid)
	}
	if r.IntN(2) == 0 {
		deepIn = 1 << 50
	}
	before, after := p.Clone(), p.Clone()
	qb, qq, qd, err := p.QuantityOut(base, quote, deepIn > 0, now)
	if err != nil {
		t.Fatalf("%s quote: %v", p.Key, err)
	}
	s, err := after.SwapExact(base, quote, deepIn, 0, now)
	if diff := cmp.Diff(before, p); diff != "" {
		t.Fatalf("%s: a swap on a clone changed the book: %s", p.Key, diff)
	}
	if err != nil {
		if *err != *abortBalance() || !cmp.Equal(before, after) {
			t.Fatalf("%s %d/%d/%d: %v", p.Key, base, quote, deepIn, err)
		}
		return
	}
	conserved(t, p, after, s, base, quote, deepIn)
	if s.Traded && deepIn > 0 && p.Base.Type != coins.DEEP && (s.BaseOut != qb || s.QuoteOut != qq ||
		deepIn-s.DeepOut != qd) {
		t.Errorf("%s %d/%d: swap %+v, quote %d %d %d", p.Key, base, quote, s, qb, qq, qd)
	}
	if s.Traded && deepIn == 0 {
		slack := uint64(len(s.Fills) + 2)
		if near(s.BaseOut, qb) > slack || near(s.QuoteOut, qq) > slack {
			t.Errorf("%s %d/%d: swap %d/%d, quote %d/%d, %d fills", p.Key, base, quote, s.BaseOut, s.QuoteOut, qb, qq,
				len(s.Fills))
		}
	}
}

func near(a, b uint64) uint64 { return max(a, b) - min(a, b) }

func conserved(t *testing.T, p, after *Pool, s Swap, base, quote, deepIn uint64) {
	t.Helper()
	feeBase, feeQuote, feeDeep := uint64(0), uint64(0), uint64(0)
	switch {
	case s.FeeIsDeep:
		feeDeep = s.Fee
	case s.IsBid:
		feeQuote = s.Fee
	default:
		feeBase = s.Fee
	}
	wantBase, wantQuote, wantDeep := base-s.Base-feeBase, s.Quote, deepIn-feeDeep
	if s.IsBid {
		wantBase, wantQuote = s.Base, quote-s.Quote-feeQuote
	}
	if p.Base.Type == coins.DEEP && s.Traded {
		wantBase, wantDeep = wantBase+wantDeep, 0
	}
	if s.BaseOut != wantBase || s.QuoteOut != wantQuote || s.DeepOut != wantDeep {
		t.Errorf("%s: %+v, want %d/%d/%d", p.Key, s, wantBase, wantQuote, wantDeep)
	}
	removed, shares := uint64(0), uint64(0)
	for _, f := range s.Fills {
		if f.Expired {
			removed += f.Base
		}
		shares += f.TakerFee
	}
	if shares > s.Fee || s.Fee-shares > uint64(2*len(s.Fills)) {
		t.Errorf("%s: shares %d of a fee of %d", p.Key, shares, s.Fee)
	}
	mine, other, otherAfter := p.Bids, p.Asks, after.Asks
	mineAfter := after.Bids
	if s.IsBid {
		mine, other, mineAfter, otherAfter = p.Asks, p.Bids, after.Asks, after.Bids
	}
	if open(mine)-open(mineAfter) != s.Base+removed || open(other) != open(otherAfter) {
		t.Errorf("%s: the book lost %d, the taker got %d and %d had expired", p.Key, open(mine)-open(mineAfter), s.Base,
			removed)
	}
}

// FuzzQuantityOut: no input panics, and no result returns more than was paid.
func FuzzQuantityOut(f *testing.F) {
	f.Add(uint64(1), uint64(1e9), uint64(0), true, uint64(5))
	f.Add(uint64(1e18), uint64(0), ^uint64(0), false, ^uint64(0))
	pools := Generate(1, day)
	f.Fuzz(func(t *testing.T, which, base, quote uint64, deep bool, now uint64) {
		p := pools[which%uint64(len(pools))]
		b, q, _, err := p.QuantityOut(base, quote, deep, now)
		if err == nil && ((quote == 0 && b > base) || (base == 0 && q > quote)) {
			t.Errorf("%s gives %d/%d for %d/%d", p.Key, b, q, base, quote)
		}
		in, out, _, err := p.BaseQuantityIn(quote, deep, now)
		if err == nil && out > 0 && (out < quote || in == 0) {
			t.Errorf("%s takes %d and gives %d of %d", p.Key, in, out, quote)
		}
		before := p.Clone()
		if _, err := p.Clone().SwapExact(base, quote, now, 0, now); err == nil && !cmp.Equal(before, p) {
			t.Error("a swap on a clone changed the book")
		}
	})
}

func BenchmarkQuote(b *testing.B) {
	p, now := generated(b, "SUI_USDC"), uint64(day.UnixMilli())
	for b.Loop() {
		if _, _, _, err := p.QuantityOut(10_000_000_000_000, 0, true, now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCloneAndSwap(b *testing.B) {
	p, now := generated(b, "SUI_USDC"), uint64(day.UnixMilli())
	for b.Loop() {
		if _, err := p.Clone().SwapExact(10_000_000_000_000, 0, 0, 1, now); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTargetsRoundUp: if one lot too few would miss the target by less than its price, one more lot
// is taken from the same order.
func TestTargetsRoundUp(t *testing.T) {
	p := &Pool{Tick: 1, Lot: 1, Min: 1, Whitelisted: true, Bids: []Order{
		{NewOrderID(true, 3*scaling, ^uint64(0)), 100, 0, never}, {NewOrderID(true, 2*scaling, ^uint64(1)), 100, 0, never},
	}}
	for target, want := range map[uint64][2]uint64{9: {3, 9}, 10: {4, 12}, 300: {100, 300}, 301: {101, 302}} {
		if in, out, _, err := p.BaseQuantityIn(target, true, 0); err != nil || in != want[0] || out != want[1] {
			t.Errorf("target %d: %d for %d, %v", target, in, out, err)
		}
	}
	var c checked
	for _, n := range [][3]uint64{{9, 3 * scaling, 3}, {10, 3 * scaling, 4}, {1, ^uint64(0), 1}, {0, 7, 0},
		{1 << 63, scaling, 1 << 63}} {
		if got := c.divUp(n[0], n[1]); got != n[2] || c.broken {
			t.Errorf("%d over %d is %d, want %d", n[0], n[1], got, n[2])
		}
	}
	if c.divUp(1<<63, 1); !c.broken {
		t.Error("a quotient of more than 64 bits was given")
	}
}
