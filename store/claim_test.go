package store_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// A reported wallet result is only a claim. It is compared with the review and reported as a claim,
// and does not change the review.
func TestClaim(t *testing.T) {
	db, c := fresh(t)
	ctx := t.Context()
	text := func(s string) *string { return &s }
	ready := func(id string) bus.Task {
		t.Helper()
		create(t, db, c, id)
		_, err := db.Change(ctx, record.ID(id), "moved", func(r *record.Row) error {
			r.Session.Status = record.Ready
			return bump(r)
		})
		task, ok, errTask := db.TaskOf(ctx, "review/"+id)
		if err = errors.Join(err, errTask); err != nil || !ok || task.Request == nil {
			t.Fatalf("%+v %v", task, err)
		}
		return task
	}
	told := func(sees bus.Audience) (list []string) {
		t.Helper()
		id, _ := db.ID(ctx)
		page := must[bus.Page](t)(db.Since(ctx, bus.Cursor{Log: id}, bus.Filter{Session: db.Bus(t.Context()), Sees: sees,
			Types: []bus.Type{bus.TypeWalletTxResponse, bus.TypeAsyncUpdate}}, 100))
		for _, e := range page.Events {
			line, _ := bus.LineOf(e)
			list = append(list, line.Text)
		}
		return list
	}
	rejected := bus.WalletTxResponse{Status: bus.Rejected}
	if _, err := db.Claim(ctx, db.Bus(t.Context()), rejected); !fault.Is(err, fault.InvalidSessionTransition) {
		t.Errorf("no request is open: %v", err)
	}
	one, two := ready("r1"), ready("r2")
	_, err := db.Claim(ctx, db.Bus(t.Context()), rejected)
	if !fault.Is(err, fault.InvalidSessionTransition) || !strings.Contains(err.Error(), "2 wallet requests") {
		t.Errorf("two requests are open: %v", err)
	}
	rejected.RequestID = one.RequestID
	if _, err := db.Claim(ctx, "another", rejected); !fault.Is(err, fault.InvalidSessionTransition) {
		t.Errorf("of another conversation: %v", err)
	}
	for i, want := range []bool{false, true} { // repeating it changes nothing
		if a, err := db.Claim(ctx, db.Bus(t.Context()), rejected); err != nil || a.Duplicate != want {
			t.Errorf("time %d: %+v, %v", i, a, err)
		}
	}
	if got := told(bus.Agent); !slices.Equal(got, []string{"[[SYSTEM: tx rejected by the user]]"}) {
		t.Errorf("told %q", got)
	}
	// A report without a request ID is also a duplicate if no request is open.
	other := bus.WalletTxResponse{Status: bus.Rejected}
	alone, _ := fresh(t)
	create(t, alone, c, "r1")
	if _, err := alone.Change(ctx, "r1", "moved", func(r *record.Row) error {
		r.Session.Status = record.Ready
		return bump(r)
	}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, true} {
		if a, err := alone.Claim(ctx, alone.Bus(t.Context()), other); err != nil || a.Duplicate != want {
			t.Errorf("unnamed, time %d: %+v, %v", i, a, err)
		}
	}
	failed := bus.WalletTxResponse{Status: bus.Failed}
	if _, err := alone.Claim(ctx, alone.Bus(t.Context()), failed); !fault.Is(err, fault.InvalidSessionTransition) {
		t.Errorf("another answer than the last one: %v", err)
	}
	s := must[record.Session](t)(db.Review(ctx, "r1"))
	if task := must[bus.Task](t)(db.Task(ctx, one.ID)); s.Status != record.Ready || task.State != bus.Working ||
		task.Request != nil {
		t.Errorf("a claim left the review %s and the task %+v", s.Status, task)
	}
	digest := text(strings.Repeat("1", 32))
	// Only one request is left, so a report needs no request ID.
	for _, status := range []bus.WalletStatus{bus.Confirmed, bus.Failed} {
		_, err = db.Claim(ctx, db.Bus(t.Context()), bus.WalletTxResponse{Status: status, TxHash: digest})
		if fault.As(err).Detail.Get("reason") != "digest_mismatch" {
			t.Errorf("%s with another transaction: %v", status, err)
		}
	}
	if task := must[bus.Task](t)(db.Task(ctx, two.ID)); task.Request == nil {
		t.Error("a refused claim answered the request")
	}
	if _, err := db.Change(ctx, "r2", "moved", func(r *record.Row) error {
		r.Session.Status, r.Session.Execution = record.SignedPendingResult,
			&record.Execution{Status: record.SignedPendingResult, TxDigest: *digest}
		return bump(r)
	}); err != nil {
		t.Fatal(err)
	}
	_, err = db.Claim(ctx, db.Bus(t.Context()), bus.WalletTxResponse{Status: bus.Rejected, RequestID: two.RequestID})
	if !fault.Is(err, fault.InvalidSessionTransition) || !strings.Contains(err.Error(), "already signed") {
		t.Errorf("a refusal of what was signed: %v", err)
	}
	t.Run("what names a transaction is told as reported", func(t *testing.T) {
		task := must[bus.Task](t)(db.CreateTask(ctx, bus.Task{Session: "abc123", Kind: bus.KindScan, Tool: "x"}))
		task, _, err := db.StepTask(ctx, task.ID, bus.Step{Request: json.RawMessage(`{"title":"x"}`)})
		if err != nil {
			t.Fatal(err)
		}
		confirmed := bus.WalletTxResponse{Status: bus.Confirmed, TxHash: digest}
		for i, want := range []bool{false, true} {
			if a, err := db.Claim(ctx, "abc123", confirmed); err != nil || a.Duplicate != want {
				t.Errorf("time %d: %+v, %v", i, a, err)
			}
		}
		id, _ := db.ID(ctx)
		page := must[bus.Page](t)(db.Since(ctx, bus.Cursor{Log: id}, bus.Filter{Session: "abc123", Sees: bus.Agent}, 10))
		if len(page.Events) != 1 {
			t.Fatalf("%d lines", len(page.Events))
		}
		if line, _ := bus.LineOf(page.Events[0]); !strings.Contains(line.Text,
			"reported as confirmed, not yet confirmed by the chain: 1111") {
			t.Errorf("told %q", line.Text)
		}
		// The confirmed result that follows is reported too.
		step := bus.Step{Response: &bus.WalletTxResponse{Status: bus.Confirmed, TxHash: digest}}
		if _, took, err := db.StepTask(ctx, task.ID, step); !took || err != nil {
			t.Fatal(took, err)
		}
		page = must[bus.Page](t)(db.Since(ctx, page.Next, bus.Filter{Session: "abc123", Sees: bus.Agent}, 10))
		if len(page.Events) != 1 || page.Events[0].Type != bus.TypeWalletTxResponse {
			t.Errorf("the fact is not told: %+v", page.Events)
		}
	})
}

// A client's conversations are found by its name, the newest first.
func TestConversations(t *testing.T) {
	db, _ := fresh(t)
	ctx := t.Context()
	if _, ok, err := db.Conversation(ctx, "claude"); ok || err != nil {
		t.Error(ok, err)
	}
	for _, client := range []string{"other", "claude"} { // the last call decides
		if err := db.Converse(ctx, client); err != nil {
			t.Fatal(err)
		}
	}
	if s, ok, err := db.Conversation(ctx, "claude"); s != db.Bus(t.Context()) || !ok || err != nil {
		t.Error(s, ok, err)
	}
	for session, want := range map[string]bool{db.Bus(t.Context()): true, "": false, "none": false} {
		if known, err := db.KnowsConversation(ctx, session); known != want || err != nil {
			t.Errorf("%q: %v, %v", session, known, err)
		}
	}
}
