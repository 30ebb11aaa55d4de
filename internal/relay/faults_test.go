package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// strait is a network between a machine and its server. While shut, it silently forwards nothing.
type strait struct {
	mu   sync.Mutex
	move *sync.Cond
	shut bool
}

// between opens a strait to a server and returns its address.
func between(t *testing.T, server string) (s *strait, address string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = &strait{}
	s.move = sync.NewCond(&s.mu)
	t.Cleanup(func() { _ = l.Close(); s.set(false) })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", u.Host)
			if err != nil {
				_ = near.Close()
				continue
			}
			go s.pass(near, far)
			go s.pass(far, near)
		}
	}()
	return s, "nats://" + l.Addr().String()
}

func (s *strait) set(shut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut = shut
	s.move.Broadcast()
}

func (s *strait) pass(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		s.mu.Lock()
		for s.shut {
			s.move.Wait()
		}
		s.mu.Unlock()
		if _, wrote := to.Write(b[:n]); err != nil || wrote != nil {
			return
		}
	}
}

// count returns how many calls of a method the user's program received.
func (w *two) count(method string) (n int) {
	for {
		select {
		case got := <-w.served:
			if got == `"`+method+`"` {
				n++
			}
		default:
			return n
		}
	}
}

// TestPartition interrupts the network. A short interruption only delays a call. After a long one,
// the call is reported as failed and never repeated.
func TestPartition(t *testing.T) {
	long.Skip(t, "a broken network is noticed after seconds")
	t.Parallel()
	for name, c := range map[string]struct {
		shut          time.Duration
		cut, answered bool // answered: interrupt the response rather than the call
	}{"shorter than the silence that ends a connection": {3 * time.Second, false, false}, "longer": {12 * time.Second,
		true, false},
		"longer, between a call and its answer": {12 * time.Second, true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := natskit.Server(t, 0)
			network, here := between(t, server)
			w := machinesApart(t, here, server, time.Now)
			w.admit(t)
			client := proxied(t, &relay.Proxy{Open: w.guest.Open, Now: time.Now})
			call := func(id int) string {
				return client.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x%d"}}`, id, id))
			}
			if got := call(1); !strings.Contains(got, `"said":{"name":"x1"}`) {
				t.Fatal(got)
			}
			w.count("tools/call")
			shut := func() {
				network.set(true)
				time.AfterFunc(c.shut, func() { network.set(false) })
			}
			if c.answered {
				once := sync.OnceFunc(shut)
				w.before.Store(&once)
			} else {
				shut()
			}
			begun := time.Now()
			got := call(2)
			t.Logf("answered after %s", time.Since(begun).Round(time.Millisecond))
			if cut := strings.Contains(got, "may have been executed"); cut != c.cut || !cut && !strings.Contains(got,
				`"said":{"name":"x2"}`) {
				t.Errorf("it says: %s", got)
			}
			double.Until(t, "a call is answered again", func() bool {
				got = call(3)
				return strings.Contains(got,
					`"said":{"name":"x3"}`)
			})
			// Packets of the connection arrive in order, so earlier ones have arrived.
			if got = call(4); !strings.Contains(got, `"said":{"name":"x4"}`) {
				t.Error(got)
			}
			n := w.count("tools/call") - 1
			// The interrupted call may have been executed once. The calls while disconnected were
			// not executed, and the last call was.
			if n < 1 || n > 2 || (!c.cut || c.answered) && n != 2 {
				t.Errorf("two calls were carried out %d times", n)
			}
		})
	}
}

// talk is a connection without a proxy.
type talk struct {
	s     *relay.Stream
	lines *bufio.Reader
}

func talks(t testing.TB, g *relay.Guest) talk {
	t.Helper()
	var s *relay.Stream
	double.Until(t, "a connection opens", func() (ok bool) {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second) // an answer can be lost
		defer stop()
		var err error
		s, err = g.Open(ctx)
		return err == nil
	})
	t.Cleanup(func() { s.End("the test is over") })
	return talk{s, bufio.NewReader(s)}
}

// ask sends a request with params and returns the response.
func (k talk) ask(t testing.TB, id int, params string) string {
	t.Helper()
	late := time.AfterFunc(double.Patience, func() { k.s.End("the test waited too long") })
	defer late.Stop()
	if _, err := fmt.Fprintf(k.s, `{"jsonrpc":"2.0","id":%d,"method":"asked","params":%q}`+"\n", id, params); err != nil {
		t.Fatal(err)
	}
	line, err := k.lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ID     int
		Result struct{ Said string }
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil || got.ID != id {
		t.Fatalf("%v: %s", err, line)
	}
	return got.Result.Said
}

// tap records every message on the server.
type tap struct {
	mu   sync.Mutex
	all  []*nats.Msg
	stop func()
}

func taps(t testing.TB, nc *nats.Conn) *tap {
	t.Helper()
	k := &tap{}
	sub, err := nc.Subscribe(">", func(m *nats.Msg) { k.mu.Lock(); k.all = append(k.all, m); k.mu.Unlock() })
	if err != nil {
		t.Fatal(err)
	}
	k.stop = func() { _ = sub.Unsubscribe() }
	t.Cleanup(k.stop)
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *tap) kept() []*nats.Msg {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]*nats.Msg{}, k.all...)
}

// TestReplayOnTheWire checks that replaying recorded packets, in any order and to any subject,
// executes nothing and does not change a response.
func TestReplayOnTheWire(t *testing.T) {
	w := machines(t)
	w.admit(t)
	nc := dial(t, w.url)
	k := taps(t, nc)
	one := talks(t, w.guest)
	for i := range 5 {
		one.ask(t, i, fmt.Sprint("first ", i))
	}
	again := func(subject func(*nats.Msg) string) {
		t.Helper()
		double.Until(t, "calls and answers are recorded", func() bool { return len(k.kept()) >= 12 })
		all := k.kept()
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for range 2 {
			for _, m := range all {
				if err := nc.PublishMsg(&nats.Msg{Subject: subject(m), Reply: m.Reply, Data: m.Data}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	same := func(m *nats.Msg) string { return m.Subject }
	w.count("asked")
	again(same)
	if got := one.ask(t, 9, "during"); got != "during" {
		t.Errorf("it was answered with %q", got)
	}
	two := talks(t, w.guest)
	t.Run("at a connection that came later", func(t *testing.T) {
		up, down := "", ""
		for _, m := range k.kept() {
			if rest, ok := strings.CutPrefix(m.Subject, "sayurintent.up."); ok {
				up, down = m.Subject, "sayurintent.down."+rest // ends up as the later connection
			}
		}
		again(func(m *nats.Msg) string {
			if strings.HasPrefix(m.Subject, "sayurintent.up.") {
				return up
			}
			return down
		})
		if got := two.ask(t, 1, "later"); got != "later" {
			t.Errorf("it was answered with %q", got)
		}
	})
	again(same)
	// Each response arrives after the packets that were replayed to its connection.
	if got := one.ask(t, 10, "last"); got != "last" {
		t.Errorf("it was answered with %q", got)
	}
	if got := two.ask(t, 2, "last"); got != "last" {
		t.Errorf("it was answered with %q", got)
	}
	if n := w.count("asked"); n != 4 {
		t.Errorf("four calls were carried out %d times", n)
	}
}

// TestTwoRemotes checks that two machines can use the same request IDs at the same time.
func TestTwoRemotes(t *testing.T) {
	w := machines(t)
	w.admit(t)
	g, paired := w.another(t)
	w.admits(t, g, paired)
	var both sync.WaitGroup
	for name, k := range map[string]talk{"one": talks(t, w.guest), "two": talks(t, g)} {
		both.Go(func() {
			for i := range 200 {
				if want := fmt.Sprint(name, " ", i); k.ask(t, i, want) != want {
					t.Errorf("machine %s has the answer of the other", name)
				}
			}
		})
	}
	both.Wait()
}

// TestFloods checks that a machine still receives responses if another accepted machine floods the
// user's computer, and a stranger floods the public subjects.
func TestFloods(t *testing.T) {
	long.Skip(t, "it floods a server")
	t.Parallel()
	quiet := flooded(t)
	for i := range 20 {
		if got := quiet.ask(t, i, "quiet"); got != "quiet" {
			t.Fatalf("it was answered with %q", got)
		}
	}
}

// BenchmarkFloods measures a call of one machine while others flood the server.
func BenchmarkFloods(b *testing.B) {
	quiet := flooded(b)
	for b.Loop() {
		quiet.ask(b, 1, "quiet")
	}
}

// flooded returns a connection of a well-behaved machine to a server that others flood.
func flooded(t testing.TB) talk {
	t.Helper()
	w := machinesAt(t, natskit.Server(t, 0))
	w.admit(t)
	go func() {
		for range w.served { // nothing else reads these
		}
	}()
	g, paired := w.another(t)
	w.admits(t, g, paired)
	nc := dial(t, w.url)
	k := taps(t, nc)
	var loud [8]talk
	for i := range loud {
		loud[i] = talks(t, w.guest)
	}
	for _, k := range loud {
		go func() { // sends requests without end and reads no response
			line := `{"jsonrpc":"2.0","id":1,"method":"flood","params":"` + strings.Repeat("x", 4<<10) + `"}` + "\n"
			for {
				if _, err := io.WriteString(k.s, line); err != nil {
					return
				}
			}
		}()
	}
	subjects := map[string]bool{}
	double.Until(t, "eight connections are seen on the wire", func() bool {
		for _, m := range k.kept() {
			if !strings.HasPrefix(m.Subject, "_INBOX") && !strings.HasPrefix(m.Subject, "sayurintent.down.") {
				subjects[m.Subject] = true
			}
		}
		return len(subjects) >= 8+1 // one more subject is for new connections
	})
	k.stop()
	for subject := range subjects {
		go func() {
			junk := make([]byte, 4<<10)
			pace := time.NewTicker(5 * time.Millisecond) // 7 MB/s in all, which a busy test machine can handle
			defer pace.Stop()
			for nc.Publish(subject, junk) == nil {
				<-pace.C
			}
		}()
	}
	return talks(t, g)
}

// TestClocksApart checks that an hour between the clocks of the two machines has no effect. Only
// the user's computer decides when access ends.
func TestClocksApart(t *testing.T) {
	for name, apart := range map[string]time.Duration{"the person's clock is ahead": time.Hour,
		"it is behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			offset := apart
			now := func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(offset) }
			server := natskit.Server(t, 0)
			w := machinesApart(t, server, server, now)
			w.admit(t) // for an hour by the clock of the user's computer
			k := talks(t, w.guest)
			if got := k.ask(t, 1, "x"); got != "x" {
				t.Fatal(got)
			}
			mu.Lock()
			offset += 61 * time.Minute
			mu.Unlock()
			var refused *relay.RefusedError
			if _, err := w.guest.Open(t.Context()); !errors.As(err, &refused) || refused.State != "ended" {
				t.Errorf("after its end by the person's clock: %v", err)
			}
		})
	}
}
