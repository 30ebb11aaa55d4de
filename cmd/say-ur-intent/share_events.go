package main

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/outbox"
	"github.com/sayurintent/sayurintent/internal/relay"
)

// keepEvents copies the events of remotes to the NATS server until ctx ends, so that they
// can be read while this computer is off. Sharing does not depend on it. tell is told what
// becomes of it, once for each change.
func (a *app) keepEvents(ctx context.Context, nc *nats.Conn, profile *relay.Profile, tell func(text string)) {
	said, failing := "", false
	say := func(text string) {
		if text != said {
			tell(text)
		}
		said = text
	}
	o := outbox.Outbox{Log: a.db, Remotes: a.db, Network: a.options.network.answer, Now: a.now,
		Open: func(ctx context.Context) (outbox.Stream, error) {
			return relay.OpenKept(ctx, nc, profile.Own, outbox.Limits())
		},
		Told: func(err error) {
			failed := err != nil && !errors.Is(err, relay.ErrNotKept)
			switch {
			case err == nil:
				say("Events of admitted machines are kept at the NATS server, sealed, for the time when this computer is off.")
			case errors.Is(err, relay.ErrNotKept):
				say("The NATS server has no JetStream: events are not kept for the time when this computer is off. Everything else works.")
			case !failing:
				a.log.Warn("events for other machines are not kept at present; it is tried again", "cause", err)
			}
			failing = failed
		}}
	o.Run(ctx)
}
