package store_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/store"
)

// BenchmarkBus measures the time from the start of an append until ten waiting readers have
// received the event, and the time to read a long log.
func BenchmarkBus(b *testing.B) {
	for _, size := range []int{0, 1_000_000} {
		name := map[int]string{0: "empty", 1_000_000: "1000000 events"}[size]
		dir, c := filepath.Join(b.TempDir(), "data"), newClock()
		db := open(b, dir, &events.Hub{}, c.Now)
		fillLog(b, dir, size)
		b.Run(name+"/append to read, 10 readers", func(b *testing.B) { appendToRead(b, db) })
	}
	b.Run("replay of 10000 events", func(b *testing.B) {
		db, _ := fresh(b)
		var list []bus.Event
		for range 10_000 {
			list = append(list, bustest.Note("s", "note"))
		}
		if _, err := db.Append(b.Context(), list...); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			n, more := 0, true
			for from := (bus.Cursor{Log: must[string](b)(db.ID(b.Context()))}); more; {
				page := must[bus.Page](b)(db.Since(b.Context(), from, bus.Filter{Session: "s", Sees: bus.UI}, bus.MostRead))
				n, more, from = n+len(page.Events), page.More, page.Next
			}
			if n != 10_000 {
				b.Fatalf("%d events", n)
			}
		}
	})
}

func appendToRead(b *testing.B, db *store.DB) {
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	f := bus.Filter{Session: "bench", Sees: bus.UI}
	var spans []time.Duration
	for b.Loop() {
		state := must[bus.State](b)(db.Snapshot(ctx, "bench"))
		var all, ready sync.WaitGroup
		ready.Add(10)
		for range 10 {
			all.Go(func() {
				ready.Done()
				if err := db.Wait(ctx, f, state.Cursor.Seq); err != nil {
					b.Error(err)
				}
				must[bus.Page](b)(db.Since(ctx, state.Cursor, f, 10))
			})
		}
		ready.Wait()
		from := time.Now()
		must[[]bus.Appended](b)(db.Append(ctx, bustest.Note("bench", "x")))
		all.Wait()
		spans = append(spans, time.Since(from))
	}
	slices.Sort(spans)
	b.ReportMetric(float64(spans[len(spans)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(spans[len(spans)/2].Microseconds())/1000, "p50-ms")
}

// fillLog writes a long log of a hundred conversations in one transaction.
func fillLog(b *testing.B, dir string, n int) {
	b.Helper()
	if n == 0 {
		return
	}
	_, err := raw(b, dir).Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO log (type, subject, session, audience, dedup, payload_json, at)
		SELECT 'SystemNotice', 'note/' || i, 'conv_' || (i % 100), 2, '', '{"type":"SystemNotice","message":"m"}', ? FROM n`,
		n, newClock().Now().UnixNano())
	if err == nil {
		// Without this, the first measured commit would copy the whole log into the database.
		_, err = raw(b, dir).Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	if err != nil {
		b.Fatal(err)
	}
}
