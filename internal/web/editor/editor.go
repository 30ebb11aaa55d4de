// Package editor gives programs access to the user's source projects: registered folders,
// file changes that need the user's decision, and the WebSocket for editors and backends.
package editor

import (
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/wschat"
)

// Config configures an Editor. The fields up to Now are required.
type Config struct {
	Folders Folders
	Edits   Edits
	// Workspace runs the tools that are called over the socket.
	Workspace Workspace
	Keys      *pagetoken.Keys
	Bus       bus.Conversations
	Now       func() time.Time

	// ManualTest lists projects that can be read over the socket without a token in the first
	// minutes after the start.
	ManualTest []string
	// Timing of the socket; the zero value means wschat.Usual.
	Timing wschat.Timing
}

// Editor manages projects and the socket. It is safe for concurrent use.
type Editor struct {
	Config
	peers  wschat.Hub
	window window
}

// New returns an editor.
func New(c Config) *Editor {
	if c.Timing == (wschat.Timing{}) {
		c.Timing = wschat.Usual()
	}
	e := &Editor{Config: c}
	e.window.begin(c.ManualTest, c.Now())
	return e
}

// Peers returns the hub of connected programs.
func (e *Editor) Peers() *wschat.Hub { return &e.peers }

// Page returns a page without a shell, with the routes. Registering a project requires the active
// settings page. Any tab of a console can decide a change.
func (e *Editor) Page() web.Page {
	set := func(path string, run web.Handler) web.Route {
		return web.Post("/api/settings/{id}/"+path, web.WithActive, pagetoken.Settings, run)
	}
	return web.Page{
		Close: e.peers.Close,
		Routes: []web.Route{
			{Method: http.MethodGet, Path: socketPath, Right: web.ByHandler, Guest: &guest, Run: e.serve},
			set("project", web.Reads(e.add)), set("mode", web.Reads(e.setMode)), set("undo", web.Reads(e.undo)),
			set("window", web.Reads(e.windowOpen)), set("window-end", web.Empty(e.windowEnd)),
			web.Post("/api/console/{id}/change", web.WithToken, pagetoken.Console, web.Reads(e.decide)),
		},
	}
}
