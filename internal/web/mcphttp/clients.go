package mcphttp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/stdio"
)

const (
	maxClients    = 64 // connections in total
	maxClientsKey = 16 // connections per token
	idleTime      = 30 * time.Minute
)

// client is one connection.
type client struct {
	Client
	id   string // session ID; for a shared connection, a secret that clients do not know
	conn *stdio.Exchanges
	push pushes
	over chan struct{} // closed after the connection has ended

	// The lock of clients guards these fields.
	busy int   // number of requests and streams that use it
	used int64 // increases with every use
	idle *time.Timer
}

// clients holds all connections.
type clients struct {
	Config
	serial atomic.Int64
	ctx    context.Context
	stop   context.CancelFunc
	ended  sync.WaitGroup

	mu  sync.Mutex
	all map[string]*client
}

func newClients(c Config) *clients {
	cs := &clients{Config: c, all: map[string]*client{}}
	cs.ctx, cs.stop = context.WithCancel(c.Life)
	return cs
}

// close ends all connections.
func (cs *clients) close() {
	cs.stop()
	cs.ended.Wait()
}

// find returns a token's session by its id, or nil.
func (cs *clients) find(key pagetoken.Key, id string) *client {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.all[id]
	//mutant:never ./internal/web/mcphttp TestSessions
	if c == nil || c.Key.ID != key.ID || c.Lasting {
		return nil
	}
	return c
}

// begin opens a session.
func (cs *clients) begin(key pagetoken.Key, toolsets string) (*client, error) {
	if err := cs.Toolsets(toolsets); err != nil {
		return nil, err
	}
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, err
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.open(rand.Text(), Client{Key: key, Toolsets: toolsets, Conversation: "conv_" + hex.EncodeToString(b[:])})
}

// shared returns the connection for a token's requests without a session.
func (cs *clients) shared(key pagetoken.Key, toolsets string) (*client, error) {
	if err := cs.Toolsets(toolsets); err != nil {
		return nil, err
	}
	id := "shared " + key.ID + " " + toolsets
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.all[id]; c != nil {
		return c, nil
	}
	// The conversation belongs to the token, so it outlives the connection and the server.
	name := sha256.Sum256([]byte("say-ur-intent mcp " + key.ID))
	return cs.open(id, Client{Key: key, Toolsets: toolsets, Conversation: "conv_" + hex.EncodeToString(name[:16]),
		Lasting: true})
}

// open opens a connection. The caller must hold the lock.
func (cs *clients) open(id string, of Client) (*client, error) {
	if err := cs.room(of.Key.ID); err != nil {
		return nil, err
	}
	c := &client{Client: of, id: id, conn: stdio.NewExchanges(of.Lasting), over: make(chan struct{})}
	c.idle = time.AfterFunc(idleTime, func() { cs.expire(c) })
	cs.all[id] = c
	cs.ended.Go(func() {
		defer close(c.over)
		if err := cs.Serve(cs.ctx, c.Client, c.conn, &c.push); err != nil && cs.ctx.Err() == nil {
			cs.Log.Warn("the connection of a client ended", "cause", err)
		}
		cs.end(c)
	})
	return c, nil
}

// room makes room for another connection of a token. It ends the token's least recently used idle
// one.
func (cs *clients) room(key string) error {
	own, oldest := 0, (*client)(nil)
	for _, c := range cs.all {
		if c.Key.ID != key {
			continue
		}
		own++
		if c.busy == 0 && (oldest == nil || c.used < oldest.used) {
			oldest = c
		}
	}
	switch {
	//mutant:never ./internal/web/mcphttp TestTooMany
	case own < maxClientsKey && len(cs.all) < maxClients:
	case oldest != nil:
		cs.drop(oldest)
	default:
		return fault.New(fault.RateLimited, "Too many sessions. End some of them.")
	}
	return nil
}

// use marks a connection as used until done is called.
func (cs *clients) use(c *client) (done func()) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.busy++
	c.idle.Stop()
	return func() {
		cs.mu.Lock()
		defer cs.mu.Unlock()
		c.busy--
		c.used = cs.serial.Add(1)
		if c.busy == 0 && cs.all[c.id] == c {
			c.idle.Reset(idleTime)
		}
	}
}

func (cs *clients) expire(c *client) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c.busy == 0 {
		cs.drop(c)
	}
}

// end ends a connection.
func (cs *clients) end(c *client) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.drop(c)
}

// drop ends a connection. The caller must hold the lock.
func (cs *clients) drop(c *client) {
	if cs.all[c.id] == c {
		delete(cs.all, c.id)
	}
	c.idle.Stop()
	c.conn.Close()
}
