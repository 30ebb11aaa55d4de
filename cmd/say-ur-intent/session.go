package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// session is the state of one connected client.
type session struct {
	app          *app
	conversation string          // its conversation ID on the bus
	remote       *remotes.Remote // the client's machine; nil for this one
	toolsets     tools.Toolsets
	toolNames    string // auto, dotted or underscore
	browser      tool.Browser
	refuse       func(tool.Tool) error // refuses calls until the user approves addresses; may be nil
	lasting      bool                  // the client may outlive its connection

	telling *tools.Telling         // nil if the bus is not served
	noted   atomic.Pointer[string] // the client's name, once recorded
}

type sessionKey struct{}

// sessionOf returns the session of a call.
func sessionOf(ctx context.Context) *session {
	s, _ := ctx.Value(sessionKey{}).(*session)
	return s
}

// serveRemote serves one connection from another machine.
func (a *app) serveRemote(ctx context.Context, r remotes.Remote, conversation string, in io.Reader,
	out io.Writer) error {
	s := &session{app: a, conversation: conversation, remote: &r, toolsets: a.options.toolsets.WithoutWorkspace(),
		toolNames: a.options.toolNames}
	return s.serve(ctx, in, out)
}

// httpToolsets parses the toolsets that an HTTP client asks for. The default is all of them.
func httpToolsets(text string) (tools.Toolsets, error) {
	return tools.ParseToolsets(cmp.Or(text, "all"))
}

// serveHTTP serves a client that connects over HTTP.
func (a *app) serveHTTP(ctx context.Context, c mcphttp.Client, x *stdio.Exchanges, push io.Writer) error {
	toolsets, err := httpToolsets(c.Toolsets)
	if err != nil {
		return err
	}
	// A request without a handshake cannot say how it spells tool names, so they are always
	// underscored.
	s := &session{app: a, conversation: c.Conversation, toolsets: toolsets,
		toolNames: string(stdio.ToolNamesUnderscore),
		lasting:   c.Lasting}
	return s.over(ctx, func(ctx context.Context, m *server.MCPServer, o stdio.Options) error {
		return x.Serve(ctx, push, m, o)
	})
}

// serve serves the client until its input ends.
func (s *session) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.over(ctx, func(ctx context.Context, m *server.MCPServer, o stdio.Options) error {
		return stdio.Serve(ctx, in, out, m, o)
	})
}

// over serves the client with serve, which runs a transport until it ends.
func (s *session) over(ctx context.Context, serve func(context.Context, *server.MCPServer, stdio.Options) error) error {
	a := s.app
	o, err := a.offer(ctx, s.toolsets, s.remote)
	if err != nil {
		return err
	}
	transport := stdio.Options{Now: a.now, Log: a.log, Names: o.names, Waits: o.waits, LendArguments: true,
		Shared: a.shared, Skills: o.skills, NoLinks: s.remote != nil}
	if transport.ToolNames, err = stdio.ParseToolNames(s.toolNames); err != nil {
		return err
	}
	calls := &tool.Session{Browser: s.browser, Refuse: s.refuse, Began: func(name string) func(failure, answer string) {
		return a.calls.Begin(s.conversation, name)
	}}
	if s.toolsets.Bus() {
		s.telling = tools.NewTelling(a.db.SystemBus, s.conversation, a.hub)
		defer s.telling.Close()
		calls.Lines = s.telling
		s.offerBus(&transport, o.tasks)
		defer a.health.Leave(s.conversation)
	}
	ctx = context.WithValue(tool.WithSession(bus.WithConversation(ctx, s.conversation), calls), sessionKey{}, s)
	err = serve(ctx, o.server, transport)
	// A client on another machine outlives a broken connection and continues on the next one.
	if !s.lasting && (err == nil || s.remote == nil) {
		s.gone(context.WithoutCancel(ctx))
	}
	return err
}

// gone records the end of the conversation, and that the client received everything sent before.
func (s *session) gone(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	if s.telling != nil {
		s.telling.Delivered(ctx)
	}
	if err := s.app.db.EndConversation(ctx); err != nil {
		s.app.log.Warn("cannot record the end of the conversation", "cause", err)
	}
}

// noteClient records the client's name with the conversation, so that an access token for that
// client finds it. Then it takes over undelivered events from earlier conversations of the client.
func (s *session) noteClient(ctx context.Context) {
	client, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return
	}
	name := client.GetClientInfo().Name
	if name == "" {
		return
	}
	if old := s.noted.Load(); old == nil || *old != name {
		if err := s.app.db.Converse(ctx, name); err != nil {
			s.app.log.Warn("cannot record the client of this conversation", "cause", err)
			return
		}
		s.noted.Store(&name)
		if s.telling != nil {
			s.app.health.Open(s.conversation)
		}
	}
	if m, ok := client.(interface{ Modern() bool }); ok && m.Modern() {
		return // in this protocol version, clients with the same name may be different clients
	}
	if err := s.app.db.Inherit(ctx); err != nil {
		s.app.log.Warn("cannot read undelivered events of earlier conversations", "cause", err)
	}
}

// noteClients returns hooks that call noteClient before each tool call.
func noteClients() *server.Hooks {
	hooks := &server.Hooks{}
	hooks.AddBeforeCallTool(func(ctx context.Context, _ any, _ *mcp.CallToolRequest) {
		if s := sessionOf(ctx); s != nil {
			s.noteClient(ctx)
		}
	})
	return hooks
}

// forRemote removes the tools that a remote may not call. If r is nil, the client is on this
// machine and gets all tools.
func forRemote(r *remotes.Remote, all []tool.Tool) []tool.Tool {
	if r == nil {
		return all
	}
	reads := []tool.Effect{tool.Static, tool.ReadsLocal, tool.ReadsChain, tool.FillsCache, tool.KeepsTime}
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool {
		//mutant:never ./cmd/say-ur-intent TestRemoteReads
		if r.Scope != remotes.AllTools && !slices.Contains(reads, t.Effect) {
			return true
		}
		return strings.HasPrefix(t.Name, "workspace.")
	})
}

// remoteWords adapts the instructions to a remote.
func remoteWords(words string, r *remotes.Remote, all, served []tool.Tool) string {
	if r == nil {
		return words
	}
	lines := slices.DeleteFunc(strings.Split(words, "\n"), func(line string) bool {
		return slices.ContainsFunc(all, func(t tool.Tool) bool {
			return strings.Contains(line, t.Name) &&
				!slices.ContainsFunc(served, func(s tool.Tool) bool { return s.Name == t.Name })
		})
	})
	return strings.Join(lines, "\n") + "\nYou run on another machine than the user's wallet. " +
		"Links in answers work only on the user's machine and are not opened automatically: the user opens the home " +
		"page there (say-ur-intent pages), which lists pending requests and connects a wallet."
}
