// Package wschat implements the WebSocket tool protocol in both of its roles: a backend, which asks
// a connected editor to run tools, and an executor, which runs tools for a backend.
//
// It handles frames, ids, pending calls and limits. It does not open connections or check tokens,
// and it knows tools only by name; the caller passes in all of these. It logs ids, names and sizes,
// but never the text of a message.
package wschat

import (
	"context"
	"encoding/json"
	"regexp"
	"time"
)

// ApplyChange is the only tool that writes. If a call of it was sent and not answered, it may have
// been executed.
const ApplyChange = "apply_change"

// Limits of the protocol.
const (
	MaxMessage = 1 << 20 // bytes per message, in either direction
	InFlight   = 8       // running calls per socket
	Queue      = 32      // queued calls per socket
	MaxID      = 200     // characters of a toolCallId
	MostWrong  = 50      // invalid messages per socket, before it is closed
	MaxSockets = 32      // sockets of all peers
	MaxOfOne   = 8       // sockets per token
)

// Timing holds the timeouts and intervals. All must be positive.
type Timing struct {
	Call    time.Duration // timeout of a call
	Ping    time.Duration // interval of pings
	Silence time.Duration // maximum time without a sign of life
	Write   time.Duration // timeout for writing one message
	Right   time.Duration // interval of checks whether the peer is still allowed
}

// Usual returns the protocol's timing.
func Usual() Timing {
	return Timing{Call: 30 * time.Second, Ping: 30 * time.Second, Silence: 90 * time.Second, Write: 10 * time.Second,
		Right: 500 * time.Millisecond}
}

// Role is this program's role in the protocol.
type Role string

// Roles, named by the peer.
const (
	// ToEditor means that the peer is an editor, which runs this program's calls.
	ToEditor Role = "ide"
	// ToBackend means that the peer is a backend, whose calls this program runs.
	ToBackend Role = "ws-backend"
)

// Tools checks and runs calls. The peer sees the text of an error.
type Tools interface {
	// Check returns an error if a call is invalid; it is used before sending.
	Check(tool string, params json.RawMessage) error
	// Invoke runs a call on this computer and returns the text of its result.
	Invoke(ctx context.Context, tool string, params json.RawMessage) (string, error)
}

// Conn carries complete text messages.
type Conn interface {
	// Read returns the next message. It returns an error for one longer than MaxMessage.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
	// Ping returns when the peer has answered a ping.
	Ping(ctx context.Context) error
	// Close closes the connection with a code of RFC 6455 and a reason for the peer.
	Close(code int, reason string) error
}

// Close codes of a socket.
const (
	CloseLeaving   = 1001 // the server ends, or the peer does not respond
	ClosePolicy    = 1008 // the peer is not allowed, or violates the protocol
	CloseReplaced  = 4001 // another socket with the same token took over the id
	mostReasonSize = 120  // maximum bytes of a reason
)

var (
	sessionForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	projectForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	toolForm    = regexp.MustCompile(`^[a-z_]{1,32}$`)
)

// ValidSession reports whether a text is a valid socket id: 1 to 64 letters, digits, dots,
// underscores and hyphens.
func ValidSession(id string) bool { return sessionForm.MatchString(id) }

// ValidProject reports whether a text is a valid project key.
func ValidProject(key string) bool { return projectForm.MatchString(key) }
