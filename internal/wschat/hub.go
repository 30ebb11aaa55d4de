package wschat

import (
	"context"
	"sync"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Hub holds the open sockets of a process. The zero value is ready to use.
type Hub struct {
	mu      sync.Mutex
	sockets []*Socket // newest last
	closed  bool
}

// Admit returns an error if the peer cannot join now. It is called before the connection is
// upgraded.
func (h *Hub) Admit(p Peer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.admit(p)
	return err
}

// admit returns the socket that the peer would replace, or an error if the peer cannot join.
func (h *Hub) admit(p Peer) (replaced *Socket, err error) {
	own := 0
	for _, s := range h.sockets {
		switch {
		//mutant:never ./internal/wschat TestTwoSocketsOfOneID
		case s.Session == p.Session && s.Caller != p.Caller:
			return nil, fault.New(fault.InvalidSessionTransition,
				"Another program uses this sessionId. Choose another one.")
		case s.Session == p.Session:
			replaced = s
		case s.Caller == p.Caller:
			own++
		}
	}
	if h.closed || replaced == nil && len(h.sockets) >= MaxSockets || own >= MaxOfOne {
		return nil, fault.New(fault.RateLimited, "Too many programs are connected. Close one of them.")
	}
	return replaced, nil
}

// Join adds a socket. It replaces one with the same ID and token.
func (h *Hub) Join(s *Socket) error {
	h.mu.Lock()
	replaced, err := h.admit(s.Peer)
	if err == nil {
		h.remove(replaced)
		h.sockets = append(h.sockets, s)
	}
	h.mu.Unlock()
	if err == nil && replaced != nil {
		go replaced.End(CloseReplaced, "Another connection took over this sessionId.")
	}
	return err
}

// Leave removes a socket.
func (h *Hub) Leave(s *Socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(s)
}

func (h *Hub) remove(s *Socket) {
	for i := range h.sockets {
		if h.sockets[i] == s {
			h.sockets = append(h.sockets[:i:i], h.sockets[i+1:]...)
			return
		}
	}
}

// Close ends all sockets and rejects new ones.
func (h *Hub) Close() {
	h.mu.Lock()
	all := h.sockets
	h.closed = true
	h.mu.Unlock()
	for _, s := range all {
		go s.End(CloseLeaving, "Say Ur Intent is shutting down.")
	}
}

// Peers returns the connected peers, newest last.
func (h *Hub) Peers() []Peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []Peer
	for _, s := range h.sockets {
		all = append(all, s.Peer)
	}
	return all
}

// editor returns a project's newest editor, or nil.
func (h *Hub) editor(project string) (found *Socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sockets {
		//mutant:always ./internal/wschat TestHubCallsTheEditorOfTheProject
		if s.Role == ToEditor && s.Project == project {
			found = s
		}
	}
	return found
}

// Connected reports whether an editor is connected for a project.
func (h *Hub) Connected(project string) bool { return h.editor(project) != nil }

// Forward sends a call to the newest editor of a project and returns the result. If none is
// connected, connected is false and nothing is sent.
func (h *Hub) Forward(ctx context.Context, project, tool string, params map[string]any) (text string, connected bool,
	err error) {
	s := h.editor(project)
	if s == nil {
		return "", false, nil
	}
	text, err = s.Call(ctx, tool, params)
	return text, true, err
}
