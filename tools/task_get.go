package tools

import (
	"context"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// waitSeconds is how long to wait for a task to end.
type waitSeconds int64

// Shape implements tool.Shaped.
func (waitSeconds) Shape() tool.Shape { return tool.Between(0, int64(mostWait/time.Second)) }

type taskGetIn struct {
	Task    taskID      `json:"task_id,omitempty" brief:"" description:"id of the task"`
	Session sessionID   `json:"reviewSessionId,omitempty" description:"instead of task_id"`
	Wait    waitSeconds `json:"waitSeconds" default:"0" brief:"" description:"seconds to wait for its end, at most 45"`
}

type taskOut struct {
	Network string   `json:"network" description:"network of this server"`
	Bus     busName  `json:"bus" description:"the conversation that it belongs to"`
	Task    taskView `json:"task" description:"the task"`
}

// taskGet reads a task and, if requested, waits for its end.
func taskGet(c conversations, r runner, reviews reviews, network string) tool.Tool {
	return tool.Declare(tool.Spec[taskGetIn, taskOut]{
		Name:      toolTask,
		Title:     "Get task",
		Summary:   "Returns a task's status and complete result, optionally waiting up to 45 seconds for its end.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Toolset:   toolsetBus,
		Waits:     true,
		Errors:    []fault.Code{fault.SessionNotFound},
		Cases: []tool.Case[taskOut]{
			{Name: "ended", When: func(o taskOut) bool { return bus.TaskState(o.Task.State).Ended() },
				Use: busUse(evidence.TaskStatus, "task.state", "task.outcome", "task.resultJson")},
			{Name: "running", Use: busUse(evidence.TaskStatus, "task.state", "task.stage", "task.waiting_for")},
		},
		Examples: []tool.Example{
			{Name: "running", Given: givenPrepared, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "running"},
			{Name: "ended", Given: givenSwapped, In: `{"reviewSessionId":"<reviewSessionId>","waitSeconds":5}`, Case: "ended"},
			{Name: "unknown", Given: givenNothing, In: `{"task_id":"task_0"}`, Fault: fault.SessionNotFound},
			{Name: "which", Given: givenNothing, In: `{}`, Fault: fault.InputInvalid},
		},
		Run: func(call tool.Call, in taskGetIn) (taskOut, error) {
			t, err := findTask(call.Context(), c, in)
			if err != nil {
				return taskOut{}, err
			}
			read := func(ctx context.Context, most time.Duration) (bus.Task, bool, error) {
				return taskEnd(ctx, c, reviews, t.ID, most)
			}
			span := time.Duration(in.Wait) * time.Second
			if span == 0 {
				t, _, err = read(call.Context(), 0)
			} else {
				t, _, err = await(call, span, "Waiting for the end of the task.", read)
			}
			return taskOut{network, busName(t.Session), presentTask(r, t)}, err
		},
	})
}

func findTask(ctx context.Context, c conversations, in taskGetIn) (bus.Task, error) {
	if (in.Task == "") == (in.Session == "") {
		return bus.Task{}, fault.New(fault.InputInvalid, "Pass task_id or reviewSessionId.")
	}
	if in.Task != "" {
		return c.Task(ctx, string(in.Task))
	}
	t, ok, err := c.TaskOf(ctx, record.Subject(record.ID(in.Session)))
	if err == nil && !ok {
		err = fault.New(fault.SessionNotFound, "This review has no task. Read the review itself.")
	}
	return t, err
}

// taskEnd waits until a task has ended, for at most most, and returns the task.
func taskEnd(ctx context.Context, c conversations, reviews reviews, id string, most time.Duration) (bus.Task, bool,
	error) {
	waiting, stop := context.WithTimeout(ctx, most)
	defer stop()
	for {
		before, err := c.Task(ctx, id)
		if err != nil {
			return bus.Task{}, false, err
		}
		if err := settled(ctx, c, reviews, before); err != nil {
			return bus.Task{}, false, err
		}
		state, err := c.Snapshot(ctx, before.Session)
		if err != nil {
			return bus.Task{}, false, err
		}
		t, err := c.Task(ctx, id)
		if err != nil || t.State.Ended() || waiting.Err() != nil {
			return t, err == nil && t.State.Ended(), err
		}
		f := bus.Filter{Session: t.Session, Sees: bus.UI | bus.Agent, Subject: taskSubject(taskID(id))}
		if err := c.Wait(waiting, f, state.Cursor.Seq); err != nil && !errors.Is(waiting.Err(), context.DeadlineExceeded) {
			return t, false, err
		}
	}
}
