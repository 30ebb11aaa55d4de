package proof

import (
	"errors"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reason says what follows from a refusal.
type Reason string

// The reasons of refusals.
const (
	// Mismatch: what was given is not what validators signed, or is malformed. Who
	// gave it cannot be believed.
	Mismatch Reason = "mismatch"
	// Newer: the bytes hold a case that this program does not know. Nothing is
	// proved, and nothing is wrong with who gave them.
	Newer Reason = "newer"
	// Missing: something that the proof needs was not given.
	Missing Reason = "missing"
)

// Refusal is why something is not proved. Rule is the rule that refused it: 1 and 2
// of committees, 3 to 6 of certificates, 7 to 10 of a transaction; 0 of none of them.
type Refusal struct {
	Rule   int
	Reason Reason
	Text   string // one plain sentence
	Err    error  // the cause, nil where there is none
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// ReasonOf returns the reason of a refusal, "" where err is none.
func ReasonOf(err error) Reason {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

func mismatch(rule int, format string, args ...any) error {
	return &Refusal{Rule: rule, Reason: Mismatch, Text: fmt.Sprintf(format, args...)}
}

func missing(rule int, format string, args ...any) error {
	return &Refusal{Rule: rule, Reason: Missing, Text: fmt.Sprintf(format, args...)}
}

// unread is the refusal of bytes that cannot be decoded.
func unread(rule int, what string, err error) error {
	if errors.Is(err, sui.ErrUnknownVariant) {
		return &Refusal{rule, Newer, what + " has a part that is newer than this program. " + fault.As(err).Text, err}
	}
	return &Refusal{rule, Mismatch, what + " cannot be read. " + fault.As(err).Text, err}
}
