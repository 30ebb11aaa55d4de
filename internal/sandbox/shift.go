package sandbox

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
)

// shiftPrice moves every order of a pool's book by basis points, each rounded
// down to a tick and at least one tick, as if the market had moved.
func (l *ledger) shiftPrice(key string, basisPoints int) error {
	if basisPoints <= -10_000 || basisPoints > 100_000 {
		return refuse("basisPoints is out of range")
	}
	if l.shiftFlowx(key, basisPoints) {
		return nil
	}
	o, err := l.poolByKey(key)
	if err != nil {
		return err
	}
	p := o.pool.Clone()
	for _, side := range [][]clob.Order{p.Bids, p.Asks} {
		for i := range side {
			price := shifted(side[i].Price(), basisPoints, p.Tick)
			moved := clob.NewOrderID(side[i].IsBid(), price, side[i].ID.Lo)
			p.Renamed(side[i].ID, moved)
			side[i].ID = moved
		}
	}
	p.Sort()
	l.made++
	previous := hash("say-ur-intent/sandbox/shift", bcsBytes(nil).u64(l.made))
	l.put(o.next(o.version+1, previous, func(n *object) { n.pool = p }))
	return nil
}

func shifted(price uint64, basisPoints int, tick uint64) uint64 {
	n := new(big.Int).SetUint64(price)
	n.Mul(n, big.NewInt(int64(10_000+basisPoints)))
	n.Div(n, big.NewInt(10_000))
	if !n.IsUint64() || n.Uint64() > clob.MaxPrice {
		return clob.MaxPrice - clob.MaxPrice%tick
	}
	moved := n.Uint64() - n.Uint64()%tick
	return max(moved, tick)
}
