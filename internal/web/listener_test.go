package web

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// lane is a listener in memory.
type lane struct {
	come chan net.Conn
	gone chan struct{}
}

func newLane() *lane { return &lane{make(chan net.Conn), make(chan struct{})} }

func (l *lane) Accept() (net.Conn, error) {
	select {
	case c := <-l.come:
		return c, nil
	case <-l.gone:
		return nil, net.ErrClosed
	}
}

func (l *lane) Close() error   { close(l.gone); return nil }
func (l *lane) Addr() net.Addr { return &net.TCPAddr{} }

func (l *lane) dial() net.Conn {
	ours, theirs := net.Pipe()
	l.come <- theirs
	return ours
}

const wholeRequest = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"

// While other callers have begun as many requests as there are places, and finished none, a new
// request is answered without time passing in the bubble.
func TestHalfSentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newLane()
		server := http.Server{ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, ConnContext: connContext,
			ConnState: connState,
			Handler:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "stopped") })}
		go func() { _ = server.Serve(newListener(ln)) }()
		defer func() { _ = server.Close() }()
		send := func(c net.Conn, text string) {
			t.Helper()
			if _, err := io.WriteString(c, text); err != nil {
				t.Fatal(err)
			}
		}
		begun := time.Now()
		var half []net.Conn
		for range maxConnections {
			c := ln.dial()
			half = append(half, c)
			send(c, wholeRequest[:20])
		}
		c := ln.dial()
		send(c, wholeRequest)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if took := time.Since(begun); err != nil || resp.StatusCode != http.StatusOK || took != 0 {
			t.Fatalf("%v %v after %s", resp, err, took)
		}
		if n, err := half[0].Read(make([]byte, 1)); err == nil {
			t.Errorf("the oldest is still there: %d", n)
		}
		send(half[maxConnections-1], wholeRequest[20:])
		if resp, err := http.ReadResponse(bufio.NewReader(half[maxConnections-1]), nil); err != nil ||
			resp.StatusCode != http.StatusOK {
			t.Errorf("the latest has to go: %v %v", resp, err)
		}
	})
}

// If all connections are needed, the next caller waits until a request of one of them is answered.
func TestListenerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ln := newLane()
		done := make(chan struct{})
		server := http.Server{ConnContext: connContext, ConnState: connState,
			Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/held" {
					ShowedToken(r)
					<-done
				}
			})}
		go func() { _ = server.Serve(newListener(ln)) }()
		defer func() { close(done); _ = server.Close() }()
		answered := make(chan error, maxConnections+1)
		ask := func(path string) chan error {
			c, told := ln.dial(), make(chan error, 1)
			go func() {
				_, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: here\r\n\r\n")
				if err == nil {
					_, err = http.ReadResponse(bufio.NewReader(c), nil)
				}
				answered <- err
				told <- err
			}()
			synctest.Wait()
			return told
		}
		for range maxConnections {
			ask("/held")
		}
		caller := ask("/")
		if n := len(answered); n != 0 {
			t.Fatalf("%d were answered or closed while all places are needed", n)
		}
		done <- struct{}{}
		synctest.Wait()
		if n := len(answered); n != 2 {
			t.Fatalf("%d were answered or closed, not one of the others and the caller", n)
		}
		if err := <-caller; err != nil {
			t.Error(err)
		}
	})
}

// seats returns the n connections that l accepts.
func seats(t *testing.T, l *listener, ln *lane, n int) (all []*conn) {
	t.Helper()
	for range n {
		go ln.dial()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c.(*conn))
	}
	return all
}

// there returns how many of the connections l still has.
func there(l *listener, of []*conn) (n int) {
	for _, c := range of {
		for _, one := range l.conns {
			if one == c {
				n++
			}
		}
	}
	return n
}

func TestListenerKeepsPlacesForTokens(t *testing.T) {
	ln := newLane()
	l := newListener(ln)
	known := seats(t, l, ln, 100)
	for _, c := range known {
		c.token = true
	}
	others := seats(t, l, ln, maxConnections)
	if there(l, known) != 100 || there(l, others) != maxConnections-100 {
		t.Errorf("%d with a token, %d without", there(l, known), there(l, others))
	}
	for _, c := range known {
		c.token = false
	}
	seats(t, l, ln, 1)
	if len(l.conns) != maxConnections-keptForTokens {
		t.Errorf("%d without a token", len(l.conns))
	}
}

// The connection that needs its place least is closed, and among equals the oldest one.
func TestListenerGivesWay(t *testing.T) {
	ln := newLane()
	l := newListener(ln)
	all := seats(t, l, ln, 6)
	states := map[string]*conn{"needed": all[0], "trusted": all[1], "answering": all[2], "idle": all[3], "older": all[4],
		"unsent": all[5]}
	whole := func(c *conn, answered int) { c.heads.take([]byte(wholeRequest)); c.answered = answered }
	states["needed"].token, states["trusted"].token = true, true
	whole(states["needed"], 0)
	whole(states["trusted"], 1)
	whole(states["answering"], 0)
	whole(states["idle"], 1)
	whole(states["older"], 1)
	states["older"].heads.take([]byte(wholeRequest[:5])) // half of its next request has arrived
	for _, next := range []string{"older", "unsent", "idle", "answering", "trusted"} {
		if !l.giveWay() || there(l, []*conn{states[next]}) != 0 {
			t.Errorf("%s did not give way", next)
		}
	}
	if l.giveWay() {
		t.Error("the one that is needed gave way")
	}
}

// Heads are parsed correctly however the bytes are split.
func TestHeads(t *testing.T) {
	const post = "POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab\ncd"
	for _, step := range []int{1, 2, 7, 1000} {
		var h heads
		for all := []byte(post + wholeRequest + post); len(all) > 0; all = all[min(step, len(all)):] {
			h.take(all[:min(step, len(all))])
		}
		if h.malformed || h.count != 3 || h.whole != 3 || h.begun() {
			t.Errorf("in pieces of %d: %+v", step, h)
		}
	}
	for _, text := range []string{"\r\n", "GET / HTTP/1.1\r\r\n", "GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n"} {
		var h heads
		if h.take([]byte(text)); !h.malformed {
			t.Errorf("%q: %+v", text, h)
		}
	}
}
