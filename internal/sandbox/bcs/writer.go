// Package bcs writes and reads BCS, and computes digests as the chain does.
package bcs

import (
	"encoding/binary"
	"math/big"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Bytes is BCS output under construction.
type Bytes []byte

// Uleb appends a length or a variant number.
func (b Bytes) Uleb(n int) Bytes { return binary.AppendUvarint(b, uint64(n)) }

// U64 appends eight bytes, little-endian.
func (b Bytes) U64(n uint64) Bytes {
	return binary.LittleEndian.AppendUint64(b, n)
}

// U32 appends four bytes, little-endian.
func (b Bytes) U32(n uint32) Bytes { return binary.LittleEndian.AppendUint32(b, n) }

// U128 appends sixteen bytes, little-endian.
func (b Bytes) U128(n *big.Int) Bytes {
	high := new(big.Int).Rsh(n, 64)
	return b.U64(new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64()).U64(high.Uint64())
}

// Bool appends one byte.
func (b Bytes) Bool(v bool) Bytes {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// Raw appends bytes of a fixed length, such as an address.
func (b Bytes) Raw(p []byte) Bytes { return append(b, p...) }

// Bytes appends a vector<u8>.
func (b Bytes) Bytes(p []byte) Bytes {
	return append(b.Uleb(len(p)), p...)
}

// Text appends a string as UTF-8 bytes.
func (b Bytes) Text(s string) Bytes { return append(b.Uleb(len(s)), s...) }

// Digest appends a digest as the chain does: a vector of 32 bytes.
func (b Bytes) Digest(d sui.Digest) Bytes { return b.Bytes(d[:]) }

// U64s appends a vector<u64>.
func (b Bytes) U64s(list []uint64) Bytes {
	b = b.Uleb(len(list))
	for _, n := range list {
		b = b.U64(n)
	}
	return b
}

// TypeTag appends a Move type.
func (b Bytes) TypeTag(t sui.TypeTag) Bytes {
	b = append(b, byte(t.Kind))
	switch t.Kind {
	case sui.TypeVector:
		return b.TypeTag(*t.Elem)
	case sui.TypeStruct:
		return b.StructTag(*t.Struct)
	}
	return b
}

// StructTag appends a Move struct type without the enum around it.
func (b Bytes) StructTag(s sui.StructTag) Bytes {
	b = b.Raw(s.Address[:]).Text(s.Module).Text(s.Name).Uleb(len(s.Params))
	for _, p := range s.Params {
		b = b.TypeTag(p)
	}
	return b
}

// Owner appends the chain's Owner enum.
func (b Bytes) Owner(o sui.Owner) Bytes {
	switch o.Kind {
	case sui.OwnerAddress:
		return append(b, 0).Raw(o.Address[:])
	case sui.OwnerObject:
		return append(b, 1).Raw(o.Address[:])
	case sui.OwnerShared:
		return append(b, 2).U64(o.InitialVersion)
	case sui.OwnerConsensusAddress:
		return append(b, 4).U64(o.InitialVersion).Raw(o.Address[:])
	}
	return append(b, 3)
}

// Hash returns blake2b-256 over the chain's domain prefix and the bytes.
func Hash(domain string, data []byte) sui.Digest {
	return blake2b.Sum256(append([]byte(domain), data...))
}
