package review_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// errJudged ends a release that the law allowed, so that it is not recorded.
var errJudged = errors.New("the law allowed it")

// judging takes every release back that the law allowed.
type judging struct{ record.Store }

func (j judging) Release(ctx context.Context, id record.ID, law func(*record.Row) (record.Release, error)) (record.Row,
	error) {
	return j.Store.Release(ctx, id, func(r *record.Row) (record.Release, error) {
		rel, err := law(r)
		if err == nil {
			err = errJudged
		}
		return rel, err
	})
}

// A review in whose row any column is damaged is not handed out, unless nothing
// that is handed out or shown of it hangs on that column.
func TestNothingIsHandedOutOfADamagedRow(t *testing.T) {
	ctx := context.Background()
	allowed := false
	h := testkit.Start(t, time.Now, func(c *review.Config) { c.Store = judging{c.Store} })
	h.Allow(policy.Allowance{PerDay: []policy.CoinLimit{{CoinType: "0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI", Most: 1 << 60}}})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	db := pastStore(t, h)
	execute(t, db, `PRAGMA synchronous = OFF`)
	execute(t, db, `PRAGMA foreign_keys = OFF`)
	execute(t, db, `CREATE TEMP TABLE built AS SELECT * FROM main.materials`)
	execute(t, db, `CREATE TEMP TABLE ready AS SELECT * FROM main.reviews`)
	try := func() error {
		_, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment)
		allowed = errors.Is(err, errJudged)
		return err
	}
	if err := try(); !allowed {
		t.Fatalf("the sound row is refused: %v", err)
	}
	// Columns that only name things, or that only tell when something was looked at.
	harmless := map[string][]string{
		"reviews": {"reason", "wallet_name", "wallet_id", "created_at", "updated_at", "expires_at", "holdings_json",
			"execution_json"},
		"materials": {"signature", "parts_json"}, // before anything is signed
		"settings":  {"updated_at"},
		// Which account is in use is in its address.
		"active_account": {"chain", "wallet_name", "wallet_id", "proven", "connected_at", "proven_at"},
	}
	values := []any{nil, int64(-1), int64(0), int64(7), int64(1<<63 - 1), "", "nonsense", "{", "null", "{}", "[]",
		`{"a":1,"a":2}`,
		[]byte{}, make([]byte, 31), make([]byte, 32), strings.Repeat("ab", 32)}
	cases := 0
	for table, where := range map[string]string{"reviews": "id = ?", "materials": "review_id = ?", "settings": "? <> ''",
		"active_account": "? <> ''"} {
		execute(t, db, `CREATE TEMP TABLE kept AS SELECT * FROM main.`+table)
		rows, err := db.Query(`SELECT name FROM pragma_table_info('` + table + `')`)
		if err != nil {
			t.Fatal(err)
		}
		var columns []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			columns = append(columns, name)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			for _, value := range values {
				result, err := db.Exec(`UPDATE `+table+` SET `+column+` = ? WHERE `+where+` AND `+column+` IS NOT ?`, value,
					string(s.ID), value)
				if err != nil {
					continue // the engine holds the column to its type
				}
				if n, err := result.RowsAffected(); err != nil || n == 0 {
					continue // it was so
				}
				cases++
				if err := try(); allowed && !slices.Contains(harmless[table], column) {
					t.Errorf("%s.%s is %.40q, and it is handed out (%v)", table, column, fmt.Sprint(value), err)
				}
				// As it was, whatever was made of it meanwhile.
				for _, again := range []string{`DELETE FROM ` + table, `INSERT INTO ` + table + ` SELECT * FROM kept`,
					`DELETE FROM materials`, `INSERT INTO materials SELECT * FROM built`,
					`DELETE FROM reviews`, `INSERT INTO reviews SELECT * FROM ready`} {
					execute(t, db, again)
				}
			}
		}
		execute(t, db, `DROP TABLE kept`)
		if err := try(); !allowed {
			t.Fatalf("after %s, the sound row is refused: %v", table, err)
		}
	}
	if cases < 150 {
		t.Errorf("only %d rows were damaged", cases)
	}
}
