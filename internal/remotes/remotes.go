// Package remotes defines how other machines get access to the program: which have asked, which the
// user accepted, with which permissions and until when, and which were revoked. It does no I/O.
package remotes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Key is the public X25519 key that identifies a remote machine.
type Key [32]byte

// String returns the key in lower-case hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Conversations returns the prefix of the IDs of this machine's conversations. No other machine has
// the same prefix, so a machine can reach only its own conversations.
func (k Key) Conversations() string {
	sum := sha256.Sum256(append([]byte("say-ur-intent conversations 1 "), k[:]...))
	return "conv_" + hex.EncodeToString(sum[:12]) + "_"
}

// Conversation returns the ID of a conversation here, given the ID that the machine itself uses.
func (k Key) Conversation(own string) string {
	sum := sha256.Sum256([]byte(own))
	return k.Conversations() + hex.EncodeToString(sum[:12])
}

// Connection returns the prefix that the IDs of all conversations of the same machine have. It
// returns false for a conversation of a client on this computer.
func Connection(conversation string) (beginning string, ok bool) {
	at := strings.LastIndexByte(conversation, '_')
	if at < len("conv_") || !strings.HasPrefix(conversation, "conv_") {
		return "", false
	}
	return conversation[:at+1], true
}

// ParseKey parses the result of String. It returns fault.InputInvalid for any other text.
func ParseKey(s string) (k Key, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return k, fault.New(fault.InputInvalid, "This is not a machine's key.")
	}
	return Key(b), nil
}

// profileName matches valid names of profiles. A name becomes part of a subject and of a file name.
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckProfile returns fault.InputInvalid if a profile's name is not valid.
func CheckProfile(name string) error {
	if !profileName.MatchString(name) {
		return fault.New(fault.InputInvalid, "A profile name has 1 to 40 of a-z, 0-9, - and _, not %q.", name).With("field",
			"profile")
	}
	return nil
}

// Scope selects the tools that a remote is offered.
type Scope string

// Scopes of access.
const (
	ReadOnly Scope = "read_only" // tools that only read
	AllTools Scope = "all_tools" // all tools that a client on this computer has, except those of the workspace
)

// State is the state of a remote.
type State string

// States of a remote.
const (
	Waiting  State = "waiting"  // asked and was not accepted yet
	Admitted State = "admitted" // may connect
	Ended    State = "ended"    // its end date has passed
	Revoked  State = "revoked"  // the user ended its access
)

// Limits on stored remotes.
const (
	WaitFor    = 10 * time.Minute // how long a request waits for the user
	MostWait   = 20               // requests that may wait, after which a new one replaces the oldest
	MostKept   = 50               // remotes that are kept; a new one replaces the oldest without access
	MostName   = 60               // characters of a name
	LongestEnd = 366 * 24 * time.Hour
)

// Remote is a machine that asked for access. Times are zero if not set.
type Remote struct {
	Key       Key
	Profile   string // profile under which it asked
	Code      string // pairing code; "" after the user's decision
	Name      string // given by the user; "" until the decision
	Scope     Scope  // "" until the decision
	AskedAt   time.Time
	EndsAt    time.Time
	RevokedAt time.Time
	SeenAt    time.Time
}

// State returns the state of the remote at time now.
func (r Remote) State(now time.Time) State {
	switch {
	case !r.RevokedAt.IsZero():
		return Revoked
	case r.Scope == "":
		return Waiting
	//mutant:never ./internal/remotes TestState
	case !now.Before(r.EndsAt):
		return Ended
	}
	return Admitted
}

// Asks reports whether the remote waits for the user's decision. An accepted remote may ask again
// and keeps its access until the user decides.
func (r Remote) Asks(now time.Time) bool {
	state := r.State(now)
	return (state == Waiting || state == Admitted && r.Code != "") && now.Before(r.AskedAt.Add(WaitFor))
}

// Ask returns the stored remote r after it asked again with the values of asked. An accepted remote
// keeps its access.
func (r Remote) Ask(asked Remote, now time.Time) Remote {
	//mutant:never ./internal/remotes TestAsk
	if r.State(now) == Admitted {
		r.Profile, r.Code, r.AskedAt = asked.Profile, asked.Code, asked.AskedAt
		return r
	}
	return asked
}

// Admission is the user's decision on a remote.
type Admission struct {
	Key    Key
	Code   string // as the other machine shows it
	Name   string
	Scope  Scope
	EndsAt time.Time
}

// Admit returns the remote after the user's decision. It returns fault.InputInvalid if the code
// does not match, the name is empty or too long, the scope is unknown, or the end is in the past or
// more than a year ahead. It returns fault.InvalidSessionTransition if the remote is not waiting.
func (r Remote) Admit(a Admission, now time.Time) (Remote, error) {
	name := strings.TrimSpace(a.Name)
	switch {
	case !r.Asks(now):
		return r, fault.New(fault.InvalidSessionTransition,
			"This machine is no longer waiting. Start the pairing there again.")
	//mutant:never ./internal/remotes TestAdmit/another code
	case Plain(a.Code) != Plain(r.Code):
		return r, fault.New(fault.InputInvalid, "The code does not match. Type the code that the other machine shows. "+
			"If it differs from the code on this page, do not admit the machine: someone may be intercepting the connection.")
	case name == "" || utf8.RuneCountInString(name) > MostName || strings.ContainsFunc(name, unicode.IsControl):
		return r, fault.New(fault.InputInvalid, "Name the machine, in at most %d characters.", MostName)
	case a.Scope != ReadOnly && a.Scope != AllTools:
		return r, fault.New(fault.InputInvalid, "Choose what the machine may do.")
	case !a.EndsAt.After(now) || a.EndsAt.Sub(now) > LongestEnd:
		return r, fault.New(fault.InputInvalid, "Choose an end date after today and at most a year ahead.")
	}
	r.Code, r.Name, r.Scope, r.EndsAt = "", name, a.Scope, a.EndsAt
	return r, nil
}

// Plain returns a code for comparison: in upper case and without separators.
func Plain(code string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
}

// Store stores remotes. Times are those of the store's clock.
type Store interface {
	// AskRemote stores a remote that asks for access, using [Remote.Ask]. If too many are waiting,
	// it removes the oldest. If too many have access, it returns fault.RateLimited.
	AskRemote(ctx context.Context, r Remote) error
	// Remote returns a remote, or false if it is unknown.
	Remote(ctx context.Context, k Key) (Remote, bool, error)
	// Remotes lists all remotes, latest first.
	Remotes(ctx context.Context) ([]Remote, error)
	// AdmitRemote updates a remote with [Remote.Admit]. It calls may inside the transaction.
	AdmitRemote(ctx context.Context, a Admission, may func(context.Context) error) error
	// RevokeRemote ends a remote's access. It returns false if the remote has no access.
	RevokeRemote(ctx context.Context, k Key, may func(context.Context) error) (bool, error)
	// SawRemote records that a remote has just connected or sent something.
	SawRemote(ctx context.Context, k Key) error
}
