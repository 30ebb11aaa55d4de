// Package mcphttp implements MCP over HTTP ("Streamable HTTP") on the pages' listener and behind
// its guard. It is off until the user turns it on. Every request needs an access token that the
// user created for an AI client. The package passes messages to connections of package stdio.
//
// It serves both protocol eras. A client that sends initialize gets a session with an id, and its
// own connection. Requests that carry their version and capabilities in _meta (2026-07-28) need no
// session; those with the same token share a connection.
package mcphttp

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/web"
)

// Path is the path of the endpoint.
const Path = "/mcp"

// ToolsetsHeader is the header that lists the toolsets a client requests, like the --toolsets flag.
const ToolsetsHeader = "X-MCP-Toolsets"

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "MCP-Protocol-Version"
	maxMessage    = 4 << 20 // in bytes, as for a line of stdio
	maxStreams    = 48      // for all clients together
)

// Client is a client of the endpoint.
type Client struct {
	Key          pagetoken.Key
	Toolsets     string // "" means all
	Conversation string
	// Lasting means that the client does not perform a handshake, so its state must outlive the
	// connection.
	Lasting bool
}

// Config configures the endpoint. All fields are required.
type Config struct {
	Keys *pagetoken.Keys
	// On reports whether the user turned the endpoint on.
	On func(context.Context) (bool, error)
	// Toolsets returns an error for unknown toolsets.
	Toolsets func(string) error
	// Serve serves a connection until it is closed or ctx ends. push receives messages that belong
	// to no request.
	Serve func(ctx context.Context, c Client, x *stdio.Exchanges, push io.Writer) error
	Life  context.Context // all connections end with it
	Log   *slog.Logger
}

type endpoint struct {
	Config
	streams *web.Streams
	clients *clients
}

// New returns the endpoint.
func New(c Config) web.Page {
	e := &endpoint{c, web.NewStreams(maxStreams, "Too many open requests. Cancel some of them."),
		newClients(c)}
	route := func(method string, run func(*visit) error) web.Route {
		return web.Route{Method: method, Path: Path, Right: web.Judged, JSON: method == http.MethodPost,
			MaxBody: maxMessage,
			Judge: func(c *web.Call) (string, func() error, error) {
				v := &visit{Call: c, endpoint: e}
				err := v.enter()
				return "mcp/" + v.key.ID, func() error { return run(v) }, err
			}}
	}
	return web.Page{Routes: []web.Route{route(http.MethodPost, (*visit).post), route(http.MethodGet, (*visit).listen),
		route(http.MethodDelete, (*visit).end)}, Close: e.clients.close}
}

// visit is an authorized request to the endpoint.
type visit struct {
	*web.Call
	*endpoint
	key pagetoken.Key
}

// enter authorizes a request. The pages' guard has already checked Host, Origin and query.
func (v *visit) enter() error {
	// Every browser sends this header. AI clients are not pages.
	//mutant:never ./internal/web/mcphttp TestNoPage
	if len(v.R.Header.Values("Sec-Fetch-Site")) > 0 {
		return web.Refuse(http.StatusForbidden, "foreign_site", "This address is for AI clients, not for web pages.")
	}
	key, err := v.Keys.Check(v.Ctx(), web.Bearer(v.R))
	//mutant:never ./internal/web/mcphttp TestTokens
	if err == nil && key.Scope != pagetoken.AIClient {
		_, err = v.Keys.Check(v.Ctx(), "")
	}
	if err != nil {
		if fault.Is(err, fault.SessionMismatch) {
			v.W.Header().Set("WWW-Authenticate", "Bearer")
		}
		return err
	}
	v.key = key
	return v.on()
}

func (v *visit) on() error {
	on, err := v.On(v.Ctx())
	//mutant:never ./internal/web/mcphttp TestOff
	if err == nil && !on {
		err = web.Refuse(http.StatusForbidden, "http_off",
			"Connections over HTTP are off. Turn them on, on the settings page: say-ur-intent pages.")
	}
	return err
}

// still authorizes an open stream again.
func (v *visit) still() error {
	_, there, err := v.Keys.Find(v.Ctx(), v.key.ID)
	//mutant:never ./internal/web/mcphttp TestRevoked
	if err == nil && !there {
		err = fault.New(fault.SessionMismatch, "The token was revoked.")
	}
	if err != nil {
		return err
	}
	return v.on()
}
