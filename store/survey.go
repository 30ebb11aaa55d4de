package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// maxDamaged is the maximum number of damaged rows that an inspection lists.
const maxDamaged = 20

// survey collects the damaged rows of all tables. Each area reads its rows with the functions that
// its readers use.
type survey struct {
	rower
	limit int
	found []Damage
}

// Damaged reads all stored rows and returns at most limit damaged ones.
func (db *DB) Damaged(ctx context.Context, limit int) ([]Damage, error) {
	s := &survey{limit: limit}
	err := db.snapshot(ctx, func(r rower) error {
		s.rower = r
		for _, read := range db.surveys() {
			if err := read(ctx, s); err != nil || s.full() {
				return err
			}
		}
		return nil
	})
	return s.found[:min(len(s.found), limit)], err
}

func (s *survey) full() bool { return len(s.found) >= s.limit }

func (s *survey) aside(d Damage) { s.found = append(s.found, d) }

// readAll reads every review with its releases and bytes.
func (Reviews) readAll(ctx context.Context, s *survey) error {
	ids, err := column[string](ctx, s,
		`SELECT CAST(id AS TEXT) FROM reviews ORDER BY updated_at DESC, id`)
	if err != nil {
		return err
	}
	for _, id := range ids {
		session, err := reviewSession(ctx, s, record.ID(id))
		if d, one := damageOf(err); one {
			d.Table, d.Row = "reviews", shownKey(id)
			s.aside(d)
		} else if err != nil {
			return err
		} else if err := s.materials(ctx, session); err != nil {
			return err
		}
		if s.full() {
			return nil
		}
	}
	return nil
}

func (s *survey) materials(ctx context.Context, session record.Session) error {
	all, err := validRows(ctx, s, s.aside, scanMaterial, selectMaterials, string(session.ID))
	if err != nil {
		return err
	}
	for _, m := range all {
		if what := session.CheckBytes(m); what != "" {
			s.aside(Damage{"materials", shownKey(string(session.ID)), what})
		}
	}
	return nil
}

func (SavedSettings) readAll(ctx context.Context, s *survey) error {
	type row struct{ key, value string }
	rows, err := validRows(ctx, s, s.aside, func(r *sql.Rows, v *row) error {
		return scanColumns(r, "settings", &v.key, &v.key, &v.value).err
	}, `SELECT key, value_json FROM settings`)
	for _, v := range rows {
		what := "this version does not know it"
		for _, p := range new(settings.Stored).Parts() {
			if p.Key != v.key {
				continue
			}
			if what = ""; p.Read(v.value) != nil {
				what = "its value is invalid"
			}
		}
		if what != "" {
			s.aside(Damage{"settings", shownKey(v.key), what})
		}
	}
	return err
}

// checkRows reads every row of a query, and records damaged ones.
func checkRows[T any](ctx context.Context, s *survey, scan func(*sql.Rows, *T) error, query string, args ...any) error {
	_, err := validRows(ctx, s, s.aside, func(r *sql.Rows, _ *struct{}) error {
		var v T
		return scan(r, &v)
	}, query, args...)
	return err
}
