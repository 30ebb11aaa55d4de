package store

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// Freeze stores whether the user paused signing.
type Freeze struct{ *engine }

// Frozen implements settings.Store.
func (db Freeze) Frozen(ctx context.Context) (bool, error) { return frozen(ctx, db) }

// frozen checks only whether the row exists, so a damaged row prevents releases too.
func frozen(ctx context.Context, r rower) (bool, error) {
	rows, err := single[int](ctx, r, `SELECT count(*) FROM freeze`)
	return rows > 0, err
}

// SetFrozen implements settings.Store.
func (db Freeze) SetFrozen(ctx context.Context, on bool, rights ...settings.Right) error {
	return db.setFrozen(ctx, on,
		"You paused signing: nothing is released to a wallet until you resume it on the settings page.", rights...)
}

// setFrozen implements SetFrozen. why is the reason shown to pages and clients.
func (db *engine) setFrozen(ctx context.Context, on bool, why string, rights ...settings.Right) error {
	return db.change(ctx, func(x *tx) error {
		if err := settings.CheckRights(ctx, rights); err != nil {
			return err
		}
		was, err := frozen(ctx, x)
		if err != nil {
			return err
		}
		if was == on {
			return errUnchanged
		}
		what, words := "frozen", why
		query, args := `INSERT INTO freeze (id, at) VALUES (1, ?)`, []any{nanoseconds(x.now)}
		if !on {
			what, words = "lifted", "Signing was resumed: reviews can be signed again."
			query, args = `DELETE FROM freeze`, nil
			if err := db.place.changeNote(true, func(n note) note { n.Lost = 0; return n }); err != nil {
				return err
			}
		}
		if _, err := x.exec(ctx, query, args...); err != nil {
			return err
		}
		notice, err := bus.NewEvent("", string(events.Settings)+"/", bus.SystemNotice{Message: words})
		if err != nil {
			return err
		}
		if _, err := x.append(ctx, notice); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "freeze", What: what})
	})
}
