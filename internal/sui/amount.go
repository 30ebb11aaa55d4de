package sui

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Raw is an amount in the smallest unit of a coin (MIST for SUI). Its text and
// JSON forms are decimal strings, never JSON numbers.
type Raw uint64

// ParseRaw reads a non-negative integer that fits 64 bits, without sign, leading zeros, exponent or
// separators. It returns fault.InputInvalid for anything else.
func ParseRaw(s string) (Raw, error) {
	if s == "" || (len(s) > 1 && s[0] == '0') || strings.Trim(s, "0123456789") != "" {
		return 0, fault.New(fault.InputInvalid,
			"A raw amount is a whole number in digits, without sign, point or leading zero.")
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fault.New(fault.InputInvalid,
			"The raw amount is larger than 18446744073709551615, the maximum of a Sui coin.")
	}
	return Raw(n), nil
}

// String returns decimal digits.
func (r Raw) String() string { return strconv.FormatUint(uint64(r), 10) }

// MarshalText returns decimal digits.
func (r Raw) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what ParseRaw reads.
func (r *Raw) UnmarshalText(b []byte) error {
	v, err := ParseRaw(string(b))
	if err == nil {
		*r = v
	}
	return err
}

// Decimal formats r with the given number of decimals and no trailing zeros: Raw(1500).Decimal(3)
// is "1.5". It is exact.
func (r Raw) Decimal(decimals uint8) Decimal {
	return shift(r.String(), decimals)
}

// Decimal is an exact non-negative decimal number as text: digits, at most one
// point, no exponent, no sign. The zero value is "".
type Decimal string

// maxDecimalText limits the input of ParseDecimal: 20 digits of a u64 plus the largest number of
// decimals of a coin.
const maxDecimalText = 80

// ParseDecimal reads digits with an optional point between digits. It returns fault.InputInvalid for
// signs, exponents, separators, leading zeros before other digits, and a point without digits on both
// sides.
func ParseDecimal(s string) (Decimal, error) {
	whole, fraction, point := strings.Cut(s, ".")
	bad := len(s) > maxDecimalText || whole == "" || (point && fraction == "") ||
		strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" ||
		(len(whole) > 1 && whole[0] == '0')
	if bad {
		return "", fault.New(fault.InputInvalid,
			"Use a plain decimal number such as 10 or 0.25, without sign, exponent, comma or unit.")
	}
	return Decimal(s), nil
}

// Raw converts to the smallest unit of a coin with the given decimals. It returns
// fault.InputInvalid if there are more fraction digits than the coin has or the result exceeds 64
// bits; it never rounds.
func (d Decimal) Raw(decimals uint8) (Raw, error) {
	if _, err := ParseDecimal(string(d)); err != nil {
		return 0, err
	}
	whole, fraction, _ := strings.Cut(string(d), ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > int(decimals) {
		return 0, fault.New(fault.InputInvalid, "The amount %s has more than the coin's %d decimals.", d, decimals)
	}
	digits := strings.TrimLeft(whole+fraction+strings.Repeat("0", int(decimals)-len(fraction)), "0")
	if digits == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fault.New(fault.InputInvalid, "The amount %s is larger than the maximum of a Sui coin.", d)
	}
	return Raw(n), nil
}

// Delta is a signed balance change in raw units. Its text form has a leading minus if negative.
type Delta struct {
	Negative bool
	Amount   Raw
}

// ParseDelta reads an optional minus and a raw amount. It returns fault.InputInvalid for anything else.
func ParseDelta(s string) (Delta, error) {
	digits, negative := strings.CutPrefix(s, "-")
	r, err := ParseRaw(digits)
	if err != nil {
		return Delta{}, err
	}
	return Delta{Negative: negative && r != 0, Amount: r}, nil
}

// DeltaOf returns after minus before.
func DeltaOf(before, after Raw) Delta {
	if after < before {
		return Delta{Negative: true, Amount: before - after}
	}
	return Delta{Amount: after - before}
}

// String returns the signed digits.
func (d Delta) String() string {
	if d.Negative {
		return "-" + d.Amount.String()
	}
	return d.Amount.String()
}

// Decimal formats the signed amount with the given number of decimals.
func (d Delta) Decimal(decimals uint8) string {
	if d.Negative {
		return "-" + string(d.Amount.Decimal(decimals))
	}
	return string(d.Amount.Decimal(decimals))
}

// Big returns the signed number.
func (d Delta) Big() *big.Int {
	n := new(big.Int).SetUint64(uint64(d.Amount))
	if d.Negative {
		n.Neg(n)
	}
	return n
}

// MarshalText returns the signed digits.
func (d Delta) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDelta reads.
func (d *Delta) UnmarshalText(b []byte) error {
	v, err := ParseDelta(string(b))
	if err == nil {
		*d = v
	}
	return err
}

// shift inserts a decimal point into digits, so that the result has the given number of decimals.
func shift(digits string, decimals uint8) Decimal {
	n := int(decimals)
	if len(digits) <= n {
		digits = strings.Repeat("0", n-len(digits)+1) + digits
	}
	whole, fraction := digits[:len(digits)-n], strings.TrimRight(digits[len(digits)-n:], "0")
	if fraction == "" {
		return Decimal(whole)
	}
	return Decimal(whole + "." + fraction)
}
