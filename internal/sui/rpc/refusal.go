package rpc

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// refusal converts a failed call to a fault: the caller's own cancellation, an outage, a response that
// is too large, or a refusal by the node. A failure that does not depend on the request counts as an
// outage.
func refusal(caller context.Context, err error) error {
	if errors.Is(caller.Err(), context.Canceled) {
		return fault.Wrap(err, fault.RequestAborted, "The call was cancelled.")
	}
	s := status.Convert(err)
	// The transport converts the HTTP status of a non-gRPC response to a code, which would look like
	// the node's own answer.
	//mutant:never ./internal/sui/rpc TestHTTPStatusInsteadOfAnAnswer
	if strings.HasPrefix(s.Message(), "unexpected HTTP status code") {
		return fault.Wrap(err, fault.ProviderUnavailable,
			"The Sui node's address returned an HTTP status instead of a node's answer, so nothing is known. "+
				"Try again, or set another node.").With("code", "HTTP")
	}
	switch s.Code() {
	case codes.ResourceExhausted:
		if strings.Contains(s.Message(), "larger than max") {
			return fault.Wrap(err, fault.TooLarge, "The Sui node's answer, or the request, is larger than allowed.")
		}
		return fault.Wrap(err, fault.ProviderUnavailable, "The Sui node is rejecting requests. Try again in a moment.")
	case codes.DeadlineExceeded:
		return fault.Wrap(err, fault.ProviderUnavailable, "The Sui node did not answer in time. Try again.")
	case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal, codes.Aborted, codes.DataLoss:
		text := "The Sui node cannot be reached or failed. Try again, or set another node."
		if strings.Contains(s.Message(), "x509:") || strings.Contains(s.Message(), "tls:") {
			text = "The Sui node does not prove its identity: its TLS certificate is not trusted. Nothing was sent to it."
		}
		return fault.Wrap(err, fault.ProviderUnavailable, "%s", text).With("code", s.Code().String())
	}
	return refused(err, s.Code(), s.Message())
}

// outcome returns what a failed call shows about the node's health, or 0 for nothing.
func outcome(caller context.Context, err error) provider.Outcome {
	s := status.Convert(err)
	switch s.Code() {
	case codes.Unauthenticated, codes.PermissionDenied: // also for HTTP 401 and 403
		return provider.Unauthorized
	case codes.Unavailable, codes.DeadlineExceeded:
		if caller.Err() == nil {
			return provider.Unreachable
		}
	case codes.NotFound, codes.InvalidArgument, codes.OutOfRange, codes.FailedPrecondition:
		return provider.Answered
	}
	return 0
}

// refused keeps the node's code and its message, which is untrusted text.
func refused(cause error, code codes.Code, words string) *fault.Error {
	return fault.Wrap(cause, fault.ProviderRefused, "The Sui node refused the request (%s).", code).
		With("code", code.String()).With("nodeText", printable(words, 300))
}

// mismatch returns the error for an answer that does not match its request.
func mismatch(what string) error {
	return fault.New(fault.ProviderMismatch,
		"The Sui node gave an impossible answer: %s. Nothing was concluded from it.", what)
}

// printable returns a node's text on one line, cut to most characters. Hidden characters are shown as
// numbers.
func printable(s string, most int) string { return screen.Line(s, most) }

// truncated returns a text from the chain unchanged, cut to most characters. Checks must see hidden
// characters, and pages remove them. A zero byte, which could end a string early, is replaced by
// another hidden character.
func truncated(s string, most int) string {
	runes := []rune(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\x01"))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}

func mask(paths ...string) *fieldmaskpb.FieldMask { return &fieldmaskpb.FieldMask{Paths: paths} }

func ptr[T any](v T) *T { return &v }
