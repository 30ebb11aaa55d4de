package editor

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coder/websocket"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/wschat"
)

const (
	// socketPath is the address to which editors and backends connect. It is the only address of
	// this server that accepts a query. The query contains only the names of a socket and a
	// project.
	socketPath = "/ws/agent/chat"
	// socketProtocol is the subprotocol that a web page requests along with its token, so that the
	// server can accept one that is not secret.
	socketProtocol = "say-ur-intent.agent-chat"
	// socketBearer is the prefix of the subprotocol that contains the token of a web page.
	socketBearer = "bearer."
)

// Workspace is the part of the workspace that the socket uses.
type Workspace interface {
	wschat.Tools
	// Projects lists the keys of the registered projects.
	Projects(ctx context.Context) ([]string, error)
}

// guest lets the socket check Host, Origin and query itself.
var guest = web.Guest{Named: locally, Query: func(r *http.Request) error {
	_, _, err := socketQuery(r)
	return err
}}

// locally reports whether a program other than a browser connects to the host name localhost, as
// the manual test of the protocol does. A web page cannot do that, because every browser sends
// Origin.
func locally(r *http.Request, port string) bool {
	//mutant:always ./review/web TestSocketHost
	return r.Host == "localhost:"+port && len(r.Header.Values("Origin")) == 0 && r.Header.Get("Sec-Fetch-Site") == ""
}

// socketQuery parses the query of the socket, which must contain both names exactly once.
func socketQuery(r *http.Request) (session, project string, err error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	for name, values := range q {
		if name != "sessionId" && name != "projectKey" || len(values) != 1 {
			return "", "", web.Refuse(http.StatusBadRequest, "query",
				"The socket takes ?sessionId=…&projectKey=… and nothing else; a token never travels in a query.")
		}
	}
	if err != nil || r.URL.ForceQuery {
		return "", "", web.Refuse(http.StatusBadRequest, "query", "The query cannot be read.")
	}
	return q.Get("sessionId"), q.Get("projectKey"), nil
}

// serve accepts a peer and serves its socket until it ends. All checks are made before the
// connection is upgraded.
func (e *Editor) serve(c *web.Call) error {
	peer, still, err := e.enter(c.R)
	if err != nil {
		return err
	}
	if !strings.EqualFold(c.R.Header.Get("Upgrade"), "websocket") {
		c.W.Header().Set("Upgrade", "websocket")
		return web.Refuse(http.StatusUpgradeRequired, "upgrade", "This address is for WebSocket connections.")
	}
	if err := e.peers.Admit(peer); err != nil {
		return err
	}
	conn, err := websocket.Accept(c.W, c.R, &websocket.AcceptOptions{
		Subprotocols:       []string{socketProtocol},
		InsecureSkipVerify: true, // the origin has already been checked, more strictly
	})
	if err != nil {
		c.Log().Debug("agent chat: no connection", "cause", err)
		return nil // Accept has already sent the error
	}
	conn.SetReadLimit(wschat.MaxMessage)
	socket := wschat.NewSocket(wschat.Config{Peer: peer, Conn: socketConn{conn}, Tools: e.Workspace, Still: still,
		Timing: e.Timing, Now: e.Now, Rand: rand.Reader, Log: c.Log()})
	if err := e.peers.Join(socket); err != nil {
		socket.End(wschat.ClosePolicy, fault.As(err).Text)
		return nil
	}
	defer e.peers.Leave(socket)
	c.Log().Info("agent chat: connected", "session", peer.Session, "project", peer.Project, "role", peer.Role, "caller",
		peer.Caller)
	socket.Serve(context.WithoutCancel(c.Ctx())) // ends with the connection or the server
	c.Log().Info("agent chat: disconnected", "session", peer.Session)
	return nil
}

// enter authorizes a socket by its token and origin. It returns a function that checks both again
// while the socket is open.
func (e *Editor) enter(r *http.Request) (wschat.Peer, func(context.Context) error, error) {
	none := func(err error) (wschat.Peer, func(context.Context) error, error) { return wschat.Peer{}, nil, err }
	session, project, no := socketQuery(r)
	if no != nil {
		return none(no)
	}
	token, shown := socketToken(r)
	origins := r.Header.Values("Origin")
	browser := len(origins) > 0 || r.Header.Get("Sec-Fetch-Site") != ""
	//mutant:never ./review/web TestManualWindow
	if !shown && !browser && e.window.open(project, e.Now()) {
		peer := wschat.Peer{Session: session, Project: project, Caller: "manual test", Role: wschat.ToBackend}
		return peer, func(context.Context) error {
			if e.window.open(project, e.Now()) {
				return nil
			}
			return fault.New(fault.SessionExpired, "The window for the manual test is closed.")
		}, e.named(r.Context(), peer)
	}
	key, err := e.Keys.Check(r.Context(), token)
	if err != nil {
		return none(err)
	}
	//mutant:never ./review/web TestSocketRefuses
	if !key.Scope.Socket() {
		return none(e.noRight(r.Context()))
	}
	//mutant:never ./review/web TestSocketRefuses
	if browser && (len(origins) != 1 || key.Origin == "" || origins[0] != key.Origin) {
		return none(web.Refuse(http.StatusForbidden, "foreign_origin", "This token is not for a web page of this origin."))
	}
	web.ShowedToken(r)
	peer := wschat.Peer{Session: session, Project: project, Caller: "key/" + key.ID, Role: wschat.Role(key.Scope),
		Writes: key.Acts}
	if err := e.named(r.Context(), peer); err != nil {
		return none(err)
	}
	//mutant:never ./review/web TestSocketRefuses
	if !slices.Contains(key.Projects, project) {
		return none(web.RefuseAs(http.StatusForbidden, fault.New(fault.SessionMismatch,
			"This token is not for the project “%s”.", project)))
	}
	return peer, func(ctx context.Context) error {
		//mutant:never ./review/web TestSocketRevoked
		if _, there, err := e.Keys.Find(ctx, key.ID); err != nil || there {
			return err
		}
		return fault.New(fault.SessionMismatch, "The token was revoked.")
	}, nil
}

// noRight returns the error for an unknown token. It is also used for tokens that are not valid for
// the socket.
func (e *Editor) noRight(ctx context.Context) error {
	_, err := e.Keys.Check(ctx, "")
	return err
}

// named checks the names in the query of an authorized peer.
func (e *Editor) named(ctx context.Context, p wschat.Peer) error {
	if !wschat.ValidSession(p.Session) {
		return web.Refuse(http.StatusBadRequest, "sessionId",
			"sessionId is 1 to 64 letters, digits, dots, underscores and hyphens.")
	}
	if !wschat.ValidProject(p.Project) {
		return web.Refuse(http.StatusBadRequest, "projectKey",
			"projectKey is the key of a project, as the settings page shows it.")
	}
	known, err := e.Workspace.Projects(ctx)
	if err == nil && !slices.Contains(known, p.Project) {
		err = web.Refuse(http.StatusNotFound, "projectKey", "No project has the key “%s”. The settings page lists them.",
			p.Project)
	}
	return err
}

// socketToken returns the token in the header of a request or in its subprotocol. shown reports
// whether there is any token.
func socketToken(r *http.Request) (token string, shown bool) {
	var found []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for _, entry := range strings.Split(line, ",") {
			if text, ok := strings.CutPrefix(strings.TrimSpace(entry), socketBearer); ok {
				found = append(found, text)
			}
		}
	}
	if len(r.Header.Values("Authorization")) > 0 {
		found = append(found, web.Bearer(r))
	}
	if len(found) != 1 || len(found[0]) > web.MaxToken {
		return "", len(found) > 0
	}
	return found[0], true
}

// socketConn implements wschat.Conn over a WebSocket.
type socketConn struct{ conn *websocket.Conn }

// Read implements wschat.Conn. Binary messages are errors.
func (w socketConn) Read(ctx context.Context) ([]byte, error) {
	kind, text, err := w.conn.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		_ = w.conn.Close(websocket.StatusUnsupportedData, "Messages are text.")
		return nil, errors.New("a binary message")
	}
	return text, err
}

// Write implements wschat.Conn.
func (w socketConn) Write(ctx context.Context, message []byte) error {
	return w.conn.Write(ctx, websocket.MessageText, message)
}

// Ping implements wschat.Conn.
func (w socketConn) Ping(ctx context.Context) error { return w.conn.Ping(ctx) }

// Close implements wschat.Conn.
func (w socketConn) Close(code int, reason string) error {
	return w.conn.Close(websocket.StatusCode(code), reason)
}
