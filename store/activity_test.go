package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

var doer = sui.MustAddress("0xd0e5")

// activityStore returns a store with one known account.
func activityStore(t testing.TB) *store.DB {
	t.Helper()
	return activityStoreIn(t, double.Dir(t)+"/data")
}

func activityStoreIn(t testing.TB, dir string) *store.DB {
	t.Helper()
	clock := newClock()
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	err = db.ChangeAccounts(context.Background(), func(a *account.Accounts) error {
		a.Known = append(a.Known, account.Known{Account: doer, Chain: "sui:localnet", WalletName: "W", WalletID: "w",
			FirstConnectedAt: clock.Now(), LastConnectedAt: clock.Now()})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func keptTransaction(n int) activity.Kept {
	cp := uint64(n)
	k := activity.Kept{Status: sui.PastSuccess, Checkpoint: &cp, At: time.UnixMilli(1_700_000_000_000 +
		int64(n)*1000).UTC(),
		Role: activity.RoleSender, Completeness: activity.Complete,
		Balances: []activity.Balance{{Owner: &doer, Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: sui.Raw(n + 1)},
			Direction: activity.Decrease}},
		Detail: &activity.Detail{Kind: "ProgrammableTransaction",
			Calls:  []activity.Call{{Package: doer, Module: "pool", Function: "swap", Target: doer.String() + "::pool::swap"}},
			Events: []activity.Event{{Package: doer, Module: "pool", Type: doer.String() + "::pool::OrderFilled"}}},
	}
	binary.BigEndian.PutUint64(k.Digest[:], uint64(n)+1)
	return k
}

func keepOf(from, to int) activity.Keep {
	k := activity.Keep{Account: doer, Chain: sui.Digest{1}, Relationship: activity.Affected}
	for n := from; n < to; n++ {
		k.Rows = append(k.Rows, keptTransaction(n))
	}
	return k
}

func TestActivity(t *testing.T) {
	ctx := context.Background()
	db := activityStore(t)
	put := func(k activity.Keep) bool {
		t.Helper()
		return must[bool](t)(db.KeepActivity(ctx, k))
	}
	t.Run("R004-249 R004-304 an account that is not known has nothing stored", func(t *testing.T) {
		k := keepOf(0, 3)
		k.Account = sui.MustAddress("0xbad")
		if put(k) || must[activity.Stored](t)(db.Activity(ctx, activity.Span{Account: k.Account}, 10)).Count != 0 {
			t.Error("it was stored")
		}
	})
	t.Run("rows come back as they went in, the latest first, once each", func(t *testing.T) {
		put(keepOf(0, 5))
		put(keepOf(3, 7))
		got := must[activity.Stored](t)(db.Activity(ctx, activity.Span{Account: doer}, 2))
		if diff := cmp.Diff([]activity.Kept{keptTransaction(6), keptTransaction(5)}, got.Rows); diff != "" ||
			got.Count != 7 || got.Succeeded != 7 {
			t.Errorf("%d, %s", got.Count, diff)
		}
		if !got.Earliest.Equal(keptTransaction(0).At) || !got.Latest.Equal(keptTransaction(6).At) {
			t.Errorf("%v to %v", got.Earliest, got.Latest)
		}
	})
	t.Run("a span begins with its first moment and ends before its last", func(t *testing.T) {
		s := activity.Span{Account: doer, Since: keptTransaction(2).At, Until: keptTransaction(4).At}
		got := must[activity.Flows](t)(db.ActivityFlows(ctx, s))
		if got.Count != 2 || len(got.Changes) != 2 || got.Changes[0].Amount.Cmp(big.NewInt(-4)) != 0 ||
			got.Changes[1].Amount.Cmp(big.NewInt(-3)) != 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a row that knows less does not replace one that knows all", func(t *testing.T) {
		k := keepOf(0, 1)
		k.Rows[0].Completeness, k.Rows[0].Balances = activity.Unavailable, nil
		put(k)
		got := must[activity.Flows](t)(db.ActivityFlows(ctx, activity.Span{Account: doer}))
		if got.Uncertain != 0 || len(got.Changes) != 7 {
			t.Errorf("%d uncertain, %d changes", got.Uncertain, len(got.Changes))
		}
	})
	t.Run("a transaction that is told anew, with another time and coin, changed what is told last, once",
		func(t *testing.T) {
			k := keepOf(1, 2)
			k.Rows[0].At = k.Rows[0].At.Add(-time.Hour)
			k.Rows[0].Balances = []activity.Balance{{Owner: &doer, Coin: "0x5::c::C", Amount: sui.Delta{Amount: 9},
				Direction: activity.Increase}}
			put(k)
			got := must[activity.Flows](t)(db.ActivityFlows(ctx, activity.Span{Account: doer}))
			if last := got.Changes[len(got.Changes)-1]; len(got.Changes) != 7 || last.Coin != "0x5::c::C" ||
				!last.At.Equal(k.Rows[0].At) {
				t.Errorf("%+v", got.Changes)
			}
			k = keepOf(1, 2)
			put(k)
			if got := must[activity.Flows](t)(db.ActivityFlows(ctx, activity.Span{Account: doer})); len(got.Changes) != 7 ||
				got.Changes[5].Coin != sui.SUI {
				t.Errorf("%+v", got.Changes)
			}
		})
	t.Run("intervals are joined, and cover what was sent too", func(t *testing.T) {
		for _, i := range []activity.Interval{{From: 5, To: 9, Since: 50, Until: 90}, {From: 0, To: 4, Since: 0, Until: 40}} {
			put(activity.Keep{Account: doer, Chain: sui.Digest{1}, Relationship: activity.Affected,
				Covered: []activity.Interval{i}})
		}
		got := must[activity.Stored](t)(db.Activity(ctx, activity.Span{Account: doer}, 1))
		if diff := cmp.Diff([]activity.Interval{{From: 0, To: 9, Since: 0, Until: 90}}, got.Covered); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("what was told of another chain is forgotten", func(t *testing.T) {
		k := keepOf(9, 10)
		k.Chain = sui.Digest{2}
		put(k)
		got := must[activity.Stored](t)(db.Activity(ctx, activity.Span{Account: doer}, 10))
		if got.Count != 1 || len(got.Covered) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// TestManyTransactions checks that a large number of rows is counted completely, and that at most the
// requested number is returned. The benchmarks below measure the time.
func TestManyTransactions(t *testing.T) {
	long.Skip(t, "it keeps 20,000 transactions")
	db := activityStore(t)
	fillActivity(t, db, 0, 20_000)
	got := must[activity.Stored](t)(db.Activity(context.Background(), activity.Span{Account: doer}, 100))
	if got.Count != 20_000 || len(got.Rows) != 100 {
		t.Errorf("%d counted, %d given", got.Count, len(got.Rows))
	}
}

func fillActivity(t testing.TB, db *store.DB, from, to int) {
	t.Helper()
	for ; from < to; from += 10_000 {
		if _, err := db.KeepActivity(context.Background(), keepOf(from, min(from+10_000, to))); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkKeepActivity10000(b *testing.B) {
	db := activityStore(b)
	for n := 0; b.Loop(); n++ {
		k := keepOf(0, 10_000)
		for i := range k.Rows {
			k.Rows[i].Digest[31] = byte(n)
			copy(k.Rows[i].Digest[16:], fmt.Sprint(n))
		}
		if _, err := db.KeepActivity(context.Background(), k); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkActivityOf100000(b *testing.B) {
	db := activityStore(b)
	fillActivity(b, db, 0, 100_000)
	for b.Loop() {
		if s, err := db.Activity(context.Background(), activity.Span{Account: doer}, 100); err != nil || s.Count != 100_000 {
			b.Fatal(s.Count, err)
		}
	}
}
