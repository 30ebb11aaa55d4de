package web

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/wschat"
)

// manualTime is how long the window for the manual test stays open.
const manualTime = 15 * time.Minute

// manual is the window in which programs without a token may read chosen projects over
// the socket. It is kept in memory alone: a restart closes it.
type manual struct {
	mu       sync.Mutex
	opened   time.Time
	projects []string
}

// begin opens the window for projects, from now on.
func (m *manual) begin(projects []string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened, m.projects = now, slices.Clone(projects)
}

// end closes it.
func (m *manual) end() { m.begin(nil, time.Time{}) }

// open reports whether a project may be read without a token now.
func (m *manual) open(project string, now time.Time) bool {
	projects, _ := m.state(now)
	return slices.Contains(projects, project)
}

// state returns the projects of an open window and when it ends, none where it is closed.
// A clock that was set back closes it: nobody could say for how long it was open.
func (m *manual) state(now time.Time) (projects []string, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	passed := now.Sub(m.opened)
	//mutant:always ./review/web TestManualWindowEnds
	if len(m.projects) > 0 && passed >= 0 && passed < manualTime {
		return slices.Clone(m.projects), m.opened.Add(manualTime)
	}
	return nil, time.Time{}
}

// socketSettingsRoutes are what a person sets of the socket.
func socketSettingsRoutes() []route {
	return []route{
		{http.MethodPost, "/api/settings/{id}/window", withActive, pagetoken.Settings, true, (*Server).windowOpen},
		{http.MethodPost, "/api/settings/{id}/window-end", withActive, pagetoken.Settings, true, (*Server).windowEnd},
	}
}

// socketView is what the settings page shows of the socket.
type socketView struct {
	Offered  bool
	Projects []string // that are registered
	Open     []string // of the window for the manual test; none: it is closed
	Until    string
	Address  string // without its query
	Command  string // of the manual test
	Peers    []peerLine
}

// peerLine is one program that is connected.
type peerLine struct{ Session, Project, What string }

func (s *Server) socketView(ctx context.Context) (v socketView, err error) {
	if s.Workspace == nil || s.Keys == nil {
		return v, nil
	}
	v.Offered = true
	if v.Projects, err = s.Workspace.Projects(ctx); err != nil {
		return v, err
	}
	v.Address = "ws://" + s.host + socketPath
	var until time.Time
	if v.Open, until = s.manual.state(s.Now()); len(v.Open) > 0 {
		v.Until = at(until)
		v.Command = `wscat -c "` + v.Address + `?sessionId=test-123&projectKey=` + v.Open[0] + `"`
	}
	for _, p := range s.sockets.Peers() {
		v.Peers = append(v.Peers, peerLine{p.Session, p.Project, peerWords(p)})
	}
	return v, nil
}

// peerWords says in words what a connected program does.
func peerWords(p wschat.Peer) string {
	switch {
	case p.Role == wschat.ToEditor:
		return "an editor that answers tools"
	case p.Writes:
		return "reads, and may change files"
	}
	return "reads"
}

// registered refuses keys of projects that are not registered.
func (s *Server) registered(ctx context.Context, keys []string) error {
	var known []string
	if s.Workspace != nil && len(keys) > 0 {
		var err error
		if known, err = s.Workspace.Projects(ctx); err != nil {
			return err
		}
	}
	for _, key := range keys {
		//mutant:never ./review/web TestSocketTokensOnTheSettingsPage
		if !slices.Contains(known, key) {
			return fault.New(fault.InputInvalid, "One of these projects is not registered, or not any more.").With("field", "projects")
		}
	}
	return nil
}

type windowIn struct {
	Projects []string `json:"projects"`
}

// windowOpen opens the window for the manual test.
func (s *Server) windowOpen(c *call) error {
	in, err := body[windowIn](c)
	if err != nil {
		return err
	}
	if len(in.Projects) == 0 {
		return fault.New(fault.InputInvalid, "Choose at least one project.").With("field", "projects")
	}
	if err := s.registered(c.ctx(), in.Projects); err != nil {
		return err
	}
	s.manual.begin(in.Projects, s.Now())
	writeJSON(c.w, http.StatusOK, keyOut{Done: true, Says: "The window is open for 15 minutes. Programs on this computer can read these projects without a token."})
	return nil
}

// windowEnd closes it. What was connected by it ends within a second.
func (s *Server) windowEnd(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	s.manual.end()
	writeJSON(c.w, http.StatusOK, keyOut{Done: true, Says: "The window is closed."})
	return nil
}
