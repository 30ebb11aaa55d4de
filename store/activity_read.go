package store

import (
	"context"
	"database/sql"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const inSpan = ` FROM activity_transactions WHERE account = ?1 AND at >= ?2 AND at < ?3`

// The conditions that follow inSpan repeat those of the partial indexes verbatim; otherwise SQLite
// would not use the indexes.
const (
	countActivityRows = `SELECT (SELECT count(*)` + inSpan + `),
		(SELECT count(*)` + inSpan + ` AND status = 'failure'), (SELECT count(*)` + inSpan + ` AND status = 'unknown'),
		(SELECT count(*)` + inSpan + ` AND incomplete <> ''), (SELECT count(*)` + inSpan + ` AND completeness <> 'complete'),
		CAST(coalesce((SELECT min(at)` + inSpan + ` AND at > 0), 0) AS INTEGER), CAST(coalesce((SELECT max(at)` +
		inSpan + `), 0) AS INTEGER)`

	selectActivityRows = `SELECT digest, checkpoint, at, status, role, completeness, incomplete, facts_json` + inSpan + `
		ORDER BY at DESC, checkpoint DESC LIMIT ?4`

	selectFlows = `SELECT digest, at, coin_type, amount FROM activity_flows WHERE account = ? AND at >= ? AND at < ?
		ORDER BY at DESC, digest, coin_type`
)

func spanArgs(s activity.Span, more ...any) []any {
	until := nanoseconds(s.Until)
	if s.Until.IsZero() {
		until = 1<<63 - 1
	}
	return append([]any{s.Account[:], nanoseconds(s.Since), until}, more...)
}

// counts holds the result row of countActivityRows.
type counts struct {
	all, failed, unknown, incomplete, uncertain int
	earliest, latest                            int64
}

func scanCounts(r *sql.Rows, c *counts) error {
	return r.Scan(&c.all, &c.failed, &c.unknown, &c.incomplete, &c.uncertain, &c.earliest, &c.latest)
}

// Activity implements activity.Store.
func (db ActivityCache) Activity(ctx context.Context, s activity.Span, limit int) (activity.Stored, error) {
	var out activity.Stored
	err := db.snapshot(ctx, func(r rower) error {
		list, err := find(ctx, r, scanCounts, countActivityRows, spanArgs(s)...)
		if err != nil {
			return err
		}
		c := list[0]
		out = activity.Stored{Count: c.all, Succeeded: c.all - c.failed - c.unknown, Failed: c.failed, Unknown: c.unknown,
			Incomplete: c.incomplete, Earliest: timeOf(c.earliest), Latest: timeOf(c.latest)}
		// A damaged row still counts as a transaction, but its contents are unknown.
		aside := func(Damage) { out.Incomplete++ }
		if out.Rows, err = validRows(ctx, r, aside, scanKept, selectActivityRows, spanArgs(s, limit)...); err != nil {
			return err
		}
		out.Covered, err = validRows(ctx, r, nil, scanInterval, selectCoverage, s.Account[:], string(activity.Affected))
		return err
	})
	return out, err
}

func scanKept(r *sql.Rows, k *activity.Kept) error {
	var digest []byte
	var checkpoint, at int64
	var facts string
	c := scanColumns(r, "activity_transactions", nil, &digest, &checkpoint, &at, &k.Status, &k.Role, &k.Completeness,
		&k.Incomplete, &facts)
	c.digest("digest", &k.Digest, digest)
	c.key = k.Digest.String()
	k.At = c.time("at", at)
	c.must(checkpoint >= -1 && checkpoint <= 1<<53, "checkpoint is out of range")
	c.must(slices.Contains([]sui.PastStatus{sui.PastSuccess, sui.PastFailed, sui.PastUnknown}, k.Status),
		"its status is unknown")
	c.must(slices.Contains([]activity.Role{activity.RoleSender, activity.RoleAffected, activity.RoleUnknown}, k.Role),
		"its role is unknown")
	c.must(slices.Contains([]activity.Completeness{activity.Complete, activity.Truncated, activity.Unavailable},
		k.Completeness),
		"its completeness is unknown")
	c.text("incomplete", k.Incomplete, maxName)
	if checkpoint >= 0 {
		n := uint64(checkpoint)
		k.Checkpoint = &n
	}
	var f activityFacts
	readDocument(c, "facts_json", sql.NullString{String: facts, Valid: true}, &f)
	k.Balances, k.Detail = f.Balances, f.Detail
	return c.err
}

// ActivityFlows implements activity.Store.
func (db ActivityCache) ActivityFlows(ctx context.Context, s activity.Span) (activity.Flows, error) {
	var out activity.Flows
	err := db.snapshot(ctx, func(r rower) error {
		list, err := find(ctx, r, scanCounts, countActivityRows, spanArgs(s)...)
		if err != nil {
			return err
		}
		out.Count, out.Uncertain = list[0].all, list[0].uncertain
		aside := func(Damage) { out.Uncertain++ }
		if out.Changes, err = validRows(ctx, r, aside, scanChange, selectFlows, spanArgs(s)...); err != nil {
			return err
		}
		out.Covered, err = validRows(ctx, r, nil, scanInterval, selectCoverage, s.Account[:], string(activity.Affected))
		return err
	})
	return out, err
}

func scanChange(r *sql.Rows, c *activity.CoinChange) error {
	var digest []byte
	var at int64
	var amount string
	row := scanColumns(r, "activity_flows", nil, &digest, &at, &c.Coin, &amount)
	row.digest("digest", &c.Digest, digest)
	row.key = c.Digest.String()
	c.At = row.time("at", at)
	n, ok := new(big.Int).SetString(amount, 10)
	row.must(ok && n.BitLen() <= 128, "amount is not a valid number")
	_, err := sui.ParseCoinType(string(c.Coin))
	row.must(err == nil, "its coin type is invalid")
	c.Amount = n
	return row.err
}
