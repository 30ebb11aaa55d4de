package relay

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/nacl/box"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Guest is the side that connects.
type Guest struct {
	NATS    *nats.Conn
	Profile *Profile
	Now     func() time.Time
	// Conversation is this machine's ID of its client's conversation, which continues across
	// connections. If it is empty, each connection starts a new conversation.
	Conversation string
}

// request sends a request and waits for the response. It returns ErrAbsent if nobody answers.
func (g *Guest) request(ctx context.Context, subject string, data []byte) (*nats.Msg, error) {
	m, err := g.NATS.RequestWithContext(ctx, subject, data)
	if err == nil {
		return m, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrAbsent, err)
}

// Paired is the result of a pairing. Peer must not be used before the user has confirmed that both
// machines show the same code.
type Paired struct {
	Peer remotes.Key
	Code string
}

// Pair exchanges keys with the sharing side. It returns ErrAbsent if the sharing side does not
// respond within 15 seconds.
func (g *Guest) Pair(ctx context.Context) (Paired, error) {
	ctx, stop := context.WithTimeout(ctx, pairingTime)
	defer stop()
	mine := half{Key: g.Profile.Own.Public}
	if _, err := rand.Read(mine.Nonce[:]); err != nil {
		return Paired{}, err
	}
	commit := pairCommit{mine.commitment(Connecting)}
	text, err := json.Marshal(commit)
	if err != nil {
		return Paired{}, err
	}
	m, err := g.request(ctx, pairSubject(g.Profile.Name), text)
	if err != nil {
		return Paired{}, err
	}
	theirs, err := decode[pairCommitted](m.Data)
	if err != nil {
		return Paired{}, err
	}
	proof, err := letter(theirs.proofOf(commit), theirs.Prove, g.Profile.Own.Private)
	if err != nil {
		return Paired{}, err
	}
	if text, err = json.Marshal(pairReveal{Key: mine.Key, Nonce: mine.Nonce, Proof: proof}); err != nil {
		return Paired{}, err
	}
	if m, err = g.request(ctx, theirs.Next, text); err != nil {
		return Paired{}, err
	}
	shown, err := decode[pairReveal](m.Data)
	if err != nil {
		return Paired{}, err
	}
	switch shown.Refused {
	case "":
	case refusedFull:
		return Paired{},
			errors.New("the other machine has given access to too many machines: revoke one on its settings page, then pair again")
	default:
		return Paired{}, errors.New("the other machine rejected this machine's key: it may run another version, or someone is intercepting the connection")
	}
	other := half{Key: shown.Key, Nonce: shown.Nonce}
	//mutant:never ./internal/relay TestPairing/another key than committed
	if other.commitment(Sharing) != theirs.Commitment {
		return Paired{},
			errors.New("the other side revealed a different key than it committed to: someone is intercepting the connection")
	}
	return Paired{Peer: other.Key, Code: codeOf(mine, other)}, nil
}

// Open opens a connection to the sharing side. It returns ErrAbsent if nobody answers, and a
// RefusedError if this machine is not accepted.
func (g *Guest) Open(ctx context.Context) (*Stream, error) {
	if g.Profile.Peer == nil {
		return nil, errors.New("this profile is not paired yet; run this command with --pair first")
	}
	public, private, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	asked := hello{Conn: hex.EncodeToString(id[:]), Ephemeral: *public, Conversation: g.Conversation}
	got, err := g.hello(ctx, asked)
	if err != nil {
		return nil, err
	}
	keys := packetKeys{out: dirUp, back: dirDown}
	box.Precompute(&keys.shared, (*[32]byte)(&got.Ephemeral), private)
	up, most := upSubject(asked.Conn), g.NATS.MaxPayload()
	if got.MaxBytes > 0 {
		most = min(most, got.MaxBytes)
	}
	s := newStream(keys, most, func(b []byte) error { return g.NATS.Publish(up, b) }, g.Now)
	sub, err := g.NATS.Subscribe(downSubject(asked.Conn), func(m *nats.Msg) { s.take(m.Data) })
	if err != nil {
		s.End("")
		return nil, err
	}
	go func() { <-s.Done(); _ = sub.Unsubscribe() }()
	if err := sub.SetPendingLimits(mostPackets, mostUnread); err != nil {
		s.End("")
		return nil, err
	}
	s.mu.Lock()
	s.acknowledge() // proves that this side has the connection's key
	s.mu.Unlock()
	return s, nil
}

// hello requests a connection. It verifies that the response is from the sharing side and belongs
// to this request.
func (g *Guest) hello(ctx context.Context, asked hello) (w welcome, err error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return w, err
	}
	sealed, err := letter(text, *g.Profile.Peer, g.Profile.Own.Private)
	if err != nil {
		return w, err
	}
	m, err := g.request(ctx, helloSubject(*g.Profile.Peer),
		append(g.Profile.Own.Public[:len(g.Profile.Own.Public):len(g.Profile.Own.Public)], sealed...))
	if err != nil {
		return w, err
	}
	if text, err = openLetter(m.Data, *g.Profile.Peer, g.Profile.Own.Private); err != nil {
		return w, fmt.Errorf("%w: the response did not come from the other machine", ErrAbsent)
	}
	if w, err = decode[welcome](text); err != nil {
		return w, err
	}
	//mutant:never ./internal/relay TestReplayedWelcome
	if w.Conn != asked.Conn || w.MaxBytes <= 0 { // this side's own hello, sent back, has no size
		return w, fmt.Errorf("%w: the response belongs to another request", ErrAbsent)
	}
	if w.Refused != "" {
		return w, &RefusedError{State: w.Refused}
	}
	return w, nil
}

// openTime limits opening a connection.
const openTime = 3 * time.Second
