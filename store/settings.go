package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"reflect"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// SavedSettings stores the settings.
type SavedSettings struct{ *engine }

var _ settings.Store = struct {
	SavedSettings
	Freeze
}{}

// Settings implements settings.Store.
func (db SavedSettings) Settings(ctx context.Context) (settings.Stored, error) {
	return storedSettings(ctx, db)
}

func storedSettings(ctx context.Context, r rower) (settings.Stored, error) {
	var s settings.Stored
	type row struct{ key, value string }
	rows, err := find(ctx, r, func(r *sql.Rows, v *row) error { return r.Scan(&v.key, &v.value) },
		`SELECT key, value_json FROM settings`)
	if err != nil {
		return s, err
	}
	known := s.Parts()
	for _, v := range rows {
		found := false
		for _, p := range known {
			if p.Key != v.key {
				continue
			}
			found = true
			// A damaged limit must not allow anything. A damaged value that is not vital counts as
			// unset.
			if err := p.Read(v.value); err != nil && p.Vital {
				return settings.Stored{}, fault.Wrap(err, fault.InternalError, "The stored setting %s cannot be read back, and "+
					"without it nothing can be allowed or changed. Erase everything on the settings page, then "+
					"set it again.", v.key).With("store", "damaged")
			}
		}
		if !found {
			return settings.Stored{}, refuse("damaged", "The local data contains a setting %q that this version does not "+
				"support. Use the newer version, or reset the local data.", v.key)
		}
	}
	return s, nil
}

// ChangeSettings implements settings.Store.
func (db SavedSettings) ChangeSettings(ctx context.Context, transition func(*settings.Stored) error) error {
	return db.change(ctx, func(x *tx) error {
		before, err := storedSettings(ctx, x)
		if err != nil {
			return err
		}
		// Read the settings a second time, so that the transition cannot change before through a
		// shared slice.
		after, err := storedSettings(ctx, x)
		if err != nil {
			return err
		}
		if err := transition(&after); err != nil {
			return err
		}
		return saveSettings(ctx, x, before, after)
	})
}

// saveSettings stores every changed setting with its journal entry. A setting with its default
// value has no row.
func saveSettings(ctx context.Context, x *tx, before, after settings.Stored) error {
	old := before.Parts()
	for i, p := range after.Parts() {
		if reflect.DeepEqual(old[i].Value, p.Value) {
			continue
		}
		what := "set"
		if reflect.ValueOf(p.Value).Elem().IsZero() {
			what = "restored"
			if err := x.one(ctx, `DELETE FROM settings WHERE key = ?`, p.Key); err != nil {
				return err
			}
		} else if err := putSetting(ctx, x, p); err != nil {
			return err
		}
		if err := x.record(ctx, events.Entry{Kind: events.Settings, To: p.Key, What: what}); err != nil {
			return err
		}
	}
	return nil
}

func putSetting(ctx context.Context, x *tx, p settings.Part) error {
	text, err := json.Marshal(p.Value)
	if err != nil {
		return failed(err)
	}
	return x.one(ctx, `INSERT INTO settings (key, value_json, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET value_json = excluded.value_json, updated_at = excluded.updated_at`,
		p.Key, string(text), nanoseconds(x.now))
}
