// Package remotes defines the rules for other machines that may use the program: which ones asked,
// which were accepted with which permissions and until when, and which were revoked. It does no
// I/O.
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

// Conversations returns the prefix of the names of all conversations of the machine with this key,
// and of no other. So a machine that names its conversation can reach only its own.
func (k Key) Conversations() string {
	sum := sha256.Sum256(append([]byte("say-ur-intent conversations 1 "), k[:]...))
	return "conv_" + hex.EncodeToString(sum[:12]) + "_"
}

// Conversation returns the local name for a conversation, given the machine's own name for it.
func (k Key) Conversation(own string) string {
	sum := sha256.Sum256([]byte(own))
	return k.Conversations() + hex.EncodeToString(sum[:12])
}

// Connection returns the common prefix of all conversations of the machine that a conversation
// belongs to, or false for a conversation on this computer.
func Connection(conversation string) (beginning string, ok bool) {
	at := strings.LastIndexByte(conversation, '_')
	if at < len("conv_") || !strings.HasPrefix(conversation, "conv_") {
		return "", false
	}
	return conversation[:at+1], true
}

// ParseKey parses the output of String. It returns fault.InputInvalid for any other text.
func ParseKey(s string) (k Key, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(k) {
		return k, fault.New(fault.InputInvalid, "This is not a machine's key.")
	}
	return Key(b), nil
}

// profileName matches a valid profile name, which is part of a subject and of a file name.
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckProfile returns fault.InputInvalid for an invalid profile name.
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
	AllTools Scope = "all_tools" // everything that a client on this computer has, except the workspace
)

// State is the state of a remote.
type State string

// States of a remote.
const (
	Waiting  State = "waiting"  // asked and not yet accepted
	Admitted State = "admitted" // may connect
	Ended    State = "ended"    // its end date has passed
	Revoked  State = "revoked"  // the user ended its access
)

// Limits on stored remotes.
const (
	WaitFor    = 10 * time.Minute // how long a remote's request waits for the user
	MostWait   = 20               // simultaneous requests; the oldest is replaced
	MostKept   = 50               // remotes that the user has decided on; the oldest without access is replaced
	MostName   = 60               // characters of a name
	LongestEnd = 366 * 24 * time.Hour
)

// Remote is another machine that asked for access. Unset times are zero.
type Remote struct {
	Key       Key
	Profile   string // under which it asked
	Code      string // short code derived from both keys; "" after the user's decision
	Name      string // given by the user; "" until the decision
	Scope     Scope  // "" until the decision
	AskedAt   time.Time
	EndsAt    time.Time
	RevokedAt time.Time
	SeenAt    time.Time
}

// State returns the state of the remote at a given time.
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

// Asks reports whether the remote waits for the user's decision. An accepted remote may ask again:
// its access does not change until the user decides.
func (r Remote) Asks(now time.Time) bool {
	state := r.State(now)
	return (state == Waiting || state == Admitted && r.Code != "") && now.Before(r.AskedAt.Add(WaitFor))
}

// Ask returns the stored remote, which now asks with the values of asked. An accepted remote keeps
// its access.
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
	Code   string // as displayed by the other machine
	Name   string
	Scope  Scope
	EndsAt time.Time
}

// Admit returns the remote with the user's decision applied. It returns fault.InputInvalid for a
// code that does not match the keys, an empty or too long name, an unknown scope, or an end in the
// past or more than a year ahead; and fault.InvalidSessionTransition for a remote that no longer
// waits.
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

// Plain returns a code in the form used for comparison: upper case, without separators.
func Plain(code string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
}

// Store stores remotes. Times are from the store's clock.
type Store interface {
	// AskRemote stores a remote that asks, using [Remote.Ask]. If too many wait, it removes the
	// oldest. If too many have access, it returns fault.RateLimited.
	AskRemote(ctx context.Context, r Remote) error
	// Remote returns a remote, or false if it is unknown.
	Remote(ctx context.Context, k Key) (Remote, bool, error)
	// Remotes lists all remotes, latest first.
	Remotes(ctx context.Context) ([]Remote, error)
	// AdmitRemote updates a remote with [Remote.Admit]. It calls may in the transaction.
	AdmitRemote(ctx context.Context, a Admission, may func(context.Context) error) error
	// RevokeRemote revokes a remote. It returns false if the remote's access has ended or it is
	// unknown.
	RevokeRemote(ctx context.Context, k Key, may func(context.Context) error) (bool, error)
	// SawRemote records that a remote just connected or sent something.
	SawRemote(ctx context.Context, k Key) error
}
