package store_test

import (
	"encoding/json"
	"errors"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestConformance runs the conformance suite of the bus. Two open handles on one file represent two
// processes.
func TestConformance(t *testing.T) {
	bustest.Conformance(t, func(t *testing.T) bustest.Engine { return engine(t) })
}

// TestReaders runs the suite for agents that read from the store.
func TestReaders(t *testing.T) {
	bustest.Reading(t, func(t *testing.T) *bustest.Readers {
		e := engine(t)
		var all []bus.Event
		put := func(list ...bus.Event) []bus.Appended {
			all = append(all, list...)
			return must[[]bus.Appended](t)(e.Here.Append(t.Context(), list...))
		}
		return &bustest.Readers{Here: e.Here, There: e.There, Sessions: [2]string{"s", "other"}, Append: put,
			Again: func() { put(all...) },
			Forget: func() {
				e.Pass(bus.DefaultPolicy().Age + time.Hour)
				if err := e.There.Trim(t.Context(), bus.DefaultPolicy()); err != nil {
					t.Fatal(err)
				}
			}}
	})
}

func engine(t testing.TB) bustest.Engine {
	dir, c := filepath.Join(double.Dir(t), "data"), newClock()
	hub := &events.Hub{}
	here, there := open(t, dir, hub, c.Now), open(t, dir, hub, c.Now)
	return bustest.Engine{Here: here, There: there, Pass: c.Advance, Replace: func() {
		if err := here.Erase(t.Context(), "", func([]record.ID) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}}
}

var histories = flag.Int("histories", 0, "random histories of the bus; 0 is a few")

// TestHistories compares random interleavings of three actors and two handles with a model.
func TestHistories(t *testing.T) {
	n, seed := 150, uint64(1)
	switch {
	case *histories > 0:
		n, seed = *histories, uint64(time.Now().UnixNano())
	case testing.Short() || raceEvery > 1:
		n = 20
	}
	t.Logf("%d histories of seed %d", n, seed)
	bustest.Histories(t, engine(t), n, 30, seed)
}

// A review's change, its task, the events of both, and the journal entry are stored in one
// transaction. If it fails, none of them is stored.
func TestReviewEvents(t *testing.T) {
	db, c := fresh(t)
	ctx := t.Context()
	create(t, db, c, "r1")
	task, ok, err := db.TaskOf(ctx, "review/r1")
	if err != nil || !ok || task.Session != db.Bus(t.Context()) || task.Kind != bus.KindReview ||
		task.State != bus.Working {
		t.Fatalf("the task of a new review: %+v, %v, %v", task, ok, err)
	}
	ui := bus.Filter{Session: db.Bus(t.Context()), Sees: bus.UI}
	log := must[string](t)(db.ID(ctx))
	types := func() (list []string) {
		for _, e := range must[bus.Page](t)(db.Since(ctx, bus.Cursor{Log: log}, ui, 100)).Events {
			list = append(list, string(e.Type))
		}
		return list
	}
	move := func(to record.Status) error {
		_, err := db.Change(ctx, "r1", "moved", func(r *record.Row) error {
			r.Session.Status = to
			return bump(r)
		})
		return err
	}
	if err := move(record.Ready); err != nil {
		t.Fatal(err)
	}
	state := must[bus.State](t)(db.Snapshot(ctx, db.Bus(t.Context())))
	if len(state.Requests) != 1 || len(state.Tasks) != 1 || state.Tasks[0].WaitingFor != bus.WaitsWallet {
		t.Errorf("a ready review leaves %+v", state)
	}
	_, err = db.Change(ctx, "r1", "moved", func(r *record.Row) error {
		r.Session.Status = record.Expired
		return errors.Join(bump(r), errors.New("no"))
	})
	if err == nil || len(types()) != 2 {
		t.Errorf("after a refused change: %v, %v", types(), err)
	}
	if err := move(record.Expired); err != nil {
		t.Fatal(err)
	}
	want := []string{"ToolProgress", "WalletTxRequest", "ToolProgress", "ToolResult"}
	if got := types(); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	task = must[bus.Task](t)(db.Task(ctx, task.ID))
	if task.State != bus.Completed || task.Request != nil || !strings.HasPrefix(task.Error, "expired") ||
		task.Result == nil {
		t.Errorf("the task ends as %+v", task)
	}
	create(t, db, c, "r2")
	second, _, _ := db.TaskOf(ctx, "review/r2")
	if err := db.Withdraw(ctx, pagetoken.Review, "r2"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Task(ctx, second.ID); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("a withdrawn review leaves its task: %v", err)
	}
}

// A task ends once: when its tool ends it, at its deadline, or when its process is gone.
func TestTasks(t *testing.T) {
	db, c := fresh(t)
	ctx := t.Context()
	begin := func(deadline, lease time.Duration) bus.Task {
		task := bus.Task{Session: "s", Kind: bus.KindScan, Tool: "task.scan_activity", DeadlineAt: c.Now().Add(deadline)}
		if lease > 0 {
			task.LeaseUntil = c.Now().Add(lease)
		}
		return must[bus.Task](t)(db.CreateTask(ctx, task))
	}
	done, late, dead := begin(time.Hour, 0), begin(time.Minute, 0), begin(time.Hour, time.Minute)
	held := begin(time.Hour, time.Minute)
	half := 0.5
	if _, took, err := db.StepTask(ctx, done.ID, bus.Step{Stage: "page 1", Progress: &half}); !took || err != nil {
		t.Fatal(took, err)
	}
	end := bus.Step{End: bus.Completed, Result: json.RawMessage(`{"pages":2}`)}
	if _, took, err := db.StepTask(ctx, done.ID, end); !took || err != nil {
		t.Fatal(took, err)
	}
	if _, took, err := db.StepTask(ctx, done.ID, end); took || err != nil {
		t.Errorf("a task ends twice: %v", err)
	}
	if _, err := db.HoldTask(ctx, held.ID, c.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	leased := must[bus.Task](t)(db.Task(ctx, held.ID)).LeaseUntil
	for more, moves := range map[time.Duration]bool{9 * time.Second: false, 11 * time.Second: true} {
		before := must[bus.Task](t)(db.Task(ctx, held.ID)).LeaseUntil
		if _, err := db.HoldTask(ctx, held.ID, before.Add(more)); err != nil {
			t.Fatal(err)
		}
		if after := must[bus.Task](t)(db.Task(ctx, held.ID)).LeaseUntil; after.After(before) != moves ||
			before.Before(leased) {
			t.Errorf("%v more: %v, then %v", more, before, after)
		}
	}
	c.Advance(2 * time.Minute)
	for range 2 {
		if err := db.SettleTasks(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]string{done.ID: "completed ", late.ID: "completed timeout",
		dead.ID: "failed interrupted", held.ID: "working "} {
		if task := must[bus.Task](t)(db.Task(ctx, id)); string(task.State)+" "+task.Error != want {
			t.Errorf("%+v, want %s", task, want)
		}
	}
	if _, err := db.CancelTask(ctx, held.ID); err != nil {
		t.Fatal(err)
	}
	if stop, err := db.HoldTask(ctx, held.ID, c.Now().Add(time.Hour)); !stop || err != nil {
		t.Errorf("who works on a cancelled task hears %v, %v", stop, err)
	}
	page := must[bus.Page](t)(db.Since(ctx, bus.Cursor{}, bus.Filter{Session: "s", Sees: bus.Agent}, 10))
	if len(page.Events) != 3 {
		t.Errorf("%d results of three ended tasks", len(page.Events))
	}
	c.Advance(26 * time.Hour)
	if err := db.Trim(ctx, bus.DefaultPolicy()); err != nil {
		t.Fatal(err)
	}
	if list := must[[]bus.Task](t)(db.ListTasks(ctx, "s", bus.TaskFilter{}, 10)); len(list) != 1 || list[0].ID != held.ID {
		t.Errorf("after a day there are %+v", list)
	}
	t.Run("too many", func(t *testing.T) {
		for range bus.MostTasks - 1 {
			begin(time.Hour, 0)
		}
		_, err := db.CreateTask(ctx, bus.Task{Session: "s", Kind: bus.KindScan, Tool: "x"})
		wantFault(t, err, fault.RateLimited)
	})
}
