package store

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Claim records a reported wallet result for an open request of a conversation. It marks the
// request answered but changes no review or task. A rejection, or a failure before anything was
// sent, reaches the agent as reported. A named transaction must have been released; it stays
// unconfirmed until the chain confirms it.
//
// Claim reports a duplicate if the request is already answered, and returns
// fault.InvalidSessionTransition if the request is ambiguous or the transaction differs.
func (db Tasks) Claim(ctx context.Context, session string, r bus.WalletTxResponse) (out bus.Appended, err error) {
	err = db.change(ctx, func(x *tx) error {
		t, err := claimedTask(ctx, x, session, r)
		if err != nil {
			return err
		}
		//mutant:never ./store TestClaim
		if t.Request == nil {
			out = bus.Appended{Duplicate: true}
			return errUnchanged
		}
		if err := judgeClaim(ctx, x, t, r); err != nil {
			return err
		}
		r.RequestID, r.Claimed = t.RequestID, true
		e, err := bus.NewEvent(session, "task/"+t.ID, r)
		if err != nil {
			return err
		}
		e.Dedup = "claim " + t.RequestID // must differ from the key of the event that reports the transaction
		list := []bus.Event{e}
		if named(r) {
			list[0].Audience = bus.UI
			update, err := bus.Update(bus.WalletReported{Status: string(r.Status), TxHash: *r.TxHash}, true)
			if err != nil {
				return failed(err)
			}
			reported, err := bus.NewEvent(session, "task/"+t.ID, update)
			if err != nil {
				return err
			}
			list = append(list, reported)
		}
		if out, err = x.append(ctx, list[0]); err != nil || out.Duplicate {
			return err
		}
		for _, e := range list[1:] {
			if _, err := x.append(ctx, e); err != nil {
				return err
			}
		}
		return x.one(ctx, `UPDATE tasks SET request_json = NULL, updated_at = ? WHERE id = ? AND request_id = ?`,
			nanoseconds(x.now), t.ID, t.RequestID)
	})
	return out, err
}

// named reports whether a claim names a transaction.
func named(r bus.WalletTxResponse) bool { return r.TxHash != nil && *r.TxHash != "" }

// claimedTask returns the task whose wallet request a report answers. If the request is already
// answered, the returned task has no request.
func claimedTask(ctx context.Context, x *tx, session string, r bus.WalletTxResponse) (bus.Task, error) {
	const open = ` WHERE session = ? AND request_json IS NOT NULL`
	if r.RequestID != "" {
		found, err := validRows(ctx, x, nil, scanTask, selectTasks+` WHERE session = ? AND request_id = ?`, session,
			r.RequestID)
		if err != nil || len(found) > 0 {
			return first(found), err
		}
		repeated, err := hasAnswer(ctx, x, session, `'$.request_id'`, r.RequestID)
		if err == nil && !repeated {
			err = fault.New(fault.InvalidSessionTransition, "No wallet request has this ID.")
		}
		return bus.Task{}, err
	}
	found, err := validRows(ctx, x, nil, scanTask, selectTasks+open, session)
	switch {
	case err != nil || len(found) == 1:
		return first(found), err
	//mutant:never ./store TestClaim
	case len(found) > 1:
		return bus.Task{}, fault.New(fault.InvalidSessionTransition,
			"%d wallet requests are open. Choose one with request_id.", len(found))
	}
	repeated := false
	if named(r) {
		repeated, err = hasAnswer(ctx, x, session, `'$.tx_hash'`, *r.TxHash)
	} else {
		repeated, err = lastAnswer(ctx, x, session, r.Status)
	}
	if err == nil && !repeated {
		err = fault.New(fault.InvalidSessionTransition, "No wallet request is open.")
	}
	return bus.Task{}, err
}

func first(list []bus.Task) (t bus.Task) {
	if len(list) > 0 {
		t = list[0]
	}
	return t
}

// hasAnswer reports whether the conversation already has a wallet response whose member has the
// given value.
func hasAnswer(ctx context.Context, x *tx, session, member, value string) (bool, error) {
	return single[bool](ctx, x, `SELECT EXISTS (SELECT 1 FROM log
		WHERE session = ? AND audience <> 1 AND type = 'WalletTxResponse' AND payload_json ->> `+member+` = ?)`, session,
		value)
}

// lastAnswer reports whether the last wallet response of a conversation has the given status and
// names no transaction.
func lastAnswer(ctx context.Context, x *tx, session string, status bus.WalletStatus) (bool, error) {
	found, err := column[bool](ctx, x, `SELECT
		payload_json ->> '$.status' = ? AND coalesce(payload_json ->> '$.tx_hash', '') = '' FROM log
		WHERE session = ? AND audience <> 1 AND type = 'WalletTxResponse' ORDER BY seq DESC LIMIT 1`, string(status), session)
	//mutant:never ./store TestClaim
	if err != nil || len(found) == 0 {
		return false, err
	}
	return found[0], nil
}

// judgeClaim returns an error if a report contradicts the task's review.
func judgeClaim(ctx context.Context, x *tx, t bus.Task, r bus.WalletTxResponse) error {
	id, ok := record.FromSubject(t.Subject)
	if !ok {
		return nil // not a review, so nothing was released
	}
	s, err := reviewSession(ctx, x, id)
	if err != nil {
		return err
	}
	digest := ""
	if named(r) {
		digest = *r.TxHash
	}
	return s.Claimable(digest)
}
