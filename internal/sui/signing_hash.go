package sui

import (
	"encoding/hex"
	"strings"
)

// SigningHash is the blake2b-256 hash that every scheme signs: of the intent (scope, version and app)
// and the bytes. Hardware wallets show it in hexadecimal.
type SigningHash [32]byte

// String returns the hash as hardware wallets show it: 64 lowercase hexadecimal digits.
func (h SigningHash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the same as String.
func (h SigningHash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// signingGroup is the number of digits in each group of a SigningHash.
const signingGroup = 4

// Groups returns the digits in 16 groups of four, for comparison by eye.
func (h SigningHash) Groups() []string {
	text := h.String()
	groups := make([]string, 0, len(text)/signingGroup)
	for len(text) > 0 {
		groups, text = append(groups, text[:signingGroup]), text[signingGroup:]
	}
	return groups
}

// Grouped returns the groups with spaces between them.
func (h SigningHash) Grouped() string { return strings.Join(h.Groups(), " ") }
