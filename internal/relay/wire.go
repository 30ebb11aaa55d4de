package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Dial connects to the user's own NATS server. Credentials and TLS are those of the
// library: a URL with a user, a token or tls://, and a file of credentials where one is
// named. Once connected it connects again for ever.
func Dial(url, credentials string, options ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{
		nats.Name("say-ur-intent"), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.Timeout(2 * time.Second),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
		// What is published while there is no connection is refused, not kept: a stream
		// sends again by itself, and would otherwise send many times over.
		nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, options...)
	if credentials != "" {
		all = append(all, nats.UserCredentials(credentials))
	}
	nc, err := nats.Connect(url, all...)
	if err != nil {
		return nil, fmt.Errorf("the NATS server cannot be used: %w", err)
	}
	return nc, nil
}

// hello asks for a connection; it goes in a letter. welcome answers, in a letter too.
type hello struct {
	Conn      string      `json:"conn"` // chosen by the asking side
	Ephemeral remotes.Key `json:"ephemeral"`
	// Conversation is what the asking side calls the one that its client goes on with over
	// all its connections; "" is one of this connection alone.
	Conversation string `json:"conversation,omitempty"`
}

type welcome struct {
	Conn      string      `json:"conn"` // of the hello that is answered
	Ephemeral remotes.Key `json:"ephemeral"`
	MaxBytes  int64       `json:"maxBytes"`          // of one message at the other side's server
	Refused   string      `json:"refused,omitempty"` // a remotes.State, or unknown, or busy
}

// Refusals beside the states of a remote.
const (
	refusedUnknown = "unknown"
	refusedBusy    = "busy"
)

// RefusedError is how a connection fails that the other side does not admit.
type RefusedError struct{ State string }

func (e *RefusedError) Error() string {
	switch e.State {
	case string(remotes.Waiting):
		return "this machine is not admitted yet: admit it on the settings page of the other one"
	case string(remotes.Revoked):
		return "this machine's access was revoked on the other one; pair it again with --pair"
	case string(remotes.Ended):
		return "this machine's access has ended; pair it again with --pair"
	case refusedBusy:
		return busyReason
	}
	return "the other machine does not know this one; pair it again with --pair"
}

// ErrAbsent is how everything fails while no program of the person answers.
var ErrAbsent = errors.New("relay: nobody answers for this profile")

// The messages of a pairing, in their order. Both commitments come before both halves.
type (
	pairCommit struct {
		Commitment [32]byte `json:"commitment"`
	}
	pairCommitted struct {
		Commitment [32]byte    `json:"commitment"`
		Next       string      `json:"next"`  // the subject for what follows
		Prove      remotes.Key `json:"prove"` // to which the connecting side proves its key
	}
	pairReveal struct {
		Key   [32]byte `json:"key"`
		Nonce [32]byte `json:"nonce"`
		// Proof is a letter of the connecting side, from its key to the one to prove it to.
		Proof   []byte `json:"proof,omitempty"`
		Refused string `json:"refused,omitempty"` // refusedProof or refusedFull
	}
)

// Refusals of a pairing.
const (
	refusedProof = "proof"
	refusedFull  = "full"
)

// proofOf is what the letter of a proof says. It belongs to one pairing: both sides are
// committed when it is written.
func (c pairCommitted) proofOf(theirs pairCommit) []byte {
	return append(append([]byte("say-ur-intent proof 1 "), theirs.Commitment[:]...), c.Commitment[:]...)
}

// mostControl bounds the messages that open connections and pair.
const mostControl = 4 << 10

func decode[T any](data []byte) (v T, err error) {
	if len(data) > mostControl {
		return v, errors.New("relay: a message is too large")
	}
	return v, json.Unmarshal(data, &v)
}
