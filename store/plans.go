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
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/request"
)

// Plans stores plans of several requests, and the unanswered calls about them.
type Plans struct{ *engine }

var _ plans.Store = struct {
	Plans
	Conversations
}{}

const (
	selectPlans     = `SELECT id, session, account, groups_json, created_at, updated_at FROM plans`
	selectPlanCalls = `SELECT id, plan_id, session, tool, at FROM plan_calls`
)

func (Plans) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(checkRows(ctx, s, scanPlan, selectPlans), checkRows(ctx, s, scanPlanCall, selectPlanCalls))
}

// KeepPlanCall implements plans.Store.
func (db Plans) KeepPlanCall(ctx context.Context, c plans.Call, set *plans.Plan) error {
	return db.change(ctx, func(x *tx) error {
		counted, err := find(ctx, x, func(r *sql.Rows, n *[2]int) error { return r.Scan(&n[0], &n[1]) },
			`SELECT (SELECT count(*) FROM plan_calls WHERE session = ?1), (SELECT count(*) FROM plans WHERE session = ?1)`,
			c.Session)
		if err != nil {
			return err
		}
		//mutant:never ./store TestPlanCallsOfOne
		if set != nil && counted[0][1] >= plans.MostPlans {
			return fault.New(fault.RateLimited, "This conversation has already set %d plans. Continue with one of them, "+
				"or start another conversation.", plans.MostPlans)
		}
		//mutant:never ./store TestPlanCalls
		if counted[0][0] >= plans.MostPending {
			return fault.New(fault.RateLimited, "%d plan calls are already waiting for answers. Wait for one on the bus.",
				plans.MostPending)
		}
		if set != nil {
			if err := insertPlan(ctx, x, *set); err != nil {
				return err
			}
		}
		return x.one(ctx, `INSERT INTO plan_calls (id, plan_id, session, tool, at) VALUES (?, ?, ?, ?, ?)`,
			c.ID, string(c.Plan), c.Session, c.Tool, nanoseconds(c.At))
	})
}

// insertPlan stores a new plan and removes old ones. Requests of the remaining plans are kept at
// any age; see forgetRequests.
func insertPlan(ctx context.Context, x *tx, p plans.Plan) error {
	if _, err := x.exec(ctx, `DELETE FROM plans WHERE updated_at <= ?`,
		nanoseconds(x.now.Add(-actions.Kept))); err != nil {
		return err
	}
	groups, err := json.Marshal(p.Groups)
	if err != nil {
		return failed(err)
	}
	return x.one(ctx,
		`INSERT INTO plans (id, session, account, groups_json, created_at, updated_at) VALUES (?, ?, x'', ?, ?, ?)`,
		string(p.ID), p.Session, string(groups), nanoseconds(p.CreatedAt), nanoseconds(p.UpdatedAt))
}

// Plan implements plans.Store.
func (db Plans) Plan(ctx context.Context, id plans.ID) (p plans.Plan, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		p, err = planOf(ctx, r, id)
		return err
	})
	return p, err
}

// planOf reads a plan with the latest request of each group. A group without a request either was
// never requested, or its request was withdrawn before the user received it.
func planOf(ctx context.Context, r rower, id plans.ID) (plans.Plan, error) {
	found, err := find(ctx, r, scanPlan, selectPlans+` WHERE id = ?`, string(id))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.SessionNotFound, "No plan has this ID. Plans are kept for 30 days.")
	}
	if err != nil {
		return plans.Plan{}, err
	}
	p := found[0]
	asked, err := column[request.ID](ctx, r,
		`SELECT id FROM requests WHERE plan = ? AND plan <> '' ORDER BY place, created_at, id`, string(id))
	for _, one := range asked {
		req, err := requestByID(ctx, r, one)
		if err != nil {
			return p, err
		}
		if req.Group >= len(p.Groups) {
			return p, damagedRow("requests", string(one), "its plan has no such group")
		}
		p.Groups[req.Group].Ran = &req
	}
	return p, err
}

func scanPlan(r *sql.Rows, p *plans.Plan) error {
	var account []byte
	var groups string
	var created, updated int64
	c := scanColumns(r, "plans", (*string)(&p.ID), &p.ID, &p.Session, &account, &groups, &created, &updated)
	if len(account) > 0 {
		c.hash("account", (*[32]byte)(&p.Account), account)
	}
	c.text("session", p.Session, maxWord)
	readDocument(c, "groups_json", sql.NullString{String: groups, Valid: true}, &p.Groups)
	p.CreatedAt, p.UpdatedAt = c.time("created_at", created), c.time("updated_at", updated)
	return c.err
}

func scanPlanCall(r *sql.Rows, v *plans.Call) error {
	var at int64
	c := scanColumns(r, "plan_calls", &v.ID, &v.ID, &v.Plan, &v.Session, &v.Tool, &at)
	c.must(slices.Contains([]string{plans.SetTool, plans.NextTool}, v.Tool), "its tool is not one of the plan tools")
	c.text("session", v.Session, maxWord)
	v.At = c.time("at", at)
	return c.err
}

// AnswerPlan implements plans.Store.
func (db Plans) AnswerPlan(ctx context.Context, c plans.Call,
	law func(*plans.Plan, plans.Ask) (bus.Body, error)) error {
	return db.change(ctx, func(x *tx) error {
		//mutant:never `gone == 0` ./store TestPlanCalls
		if gone, err := x.exec(ctx, `DELETE FROM plan_calls WHERE id = ?`, c.ID); err != nil || gone == 0 {
			return unchangedOr(err)
		}
		p, err := planOf(ctx, x, c.Plan)
		if err != nil {
			return err
		}
		body, err := law(&p, func(group int, d request.Drafted) (request.Request, error) {
			d.Request.Session, d.Request.Plan, d.Request.Group, d.Request.Call = c.Session, string(c.Plan), group, c.ID
			return createRequest(ctx, x, d)
		})
		if err != nil {
			return err
		}
		if err := x.one(ctx, `UPDATE plans SET account = ?, updated_at = ? WHERE id = ?`, p.Account[:], nanoseconds(x.now),
			string(p.ID)); err != nil {
			return err
		}
		e, err := bus.NewEvent(c.Session, plans.Subject(c.Plan), body)
		if err != nil {
			return err
		}
		e.Dedup = c.ID
		_, err = x.append(ctx, e)
		return err
	})
}

// unchangedOr returns err, or errUnchanged if err is nil.
func unchangedOr(err error) error {
	if err != nil {
		return err
	}
	return errUnchanged
}

// PlanCalls implements plans.Store.
func (db Plans) PlanCalls(ctx context.Context, before time.Time) ([]plans.Call, error) {
	return validRows(ctx, db, nil, scanPlanCall, selectPlanCalls+` WHERE at <= ? ORDER BY at, id`, nanoseconds(before))
}

// WithdrawPlanCall implements plans.Store.
func (db Plans) WithdrawPlanCall(ctx context.Context, c plans.Call) error {
	return db.change(ctx, func(x *tx) error {
		made, err := find(ctx, x, func(r *sql.Rows, id *[2]string) error { return r.Scan(&id[0], &id[1]) },
			`SELECT id, CASE WHEN state = 'signing' THEN review ELSE '' END FROM requests WHERE plan = ? AND plan <> '' AND call = ?`,
			string(c.Plan), c.ID)
		if err != nil {
			return err
		}
		for _, one := range made {
			kind, subject := pagetoken.Bundle, one[0]
			if one[1] != "" {
				kind, subject = pagetoken.Review, one[1]
			}
			if err := withdrawPage(ctx, x, kind, subject); err != nil {
				return err
			}
		}
		for _, query := range []string{
			`DELETE FROM plan_calls WHERE id = ?1`,
			`DELETE FROM log WHERE dedup = ?1 AND subject = ?2`,
			`DELETE FROM plans WHERE ?3 AND id = ?4 AND NOT EXISTS (SELECT 1 FROM requests WHERE plan = ?4)`,
		} {
			if _, err := x.exec(ctx, query, c.ID, plans.Subject(c.Plan), c.Tool == plans.SetTool,
				string(c.Plan)); err != nil {
				return err
			}
		}
		return nil
	})
}
