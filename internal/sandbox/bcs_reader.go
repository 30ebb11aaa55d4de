package sandbox

import (
	"encoding/binary"
	"errors"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// bcsIn reads BCS; after the first problem everything reads as zero and err says
// what it was.
type bcsIn struct {
	rest []byte
	err  error
}

func newReader(b []byte) *bcsIn { return &bcsIn{rest: b} }

// end returns the first problem; bytes that are left over are one.
func (b *bcsIn) end() error {
	if b.err == nil && len(b.rest) > 0 {
		b.fail("bytes are left over")
	}
	return b.err
}

func (b *bcsIn) fail(what string) {
	if b.err == nil {
		b.err = errors.New(what)
	}
	b.rest = nil
}

func (b *bcsIn) take(n int) []byte {
	if b.err != nil || n > len(b.rest) {
		b.fail("the bytes end too early")
		return make([]byte, min(n, 64))
	}
	taken := b.rest[:n]
	b.rest = b.rest[n:]
	return taken
}

func (b *bcsIn) u8() byte    { return b.take(1)[0] }
func (b *bcsIn) u16() uint16 { return binary.LittleEndian.Uint16(b.take(2)) }
func (b *bcsIn) u32() uint32 { return binary.LittleEndian.Uint32(b.take(4)) }
func (b *bcsIn) u64() uint64 { return binary.LittleEndian.Uint64(b.take(8)) }

// count reads a length, which what follows must be able to hold.
func (b *bcsIn) count() int {
	n, used := binary.Uvarint(b.rest)
	if used <= 0 || n > uint64(len(b.rest)) {
		b.fail("a length is larger than the bytes")
		return 0
	}
	b.take(used)
	return int(n)
}

func (b *bcsIn) address() sui.Address { return sui.Address(b.take(32)) }
func (b *bcsIn) text() string         { return string(b.take(b.count())) }

func (b *bcsIn) digest() sui.Digest {
	if b.count() != 32 {
		b.fail("a digest has not 32 bytes")
		return sui.Digest{}
	}
	return sui.Digest(b.take(32))
}

func (b *bcsIn) option() bool {
	switch b.u8() {
	case 0:
		return false
	case 1:
		return b.err == nil
	}
	b.fail("an option is neither there nor not")
	return false
}

// each reads a list.
func (b *bcsIn) each(item func()) {
	for n := b.count(); n > 0 && b.err == nil; n-- {
		item()
	}
}

func (b *bcsIn) owner() sui.Owner {
	switch b.u8() {
	case 0:
		return sui.Owner{Kind: sui.OwnerAddress, Address: b.address()}
	case 1:
		return sui.Owner{Kind: sui.OwnerObject, Address: b.address()}
	case 2:
		return sui.Owner{Kind: sui.OwnerShared, InitialVersion: b.u64()}
	case 3:
		return sui.Owner{Kind: sui.OwnerImmutable}
	case 4:
		return sui.Owner{Kind: sui.OwnerConsensusAddress, InitialVersion: b.u64(), Address: b.address()}
	}
	b.fail("an owner of an unknown kind")
	return sui.Owner{}
}
