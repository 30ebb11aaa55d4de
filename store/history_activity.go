package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
)

// mayExpire lists the statuses in which a review can expire.
var mayExpire = []record.Status{record.Proposed, record.AwaitingWallet, record.WalletConnected, record.Ready,
	record.RefreshRequired, record.Blocked}

// ranOut selects reviews past their expiry. They count as expired even if no process has read them
// since and their rows still have another status. A released review does not expire.
const ranOut = `(r.expires_at <= @now AND NOT EXISTS (SELECT 1 FROM releases AS l WHERE l.review_id = r.id))`

var presentStatus = `CASE WHEN r.status IN (` + quoted(mayExpire) + `) AND ` + ranOut +
	` THEN 'expired' ELSE r.status END`

const inScope = ` FROM reviews AS r WHERE r.account = @account AND r.created_at >= @from AND r.created_at < @to`

// quoted returns statuses as a list of SQL string literals.
func quoted(list []record.Status) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, "'"+string(s)+"'")
	}
	return strings.Join(texts, ", ")
}

// activityQueries counts and lists the reviews with a given current status, or with any status.
// Each part reads one index range: by account and stored status if a status is given, otherwise by
// account.
type activityQueries struct{ count, list string }

var (
	activityOfAny     = queriesOf("")
	activityOfOpen    = queriesOf(" AND r.status = @status AND NOT " + ranOut)
	activityOfFinal   = queriesOf(" AND r.status = @status")
	activityOfExpired = queriesOf(expiredParts()...)
)

func expiredParts() []string {
	parts := []string{" AND r.status = 'expired'"}
	for _, s := range mayExpire {
		parts = append(parts, " AND r.status = "+quoted([]record.Status{s})+" AND "+ranOut)
	}
	return parts
}

// activityOf returns the queries for a status, or for all statuses if s is "".
func activityOf(s record.Status) activityQueries {
	switch {
	case s == "":
		return activityOfAny
	case s == record.Expired:
		return activityOfExpired
	case slices.Contains(mayExpire, s):
		return activityOfOpen
	}
	return activityOfFinal
}

// queriesOf returns the queries for reviews that match one of the conditions, which are mutually
// exclusive.
func queriesOf(conditions ...string) activityQueries {
	var counts, parts []string
	for _, c := range conditions {
		counts = append(counts, "(SELECT count(*)"+inScope+c+")")
		parts = append(parts, "SELECT * FROM (SELECT r.id, r.created_at"+inScope+c+" ORDER BY r.created_at DESC LIMIT @limit)")
	}
	listed := strings.Join(parts, " UNION ALL ")
	if len(parts) > 1 {
		listed += " ORDER BY created_at DESC LIMIT @limit"
	}
	// An index determines which reviews are listed; only their rows are read.
	return activityQueries{"SELECT " + strings.Join(counts, " + "), `WITH listed AS MATERIALIZED (` + listed + `)
	SELECT r.id, ` + presentStatus + `, r.reason, r.protocol, r.action, r.account, r.intent_json,
		r.created_at, r.updated_at, CASE WHEN json_valid(r.execution_json) THEN coalesce(r.execution_json ->> '$.status', '') ELSE '' END,
		CASE WHEN json_valid(r.execution_json) THEN coalesce(r.execution_json ->> '$.txDigest', '') ELSE '' END,
		CASE WHEN json_valid(r.execution_json) THEN coalesce(r.execution_json ->> '$.receipt.result.title', '') ELSE '' END,
		CASE WHEN json_valid(r.execution_json) THEN coalesce(r.execution_json ->> '$.failureReason', '') ELSE '' END,
		EXISTS (SELECT 1 FROM releases AS l WHERE l.review_id = r.id),
		(SELECT count(*) FROM journal AS j WHERE j.kind = 'review' AND j.subject = r.id AND j.what = 'computed'),
		(SELECT count(*) FROM journal AS j WHERE j.kind = 'review' AND j.subject = r.id)
	FROM listed CROSS JOIN reviews AS r ON r.id = listed.id ORDER BY r.created_at DESC, r.id`}
}

// ReviewActivity lists at most limit reviews of a scope, latest first, and returns their total
// number.
func (db History) ReviewActivity(ctx context.Context, s history.Scope, limit int) (list []history.Activity, all int,
	err error) {
	queries := activityOf(s.Status)
	err = db.snapshot(ctx, func(r rower) error {
		args := db.scopeArgs(s, sql.Named("status", string(s.Status)))
		if all, err = single[int](ctx, r, queries.count, args...); err != nil {
			return err
		}
		list, err = validRows(ctx, r, nil, scanActivity, queries.list, append(args, sql.Named("limit", limit))...)
		return err
	})
	return list, all, err
}

func scanActivity(r *sql.Rows, a *history.Activity) error {
	var account []byte
	var created, updated int64
	var intent sql.NullString
	c := scanColumns(r, "reviews", (*string)(&a.ID), &a.ID, &a.Status, &a.Reason, &a.Protocol, &a.Action, &account,
		&intent, &created, &updated,
		&a.ExecutionStatus, &a.TxDigest, &a.Result, &a.FailureReason, &a.Released, &a.Computations, &a.Transitions)
	a.CreatedAt, a.UpdatedAt = c.time("created_at", created), c.time("updated_at", updated)
	c.listed(a.Status, a.Reason)
	c.must(intent.Valid, "its request is missing")
	readDocument(c, "intent_json", intent, &a.Intent)
	c.session(a.ID, a.Account[:], account, a.Protocol, a.Action, "", "")
	c.text("execution_json", string(a.ExecutionStatus)+a.TxDigest, maxWord)
	c.text("execution_json", a.Result+string(a.FailureReason), maxName)
	return c.err
}
