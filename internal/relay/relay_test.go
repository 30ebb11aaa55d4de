package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// known stores remotes in memory.
type known struct {
	mu  sync.Mutex
	all map[remotes.Key]remotes.Remote
	now func() time.Time // clock of the user's computer
}

func (k *known) AskRemote(_ context.Context, r remotes.Remote) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all[r.Key] = k.all[r.Key].Ask(r, k.now())
	return nil
}

func (k *known) Remote(_ context.Context, key remotes.Key) (remotes.Remote, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.all[key]
	return r, ok, nil
}

func (k *known) Remotes(context.Context) ([]remotes.Remote, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Collect(maps.Values(k.all)), nil
}
func (k *known) AdmitRemote(_ context.Context, a remotes.Admission, _ func(context.Context) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, err := k.all[a.Key].Admit(a, k.now())
	k.all[a.Key] = r
	return err
}

func (k *known) RevokeRemote(_ context.Context, key remotes.Key, _ func(context.Context) error) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.all[key]
	r.RevokedAt = k.now()
	k.all[key] = r
	return true, nil
}
func (k *known) SawRemote(context.Context, remotes.Key) error { return nil }

// two holds the two machines of a user, which share a NATS server.
type two struct {
	url    string
	known  *known
	host   *relay.Host
	guest  *relay.Guest
	paired relay.Paired
	served chan string            // lines received by the user's program
	before atomic.Pointer[func()] // called before the response to a call; may be nil
	stop   func()
}

func dial(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := relay.Dial(url, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func profile(t testing.TB, side relay.Side) *relay.Profile {
	t.Helper()
	p, err := relay.OpenProfile(t.TempDir(), side, "home")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machines pairs two machines. The user's program echoes each line.
func machines(t testing.TB) *two {
	t.Helper()
	return machinesAt(t, natskit.Server(t, 8<<10))
}

// machinesAt pairs two machines through a server or cluster.
func machinesAt(t testing.TB, url string) *two {
	t.Helper()
	return machinesApart(t, url, url, time.Now)
}

// machinesApart pairs two machines that reach the server at different addresses. now is the clock
// of the user's computer.
func machinesApart(t testing.TB, here, there string, now func() time.Time) *two {
	t.Helper()
	w := &two{url: there, known: &known{all: map[remotes.Key]remotes.Remote{}, now: now}, served: make(chan string, 1000)}
	w.host = &relay.Host{NATS: dial(t, here), Profile: profile(t, relay.Sharing), Remotes: w.known, Now: now,
		Log: slog.New(slog.DiscardHandler), Serve: w.echo}
	w.share(t)
	w.guest, w.paired = w.another(t)
	return w
}

// another pairs a further machine.
func (w *two) another(t testing.TB) (g *relay.Guest, paired relay.Paired) {
	t.Helper()
	g = &relay.Guest{NATS: dial(t, w.url), Profile: profile(t, relay.Connecting), Now: time.Now}
	double.Until(t, "the host has subscribed, and pairs", func() bool {
		var err error
		paired, err = g.Pair(t.Context())
		return err == nil
	})
	g.Profile.Peer = &paired.Peer
	return g, paired
}

// share starts the user's side and waits until other machines can reach it. An earlier call would
// fail because the machine seems to be offline.
func (w *two) share(t testing.TB) {
	t.Helper()
	hears := make(chan struct{})
	w.host.Listening = func() { close(hears) }
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.host.Run(ctx) }()
	w.stop = sync.OnceFunc(func() { stop(); double.Next(t, "the host has ended", done) })
	t.Cleanup(w.stop)
	double.Next(t, "the host hears remotes", hears)
}

func (w *two) echo(_ context.Context, _ remotes.Remote, _ string, in io.Reader, out io.Writer) error {
	d := json.NewDecoder(in)
	for {
		var m map[string]json.RawMessage
		if err := d.Decode(&m); err != nil {
			return err
		}
		text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m["id"],
			"result": map[string]any{"said": m["params"]}})
		w.served <- string(m["method"])
		if happens := w.before.Load(); happens != nil {
			(*happens)()
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
}

func (w *two) admit(t testing.TB) { t.Helper(); w.admits(t, w.guest, w.paired) }

func (w *two) admits(t testing.TB, g *relay.Guest, paired relay.Paired) {
	t.Helper()
	err := w.known.AdmitRemote(t.Context(), remotes.Admission{Key: g.Profile.Own.Public, Code: paired.Code, Name: "cloud",
		Scope: remotes.AllTools, EndsAt: w.known.now().Add(time.Hour)}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

func TestPairing(t *testing.T) {
	w := machines(t)
	r, ok, _ := w.known.Remote(t.Context(), w.guest.Profile.Own.Public)
	if !ok || r.Code != w.paired.Code || len(r.Code) != 7 {
		t.Errorf("the codes are %q and %q", r.Code, w.paired.Code)
	}
	if w.paired.Peer != w.host.Profile.Own.Public {
		t.Error("another key was shown")
	}
	t.Run("another key than committed", func(t *testing.T) {
		// A man in the middle responds with a key that it chose after seeing the other one.
		nc := dial(t, w.url)
		between := profile(t, relay.Connecting)
		between.Name = "elsewhere"
		sub, err := nc.Subscribe("sayurintent.pair.elsewhere", func(m *nats.Msg) {
			_ = m.Respond([]byte(`{"commitment":` + list(1) + `,"next":"between"}`))
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sub.Unsubscribe() }()
		if _, err = nc.Subscribe("between", func(m *nats.Msg) {
			_ = m.Respond([]byte(`{"key":` + list(2) + `,"nonce":` +
				list(3) + `}`))
		}); err != nil {
			t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		_, err = (&relay.Guest{NATS: nc, Profile: between}).Pair(t.Context())
		if err == nil || !strings.Contains(err.Error(), "someone is intercepting") {
			t.Errorf("%v", err)
		}
	})
}

// list returns a JSON array of 32 numbers that begins with n.
func list(n int) string {
	var b [32]byte
	b[0] = byte(n)
	text, _ := json.Marshal(b)
	return string(text)
}

func TestAdmission(t *testing.T) {
	w := machines(t)
	var refused *relay.RefusedError
	if _, err := w.guest.Open(t.Context()); !errors.As(err, &refused) || refused.State != string(remotes.Waiting) {
		t.Fatalf("before the person admitted it: %v", err)
	}
	w.admit(t)
	s, err := w.guest.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte(`{"id":1,"method":"x","params":"` + strings.Repeat("long", 20_000) + `"}` +
		"\n")); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Result struct{ Said string }
	}
	late := time.AfterFunc(double.Patience, func() { s.End("the test waited too long") })
	defer late.Stop()
	if err := json.NewDecoder(s).Decode(&back); err != nil || len(back.Result.Said) != 80_000 {
		t.Fatalf("%v, %d bytes came back", err, len(back.Result.Said))
	}
	if _, err := w.known.RevokeRemote(t.Context(), w.guest.Profile.Own.Public, nil); err != nil {
		t.Fatal(err)
	}
	var ended *relay.EndedError
	if _, err := io.ReadAll(s); !errors.As(err, &ended) || ended.Reason == "the test waited too long" {
		t.Errorf("after it was revoked: %v", err)
	}
	if _, err := w.guest.Open(t.Context()); !errors.As(err, &refused) || refused.State != string(remotes.Revoked) {
		t.Errorf("after it was revoked: %v", err)
	}
}

func TestFlood(t *testing.T) {
	w := machines(t)
	w.admit(t)
	var refused *relay.RefusedError
	for range 200 {
		if _, err := w.guest.Open(t.Context()); err != nil {
			if !errors.As(err, &refused) || refused.State != "busy" {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("one remote has any number of connections")
}

// TestPlaces checks that the limit on connections holds for connections that were accepted while
// there was room and prove their keys at the same time.
func TestPlaces(t *testing.T) {
	h, one, other := &relay.Host{}, remotes.Key{1}, remotes.Key{2}
	for range relay.MaxOfRemote {
		if !h.Enter(one) {
			t.Fatal("there is no place for as many as there may be")
		}
	}
	if h.Enter(one) {
		t.Error("one more")
	}
	if !h.Enter(other) {
		t.Error("another machine has no place")
	}
	h.Leave(one)
	if !h.Enter(one) {
		t.Error("a place that was given back is not taken")
	}
}

// TestReplayedWelcome checks that neither the response to an earlier hello nor the hello itself,
// sent back, opens a connection.
func TestReplayedWelcome(t *testing.T) {
	w := machines(t)
	w.admit(t)
	nc := dial(t, w.url)
	var mu sync.Mutex
	var earlier []byte
	overhear, err := nc.Subscribe("_INBOX.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		if earlier == nil {
			earlier = m.Data
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	s, err := w.guest.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.End("")
	double.Until(t, "the answer is overheard", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return earlier != nil
	})
	_ = overhear.Unsubscribe()
	w.stop() // from now on, an attacker responds instead
	mu.Lock()
	defer mu.Unlock()
	for name, answer := range map[string]func(*nats.Msg) []byte{
		"an earlier answer":        func(*nats.Msg) []byte { return earlier },
		"the question":             func(m *nats.Msg) []byte { return m.Data[32:] },
		"an answer of another key": func(m *nats.Msg) []byte { return append([]byte{}, earlier[1:]...) },
	} {
		t.Run(name, func(t *testing.T) {
			sub, err := nc.Subscribe("sayurintent.hello.*", func(m *nats.Msg) { _ = m.Respond(answer(m)) })
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = sub.Unsubscribe() }()
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), double.Patience)
			defer stop()
			if s, err := w.guest.Open(ctx); !errors.Is(err, relay.ErrAbsent) {
				t.Errorf("%v %v", s, err)
			}
		})
	}
}

// BenchmarkCall measures a call to a program that responds at once: sealed, over a NATS server on
// loopback, and for comparison over a pipe.
func BenchmarkCall(b *testing.B) {
	w := machines(b)
	w.admit(b)
	calls := func(b *testing.B, out io.Writer, in io.Reader) {
		lines := bufio.NewReader(in)
		for b.Loop() {
			if _, err := io.WriteString(out,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.get_server_status","arguments":{}}}`+
					"\n"); err != nil {
				b.Fatal(err)
			}
			if _, err := lines.ReadString('\n'); err != nil {
				b.Fatal(err)
			}
			<-w.served
		}
	}
	b.Run("nats", func(b *testing.B) {
		s, err := w.guest.Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		defer s.End("")
		calls(b, s, s)
	})
	b.Run("here", func(b *testing.B) {
		ours, theirs, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		back, answers, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		go func() { _ = w.echo(b.Context(), remotes.Remote{}, "here", ours, answers) }()
		defer func() { _ = theirs.Close() }()
		calls(b, theirs, back)
	})
}
