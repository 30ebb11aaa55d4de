package sui

import "encoding/binary"

// PureU64 returns a u64 argument.
func PureU64(v uint64) PureInput {
	return PureInput{Bytes: binary.LittleEndian.AppendUint64(nil, v)}
}

// PureBool returns a bool argument.
func PureBool(v bool) PureInput {
	if v {
		return PureInput{Bytes: []byte{1}}
	}
	return PureInput{Bytes: []byte{0}}
}

// PureAddress returns an address argument.
func PureAddress(a Address) PureInput { return PureInput{Bytes: append([]byte(nil), a[:]...)} }

// U64 reads a u64. It returns false unless there are 8 bytes. The bytes carry no type: only the command
// that uses them determines it.
func (p PureInput) U64() (uint64, bool) {
	if len(p.Bytes) != 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(p.Bytes), true
}

// Address reads an address. It returns false unless there are 32 bytes. The bytes carry no type: only
// the command that uses them determines it.
func (p PureInput) Address() (Address, bool) {
	if len(p.Bytes) != 32 {
		return Address{}, false
	}
	return Address(p.Bytes), true
}

// Bool reads a bool. ok is false unless the bytes are a single 0 or 1.
func (p PureInput) Bool() (v, ok bool) {
	if len(p.Bytes) != 1 || p.Bytes[0] > 1 {
		return false, false
	}
	return p.Bytes[0] == 1, true
}
