package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

var historian = sui.MustAddress("0xa1")

// walk changes a review's status step by step, one second apart. "=" keeps the status.
func walk(t testing.TB, db *store.DB, c *double.Clock, id record.ID, steps ...string) {
	t.Helper()
	for _, step := range steps {
		c.Advance(time.Second)
		what, status, _ := strings.Cut(step, ":")
		_, err := db.Change(context.Background(), id, what, func(r *record.Row) error {
			if status != "=" {
				r.Session.Status = record.Status(status)
			}
			r.Session.UpdatedAt = c.Now()
			if r.Session.Status == record.SignedPendingResult || r.Session.Status == record.Success {
				r.Session.Execution = &record.Execution{Status: r.Session.Status, TxDigest: "Dig" + string(id)}
			}
			return bump(r)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// past returns a store with six reviews of one account and one of another.
func past(t testing.TB) (*store.DB, *double.Clock) {
	db, c := fresh(t)
	walk(t, db, c, create(t, db, c, "swapped"), "opened:wallet_connected", "computed:refresh_required", "computed:=",
		"computed:ready_for_wallet_review", "signed:signed_pending_result", "effects:success")
	c.Advance(time.Minute)
	walk(t, db, c, create(t, db, c, "blocked"), "opened:wallet_connected", "computed:blocked", "opened twice:=")
	create(t, db, c, "unopened")
	walk(t, db, c, create(t, db, c, "gone"), "lapsed:expired")
	walk(t, db, c, create(t, db, c, "declined"), "opened:wallet_connected", "computed:ready_for_wallet_review",
		"outcome declined:failure")
	c.Advance(time.Minute)
	walk(t, db, c, create(t, db, c, "pending"), "opened:wallet_connected", "computed:ready_for_wallet_review",
		"signed:signed_pending_result")
	other := proposed("other", c)
	other.Account = sui.MustAddress("0xb2")
	if err := db.CreateReview(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	return db, c
}

func names(list []history.Activity) string {
	var ids []string
	for _, a := range list {
		ids = append(ids, string(a.ID)+" "+string(a.Status))
	}
	return strings.Join(ids, ", ")
}

func TestReviewActivity(t *testing.T) {
	ctx := context.Background()
	db, c := past(t)
	scope := history.Scope{Account: historian}
	ask := func(s history.Scope, most int) ([]history.Activity, int) {
		t.Helper()
		list, all, err := db.ReviewActivity(ctx, s, most)
		if err != nil {
			t.Fatal(err)
		}
		return list, all
	}
	list, all := ask(scope, 10)
	t.Run("R004-197 the reviews of one account, latest first", func(t *testing.T) {
		want := "pending signed_pending_result, declined failure, gone expired, blocked blocked, unopened proposed, swapped success"
		if got := names(list); all != 6 || !sameNames(want, got) {
			t.Errorf("%d: %s", all, got)
		}
		if list[0].ID != "pending" || list[5].ID != "swapped" || list[5].TxDigest != "Digswapped" ||
			list[5].ExecutionStatus != record.Success {
			t.Errorf("%+v", list[5])
		}
		if list[5].Computations != 3 || list[5].Transitions != 7 || list[5].Account != historian {
			t.Errorf("%+v", list[5])
		}
	})
	t.Run("R004-203 R004-204 the count is of all, the list of some", func(t *testing.T) {
		if list, all := ask(scope, 2); all != 6 || len(list) != 2 {
			t.Errorf("%d of %d", len(list), all)
		}
	})
	t.Run("by status", func(t *testing.T) {
		s := scope
		s.Status = record.Blocked
		if list, all := ask(s, 10); all != 1 || names(list) != "blocked blocked" {
			t.Errorf("%d: %s", all, names(list))
		}
	})
	t.Run("from is included, to is not", func(t *testing.T) {
		s := scope
		s.From, s.To = list[5].CreatedAt, list[5].CreatedAt.Add(time.Nanosecond)
		if list, all := ask(s, 10); all != 1 || list[0].ID != "swapped" {
			t.Errorf("%d: %s", all, names(list))
		}
		s.From, s.To = time.Time{}, list[5].CreatedAt
		if _, all := ask(s, 10); all != 0 {
			t.Errorf("%d before the first", all)
		}
	})
	t.Run("what has run out is expired, whoever looked at it; what was signed is not", func(t *testing.T) {
		c.Advance(2 * time.Hour)
		s := scope
		list, _ := ask(s, 10)
		want := "pending signed_pending_result, declined failure, gone expired, blocked expired, unopened expired, swapped success"
		if !sameNames(want, names(list)) {
			t.Error(names(list))
		}
		s.Status = record.Expired
		if _, all := ask(s, 10); all != 3 {
			t.Errorf("%d expired", all)
		}
	})
}

// sameNames compares two lists regardless of order, which is undefined for equal times.
func sameNames(a, b string) bool {
	count := map[string]int{}
	for _, n := range strings.Split(a, ", ") {
		count[n]++
	}
	for _, n := range strings.Split(b, ", ") {
		count[n]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestReviewFunnel(t *testing.T) {
	db, _ := past(t)
	got, err := db.ReviewFunnel(context.Background(), history.Scope{Account: historian})
	if err != nil {
		t.Fatal(err)
	}
	want := history.Funnel{
		Total: 6, Opened: 4, Connected: 4, Computed: 4, Ready: 3, RefreshRequired: 1, Blocked: 1,
		Signed: 2, Succeeded: 1, Failed: 1, Expired: 1,
		Present: map[record.Status]int{record.Success: 1, record.Blocked: 1, record.Proposed: 1, record.Expired: 1,
			record.Failure: 1, record.SignedPendingResult: 1},
		CreatedToSigned: history.Lag{Reviews: 2, Total: 8 * time.Second}, OpenedToSigned: history.Lag{Reviews: 2,
			Total: 6 * time.Second},
	}
	t.Run("R004-211 distinct reviews, however often a step was taken", func(t *testing.T) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	if mean, ok := got.CreatedToSigned.Mean(); !ok || mean != 4*time.Second {
		t.Errorf("mean %s", mean)
	}
	nothing, err := db.ReviewFunnel(context.Background(), history.Scope{Account: sui.MustAddress("0xc3")})
	if _, ok := nothing.OpenedToSigned.Mean(); err != nil || nothing.Total != 0 || ok {
		t.Errorf("an account without reviews: %+v, %v", nothing, err)
	}
}

func TestReviewDetail(t *testing.T) {
	ctx := context.Background()
	db, _ := past(t)
	d, err := db.ReviewDetail(ctx, "swapped", 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-207 R004-208 the latest changes, oldest first, and which of them changed no status", func(t *testing.T) {
		var got []string
		for _, e := range d.Entries {
			got = append(got, fmt.Sprint(e.What, " ", e.To, " ", e.NoOp()))
		}
		want := []string{"computed ready_for_wallet_review false", "signed signed_pending_result false",
			"effects success false"}
		if diff := cmp.Diff(want, got); diff != "" || d.Recorded != 7 || d.Session.Status != record.Success {
			t.Errorf("%d %s", d.Recorded, diff)
		}
		d, err := db.ReviewDetail(ctx, "blocked", 100)
		if err != nil || d.Recorded != 4 || len(d.Entries) != 4 || !d.Entries[3].NoOp() || d.Entries[0].NoOp() {
			t.Errorf("%+v, %v", d.Entries, err)
		}
	})
	_, err = db.ReviewDetail(ctx, "nobody", 3)
	wantFault(t, err, fault.SessionNotFound)
}

func TestPending(t *testing.T) {
	ctx := context.Background()
	db, c := past(t)
	for n := range 3 {
		c.Advance(time.Second)
		i := account.Identity{ID: fmt.Sprint("identity", n), Status: account.Pending, CreatedAt: c.Now(), UpdatedAt: c.Now(),
			ExpiresAt: c.Now().Add(time.Minute)}
		if n == 1 {
			i.Status = account.Connected
		}
		if err := db.CreateIdentity(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	shown := func(p history.Pending) string {
		var ids []string
		for _, r := range p.Reviews {
			ids = append(ids, string(r.ID))
		}
		for _, i := range p.Identities {
			ids = append(ids, i.ID)
		}
		return fmt.Sprint(strings.Join(ids, " "), " ", p.MoreReviews, " ", p.MoreIdentities)
	}
	ask := func(most int) string {
		t.Helper()
		p, err := db.Pending(ctx, most)
		if err != nil {
			t.Fatal(err)
		}
		return shown(p)
	}
	t.Run("R004-434 R004-435 what is not over, latest activity first", func(t *testing.T) {
		if got := ask(5); got != "other pending unopened blocked identity2 identity0 false false" &&
			got != "pending other unopened blocked identity2 identity0 false false" &&
			got != "other pending blocked unopened identity2 identity0 false false" &&
			got != "pending other blocked unopened identity2 identity0 false false" {
			t.Error(got)
		}
		if got := ask(1); !strings.HasSuffix(got, "identity2 true true") {
			t.Error(got)
		}
	})
	t.Run("what has run out waits for nobody; what was signed or handed out does", func(t *testing.T) {
		d, law := built(7)
		c.Advance(time.Second)
		id := create(t, db, c, "handed")
		walk(t, db, c, id, "opened:wallet_connected", "computed:ready_for_wallet_review")
		if _, err := db.Change(ctx, id, "built", law); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Release(ctx, id, func(r *record.Row) (record.Release, error) {
			v := release(d, "n")
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		}); err != nil {
			t.Fatal(err)
		}
		c.Advance(2 * time.Hour)
		if got := ask(5); got != "handed pending false false" {
			t.Error(got)
		}
		c.Advance(200 * time.Hour)
		if got := ask(5); got != "handed pending false false" {
			t.Errorf("days later: %s", got)
		}
		list, _, err := db.ReviewActivity(ctx, history.Scope{Account: historian, Status: record.Ready}, 10)
		if err != nil || names(list) != "handed ready_for_wallet_review" {
			t.Errorf("what was handed out is told as expired: %s, %v", names(list), err)
		}
	})
}

// The engine must use the indexes on pending reviews and on accounts.
func TestHistoryPlans(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	open(t, dir, nil, newClock().Now)
	db := raw(t, dir)
	var scope []any
	for _, name := range []string{"account", "from", "to", "now", "status", "most"} {
		scope = append(scope, sql.Named(name, 1))
	}
	for query, index := range map[string]string{
		store.SelectLiveReviews: "INDEX reviews_pending", store.SelectReleasedReviews: "INDEX reviews_computed",
		store.SelectLiveIdentities: "INDEX identities_pending",
		store.SelectFunnel:         "INDEX reviews_by_account",
	} {
		args := scope
		if strings.Contains(query, "?") {
			args = []any{1, 1, 1}[:strings.Count(query, "?")]
		}
		if steps := strings.Join(explain(t, db, query, args...), "\n"); !strings.Contains(steps, index) {
			t.Errorf("%s is not used:\n%s", index, steps)
		}
	}
}

// BenchmarkPending lists pending entries in a store with 5,000 reviews and 5,000 wallet identities:
// once with all pending, and once with all expired but not yet marked so.
func BenchmarkPending(b *testing.B) {
	ctx := context.Background()
	db, c := fresh(b)
	for n := range 5000 {
		id := create(b, db, c, fmt.Sprint("review", n))
		i := account.Identity{ID: fmt.Sprint("identity", n), Status: account.Pending, CreatedAt: c.Now(), UpdatedAt: c.Now(),
			ExpiresAt: c.Now().Add(time.Hour)}
		if err := db.CreateIdentity(ctx, i); err != nil {
			b.Fatal(err)
		}
		if n%10 == 0 {
			walk(b, db, c, id, "opened:wallet_connected", "computed:blocked")
		}
	}
	for _, later := range []time.Duration{0, 48 * time.Hour} {
		c.Advance(later)
		b.Run("after "+later.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := db.Pending(ctx, 5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
