package sui

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// signatureVector is an entry of testdata/signatures.json. Valid is nil if only a node can decide.
type signatureVector struct {
	Name, Scheme, Scope, Address, LegacyAddress, Why string
	MessageBase64, IntentDigestHex, SignatureBase64  string
	PublicKeyHex, SuiPublicKeyBase64                 string
	Valid                                            *bool
	Flag                                             byte
}

func signatureVectors(tb testing.TB) []signatureVector {
	tb.Helper()
	var f struct{ Vectors []signatureVector }
	readJSON(tb, "testdata/signatures.json", &f)
	if len(f.Vectors) != 68 {
		tb.Fatalf("there are %d signature vectors, want 68", len(f.Vectors))
	}
	return f.Vectors
}

// verify verifies a vector in its scope.
func (v signatureVector) verify(tb testing.TB) (Address, error) {
	s, err := ParseSignature(v.SignatureBase64)
	if err != nil {
		return Address{}, err
	}
	message := unbase64(tb, v.MessageBase64)
	if v.Scope == "PersonalMessage" {
		return VerifyPersonalMessage(message, s.Bytes())
	}
	return VerifyTransactionSignature(message, s.Bytes())
}

func TestSignatureVectors(t *testing.T) {
	valid, refused, left := 0, 0, 0
	for _, v := range signatureVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			want := MustAddress(v.Address)
			signer, err := v.verify(t)
			switch {
			case v.Valid == nil:
				left++
				if !errors.Is(err, ErrLeftToNode) || signer != want || signer.String() != v.LegacyAddress {
					t.Errorf("signer %s, error %v; want %s and one left to the node", signer, err, want)
				}
			case *v.Valid:
				valid++
				if err != nil || signer != want {
					t.Errorf("signer %s, error %v; want %s", signer, err, want)
				}
			default:
				refused++
				if err == nil && signer == want {
					t.Errorf("accepted: %s", v.Why)
				}
				if err != nil && !fault.Is(err, fault.InputInvalid) {
					t.Errorf("refused with another kind of error: %v", err)
				}
				if err != nil && !signer.IsZero() {
					t.Errorf("a refused signature names the signer %s", signer)
				}
			}
		})
	}
	if valid != 29 || refused != 38 || left != 1 {
		t.Errorf("%d valid, %d refused, %d left to the node; want 29, 38, 1", valid, refused, left)
	}
}

func TestIntentDigests(t *testing.T) {
	checked := 0
	for _, v := range signatureVectors(t) {
		message := unbase64(t, v.MessageBase64)
		scope := byte(0)
		if v.Scope == "PersonalMessage" {
			c := new(bcs)
			c.bytes(&message, "it")
			scope, message = 3, c.out
		}
		if v.Valid == nil || !*v.Valid {
			continue // some of these name the digest that was actually signed
		}
		checked++
		if d := intentDigest(scope, message); hex.EncodeToString(d[:]) != v.IntentDigestHex {
			t.Errorf("%s: intent digest %x, want %s", v.Name, d[:], v.IntentDigestHex)
		}
	}
	if checked != 29 {
		t.Errorf("%d digests checked, want 29", checked)
	}
}

func TestPublicKeyAddresses(t *testing.T) {
	checked := 0
	for _, v := range signatureVectors(t) {
		if v.PublicKeyHex == "" || v.Valid == nil || !*v.Valid {
			continue
		}
		checked++
		if a := PublicKeyAddress(v.Flag, unhex(t, v.PublicKeyHex)); a.String() != v.Address {
			t.Errorf("%s: address %s, want %s", v.Name, a, v.Address)
		}
	}
	if checked < 20 {
		t.Errorf("only %d keys checked", checked)
	}
}

func TestTransactionVectorSignatures(t *testing.T) {
	checked := 0
	for _, v := range transactionVectors(t) {
		m := NewMaterial(unbase64(t, v.TxBytesBase64))
		for _, s := range v.Signatures {
			checked++
			parsed, err := ParseSignature(s.SignatureBase64)
			if err != nil {
				t.Fatal(err)
			}
			signer, err := parsed.Verify(m)
			if err != nil || signer.String() != s.Address {
				t.Errorf("%s %s: signer %s, error %v; want %s", v.Name, s.Role, signer, err, s.Address)
			}
		}
	}
	if checked < 35 {
		t.Errorf("only %d signatures checked", checked)
	}
}

// Changing, removing or adding any byte of a signature makes it invalid.
func TestEveryByteOfASignatureMatters(t *testing.T) {
	for _, v := range signatureVectors(t) {
		if v.Valid == nil || !*v.Valid || v.Scope != "TransactionData" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			message, good := unbase64(t, v.MessageBase64), unbase64(t, v.SignatureBase64)
			want := MustAddress(v.Address)
			for i := range good {
				bad := bytes.Clone(good)
				bad[i] ^= 1
				if signer, err := VerifyTransactionSignature(message, bad); err == nil && signer == want {
					t.Errorf("byte %d can be changed", i)
				}
			}
			if _, err := VerifyTransactionSignature(message, good[:len(good)-1]); err == nil {
				t.Error("the last byte can be left out")
			}
			if _, err := VerifyTransactionSignature(message, append(bytes.Clone(good), 0)); err == nil {
				t.Error("a byte can be added")
			}
		})
	}
}

func TestZkLoginIssuer(t *testing.T) {
	encode := func(payload string, from, to int) (string, byte) {
		whole := base64.RawURLEncoding.EncodeToString([]byte(payload))
		first, last := from*8/6, (to*8+5)/6
		return whole[first:last], byte(first % 4)
	}
	for lead := range 6 {
		payload := "{" + strings.Repeat("x", lead) + `"iss":"https://id.example","aud":"a"}`
		from := 1 + lead
		to := strings.Index(payload, `,"aud"`) + 1
		claim, position := encode(payload, from, to)
		if got, ok := issuerOf(claim, position); !ok || got != "https://id.example" {
			t.Errorf("with %d bytes before it: %q, %v", lead, got, ok)
		}
	}
	claim, position := encode(`{"iss":"accounts.google.com"}`, 1, 29)
	if got, _ := issuerOf(claim, position); got != "https://accounts.google.com" {
		t.Errorf("Google's old issuer reads as %q", got)
	}
	for name, payload := range map[string]string{
		"another claim": `{"aud":"x","iss":"y"}`, "no end": `{"iss":"https://id.example"   `, "empty": `{"iss":""}`,
		"two claims": `{"iss":"a","iss":"b"}`, "a number": `{"iss":12345}`,
	} {
		claim, position := encode(payload, 1, len(payload))
		if got, ok := issuerOf(claim, position); ok {
			t.Errorf("%s: accepted as %q", name, got)
		}
	}
	for _, c := range []struct {
		claim    string
		position byte
	}{{"", 0}, {"A", 0}, {"AAAA", 3}, {"!!!!", 0}} {
		if got, ok := issuerOf(c.claim, c.position); ok {
			t.Errorf("%+v: accepted as %q", c, got)
		}
	}
}

// A zkLogin signature whose ephemeral key signed other bytes is rejected here rather than left to the
// node.
func TestZkLoginEphemeralSignature(t *testing.T) {
	for _, v := range signatureVectors(t) {
		if v.Scheme != "ZkLogin" {
			continue
		}
		signer, err := VerifyTransactionSignature([]byte("other bytes"), unbase64(t, v.SignatureBase64))
		if err == nil || errors.Is(err, ErrLeftToNode) || !signer.IsZero() {
			t.Errorf("signer %s, error %v", signer, err)
		}
		return
	}
	t.Error("there is no zkLogin vector")
}

func TestSecretsAreNotPrinted(t *testing.T) {
	m, s := NewMaterial([]byte{0xde, 0xad, 0xbe, 0xef}), NewSignature([]byte{0xde, 0xad, 0xbe, 0xef})
	holder := struct {
		M Material
		S *Signature
		L []Material
	}{m, &s, []Material{m}}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%b"} {
		fmt.Fprintf(&out, verb+verb, m, s)
		fmt.Fprintf(&out, verb, holder)
	}
	logger := slog.New(slog.NewJSONHandler(&out, nil))
	logger.Info("x", "material", m, "signature", s, "holder", holder)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "material", m, "signature", s, "holder", holder)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "material", m, "signature", s)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "material", m, "signature", s)
	if n := strings.Count(log.String(), redacted); n != 4 {
		t.Errorf("the log shows %d redacted values, want 4: %s", n, log.String())
	}
	for _, leak := range []string{"dead", "DEAD", "222", "11011110", "3q2+7w"} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("%q shows in %s", leak, out.String())
		}
	}
	for _, v := range []any{m, s, &m, holder, map[string]any{"x": s}} {
		if b, err := json.Marshal(v); err == nil {
			t.Errorf("marshals to %s", b)
		}
	}
	if _, err := m.MarshalText(); err == nil {
		t.Error("material is written as text")
	}
	if _, err := s.MarshalText(); err == nil {
		t.Error("a signature is written as text")
	}
}

func TestMaterialIsItsOwnCopy(t *testing.T) {
	raw := transactionNamed(t, "split_gas_transfer")
	m := NewMaterial(raw)
	want := m.Digest()
	raw[0]++
	m.Bytes()[1]++
	if m.Digest() != want {
		t.Error("the material changed with a slice outside it")
	}
	if !m.Same(m.Bytes()) || m.Same(raw) || (Material{}).Same(nil) {
		t.Error("Same is wrong")
	}
	if tx, err := m.Transaction(); err != nil || len(tx.Commands) != 2 || m.Size() != 219 {
		t.Errorf("decoded %v, %v, size %d", tx, err, m.Size())
	}
}

func TestParseSignature(t *testing.T) {
	for _, bad := range []string{"", "!!!", "AAA", "AAAAB===", "AB==", strings.Repeat("A", 100000)} {
		if _, err := ParseSignature(bad); err == nil {
			t.Errorf("%.20q is accepted", bad)
		}
	}
	s, err := ParseSignature("AgAA")
	if err != nil || s.Scheme() != "secp256r1" || s.Size() != 3 || (Signature{}).Scheme() != "" {
		t.Errorf("%v %v", s.Scheme(), err)
	}
}
