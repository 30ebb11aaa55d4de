package clob

import (
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// values lists the value of one whole coin in millionths of a dollar. It resembles the market early
// in 2026, not any particular day.
var values = map[string]uint64{
	"SUI": 1_292_900, "USDC": 1_000_000, "DEEP": 32_700, "WAL": 107_700, "SUIUSDE": 999_800,
	"XBTC": 88_200_000_000, "USDSUI": 1_000_100, "WUSDC": 999_900, "WETH": 2_950_000_000,
	"BETH": 2_950_000_000, "WBTC": 88_150_000_000, "WUSDT": 999_400, "NS": 41_500, "TYPUS": 11_800,
	"AUSD": 999_700, "DRF": 1_520, "SEND": 214_000, "IKA": 4_310, "ALKIMI": 18_600,
	"LZWBTC": 88_100_000_000, "USDT": 999_300,
}

// dollars lists the coins whose pairs with each other are stable pools.
var dollars = map[string]bool{
	"USDC": true, "SUIUSDE": true, "USDSUI": true, "WUSDC": true, "WUSDT": true, "AUSD": true, "USDT": true,
}

// Shape of a generated side: the number of price levels, and the value of one order in millionths of a
// dollar.
const (
	levelsPerSide = 48
	smallestOrder = 20_000_000
	largestOrder  = 2_500_000_000
)

const hourMs = 3_600_000

// Generate creates a book for every registered pool. It resembles mainnet's and is deterministic for a
// seed and time: each side has dozens of price levels, and some orders have expired, never expire or
// are partly filled. The best live order of each side never expires. DEEP_SUI and DEEP_USDC are
// whitelisted.
func Generate(seed int64, now time.Time) []*Pool {
	pools := []*Pool{}
	for _, pinned := range registry.Pools() {
		pools = append(pools, generate(pinned, seed, uint64(max(0, now.UnixMilli()))))
	}
	return pools
}

func generate(pinned registry.Pool, seed int64, nowMs uint64) *Pool {
	p := shell(pinned)
	p.parameters(pinned.Observed)
	name := fnv.New64a()
	name.Write([]byte(p.Key))
	g := generator{
		pool: p, nowMs: nowMs,
		rand: rand.New(rand.NewPCG(uint64(seed), name.Sum64())),
		mid:  ratio(values[p.Base.Symbol], power(9+p.Quote.Decimals-p.Base.Decimals), values[p.Quote.Symbol]),
	}
	p.Bids, p.Asks = g.side(true), g.side(false)
	p.Sort()
	return p
}

// parameters sets the pool's parameters to the observed ones, or to similar values if none were
// observed.
func (p *Pool) parameters(o registry.Observed) {
	p.Stable = dollars[p.Base.Symbol] && dollars[p.Quote.Symbol]
	p.Whitelisted = p.Base.Type == coins.DEEP
	p.Tick, p.Lot, p.Min = o.Tick, o.Lot, o.Min
	if o.Checkpoint == 0 {
		whole := p.Base.Scalar
		p.Tick, p.Lot, p.Min = power(p.Quote.Decimals-p.Base.Decimals+9)/10_000, whole/10, whole
		if p.Stable {
			p.Tick = 10_000
		}
	}
	p.TakerFee, p.MakerFee, p.StakeRequired = 200_000, 0, 100_000_000_000
	switch {
	case p.Whitelisted:
		p.TakerFee, p.StakeRequired = 0, 0
	case p.Stable:
		p.TakerFee = 10_000
	case p.Base.Type == sui.SUI:
		p.TakerFee = 100_000
	}
	if !p.Whitelisted {
		// Raw DEEP per raw quote times 10^9; DEEP has six decimals.
		whole := ratio(values[p.Quote.Symbol], power(15), values["DEEP"])
		p.DeepPrice = &DeepPrice{PerAsset: whole / p.Quote.Scalar}
	}
}

type generator struct {
	pool       *Pool
	rand       *rand.Rand
	nowMs, mid uint64
	sequence   uint64
}

func (g *generator) side(isBid bool) []Order {
	p := g.pool
	middle := g.mid / p.Tick
	step := max(1, middle/4000)
	away := 1 + g.rand.Uint64N(step)
	var side []Order
	for level := range levelsPerSide {
		if isBid && away+1 >= middle {
			break
		}
		ticks := middle + away
		if isBid {
			ticks = middle - away
		}
		for n := range 1 + g.rand.IntN(3) {
			side = append(side, g.order(isBid, ticks*p.Tick, level == 0 && n == 0))
		}
		away += 1 + g.rand.Uint64N(step+uint64(level)*step/8)
	}
	return side
}

func (g *generator) order(isBid bool, price uint64, first bool) Order {
	p := g.pool
	value := smallestOrder + g.rand.Uint64N(largestOrder-smallestOrder)
	quantity := ratio(value, p.Base.Scalar, values[p.Base.Symbol])
	quantity = max(quantity-quantity%p.Lot, p.Min)
	g.sequence++
	sequence := 1_000_000 + g.sequence
	if isBid {
		sequence = ^sequence
	}
	o := Order{ID: NewOrderID(isBid, price, sequence), Quantity: quantity, Expire: g.expiry(first)}
	if quantity > 2*p.Lot && g.rand.IntN(6) == 0 {
		part := g.rand.Uint64N(quantity / p.Lot)
		o.Filled = part * p.Lot
	}
	return o
}

// expiry returns never, a past time, or a time one hour to a week ahead.
func (g *generator) expiry(first bool) uint64 {
	roll := g.rand.IntN(100)
	switch {
	case first || roll < 15:
		return ^uint64(0)
	case roll < 30:
		return never
	case roll < 40:
		return g.nowMs - min(g.nowMs, 1+g.rand.Uint64N(hourMs))
	}
	return g.nowMs + hourMs + g.rand.Uint64N(7*24*hourMs)
}

func power(n uint8) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// ratio returns floor(a*b/c). The result must fit 64 bits.
func ratio(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}
