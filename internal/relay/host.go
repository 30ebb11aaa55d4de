package relay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/nacl/box"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// Limits of the sharing side.
const (
	mostOfRemote = 8  // connections per remote
	mostUnproved = 64 // pairings and connections without a proved key
	judgeEvery   = 250 * time.Millisecond
)

// pairingTime limits a pairing up to the user's confirmation. unprovedTime limits how long a
// connection may wait for its first packet. Tests shorten both.
var (
	pairingTime  = 15 * time.Second
	unprovedTime = 5 * time.Second
)

// Host shares a program with the machines that its user accepted.
type Host struct {
	NATS    *nats.Conn
	Profile *Profile
	Remotes remotes.Store
	Now     func() time.Time
	Log     *slog.Logger
	// Paired is called with the code of each machine that asks for pairing. If it is nil, pairing
	// is rejected.
	Paired func(code string)
	// Serve serves MCP on one connection of a remote until its input ends. conversation is the
	// remote's ID of a conversation, which may continue on later connections.
	Serve func(ctx context.Context, r remotes.Remote, conversation string, in io.Reader, out io.Writer) error

	Listening func() // called when remotes can connect; may be nil

	mu       sync.Mutex
	open     map[remotes.Key]int
	unproved []*attempt // oldest first
	work     sync.WaitGroup
}

// attempt is a pairing or connection in progress, which anyone can start.
type attempt struct{ stop context.CancelFunc }

// attempt returns a context that is canceled after a time limit, unless proved is called. If there
// are too many attempts, it cancels the oldest, so that an attacker cannot block others for long.
func (h *Host) attempt(ctx context.Context, within time.Duration) (_ context.Context, proved func()) {
	ctx, stop := context.WithTimeout(ctx, within)
	a := &attempt{stop}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unproved = append(h.unproved, a)
	//mutant:never ./internal/relay TestUnprovedPairings
	if len(h.unproved) > mostUnproved {
		h.unproved[0].stop()
		h.unproved = slices.Delete(h.unproved, 0, 1)
	}
	return ctx, func() {
		stop()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.unproved = slices.DeleteFunc(h.unproved, func(other *attempt) bool { return other == a })
	}
}

// Run serves other machines until ctx ends, and then ends all connections. Several hosts may share
// a profile. Each connection then belongs to one of them.
func (h *Host) Run(ctx context.Context) error {
	h.open = map[remotes.Key]int{}
	ctx, stop := context.WithCancel(ctx)
	defer h.work.Wait()
	defer stop()
	for subject, serve := range map[string]func(context.Context, *nats.Msg){
		helloSubject(h.Profile.Own.Public): h.hello, pairSubject(h.Profile.Name): h.pair,
	} {
		sub, err := h.NATS.QueueSubscribe(subject, "share", func(m *nats.Msg) { serve(ctx, m) })
		if err != nil {
			return err
		}
		defer func() { _ = sub.Unsubscribe() }()
		// A flood of this subject is dropped here and does not affect other subjects.
		if err := sub.SetPendingLimits(64, 64*mostControl); err != nil {
			return err
		}
	}
	if err := h.NATS.Flush(); err != nil {
		return err
	}
	if h.Listening != nil {
		h.Listening()
	}
	<-ctx.Done()
	return nil
}

// hello opens a connection for a machine that is accepted.
func (h *Host) hello(ctx context.Context, m *nats.Msg) {
	if len(m.Data) < 32 || len(m.Data) > mostControl || m.Reply == "" {
		return
	}
	from := remotes.Key(m.Data[:32])
	text, err := openLetter(m.Data[32:], from, h.Profile.Own.Private)
	if err != nil {
		return
	}
	asked, err := decode[hello](text)
	if err != nil || !connName(asked.Conn) || len(asked.Conversation) > 100 {
		return
	}
	answer := welcome{Conn: asked.Conn, MaxBytes: h.NATS.MaxPayload()}
	r, known, err := h.Remotes.Remote(ctx, from)
	if err != nil {
		h.Log.Error("looking up a remote failed", "cause", err)
		return
	}
	//mutant:never ./internal/relay TestAdmission
	if state := r.State(h.Now()); !known || state != remotes.Admitted {
		answer.Refused = string(state)
		if !known || state == remotes.Waiting && !r.Asks(h.Now()) {
			answer.Refused = refusedUnknown
		}
		h.answer(m, from, answer)
		return
	}
	if h.full(from) {
		answer.Refused = refusedBusy
		h.answer(m, from, answer)
		return
	}
	public, private, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return
	}
	keys := packetKeys{out: dirDown, back: dirUp}
	box.Precompute(&keys.shared, (*[32]byte)(&asked.Ephemeral), private)
	answer.Ephemeral = *public
	h.work.Go(func() {
		h.connection(ctx, r, asked, keys, func() { h.answer(m, from, answer) })
	})
}

func connName(s string) bool {
	if len(s) != 32 {
		return false
	}
	for _, c := range s {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func (h *Host) full(k remotes.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	//mutant:never ./internal/relay TestFlood
	return h.open[k] >= mostOfRemote
}

func (h *Host) enter(k remotes.Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	//mutant:never ./internal/relay TestPlaces
	if h.open[k] >= mostOfRemote {
		return false
	}
	h.open[k]++
	return true
}

func (h *Host) leave(k remotes.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[k]--; h.open[k] == 0 {
		delete(h.open, k)
	}
}

// answer responds to a hello. Only its sender can open the letter.
func (h *Host) answer(m *nats.Msg, to remotes.Key, w welcome) {
	text, err := json.Marshal(w)
	if err != nil {
		return
	}
	if sealed, err := letter(text, to, h.Profile.Own.Private); err == nil {
		_ = m.Respond(sealed)
	}
}

// connection serves one connection, which counts toward the limit of its remote. It starts to serve
// MCP when the first packet that is sealed with the connection's key has arrived, so that nobody
// can open a connection by replaying a hello.
func (h *Host) connection(ctx context.Context, r remotes.Remote, asked hello, keys packetKeys, welcome func()) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	early, proved := h.attempt(ctx, unprovedTime)
	defer proved()
	down := downSubject(asked.Conn)
	s := newStream(keys, h.NATS.MaxPayload(), func(b []byte) error { return h.NATS.Publish(down, b) }, h.Now)
	defer s.End("")
	first := make(chan struct{})
	s.heard = sync.OnceFunc(func() { close(first) })
	sub, err := h.NATS.Subscribe(upSubject(asked.Conn), func(m *nats.Msg) {
		if h.may(ctx, r.Key) {
			s.take(m.Data)
		}
	})
	if err != nil {
		return
	}
	defer func() { _ = sub.Unsubscribe() }()
	if sub.SetPendingLimits(mostPackets, mostUnread) != nil {
		return
	}
	// The subscription must reach the NATS server before the remote sends anything.
	if h.NATS.FlushTimeout(2*time.Second) != nil {
		return
	}
	welcome()
	select {
	case <-first:
	case <-s.Done():
		return
	case <-early.Done():
		return
	}
	proved()
	if !h.enter(r.Key) {
		s.End(busyReason)
		return
	}
	defer h.leave(r.Key)
	h.work.Go(func() { h.judge(ctx, r.Key, s, stop) })
	conversation := r.Key.Conversation(cmp.Or(asked.Conversation, asked.Conn))
	if err := h.Serve(ctx, r, conversation, s, s); err != nil && ctx.Err() == nil {
		h.Log.Info("a connection of a remote ended", "remote", r.Name, "cause", err)
	}
}

// Reasons for ending the connection of an accepted machine.
const (
	stoppedSharing = "the other machine stopped sharing"
	busyReason     = "this machine has too many connections open at once"
)

// may reports whether a remote is still accepted.
func (h *Host) may(ctx context.Context, k remotes.Key) bool {
	r, known, err := h.Remotes.Remote(ctx, k)
	//mutant:never ./internal/relay TestAdmission
	return err == nil && known && r.State(h.Now()) == remotes.Admitted
}

// judge ends a connection when its remote is no longer accepted.
func (h *Host) judge(ctx context.Context, k remotes.Key, s *Stream, stop context.CancelFunc) {
	t := time.NewTicker(judgeEvery)
	defer t.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			s.End(stoppedSharing)
			return
		case <-s.Done():
			stop()
			return
		case <-t.C:
		}
		if r, known, err := h.Remotes.Remote(ctx, k); err == nil && (!known || r.State(h.Now()) != remotes.Admitted) {
			s.End((&RefusedError{State: string(r.State(h.Now()))}).Error())
			stop()
			return
		}
		if n%40 == 0 { // about every ten seconds
			_ = h.Remotes.SawRemote(ctx, k)
		}
	}
}

// pair responds to a request for pairing. It commits to this side's key, and reveals the key only
// after the other side has revealed its own and proved that it has the private key.
func (h *Host) pair(ctx context.Context, m *nats.Msg) {
	theirs, err := decode[pairCommit](m.Data)
	if err != nil || m.Reply == "" {
		return
	}
	h.work.Go(func() {
		ctx, done := h.attempt(ctx, pairingTime)
		defer done()
		if err := h.pairing(ctx, m, theirs); err != nil {
			h.Log.Warn("a pairing failed", "cause", err)
		}
	})
}

func (h *Host) pairing(ctx context.Context, m *nats.Msg, theirs pairCommit) error {
	mine := half{Key: h.Profile.Own.Public}
	if _, err := rand.Read(mine.Nonce[:]); err != nil {
		return err
	}
	// The other side proves that it has its key by sealing a letter to a key of this pairing only.
	public, private, err := box.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	committed := pairCommitted{Commitment: mine.commitment(Sharing), Next: nats.NewInbox(), Prove: *public}
	sub, err := h.NATS.SubscribeSync(committed.Next)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := h.NATS.FlushTimeout(2 * time.Second); err != nil {
		return err
	}
	respond(m, committed)
	reply, err := sub.NextMsgWithContext(ctx)
	if err != nil {
		return err
	}
	shown, err := decode[pairReveal](reply.Data)
	if err != nil {
		return err
	}
	other := half{Key: shown.Key, Nonce: shown.Nonce}
	proof, err := openLetter(shown.Proof, other.Key, *private)
	//mutant:never ./internal/relay TestPairingWithAnotherKey
	if other.commitment(Connecting) != theirs.Commitment {
		err = errSealed
	}
	//mutant:never ./internal/relay TestPairingUnderTheKeyOfAnother
	//mutant:never `err != nil` ./internal/relay TestPairingWithAnotherKey
	if err != nil || !bytes.Equal(proof, committed.proofOf(theirs)) {
		respond(reply, pairReveal{Refused: refusedProof})
		return errSealed
	}
	code := codeOf(other, mine)
	err = h.Remotes.AskRemote(ctx, remotes.Remote{Key: other.Key, Profile: h.Profile.Name, Code: code, AskedAt: h.Now()})
	if err != nil {
		respond(reply, pairReveal{Refused: refusedFull})
		return err
	}
	respond(reply, pairReveal{Key: mine.Key, Nonce: mine.Nonce})
	if h.Paired != nil {
		h.Paired(code)
	}
	return nil
}

func respond(m *nats.Msg, v any) {
	if text, err := json.Marshal(v); err == nil {
		_ = m.Respond(text)
	}
}
