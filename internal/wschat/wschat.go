// Package wschat is the WebSocket tool protocol, in both of its roles: a backend that
// asks a connected editor to run tools, and an executor that runs the tools that a
// backend asks for.
//
// It knows frames, ids, pending calls and limits. It opens no connection, judges no
// token, and knows no tool but by its name: the connection, the right to it and what
// the calls run on are handed in. It logs ids, names and sizes, and never a text that a
// message carries.
package wschat

import (
	"context"
	"encoding/json"
	"regexp"
	"time"
)

// ApplyChange is the one tool that writes. A call of it that was sent and not answered
// may have been carried out.
const ApplyChange = "apply_change"

// Limits of the protocol, and what they bound.
const (
	MaxMessage = 1 << 20 // bytes of one message, in either direction
	InFlight   = 8       // calls of one socket that run at once
	Queue      = 32      // calls of one socket that wait to run
	MaxID      = 200     // characters of a toolCallId
	MostWrong  = 50      // messages of one socket that are no part of the protocol, before it is closed
	MaxSockets = 32      // of all peers
	MaxOfOne   = 8       // of one token
)

// Timing is how long things take. All are positive.
type Timing struct {
	Call    time.Duration // from the call to its result
	Ping    time.Duration // between pings
	Silence time.Duration // without any sign of life, then the socket is closed
	Write   time.Duration // to take one message off our hands
	Right   time.Duration // between two looks whether the peer may still be here
}

// Usual returns the times of the protocol.
func Usual() Timing {
	return Timing{Call: 30 * time.Second, Ping: 30 * time.Second, Silence: 90 * time.Second, Write: 10 * time.Second,
		Right: 500 * time.Millisecond}
}

// Role is which side of the protocol this program is on.
type Role string

// The roles, by what the peer is.
const (
	// ToEditor: the peer is an editor that runs the calls of this program.
	ToEditor Role = "ide"
	// ToBackend: the peer is a backend whose calls this program runs.
	ToBackend Role = "ws-backend"
)

// Tools is what calls are checked by, and run on. The text of an error is for the peer.
type Tools interface {
	// Check reports what a call lacks before it is sent to anybody.
	Check(tool string, params json.RawMessage) error
	// Invoke runs a call on this computer, and returns the text of its result.
	Invoke(ctx context.Context, tool string, params json.RawMessage) (string, error)
}

// Conn carries whole text messages.
type Conn interface {
	// Read returns the next message. It fails for one that is longer than MaxMessage.
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
	// Ping returns when the peer has answered a ping.
	Ping(ctx context.Context) error
	// Close ends the connection with a code of RFC 6455 and a reason for the peer.
	Close(code int, reason string) error
}

// Codes with which a socket is closed.
const (
	CloseLeaving   = 1001 // the server ends, or the peer is silent
	ClosePolicy    = 1008 // the peer may not be here, or does not keep to the protocol
	CloseReplaced  = 4001 // another socket of the same token took the id
	mostReasonSize = 120  // bytes that a reason may have
)

var (
	sessionForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	projectForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	toolForm    = regexp.MustCompile(`^[a-z_]{1,32}$`)
)

// ValidSession reports whether a text can be the id of a socket: 1 to 64 letters,
// digits, dots, underscores and hyphens.
func ValidSession(id string) bool { return sessionForm.MatchString(id) }

// ValidProject reports whether a text can be the key of a project.
func ValidProject(key string) bool { return projectForm.MatchString(key) }
