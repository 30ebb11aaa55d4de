package screen_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/mr-tron/base58"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// owns reports that a text holds the private key of one of the accounts.
func owns(text string, accounts ...sui.Address) bool {
	return find(text, accounts...) == screen.AddressKey
}

// TestOwns: a private key in place of an address is detected by the address that it owns, in three
// schemes, and nothing else is.
func TestOwns(t *testing.T) {
	for _, scheme := range []struct {
		name   string
		flag   byte
		public func(key []byte) []byte
	}{
		{"Ed25519", sui.SchemeEd25519, func(key []byte) []byte { return ed25519.NewKeyFromSeed(key)[32:] }},
		{"secp256k1", sui.SchemeSecp256k1, func(key []byte) []byte {
			return secp256k1.PrivKeyFromBytes(key).PubKey().SerializeCompressed()
		}},
		{"secp256r1", sui.SchemeSecp256r1, func(key []byte) []byte {
			private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), key)
			if err != nil {
				t.Fatal(err)
			}
			return elliptic.MarshalCompressed(elliptic.P256(), private.X, private.Y)
		}},
	} {
		t.Run("R004-356 "+scheme.name, func(t *testing.T) {
			d := screentest.NewDraw(t)
			for range 4 {
				key := d.Bytes(32)
				key[0] &= 0x7f // below the order of every curve
				owner := sui.PublicKeyAddress(scheme.flag, scheme.public(key))
				other := sui.Address(d.Bytes(32))
				for _, value := range []string{"0x" + hex.EncodeToString(key), "0x" + hex.EncodeToString(key) + "::coin::COIN",
					base58.Encode(key),
					"0x2::m" + hex.EncodeToString(key) + "::T", base64.RawURLEncoding.EncodeToString(key)} {
					if !owns(value, other, owner) {
						t.Fatalf("%s is not known", value)
					}
					if owns(value, other) {
						t.Fatalf("%s is known for a foreign address", value)
					}
				}
			}
		})
	}
	// The public key of the generator with key one, by the standard for P-256.
	if !owns("0x"+hex.EncodeToString(big.NewInt(1).FillBytes(make([]byte, 32))),
		sui.PublicKeyAddress(sui.SchemeSecp256r1, append([]byte{3}, elliptic.P256().Params().Gx.Bytes()...))) {
		t.Error("the generator of P-256 is not known")
	}
	for _, value := range []string{"", "0x2", "0x", "zz", "0x" + hex.EncodeToString(make([]byte, 33)), "0xzz::a::B"} {
		if owns(value, sui.Address{}) {
			t.Errorf("%q owns something", value)
		}
	}
	if owns("0x"+hex.EncodeToString(make([]byte, 32)), sui.Address{}) {
		t.Error("zero is a key of no curve that owns the zero address")
	}
}
