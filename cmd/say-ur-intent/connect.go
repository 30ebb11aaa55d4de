package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/outbox"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// connectClient serves the client of this machine by the program of the other one. While
// that is away, the events that were kept are read, and everything else says that it is.
func connectClient(ctx context.Context, p process, o relayOptions, profile *relay.Profile) error {
	in, out := p.claim()
	ctx, stop := context.WithCancel(ctx)
	c := connection{process: p, options: o, profile: profile, conversation: rand.Text(), hub: &events.Hub{}}
	c.session = profile.Own.Public.Conversation(c.conversation)
	var work sync.WaitGroup
	defer c.close()
	defer work.Wait()
	defer stop()
	lists, err := profile.Lists()
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent connect: what was known of the other machine cannot be read: %v\n", err)
	}
	c.mirror = &outbox.Mirror{Cursors: &c, Patience: 2 * time.Second}
	c.named = namesOf(tools.All(tools.Deps{}))
	c.telling = tools.AwayTelling(c.mirror, c.session, c.hub)
	defer c.telling.Close()
	if profile.Peer != nil {
		work.Go(func() { c.follow(ctx) })
	}
	proxy := relay.Proxy{Now: p.Now, Seen: profile.SeenAt, Lists: lists, Keep: profile.Keep, Open: c.open,
		Away: c.away, AwayTools: map[string]bool{}, Lines: c.lines}
	for _, t := range tools.Away(c.mirror, "", "") {
		proxy.AwayTools[t.Name], proxy.AwayTools[tool.Underscored(t.Name)] = true, true
	}
	if err := proxy.Serve(ctx, in, out); ctx.Err() == nil {
		return err
	}
	return nil
}

// connection is one client's way to the program of the other machine.
type connection struct {
	process      process
	options      relayOptions
	profile      *relay.Profile
	conversation string // as this machine calls it
	session      string // as the log does
	mirror       *outbox.Mirror
	telling      *tools.Telling
	hub          *events.Hub
	named        []string // tools that texts speak of

	mu    sync.Mutex
	guest *relay.Guest
}

// reach connects to the NATS server, once.
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

// follow reads the events that are kept for this machine, and those that come.
func (c *connection) follow(ctx context.Context) {
	for ctx.Err() == nil {
		if g, err := c.reach(); err == nil {
			_ = g.Follow(ctx, func(text []byte) {
				c.mirror.Take(text)
				c.hub.Changed(events.Subject{Kind: events.Log, ID: c.session})
			}, c.mirror.Whole)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// Cursor and MoveCursor implement outbox.Cursors over the connection.
func (c *connection) Cursor(ctx context.Context, log, reader string) (int64, error) {
	g, err := c.reach()
	if err != nil {
		return 0, err
	}
	return g.Cursor(ctx, log, reader)
}

// MoveCursor moves a cursor forward.
func (c *connection) MoveCursor(ctx context.Context, log, reader string, to int64) error {
	g, err := c.reach()
	if err != nil {
		return err
	}
	return g.MoveCursor(ctx, log, reader, to)
}

// lines are what the agent of this conversation was not told yet.
func (c *connection) lines(ctx context.Context) (texts []string) {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	for _, e := range c.telling.Pending(ctx, nil) {
		texts = append(texts, e.Text)
	}
	return texts
}

// away serves the tools that read events from what was kept. Beside each answer stands
// why it is not the program's own.
func (c *connection) away(ctx context.Context, why string, in io.Reader, out io.Writer) error {
	_, _ = c.mirror.ID(ctx) // or each tool says that nothing is known
	served := tools.Away(c.mirror, c.session, c.mirror.Network())
	hooks := &server.Hooks{}
	hooks.AddAfterCallTool(func(_ context.Context, _ any, _ *mcp.CallToolRequest, result any) {
		if r, ok := result.(*mcp.CallToolResult); ok && !r.IsError {
			addLine(r, tools.AwayNote(why, c.mirror.Earlier(c.session)))
		}
	})
	s := tool.NewServer(tool.Identity{Name: "say-ur-intent", Title: "Say Ur Intent", Version: version},
		server.WithHooks(hooks))
	tool.Register(s, served, newLog(c.process.Stderr))
	return stdio.Serve(ctx, in, out, s, stdio.Options{Now: c.process.Now, Names: c.named, Waits: waiting(served),
		LendArguments: true, NoLinks: true})
}

// addLine puts a line beside an answer.
func addLine(r *mcp.CallToolResult, e tool.SystemEvent) {
	r.Content = append(r.Content, mcp.NewTextContent(e.Text))
	whole, ok := r.StructuredContent.(json.RawMessage)
	text, err := json.Marshal([]tool.SystemEvent{e})
	if ok && err == nil && len(whole) > 2 {
		r.StructuredContent = json.RawMessage(string(whole[:len(whole)-1]) + `,"systemEvents":` + string(text) + "}")
	}
}
