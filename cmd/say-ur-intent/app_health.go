package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/sayurintent/sayurintent/internal/health"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// openHealth creates the monitor of outside services.
func (a *app) openHealth() {
	a.health = health.New(health.Config{Log: a.db, Now: a.now,
		Probe:  func(ctx context.Context) error { _, err := a.node.Epoch(ctx); return err },
		Failed: func(err error) { a.log.Warn("a change of a service was not recorded", "cause", err) }})
	a.later(a.health.Close)
}

// heard returns the function to which a service's client reports.
func (a *app) heard(w settings.Which) provider.Heard {
	name := w.Info().Title
	if w.Info().Optional { // these titles begin with an ordinary word
		name = strings.ToLower(name[:1]) + name[1:]
	}
	if u, err := url.Parse(a.options.services[w].URL); err == nil && u.Host != "" {
		name += " (" + u.Host + ")"
	}
	if w == settings.GRPC {
		return a.health.Node(name)
	}
	return a.health.Service(name)
}
