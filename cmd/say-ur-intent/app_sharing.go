package main

import (
	"context"
	"sync"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/settings"
	page "github.com/sayurintent/sayurintent/internal/web/settings"
)

// sharer gives other machines access to this program, as the settings say.
type sharer struct {
	app *app

	mu    sync.Mutex
	state page.Shared
}

// State returns the state of sharing.
func (s *sharer) State() page.Shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// tell stores the state, notifies open pages if it changed, and reports whether it did.
func (s *sharer) tell(state page.Shared) bool {
	s.mu.Lock()
	same := s.state == state
	s.state = state
	s.mu.Unlock()
	if !same {
		s.app.hub.Changed(events.Subject{Kind: events.Settings})
	}
	return !same
}

// start follows the settings until ending is called. While sharing is off, nothing else runs.
func (s *sharer) start() (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); s.follow(ctx) }()
	return func() { stop(); <-done }
}

// follow restarts sharing whenever its settings change.
func (s *sharer) follow(ctx context.Context) {
	changed := s.app.hub.Watch(events.Subject{Kind: events.Settings})
	defer changed.Close()
	var now settings.Sharing
	end := func() {}
	defer func() { end() }()
	for {
		stored, err := s.app.db.Settings(ctx)
		if err != nil { // without readable settings, sharing is off
			stored.Sharing = settings.Sharing{}
		}
		if stored.Sharing.On && stored.Sharing != now || !stored.Sharing.On && now.On {
			end()
			end = func() {}
			s.tell(page.Shared{})
			if stored.Sharing.On {
				end = s.share(ctx, stored.Sharing)
			}
			now = stored.Sharing
		}
		select {
		case <-ctx.Done():
			return
		case <-changed.C:
		}
	}
}

// share connects to the NATS server and serves other machines until ending is called.
func (s *sharer) share(ctx context.Context, how settings.Sharing) (ending func()) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		profile, err := relay.OpenProfile(s.app.options.dataDir, relay.Sharing, how.Profile)
		if err != nil {
			s.tell(page.Shared{Trouble: err.Error()})
			return
		}
		host := s.app.host(profile)
		host.Keep(ctx, how.URL, how.Credentials, func(server string, err error) {
			state := page.Shared{Server: server}
			if err != nil {
				state.Trouble = err.Error()
			}
			if s.tell(state) && err != nil {
				s.app.log.Warn("sharing is not connected; retrying", "profile", how.Profile, "cause", err)
			}
		})
	}()
	return func() { stop(); <-done }
}

// host returns the host that serves the machines in a profile. It is not connected yet.
func (a *app) host(profile *relay.Profile) *relay.Host {
	return &relay.Host{Profile: profile, Remotes: a.db.RemoteAccess, Now: a.now, Log: a.log, Serve: a.serveRemote}
}
