package sui

import (
	"bytes"
	"encoding/binary"
)

// reservationMark ends the digest of an object reference that stands for a part of
// an address balance: such a reference is a withdrawal written as a coin, so that
// builders that know only coins can name it. No object has that digest.
var reservationMark = bytes.Repeat([]byte{0xac}, 20)

// Reservation reports whether the reference is not an object but a reservation of
// an address balance in the form of one: its digest ends in twenty bytes 0xac.
// Callers that count coins must check this first.
func (r ObjectRef) Reservation() bool {
	//mutant:never ./internal/sui TestReservationsAreNoCoins/gas and input
	return bytes.HasSuffix(r.Digest[:], reservationMark)
}

// Reserves reports whether the transaction names a reservation of an address
// balance in the shape of a coin, as gas or as an input.
func (t *Transaction) Reserves() bool {
	if reservations(t.Gas.Payment) > 0 {
		return true
	}
	for _, in := range t.Inputs {
		if owned, ok := in.(OwnedInput); ok && owned.Ref.Reservation() {
			return true
		}
	}
	return false
}

// reservations counts the references among list that are reservations.
func reservations(list []ObjectRef) int {
	n := 0
	for _, r := range list {
		if r.Reservation() {
			n++
		}
	}
	return n
}

// reservedAmount returns the raw units that a reservation in the shape of a coin
// names: the first eight bytes of its digest.
func (r ObjectRef) reservedAmount() Raw { return Raw(binary.LittleEndian.Uint64(r.Digest[:8])) }
