package relay

import (
	"crypto/rand"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/nacl/box"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Kinds of packets. In each direction, packets of each kind are numbered separately.
const (
	kindData byte = 1 // next bytes of the stream
	kindEnd  byte = 2 // end of the stream, numbered like data, with the reason as its payload
	kindAck  byte = 3 // number of the next expected packet; also a heartbeat
)

// Directions of packets, which are part of every nonce.
const (
	dirUp   byte = 1 // from the connecting side
	dirDown byte = 2
)

const (
	headBytes = 1 + 8
	sealBytes = headBytes + box.Overhead
)

// packetKeys seals and opens the packets of one connection. Each connection has its own key, so
// packets of another connection are rejected.
type packetKeys struct {
	shared    [32]byte
	out, back byte
}

// nonce returns the nonce of a packet. It is unique for each direction, kind and number.
func nonce(dir, kind byte, number uint64) *[24]byte {
	var n [24]byte
	n[0], n[1] = dir, kind
	binary.BigEndian.PutUint64(n[16:], number)
	return &n
}

func (k *packetKeys) seal(kind byte, number uint64, payload []byte) []byte {
	out := make([]byte, headBytes, sealBytes+len(payload))
	out[0] = kind
	binary.BigEndian.PutUint64(out[1:], number)
	return box.SealAfterPrecomputation(out, payload, nonce(k.out, kind, number), &k.shared)
}

// open returns the contents of a packet from the other side. It returns false for all other
// packets, including this side's own.
func (k *packetKeys) open(packet []byte) (kind byte, number uint64, payload []byte, ok bool) {
	if len(packet) < sealBytes {
		return 0, 0, nil, false
	}
	kind, number = packet[0], binary.BigEndian.Uint64(packet[1:])
	payload, ok = box.OpenAfterPrecomputation(nil, packet[headBytes:], nonce(k.back, kind, number), &k.shared)
	return kind, number, payload, ok
}

// letter seals a message from one long-lived key to another, with a random nonce.
func letter(message []byte, to, from remotes.Key) ([]byte, error) {
	var n [24]byte
	if _, err := rand.Read(n[:]); err != nil {
		return nil, err
	}
	return box.Seal(n[:], message, &n, (*[32]byte)(&to), (*[32]byte)(&from)), nil
}

var errSealed = errors.New("relay: a message cannot be opened")

// openLetter opens a letter; to is the receiver's private key.
func openLetter(sealed []byte, from, to remotes.Key) ([]byte, error) {
	if len(sealed) < 24 {
		return nil, errSealed
	}
	message, ok := box.Open(nil, sealed[24:], (*[24]byte)(sealed[:24]), (*[32]byte)(&from), (*[32]byte)(&to))
	if !ok {
		return nil, errSealed
	}
	return message, nil
}
