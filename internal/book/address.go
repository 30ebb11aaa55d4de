package book

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// mostAddress is the maximum length of an address on any chain, in bytes.
const mostAddress = 320

// form parses an address and returns its canonical spelling, or false.
type form func(string) (string, bool)

// either accepts addresses that any of the forms accepts.
func either(forms ...form) form {
	return func(s string) (string, bool) {
		for _, f := range forms {
			if spelled, ok := f(s); ok {
				return spelled, true
			}
		}
		return "", false
	}
}

// compiled compiles a pattern on first use, because compiling all of them would take a tenth of the
// program's startup time.
func compiled(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// shaped accepts addresses that match a pattern, unchanged.
func shaped(pattern string) form {
	re := compiled(pattern)
	return func(s string) (string, bool) { return s, re().MatchString(s) }
}

// bech32 accepts a bech32 or bech32m address with the given prefix and a valid checksum. It rejects
// mixed case and returns lower case.
func bech32(prefix string) form {
	return func(s string) (string, bool) {
		small := strings.ToLower(s)
		digits, ok := strings.CutPrefix(small, prefix+"1")
		return small, ok && (s == small || s == strings.ToUpper(s)) && len(digits) >= 38 && len(digits) <= 90 &&
			summed(prefix, digits)
	}
}

// summed reports whether a bech32 address has a valid checksum: the polynomial of BIP-173 must
// yield 1, or the constant of BIP-350.
func summed(prefix, digits string) bool {
	const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	sum := uint32(1)
	add := func(v uint32) {
		top := sum >> 25
		sum = sum&0x1ffffff<<5 ^ v
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			sum ^= g * (top >> i & 1)
		}
	}
	for _, c := range prefix {
		add(uint32(c) >> 5)
	}
	add(0)
	for _, c := range prefix {
		add(uint32(c) & 31)
	}
	for _, c := range digits {
		v := strings.IndexRune(letters, c)
		if v < 0 {
			return false
		}
		add(uint32(v))
	}
	//mutant:always ./internal/book TestAddresses
	return sum == 1 || sum == 0x2bc830a3
}

// Values of sum in base58Of.
const (
	checked = true
	plain   = false
)

// base58Of accepts base58 text of exactly size bytes. If sum is checked, the last four bytes must
// be a checksum of the others.
func base58Of(sum bool, size int) form {
	return func(s string) (string, bool) {
		b, err := base58.Decode(s)
		if err != nil || len(b) != size || s != base58.Encode(b) {
			return "", false
		}
		if !sum {
			return s, true
		}
		head, tail := b[:size-4], b[size-4:]
		once := sha256.Sum256(head)
		twice := sha256.Sum256(once[:])
		return s, bytes.Equal(twice[:4], tail)
	}
}

// suiForm accepts 0x and 64 hexadecimal digits, unless nobody can own the address.
func suiForm(s string) (string, bool) {
	a, err := sui.ParseAccount(s)
	return a.String(), err == nil && !a.Unowned()
}

var evmShape = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

// evm accepts 0x and 40 hexadecimal digits. If the letters have mixed case, they must match the
// checksum of EIP-55; if not, there is no checksum to verify. The canonical spelling has the
// checksum.
func evm(s string) (string, bool) {
	if !evmShape.MatchString(s) {
		return "", false
	}
	digits, spelled := s[2:], withChecksum(s)
	one := digits == strings.ToLower(digits) || digits == strings.ToUpper(digits)
	//mutant:never ./internal/book TestAddresses
	if !one && s != spelled {
		return spelled, false
	}
	return spelled, true
}

// withChecksum returns an EVM address in the spelling of EIP-55: a letter is upper case if the
// corresponding digit of the hash is 8 or more.
func withChecksum(s string) string {
	small := strings.ToLower(s[2:])
	h := sha3.NewLegacyKeccak256()
	_, _ = h.Write([]byte(small))
	sum := hex.EncodeToString(h.Sum(nil))
	out := []byte(small)
	for i, c := range out {
		if c >= 'a' && sum[i] >= '8' {
			out[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(out)
}

// Address returns the canonical spelling of an address on the chain, or false if s is not one. A
// name that resolves to an address, such as "alice.sui", is not an address.
func (c Chain) Address(s string) (string, bool) {
	if len(s) > mostAddress || c.form == nil {
		return "", false
	}
	return c.form(s)
}

// LooksLike reports whether two different addresses have the same first four and last four
// characters. Many programs show only those.
func LooksLike(a, b string) bool {
	x := ends(a)
	return x != "" && x == ends(b) && !strings.EqualFold(strings.TrimPrefix(a, "0x"), strings.TrimPrefix(b, "0x"))
}

// ends returns the first and last characters of an address, which people compare, or "" if it is
// too short.
func ends(address string) string {
	const shown = 4
	x := strings.ToLower(strings.TrimPrefix(address, "0x"))
	if len(x) < 2*shown {
		return ""
	}
	return x[:shown] + x[len(x)-shown:]
}
