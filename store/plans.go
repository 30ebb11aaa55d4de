package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/execplan"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/review/record"
)

var _ execplan.Store = (*DB)(nil)

const (
	selectPlans      = `SELECT id, session, account, created_at, updated_at FROM plans`
	selectPlanGroups = `SELECT plan_id, place, call, bundle_id, review_id, asked_json FROM plan_groups`
	selectPlanCalls  = `SELECT id, plan_id, session, tool, at FROM plan_calls`
)

// KeepPlanCall implements execplan.Store.
func (db *DB) KeepPlanCall(ctx context.Context, c execplan.Call, set *execplan.Plan) error {
	return db.change(ctx, func(x *tx) error {
		counted, err := find(ctx, x, func(r *sql.Rows, n *[2]int) error { return r.Scan(&n[0], &n[1]) },
			`SELECT (SELECT count(*) FROM plan_calls WHERE session = ?1), (SELECT count(*) FROM plans WHERE session = ?1)`, c.Session)
		if err != nil {
			return err
		}
		//mutant:never ./store TestPlanCallsOfOne
		if set != nil && counted[0][1] >= execplan.MostPlans {
			return fault.New(fault.RateLimited, "This conversation has set %d plans already. Go on with one of them, "+
				"or begin another conversation.", execplan.MostPlans)
		}
		//mutant:never ./store TestPlanCalls
		if counted[0][0] >= execplan.MostPending {
			return fault.New(fault.RateLimited, "%d calls for plans wait for their answers already. Wait for one on the bus.",
				execplan.MostPending)
		}
		if set != nil {
			if err := x.insertPlan(ctx, *set); err != nil {
				return err
			}
		}
		return x.one(ctx, `INSERT INTO plan_calls (id, plan_id, session, tool, at) VALUES (?, ?, ?, ?, ?)`,
			c.ID, string(c.Plan), c.Session, c.Tool, nanoseconds(c.At))
	})
}

// insertPlan stores a new plan, and forgets those that are kept no longer. Bundles of the
// ones that stay are kept with them, whatever their age: see forgetBundles.
func (x *tx) insertPlan(ctx context.Context, p execplan.Plan) error {
	if _, err := x.exec(ctx, `DELETE FROM plans WHERE updated_at <= ?`, nanoseconds(x.now.Add(-actions.Kept))); err != nil {
		return err
	}
	if err := x.one(ctx, `INSERT INTO plans (id, session, account, created_at, updated_at) VALUES (?, ?, x'', ?, ?)`,
		string(p.ID), p.Session, nanoseconds(p.CreatedAt), nanoseconds(p.UpdatedAt)); err != nil {
		return err
	}
	for place, g := range p.Groups {
		asked, err := json.Marshal(g)
		if err != nil {
			return failed(err)
		}
		if err := x.one(ctx, `INSERT INTO plan_groups (plan_id, place, call, bundle_id, review_id, asked_json) VALUES (?, ?, '', '', '', ?)`,
			string(p.ID), place, string(asked)); err != nil {
			return err
		}
	}
	return nil
}

// Plan implements execplan.Store.
func (db *DB) Plan(ctx context.Context, id execplan.ID) (p execplan.Plan, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		p, err = planOf(ctx, r, id)
		return err
	})
	return p, err
}

// planOf reads a plan with the bundles and reviews of its groups. One that is not there any
// more was withdrawn before the person had it: kept plans keep the others.
func planOf(ctx context.Context, r rower, id execplan.ID) (execplan.Plan, error) {
	found, err := find(ctx, r, scanPlan, selectPlans+` WHERE id = ?`, string(id))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.SessionNotFound, "There is no plan with this id. Plans are kept for 30 days.")
	}
	if err != nil {
		return execplan.Plan{}, err
	}
	p := found[0]
	if p.Groups, err = find(ctx, r, scanPlanGroup, selectPlanGroups+` WHERE plan_id = ? ORDER BY place`, string(id)); err != nil {
		return p, err
	}
	if len(p.Groups) == 0 {
		return p, damagedRow("plans", string(id), "it has no groups")
	}
	for i := range p.Groups {
		if err := ranOf(ctx, r, &p.Groups[i]); err != nil {
			return p, err
		}
	}
	return p, nil
}

// ranOf reads how a group stands. Where the person wanted the steps of one transaction
// signed one by one, a bundle took the place of the review.
func ranOf(ctx context.Context, r rower, g *execplan.Group) error {
	id := g.Bundle
	if g.Review != "" {
		instead, err := find(ctx, r, func(r *sql.Rows, id *request.ID) error { return r.Scan(id) }, `SELECT id FROM bundles WHERE instead = ?`,
			string(g.Review))
		if err != nil {
			return err
		}
		//mutant:never ./internal/execplan TestParted
		if len(instead) > 0 {
			id = instead[0]
		}
	}
	var err error
	if id != "" {
		var b request.Request
		if b, err = bundleOf(ctx, r, id); err == nil {
			g.Ran = &b
		}
	} else if g.Review != "" {
		var s record.Session
		if s, err = reviewSession(ctx, r, g.Review); err == nil {
			g.Reviewed = &s
		}
	}
	if fault.Is(err, fault.SessionNotFound) {
		return nil
	}
	return err
}

func scanPlan(r *sql.Rows, p *execplan.Plan) error {
	var account []byte
	var created, updated int64
	c := scanColumns(r, "plans", (*string)(&p.ID), &p.ID, &p.Session, &account, &created, &updated)
	if len(account) > 0 {
		c.hash("account", (*[32]byte)(&p.Account), account)
	}
	c.text("session", p.Session, mostWord)
	p.CreatedAt, p.UpdatedAt = c.time("created_at", created), c.time("updated_at", updated)
	return c.err
}

func scanPlanGroup(r *sql.Rows, g *execplan.Group) error {
	var plan, asked, call, run, review string
	var place int64
	c := scanColumns(r, "plan_groups", &plan, &plan, &place, &call, &run, &review, &asked)
	c.count("place", place)
	for what, text := range map[string]string{"call": call, "bundle_id": run, "review_id": review} {
		c.text(what, text, mostWord)
	}
	readDocument(c, "asked_json", sql.NullString{String: asked, Valid: true}, g)
	g.Call, g.Bundle, g.Review = call, request.ID(run), record.ID(review)
	return c.err
}

func scanPlanCall(r *sql.Rows, v *execplan.Call) error {
	var at int64
	c := scanColumns(r, "plan_calls", &v.ID, &v.ID, &v.Plan, &v.Session, &v.Tool, &at)
	c.must(slices.Contains([]string{execplan.SetTool, execplan.NextTool}, v.Tool), "its tool is none of plans")
	c.text("session", v.Session, mostWord)
	v.At = c.time("at", at)
	return c.err
}

// AnswerPlan implements execplan.Store.
func (db *DB) AnswerPlan(ctx context.Context, c execplan.Call,
	law func(context.Context, *execplan.Plan) (bus.Body, error)) error {
	return db.change(ctx, func(x *tx) error {
		//mutant:never `gone == 0` ./store TestPlanCalls
		if gone, err := x.exec(ctx, `DELETE FROM plan_calls WHERE id = ?`, c.ID); err != nil || gone == 0 {
			return unchangedOr(err)
		}
		before, err := planOf(ctx, x, c.Plan)
		if err != nil {
			return err
		}
		after := before
		after.Groups = slices.Clone(before.Groups)
		body, err := law(context.WithValue(ctx, within{}, x), &after)
		if err != nil {
			return err
		}
		if err := x.savePlan(ctx, c, before, after); err != nil {
			return err
		}
		e, err := bus.NewEvent(c.Session, execplan.Subject(c.Plan), body)
		if err != nil {
			return err
		}
		e.Dedup = c.ID
		_, err = x.append(ctx, e)
		return err
	})
}

// unchangedOr ends a transaction that has nothing to write, or has failed.
func unchangedOr(err error) error {
	if err != nil {
		return err
	}
	return errUnchanged
}

// savePlan stores the account of a plan and what was asked for.
func (x *tx) savePlan(ctx context.Context, c execplan.Call, before, after execplan.Plan) error {
	if err := x.one(ctx, `UPDATE plans SET account = ?, updated_at = ? WHERE id = ?`, after.Account[:], nanoseconds(x.now),
		string(after.ID)); err != nil {
		return err
	}
	for place, g := range after.Groups {
		was := before.Groups[place]
		if g.Bundle == was.Bundle && g.Review == was.Review {
			continue
		}
		if g.Reviewed != nil {
			if err := x.requestReview(ctx, *g.Reviewed, c.Session); err != nil {
				return err
			}
			if err := x.createReview(ctx, *g.Reviewed, c.Session); err != nil {
				return err
			}
		}
		if err := x.one(ctx, `UPDATE plan_groups SET call = ?, bundle_id = ?, review_id = ?
			WHERE plan_id = ? AND place = ? AND bundle_id = ? AND review_id = ?`, g.Call, string(g.Bundle), string(g.Review),
			string(after.ID), place, string(was.Bundle), string(was.Review)); err != nil {
			return err
		}
	}
	return nil
}

// PlanCalls implements execplan.Store.
func (db *DB) PlanCalls(ctx context.Context, before time.Time) ([]execplan.Call, error) {
	return validRows(ctx, db, nil, scanPlanCall, selectPlanCalls+` WHERE at <= ? ORDER BY at, id`, nanoseconds(before))
}

// WithdrawPlanCall implements execplan.Store.
func (db *DB) WithdrawPlanCall(ctx context.Context, c execplan.Call) error {
	return db.change(ctx, func(x *tx) error {
		made, err := find(ctx, x, scanPlanGroup, selectPlanGroups+` WHERE plan_id = ? AND call = ?`, string(c.Plan), c.ID)
		if err != nil {
			return err
		}
		inside := context.WithValue(ctx, within{}, x)
		for _, g := range made {
			err := db.Withdraw(inside, pagetoken.Bundle, string(g.Bundle))
			if g.Review != "" {
				err = db.Withdraw(inside, pagetoken.Review, string(g.Review))
			}
			if err != nil {
				return err
			}
		}
		for _, query := range []string{
			`DELETE FROM plan_calls WHERE id = ?1`,
			`DELETE FROM log WHERE dedup = ?1 AND subject = ?2`,
			`DELETE FROM plans WHERE ?3 AND id = ?4 AND NOT EXISTS (SELECT 1 FROM plan_groups WHERE plan_id = ?4 AND call <> '')`,
		} {
			if _, err := x.exec(ctx, query, c.ID, execplan.Subject(c.Plan), c.Tool == execplan.SetTool,
				string(c.Plan)); err != nil {
				return err
			}
		}
		return nil
	})
}
