package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/account/activity"
)

const inSpan = ` FROM activity_transactions WHERE account = ?1 AND at >= ?2 AND at < ?3`

// The words after a span are those of the partial indexes, which are not used
// otherwise.
const (
	countActivityRows = `SELECT (SELECT count(*)` + inSpan + `),
		(SELECT count(*)` + inSpan + ` AND status = 'failure'), (SELECT count(*)` + inSpan + ` AND status = 'unknown'),
		(SELECT count(*)` + inSpan + ` AND incomplete <> ''), (SELECT count(*)` + inSpan + ` AND completeness <> 'complete'),
		coalesce((SELECT min(at)` + inSpan + ` AND at > 0), 0), coalesce((SELECT max(at)` + inSpan + `), 0)`

	selectActivityRows = `SELECT digest, checkpoint, at, status, role, completeness, incomplete, facts_json` + inSpan + `
		ORDER BY at DESC, checkpoint DESC LIMIT ?4`

	selectFlows = `SELECT digest, at, coin_type, amount FROM activity_flows WHERE account = ? AND at >= ? AND at < ?
		ORDER BY at DESC, digest, coin_type`
)

func spanArgs(s activity.Span, more ...any) []any {
	until := stamp(s.Until)
	if s.Until.IsZero() {
		until = 1<<63 - 1
	}
	return append([]any{s.Account[:], stamp(s.Since), until}, more...)
}

// counts is one row of countActivityRows.
type counts struct {
	all, failed, unknown, incomplete, uncertain int
	earliest, latest                            int64
}

func scanCounts(r *sql.Rows, c *counts) error {
	return r.Scan(&c.all, &c.failed, &c.unknown, &c.incomplete, &c.uncertain, &c.earliest, &c.latest)
}

// Activity implements activity.Store.
func (db *DB) Activity(ctx context.Context, s activity.Span, most int) (activity.Stored, error) {
	var out activity.Stored
	err := db.snapshot(ctx, func(r rower) error {
		list, err := find(ctx, r, scanCounts, countActivityRows, spanArgs(s)...)
		if err != nil {
			return err
		}
		c := list[0]
		out = activity.Stored{Count: c.all, Succeeded: c.all - c.failed - c.unknown, Failed: c.failed, Unknown: c.unknown,
			Incomplete: c.incomplete, Earliest: moment(c.earliest), Latest: moment(c.latest)}
		if out.Rows, err = find(ctx, r, scanKept, selectActivityRows, spanArgs(s, most)...); err != nil {
			return err
		}
		out.Covered, err = find(ctx, r, scanInterval, selectCoverage, s.Account[:], string(activity.Affected))
		return err
	})
	return out, err
}

func scanKept(r *sql.Rows, k *activity.Kept) error {
	var digest []byte
	var checkpoint, at int64
	var facts string
	if err := r.Scan(&digest, &checkpoint, &at, &k.Status, &k.Role, &k.Completeness, &k.Incomplete, &facts); err != nil {
		return err
	}
	copy(k.Digest[:], digest)
	k.At = moment(at)
	if checkpoint >= 0 {
		n := uint64(checkpoint)
		k.Checkpoint = &n
	}
	var f activityFacts
	if err := json.Unmarshal([]byte(facts), &f); err != nil {
		return damagedActivity(err)
	}
	k.Balances, k.Detail = f.Balances, f.Detail
	return nil
}

// ActivityFlows implements activity.Store.
func (db *DB) ActivityFlows(ctx context.Context, s activity.Span) (activity.Flows, error) {
	var out activity.Flows
	err := db.snapshot(ctx, func(r rower) error {
		list, err := find(ctx, r, scanCounts, countActivityRows, spanArgs(s)...)
		if err != nil {
			return err
		}
		out.Count, out.Uncertain = list[0].all, list[0].uncertain
		if out.Changes, err = find(ctx, r, scanChange, selectFlows, spanArgs(s)...); err != nil {
			return err
		}
		out.Covered, err = find(ctx, r, scanInterval, selectCoverage, s.Account[:], string(activity.Affected))
		return err
	})
	return out, err
}

func scanChange(r *sql.Rows, c *activity.CoinChange) error {
	var digest []byte
	var at int64
	var amount string
	if err := r.Scan(&digest, &at, &c.Coin, &amount); err != nil {
		return err
	}
	copy(c.Digest[:], digest)
	c.At = moment(at)
	n, ok := new(big.Int).SetString(amount, 10)
	if !ok {
		return damagedActivity(errors.New("no number"))
	}
	c.Amount = n
	return nil
}
