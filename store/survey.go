package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/review/record"
)

// mostDamaged limits the damaged rows that an inspection lists.
const mostDamaged = 20

// survey reads every row of every table as its readers do.
type survey struct {
	rower
	most  int
	found []Damage
}

// Damaged reads everything stored and returns up to most damaged rows.
func (db *DB) Damaged(ctx context.Context, most int) ([]Damage, error) {
	s := &survey{most: most}
	err := db.snapshot(ctx, func(r rower) error {
		s.rower = r
		for _, read := range []func(context.Context) error{s.reviews, s.settings, s.others} {
			if err := read(ctx); err != nil || s.full() {
				return err
			}
		}
		return nil
	})
	return s.found[:min(len(s.found), most)], err
}

func (s *survey) full() bool { return len(s.found) >= s.most }

func (s *survey) aside(d Damage) { s.found = append(s.found, d) }

// reviews reads each review with its releases and its bytes.
func (s *survey) reviews(ctx context.Context) error {
	ids, err := find(ctx, s, func(r *sql.Rows, id *string) error { return r.Scan(id) },
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

func (s *survey) settings(ctx context.Context) error {
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

// others reads the tables that do not depend on another table.
func (s *survey) others(ctx context.Context) error {
	for _, read := range []func() error{
		func() error { return checkRows(ctx, s, scanActive, selectActive) },
		func() error { return checkRows(ctx, s, scanKnown, selectKnown) },
		func() error { return checkRows(ctx, s, scanIdentity, selectIdentities) },
		func() error { return checkRows(ctx, s, scanHeld, selectPass) },
		func() error { return checkRows(ctx, s, scanLink, selectLinks) },
		func() error {
			return checkRows(ctx, s, func(r *sql.Rows,
				d *assets.Described) error {
				var chain []byte
				return scanCoinRow(r, d, &chain)
			},
				`SELECT chain, coin_type, found, decimals, symbol, name, checked_at FROM coin_metadata`)
		},
		func() error {
			return checkRows(ctx, s, scanKept, `SELECT digest, checkpoint, at, status, role, completeness, incomplete, facts_json
				FROM activity_transactions`)
		},
		func() error {
			return checkRows(ctx, s, scanChange, `SELECT digest, at, coin_type, amount FROM activity_flows`)
		},
		func() error {
			return checkRows(ctx, s, scanInterval, `SELECT from_checkpoint, to_checkpoint, since, until FROM activity_coverage`)
		},
		func() error { return checkRows(ctx, s, scanSeen, selectSeen) },
		func() error { return checkRows(ctx, s, scanBook, selectBook) },
		func() error { return checkRows(ctx, s, scanWatched, selectWatched) },
		func() error { return checkRows(ctx, s, scanAction, selectActions) },
		func() error { return checkRows(ctx, s, scanPlan, selectPlans) },
		func() error { return checkRows(ctx, s, scanRequest, selectRequests) },
		func() error { return checkRows(ctx, s, scanStep, `SELECT `+stepColumns+` FROM request_steps`) },
		func() error { return checkRows(ctx, s, scanPlanCall, selectPlanCalls) },
		func() error { return checkRows(ctx, s, scanResting, selectResting) },
		func() error { return checkRows(ctx, s, scanRemote, selectRemotes) },
		func() error { return checkRows(ctx, s, scanEpochEnd, selectEpochEnds) },
		func() error { return checkRows(ctx, s, scanPaid, selectPaid) },
		func() error { return checkRows(ctx, s, scanPaidName, selectPaidNames) },
		func() error { return checkRows(ctx, s, scanName, selectNames) },
		func() error { return checkRows(ctx, s, scanSignature, selectSignatures) },
		func() error { return checkRows(ctx, s, scanEvent, `SELECT `+eventColumns+` FROM log`) },
		func() error { return checkRows(ctx, s, scanTask, selectTasks) },
		func() error { return checkRows(ctx, s, scanEntry, `SELECT `+entryColumns+` FROM journal`) },
	} {
		if err := read(); err != nil || s.full() {
			return err
		}
	}
	return nil
}

// checkRows reads every row of a query without keeping any; damaged ones are recorded.
func checkRows[T any](ctx context.Context, s *survey, scan func(*sql.Rows, *T) error, query string, args ...any) error {
	_, err := validRows(ctx, s, s.aside, func(r *sql.Rows, _ *struct{}) error {
		var v T
		return scan(r, &v)
	}, query, args...)
	return err
}
