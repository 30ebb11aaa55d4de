package provider

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Outcome is what a request showed about the server.
type Outcome int

// The outcomes. An answer that is a refusal of the question is Answered too.
const (
	Answered     Outcome = iota + 1
	Unreachable          // no connection, or no answer in time
	Unauthorized         // the server wants credentials
)

// Heard receives the outcome of each question. It must return at once. A nil Heard ignores them.
type Heard func(Outcome)

// Tell reports an outcome to h.
func (h Heard) Tell(o Outcome) {
	if h != nil && o != 0 {
		h(o)
	}
}

// OfStatus returns the outcome that an HTTP status shows.
func OfStatus(status int) Outcome {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return Unauthorized
	}
	return Answered
}

// OutcomeOf returns what a request's fault shows about the server, or 0 if nothing. Its detail
// "status" is the HTTP status.
func OutcomeOf(ctx context.Context, err error) Outcome {
	switch {
	case err == nil:
		return Answered
	case errors.Is(ctx.Err(), context.Canceled):
		return 0
	}
	failed := fault.As(err)
	if status, err := strconv.Atoi(failed.Detail.Get("status")); err == nil {
		return OfStatus(status)
	}
	if failed.Code == fault.ProviderUnavailable {
		return Unreachable
	}
	return 0
}
