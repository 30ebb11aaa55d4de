package sui

import (
	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Digest is a 32-byte blake2b-256 hash: of a transaction, an object, effects
// or a checkpoint. Its text form is base58.
type Digest [32]byte

// ParseDigest reads base58 text of exactly 32 bytes. It returns fault.InputInvalid for anything else.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if len(s) > 64 {
		return d, fault.New(fault.InputInvalid, "A Sui digest is base58 text of 32 bytes.")
	}
	b, err := base58.Decode(s)
	if err != nil || len(b) != len(d) {
		return d, fault.New(fault.InputInvalid, "A Sui digest is base58 text of 32 bytes.")
	}
	copy(d[:], b)
	return d, nil
}

// String returns the base58 form.
func (d Digest) String() string { return base58.Encode(d[:]) }

// IsZero reports whether d is unset.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText returns the base58 form.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDigest reads.
func (d *Digest) UnmarshalText(b []byte) error {
	v, err := ParseDigest(string(b))
	if err == nil {
		*d = v
	}
	return err
}
