package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"reflect"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// SavedSettings stores the settings.
type SavedSettings struct{ *engine }

var _ settings.Store = struct {
	SavedSettings
	Freeze
}{}

// The keys of settings, other than addresses: one row each.
const (
	keyAllowance = "allowance"
	keyMaterial  = "external_material"
	keySharing   = "sharing"
	keyHTTP      = "mcp_http"
	keyHardware  = "hardware_accounts"
	keyTold      = "told_notices"
)

// setting is a key and the part of the settings stored under it.
type setting struct {
	key   string
	value any
	read  func(text string) error // reads into value, which is unchanged if the text is damaged
}

// settingOf returns a setting whose document is read strictly and checked.
func settingOf[T any](key string, value *T, check func(T) error) setting {
	return setting{key, value, func(text string) error {
		v, err := strictjson.Decode[T]([]byte(text))
		if err == nil {
			err = check(v)
		}
		if err == nil && reflect.ValueOf(v).IsZero() {
			err = fault.New(fault.InternalError, "A setting at its default has no row.")
		}
		if err == nil {
			*value = v
		}
		return err
	}}
}

// parts returns the settings by key, in the order in which they are written.
func parts(s *settings.Stored) []setting {
	var all []setting
	for w := range settings.Count {
		all = append(all, settingOf(w.Info().Key(), &s.Addresses[w], func(text string) error {
			_, err := settings.ParseEndpoint(w, text)
			return err
		}))
	}
	return append(all, settingOf(keyAllowance, &s.Allowance, policy.Allowance.Check),
		settingOf(keyMaterial, &s.Material, func(bool) error { return nil }),
		settingOf(keyHardware, &s.Hardware, settings.Hardware.Check),
		settingOf(keyTold, &s.Told, settings.Told.Check),
		settingOf(keyHTTP, &s.HTTP, func(bool) error { return nil }),
		settingOf(keySharing, &s.Sharing, settings.Sharing.Check))
}

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
	known := parts(&s)
	for _, v := range rows {
		found := false
		for _, p := range known {
			if p.key != v.key {
				continue
			}
			found = true
			// A damaged limit must not allow anything; a damaged address counts as unset.
			if err := p.read(v.value); err != nil && p.key == keyAllowance {
				return settings.Stored{}, fault.Wrap(err, fault.InternalError, "The stored setting %s cannot be read back, and "+
					"without it nothing can be allowed or changed. Forget everything on the settings page, then "+
					"set it again.", v.key).With("store", "damaged")
			}
		}
		if !found {
			return settings.Stored{}, refuse("damaged", "The local data holds a setting %q that this version does not know. "+
				"Use the newer version, or reset the local data.", v.key)
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
		// Read again, so that the transition shares no slice with the first result.
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

// saveSettings writes every changed setting with its journal entry. A setting at its default has no
// row.
func saveSettings(ctx context.Context, x *tx, before, after settings.Stored) error {
	old := parts(&before)
	for i, p := range parts(&after) {
		if reflect.DeepEqual(old[i].value, p.value) {
			continue
		}
		what := "set"
		if reflect.ValueOf(p.value).Elem().IsZero() {
			what = "restored"
			if err := x.one(ctx, `DELETE FROM settings WHERE key = ?`, p.key); err != nil {
				return err
			}
		} else if err := putSetting(ctx, x, p); err != nil {
			return err
		}
		if err := x.record(ctx, events.Entry{Kind: events.Settings, To: p.key, What: what}); err != nil {
			return err
		}
	}
	return nil
}

func putSetting(ctx context.Context, x *tx, p setting) error {
	text, err := json.Marshal(p.value)
	if err != nil {
		return failed(err)
	}
	return x.one(ctx, `INSERT INTO settings (key, value_json, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET value_json = excluded.value_json, updated_at = excluded.updated_at`,
		p.key, string(text), nanoseconds(x.now))
}
