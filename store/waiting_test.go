package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// The list of pending requests omits those that have ended or expired, but never one that a wallet
// may have signed.
func TestWaitingReviews(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	dir := filepath.Join(double.Dir(t), "data")
	db := open(t, dir, nil, clock.Now)
	put := func(id string, status record.Status, life time.Duration, released bool) {
		t.Helper()
		s := proposed(id, clock)
		s.Intent.From.Symbol = "SUI"
		s.CreatedAt, s.ExpiresAt = clock.Now(), clock.Now().Add(life)
		if err := db.CreateReview(ctx, s); err != nil {
			t.Fatal(err)
		}
		move := func(r *record.Row) {
			r.Session.Status, r.Session.UpdatedAt = status, clock.Now()
			r.Session.Revision++
		}
		var err error
		if released {
			_, err = db.Release(ctx, s.ID, func(r *record.Row) (record.Release, error) {
				move(r)
				v := release(sui.Digest{1}, "nonce")
				r.Session.Releases = append(r.Session.Releases, v)
				return v, nil
			})
		} else {
			_, err = db.Change(ctx, s.ID, "moved", func(r *record.Row) error { move(r); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
	}
	put("a-fresh", record.Proposed, time.Hour, false)
	put("b-late", record.WalletConnected, time.Minute, false)
	put("c-done", record.Success, time.Hour, true)
	put("d-signed", record.SignedPendingResult, time.Minute, true)
	put("e-released", record.Ready, time.Minute, true)
	put("f-expired", record.Expired, time.Hour, false)
	clock.Advance(2 * time.Minute)
	desk := pagetoken.NewDesk(db, clock.Now, strings.NewReader(strings.Repeat("0123456789abcdef", 64)))
	code, err := desk.Link(ctx, pagetoken.Review, "a-fresh", 0)
	if err != nil {
		t.Fatal(err)
	}
	list := func(limit int) string {
		t.Helper()
		found, err := db.WaitingReviews(ctx, clock.Now(), limit)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, w := range found {
			out = append(out, fmt.Sprintf("%s %s released=%t open=%t linked=%t %s", w.ID, w.Status, w.Released, w.Open, w.Linked,
				w.Intent.From.Symbol))
		}
		return strings.Join(out, "\n")
	}
	const symbol = "SUI"
	want := "e-released ready_for_wallet_review released=true open=false linked=false " + symbol +
		"\nd-signed signed_pending_result released=true open=false linked=false " + symbol +
		"\na-fresh proposed released=false open=false linked=true " + symbol
	if got := list(10); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := list(1); !strings.HasPrefix(got, "e-released") || strings.Contains(got, "\n") {
		t.Errorf("one only: %s", got)
	}
	if _, err := desk.Exchange(ctx, pagetoken.Review, "a-fresh", code.Reveal(), ""); err != nil {
		t.Fatal(err)
	}
	if got := list(10); !strings.Contains(got, "a-fresh proposed released=false open=true linked=false") {
		t.Errorf("an opened link: %s", got)
	}
	clock.Advance(pagetoken.PassIdle)
	if got := list(10); !strings.Contains(got, "a-fresh proposed released=false open=false linked=false") {
		t.Errorf("a tab that went idle: %s", got)
	}
}

// The cost of listing pending requests depends on their number, not on the size of the store.
func TestWaitingReviewsUseTheIndex(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	open(t, dir, nil, newClock().Now)
	rows, err := raw(t, dir).Query(`EXPLAIN QUERY PLAN SELECT id FROM reviews AS r
		WHERE status NOT IN ('success', 'failure', 'expired') ORDER BY updated_at DESC LIMIT 50`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(detail + "\n")
	}
	if !strings.Contains(plan.String(), "INDEX reviews_") || strings.Contains(plan.String(), "TEMP B-TREE") {
		t.Errorf("the plan is\n%s", &plan)
	}
}
