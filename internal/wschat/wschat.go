// Package wschat implements both roles of the WebSocket tool protocol: a backend, which asks a
// connected editor to run tools, and an executor, which runs tools for a backend.
//
// It handles messages, IDs, pending calls and limits. Opening connections, checking tokens and
// running tools are left to the caller. The package logs IDs, names and sizes, but never the text
// of a message.
package wschat

import (
	"context"
	"encoding/json"
	"regexp"
	"time"
)

// ApplyChange is the only tool that writes. If such a call was sent but not answered, it may have
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

// Timing holds timeouts and intervals, which must be positive.
type Timing struct {
	Call    time.Duration // timeout of a call
	Ping    time.Duration // interval of pings
	Silence time.Duration // time without any message after which the peer counts as gone
	Write   time.Duration // timeout for writing one message
	Right   time.Duration // how often to check whether the peer is still allowed
}

// Usual returns the timing that the protocol specifies.
func Usual() Timing {
	return Timing{Call: 30 * time.Second, Ping: 30 * time.Second, Silence: 90 * time.Second, Write: 10 * time.Second,
		Right: 500 * time.Millisecond}
}

// Role is this program's role in the protocol.
type Role string

// Roles, by the name of the peer.
const (
	// ToEditor means that the peer is an editor, which runs this program's calls.
	ToEditor Role = "ide"
	// ToBackend means that the peer is a backend, whose calls this program runs.
	ToBackend Role = "ws-backend"
)

// Tools checks and runs calls. The text of an error is sent to the peer.
type Tools interface {
	// Check returns an error if a call is not valid. It is used before a call is sent.
	Check(tool string, params json.RawMessage) error
	// Invoke runs a call on this computer and returns the text of its result.
	Invoke(ctx context.Context, tool string, params json.RawMessage) (string, error)
}

// Conn sends and receives complete text messages.
type Conn interface {
	// Read returns the next message. It fails if the message is longer than MaxMessage.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
	// Ping sends a ping and waits for the response.
	Ping(ctx context.Context) error
	// Close closes the connection. code is a close code of RFC 6455, and reason is sent to the
	// peer.
	Close(code int, reason string) error
}

// Close codes of a socket.
const (
	CloseLeaving   = 1001 // the server is shutting down, or the peer does not respond
	ClosePolicy    = 1008 // the peer is not allowed, or violates the protocol
	CloseReplaced  = 4001 // another socket with the same token has taken over the ID
	mostReasonSize = 120  // maximum bytes of a reason
)

var (
	sessionForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	projectForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	toolForm    = regexp.MustCompile(`^[a-z_]{1,32}$`)
)

// ValidSession reports whether id is a valid ID of a socket: 1 to 64 letters, digits, dots,
// underscores and hyphens.
func ValidSession(id string) bool { return sessionForm.MatchString(id) }

// ValidProject reports whether key is a valid key of a project.
func ValidProject(key string) bool { return projectForm.MatchString(key) }
