package web

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// listener accepts the connections of the pages and limits their number. If all places are taken,
// it closes the connection that needs its place least, such as the one that has been sending its
// request the longest. A new connection waits only if every place is needed. Some places are
// reserved for connections that presented a token.
type listener struct {
	net.Listener

	mu     sync.Mutex
	room   sync.Cond // signaled when a connection is closed or may be closed
	conns  []*conn   // oldest first
	closed bool
}

func newListener(ln net.Listener) *listener {
	l := &listener{Listener: ln}
	l.room.L = &l.mu
	return l
}

// conn is an accepted connection and its use so far. The lock of its listener guards the fields.
type conn struct {
	net.Conn
	of    *listener
	heads heads

	token    bool // it presented a valid token
	answered int  // number of requests that were answered
	judged   int  // number of requests whose heads were checked
}

// Accept returns the next connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.full() && !l.closed {
		if !l.giveWay() {
			l.room.Wait()
		}
	}
	if l.closed {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	one := &conn{Conn: c, of: l}
	l.conns = append(l.conns, one)
	return one, nil
}

// Close stops accepting.
func (l *listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.room.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

func (l *listener) full() bool {
	others := 0
	for _, c := range l.conns {
		if !c.token {
			others++
		}
	}
	//mutant:never `others >= maxConnections-keptForTokens` ./internal/web TestListenerKeepsPlacesForTokens
	return len(l.conns) >= maxConnections || others >= maxConnections-keptForTokens
}

// giveWay closes the connection that needs its place least. It returns false if all are needed.
func (l *listener) giveWay() bool {
	least := -1
	for i, c := range l.conns {
		if n := c.need(); n < needed && (least < 0 || n < l.conns[least].need()) {
			least = i
		}
	}
	if least < 0 {
		return false
	}
	c := l.conns[least]
	l.drop(c)
	_ = c.Conn.Close()
	return true
}

// How much a connection needs its place, in ascending order.
const (
	unsent   = iota // it has not sent a complete request
	idle            // all its requests are answered
	tokeless        // a request without a token is being answered
	trusted         // it presented a token, and all its requests are answered
	needed
)

func (c *conn) need() int {
	switch busy := c.heads.whole > c.answered; {
	case c.token && busy:
		return needed
	case c.token:
		return trusted
	case busy:
		return tokeless
	case c.heads.whole > 0 && !c.heads.begun():
		return idle
	}
	return unsent
}

func (l *listener) drop(c *conn) {
	for i := range l.conns {
		if l.conns[i] == c {
			l.conns = append(l.conns[:i:i], l.conns[i+1:]...)
			l.room.Broadcast()
			return
		}
	}
}

// Read reads from the connection and follows the request heads.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.heads.take(b[:n])
	return n, err
}

// Close closes the connection and releases its place.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.drop(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

type connKey struct{}

func connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connState records that a request was answered.
func connState(c net.Conn, state http.ConnState) {
	if c, ok := c.(*conn); ok && state == http.StateIdle {
		c.of.mu.Lock()
		c.answered++
		c.of.room.Broadcast()
		c.of.mu.Unlock()
	}
}

// ShowedToken records that a request had a valid token. Its connection is then the last to be
// closed when there are too many.
func ShowedToken(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		c.of.mu.Lock()
		c.token = true
		c.of.mu.Unlock()
	}
}

// guardHead rejects a request on a connection that sent a malformed head, because two programs
// could disagree about where the next request begins.
func guardHead(r *http.Request) error {
	c, ok := r.Context().Value(connKey{}).(*conn)
	if !ok {
		return nil
	}
	c.of.mu.Lock()
	c.judged++
	well := !c.heads.malformed && c.judged <= c.heads.count
	c.of.mu.Unlock()
	//mutant:never ./review/web TestMalformedHeads
	if !well {
		return Refuse(http.StatusBadRequest, "request_form",
			"The head of this request is not written the way this server reads it.")
	}
	return nil
}
