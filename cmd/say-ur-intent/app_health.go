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
func (o *external) openHealth(log health.Log) {
	o.health = health.New(health.Config{Log: log, Now: o.now,
		Probe:  func(ctx context.Context) error { _, err := o.node.Epoch(ctx); return err },
		Failed: func(err error) { o.log.Warn("cannot record a service's change", "cause", err) }})
	o.later(o.health.Close)
}

// heard returns the callback that reports to the monitor whether a service's requests succeed.
func (o *external) heard(w settings.Which) provider.Heard {
	name := w.Info().Title
	if w.Info().Optional { // lower case, because the titles of optional services begin with a common noun
		name = strings.ToLower(name[:1]) + name[1:]
	}
	if u, err := url.Parse(o.options.services[w].URL); err == nil && u.Host != "" {
		name += " (" + u.Host + ")"
	}
	if w == settings.GRPC {
		return o.health.Node(name)
	}
	return o.health.Service(name)
}
