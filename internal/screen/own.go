package screen

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Owns reports whether a value of 32 bytes, written as an address, as the
// package of a coin type or as a digest, is the private key of one of the
// addresses; so is the base64 of 32 bytes, or of 33 with their flag, that looks
// like a digest. Shape cannot tell a key from an address; this can, and never by
// mistake.
func Owns(value string, addresses []sui.Address) bool {
	var readings [][]byte
	head, _, _ := strings.Cut(value, "::")
	if digits, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(head)), "0x"); ok {
		raw, _ := hex.DecodeString(digits)
		readings = append(readings, raw)
	} else {
		raw, _ := base58.Decode(value)
		flagged, _ := base64.RawStdEncoding.DecodeString(value)
		if len(flagged) == 33 {
			flagged = flagged[1:]
		}
		readings = append(readings, raw, flagged)
	}
	return slices.ContainsFunc(readings, func(raw []byte) bool {
		return len(raw) == 32 && slices.ContainsFunc(owned([32]byte(raw)), func(a sui.Address) bool { return slices.Contains(addresses, a) })
	})
}

// owned gives the addresses of a private key under the three schemes of single
// keys. A value that no curve takes has fewer.
func owned(key [32]byte) []sui.Address {
	defer clear(key[:])
	public := ed25519.NewKeyFromSeed(key[:]).Public().(ed25519.PublicKey)
	all := []sui.Address{
		sui.PublicKeyAddress(sui.SchemeEd25519, public),
		sui.PublicKeyAddress(sui.SchemeSecp256k1, secp256k1.PrivKeyFromBytes(key[:]).PubKey().SerializeCompressed()),
	}
	if p, err := ecdh.P256().NewPrivateKey(key[:]); err == nil {
		point := p.PublicKey().Bytes() // 4, x, y
		compressed := append([]byte{2 + point[64]&1}, point[1:33]...)
		all = append(all, sui.PublicKeyAddress(sui.SchemeSecp256r1, compressed))
	}
	return all
}
