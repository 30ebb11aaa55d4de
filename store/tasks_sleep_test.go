package store_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// If the computer slept for longer than a lease, tasks whose processes are still running are not
// interrupted.
func TestASleepInterruptsNoTask(t *testing.T) {
	c := newClock()
	db := open(t, double.Dir(t), &events.Hub{}, c.Now)
	make := func() string {
		return must[bus.Task](t)(db.CreateTask(t.Context(), bus.Task{Session: "s", Kind: bus.KindWatch,
			Tool:       "task.watch_price",
			DeadlineAt: c.Now().Add(24 * time.Hour), LeaseUntil: c.Now().Add(30 * time.Second)})).ID
	}
	settle := func(after time.Duration) {
		t.Helper()
		c.Advance(after)
		if err := db.SettleTasks(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	state := func(id string) bus.Task { return must[bus.Task](t)(db.Task(t.Context(), id)) }
	alive, dead := make(), make()
	settle(10 * time.Second)
	settle(8 * time.Hour)
	settle(time.Second)
	if a := state(alive); a.State.Ended() {
		t.Fatalf("%+v", a)
	}
	if stop, err := db.HoldTask(t.Context(), alive, c.Now().Add(30*time.Second)); stop || err != nil {
		t.Fatal(stop, err)
	}
	settle(10 * time.Second)
	if a, d := state(alive), state(dead); a.State.Ended() || d.Error != bus.ErrorInterrupted {
		t.Errorf("%+v %+v", a, d)
	}
	t.Run("its deadline ends it all the same", func(t *testing.T) {
		settle(25 * time.Hour)
		if a := state(alive); a.Error != bus.ErrorTimeout && a.Error != bus.ErrorInterrupted {
			t.Errorf("%+v", a)
		}
	})
}
