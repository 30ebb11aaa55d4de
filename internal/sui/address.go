package sui

import (
	"encoding/hex"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Address is a 32-byte account address, package id or object id.
type Address [32]byte

// ObjectID is the id of an object or package; Sui uses one space for both.
type ObjectID = Address

// ParseAddress reads "0x" and 1 to 64 hexadecimal digits, and pads short forms on the left. Use it for
// packages and objects, and ParseAccount for accounts and recipients. It returns fault.InputInvalid for
// anything else.
func ParseAddress(s string) (Address, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok || len(digits) == 0 || len(digits) > 64 {
		return Address{}, fault.New(fault.InputInvalid, "A Sui address is 0x and 1 to 64 hexadecimal digits.")
	}
	var a Address
	if _, err := hex.Decode(a[:], []byte(strings.Repeat("0", 64-len(digits))+digits)); err != nil {
		return Address{}, fault.New(fault.InputInvalid, "A Sui address is 0x and 1 to 64 hexadecimal digits.")
	}
	return a, nil
}

// MustAddress is like ParseAddress but panics on an error. It is for constants.
func MustAddress(s string) Address {
	a, err := ParseAddress(s)
	if err != nil {
		panic(err)
	}
	return a
}

// String returns the canonical form: 0x and 64 lower-case digits.
func (a Address) String() string { return "0x" + hex.EncodeToString(a[:]) }

// Short returns the form without leading zeros, as in 0x2.
func (a Address) Short() string {
	s := strings.TrimLeft(hex.EncodeToString(a[:]), "0")
	if s == "" {
		s = "0"
	}
	return "0x" + s
}

// IsZero reports whether a is the all-zero address.
func (a Address) IsZero() bool { return a == Address{} }

// MarshalText returns the canonical form.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what ParseAccount reads.
func (a *Address) UnmarshalText(b []byte) error {
	v, err := ParseAccount(string(b))
	if err == nil {
		*a = v
	}
	return err
}

// ParseAccount reads the full address of an account, recipient or object: "0x" and all 64 digits. It
// never pads, because a truncated address would become a different one that nobody controls. For
// anything else it returns fault.InputInvalid with a text that describes what is missing.
func ParseAccount(s string) (Address, error) {
	const whole = 2 * len(Address{})
	a, err := ParseAddress(s)
	digits := len(s) - len("0x")
	//mutant:never ./internal/sui TestParseAccount
	if (err == nil || strings.HasPrefix(s, "0x")) && digits != whole {
		return Address{}, fault.New(fault.InputInvalid, "This address has %d of the 64 digits after 0x. "+
			"Copy the whole address from its source.", digits)
	}
	if err != nil {
		return Address{}, fault.New(fault.InputInvalid, "A Sui address is 0x and 64 hexadecimal digits. "+
			"Copy the whole address from its source.")
	}
	return a, nil
}

// NormalizeAddress reads a package or object id as explorers do: 0x or 0X may be omitted, and short
// forms are padded.
func NormalizeAddress(s string) (Address, error) {
	if len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x' {
		s = s[2:]
	}
	return ParseAddress("0x" + s)
}

// Unowned reports whether an address has so many leading zeros that no key can have it: it is a
// system ID, or a short address that was padded.
func (a Address) Unowned() bool { return [8]byte(a[:8]) == [8]byte{} }

// LooksLike reports whether two addresses share the first four and the last four
// digits, which are what people compare.
func (a Address) LooksLike(b Address) bool {
	x, y := a.String(), b.String()
	return x[2:6] == y[2:6] && x[len(x)-4:] == y[len(y)-4:]
}
