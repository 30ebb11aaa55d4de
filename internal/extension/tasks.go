// Package extension serves the MCP extensions Tasks and Events over the log and the
// tasks of the bus. It keeps nothing of its own.
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

// Source says of a task what its row alone does not.
type Source interface {
	// Settled returns a task as it stands now, ended where time ends it, or
	// fault.SessionNotFound.
	Settled(ctx context.Context, id string) (bus.Task, error)
	// Result returns the whole result of an ended task as a call of a tool returns it.
	Result(ctx context.Context, t bus.Task) (json.RawMessage, error)
}

// Tasks serves the Tasks extension.
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

// shown returns a task as the extension means it. Failed is only what never had a
// result; a tool that ended with an error completed with one.
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

// messageOf says in words how far a task is.
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

// mostAnswer is how large one answer of a client may be, in bytes.
const mostAnswer = bus.MostPayload

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

// acceptable refuses what must not be stored.
func acceptable(answer json.RawMessage) error {
	if len(answer) > mostAnswer {
		return fault.New(fault.TooLarge, "An answer has at most %d KiB.", mostAnswer>>10)
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

// Cancel implements stdio.Tasks. A prepared review is the user's: it is ended on its page or by its
// time, and asking changes nothing.
func (x Tasks) Cancel(ctx context.Context, id string) error {
	t, err := x.Source.Settled(ctx, id)
	//mutant:never `t.Kind == bus.KindReview` ./internal/extension TestTasks/a review is not cancelled, a scan is asked to stop
	if err != nil || t.Kind == bus.KindReview {
		return err
	}
	_, err = x.Log.CancelTask(ctx, id)
	return err
}

// Follow implements stdio.Tasks. It begins with the task as it stands.
func (x Tasks) Follow(ctx context.Context, id string, changed func(stdio.Task)) {
	var told time.Time
	for {
		t, err := x.Source.Settled(ctx, id)
		if err != nil {
			return
		}
		state, err := x.Log.Snapshot(ctx, t.Session)
		if err != nil {
			return
		}
		if t, err = x.Source.Settled(ctx, id); err != nil { // as it stands at that place of the log, or later
			return
		}
		if !t.UpdatedAt.Equal(told) {
			shown, err := x.shown(ctx, t)
			if err != nil {
				return
			}
			changed(shown)
			told = t.UpdatedAt
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

// subjectOf names a task on the bus.
func subjectOf(task string) string { return "task/" + task }
