package editor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/internal/wschat"
)

// manualTime is how long the window for the manual test stays open.
const manualTime = 15 * time.Minute

// window is the period in which programs without a token may read chosen projects over the socket.
// It exists only in memory, so a restart closes it.
type window struct {
	mu       sync.Mutex
	opened   time.Time
	projects []string
}

// begin opens the window for projects.
func (w *window) begin(projects []string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.opened, w.projects = now, slices.Clone(projects)
}

// end closes the window.
func (w *window) end() { w.begin(nil, time.Time{}) }

// open reports whether a project can be read without a token at now.
func (w *window) open(project string, now time.Time) bool {
	projects, _ := w.state(now)
	return slices.Contains(projects, project)
}

// state returns the projects of an open window and its end. If the window is closed, it returns
// none. Setting back the clock closes the window, because its duration would be unknown.
func (w *window) state(now time.Time) (projects []string, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	passed := now.Sub(w.opened)
	//mutant:always ./review/web TestManualWindowEnds
	if len(w.projects) > 0 && passed >= 0 && passed < manualTime {
		return slices.Clone(w.projects), w.opened.Add(manualTime)
	}
	return nil, time.Time{}
}

// Socket is the part of the settings page about the socket.
type Socket struct {
	Projects []string // registered projects
	Open     []string // projects in the open window of the manual test
	Until    string
	Address  string // address without the query
	Command  string // command of the manual test
	Peers    []peerLine
}

// peerLine is a connected program.
type peerLine struct{ Session, Project, What string }

// Socket returns the data for the settings page. host is the address of the server.
func (e *Editor) Socket(ctx context.Context, host string) (v Socket, err error) {
	if v.Projects, err = e.Workspace.Projects(ctx); err != nil {
		return v, err
	}
	v.Address = "ws://" + host + socketPath
	var until time.Time
	if v.Open, until = e.window.state(e.Now()); len(v.Open) > 0 {
		v.Until = words.At(until)
		v.Command = `wscat -c "` + v.Address + `?sessionId=test-123&projectKey=` + v.Open[0] + `"`
	}
	for _, p := range e.peers.Peers() {
		v.Peers = append(v.Peers, peerLine{p.Session, p.Project, peerWords(p)})
	}
	return v, nil
}

// peerWords describes what a connected program may do.
func peerWords(p wschat.Peer) string {
	switch {
	case p.Role == wschat.ToEditor:
		return "an editor that answers tools"
	case p.Writes:
		return "reads, and may change files"
	}
	return "reads"
}

// Registered returns an error if a project in keys is not registered.
func (e *Editor) Registered(ctx context.Context, keys []string) error {
	var known []string
	if len(keys) > 0 {
		var err error
		if known, err = e.Workspace.Projects(ctx); err != nil {
			return err
		}
	}
	for _, key := range keys {
		//mutant:never ./review/web TestSocketTokensOnTheSettingsPage
		if !slices.Contains(known, key) {
			return fault.New(fault.InputInvalid, "One of these projects is not registered, or not any more.").With("field",
				"projects")
		}
	}
	return nil
}

type windowIn struct {
	Projects []string `json:"projects"`
}

// windowOpen opens the window for the manual test.
func (e *Editor) windowOpen(c *web.Call, in windowIn) error {
	if len(in.Projects) == 0 {
		return fault.New(fault.InputInvalid, "Choose at least one project.").With("field", "projects")
	}
	if err := e.Registered(c.Ctx(), in.Projects); err != nil {
		return err
	}
	e.window.begin(in.Projects, e.Now())
	return c.Done("The window is open for 15 minutes. Programs on this computer can read these projects without a token.")
}

// windowEnd closes the window. Connections that used it end within a second.
func (e *Editor) windowEnd(c *web.Call) error {
	e.window.end()
	return c.Done("The window is closed.")
}
