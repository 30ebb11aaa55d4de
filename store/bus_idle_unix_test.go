//go:build unix

package store_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/store"
)

// BenchmarkIdle is what part of a core a process takes that follows the others while ten
// readers wait and nothing happens, as with an open console.
func BenchmarkIdle(b *testing.B) {
	for name, follow := range map[string]func(*store.DB, context.Context){
		"as the system says it": (*store.DB).Follow, "by the time of the last write": (*store.DB).FollowTime,
	} {
		b.Run(name, func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "data"), &events.Hub{}, newClock().Now)
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			go follow(db, ctx)
			for range 10 {
				go func() { _ = db.Wait(ctx, bus.Filter{Session: "s", Sees: bus.UI}, 0) }() // ended by ctx
			}
			time.Sleep(3 * time.Second) // until nothing counts as having just happened
			var used, span time.Duration
			for b.Loop() {
				from, cpu := time.Now(), processTime(b)
				time.Sleep(time.Second)
				used, span = used+processTime(b)-cpu, span+time.Since(from)
			}
			b.ReportMetric(100*used.Seconds()/span.Seconds(), "cpu-%")
		})
	}
}

// processTime is how long this process has used a processor.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
