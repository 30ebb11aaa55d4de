package provider

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Outcome is what the result of a request shows about the server.
type Outcome int

// Outcomes. A response that rejects the query counts as Answered.
const (
	Answered     Outcome = iota + 1
	Unreachable          // no connection, or no answer in time
	Unauthorized         // the server requires credentials
)

// Heard receives the outcome of each request. It must return immediately. A nil Heard discards
// outcomes.
type Heard func(Outcome)

// Tell passes an outcome to h.
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

// OutcomeOf returns what the error of a request shows about the server, or 0 for nothing. It uses the
// error's detail "status", the HTTP status.
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
