package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestQuestions checks that questions to the user are limited in number, shown on pages, and ended
// once: by an answer, a cancellation, or their deadline.
func TestQuestions(t *testing.T) {
	db, c := fresh(t)
	ctx := t.Context()
	ask := func() (bus.Task, error) {
		return db.CreateTask(ctx, bus.Task{Session: "s", Kind: bus.KindQuestion, Tool: "events.ask_user",
			Stage: bus.StageQuestion, DeadlineAt: c.Now().Add(10 * time.Minute), Question: &bus.Question{Text: "Which?",
				Choices: []string{"a", "b"}}})
	}
	first, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := db.Task(ctx, first.ID); err != nil || got.Question == nil || len(got.Question.Choices) != 2 {
		t.Fatalf("%+v %v", got, err)
	}
	told, err := db.Latest(ctx, bus.Filter{Session: "s", Sees: bus.UI}, 10)
	if err != nil || len(told) != 2 || told[0].Type != bus.TypeToolProgress || told[1].Type != bus.TypeInlineDisplay {
		t.Fatalf("%+v %v", told, err)
	}
	for range bus.MostQuestions - 1 {
		if _, err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ask(); !fault.Is(err, fault.RateLimited) {
		t.Errorf("one more: %v", err)
	}
	t.Run("R003-154 a cancelled question ends at once", func(t *testing.T) {
		if got, err := db.CancelTask(ctx, first.ID); err != nil || got.State != bus.Cancelled ||
			got.Error != bus.ErrorCancelled {
			t.Errorf("%+v %v", got, err)
		}
		if _, took, err := db.StepTask(ctx, first.ID, bus.Step{End: bus.Completed}); took || err != nil {
			t.Error(took, err)
		}
	})
	second, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R003-154 time ends a question", func(t *testing.T) {
		c.Advance(10 * time.Minute)
		if err := db.SettleTasks(ctx); err != nil {
			t.Fatal(err)
		}
		if got, err := db.Task(ctx, second.ID); err != nil || got.Error != bus.ErrorTimeout {
			t.Errorf("%+v %v", got, err)
		}
	})
	if _, err := ask(); err != nil {
		t.Error("ended questions hold their places:", err)
	}
}

// TestFollowing finds the newest conversation of an earlier conversation's client.
func TestFollowing(t *testing.T) {
	dir, c := filepath.Join(double.Dir(t), "data"), newClock()
	db := open(t, dir, &events.Hub{}, c.Now)
	if err := db.Converse(t.Context(), "claude"); err != nil {
		t.Fatal(err)
	}
	alter(t, dir, "INSERT INTO conversations (session, client, begun_at) VALUES ('later', 'claude', 9000000000000000000), ('other', 'x', 9100000000000000000)")
	if s, client, err := db.Following(t.Context(), db.Bus(t.Context())); s != "later" || client != "claude" || err != nil {
		t.Error(s, client, err)
	}
	if s, client, err := db.Following(t.Context(), "unknown"); s != "unknown" || client != "" || err != nil {
		t.Error(s, client, err)
	}
}
