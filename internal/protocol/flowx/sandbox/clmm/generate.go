package clmm

import (
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
)

// place is a range of liquidity: a number of grid points on each side of the price, and its share
// of the pool's depth in thousandths.
type place struct {
	points int32
	share  uint64
}

func places() []place { return []place{{60, 620}, {240, 260}, {1200, 120}} }

// depth is the amount of X on each side of a pool, in whole coins, and the offset of its price in
// millionths, by fee. The 500 tier is the deepest, as on mainnet. Offsets are too small to
// arbitrage after fees.
type depth struct {
	wholeX uint64
	offset int64
}

func depths() map[uint64]depth {
	return map[uint64]depth{
		10: {90_000, 0}, 100: {240_000, 60}, 500: {1_900_000, -250}, 1000: {160_000, 500},
		2000: {70_000, -900}, 3000: {310_000, 1500}, 10000: {12_000, -4000},
	}
}

// Generate makes every registered pool with its price near middle, the raw units of Y per raw unit
// of X. It is deterministic.
func Generate(middle *big.Rat) []*Pool {
	pools := []*Pool{}
	for _, pinned := range registry.Pools() {
		d := depths()[pinned.Fee]
		price := new(big.Rat).Mul(middle, big.NewRat(1_000_000+d.offset, 1_000_000))
		pools = append(pools, New(pinned, price, d.wholeX))
	}
	return pools
}

// New makes a pool at a price, in raw units of Y per raw unit of X, with about wholeX coins of X on
// each side.
func New(pinned registry.Pool, price *big.Rat, wholeX uint64) *Pool {
	square := new(big.Int).Lsh(price.Num(), 128)
	p := &Pool{Pool: pinned, Price: new(big.Int).Sqrt(square.Quo(square, price.Denom())), Liquidity: new(big.Int)}
	p.Tick = TickAt(p.Price)
	spacing := int32(p.TickSpacing)
	x := number(wholeX)
	for range pinned.X.Decimals {
		x.Mul(x, big.NewInt(10))
	}
	near := floorDiv(p.Tick, spacing)
	for _, at := range places() {
		share := new(big.Int).Mul(x, number(at.share))
		share.Quo(share, big.NewInt(1000))
		p.add((near-at.points)*spacing, (near+1+at.points)*spacing, share)
	}
	return p
}

// add adds liquidity between two ticks around the price: x above the price, and the matching amount
// of Y below.
func (p *Pool) add(lower, upper int32, x *big.Int) {
	low, high := PriceAt(lower), PriceAt(upper)
	n := new(big.Int).Mul(x, p.Price)
	n.Mul(n, high)
	d := new(big.Int).Sub(high, p.Price)
	liquidity := n.Quo(n, d.Lsh(d, 64))
	p.Liquidity.Add(p.Liquidity, liquidity)
	p.net(lower, liquidity)
	p.net(upper, new(big.Int).Neg(liquidity))
	p.ReserveX += amountX(p.Price, high, liquidity, true).Uint64()
	p.ReserveY += amountY(p.Price, low, liquidity, true).Uint64()
}

func (p *Pool) net(index int32, by *big.Int) {
	i, found := slices.BinarySearchFunc(p.Ticks, index, func(t Tick, n int32) int { return int(t.Index - n) })
	if found {
		p.Ticks[i].Net = new(big.Int).Add(p.Ticks[i].Net, by)
		return
	}
	p.Ticks = slices.Insert(p.Ticks, i, Tick{index, by})
}

// Shift returns the pool with its price moved by basis points at the same depth, as if by trades.
func (p *Pool) Shift(basisPoints int) *Pool {
	price := new(big.Rat).SetFrac(new(big.Int).Mul(p.Price, p.Price), new(big.Int).Lsh(big.NewInt(1), 128))
	price.Mul(price, big.NewRat(int64(10_000+basisPoints), 10_000))
	return New(p.Pool, price, depths()[p.Fee].wholeX)
}
