package sui

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1ecdsa "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Each signature in this file is created here, using keys of repeated bytes, and is wrong in exactly
// one way.

var forgedMessage = []byte("these are the bytes")

func forgedDigest() Digest { return intentDigest(0, forgedMessage) }

// edPart returns an Ed25519 key and its signature over digest.
func edPart(seed byte, digest Digest) (key, signature []byte) {
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), 32)))
	return private.Public().(ed25519.PublicKey), ed25519.Sign(private, digest[:])
}

// k1Part returns a secp256k1 key and its signature over message.
func k1Part(message []byte) (key, signature []byte) {
	private := secp256k1.PrivKeyFromBytes([]byte(strings.Repeat("3", 32)))
	hash := sha256.Sum256(message)
	signature = make([]byte, 64)
	s := k1ecdsa.Sign(private, hash[:])
	r, v := s.R(), s.S()
	r.PutBytesUnchecked(signature[:32])
	v.PutBytesUnchecked(signature[32:])
	return private.PubKey().SerializeCompressed(), signature
}

// r1Part returns a P-256 key and its low-S signature over message. If both is set, the key is also a
// point on secp256k1.
func r1Part(tb testing.TB, message []byte, both bool) (key, signature []byte) {
	tb.Helper()
	for seed := byte(1); seed < 200; seed++ {
		private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), []byte(strings.Repeat(string(rune(seed%100)), 32)))
		if err != nil {
			continue
		}
		point, err := private.PublicKey.Bytes()
		if err != nil {
			tb.Fatal(err)
		}
		key = append([]byte{2 + point[64]&1}, point[1:33]...)
		if _, err := secp256k1.ParsePubKey(key); both && err != nil {
			continue
		}
		hash := sha256.Sum256(message)
		r, s, err := ecdsa.Sign(zeroes{}, private, hash[:])
		if err != nil {
			tb.Fatal(err)
		}
		n := elliptic.P256().Params().N
		if s.Cmp(new(big.Int).Rsh(n, 1)) > 0 {
			s.Sub(n, s)
		}
		signature = make([]byte, 64)
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
		return key, signature
	}
	tb.Fatal("no such key")
	return nil, nil
}

// zeroes stands in for randomness, which a test signature does not need.
type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// forged holds the parts of a multisig signature.
type forged struct {
	signatures [][]byte // each prefixed with its variant
	bitmap     uint16
	members    [][]byte // each prefixed with its variant and followed by its weight
	threshold  uint16
}

func (f forged) bytes() []byte {
	c := new(bcs)
	c.out = append(c.out, SchemeMultiSig)
	write := func(v []byte) { c.fixed(v, "it") }
	vector(c, &f.signatures, 1, "it", func(b *[]byte) { write(*b) })
	c.u16(&f.bitmap, "it")
	vector(c, &f.members, 1, "it", func(b *[]byte) { write(*b) })
	c.u16(&f.threshold, "it")
	return c.out
}

// part prepends a variant.
func part(variant byte, b []byte, after ...byte) []byte {
	return append(append([]byte{variant}, b...), after...)
}

// withLength prepends a BCS length.
func withLength(b []byte) []byte {
	c := new(bcs)
	c.bytes(&b, "it")
	return c.out
}

func goodMultiSig() forged {
	var f forged
	for i, seed := range []byte("abc") {
		key, signature := edPart(seed, forgedDigest())
		f.members = append(f.members, part(0, key, byte(i+1)))
		if i < 2 {
			f.signatures = append(f.signatures, part(0, signature))
			f.bitmap |= 1 << i
		}
	}
	f.threshold = 3
	return f
}

func TestForgedMultiSig(t *testing.T) {
	good, err := VerifyTransactionSignature(forgedMessage, goodMultiSig().bytes())
	if err != nil || good.IsZero() {
		t.Fatalf("the good one: %v", err)
	}
	key, signature := edPart('a', forgedDigest())
	for name, change := range map[string]func(*forged){
		"below the threshold":        func(f *forged) { f.threshold = 4 },
		"threshold zero":             func(f *forged) { f.threshold = 0 },
		"threshold out of reach":     func(f *forged) { f.threshold = 7 },
		"member twice":               func(f *forged) { f.members[2] = part(0, key, 3) },
		"member of weight zero":      func(f *forged) { f.members[2][33] = 0 },
		"bit without a signature":    func(f *forged) { f.bitmap = 7 },
		"signature without a bit":    func(f *forged) { f.bitmap = 1; f.threshold = 1 },
		"bit beyond the members":     func(f *forged) { f.bitmap = 1 | 1<<3; f.threshold = 1 },
		"bits for other members":     func(f *forged) { f.bitmap = 6 },
		"no signature":               func(f *forged) { f.bitmap, f.signatures = 0, nil },
		"no member":                  func(f *forged) { f.members = nil },
		"one part wrong beyond need": func(f *forged) { f.threshold = 1; f.signatures[1][5] ^= 1 },
		"eleven members": func(f *forged) {
			for seed := byte('d'); len(f.members) < 11; seed++ {
				k, _ := edPart(seed, forgedDigest())
				f.members = append(f.members, part(0, k, 1))
			}
		},
		"a plain signature as a passkey": func(f *forged) {
			f.members[0] = part(4, make([]byte, 33), 1)
			f.signatures[0] = part(4, withLength(part(SchemeEd25519, append(signature, key...))))
		},
		"another passkey": func(f *forged) {
			_, s := passkeyPart(t, forgedDigest(), "webauthn.get")
			f.members[0], f.signatures[0] = part(4, make([]byte, 33), 1), part(4, withLength(s))
		},
		"a key used on the other curve": func(f *forged) {
			d := forgedDigest()
			k, s := r1Part(t, d[:], true)
			if !verifyPlain(SchemeSecp256r1, k, d[:], s) {
				t.Fatal("the signature is not one")
			}
			f.members[0], f.signatures[0] = part(1, k, 1), part(2, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := goodMultiSig()
			change(&f)
			if signer, err := VerifyTransactionSignature(forgedMessage, f.bytes()); !fault.Is(err, fault.InputInvalid) ||
				!signer.IsZero() {
				t.Errorf("signer %s, %v", signer, err)
			}
		})
	}
}

func TestMultiSigOfEveryScheme(t *testing.T) {
	d := forgedDigest()
	edKey, ed := edPart('a', d)
	k1Key, k1 := k1Part(d[:])
	r1Key, r1 := r1Part(t, d[:], false)
	passKey, pass := passkeyPart(t, d, "webauthn.get")
	f := forged{
		signatures: [][]byte{part(0, ed), part(1, k1), part(2, r1), part(4, withLength(pass))},
		bitmap:     15, threshold: 10,
		members: [][]byte{part(0, edKey, 1), part(1, k1Key, 2), part(2, r1Key, 3), part(4, passKey, 4)},
	}
	if signer, err := VerifyTransactionSignature(forgedMessage, f.bytes()); err != nil || signer.IsZero() {
		t.Errorf("signer %s, %v", signer, err)
	}
	// The chain verifies a zkLogin member, but everything else is verified here.
	z := forgedZkLogin(t, "5", part(SchemeEd25519, append(ed, edKey...)))
	claimed := append(append([]byte{byte(len("https://id.example"))}, "https://id.example"...), make([]byte, 32)...)
	claimed[len(claimed)-1] = 5
	f.signatures = append(f.signatures, part(3, withLength(z)))
	f.members = append(f.members, part(3, withLength(claimed), 1))
	f.bitmap = 31
	signer, err := VerifyTransactionSignature(forgedMessage, f.bytes())
	if !errors.Is(err, ErrLeftToNode) || signer.IsZero() {
		t.Errorf("with zkLogin: signer %s, %v", signer, err)
	}
	f.signatures[0][7] ^= 1
	if signer, err := VerifyTransactionSignature(forgedMessage, f.bytes()); err == nil || errors.Is(err, ErrLeftToNode) ||
		!signer.IsZero() {
		t.Errorf("with zkLogin and a wrong part: signer %s, %v", signer, err)
	}
}

// passkeyPart returns a passkey's key and its signature. The client data claims the given type.
func passkeyPart(t *testing.T, digest Digest, kind string) (key, signature []byte) {
	t.Helper()
	client := fmt.Sprintf(`{"type":%q,"challenge":%q,"origin":"https://wallet.example"}`,
		kind, base64.RawURLEncoding.EncodeToString(digest[:]))
	authenticator := make([]byte, 37)
	hash := sha256.Sum256([]byte(client))
	key, plain := r1Part(t, append(authenticator[:37:37], hash[:]...), false)
	body := withLength(authenticator)
	body = append(body, withLength([]byte(client))...)
	body = append(body, withLength(part(SchemeSecp256r1, append(plain, key...)))...)
	return key, part(SchemePasskey, body)
}

func TestForgedPasskey(t *testing.T) {
	key, good := passkeyPart(t, forgedDigest(), "webauthn.get")
	signer, err := VerifyTransactionSignature(forgedMessage, good)
	if err != nil || signer != PublicKeyAddress(SchemePasskey, key) {
		t.Fatalf("signer %s, %v", signer, err)
	}
	_, create := passkeyPart(t, forgedDigest(), "webauthn.create")
	_, other := passkeyPart(t, intentDigest(3, forgedMessage), "webauthn.get")
	for name, bad := range map[string][]byte{"registration": create, "other scope": other} {
		if signer, err := VerifyTransactionSignature(forgedMessage, bad); !fault.Is(err, fault.InputInvalid) ||
			!signer.IsZero() {
			t.Errorf("%s: signer %s, %v", name, signer, err)
		}
	}
}

func forgedZkLogin(t *testing.T, seed string, user []byte) []byte {
	t.Helper()
	claim := base64.RawURLEncoding.EncodeToString([]byte(`"iss":"https://id.example",    `))[:36]
	c := new(bcs)
	text := func(s string) { c.text(&s, "it") }
	numbers := func(n int) {
		v := make([]string, n)
		vector(c, &v, 1, "it", func(s *string) { text("1") })
	}
	numbers(3)
	two := make([]int, 3)
	vector(c, &two, 1, "it", func(*int) { numbers(2) })
	numbers(3)
	text(claim)
	position, epoch := uint8(0), uint64(10)
	c.u8(&position, "it")
	text("e30")
	text(seed)
	c.u64(&epoch, "it")
	c.bytes(&user, "it")
	return part(SchemeZkLogin, c.out)
}

func TestForgedZkLogin(t *testing.T) {
	key, signature := edPart('a', forgedDigest())
	user := part(SchemeEd25519, append(signature, key...))
	signer, err := VerifyTransactionSignature(forgedMessage, forgedZkLogin(t, "5", user))
	if !errors.Is(err, ErrLeftToNode) || signer.IsZero() {
		t.Fatalf("signer %s, %v", signer, err)
	}
	most := new(big.Int).Lsh(big.NewInt(1), 256)
	for name, bad := range map[string][]byte{
		"seed with a zero": forgedZkLogin(t, "05", user),
		"seed with a sign": forgedZkLogin(t, "+5", user),
		"negative seed":    forgedZkLogin(t, "-5", user),
		"seed too large":   forgedZkLogin(t, most.String(), user),
		"no seed":          forgedZkLogin(t, "", user),
		"no user":          forgedZkLogin(t, "5", nil),
		"multisig user":    forgedZkLogin(t, "5", goodMultiSig().bytes()),
		"zkLogin user":     forgedZkLogin(t, "5", forgedZkLogin(t, "5", user)),
	} {
		if signer, err := VerifyTransactionSignature(forgedMessage, bad); err == nil || errors.Is(err, ErrLeftToNode) ||
			!signer.IsZero() {
			t.Errorf("%s: signer %s, %v", name, signer, err)
		}
	}
}

// A multisig member's signature can claim to be a passkey signature and contain another multisig. The
// verifier must not recurse then, because memory would grow with the square of the size.
func TestMultiSigDoesNotNest(t *testing.T) {
	inner := []byte{SchemeMultiSig}
	for range 2000 {
		inner = forged{
			signatures: [][]byte{part(4, withLength(inner))}, bitmap: 1, threshold: 1,
			members: [][]byte{part(4, make([]byte, 33), 1)},
		}.bytes()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := VerifyTransactionSignature([]byte("x"), inner)
	runtime.ReadMemStats(&after)
	if !fault.Is(err, fault.InputInvalid) {
		t.Errorf("nested multisig: %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(20*len(inner)) {
		t.Errorf("%d bytes of signature cost %d bytes of memory", len(inner), used)
	}
}
