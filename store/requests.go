package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
)

// Requests stores requests with their steps, and creates their reviews.
type Requests struct{ *engine }

var _ request.Store = struct {
	Requests
	Reviews
}{}

// CreateRequest implements request.Store.
func (db Requests) CreateRequest(ctx context.Context, d request.Drafted) (req request.Request, err error) {
	err = db.change(ctx, func(x *tx) error {
		req, err = createRequest(ctx, x, d)
		return err
	})
	return req, err
}

// CreateRequest implements request.Creator.
func (x *tx) CreateRequest(ctx context.Context, d request.Drafted) (request.Request, error) {
	return createRequest(ctx, x, d)
}

func createRequest(ctx context.Context, x *tx, d request.Drafted) (request.Request, error) {
	req := d.Request
	req.Session = cmp.Or(req.Session, x.session)
	if err := forgetRequests(ctx, x); err != nil {
		return req, err
	}
	account := req.Account
	if d.Review != nil {
		account = d.Review.Account
	}
	if err := mayAsk(ctx, x, req.Session, account); err != nil {
		return req, err
	}
	if d.Review != nil {
		return insertSigned(ctx, x, *d.Review, req)
	}
	if err := onlyRequest(ctx, x, req); err != nil {
		return req, err
	}
	if d.Prior {
		used, err := x.exec(ctx,
			`DELETE FROM request_approvals WHERE hash = ? AND account = ? AND expires_at > ? AND made_at <= ?`,
			req.Hash[:], req.Account[:], nanoseconds(x.now), nanoseconds(x.now))
		switch {
		case err != nil:
			return req, err
		//mutant:always ./internal/request TestPrior
		case used == 1:
			req.State, req.Approval = request.Running, request.ByPrior
		default:
			req.NotHonoured = "no_prior_approval"
		}
	}
	t, err := createTask(ctx, x, req.NewTask())
	if err != nil {
		return req, err
	}
	req.Task = t.ID
	if err := insertRequest(ctx, x, req); err != nil {
		return req, err
	}
	return req, recordOpened(ctx, x, req, "", "asked")
}

// recordOpened records that a request has started or is waiting for approval, and notifies pages.
func recordOpened(ctx context.Context, x *tx, req request.Request, from, what string) error {
	appended, err := req.Opening()
	if err != nil {
		return err
	}
	return requestChanged(ctx, x, req, from, what, appended)
}

// insertSigned stores a single-transaction review, which needs no prior approval, and its request.
func insertSigned(ctx context.Context, x *tx, s record.Session, of request.Request) (request.Request, error) {
	t, err := createReview(ctx, x, s, of.Session)
	if err != nil {
		return of, err
	}
	req, err := request.Sign(s, t.ID, of)
	if err != nil {
		return of, err
	}
	return req, insertRequest(ctx, x, req)
}

// followReview advances the request of a changed review. It runs in the transaction that changes
// the review.
func followReview(ctx context.Context, x *tx, s record.Session) error {
	found, err := column[request.ID](ctx, x,
		`SELECT id FROM requests WHERE review = ? AND review <> ''
		AND EXISTS (SELECT 1 FROM request_steps WHERE request_id = requests.id AND review_id = requests.review)`,
		string(s.ID))
	if err != nil || len(found) == 0 {
		return err
	}
	before, err := requestByID(ctx, x, found[0])
	//mutant:never ./store TestDamagedRequest
	if _, damaged := damageOf(err); damaged {
		return nil // the review's outcome is recorded even so
	}
	if err != nil {
		return err
	}
	after := before
	after.Steps = slices.Clone(before.Steps)
	if !after.Follow(s, x.now) {
		return nil
	}
	x.changed = append(x.changed, events.Subject{Kind: events.Bundle, ID: string(after.ID)},
		events.Subject{Kind: events.Bundle})
	return updateRequest(ctx, x, before, after)
}

// PartRequest implements request.Store.
func (db Requests) PartRequest(ctx context.Context, id request.ID,
	law func(*request.Request) error) (after request.Request, err error) {
	err = db.change(ctx, func(x *tx) error {
		before, err := requestByID(ctx, x, id)
		if err != nil {
			return err
		}
		after = before
		if err := law(&after); err != nil {
			return err
		}
		if err := onlyRequest(ctx, x, after); err != nil {
			return err
		}
		t, err := createTask(ctx, x, after.NewTask())
		if err != nil {
			return err
		}
		after.Task = t.ID
		if err := updateRequest(ctx, x, before, after); err != nil {
			return err
		}
		if _, err := changeReview(ctx, x, after.Review, "signed by steps", func(r *record.Row) (*record.Release, error) {
			return nil, r.EndForSteps(string(after.ID), after.Task, x.now)
		}); err != nil {
			return err
		}
		return recordOpened(ctx, x, after, string(before.State), "parted")
	})
	return after, err
}

// ReplaceReview implements request.Store. It does not count toward the client's request limit,
// because the user initiates it.
func (db Requests) ReplaceReview(ctx context.Context, id record.ID, next record.Session, law func(*record.Row,
	string) error) error {
	return db.change(ctx, func(x *tx) error {
		old, ok, err := requestOf(ctx, x, id)
		if err != nil || !ok {
			return cmp.Or(err, error(fault.New(fault.SessionNotFound, "This request was deleted. Create it again.")))
		}
		made, err := insertSigned(ctx, x, next, request.Request{Session: old.Session, Steps: old.Steps})
		if err != nil {
			return err
		}
		_, err = changeReview(ctx, x, id, "changed by the user", func(r *record.Row) (*record.Release, error) {
			return nil, law(r, made.Task)
		})
		return err
	})
}

// forgetRequests removes expired requests and approvals. It keeps the requests of stored plans;
// without them, a completed group would appear not to have started.
func forgetRequests(ctx context.Context, x *tx) error {
	if _, err := x.exec(ctx, `DELETE FROM request_approvals WHERE expires_at <= ?`, nanoseconds(x.now)); err != nil {
		return err
	}
	_, err := x.exec(ctx,
		`DELETE FROM requests WHERE updated_at <= ? AND state NOT IN (?, ?, ?) AND plan NOT IN (SELECT id FROM plans)`,
		nanoseconds(x.now.Add(-actions.Kept)), string(request.Signing), string(request.Asked), string(request.Running))
	return err
}

// onlyRequest returns an error if another request of the account prevents this one.
func onlyRequest(ctx context.Context, x *tx, b request.Request) error {
	others, err := find(ctx, x, func(r *sql.Rows, o *request.Other) error { return r.Scan(&o.ID, &o.Task, &o.State) },
		`SELECT id, task, state FROM requests WHERE account = ?1 AND id <> ?2 AND (state = ?3 OR state = ?4 AND hash = ?5 AND approve_by > ?6)
			ORDER BY state DESC LIMIT 1`,
		b.Account[:], string(b.ID), string(request.Running), string(request.Asked), b.Hash[:], nanoseconds(x.now))
	if err != nil {
		return err
	}
	return b.Barred(others)
}

// Request implements request.Store.
func (db Requests) Request(ctx context.Context, id request.ID) (b request.Request, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		b, err = requestByID(ctx, r, id)
		return err
	})
	return b, err
}

// ChangeRequest implements request.Store.
func (db Requests) ChangeRequest(ctx context.Context, id request.ID, what string,
	law func(*request.Request) (*record.Session, error)) (after request.Request, err error) {
	err = db.change(ctx, func(x *tx) error {
		after, err = changeRequest(ctx, x, id, what, law)
		return err
	})
	return after, err
}

func changeRequest(ctx context.Context, x *tx, id request.ID, what string,
	law func(*request.Request) (*record.Session, error)) (request.Request, error) {
	before, err := requestByID(ctx, x, id)
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
		if err := onlyRequest(ctx, x, after); err != nil {
			return before, err
		}
	}
	if review != nil {
		if _, err := createReview(ctx, x, *review, after.Session); err != nil {
			return before, err
		}
	}
	return after, saveRequest(ctx, x, before, after, what)
}

// saveRequest stores a changed request, advances its task, and appends its events.
func saveRequest(ctx context.Context, x *tx, before, after request.Request, what string) error {
	if err := updateRequest(ctx, x, before, after); err != nil {
		return err
	}
	step, ok, err := after.TaskSince(before)
	if err != nil {
		return err
	}
	if ok {
		t, err := task(ctx, x, after.Task)
		if err == nil {
			_, _, err = stepTask(ctx, x, t, step)
		}
		if err != nil {
			return err
		}
	}
	appended, err := after.OtherEvents(before)
	if err != nil {
		return err
	}
	return requestChanged(ctx, x, after, string(before.State), what, appended)
}

// requestChanged appends a request's events and records its change.
func requestChanged(ctx context.Context, x *tx, b request.Request, from, what string, appended []bus.Body) error {
	for _, body := range appended {
		e, err := bus.NewEvent(b.Session, request.Subject(b.ID), body)
		if err == nil {
			_, err = x.append(ctx, e)
		}
		if err != nil {
			return err
		}
	}
	return x.record(ctx, events.Entry{Kind: events.Bundle, Subject: string(b.ID), From: from, To: string(b.State),
		Revision: b.Revision, What: what})
}

// LiveRequests implements request.Store.
func (db Requests) LiveRequests(ctx context.Context) ([]request.ID, error) {
	return column[request.ID](ctx, db, `
		SELECT id FROM (SELECT id, created_at FROM requests WHERE state = 'awaiting_approval'
			UNION SELECT id, created_at FROM requests WHERE state = 'running'
			UNION SELECT id, created_at FROM requests WHERE updated_at > ? AND approval <> '' AND EXISTS (
				SELECT 1 FROM request_steps AS s WHERE s.request_id = requests.id
				AND (s.status IN ('pending', 'timeout') OR s.status = 'failed' AND s.handed = 1)))
		ORDER BY created_at, id`, nanoseconds(db.now().Add(-request.Watched)))
}

// RequestOf implements request.Store.
func (db Requests) RequestOf(ctx context.Context, id record.ID) (req request.Request, ok bool, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		req, ok, err = requestOf(ctx, r, id)
		return err
	})
	return req, ok, err
}

func requestOf(ctx context.Context, r rower, id record.ID) (req request.Request, ok bool, err error) {
	found, err := column[request.ID](ctx, r, `SELECT id FROM requests
		WHERE id IN (SELECT request_id FROM request_steps WHERE review_id = ?1 AND review_id <> '') OR review = ?1 AND review <> ''
		ORDER BY state = 'signing', created_at DESC LIMIT 1`, string(id))
	if err != nil || len(found) == 0 {
		return req, false, err
	}
	req, err = requestByID(ctx, r, found[0])
	return req, err == nil, err
}

// KeepApproval implements request.Store.
func (db Requests) KeepApproval(ctx context.Context, id request.ID, page string, law func(*request.Request) (time.Time,
	error)) error {
	return db.change(ctx, func(x *tx) error {
		var until time.Time
		b, err := changeRequest(ctx, x, id, "approved for later", func(b *request.Request) (_ *record.Session, err error) {
			until, err = law(b)
			return nil, err
		})
		if err != nil {
			return err
		}
		_, err = x.exec(ctx,
			`INSERT OR REPLACE INTO request_approvals (hash, account, page, made_at, expires_at) VALUES (?, ?, ?, ?, ?)`,
			b.Hash[:], b.Account[:], page, nanoseconds(x.now), nanoseconds(until))
		return err
	})
}
