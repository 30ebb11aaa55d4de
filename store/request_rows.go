package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/request"
)

// requestColumns and stepColumns are the columns of a request and of its steps.
const requestColumns = `session, task, network, account, label, hash, mode, state, approval, not_honoured, warnings_json,
	accepted_json, reason, stopping, review, plan, place, call, revision, created_at, updated_at, approve_by`

const selectRequests = `SELECT id, ` + requestColumns + `,
	EXISTS (SELECT 1 FROM tasks AS t WHERE t.id = requests.task AND t.cancel_requested = 1) FROM requests`

const stepColumns = `step_id, sequence, review_id, status, tx_hash, error, handed, submitted_at, asked_json`

func (Requests) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(
		checkRows(ctx, s, scanRequest, selectRequests),
		checkRows(ctx, s, scanStep, `SELECT `+stepColumns+` FROM request_steps`),
	)
}

func insertRequest(ctx context.Context, x *tx, b request.Request) error {
	values, err := requestValues(b)
	if err != nil {
		return err
	}
	if err := x.one(ctx, `INSERT INTO requests (`+requestColumns+
		`, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(values, string(b.ID))...); err != nil {
		return err
	}
	for place, s := range b.Steps {
		values, err := stepValues(s)
		if err != nil {
			return err
		}
		if err := x.one(ctx, `INSERT INTO request_steps (`+stepColumns+
			`, request_id, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			append(values, string(b.ID), place)...); err != nil {
			return err
		}
	}
	return keepAsked(ctx, x, b)
}

func requestValues(b request.Request) ([]any, error) {
	warnings, err := json.Marshal(b.Warnings)
	if err != nil {
		return nil, err
	}
	accepted, err := json.Marshal(slices.Concat([]string{}, b.Accepted))
	return []any{b.Session, b.Task, b.Network, b.Account[:], b.Label, b.Hash[:], string(b.Mode), string(b.State),
		b.Approval, b.NotHonoured,
		string(warnings), string(accepted), b.Reason, b.Stopping, string(b.Review), b.Plan, b.Group, b.Call, b.Revision,
		nanoseconds(b.CreatedAt), nanoseconds(b.UpdatedAt), nanoseconds(b.ApproveBy)}, err
}

func stepValues(s request.Step) ([]any, error) {
	asked, err := json.Marshal(s)
	return []any{s.ID, s.Sequence, string(s.Review), string(s.State), s.TxHash, s.Error, s.Handed,
		nanoseconds(s.SubmittedAt),
		string(asked)}, err
}

func requestByID(ctx context.Context, r rower, id request.ID) (request.Request, error) {
	found, err := find(ctx, r, scanRequest, selectRequests+` WHERE id = ?`, string(id))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.SessionNotFound, "No bundle has this ID. Ended ones are kept for 30 days.")
	}
	if err != nil {
		return request.Request{}, err
	}
	b := found[0]
	if b.Steps, err = find(ctx, r, scanStep, `SELECT `+stepColumns+
		` FROM request_steps WHERE request_id = ? ORDER BY place`, string(id)); err != nil {
		return request.Request{}, err
	}
	if len(b.Steps) == 0 {
		return request.Request{}, damagedRow("requests", string(id), "it has no steps")
	}
	return b, nil
}

func scanRequest(r *sql.Rows, b *request.Request) error {
	var account, hash []byte
	var warnings, accepted string
	var group, created, updated, until, cancel int64
	c := scanColumns(r, "requests", (*string)(&b.ID), &b.ID, &b.Session, &b.Task, &b.Network, &account, &b.Label, &hash,
		&b.Mode, &b.State,
		&b.Approval, &b.NotHonoured, &warnings, &accepted, &b.Reason, &b.Stopping, &b.Review, &b.Plan, &group, &b.Call,
		&b.Revision,
		&created, &updated, &until, &cancel)
	c.hash("account", (*[32]byte)(&b.Account), account)
	c.hash("hash", (*[32]byte)(&b.Hash), hash)
	c.must(slices.Contains(request.States(), b.State), "its state is unknown")
	c.must(slices.Contains(request.Modes(), b.Mode), "its mode is unknown")
	c.must(slices.Contains([]string{"", request.ByPage, request.ByPrior}, b.Approval), "its approval is unknown")
	for what, text := range map[string]string{"session": b.Session, "task": b.Task, "network": b.Network,
		"not_honoured": b.NotHonoured} {
		c.text(what, text, maxWord)
	}
	for what, text := range map[string]string{"review": string(b.Review), "plan": b.Plan, "call": b.Call} {
		c.text(what, text, maxName)
	}
	c.count("place", group)
	b.Group = int(group)
	for what, text := range map[string]string{"label": b.Label, "reason": b.Reason, "stopping": b.Stopping} {
		c.text(what, text, maxDocument)
	}
	c.must(json.Unmarshal([]byte(warnings), &b.Warnings) == nil, "its warnings cannot be read back")
	c.must(json.Unmarshal([]byte(accepted), &b.Accepted) == nil, "what was accepted cannot be read back")
	c.count("revision", b.Revision)
	b.CreatedAt, b.UpdatedAt, b.ApproveBy = c.time("created_at", created), c.time("updated_at", updated),
		c.time("approve_by", until)
	b.CancelRequested = cancel == 1
	return c.err
}

func scanStep(r *sql.Rows, s *request.Step) error { return scanStepAnd(r, s) }

// scanStepAnd reads stepColumns and further columns into more.
func scanStepAnd(r *sql.Rows, s *request.Step, more ...any) error {
	var submitted, handed int64
	var asked string
	var o request.Step // values from the columns
	c := scanColumns(r, "request_steps", &o.ID, append([]any{&o.ID, &o.Sequence, &o.Review, &o.State, &o.TxHash, &o.Error,
		&handed, &submitted, &asked}, more...)...)
	c.must(slices.Contains(request.StepStates(), o.State), "its status is unknown")
	c.count("sequence", o.Sequence)
	for what, text := range map[string]string{"step_id": o.ID, "review_id": string(o.Review), "tx_hash": o.TxHash} {
		c.text(what, text, maxName)
	}
	c.text("error", o.Error, maxDocument)
	readDocument(c, "asked_json", sql.NullString{String: asked, Valid: true}, s)
	s.ID, s.Sequence, s.Review, s.State, s.TxHash, s.Error = o.ID, o.Sequence, o.Review, o.State, o.TxHash, o.Error
	s.Handed, s.SubmittedAt = c.flag("handed", handed), c.time("submitted_at", submitted)
	return c.err
}

// updateRequest stores a changed request with its steps. It fails if the stored request is no
// longer the one that the transition read.
func updateRequest(ctx context.Context, x *tx, before, after request.Request) error {
	values, err := requestValues(after)
	if err != nil {
		return err
	}
	if err := x.one(ctx, `UPDATE requests SET (`+requestColumns+
		`) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		WHERE id = ? AND revision = ? AND state = ?`, append(values, string(after.ID), before.Revision,
		string(before.State))...); err != nil {
		return err
	}
	for place, s := range after.Steps {
		values, err := stepValues(s)
		if err != nil {
			return err
		}
		if err := x.one(ctx, `UPDATE request_steps SET (`+stepColumns+`) = (?, ?, ?, ?, ?, ?, ?, ?, ?)
			WHERE request_id = ? AND place = ? AND status = ?`,
			append(values, string(after.ID), place, string(before.Steps[place].State))...); err != nil {
			return err
		}
	}
	return x.keep(ctx, after.Entries(before)...)
}
