package web

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
	"github.com/sayurintent/sayurintent/internal/wschat"
)

const (
	// socketPath is where editors and backends connect. It is the one address of this
	// server that takes a query, which names a socket and a project and nothing else.
	socketPath = "/ws/agent/chat"
	// socketProtocol is the subprotocol that a web page names beside its token, so that
	// there is one to answer with which is no secret.
	socketProtocol = "say-ur-intent.agent-chat"
	// socketBearer begins the subprotocol that carries the token of a web page.
	socketBearer = "bearer."
)

// Workspace is what the socket asks of the projects of this computer.
type Workspace interface {
	wschat.Tools
	// Projects lists the keys of the registered projects.
	Projects(ctx context.Context) ([]string, error)
}

// Editors are the editors that are connected.
func (s *Server) Editors() *wschat.Hub { return &s.sockets }

// socketRoutes are the door of the WebSocket tool protocol.
func socketRoutes() []route {
	return []route{
		{http.MethodGet, socketPath, withSocket, "", false, (*Server).agentChat},
	}
}

// isSocket reports whether a request is for the socket.
func isSocket(r *http.Request) bool { return r.URL.Path == socketPath }

// toSocket reports whether a program that is no browser asks for the socket by the name
// of this computer, as the protocol's own manual test does. No page reaches it so: every
// browser says where a socket is opened from.
func (s *Server) toSocket(r *http.Request) bool {
	_, port, _ := strings.Cut(s.host, ":")
	//mutant:always ./review/web TestSocketHost
	return isSocket(r) && r.Host == "localhost:"+port && len(r.Header.Values("Origin")) == 0 && r.Header.Get("Sec-Fetch-Site") == ""
}

// socketQuery reads the query of the socket: two names, each once.
func socketQuery(r *http.Request) (session, project string, no *refusal) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	for name, values := range q {
		if name != "sessionId" && name != "projectKey" || len(values) != 1 {
			return "", "", refuse(http.StatusBadRequest, "query",
				"The socket takes ?sessionId=…&projectKey=… and nothing else; a token never travels in a query.")
		}
	}
	if err != nil || r.URL.ForceQuery {
		return "", "", refuse(http.StatusBadRequest, "query", "The query cannot be read.")
	}
	return q.Get("sessionId"), q.Get("projectKey"), nil
}

// agentChat lets a peer in, and serves its socket until it ends. Everything is judged
// before the connection is upgraded.
func (s *Server) agentChat(c *call) error {
	peer, still, err := s.enterSocket(c.r)
	if err != nil {
		return err
	}
	if !strings.EqualFold(c.r.Header.Get("Upgrade"), "websocket") {
		c.w.Header().Set("Upgrade", "websocket")
		return refuse(http.StatusUpgradeRequired, "upgrade", "This address is for WebSocket connections.")
	}
	if err := s.sockets.Admit(peer); err != nil {
		return err
	}
	conn, err := websocket.Accept(c.w, c.r, &websocket.AcceptOptions{
		Subprotocols:       []string{socketProtocol},
		InsecureSkipVerify: true, // where it comes from was judged before, more strictly
	})
	if err != nil {
		s.Log.Debug("agent chat: no connection", "cause", err)
		return nil // what was wrong has been answered
	}
	conn.SetReadLimit(wschat.MaxMessage)
	socket := wschat.NewSocket(wschat.Config{Peer: peer, Conn: socketConn{conn}, Tools: s.Workspace, Still: still,
		Timing: s.timing, Now: s.Now, Rand: rand.Reader, Log: s.Log})
	if err := s.sockets.Join(socket); err != nil {
		socket.End(wschat.ClosePolicy, fault.As(err).Text)
		return nil
	}
	defer s.sockets.Leave(socket)
	s.Log.Info("agent chat: connected", "session", peer.Session, "project", peer.Project, "role", peer.Role, "caller", peer.Caller)
	socket.Serve(context.WithoutCancel(c.ctx())) // it ends with the connection, or with the server
	s.Log.Info("agent chat: disconnected", "session", peer.Session)
	return nil
}

// enterSocket judges who asks for a socket, by its token and where it comes from, and
// returns what judges that again while the socket is open.
func (s *Server) enterSocket(r *http.Request) (wschat.Peer, func(context.Context) error, error) {
	none := func(err error) (wschat.Peer, func(context.Context) error, error) { return wschat.Peer{}, nil, err }
	session, project, no := socketQuery(r)
	if no != nil {
		return none(no)
	}
	token, shown := socketToken(r)
	origins := r.Header.Values("Origin")
	browser := len(origins) > 0 || r.Header.Get("Sec-Fetch-Site") != ""
	//mutant:never ./review/web TestManualWindow
	if !shown && !browser && s.manual.open(project, s.Now()) {
		peer := wschat.Peer{Session: session, Project: project, Caller: "manual test", Role: wschat.ToBackend}
		return peer, func(context.Context) error {
			if s.manual.open(project, s.Now()) {
				return nil
			}
			return fault.New(fault.SessionExpired, "The window for the manual test is closed.")
		}, s.named(r.Context(), peer)
	}
	key, err := s.Keys.Check(r.Context(), token)
	if err != nil {
		return none(err)
	}
	//mutant:never ./review/web TestSocketRefuses
	if !key.Scope.Socket() {
		return none(s.noRight(r.Context()))
	}
	//mutant:never ./review/web TestSocketRefuses
	if browser && (len(origins) != 1 || key.Origin == "" || origins[0] != key.Origin) {
		return none(refuse(http.StatusForbidden, "foreign_origin", "This token is not for a web page of this origin."))
	}
	showedToken(r)
	peer := wschat.Peer{Session: session, Project: project, Caller: "key/" + key.ID, Role: wschat.Role(key.Scope), Writes: key.Acts}
	if err := s.named(r.Context(), peer); err != nil {
		return none(err)
	}
	//mutant:never ./review/web TestSocketRefuses
	if !slices.Contains(key.Projects, project) {
		return none(&refusal{http.StatusForbidden, fault.New(fault.SessionMismatch, "This token is not for the project “%s”.", project)})
	}
	return peer, func(ctx context.Context) error {
		//mutant:never ./review/web TestSocketRevoked
		if _, there, err := s.Keys.Find(ctx, key.ID); err != nil || there {
			return err
		}
		return fault.New(fault.SessionMismatch, "The token was revoked.")
	}, nil
}

// named judges the names in the query of a peer that has a right to the socket.
func (s *Server) named(ctx context.Context, p wschat.Peer) error {
	if !wschat.ValidSession(p.Session) {
		return refuse(http.StatusBadRequest, "sessionId", "sessionId is 1 to 64 letters, digits, dots, underscores and hyphens.")
	}
	if !wschat.ValidProject(p.Project) {
		return refuse(http.StatusBadRequest, "projectKey", "projectKey is the key of a project, as the settings page shows it.")
	}
	known, err := s.Workspace.Projects(ctx)
	if err == nil && !slices.Contains(known, p.Project) {
		err = refuse(http.StatusNotFound, "projectKey", "No project has the key “%s”. The settings page lists them.", p.Project)
	}
	return err
}

// socketToken returns the token of a request, from its header or the subprotocol of a
// web page; shown says that it showed any.
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
		found = append(found, bearer(r))
	}
	if len(found) != 1 || len(found[0]) > mostToken {
		return "", len(found) > 0
	}
	return found[0], true
}

// socketConn carries messages over a connection.
type socketConn struct{ conn *websocket.Conn }

// Read implements wschat.Conn. A binary message is none of the protocol.
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
