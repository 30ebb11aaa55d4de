package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/sayurintent/sayurintent/internal/relay"
)

// connectClient connects this machine's client to the program on the other machine. While that
// machine is offline, every call returns an error that says so.
func connectClient(ctx context.Context, p process, o relayOptions, profile *relay.Profile) error {
	in, out := p.claim()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c := connection{process: p, options: o, profile: profile, conversation: rand.Text()}
	defer c.close()
	lists, err := profile.Lists()
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: the saved state of the other machine cannot be read: %v\n", err)
	}
	proxy := relay.Proxy{Now: p.Now, Seen: profile.SeenAt, Lists: lists, Keep: profile.Keep, Open: c.open}
	if err := proxy.Serve(ctx, in, out); ctx.Err() == nil {
		return err
	}
	return nil
}

// connection is a client's connection to the program on another machine.
type connection struct {
	process      process
	options      relayOptions
	profile      *relay.Profile
	conversation string // conversation ID, chosen by this machine

	mu    sync.Mutex
	guest *relay.Guest
}

// reach returns the connection to the NATS server, dialing it on first use.
func (c *connection) reach() (*relay.Guest, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.guest == nil {
		nc, err := relay.Dial(c.options.url, c.options.credentials)
		if err != nil {
			return nil, err
		}
		c.guest = &relay.Guest{NATS: nc, Profile: c.profile, Now: c.process.Now, Conversation: c.conversation}
	}
	return c.guest, nil
}

func (c *connection) close() {
	if c.guest != nil {
		c.guest.NATS.Close()
	}
}

func (c *connection) open(ctx context.Context) (*relay.Stream, error) {
	g, err := c.reach()
	if err != nil {
		return nil, err
	}
	return g.Open(ctx)
}
