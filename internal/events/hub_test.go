package events_test

import (
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

func received(w *events.Watch) bool {
	select {
	case <-w.C:
		return true
	default:
		return false
	}
}

func TestHub(t *testing.T) {
	var hub events.Hub
	subject := events.Subject{Kind: events.Review, ID: "r1"}
	a, b := hub.Watch(subject), hub.Watch(subject)
	other := hub.Watch(events.Subject{Kind: events.Identity, ID: "r1"})
	for range 3 {
		hub.Changed(subject)
	}
	if !received(a) || !received(b) {
		t.Error("a watcher was not woken")
	}
	if received(a) {
		t.Error("changes that nobody waited for in between are told more than once")
	}
	if received(other) {
		t.Error("a watcher of another thing was woken")
	}
	a.Close()
	a.Close()
	hub.Changed(subject)
	if received(a) || !received(b) {
		t.Error("closing a watch ends that watch alone")
	}
}

// A change between watching and reading is never missed.
func TestNothingFallsBetween(t *testing.T) {
	var hub events.Hub
	var mu sync.Mutex
	value := 0
	subject := events.Subject{Kind: events.Account}
	const last = 500
	var writers sync.WaitGroup
	writers.Go(func() {
		for range last {
			mu.Lock()
			value++
			mu.Unlock()
			hub.Changed(subject)
		}
	})
	for {
		w := hub.Watch(subject)
		mu.Lock()
		now := value
		mu.Unlock()
		if now == last {
			w.Close()
			break
		}
		select {
		case <-w.C:
		case <-time.After(double.Patience):
			t.Fatalf("asleep at %d while changes went on", now)
		}
		w.Close()
	}
	writers.Wait()
}

// A change of everything wakes all.
func TestEverything(t *testing.T) {
	var hub events.Hub
	one, two := hub.Watch(events.Subject{Kind: events.Account}), hub.Watch(events.Subject{Kind: events.Log, ID: "x"})
	defer one.Close()
	defer two.Close()
	hub.Changed(events.Subject{Kind: events.Everything})
	if !received(one) || !received(two) {
		t.Error("a change of everything woke not all")
	}
}

func TestEntryNoOp(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{{"", "proposed", false}, {"proposed", "awaiting_wallet", false}, {"blocked", "blocked", true}} {
		if got := (events.Entry{From: c.from, To: c.to}).NoOp(); got != c.want {
			t.Errorf("from %q to %q: %v", c.from, c.to, got)
		}
	}
}
