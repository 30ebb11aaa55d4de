package sandbox

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// AdvanceEpoch ends the present epoch.
func (l *ledger) AdvanceEpoch() {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advanceEpoch(now)
}

// Admit sets whether a pool, or every pool, admits a version of DeepBook's
// package.
func (l *ledger) Admit(pool string, version uint64, allowed bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := versionOf{version: version}
	if pool != "" {
		o, err := l.poolByKey(pool)
		if err != nil {
			return err
		}
		v.pool = o.id
	}
	if allowed {
		delete(l.disabled, v)
	} else {
		l.disabled[v] = true
	}
	return nil
}

// AdmitAll makes every pool admit every version again.
func (l *ledger) AdmitAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.disabled)
}

// Consume moves a coin's version on, as a transaction from elsewhere would.
func (l *ledger) Consume(id string) error {
	a, err := address(id, "object")
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.objects[a]
	if o == nil || o.coin == "" {
		return refuse("no coin %s", a)
	}
	l.put(o.next(o.version+1, l.elsewhere("consumed"), nil))
	return nil
}

// elsewhere is the digest of what changed an object without a transaction of the
// chain.
func (l *ledger) elsewhere(word string) sui.Digest {
	l.made++
	return hash("say-ur-intent/sandbox/"+word, bcsBytes(nil).u64(l.made))
}

// EditPool puts an edited copy of an order book in its place.
func (l *ledger) EditPool(key string, edit func(p *clob.Pool, nowMs uint64)) error {
	now := uint64(max(0, l.now().UnixMilli()))
	l.mu.Lock()
	defer l.mu.Unlock()
	o, err := l.poolByKey(key)
	if err != nil {
		return err
	}
	p := o.pool.Clone()
	edit(p, now)
	l.put(o.next(o.version+1, l.elsewhere("pool-changed"), func(n *object) { n.pool = p }))
	return nil
}

func (l *ledger) poolByKey(key string) (*object, error) {
	for _, o := range l.objects {
		if o.pool != nil && o.pool.Key == key {
			return o, nil
		}
	}
	return nil, refuse("no pool %q", key)
}

// ShiftPrice moves the price of a FlowX pool, or every order of a book, by basis
// points, each rounded down to a tick and at least one tick, as if the market had
// moved.
func (l *ledger) ShiftPrice(key string, basisPoints int) error {
	if basisPoints <= -10_000 || basisPoints > 100_000 {
		return refuse("basisPoints is out of range")
	}
	if l.shiftFlowx(key, basisPoints) {
		return nil
	}
	return l.EditPool(key, func(p *clob.Pool, _ uint64) {
		for _, side := range [][]clob.Order{p.Bids, p.Asks} {
			for i := range side {
				price := shifted(side[i].Price(), basisPoints, p.Tick)
				moved := clob.NewOrderID(side[i].IsBid(), price, side[i].ID.Lo)
				p.Renamed(side[i].ID, moved)
				side[i].ID = moved
			}
		}
		p.Sort()
	})
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
