package tools

import (
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type taskCancelIn struct {
	Task taskID `json:"task_id" brief:"" description:"id of the task"`
}

// taskCancel requests the cancellation of a task. A review is not canceled: it ends when the user
// ends it or it expires.
func taskCancel(c conversations, network string) tool.Tool {
	return tool.Declare(tool.Spec[taskCancelIn, taskOut]{
		Name:      "task.cancel",
		Title:     "Cancel task",
		Summary:   "Requests cancellation. A prepared review ends when the user ends it or it expires.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Toolset:   toolsetBus,
		Errors:    []fault.Code{fault.SessionNotFound, fault.Blocked},
		Cases: []tool.Case[taskOut]{
			{Name: "asked", Use: busUse(evidence.TaskStatus, "task.state", "task.cancelRequested")},
		},
		Examples: []tool.Example{
			{Name: "unknown", Given: givenNothing, In: `{"task_id":"task_0"}`, Fault: fault.SessionNotFound},
			{Name: "a review", Given: givenPrepared, In: `{"task_id":"<taskId>"}`, Fault: fault.Blocked},
			{Name: "ended", Given: givenSwapped, In: `{"task_id":"<taskId>"}`, Case: "asked"},
		},
		Run: func(call tool.Call, in taskCancelIn) (taskOut, error) {
			t, err := c.Task(call.Context(), string(in.Task))
			if err != nil {
				return taskOut{}, err
			}
			if t.Kind == bus.KindReview && !t.State.Ended() {
				return taskOut{}, fault.New(fault.Blocked,
					"Only the user can end a prepared review, or it expires. "+
						"Nothing happens without a signature.")
			}
			t, err = c.CancelTask(call.Context(), t.ID)
			return taskOut{network, busName(t.Session), taskOf(t)}, err
		},
	})
}
