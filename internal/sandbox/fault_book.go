package sandbox

import "github.com/sayurintent/sayurintent/internal/sandbox/clob"

// Faults that change one pool, as its administrator or its makers could.
const (
	ThinBook   FaultKind = "thin_book"   // Pool keeps the best Number live orders of each side
	LeastSize  FaultKind = "least_size"  // Pool trades no less than Number raw units of base
	LotSize    FaultKind = "lot_size"    // Pool trades in steps of Number raw units of base
	TakerFee   FaultKind = "taker_fee"   // Pool takes Number billionths
	MakerFee   FaultKind = "maker_fee"   // Pool takes Number billionths of what rests
	DeepPoints FaultKind = "deep_points" // Pool's DEEP price becomes Number (raw DEEP per raw quote, times 10^9); 0: it has none
)

// changePool puts an edited copy of a pool's book in its place.
func (l *ledger) changePool(key string, edit func(*clob.Pool)) error {
	o, err := l.poolByKey(key)
	if err != nil {
		return err
	}
	p := o.pool.Clone()
	edit(p)
	l.made++
	previous := hash("say-ur-intent/sandbox/pool-changed", bcsBytes(nil).u64(l.made))
	l.put(o.next(o.version+1, previous, func(n *object) { n.pool = p }))
	return nil
}

// changeBook carries out one of the faults of this file.
func (l *ledger) changeBook(f Fault, nowMs uint64) error {
	return l.changePool(f.Pool, func(p *clob.Pool) {
		switch f.Kind {
		case ThinBook:
			p.Bids, p.Asks = bestLive(p.Bids, f.Number, nowMs), bestLive(p.Asks, f.Number, nowMs)
		case LeastSize:
			p.Min = f.Number
		case LotSize:
			p.Lot = f.Number
		case TakerFee:
			p.TakerFee = f.Number
		case MakerFee:
			p.MakerFee = f.Number
		case DeepPoints:
			if p.DeepPrice = nil; f.Number > 0 {
				p.DeepPrice = &clob.DeepPrice{PerAsset: f.Number}
			}
		}
	})
}

// bestLive gives the first n live orders of a side that is best first.
func bestLive(side []clob.Order, n, nowMs uint64) []clob.Order {
	kept := []clob.Order{}
	for _, o := range side {
		if o.Live(nowMs) && uint64(len(kept)) < n {
			kept = append(kept, o)
		}
	}
	return kept
}
