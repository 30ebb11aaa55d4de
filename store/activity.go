package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"math/big"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ActivityCache stores past transactions of the user's accounts, as the chain reported them.
type ActivityCache struct{ *engine }

var _ activity.Store = ActivityCache{}

// activityFacts is the JSON part of a stored row.
type activityFacts struct {
	Balances []activity.Balance `json:"b,omitempty"`
	Detail   *activity.Detail   `json:"d,omitempty"`
}

// upsertActivity never replaces a row that has complete balance changes with a less complete one.
const upsertActivity = `INSERT INTO activity_transactions
	(account, digest, checkpoint, at, status, role, completeness, incomplete, facts_json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (account, digest) DO UPDATE SET checkpoint = excluded.checkpoint, at = excluded.at, status = excluded.status,
		role = excluded.role, completeness = excluded.completeness, incomplete = excluded.incomplete, facts_json = excluded.facts_json
	WHERE excluded.completeness = 'complete' OR activity_transactions.completeness <> 'complete'`

// dropFlows deletes the coin amounts of a row that is about to be replaced, because the new report
// may have a different time or different coins.
const dropFlows = `DELETE FROM activity_flows WHERE account = ?1 AND digest = ?2 AND at = (SELECT at FROM activity_transactions
	WHERE account = ?1 AND digest = ?2 AND (?3 = 'complete' OR completeness <> 'complete'))`

const insertFlow = `INSERT INTO activity_flows (account, at, digest, coin_type, amount) VALUES (?, ?, ?, ?, ?)`

func (ActivityCache) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(
		checkRows(ctx, s, scanKept, `SELECT digest, checkpoint, at, status, role, completeness, incomplete,
			facts_json FROM activity_transactions`),
		checkRows(ctx, s, scanChange, `SELECT digest, at, coin_type, amount FROM activity_flows`),
		checkRows(ctx, s, scanInterval, `SELECT from_checkpoint, to_checkpoint, since, until FROM activity_coverage`),
	)
}

// KeepActivity implements activity.Store. It writes no journal entry, because on-chain activity is
// not an event of this program.
func (db ActivityCache) KeepActivity(ctx context.Context, k activity.Keep) (known bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		there, err := column[int](ctx, x,
			`SELECT 1 FROM known_accounts WHERE account = ?`, k.Account[:])
		if err != nil {
			return err
		}
		if known = len(there) > 0; !known {
			return errUnchanged
		}
		if err := forgetOtherChains(ctx, x, k.Chain); err != nil {
			return err
		}
		if err := insertActivity(ctx, x, k); err != nil {
			return err
		}
		return coverActivity(ctx, x, k)
	})
	return known && err == nil, err
}

// activityTables returns the names of the tables whose rows belong to an account.
func activityTables() []string {
	return []string{"activity_transactions", "activity_flows", "activity_coverage"}
}

// forgetOtherChains deletes the stored activity if it was read from a different chain.
func forgetOtherChains(ctx context.Context, x *tx, chain sui.Digest) error {
	same, err := x.exec(ctx, `INSERT INTO activity_chain (id, chain) VALUES (1, ?1)
		ON CONFLICT (id) DO UPDATE SET chain = ?1 WHERE chain <> ?1`, chain[:])
	if err != nil || same == 0 {
		return err
	}
	for _, table := range activityTables() {
		if _, err := x.exec(ctx, `DELETE FROM `+table); err != nil {
			return err
		}
	}
	return nil
}

func insertActivity(ctx context.Context, x *tx, k activity.Keep) error {
	if len(k.Rows) == 0 {
		return nil
	}
	for _, r := range k.Rows {
		if _, err := x.exec(ctx, dropFlows, k.Account[:], r.Digest[:], string(r.Completeness)); err != nil {
			return err
		}
		facts, err := json.Marshal(activityFacts{r.Balances, r.Detail})
		if err != nil {
			return failed(err)
		}
		checkpoint := int64(-1)
		if r.Checkpoint != nil {
			checkpoint = int64(*r.Checkpoint)
		}
		n, err := x.exec(ctx, upsertActivity, k.Account[:], r.Digest[:], checkpoint, nanoseconds(r.At), string(r.Status),
			string(r.Role), string(r.Completeness), r.Incomplete, string(facts))
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		for coin, amount := range sums(r.Balances) {
			if _, err := x.exec(ctx, insertFlow, k.Account[:], nanoseconds(r.At), r.Digest[:], string(coin),
				amount.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// sums returns the total change of each coin in one transaction.
func sums(list []activity.Balance) map[sui.CoinType]*big.Int {
	out := map[sui.CoinType]*big.Int{}
	for _, b := range list {
		if out[b.Coin] == nil {
			out[b.Coin] = new(big.Int)
		}
		out[b.Coin].Add(out[b.Coin], b.Amount.Big())
	}
	return out
}

// coverActivity merges new intervals into the stored ones. An interval covered for affected
// transactions is also covered for sent ones, because a sender is always affected.
func coverActivity(ctx context.Context, x *tx, k activity.Keep) error {
	if len(k.Covered) == 0 {
		return nil
	}
	kinds := []activity.Relationship{k.Relationship}
	if k.Relationship == activity.Affected {
		kinds = append(kinds, activity.Sent)
	}
	for _, kind := range kinds {
		stored, err := validRows(ctx, x, nil, scanInterval, selectCoverage, k.Account[:], string(kind))
		if err != nil {
			return err
		}
		if _, err := x.exec(ctx, `DELETE FROM activity_coverage WHERE account = ? AND relationship = ?`, k.Account[:],
			string(kind)); err != nil {
			return err
		}
		for _, i := range activity.Merge(append(stored, k.Covered...)) {
			if err := x.one(ctx,
				`INSERT INTO activity_coverage (account, relationship, from_checkpoint, to_checkpoint, since, until)
				VALUES (?, ?, ?, ?, ?, ?)`, k.Account[:], string(kind), int64(i.From), int64(i.To), i.Since, i.Until); err != nil {
				return err
			}
		}
	}
	return nil
}

const selectCoverage = `SELECT from_checkpoint, to_checkpoint, since, until FROM activity_coverage
	WHERE account = ? AND relationship = ? ORDER BY from_checkpoint`

func scanInterval(r *sql.Rows, i *activity.Interval) error {
	var from, to int64
	c := scanColumns(r, "activity_coverage", nil, &from, &to, &i.Since, &i.Until)
	c.key = strconv.FormatInt(from, 10)
	c.must(from >= 0 && from <= to && to <= 1<<53, "its checkpoints are out of range")
	c.must(i.Since >= 0 && i.Until >= activity.UntilUnknown, "its times are out of range")
	i.From, i.To = uint64(from), uint64(to)
	return c.err
}

// forgetActivity deletes the activity of an account.
func forgetActivity(ctx context.Context, x *tx, a sui.Address) error {
	for _, table := range activityTables() {
		if _, err := x.exec(ctx, `DELETE FROM `+table+` WHERE account = ?`, a[:]); err != nil {
			return err
		}
	}
	return nil
}
