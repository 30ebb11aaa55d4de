package clob

import (
	"cmp"
	"encoding/binary"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/fault"
)

const askBit = uint64(1) << 63

// OrderID is an order's 128-bit id. Bit 127 is set for asks, bits 126 to 64 are the price, and the low
// 64 bits are a sequence that counts down for bids and up for asks. Ids therefore sort in price-time
// order.
type OrderID struct{ Hi, Lo uint64 }

// NewOrderID returns an id. The price must be below 2^63.
func NewOrderID(isBid bool, price, sequence uint64) OrderID {
	if isBid {
		return OrderID{price, sequence}
	}
	return OrderID{price | askBit, sequence}
}

// ParseOrderID reads a decimal number of at most 128 bits. It returns fault.InputInvalid for any other
// text.
func ParseOrderID(s string) (OrderID, error) {
	n, ok := new(big.Int).SetString(s, 10)
	if len(s) > 39 || !ok || n.Sign() < 0 || n.BitLen() > 128 || n.String() != s {
		return OrderID{}, fault.New(fault.InputInvalid, "An order id must be a whole number of at most 128 bits.")
	}
	var b [16]byte
	n.FillBytes(b[:])
	return OrderID{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}, nil
}

// Price returns the raw price in the id.
func (id OrderID) Price() uint64 { return id.Hi &^ askBit }

// IsBid reports whether the id belongs to a bid.
func (id OrderID) IsBid() bool { return id.Hi&askBit == 0 }

// Compare orders ids as integers.
func (id OrderID) Compare(other OrderID) int {
	return cmp.Or(cmp.Compare(id.Hi, other.Hi), cmp.Compare(id.Lo, other.Lo))
}

// String returns the id in decimal.
func (id OrderID) String() string {
	b := binary.BigEndian.AppendUint64(nil, id.Hi)
	return new(big.Int).SetBytes(binary.BigEndian.AppendUint64(b, id.Lo)).String()
}

// BCS returns the 16 bytes of a Move u128.
func (id OrderID) BCS() []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, id.Lo), id.Hi)
}
