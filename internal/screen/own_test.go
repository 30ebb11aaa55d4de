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
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestOwns: a private key that stands where an address should is known by the
// address it owns, in three schemes, and nothing else is.
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
			d := newDraw(t)
			for range 100 {
				key := d.bytes(32)
				key[0] &= 0x7f // below the order of every curve
				owner := sui.PublicKeyAddress(scheme.flag, scheme.public(key))
				other := sui.Address(d.bytes(32))
				for _, value := range []string{"0x" + hex.EncodeToString(key), "0x" + hex.EncodeToString(key) + "::coin::COIN", base58.Encode(key),
					base64.RawStdEncoding.EncodeToString(key), base64.RawStdEncoding.EncodeToString(append([]byte{scheme.flag}, key...))} {
					if !screen.Owns(value, []sui.Address{other, owner}) {
						t.Fatalf("%s is not known", value)
					}
					if screen.Owns(value, []sui.Address{other}) {
						t.Fatalf("%s is known for a foreign address", value)
					}
				}
			}
		})
	}
	// The public key of the generator with key one, by the standard for P-256.
	if !screen.Owns("0x"+hex.EncodeToString(big.NewInt(1).FillBytes(make([]byte, 32))),
		[]sui.Address{sui.PublicKeyAddress(sui.SchemeSecp256r1, append([]byte{3}, elliptic.P256().Params().Gx.Bytes()...))}) {
		t.Error("the generator of P-256 is not known")
	}
	for _, value := range []string{"", "0x2", "0x", "zz", "0x" + hex.EncodeToString(make([]byte, 33)), "0xzz::a::B"} {
		if screen.Owns(value, []sui.Address{{}}) {
			t.Errorf("%q owns something", value)
		}
	}
	if screen.Owns("0x"+hex.EncodeToString(make([]byte, 32)), []sui.Address{{}}) {
		t.Error("zero is a key of no curve that owns the zero address")
	}
}

func FuzzFind(f *testing.F) {
	f.Add("pay the invoice", "0x1f")
	f.Add("%41\\u0041&#65;", "QUJDREVGR0hJSktMTU5PUA==")
	secrets := screen.NewSecrets()
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4096 {
			return
		}
		one, _, _ := secrets.Find([]screen.Field{{Path: "a", Text: a}, {Path: "b", Text: b}})
		two, _, _ := secrets.Find([]screen.Field{{Path: "a", Text: a}, {Path: "b", Text: b}})
		if one != two {
			t.Fatalf("%+v, then %+v", one, two)
		}
		if class := secrets.Within(a); class != "" && (one.Path != "a" || one.Class != class) {
			t.Fatalf("alone %s, in a document %+v", class, one)
		}
	})
}
