package limitorder

import (
	"encoding/binary"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// The parts that two events have in common in their first bytes: for an order
// that rests manager, pool, number, client's number, trader, price, side and what
// rests; for the order itself pool, number, manager, client's number, trader,
// two kinds, price, side, quantity, two words on DEEP, end, and what was traded.
const (
	restingSize = 32 + 32 + 16 + 8 + 32 + 8 + 1 + 8
	tradedAt    = 32 + 16 + 32 + 8 + 32 + 1 + 1 + 8 + 1 + 8 + 9 + 8
)

// Witness implements review.Witness: it says what traded at once, what rests, and
// under which number.
func (*Adapter) Witness(e sui.Executed, f review.Facts) []review.Term {
	pool, ok := registry.PoolByID(f.RouteID)
	if !ok {
		return nil
	}
	base, quote := managed.Asset(pool.Base), managed.Asset(pool.Quote)
	var out []review.Term
	placed := managed.Event(e, "order_info", "OrderPlaced", restingSize)
	if placed != nil && [32]byte(placed[32:64]) == pool.ID {
		out = append(out, review.Term{Name: "Order number", Value: number(placed[64:80])},
			review.Term{Name: "Rests in the book", Value: base.Of(sui.Raw(managed.U64(placed, restingSize-8))).String()})
	}
	if info := managed.Event(e, "order_info", "OrderInfo", tradedAt+16); info != nil && [32]byte(info[:32]) == pool.ID {
		now := "Nothing"
		if n := managed.U64(info, tradedAt); n > 0 {
			now = base.Of(sui.Raw(n)).String() + " for " + quote.Of(sui.Raw(managed.U64(info, tradedAt+8))).String()
		}
		out = append(out, review.Term{Name: "Traded at once", Value: now})
		if placed == nil {
			out = append(out, review.Term{Name: "Rests in the book", Value: "Nothing"})
		}
	}
	return out
}

// number writes an order's number of 16 bytes, the lowest first.
func number(b []byte) string {
	high, low := new(big.Int).SetUint64(binary.LittleEndian.Uint64(b[8:])), new(big.Int).SetUint64(binary.LittleEndian.Uint64(b))
	return high.Lsh(high, 64).Or(high, low).String()
}
