package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Dial connects to the user's own NATS server. The URL may contain a user or a token, and use
// tls://. credentials names a credentials file and may be empty. Once connected, the connection is
// restored whenever it breaks.
func Dial(url, credentials string, options ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{
		nats.Name("say-ur-intent"), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.Timeout(2 * time.Second),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
		// Publishing fails while disconnected instead of being buffered. A stream retransmits by
		// itself, so a buffer would send many packets several times.
		nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, options...)
	if credentials != "" {
		all = append(all, nats.UserCredentials(credentials))
	}
	nc, err := nats.Connect(url, all...)
	if err != nil {
		return nil, fmt.Errorf("cannot use the NATS server: %w", err)
	}
	return nc, nil
}

// hello requests a connection, and welcome is the response. Both are sent as letters.
type hello struct {
	Conn      string      `json:"conn"` // connection ID, chosen by the requesting side
	Ephemeral remotes.Key `json:"ephemeral"`
	// Conversation is the requesting side's ID of its client's conversation, which continues across
	// connections. If it is empty, the connection starts a new conversation.
	Conversation string `json:"conversation,omitempty"`
}

type welcome struct {
	Conn      string      `json:"conn"` // copied from the hello
	Ephemeral remotes.Key `json:"ephemeral"`
	MaxBytes  int64       `json:"maxBytes"`          // maximum message size of the responding side's server
	Refused   string      `json:"refused,omitempty"` // a remotes.State, or one of the reasons below
}

// Refusals other than the states of a remote.
const (
	refusedUnknown = "unknown"
	refusedBusy    = "busy"
)

// RefusedError is the error of a connection that the other side rejects.
type RefusedError struct{ State string }

func (e *RefusedError) Error() string {
	switch e.State {
	case string(remotes.Waiting):
		return "this machine is not allowed yet: allow it on the other machine's settings page"
	case string(remotes.Revoked):
		return "this machine's access was revoked on the other one; pair it again with --pair"
	case string(remotes.Ended):
		return "this machine's access has ended; pair it again with --pair"
	case refusedBusy:
		return busyReason
	}
	return "the other machine does not know this one; pair it again with --pair"
}

// ErrAbsent means that no program of the user responds.
var ErrAbsent = errors.New("relay: no machine responds for this profile")

// Messages of a pairing, in this order. Both sides commit to their halves before either reveals its
// own.
type (
	pairCommit struct {
		Commitment [32]byte `json:"commitment"`
	}
	pairCommitted struct {
		Commitment [32]byte    `json:"commitment"`
		Next       string      `json:"next"`  // subject for further messages
		Prove      remotes.Key `json:"prove"` // key to which the connecting side must seal its proof
	}
	pairReveal struct {
		Key   [32]byte `json:"key"`
		Nonce [32]byte `json:"nonce"`
		// Proof is a letter from the connecting side's key to the key in Prove.
		Proof   []byte `json:"proof,omitempty"`
		Refused string `json:"refused,omitempty"` // refusedProof or refusedFull
	}
)

// Reasons to refuse a pairing.
const (
	refusedProof = "proof"
	refusedFull  = "full"
)

// proofOf returns the contents of a proof's letter. It contains both commitments, so it is valid
// for one pairing only.
func (c pairCommitted) proofOf(theirs pairCommit) []byte {
	return append(append([]byte("say-ur-intent proof 1 "), theirs.Commitment[:]...), c.Commitment[:]...)
}

// mostControl is the maximum size of the messages of a hello or a pairing.
const mostControl = 4 << 10

func decode[T any](data []byte) (v T, err error) {
	if len(data) > mostControl {
		return v, errors.New("relay: a message is too large")
	}
	return v, json.Unmarshal(data, &v)
}
