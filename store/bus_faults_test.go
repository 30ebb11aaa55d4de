package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// tell appends results until it is killed. It prints each one after the store has accepted it, and
// delivers none.
func tell(ctx context.Context, db *store.DB) error {
	page, err := db.Since(ctx, bus.Cursor{}, bus.Filter{Session: "s", Sees: bus.Agent}, bus.MostRead)
	if err != nil {
		return err
	}
	for i := len(page.Events); ; i++ {
		if _, err := db.Append(ctx, bustest.Result("s", strconv.Itoa(i))); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// A process that is killed between appending and delivering loses no acknowledged event and appends
// none twice. The next reader receives each event once, in order.
func TestKilledBeforeDelivery(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, &events.Hub{}, c.Now)
	agent := bus.Consumer{Name: "agent", Filter: bus.Filter{Session: "s", Sees: bus.Agent}}
	page := bus.Consumer{Name: "page", Filter: bus.Filter{Session: "s", Sees: bus.UI}}
	var got []string // received by the page, which moves its cursor after reading
	sure := 0
	for round := range 3 {
		p := start(t, "teller", dir)
		for n := 0; n < 10+7*round; n++ {
			last, err := strconv.Atoi(p.line(t))
			if err != nil {
				t.Fatal(err)
			}
			sure = last + 1
		}
		_ = p.Process.Kill()
		_ = p.Wait() // it was killed
		read := must[bus.Page](t)(db.Read(t.Context(), page, bus.MostRead))
		for _, e := range read.Events {
			got = append(got, e.Subject)
		}
		if err := db.Advance(t.Context(), page, read.Next.Seq); err != nil || read.Truncated {
			t.Fatal(err, read.Truncated)
		}
	}
	whole := must[bus.Page](t)(db.Read(t.Context(), agent, bus.MostRead))
	if len(whole.Events) != len(got) || len(got) < sure {
		t.Fatalf("%d events for the agent, %d for the page, %d were acknowledged", len(whole.Events), len(got), sure)
	}
	for i, name := range got {
		if want := "task/" + strconv.Itoa(i); name != want || whole.Events[i].Subject != want {
			t.Fatalf("event %d is %s and %s", i, name, whole.Events[i].Subject)
		}
	}
}

// A thousand waiting readers do not delay a writer, and each receives every event.
func TestThousandReaders(t *testing.T) {
	long.Skip(t, "a thousand readers read")
	t.Parallel()
	db, _ := fresh(t)
	f := bus.Filter{Session: "s", Sees: bus.UI}
	begin := must[bus.State](t)(db.Snapshot(t.Context(), "s")).Cursor
	var waiting, done sync.WaitGroup
	for range 1000 {
		waiting.Add(1)
		done.Go(func() {
			first := true
			for from, n := begin, 0; n < 3; {
				page, err := db.Since(t.Context(), from, f, 10)
				if first {
					waiting.Done()
					first = false
				}
				if err != nil || page.Truncated {
					t.Error(err, page.Truncated)
					return
				}
				n, from = n+len(page.Events), page.Next
				if n < 3 {
					if err := db.Wait(t.Context(), f, from.Seq); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	waiting.Wait()
	for i := range 3 {
		if _, err := db.Append(t.Context(), bustest.Note("s", strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	done.Wait()
}
