package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/store"
)

// Who waits in one process is woken by what another one commits.
func TestFollow(t *testing.T) {
	t.Parallel() // it waits
	t.Run("as the system says it", func(t *testing.T) { testFollow(t, (*store.DB).Follow) })
	t.Run("by the time of the last write", func(t *testing.T) { testFollow(t, (*store.DB).FollowTime) })
}

func testFollow(t *testing.T, follow func(*store.DB, context.Context)) {
	t.Parallel()
	dir := filepath.Join(double.Dir(t), "data")
	c, hub := newClock(), &events.Hub{}
	here := open(t, dir, hub, c.Now)
	there := open(t, dir, &events.Hub{}, c.Now)
	create(t, here, c, "r1")
	create(t, here, c, "r2")
	mine := hub.Watch(events.Subject{Kind: events.Review, ID: "r1"})
	other := hub.Watch(events.Subject{Kind: events.Review, ID: "r2"})
	defer mine.Close()
	defer other.Close()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); follow(here, ctx) }()
	defer func() { stop(); <-done }()
	<-mine.C // once at the beginning: a change may have come before the first look
	<-other.C
	time.Sleep(600 * time.Millisecond) // what was written before wakes nobody
	select {
	case <-mine.C:
		t.Error("woken by what was there before")
	default:
	}
	for range 2 {
		change(t, there, "r1")
		select {
		case <-mine.C:
		case <-time.After(10 * time.Second):
			t.Fatal("nobody was woken")
		}
	}
	select {
	case <-other.C:
		t.Error("woken by another review")
	default:
	}
}

func change(t *testing.T, db *store.DB, id record.ID) {
	t.Helper()
	if _, err := db.Change(context.Background(), id, "elsewhere", bump); err != nil {
		t.Fatal(err)
	}
}

// A change between a waiter's first read and Follow's first look wakes the waiter.
func TestFollowBegins(t *testing.T) {
	t.Parallel() // it waits
	dir := filepath.Join(double.Dir(t), "data")
	c, hub := newClock(), &events.Hub{}
	here := open(t, dir, hub, c.Now)
	there := open(t, dir, &events.Hub{}, c.Now)
	create(t, here, c, "r1")
	mine := hub.Watch(events.Subject{Kind: events.Review, ID: "r1"})
	defer mine.Close()
	change(t, there, "r1")
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); here.Follow(ctx) }()
	defer func() { stop(); <-done }()
	select {
	case <-mine.C:
	case <-time.After(10 * time.Second):
		t.Error("nobody was woken")
	}
}
