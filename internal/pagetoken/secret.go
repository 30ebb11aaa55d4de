package pagetoken

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// secretBytes is the entropy of a code or token.
const secretBytes = 32

// Hash is the SHA-256 of a code's or token's text, the only form that is stored. Secrets are found
// by hash, so the time of a lookup reveals nothing.
type Hash [sha256.Size]byte

// Code is the one-time secret in a link's fragment. Only Reveal returns its text.
type Code struct{ text string }

// Token is the secret of one tab. Only Reveal returns its text.
type Token struct{ text string }

const redacted = "[redacted]"

var errSecret = errors.New("pass: a secret is not written as JSON; reveal it where it is meant to go")

// Secret marks a type that must not appear in responses or logs.
func (Code) Secret() {}

// Secret marks a type that must not appear in responses or logs.
func (Token) Secret() {}

// Reveal returns the text. Use it only to write the link.
func (c Code) Reveal() string { return c.text }

// Reveal returns the text. Use it only in the response to the exchange.
func (t Token) Reveal() string { return t.text }

// String returns a placeholder.
func (Code) String() string { return redacted }

// String returns a placeholder.
func (Token) String() string { return redacted }

// Format writes a placeholder for every verb.
func (Code) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// Format writes a placeholder for every verb.
func (Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue returns a placeholder.
func (Code) LogValue() slog.Value { return slog.StringValue(redacted) }

// LogValue returns a placeholder.
func (Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON returns an error, because a code must not be part of a document.
func (Code) MarshalJSON() ([]byte, error) { return nil, errSecret }

// MarshalJSON returns an error, because a token must not be part of a document.
func (Token) MarshalJSON() ([]byte, error) { return nil, errSecret }

// hashOf returns the hash of a secret. It returns false for text that cannot be a secret, so that
// no text of arbitrary size is hashed.
func hashOf(text string) (Hash, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if len(text) != base64.RawURLEncoding.EncodedLen(secretBytes) || err != nil || len(b) != secretBytes {
		return Hash{}, false
	}
	return sha256.Sum256([]byte(text)), true
}

// random reads n bytes from r and returns them in base64url.
func random(r io.Reader, n int) (string, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
