package bcs

import (
	"encoding/binary"
	"errors"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reader reads BCS. After the first error everything reads as zero.
type Reader struct {
	rest []byte
	err  error
}

// NewReader reads from the first byte of b.
func NewReader(b []byte) *Reader { return &Reader{rest: b} }

// End returns the first error. Remaining bytes are an error.
func (b *Reader) End() error {
	if b.err == nil && len(b.rest) > 0 {
		b.Fail("bytes are left over")
	}
	return b.err
}

// Fail records a caller's error unless there is one already.
func (b *Reader) Fail(what string) {
	if b.err == nil {
		b.err = errors.New(what)
	}
	b.rest = nil
}

// take returns the next n bytes, or zeros if there are fewer, so that callers can convert without
// checking.
func (b *Reader) take(n int) []byte {
	if b.err != nil || n > len(b.rest) {
		b.Fail("the bytes end too early")
		return make([]byte, min(n, 64))
	}
	taken := b.rest[:n]
	b.rest = b.rest[n:]
	return taken
}

// U8 reads one byte.
func (b *Reader) U8() byte { return b.take(1)[0] }

// U16 reads two bytes.
func (b *Reader) U16() uint16 { return binary.LittleEndian.Uint16(b.take(2)) }

// U32 reads four bytes.
func (b *Reader) U32() uint32 { return binary.LittleEndian.Uint32(b.take(4)) }

// U64 reads eight bytes.
func (b *Reader) U64() uint64 { return binary.LittleEndian.Uint64(b.take(8)) }

// count reads a length, which must not exceed the remaining bytes.
func (b *Reader) count() int {
	n, used := binary.Uvarint(b.rest)
	if used <= 0 || n > uint64(len(b.rest)) {
		b.Fail("a length is larger than the bytes")
		return 0
	}
	b.take(used)
	return int(n)
}

// Address reads 32 bytes.
func (b *Reader) Address() sui.Address { return sui.Address(b.take(32)) }

// Text reads a string.
func (b *Reader) Text() string { return string(b.take(b.count())) }

// Digest reads a digest, which the chain writes as a vector of 32 bytes.
func (b *Reader) Digest() sui.Digest {
	if b.count() != 32 {
		b.Fail("a digest does not have 32 bytes")
		return sui.Digest{}
	}
	return sui.Digest(b.take(32))
}

// Option reads whether a value follows.
func (b *Reader) Option() bool {
	switch b.U8() {
	case 0:
		return false
	case 1:
		return b.err == nil
	}
	b.Fail("an option byte is neither 0 nor 1")
	return false
}

// Each reads a list.
func (b *Reader) Each(item func()) {
	for n := b.count(); n > 0 && b.err == nil; n-- {
		item()
	}
}

// Owner reads the chain's Owner enum.
func (b *Reader) Owner() sui.Owner {
	switch b.U8() {
	case 0:
		return sui.Owner{Kind: sui.OwnerAddress, Address: b.Address()}
	case 1:
		return sui.Owner{Kind: sui.OwnerObject, Address: b.Address()}
	case 2:
		return sui.Owner{Kind: sui.OwnerShared, InitialVersion: b.U64()}
	case 3:
		return sui.Owner{Kind: sui.OwnerImmutable}
	case 4:
		return sui.Owner{Kind: sui.OwnerConsensusAddress, InitialVersion: b.U64(), Address: b.Address()}
	}
	b.Fail("an owner of an unknown kind")
	return sui.Owner{}
}
