package main

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/outbox"
	"github.com/sayurintent/sayurintent/internal/relay"
)

// keepEvents returns what copies the events of remotes to the NATS server, so that they
// can be read while this computer is off. Sharing does not depend on it. say is told, once
// for each change, whether events are kept.
func (a *app) keepEvents(profile *relay.Profile, say func(text string)) func(ctx context.Context, nc *nats.Conn) {
	return func(ctx context.Context, nc *nats.Conn) {
		said, failing := "", false
		o := outbox.Outbox{Log: a.db, Remotes: a.db, Network: a.options.network.answer, Now: a.now,
			Open: func(ctx context.Context) (outbox.Stream, error) {
				return relay.OpenKept(ctx, nc, profile.Own, outbox.Limits())
			},
			Told: func(err error) {
				text := "Events of admitted machines are kept at the NATS server, sealed, for the time when this computer is off."
				if errors.Is(err, relay.ErrNotKept) {
					text = "The NATS server has no JetStream: events are not kept for the time when this computer is off. " +
						"Everything else works."
				} else if err != nil {
					if !failing {
						a.log.Warn("events for other machines are not kept at present; it is tried again", "cause", err)
					}
					failing = true
					return
				}
				failing = false
				if text != said {
					said = text
					say(text)
				}
			}}
		o.Run(ctx)
	}
}
