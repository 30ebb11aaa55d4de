package proof

import (
	"errors"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reason classifies a refusal.
type Reason string

// Reasons for refusals.
const (
	// Mismatch: the input is malformed, or validators signed something else. Do not trust its source.
	Mismatch Reason = "mismatch"
	// Newer: the bytes contain a variant that this program does not know. Nothing is proved, but the
	// source is not at fault.
	Newer Reason = "newer"
	// Missing: the proof needs something that was not provided.
	Missing Reason = "missing"
)

// Refusal explains why something is not proved. Rule is the number of the failed rule: 1 and 2 for
// committees, 3 to 6 for certificates, and 7 to 10 for a transaction. It is 0 if no rule failed.
type Refusal struct {
	Rule   int
	Reason Reason
	Text   string // one sentence
	Err    error  // the cause, or nil
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// ReasonOf returns the reason of a refusal, or "" if err is not one.
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

// unread returns the refusal for bytes that cannot be decoded.
func unread(rule int, what string, err error) error {
	if errors.Is(err, sui.ErrUnknownVariant) {
		return &Refusal{rule, Newer, what + " has a part that is newer than this program. " + fault.As(err).Text, err}
	}
	return &Refusal{rule, Mismatch, what + " cannot be read. " + fault.As(err).Text, err}
}
