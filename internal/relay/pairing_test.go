package relay_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/nacl/box"

	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// stranger is another user of the NATS server.
type stranger struct {
	t               *testing.T
	nc              *nats.Conn
	public, private *[32]byte
}

func newStranger(t *testing.T, w *two) *stranger {
	t.Helper()
	public, private, err := box.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &stranger{t, dial(t, w.url), public, private}
}

func (s *stranger) ask(subject string, what, into any) {
	s.t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := s.nc.Request(subject, text, 5*time.Second)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(m.Data, into); err != nil {
		s.t.Fatal(err)
	}
}

type committed struct {
	Commitment [32]byte
	Next       string
	Prove      remotes.Key
}

// pair pairs with the given key, after committing to committedTo if it is not nil. It proves
// possession of the stranger's own key. It returns the key that the other side shows to its user.
func (s *stranger) pair(key [32]byte, committedTo *[32]byte) (shown struct {
	Key     remotes.Key
	Refused string
}) {
	s.t.Helper()
	if committedTo == nil {
		committedTo = &key
	}
	var nonce [32]byte
	commitment := sha256.Sum256(append(append([]byte("say-ur-intent pairing 1 connect "), committedTo[:]...), nonce[:]...))
	var c committed
	s.ask("sayurintent.pair.home", map[string]any{"commitment": commitment}, &c)
	said := append(append([]byte("say-ur-intent proof 1 "), commitment[:]...), c.Commitment[:]...)
	var n [24]byte
	proof := box.Seal(n[:], said, &n, (*[32]byte)(&c.Prove), s.private)
	s.ask(c.Next, map[string]any{"key": key, "nonce": nonce, "proof": proof}, &shown)
	return shown
}

// TestPairingWithAnotherKey checks that a pairing is rejected if the key is not the one committed
// to.
func TestPairingWithAnotherKey(t *testing.T) {
	w := machines(t)
	s := newStranger(t, w)
	if shown := s.pair(*s.public, &[32]byte{7}); shown.Key != (remotes.Key{}) || shown.Refused == "" {
		t.Errorf("%+v", shown)
	}
	if _, asked, _ := w.known.Remote(t.Context(), *s.public); asked {
		t.Error("the person is asked about it")
	}
	if shown := s.pair(*s.public, nil); shown.Key != w.host.Profile.Own.Public {
		t.Errorf("its own key is refused: %+v", shown)
	}
}

// TestPairingUnderTheKeyOfAnother checks that a stranger who pairs with an accepted machine's
// public key does not end that machine's access.
func TestPairingUnderTheKeyOfAnother(t *testing.T) {
	w := machines(t)
	w.admit(t)
	s := newStranger(t, w)
	if shown := s.pair(w.guest.Profile.Own.Public, nil); shown.Key != (remotes.Key{}) || shown.Refused == "" {
		t.Errorf("%+v", shown)
	}
	r, _, _ := w.known.Remote(t.Context(), w.guest.Profile.Own.Public)
	if now := w.known.now(); r.State(now) != remotes.Admitted || r.Asks(now) {
		t.Errorf("%+v", r)
	}
	if _, err := w.guest.Open(t.Context()); err != nil {
		t.Errorf("the admitted machine is refused: %v", err)
	}
}

// TestPairingAgain checks that an accepted machine keeps its access while it pairs again.
func TestPairingAgain(t *testing.T) {
	w := machines(t)
	w.admit(t)
	paired, err := w.guest.Pair(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, _, _ := w.known.Remote(t.Context(), w.guest.Profile.Own.Public)
	if now := w.known.now(); r.State(now) != remotes.Admitted || !r.Asks(now) || r.Code != paired.Code {
		t.Errorf("%+v", r)
	}
	if _, err := w.guest.Open(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestUnprovedPairings checks that unproved pairings do not block others, because the oldest ones
// end.
func TestUnprovedPairings(t *testing.T) {
	w := machines(t)
	s := newStranger(t, w)
	var first committed
	s.ask("sayurintent.pair.home", map[string]any{"commitment": [32]byte{1}}, &first)
	for range 100 {
		s.ask("sayurintent.pair.home", map[string]any{"commitment": [32]byte{1}}, &committed{})
	}
	if n := w.host.Unproved(); n != relay.MaxUnproved {
		t.Errorf("%d pairings wait for their proof", n)
	}
	if _, err := w.guest.Pair(t.Context()); err != nil {
		t.Errorf("the real machine is refused: %v", err)
	}
	double.Until(t, "the oldest pairing has ended", func() bool {
		_, err := s.nc.Request(first.Next, []byte("{}"), time.Second)
		return errors.Is(err, nats.ErrNoResponders)
	})
}

// TestReplayedHello checks that a replayed hello does not count toward a machine's connections.
func TestReplayedHello(t *testing.T) {
	w := machines(t)
	w.admit(t)
	s := newStranger(t, w)
	heard := make(chan *nats.Msg, 10)
	if _, err := s.nc.ChanSubscribe("sayurintent.hello.*", heard); err != nil {
		t.Fatal(err)
	}
	if err := s.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	one, err := w.guest.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one.End("")
	hello := double.Next(t, "the hello is overheard", heard)
	for range 20 {
		if _, err := s.nc.Request(hello.Subject, hello.Data, 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.guest.Open(t.Context()); err != nil {
		t.Errorf("the machine itself is refused: %v", err)
	}
}

// TestPairingUnanswered checks that a pairing ends if the other side does not continue.
func TestPairingUnanswered(t *testing.T) {
	relay.ShortenPairing(t, 200*time.Millisecond)
	nc := dial(t, natskit.Server(t, 8<<10))
	for subject, answer := range map[string]string{"sayurintent.pair.home": `{"next":"silent"}`, "silent": ""} {
		_, err := nc.Subscribe(subject, func(m *nats.Msg) {
			if answer != "" {
				_ = m.Respond([]byte(answer))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	_, err := (&relay.Guest{NATS: nc, Profile: profile(t, relay.Connecting)}).Pair(t.Context())
	if !errors.Is(err, relay.ErrAbsent) {
		t.Errorf("%v", err)
	}
}
