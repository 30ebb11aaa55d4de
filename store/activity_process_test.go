package store_test

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/store"
)

// keptAtOnce is the number of transactions that keepActivity stores at a time.
const keptAtOnce = 20

// keepActivity stores pages of an account's activity, with their coverage, until it is killed. It
// prints the number of each page after the store has acknowledged it.
func keepActivity(ctx context.Context, db *store.DB) error {
	for page := 0; ; page++ {
		from := page * keptAtOnce
		k := keepOf(from, from+keptAtOnce)
		first, last := k.Rows[0], k.Rows[keptAtOnce-1]
		k.Covered = []activity.Interval{{From: *first.Checkpoint, To: *last.Checkpoint, Since: first.At.UnixMilli(),
			Until: last.At.UnixMilli()}}
		for {
			_, err := db.KeepActivity(ctx, k)
			if err == nil {
				break
			}
			if fault.As(err).Detail.Get("store") != "busy" { // the other process may write for a long time
				return err
			}
		}
		fmt.Println(page)
	}
}

// Two processes store activity of one account at the same time and are killed at any point. Every
// acknowledged page is complete, no page is stored in part, nothing is counted twice, and the
// coverage matches the stored rows.
func TestKilledKeepers(t *testing.T) {
	ctx := context.Background()
	for loop := range 5 {
		dir := t.TempDir() + "/data"
		db := activityStoreIn(t, dir)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		acknowledged := -1
		keepers := []*process{start(t, "keeper", dir), start(t, "keeper", dir)}
		for i, p := range keepers {
			if !p.lines.Scan() {
				t.Fatal("a keeper stored nothing")
			}
			time.AfterFunc(time.Duration(20+(loop*31+i*13)%60)*time.Millisecond, func() { _ = p.Process.Kill() })
		}
		for _, p := range keepers {
			for said := p.lines.Text(); ; said = p.lines.Text() {
				page, err := strconv.Atoi(said)
				if err != nil {
					t.Fatal(said)
				}
				acknowledged = max(acknowledged, page)
				if !p.lines.Scan() {
					break
				}
			}
		}
		db, err := store.Open(ctx, store.Config{Dir: dir, Now: newClock().Now})
		if err != nil {
			t.Fatal(err)
		}
		got := must[activity.Stored](t)(db.Activity(ctx, activity.Span{Account: doer}, 100_000))
		flows := must[activity.Flows](t)(db.ActivityFlows(ctx, activity.Span{Account: doer}))
		if got.Count%keptAtOnce != 0 || got.Count < (acknowledged+1)*keptAtOnce || len(flows.Changes) != got.Count ||
			len(got.Rows) != got.Count {
			t.Errorf("%d rows, %d changes, %d pages acknowledged", got.Count, len(flows.Changes), acknowledged+1)
		}
		covered := 0
		for _, i := range got.Covered {
			covered += int(i.To-i.From) + 1
		}
		if covered != got.Count {
			t.Errorf("%d covered by %v, %d stored", covered, got.Covered, got.Count)
		}
		sum, want := new(big.Int), big.NewInt(-int64(got.Count)*int64(got.Count+1)/2)
		for _, c := range flows.Changes {
			sum.Add(sum, c.Amount)
		}
		if sum.Cmp(want) != 0 {
			t.Errorf("changes of %s, want %s", sum, want)
		}
		_ = db.Close()
	}
}
