package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reviews stores reviews with their material and releases.
type Reviews struct{ *engine }

var _ record.Store = struct {
	Reviews
	Freeze
}{}

const reviewColumns = `status, reason, revision, network, chain_id, account, wallet_name, wallet_id,
	protocol, action, commitment, built_at, build_expires_at, created_at, updated_at, expires_at,
	intent_json, state_json, facts_json, holdings_json, execution_json, proposal_json, again`

// selectReview also reads whether the link was opened twice, which the page tokens record.
const selectReview = `SELECT id, ` + reviewColumns + `,
	EXISTS (SELECT 1 FROM opened_twice AS o WHERE o.kind = 'review' AND o.subject = reviews.id)
	FROM reviews`

// CreateReview implements record.Store.
func (db Reviews) CreateReview(ctx context.Context, s record.Session) error {
	_, err := Requests(db).CreateRequest(ctx, request.Drafted{Review: &s})
	return err
}

// createReview stores a new review and its task, both for a conversation.
func createReview(ctx context.Context, x *tx, s record.Session, conversation string) (bus.Task, error) {
	if len(s.Releases) > 0 || s.OpenedTwice {
		return bus.Task{}, fault.New(fault.InternalError, "A new review cannot have a release or an opened link.")
	}
	if err := insertReview(ctx, x, s); err != nil {
		return bus.Task{}, err
	}
	t, err := createTask(ctx, x, s.Task(conversation))
	if err != nil {
		return t, err
	}
	return t, x.record(ctx, events.Entry{Kind: events.Review, Subject: string(s.ID), To: string(s.Status),
		Revision: s.Revision, What: "prepared"})
}

// insertReview writes the row of a new review, without its releases.
func insertReview(ctx context.Context, x *tx, s record.Session) error {
	values, err := reviewValues(s)
	if err != nil {
		return err
	}
	return x.one(ctx, `INSERT INTO reviews (`+reviewColumns+`, id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, append(values, string(s.ID))...)
}

// Review implements record.Store.
func (db Reviews) Review(ctx context.Context, id record.ID) (record.Session, error) {
	var s record.Session
	err := db.snapshot(ctx, func(r rower) error {
		var err error
		s, err = reviewSession(ctx, r, id)
		return err
	})
	return s, err
}

// ReviewRow implements record.Store.
func (db Reviews) ReviewRow(ctx context.Context, id record.ID) (record.Row, error) {
	var row record.Row
	err := db.snapshot(ctx, func(r rower) error {
		var err error
		row, err = reviewRow(ctx, r, id)
		return err
	})
	return row, err
}

func reviewSession(ctx context.Context, r rower, id record.ID) (record.Session, error) {
	found, err := find(ctx, r, scanReview, selectReview+` WHERE id = ?`, string(id))
	if err != nil {
		return record.Session{}, err
	}
	if len(found) == 0 {
		return record.Session{}, fault.New(fault.SessionNotFound,
			"There is no review with this id. Prepare a new one.")
	}
	s := found[0]
	if s.Releases, err = releases(ctx, r, id); err != nil {
		return record.Session{}, err
	}
	if what := s.CheckStored(); what != "" {
		return record.Session{}, damagedRow("reviews", string(id), "%s", what)
	}
	return s, nil
}

func reviewRow(ctx context.Context, r rower, id record.ID) (record.Row, error) {
	s, err := reviewSession(ctx, r, id)
	if err != nil {
		return record.Row{}, err
	}
	m, err := materials(ctx, r, id)
	return record.Row{Session: s, Materials: m}, err
}

// Change implements record.Store.
func (db Reviews) Change(ctx context.Context, id record.ID, what string,
	transition func(*record.Row) error) (record.Session, error) {
	row, err := db.changeReview(ctx, id, what, func(x *tx, row *record.Row) (*record.Release, error) {
		row.Frozen = func() (bool, error) { return frozen(ctx, x) }
		err := transition(row)
		row.Frozen = nil
		return nil, err
	})
	return row.Session, err
}

// Release implements record.Store.
func (db Reviews) Release(ctx context.Context, id record.ID,
	transition func(*record.Row) (record.Release, error)) (record.Row, error) {
	return db.changeReview(ctx, id, "released", func(x *tx, row *record.Row) (*record.Release, error) {
		row.Handed = func() ([]record.Handed, error) { return handed(ctx, x, x.now.Add(-policy.Day)) }
		row.Open = func() ([]record.OpenRelease, error) { return openReleases(ctx, x, row.Session.Account) }
		row.Asked = func() ([]record.Asked, error) { return asked(ctx, x, row.Session.Account, x.now) }
		row.Approval = func() (record.Approval, error) { return approval(ctx, x, row.Session.ID) }
		row.ReleasedBy = func(d sui.Digest) ([]record.ID, error) { return releasedBy(ctx, x, d) }
		row.Frozen = func() (bool, error) { return frozen(ctx, x) }
		release, err := transition(row)
		row.Handed, row.Open, row.Asked, row.Approval, row.ReleasedBy, row.Frozen = nil, nil, nil, nil, nil, nil
		return &release, err
	})
}

// changeReview runs a transition on a review and stores the result. If the transition returns a
// release, it is stored too.
func (db Reviews) changeReview(ctx context.Context, id record.ID, what string,
	transition func(*tx, *record.Row) (*record.Release, error)) (record.Row, error) {
	var row record.Row
	err := db.change(ctx, func(x *tx) (err error) {
		row, err = changeReview(ctx, x, id, what, func(row *record.Row) (*record.Release, error) {
			return transition(x, row)
		})
		return err
	})
	if err != nil {
		return record.Row{}, err
	}
	return row, nil
}

// changeReview is Reviews.changeReview within a transaction. If the transition changes nothing, it
// returns the row unchanged with errUnchanged.
func changeReview(ctx context.Context, x *tx, id record.ID, what string,
	transition func(*record.Row) (*record.Release, error)) (record.Row, error) {
	before, err := reviewRow(ctx, x, id)
	if err != nil {
		return before, err
	}
	row := before
	row.Session.Releases = slices.Clone(before.Session.Releases)
	row.Materials = slices.Clone(before.Materials)
	if x := before.Session.Execution; x != nil {
		own := *x // a copy for the transition to edit, so that it can be compared with the original
		row.Session.Execution = &own
	}
	release, err := transition(&row)
	if err != nil {
		return before, err
	}
	if release == nil && row.Session.Revision == before.Session.Revision {
		return before, errUnchanged
	}
	return row, saveReview(ctx, x, what, before, row, release)
}

// saveReview stores a changed row with its releases, materials and journal entry. It fails if the
// stored row is no longer the one that the transition read.
func saveReview(ctx context.Context, x *tx, what string, before, after record.Row, release *record.Release) error {
	b, a := before.Session, after.Session
	if a.ID != b.ID || a.Account != b.Account || a.Revision <= b.Revision {
		return fault.New(fault.InternalError,
			"A change of a review must keep its id and account and raise its revision.")
	}
	values, err := reviewValues(a)
	if err != nil {
		return err
	}
	values = append(values, string(b.ID), b.Revision, string(b.Status))
	err = x.one(ctx, `UPDATE reviews SET (`+reviewColumns+`) =
		(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		WHERE id = ? AND revision = ? AND status = ?`, values...)
	if err != nil {
		return err
	}
	if a.OpenedTwice && !b.OpenedTwice {
		if _, err := x.exec(ctx, `INSERT INTO opened_twice (kind, subject, at) VALUES (?, ?, ?)
			ON CONFLICT DO NOTHING`, string(pagetoken.Review), string(a.ID), nanoseconds(x.now)); err != nil {
			return err
		}
	}
	if err := saveReleases(ctx, x, b, a, release); err != nil {
		return err
	}
	if err := keepReview(ctx, x, b, after, release); err != nil {
		return err
	}
	if a.Status == record.Success {
		if err := notePaid(ctx, x, a.ID); err != nil {
			return err
		}
	}
	if err := saveMaterials(ctx, x, before, after); err != nil {
		return err
	}
	if err := tellTask(ctx, x, b, a); err != nil {
		return err
	}
	if err := followReview(ctx, x, a); err != nil {
		return err
	}
	return x.recordAs(ctx, changeOf(b, a, release), events.Entry{Kind: events.Review, Subject: string(a.ID),
		From: string(b.Status), To: string(a.Status), Revision: a.Revision, What: what})
}

// changeOf returns the event type of a change of a review.
func changeOf(b, a record.Session, release *record.Release) bus.Type {
	settled := func(s record.Session) bool { return s.Execution != nil && s.Execution.Receipt != nil }
	switch {
	case release != nil:
		return bus.TypeReviewReleased
	case settled(a) && !settled(b):
		return bus.TypeReviewSettled
	}
	return bus.TypeReviewChanged
}

// tellTask advances the review's task and appends its events. Reviews from before tasks existed
// have none.
func tellTask(ctx context.Context, x *tx, b, a record.Session) error {
	step, ok := a.StepSince(b)
	if !ok {
		return nil
	}
	t, ok, err := taskOf(ctx, x, record.Subject(a.ID))
	if err != nil || !ok {
		return err
	}
	_, _, err = stepTask(ctx, x, t, step)
	return err
}

// TellStages records the start of stages of a review's computation as progress of its task. It does
// nothing if there is no such task or it has ended.
func (db Reviews) TellStages(ctx context.Context, id record.ID, stages []plan.StageID) error {
	return db.change(ctx, func(x *tx) error {
		t, ok, err := taskOf(ctx, x, record.Subject(id))
		if err != nil || !ok {
			return cmp.Or(err, errUnchanged)
		}
		for _, stage := range stages {
			if t, ok, err = stepTask(ctx, x, t, record.StageStep(stage)); err != nil || !ok {
				return err
			}
		}
		return nil
	})
}

// reviewValues returns the values of reviewColumns.
func reviewValues(s record.Session) ([]any, error) {
	values := []any{
		string(s.Status), string(s.Reason), s.Revision, s.Network, s.ChainID, s.Account[:],
		s.WalletName, s.WalletID, s.Protocol, s.Action, s.Commitment,
		nanoseconds(s.BuiltAt), nanoseconds(s.BuildExpiresAt), nanoseconds(s.CreatedAt), nanoseconds(s.UpdatedAt),
		nanoseconds(s.ExpiresAt),
	}
	for _, part := range []any{s.Intent, s.State, s.Facts, s.Holdings, s.Execution, s.Proposal} {
		text, err := document(part)
		if err != nil {
			return nil, err
		}
		values = append(values, text)
	}
	return append(values, s.Again), nil
}

func scanReview(r *sql.Rows, s *record.Session) error {
	var account []byte
	var built, buildExpires, created, updated, expires int64
	var intent, state, facts, holdings, execution, proposal sql.NullString
	c := scanColumns(r, "reviews", (*string)(&s.ID), &s.ID, &s.Status, &s.Reason, &s.Revision, &s.Network, &s.ChainID,
		&account, &s.WalletName, &s.WalletID,
		&s.Protocol, &s.Action, &s.Commitment, &built, &buildExpires, &created, &updated, &expires,
		&intent, &state, &facts, &holdings, &execution, &proposal, &s.Again, &s.OpenedTwice)
	s.BuiltAt, s.BuildExpiresAt = c.time("built_at", built), c.time("build_expires_at", buildExpires)
	s.CreatedAt, s.UpdatedAt, s.ExpiresAt = c.time("created_at", created), c.time("updated_at", updated),
		c.time("expires_at", expires)
	c.must(intent.Valid && state.Valid, "its request or its state is missing")
	readDocument(c, "intent_json", intent, &s.Intent)
	readDocument(c, "state_json", state, &s.State)
	readDocument(c, "facts_json", facts, &s.Facts)
	readDocument(c, "holdings_json", holdings, &s.Holdings)
	readDocument(c, "execution_json", execution, &s.Execution)
	readDocument(c, "proposal_json", proposal, &s.Proposal)
	c.session(s.ID, s.Account[:], account, s.Protocol, s.Action, s.WalletName, s.WalletID)
	c.text("network", s.Network, maxWord)
	c.text("chain_id", s.ChainID, maxWord)
	return c.err
}

// session validates the columns that every reader of a review needs, and copies the account into
// to.
func (c *columns) session(id record.ID, to, account []byte, protocol, action, wallet, walletID string) {
	c.text("id", string(id), maxWord)
	c.must(len(account) == len(to), "account has %d bytes instead of %d", len(account), len(to))
	copy(to, account)
	c.text("protocol", protocol, maxWord)
	c.text("action", action, maxWord)
	c.text("wallet_name", wallet, maxName)
	c.text("wallet_id", walletID, maxName)
}

// listed validates the status and reason of a review in a list.
func (c *columns) listed(s record.Status, reason plan.Reason) {
	c.must(slices.Contains(record.Statuses(), s), "its status is unknown")
	c.must(reason == "" || record.StatusOf(reason) != "", "its reason is unknown")
}

// document returns part as JSON text, or nil if it encodes to null.
func document(part any) (any, error) {
	b, err := json.Marshal(part)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "Part of the review cannot be encoded.")
	}
	if string(b) == "null" {
		return nil, nil
	}
	return string(b), nil
}

// readDocument decodes a text written by document, and treats repeated or unknown members as
// damage. A text that encodes to the same bytes again needs no further check. Only an edited text,
// or one from an older version, is checked member by member, which is far slower.
func readDocument[T any](c *columns, what string, text sql.NullString, part *T) {
	if !text.Valid || c.err != nil {
		return
	}
	if len(text.String) > maxDocument || text.String == "null" {
		c.wrong("%s is too large or missing", what)
		return
	}
	if json.Unmarshal([]byte(text.String), part) == nil {
		if again, err := json.Marshal(part); err == nil && string(again) == text.String {
			return
		}
	}
	v, err := strictjson.Decode[T]([]byte(text.String))
	c.must(err == nil, "%s cannot be read back", what)
	*part = v
}
