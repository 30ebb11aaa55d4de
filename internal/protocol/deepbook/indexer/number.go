package indexer

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a reported number. The longest text of a float64 has 24 characters.
const (
	maxNumber   = 40
	maxExponent = 30
)

// decimal returns a non-negative JSON number as plain digits with the same value. It rejects strings,
// signs and impossibly large numbers.
func decimal(raw json.RawMessage) (sui.Decimal, bool) {
	text := string(raw)
	if text == "" || len(text) > maxNumber || text[0] < '0' || text[0] > '9' {
		return "", false
	}
	mantissa, power, scientific := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if scientific {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent < -maxExponent || exponent > maxExponent {
			return "", false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point := whole+fraction, len(whole)+exponent
	if point <= 0 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if missing := point - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	whole, fraction = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	d, err := sui.ParseDecimal(whole)
	return d, err == nil
}

// less compares two decimals in the form that decimal returns.
func less(a, b sui.Decimal) bool {
	aw, af, _ := strings.Cut(string(a), ".")
	bw, bf, _ := strings.Cut(string(b), ".")
	if len(aw) != len(bw) {
		return len(aw) < len(bw)
	}
	if aw != bw {
		return aw < bw
	}
	return af < bf // without trailing zeros, text order is numeric order
}

// milliseconds returns a JSON integer.
func milliseconds(raw json.RawMessage) (int64, bool) {
	if len(raw) == 0 || len(raw) > 15 || strings.Trim(string(raw), "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
