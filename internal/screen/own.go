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

// mostSeeds limits the number of values in a document that are tried as keys. A document with more
// is rejected.
const mostSeeds = 128

// findOwned finds private keys that have the form of an address or a digest. It tries every 32
// bytes as a key in each signature scheme. They are a key if they own one of the accounts, or an
// address in the document.
func findOwned(fields []Field, own []sui.Address) (Found, bool) {
	own = append(slices.Clone(own), refers(fields)...)
	tried := map[[32]byte]bool{}
	for _, f := range fields {
		for _, seed := range seeds(f.Text) {
			if tried[seed] {
				continue
			}
			if tried[seed] = true; len(tried) > mostSeeds {
				return Found{f.Path, Payload}, true
			}
			//mutant:never ./internal/screen TestBounds
			if slices.ContainsFunc(owned(seed), func(a sui.Address) bool { return slices.Contains(own, a) }) {
				return Found{f.Path, AddressKey}, true
			}
		}
	}
	return Found{}, false
}

// seeds returns the keys that a text could encode: as hexadecimal digits, also within a longer name
// or without leading zeros, as base58, or as base64 with or without the scheme's flag.
func seeds(text string) (all [][32]byte) {
	add := func(raw []byte) {
		if len(raw) == 33 || len(raw) == 64 || len(raw) == 65 {
			raw = raw[len(raw)%32 : len(raw)%32+32]
		}
		if len(raw) == 32 {
			all = append(all, [32]byte(raw))
		}
	}
	for _, c := range candidates(text) {
		for _, run := range hexRuns().FindAllString(c.text, -1) {
			if len(run) < 64 && len(run) == len(c.text) {
				run = strings.Repeat("0", 64-len(run)) + run
			}
			for i := 0; i+64 <= len(run); i++ {
				raw, _ := hex.DecodeString(run[i : i+64])
				add(raw)
			}
		}
		if len(c.text) < 43 || len(c.text) > 88 {
			continue
		}
		if raw, err := base58.Decode(c.text); err == nil {
			add(raw)
		}
		plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(c.text), "=")
		if raw, err := base64.RawStdEncoding.DecodeString(plain); err == nil {
			add(raw)
		}
	}
	return all
}

var hexRuns = pattern(`[0-9a-fA-F]{48,}`)

// owned returns the addresses of a private key in the single-key schemes. A curve may reject the
// key, so there may be fewer than three.
func owned(key [32]byte) []sui.Address {
	defer clear(key[:])
	public := ed25519.NewKeyFromSeed(key[:]).Public().(ed25519.PublicKey)
	all := []sui.Address{
		sui.PublicKeyAddress(sui.SchemeEd25519, public),
		sui.PublicKeyAddress(sui.SchemeSecp256k1, secp256k1.PrivKeyFromBytes(key[:]).PubKey().SerializeCompressed()),
	}
	if p, err := ecdh.P256().NewPrivateKey(key[:]); err == nil {
		point := p.PublicKey().Bytes() // 0x04, x, y
		compressed := append([]byte{2 + point[64]&1}, point[1:33]...)
		all = append(all, sui.PublicKeyAddress(sui.SchemeSecp256r1, compressed))
	}
	return all
}
