package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/loopback"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/store"
)

// hub is of all stores of these tests.
var hub events.Hub

func openStore(t *testing.T, now func() time.Time) (*store.DB, string) {
	t.Helper()
	dir := filepath.Join(double.Dir(t), "data")
	return reopen(t, dir, now), dir
}

func reopen(t *testing.T, dir string, now func() time.Time) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Now: now, Hub: &hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// results returns the payloads of a type's events in the conversation s.
func seen(t *testing.T, db *store.DB, sees bus.Audience, types ...bus.Type) (list []string) {
	t.Helper()
	log, err := db.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := db.Since(t.Context(), bus.Cursor{Log: log}, bus.Filter{Session: "s", Sees: sees, Types: types}, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Events {
		list = append(list, string(e.Payload))
	}
	return list
}

func ended(t *testing.T, db *store.DB, id string) bus.Task {
	t.Helper()
	var task bus.Task
	double.Until(t, "the end of the task", func() bool {
		var err error
		if task, err = db.Task(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return task.State.Ended()
	})
	return task
}

var job = worker.Job{Session: "s", Kind: bus.KindScan, Tool: "task.scan_activity"}

// However its work ends, a task has one result.
func TestOneResult(t *testing.T) {
	forever := func(ctx context.Context, _ worker.Tell) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
	for _, c := range []struct {
		name  string
		work  worker.Work
		after func(*store.DB, *worker.Runner, *double.Clock, bus.Task)
		want  string
	}{
		{"R003-12 R003-13 done", func(_ context.Context, tell worker.Tell) (any, error) {
			return map[string]int{"pages": 2}, errors.Join(tell("page 1", "", 0.5), tell("page 2", "", 1))
		}, nil, `completed  {"pages":2}`},
		{"failed", func(context.Context, worker.Tell) (any, error) {
			return nil, fault.New(fault.ProviderUnavailable, "Nobody answers.")
		}, nil, "completed provider_unavailable: Nobody answers. "},
		{"panic", func(context.Context, worker.Tell) (any, error) { panic("x") }, nil, "completed internal_error: "},
		{"R003-154 cancelled", forever, func(db *store.DB, _ *worker.Runner, _ *double.Clock, task bus.Task) {
			if _, err := db.CancelTask(t.Context(), task.ID); err != nil {
				t.Error(err)
			}
		}, "cancelled cancelled "},
		{"process ends", forever, func(_ *store.DB, r *worker.Runner, _ *double.Clock, _ bus.Task) { r.Close() },
			"failed interrupted "},
		{"time is over for another process", forever, func(db *store.DB, _ *worker.Runner, c *double.Clock, _ bus.Task) {
			c.Advance(time.Hour)
			for range 2 {
				if err := db.SettleTasks(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}, ""},
		{"too large", func(context.Context, worker.Tell) (any, error) { return strings.Repeat("x", 1<<20), nil }, nil,
			"completed the result is too large "},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := double.NewClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
			db, _ := openStore(t, clock.Now)
			r := worker.NewRunner(db, &hub, clock.Now)
			defer r.Close()
			task, err := r.Start(t.Context(), job, c.work)
			if err != nil {
				t.Fatal(err)
			}
			if c.after != nil {
				c.after(db, r, clock, task)
			}
			got := ended(t, db, task.ID)
			r.Close()
			if text := fmt.Sprint(got.State, " ", got.Error, " ", string(got.Result)); !strings.HasPrefix(text, c.want) {
				t.Errorf("ended as %q, want %q", text, c.want)
			}
			if list := seen(t, db, bus.Agent, bus.TypeToolResult); len(list) != 1 {
				t.Errorf("%d results: %v", len(list), list)
			}
		})
	}
}

// A deadline ends the work, and nothing starts after Close.
func TestDeadlineAndClose(t *testing.T) {
	db, _ := openStore(t, time.Now)
	r := worker.NewRunner(db, &hub, time.Now)
	short := job
	short.Deadline = time.Millisecond
	task, err := r.Start(t.Context(), short, func(ctx context.Context, _ worker.Tell) (any,
		error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := ended(t, db, task.ID); got.Error != bus.ErrorTimeout {
		t.Errorf("ended with %q", got.Error)
	}
	r.Close()
	if _, err := r.Start(t.Context(), job, nil); !fault.Is(err, fault.RequestAborted) {
		t.Errorf("after Close: %v", err)
	}
}

func request(id, kind, payload string) bus.UserRequest {
	r := bus.UserRequest{Kind: kind, Payload: json.RawMessage(payload)}
	if id != "" {
		r.RequestID = &id
	}
	return r
}

func answers(t *testing.T, db *store.DB, n int) (list []string) {
	t.Helper()
	double.Until(t, "the answers", func() bool {
		list = seen(t, db, bus.UI, bus.TypeUserResponse)
		return len(list) >= n
	})
	return list
}

// Requests are answered once each, by events that only pages see.
func TestRequests(t *testing.T) {
	db, _ := openStore(t, time.Now)
	var mu sync.Mutex
	running, most, calls := 0, 0, 0
	go4 := make(chan struct{})
	w := worker.NewRequests(db, map[string]worker.Handler{
		"slow": func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			mu.Lock()
			running++
			calls++
			most = max(most, running)
			mu.Unlock()
			select {
			case <-go4:
			case <-ctx.Done():
			}
			mu.Lock()
			running--
			mu.Unlock()
			return map[string]int{"n": 1}, nil
		},
		"panics": func(context.Context, string, json.RawMessage) (any, error) { panic("x") },
		"large":  func(context.Context, string, json.RawMessage) (any, error) { return strings.Repeat("x", 20<<10), nil },
		"secret": func(context.Context, string, json.RawMessage) (any, error) { return map[string]int{"txBytes": 1}, nil },
	})
	ask := func(r bus.UserRequest) bool {
		t.Helper()
		twice, err := w.Ask(t.Context(), "s", r)
		if err != nil {
			t.Fatal(err)
		}
		return twice
	}
	t.Run("R003-42 R003-128 R003-131 R003-132 four at once, each answered", func(t *testing.T) {
		for i := range 9 {
			ask(request(fmt.Sprint("a", i), "slow", "null"))
		}
		double.Until(t, "four", func() bool { mu.Lock(); defer mu.Unlock(); return running == 4 })
		close(go4)
		answers(t, db, 9)
		if most != 4 {
			t.Errorf("%d at once", most)
		}
	})
	t.Run("R003-153 repeated", func(t *testing.T) {
		if !ask(request("a0", "slow", "null")) || calls != 9 {
			t.Errorf("a repetition is worked on: %d", calls)
		}
	})
	t.Run("R003-64 unknown kind", func(t *testing.T) {
		ask(request("u", "nonsense", "null"))
		if list := answers(t, db, 10); !strings.Contains(list[9], `"error":"unknown_kind"`) {
			t.Errorf("%s", list[9])
		}
	})
	for i, kind := range []string{"panics", "large", "secret"} {
		ask(request(kind, kind, "null"))
		want := map[string]string{"panics": "internal_error", "large": "too_large", "secret": "internal_error"}[kind]
		if list := answers(t, db, 11+i); !strings.Contains(list[10+i], `"error":"`+want) {
			t.Errorf("%s: %s", kind, list[10+i])
		}
	}
	w.Close()
	if ask(request("late", "slow", "null")); !strings.Contains(answers(t, db, 14)[13], `"busy"`) {
		t.Error("a worker that ended takes requests")
	}
	if list := seen(t, db, bus.Agent); len(list) != 0 {
		t.Errorf("the agent sees %v", list)
	}
}

// The kinds answer from the chain, the book and the reviews of the conversation.
func TestKinds(t *testing.T) {
	imitation := "0x12" + strings.Repeat("12", 5) + strings.Repeat("ab", 20) + strings.Repeat("12", 6)
	node, _ := loopback.Dial(t)
	own, _ := sui.ParseAddress("0xabc")
	entry, refused := book.New("Ann", "0x"+strings.Repeat("12", 32), book.SuiChain)
	if refused != "" {
		t.Fatal(refused)
	}
	entry.ID = "ann"
	computed := 0
	built := &sui.Transaction{Sender: own, Gas: sui.Gas{Owner: own, Budget: 7}, Expiration: sui.NoExpiration{}}
	kinds := worker.Kinds(worker.Sources{
		Node: node,
		Active: func(context.Context) (record.Account, bool, error) {
			return record.Account{Address: own}, true, nil
		},
		Name: func(_ context.Context, address string) (book.Name, error) {
			return map[string]book.Name{entry.Address: {Titles: []string{"Ann"}}, imitation: {Alike: entry}}[address], nil
		},
		TaskOf: func(_ context.Context, subject string) (bus.Task, bool, error) {
			return bus.Task{Session: "s"}, subject == "review/r1", nil
		},
		Review: func(context.Context, record.ID) (record.Session, error) {
			return record.Session{Status: record.Ready}, nil
		},
		Compute: func(context.Context, record.ID, int64) error { computed++; return nil },
		Transaction: func(context.Context, record.ID) (*sui.Transaction, error) {
			return built, nil
		},
	})
	for _, c := range []struct{ name, kind, session, payload, want string }{
		{"R003-134 gas price", "gas_price", "s", `null`, `"reference_gas_price":"`},
		{"R003-137 own balance", "balance_check", "s", `{}`, `"total":"0"`},
		{"R003-135 unknown transaction", "tx_status", "s", `{"digest":"11111111111111111111111111111111"}`,
			`"status":"unknown"`},
		{"no digest", "tx_status", "s", `{"digest":"x"}`, "input_invalid"},
		{"another member", "tx_status", "s", `{"other":1}`, "input_invalid"},
		{"R003-136 no transaction", "decode_calldata", "s", `{"data":"0x00"}`, "input_invalid"},
		{"R003-136 a review", "decode_calldata", "s", `{"review_session_id":"r1"}`, `"gas_budget":"7"`},
		{"R003-136 foreign review", "decode_calldata", "other", `{"review_session_id":"r1"}`, "session_not_found"},
		{"R003-136 both", "decode_calldata", "s", `{"review_session_id":"r1","data":"0x00"}`, "input_invalid"},
		{"R003-136 neither", "decode_calldata", "s", `{}`, "input_invalid"},
		{"in the book", "address_check", "s", `{"address":"` + entry.Address + `"}`, `"names":["Ann"]`},
		{"imitation", "address_check", "s", `{"address":"` + imitation + `"}`, `"looks_like":{"name":"Ann"`},
		{"own review", "review_refresh", "s", `{"review_session_id":"r1"}`, `"status":"`},
		{"foreign_review", "review_refresh", "other", `{"review_session_id":"r1"}`, "session_not_found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := kinds[c.kind](t.Context(), c.session, json.RawMessage(c.payload))
			got, _ := json.Marshal(v)
			if err != nil {
				got = []byte(fault.As(err).Code)
			}
			if !strings.Contains(string(got), c.want) {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
	built = nil
	if _, err := kinds["decode_calldata"](t.Context(), "s", json.RawMessage(`{"review_session_id":"r1"}`)); !fault.Is(err,
		fault.InputInvalid) {
		t.Errorf("a review without a transaction: %v", err)
	}
	if computed != 1 {
		t.Errorf("computed %d times", computed)
	}
}
