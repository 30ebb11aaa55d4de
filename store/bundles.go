package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/review/record"
)

var _ request.Store = (*DB)(nil)

const bundleColumns = `session, task, network, account, label, hash, state, approval, not_honoured, warnings_json, reason, stopping,
	revision, created_at, updated_at, approve_by, mode, instead, accepted_json`

const stepColumns = `step_id, sequence, review_id, status, tx_hash, error, handed, submitted_at, asked_json`

// CreateRequest implements request.Store.
func (db *DB) CreateRequest(ctx context.Context, b request.Request, prior bool) (request.Request, error) {
	err := db.change(ctx, func(x *tx) error {
		if b.Instead != "" {
			t, ok, err := taskOf(ctx, x, record.Subject(b.Instead))
			if err != nil {
				return err
			}
			if ok {
				b.Session = t.Session // the conversation that asked for it, whose process may be another one
			}
		}
		b.Session = cmp.Or(b.Session, x.session)
		if err := x.forgetBundles(ctx); err != nil {
			return err
		}
		if err := x.requestBundle(ctx, b); err != nil {
			return err
		}
		if err := x.alone(ctx, b); err != nil {
			return err
		}
		if prior {
			used, err := x.exec(ctx, `DELETE FROM bundle_approvals WHERE hash = ? AND account = ? AND expires_at > ? AND made_at <= ?`,
				b.Hash[:], b.Account[:], nanoseconds(x.now), nanoseconds(x.now))
			switch {
			case err != nil:
				return err
			//mutant:always ./internal/request TestPrior
			case used == 1:
				b.State, b.Approval = request.Running, request.ByPrior
			default:
				b.NotHonoured = "no_prior_approval"
			}
		}
		t, err := x.createTask(ctx, b.NewTask())
		if err != nil {
			return err
		}
		b.Task = t.ID
		if err := x.insertBundle(ctx, b); err != nil {
			return err
		}
		if b.Instead != "" {
			if _, err := db.Change(context.WithValue(ctx, within{}, x), b.Instead, "signed by steps", func(r *record.Row) error {
				return r.EndForSteps(string(b.ID), b.Task, x.now)
			}); err != nil {
				return err
			}
		}
		told, err := b.Opening()
		if err != nil {
			return err
		}
		return x.bundleChanged(ctx, b, "", "asked", told)
	})
	return b, err
}

// forgetBundles removes bundles that are kept no longer, and approvals whose time is over. A
// plan that is kept rests on its bundles: without one, a group that is done would seem new.
func (x *tx) forgetBundles(ctx context.Context) error {
	if _, err := x.exec(ctx, `DELETE FROM bundle_approvals WHERE expires_at <= ?`, nanoseconds(x.now)); err != nil {
		return err
	}
	_, err := x.exec(ctx, `DELETE FROM bundles WHERE updated_at <= ? AND state NOT IN (?, ?)
		AND NOT EXISTS (SELECT 1 FROM plan_groups WHERE bundle_id = bundles.id OR review_id = bundles.instead AND review_id <> '')`,
		nanoseconds(x.now.Add(-actions.Kept)), string(request.Asked), string(request.Running))
	return err
}

// alone refuses a bundle while another one of the account runs, and one that equals a
// bundle which waits for its answer.
func (x *tx) alone(ctx context.Context, b request.Request) error {
	type other struct{ id, task, state string }
	found, err := find(ctx, x, func(r *sql.Rows, o *other) error { return r.Scan(&o.id, &o.task, &o.state) },
		`SELECT id, task, state FROM bundles WHERE account = ?1 AND id <> ?2 AND (state = ?3 OR state = ?4 AND hash = ?5 AND approve_by > ?6)
			ORDER BY state DESC LIMIT 1`,
		b.Account[:], string(b.ID), string(request.Running), string(request.Asked), b.Hash[:], nanoseconds(x.now))
	if err != nil || len(found) == 0 {
		return err
	}
	o := found[0]
	if o.state == string(request.Running) {
		return fault.New(fault.InvalidSessionTransition, "A bundle of this account runs already. Wait for its end, or ask the person to stop it.").
			With("reason", "bundle_in_progress").With("bundle_id", o.id).With("task_id", o.task)
	}
	// What is being approved now does not stand in its own way.
	if b.State != request.Asked {
		return nil
	}
	return fault.New(fault.InvalidSessionTransition, "Exactly this bundle waits for the person already. Its task says how it goes on.").
		With("reason", request.Duplicate).With("bundle_id", o.id).With("task_id", o.task)
}

func (x *tx) insertBundle(ctx context.Context, b request.Request) error {
	values, err := bundleValues(b)
	if err != nil {
		return err
	}
	if err := x.one(ctx, `INSERT INTO bundles (`+bundleColumns+`, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(values, string(b.ID))...); err != nil {
		return err
	}
	for place, s := range b.Steps {
		values, err := stepValues(s)
		if err != nil {
			return err
		}
		if err := x.one(ctx, `INSERT INTO bundle_steps (`+stepColumns+`, bundle_id, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			append(values, string(b.ID), place)...); err != nil {
			return err
		}
	}
	return nil
}

func bundleValues(b request.Request) ([]any, error) {
	warnings, err := json.Marshal(b.Warnings)
	if err != nil {
		return nil, err
	}
	accepted, err := json.Marshal(slices.Concat([]string{}, b.Accepted))
	return []any{b.Session, b.Task, b.Network, b.Account[:], b.Label, b.Hash[:], string(b.State), b.Approval, b.NotHonoured, string(warnings),
		b.Reason, b.Stopping, b.Revision, nanoseconds(b.CreatedAt), nanoseconds(b.UpdatedAt), nanoseconds(b.ApproveBy), string(b.Mode), string(b.Instead), string(accepted)}, err
}

func stepValues(s request.Step) ([]any, error) {
	asked, err := json.Marshal(s)
	return []any{s.ID, s.Sequence, string(s.Review), string(s.State), s.TxHash, s.Error, s.Handed, nanoseconds(s.SubmittedAt),
		string(asked)}, err
}

// Bundle implements request.Store.
func (db *DB) Request(ctx context.Context, id request.ID) (b request.Request, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		b, err = bundleOf(ctx, r, id)
		return err
	})
	return b, err
}

func bundleOf(ctx context.Context, r rower, id request.ID) (request.Request, error) {
	found, err := find(ctx, r, scanBundle, `SELECT id, `+bundleColumns+`,
		EXISTS (SELECT 1 FROM tasks AS t WHERE t.id = bundles.task AND t.cancel_requested = 1) FROM bundles WHERE id = ?`, string(id))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.SessionNotFound, "There is no bundle with this id. Ended ones are kept for 30 days.")
	}
	if err != nil {
		return request.Request{}, err
	}
	b := found[0]
	if b.Steps, err = find(ctx, r, scanStep, `SELECT `+stepColumns+` FROM bundle_steps WHERE bundle_id = ? ORDER BY place`, string(id)); err != nil {
		return request.Request{}, err
	}
	if len(b.Steps) == 0 {
		return request.Request{}, damagedRow("bundles", string(id), "it has no steps")
	}
	return b, nil
}

func scanBundle(r *sql.Rows, b *request.Request) error {
	var account, hash []byte
	var warnings, accepted string
	var created, updated, until, cancel int64
	c := scanColumns(r, "bundles", (*string)(&b.ID), &b.ID, &b.Session, &b.Task, &b.Network, &account, &b.Label, &hash, &b.State, &b.Approval,
		&b.NotHonoured, &warnings, &b.Reason, &b.Stopping, &b.Revision, &created, &updated, &until, &b.Mode, &b.Instead, &accepted, &cancel)
	c.hash("account", (*[32]byte)(&b.Account), account)
	c.hash("hash", (*[32]byte)(&b.Hash), hash)
	c.must(slices.Contains(request.States(), b.State), "its state is none that there is")
	c.must(slices.Contains(request.Modes(), b.Mode), "its mode is none that there is")
	c.must(slices.Contains([]string{"", request.ByPage, request.ByPrior}, b.Approval), "its approval is none that there is")
	for what, text := range map[string]string{"session": b.Session, "task": b.Task, "network": b.Network, "not_honoured": b.NotHonoured} {
		c.text(what, text, mostWord)
	}
	c.text("instead", string(b.Instead), mostName)
	for what, text := range map[string]string{"label": b.Label, "reason": b.Reason, "stopping": b.Stopping} {
		c.text(what, text, mostDocument)
	}
	c.must(json.Unmarshal([]byte(warnings), &b.Warnings) == nil, "its warnings cannot be read back")
	c.must(json.Unmarshal([]byte(accepted), &b.Accepted) == nil, "what was accepted cannot be read back")
	c.count("revision", b.Revision)
	b.CreatedAt, b.UpdatedAt, b.ApproveBy = c.time("created_at", created), c.time("updated_at", updated), c.time("approve_by", until)
	b.CancelRequested = cancel == 1
	return c.err
}

func scanStep(r *sql.Rows, s *request.Step) error { return scanStepAnd(r, s) }

// scanStepAnd reads stepColumns and the columns after them.
func scanStepAnd(r *sql.Rows, s *request.Step, more ...any) error {
	var submitted, handed int64
	var asked string
	var o request.Step // what the columns say
	c := scanColumns(r, "bundle_steps", &o.ID, append([]any{&o.ID, &o.Sequence, &o.Review, &o.State, &o.TxHash, &o.Error, &handed, &submitted, &asked}, more...)...)
	c.must(slices.Contains(request.StepStates(), o.State), "its status is none that there is")
	c.count("sequence", o.Sequence)
	for what, text := range map[string]string{"step_id": o.ID, "review_id": string(o.Review), "tx_hash": o.TxHash} {
		c.text(what, text, mostName)
	}
	c.text("error", o.Error, mostDocument)
	readDocument(c, "asked_json", sql.NullString{String: asked, Valid: true}, s)
	s.ID, s.Sequence, s.Review, s.State, s.TxHash, s.Error = o.ID, o.Sequence, o.Review, o.State, o.TxHash, o.Error
	s.Handed, s.SubmittedAt = c.flag("handed", handed), c.time("submitted_at", submitted)
	return c.err
}

// ChangeRequest implements request.Store.
func (db *DB) ChangeRequest(ctx context.Context, id request.ID, what string,
	law func(*request.Request) (*record.Session, error)) (after request.Request, err error) {
	err = db.change(ctx, func(x *tx) error {
		after, err = x.changeBundle(ctx, id, what, law)
		return err
	})
	return after, err
}

func (x *tx) changeBundle(ctx context.Context, id request.ID, what string,
	law func(*request.Request) (*record.Session, error)) (request.Request, error) {
	before, err := bundleOf(ctx, x, id)
	if err != nil {
		return before, err
	}
	after := before
	after.Steps = slices.Clone(before.Steps)
	review, err := law(&after)
	if err != nil {
		return before, err
	}
	if after.Revision == before.Revision {
		return before, errUnchanged
	}
	//mutant:never `after.State == request.Running` ./internal/request TestOneRuns
	if after.State == request.Running && before.State != request.Running {
		if err := x.alone(ctx, after); err != nil {
			return before, err
		}
	}
	if review != nil {
		if err := x.createReview(ctx, *review, after.Session); err != nil {
			return before, err
		}
	}
	return after, x.saveBundle(ctx, before, after, what)
}

// saveBundle writes a changed bundle with its steps, its task's step and its events, if the
// stored one is still the one that the transition saw.
func (x *tx) saveBundle(ctx context.Context, before, after request.Request, what string) error {
	values, err := bundleValues(after)
	if err != nil {
		return err
	}
	if err := x.one(ctx, `UPDATE bundles SET (`+bundleColumns+`) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		WHERE id = ? AND revision = ? AND state = ?`, append(values, string(after.ID), before.Revision, string(before.State))...); err != nil {
		return err
	}
	for place, s := range after.Steps {
		values, err := stepValues(s)
		if err != nil {
			return err
		}
		if err := x.one(ctx, `UPDATE bundle_steps SET (`+stepColumns+`) = (?, ?, ?, ?, ?, ?, ?, ?, ?)
			WHERE bundle_id = ? AND place = ? AND status = ?`,
			append(values, string(after.ID), place, string(before.Steps[place].State))...); err != nil {
			return err
		}
	}
	step, ok, err := after.TaskSince(before)
	if err != nil {
		return err
	}
	if ok {
		t, err := task(ctx, x, after.Task)
		if err == nil {
			_, _, err = x.stepTask(ctx, t, step)
		}
		if err != nil {
			return err
		}
	}
	told, err := after.Told(before)
	if err != nil {
		return err
	}
	return x.bundleChanged(ctx, after, string(before.State), what, told)
}

// bundleChanged records the change, and what is told of it.
func (x *tx) bundleChanged(ctx context.Context, b request.Request, from, what string, told []bus.Body) error {
	for _, body := range told {
		e, err := bus.NewEvent(b.Session, request.Subject(b.ID), body)
		if err == nil {
			_, err = x.append(ctx, e)
		}
		if err != nil {
			return err
		}
	}
	return x.record(ctx, events.Entry{Kind: events.Bundle, Subject: string(b.ID), From: from, To: string(b.State), Revision: b.Revision, What: what})
}

// LiveRequests implements request.Store.
func (db *DB) LiveRequests(ctx context.Context) ([]request.ID, error) {
	return find(ctx, db, func(r *sql.Rows, id *request.ID) error { return r.Scan(id) }, `SELECT id FROM bundles WHERE state IN (?1, ?2)
		OR updated_at > ?3 AND EXISTS (SELECT 1 FROM bundle_steps AS s WHERE s.bundle_id = bundles.id
			AND (s.status IN (?4, ?5) OR s.status = ?6 AND s.handed = 1)) ORDER BY created_at, id`,
		string(request.Asked), string(request.Running), nanoseconds(db.now().Add(-request.Watched)),
		string(request.Pending), string(request.TimedOut), string(request.Failed))
}

// RequestOf implements request.Store.
func (db *DB) RequestOf(ctx context.Context, id record.ID) (b request.Request, ok bool, err error) {
	err = db.snapshot(ctx, func(r rower) error {
		found, err := find(ctx, r, func(r *sql.Rows, id *request.ID) error { return r.Scan(id) }, `SELECT id FROM bundles
			WHERE id IN (SELECT bundle_id FROM bundle_steps WHERE review_id = ?1 AND review_id <> '') OR instead = ?1 AND instead <> ''
			ORDER BY created_at DESC LIMIT 1`, string(id))
		if err != nil || len(found) == 0 {
			return err
		}
		ok = true
		b, err = bundleOf(ctx, r, found[0])
		return err
	})
	return b, ok, err
}

// KeepApproval implements request.Store.
func (db *DB) KeepApproval(ctx context.Context, id request.ID, page string, law func(*request.Request) (time.Time, error)) error {
	return db.change(ctx, func(x *tx) error {
		var until time.Time
		b, err := x.changeBundle(ctx, id, "approved for later", func(b *request.Request) (_ *record.Session, err error) {
			until, err = law(b)
			return nil, err
		})
		if err != nil {
			return err
		}
		_, err = x.exec(ctx, `INSERT OR REPLACE INTO bundle_approvals (hash, account, page, made_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
			b.Hash[:], b.Account[:], page, nanoseconds(x.now), nanoseconds(until))
		return err
	})
}
