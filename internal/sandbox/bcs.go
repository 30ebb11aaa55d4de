package sandbox

import (
	"encoding/binary"
	"math/big"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// bcsBytes is BCS output under construction.
type bcsBytes []byte

func (b bcsBytes) uleb(n int) bcsBytes { return binary.AppendUvarint(b, uint64(n)) }
func (b bcsBytes) u64(n uint64) bcsBytes {
	return binary.LittleEndian.AppendUint64(b, n)
}

func (b bcsBytes) u32(n uint32) bcsBytes { return binary.LittleEndian.AppendUint32(b, n) }

func (b bcsBytes) u128(n *big.Int) bcsBytes {
	high := new(big.Int).Rsh(n, 64)
	return b.u64(new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64()).u64(high.Uint64())
}

func (b bcsBytes) bool(v bool) bcsBytes {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func (b bcsBytes) raw(p []byte) bcsBytes { return append(b, p...) }
func (b bcsBytes) bytes(p []byte) bcsBytes {
	return append(b.uleb(len(p)), p...)
}
func (b bcsBytes) text(s string) bcsBytes { return append(b.uleb(len(s)), s...) }

// digest writes a digest the way the chain does: a byte vector of 32.
func (b bcsBytes) digest(d sui.Digest) bcsBytes { return b.bytes(d[:]) }

func (b bcsBytes) u64s(list []uint64) bcsBytes {
	b = b.uleb(len(list))
	for _, n := range list {
		b = b.u64(n)
	}
	return b
}

func (b bcsBytes) typeTag(t sui.TypeTag) bcsBytes {
	b = append(b, byte(t.Kind))
	switch t.Kind {
	case sui.TypeVector:
		return b.typeTag(*t.Elem)
	case sui.TypeStruct:
		return b.structTag(*t.Struct)
	}
	return b
}

func (b bcsBytes) structTag(s sui.StructTag) bcsBytes {
	b = b.raw(s.Address[:]).text(s.Module).text(s.Name).uleb(len(s.Params))
	for _, p := range s.Params {
		b = b.typeTag(p)
	}
	return b
}

// owner writes the chain's Owner enum.
func (b bcsBytes) owner(o sui.Owner) bcsBytes {
	switch o.Kind {
	case sui.OwnerAddress:
		return append(b, 0).raw(o.Address[:])
	case sui.OwnerObject:
		return append(b, 1).raw(o.Address[:])
	case sui.OwnerShared:
		return append(b, 2).u64(o.InitialVersion)
	case sui.OwnerConsensusAddress:
		return append(b, 4).u64(o.InitialVersion).raw(o.Address[:])
	}
	return append(b, 3)
}

// hash is blake2b-256 over the chain's domain word and the bytes.
func hash(domain string, data []byte) sui.Digest {
	return blake2b.Sum256(append([]byte(domain), data...))
}
