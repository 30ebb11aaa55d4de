// Package extension implements the MCP extensions Tasks and Events on top of the bus's log and
// tasks. It keeps no state.
package extension

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

var _ stdio.Tasks = Tasks{}

// Source provides the parts of a task that the log does not store.
type Source interface {
	// Settled returns the current state of a task. A task whose deadline has passed is ended first.
	// If the task does not exist, Settled returns fault.SessionNotFound.
	Settled(ctx context.Context, id string) (bus.Task, error)
	// Result returns the complete result of an ended task in the form of a tool's result.
	Result(ctx context.Context, t bus.Task) (json.RawMessage, error)
}

// Tasks implements the Tasks extension.
type Tasks struct {
	Log interface {
		bus.Reader
		StepTask(ctx context.Context, id string, s bus.Step) (bus.Task, bool, error)
		CancelTask(ctx context.Context, id string) (bus.Task, error)
	}
	Source Source
}

// Task implements stdio.Tasks.
func (x Tasks) Task(ctx context.Context, id string) (stdio.Task, error) {
	t, err := x.Source.Settled(ctx, id)
	if err != nil {
		return stdio.Task{}, err
	}
	return x.shown(ctx, t)
}

// shown converts a task to the form of the extension. A task whose tool returned an error counts as
// completed, because the error is its result. A task that never had a result counts as failed.
func (x Tasks) shown(ctx context.Context, t bus.Task) (stdio.Task, error) {
	out := stdio.Task{ID: t.ID, Status: string(t.State), Message: messageOf(t), Created: t.CreatedAt, Updated: t.UpdatedAt,
		Keep: t.Expires().Sub(t.CreatedAt)}
	var err error
	switch t.State {
	case bus.InputRequired:
		out.Inputs = t.Open()
	case bus.Completed:
		out.Result, err = x.Source.Result(ctx, t)
	case bus.TaskFailed:
		out.Message = t.Error
	}
	return out, err
}

// messageOf describes the progress of a task.
func messageOf(t bus.Task) string {
	switch {
	case t.State.Ended():
		return t.Error
	case t.Message != "":
		return t.Message
	case t.WaitingFor != "":
		return t.Stage + ", waiting for the " + t.WaitingFor
	}
	return t.Stage
}

// maxAnswer is the maximum size of an answer from a client in bytes.
const maxAnswer = bus.MostPayload

// Answer implements stdio.Tasks.
func (x Tasks) Answer(ctx context.Context, id string, answers map[string]json.RawMessage) error {
	t, err := x.Source.Settled(ctx, id)
	if err != nil {
		return err
	}
	open := t.Open()
	known := map[string]json.RawMessage{}
	for key, answer := range answers {
		if open[key] == nil {
			continue
		}
		if err := acceptable(answer); err != nil {
			return err
		}
		known[key] = answer
	}
	if len(known) == 0 {
		return nil
	}
	_, _, err = x.Log.StepTask(ctx, id, bus.Step{Answers: known})
	return err
}

// acceptable returns an error for an answer that must not be stored.
func acceptable(answer json.RawMessage) error {
	if len(answer) > maxAnswer {
		return fault.New(fault.TooLarge, "An answer has at most %d KiB.", maxAnswer>>10)
	}
	tree, err := strictjson.Tree(answer)
	if err != nil {
		return err
	}
	//mutant:never ./internal/extension TestAnswers
	if name := screen.ForbiddenMember(tree.Tree); name != "" {
		return fault.New(fault.InputInvalid, "An answer must not have a member %q.", name)
	}
	return nil
}

// Cancel implements stdio.Tasks. It has no effect on the task of a review, which ends when the user
// ends it or it expires.
func (x Tasks) Cancel(ctx context.Context, id string) error {
	t, err := x.Source.Settled(ctx, id)
	//mutant:never `t.Kind == bus.KindReview` ./internal/extension TestTasks/a review is not cancelled, a scan is asked to stop
	if err != nil || t.Kind == bus.KindReview {
		return err
	}
	_, err = x.Log.CancelTask(ctx, id)
	return err
}

// Follow implements stdio.Tasks. It first calls changed with the task's current state.
func (x Tasks) Follow(ctx context.Context, id string, changed func(stdio.Task)) {
	var updated time.Time
	for {
		t, err := x.Source.Settled(ctx, id)
		if err != nil {
			return
		}
		state, err := x.Log.Snapshot(ctx, t.Session)
		if err != nil {
			return
		}
		if t, err = x.Source.Settled(ctx, id); err != nil { // read again, so that the state is not older than the cursor
			return
		}
		if !t.UpdatedAt.Equal(updated) {
			shown, err := x.shown(ctx, t)
			if err != nil {
				return
			}
			changed(shown)
			updated = t.UpdatedAt
		}
		if t.State.Ended() {
			return
		}
		f := bus.Filter{Session: t.Session, Sees: bus.UI | bus.Agent, Subject: subjectOf(id)}
		if x.Log.Wait(ctx, f, state.Cursor.Seq) != nil {
			return
		}
	}
}

// subjectOf returns the subject of a task's events.
func subjectOf(task string) string { return "task/" + task }
