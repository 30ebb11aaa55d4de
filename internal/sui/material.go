package sui

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// redacted replaces secret values in every printed form.
const redacted = "[not shown]"

func notPrinted() error {
	return fault.New(fault.InternalError,
		"Transaction material is only sent to the page that signs it and is never written out.")
}

// Material is the exact bytes of a transaction that can be signed. They leave the store only to the
// page that signs. Printing, logging or marshaling a Material does not reveal them, and a test forbids
// the type in tool outputs.
type Material struct{ bytes []byte }

// NewMaterial keeps a copy of the bytes.
func NewMaterial(b []byte) Material { return Material{bytes: bytes.Clone(b)} }

// Secret marks the type for the test that keeps it out of tool outputs.
func (Material) Secret() {}

// Bytes returns a copy of the bytes.
func (m Material) Bytes() []byte { return bytes.Clone(m.bytes) }

// Size returns the number of bytes, or 0 without material.
func (m Material) Size() int { return len(m.bytes) }

// Digest returns the digest of the transaction.
func (m Material) Digest() Digest { return TransactionDigest(m.bytes) }

// SigningHash returns the hash that a wallet signs: blake2b-256 of the transaction with its intent. A
// hardware wallet shows it for a transaction that it cannot read.
func (m Material) SigningHash() SigningHash { return SigningHash(intentDigest(0, m.bytes)) }

// Same reports whether b equals these bytes.
func (m Material) Same(b []byte) bool { return len(b) > 0 && bytes.Equal(m.bytes, b) }

// Transaction decodes the bytes.
func (m Material) Transaction() (*Transaction, error) { return DecodeTransaction(m.bytes) }

// String shows only whether there is a value.
func (Material) String() string { return redacted }

// Format prints the same text for every verb, including %x and %d.
func (Material) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue returns the same text for logs.
func (Material) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON always returns an error, so that no response can contain material by accident.
func (Material) MarshalJSON() ([]byte, error) { return nil, notPrinted() }

// MarshalText always returns an error.
func (Material) MarshalText() ([]byte, error) { return nil, notPrinted() }

// Signature is a serialized signature over a Material. Signature and Material together can be
// executed, so a Signature is protected like a Material.
type Signature struct{ bytes []byte }

// maxSignature limits a serialized signature. The largest real ones, multisig with zkLogin members,
// have about ten thousand bytes.
const maxSignature = 64 << 10

// NewSignature keeps a copy of the bytes.
func NewSignature(b []byte) Signature { return Signature{bytes: bytes.Clone(b)} }

// ParseSignature reads the base64 form that wallets return, without verifying it. It returns
// fault.InputInvalid for anything else.
func ParseSignature(s string) (Signature, error) {
	if len(s) > base64.StdEncoding.EncodedLen(maxSignature) {
		return Signature{}, fault.New(fault.TooLarge, "The signature is larger than any valid Sui signature.")
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || len(b) == 0 {
		return Signature{}, fault.New(fault.InputInvalid, "The signature is not base64 text.")
	}
	return Signature{bytes: b}, nil
}

// Secret marks the type for the test that keeps it out of tool outputs.
func (Signature) Secret() {}

// Bytes returns a copy of the bytes.
func (s Signature) Bytes() []byte { return bytes.Clone(s.bytes) }

// Size returns the number of bytes, or 0 without a signature.
func (s Signature) Size() int { return len(s.bytes) }

// Scheme returns the name of the scheme, or "" if it is unknown or missing.
func (s Signature) Scheme() string {
	if len(s.bytes) == 0 {
		return ""
	}
	return SchemeName(s.bytes[0])
}

// Verify verifies the signature over m, like VerifyTransactionSignature.
func (s Signature) Verify(m Material) (Address, error) {
	return VerifyTransactionSignature(m.bytes, s.bytes)
}

// Signers verifies the signature over m, like TransactionSigners.
func (s Signature) Signers(m Material) ([]Address, error) {
	return TransactionSigners(m.bytes, s.bytes)
}

// String shows only whether there is a value.
func (Signature) String() string { return redacted }

// Format prints the same text for every verb, including %x and %d.
func (Signature) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue returns the same text for logs.
func (Signature) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON always returns an error, so that no response can contain a signature by accident.
func (Signature) MarshalJSON() ([]byte, error) { return nil, notPrinted() }

// MarshalText always returns an error.
func (Signature) MarshalText() ([]byte, error) { return nil, notPrinted() }
