package sui

import (
	"bytes"
	"encoding/binary"
)

// reservationMark ends the digest of an object reference that stands for part of an address balance.
// Builders that know only coins use such references to withdraw. No real object has such a digest.
var reservationMark = bytes.Repeat([]byte{0xac}, 20)

// Reservation reports whether the reference is a reservation of an address balance rather than an
// object: its digest ends in twenty 0xac bytes. Check this before counting coins.
func (r ObjectRef) Reservation() bool {
	//mutant:never ./internal/sui TestReservationsAreNoCoins/gas and input
	return bytes.HasSuffix(r.Digest[:], reservationMark)
}

// Reserves reports whether the transaction uses a reservation of an address balance encoded as a coin,
// for gas or as an input.
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

// reservations counts the reservations in list.
func reservations(list []ObjectRef) int {
	n := 0
	for _, r := range list {
		if r.Reservation() {
			n++
		}
	}
	return n
}

// reservedAmount returns the raw units of a reservation: the first eight bytes of its digest.
func (r ObjectRef) reservedAmount() Raw { return Raw(binary.LittleEndian.Uint64(r.Digest[:8])) }
