package main

import (
	"io"
	"log/slog"
	"regexp"
	"sync"
)

// secretShapes matches values that must never reach a log, under any name: page tokens and codes
// (43 characters of base64url), private keys, and long runs of base64 or hexadecimal, which could
// be a transaction or a signature. It does not match digests and addresses.
const secretShapes = `suiprivkey1[0-9a-z]{20,}|\b[A-Za-z0-9_-]{43}\b|[A-Za-z0-9+/]{80,}={0,2}|\b(?:0x)?[0-9a-fA-F]{66,}\b`

const redacted = "[redacted]"

// newLog returns a logger that writes JSON lines and redacts secrets from values.
func newLog(w io.Writer) *slog.Logger {
	secrets := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(secretShapes) })
	// A base58 digest has up to 44 characters, none of them - or _. A digest of exactly 43
	// characters looks like a token and is redacted too.
	redact := func(s string) string { return secrets().ReplaceAllString(s, redacted) }
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{
		Level: slog.LevelInfo,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch v := a.Value.Any().(type) {
			case string:
				return slog.String(a.Key, redact(v))
			case error:
				return slog.String(a.Key, redact(v.Error()))
			}
			return a
		},
	}))
}
