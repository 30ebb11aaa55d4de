package store_test

import (
	"database/sql"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
)

// explain returns the steps of the engine's plan for a query.
func explain(t *testing.T, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// Queries for lists of reviews and for review computations must not become slower as finished
// reviews accumulate, so each must read a range of an index.
func TestQueryPlans(t *testing.T) {
	db, c, dir := finishedIn(t, 3)
	ctx, before := t.Context(), db.Texts(t)
	for _, s := range append(record.Statuses(), "") {
		if _, _, err := db.ReviewActivity(ctx, history.Scope{Account: historian, Status: s}, 20); err != nil {
			t.Fatal(err)
		}
	}
	lists := slices.DeleteFunc(db.Texts(t), func(text string) bool { return slices.Contains(before, text) })
	if len(lists) != 8 {
		t.Errorf("%d queries count and list reviews", len(lists))
	}
	for name, ask := range map[string]func() error{
		"asked":     func() error { _, err := db.Asked(ctx, historian); return err },
		"open":      func() error { _, err := db.Open(ctx, historian); return err },
		"handed":    func() error { _, err := db.Handed(ctx, c.Now()); return err },
		"number":    func() error { _, err := db.RequestNumber(ctx, historian, c.Now()); return err },
		"unsettled": func() error { _, err := db.Unsettled(ctx); return err },
		"looked":    func() error { _, err := db.LookedFor(ctx); return err },
		"unproved":  func() error { _, err := db.Unproved(ctx, c.Now()); return err },
		"paid":      func() error { _, err := db.Paid(ctx, historian); return err },
		"live":      func() error { _, err := db.LiveRequests(ctx); return err },
		"of":        func() error { _, _, err := db.RequestOf(ctx, "r"); return err },
		"approval":  func() error { _, err := db.Approval(ctx, "r"); return err },
		"waiting":   func() error { _, err := db.WaitingReviews(ctx, c.Now(), 50); return err },
		"session":   func() error { _, err := db.ReviewDetail(ctx, "r", 10); return err },
	} {
		if err := ask(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain, grows := raw(t, dir),
		regexp.MustCompile(`^(SCAN (r|reviews|l|releases|j|journal|t|tasks|s|request_steps|b|requests|log|materials|m|p|paid)( USING .*)?|`+
			`SEARCH .* USING (COVERING )?INDEX reviews_by_(account|status) \(account=\?( AND status=\?)?\))$`)
	// These indexes contain only the few rows that are pending.
	few := regexp.MustCompile(`INDEX (reviews_unsettled|reviews_pending|reviews_open|releases_looked_for|requests_running|requests_waiting|tasks_open)\b|\(account=\? AND status=\?\)$`)
	for _, text := range db.Texts(t) {
		plan := explain(t, plain, text, parameters(text)...)
		for _, step := range plan {
			if grows.MatchString(step) && !few.MatchString(step) {
				t.Errorf("%s\n%s: reads all the rows that there ever were:\n%s", text, step, strings.Join(plan, "\n"))
			}
		}
		if slices.Contains(lists, text) {
			chosen := strings.Join(plan[:max(0, slices.Index(plan, "SCAN listed"))], "\n")
			if strings.Contains(chosen, "TEMP B-TREE") && !strings.Contains(text, "UNION ALL") {
				t.Errorf("%s\nsorts all the rows:\n%s", text, chosen)
			}
		}
	}
}

// parameters returns a value for each parameter of a query.
func parameters(query string) (args []any) {
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`@(\w+)|\?(\d*)`).FindAllStringSubmatch(query, -1) {
		name, number := m[1], m[2]
		if id := name + number; id != "" && seen[id] {
			continue
		}
		seen[name+number] = true
		if name != "" {
			args = append(args, sql.Named(name, 1))
		} else {
			args = append(args, 1)
		}
	}
	return args
}
