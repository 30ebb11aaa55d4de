package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// begunOut is the answer of a tool that starts a task, and also the task's result in clients that
// support tasks. They validate both against the same schema.
type begunOut struct {
	Network  string     `json:"network" description:"network of this server"`
	Bus      busName    `json:"bus" description:"this conversation; pass it on"`
	Task     string     `json:"task_id" description:"the task whose result is the answer"`
	Status   taskState  `json:"status" description:"working until it ended"`
	Waiting  string     `json:"waiting_for,omitempty" description:"person, wallet or chain"`
	Message  string     `json:"message,omitempty" description:"state in words"`
	Deadline *time.Time `json:"deadlineAt,omitempty" description:"when it expires, UTC"`
	TTL      int64      `json:"ttl_ms" description:"milliseconds for which the task remains available"`
	Outcome  string     `json:"outcome,omitempty" description:"for an ended task: succeeded, or failed with the reason"`
	Result   string     `json:"resultJson,omitempty" description:"for an ended task: the complete result as JSON text"`
}

func begunOf(network string, t bus.Task) begunOut {
	v := taskOf(t)
	out := begunOut{Network: network, Bus: busName(t.Session), Task: t.ID, Status: v.State, Waiting: v.WaitingFor,
		TTL:     v.TTL,
		Outcome: v.Outcome, Result: v.Result}
	if !t.State.Ended() {
		out.Deadline = v.Deadline
	}
	return out
}

type begunIn struct {
	Task taskID `json:"task_id" brief:"" description:"id of the task"`
}

// begun returns an unlisted tool that returns the result of an ended task.
func begun(c conversations, network string) tool.Tool {
	return tool.Declare(tool.Spec[begunIn, begunOut]{
		Name:      toolTask,
		Title:     "Result of a task",
		Summary:   "The result of a task in the shape of the tool that began it.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Cases: []tool.Case[begunOut]{{Name: "ended", Use: busUse(evidence.TaskStatus, "status", "outcome",
			"resultJson")}},
		Run: func(call tool.Call, in begunIn) (begunOut, error) {
			t, err := c.Task(call.Context(), string(in.Task))
			return begunOf(network, t), err
		},
	})
}

// runner runs work that continues after its call.
type runner interface {
	Start(ctx context.Context, j worker.Job, w worker.Work) (bus.Task, error)
	Message(id string) string
}

const caseBegun = "begun"

// begunCases returns the case of tools that start a task. why is the reason to read the task.
func begunCases(why string) []tool.Case[begunOut] {
	return []tool.Case[begunOut]{{
		Name: caseBegun,
		Use: evidence.Use{
			Can:    evidence.Claims{evidence.TaskStatus},
			Cannot: evidence.Claims{evidence.SigningData},
			Answer: []string{"task_id", "status", "deadlineAt"},
			Next:   evidence.Ask(toolTask, why).Reading("task.state", "task.outcome", "task.resultJson"),
		},
	}}
}

// beganAs returns the answer for a call that started t. If t was not stored, the answer is empty.
func beganAs(call tool.Call, network string, t bus.Task) begunOut {
	if t.ID == "" {
		return begunOut{}
	}
	call.Began(t.ID)
	return begunOf(network, t)
}

// unbegin returns a function that cancels a call's task if the client does not get the answer.
func unbegin(c conversations) func(context.Context, *begunOut) {
	return func(ctx context.Context, out *begunOut) {
		if out.Task != "" {
			_, _ = c.CancelTask(ctx, out.Task)
		}
	}
}
