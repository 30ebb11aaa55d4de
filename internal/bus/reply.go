package bus

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Answered reads and ends tasks that ask the user.
type Answered interface {
	Task(ctx context.Context, id string) (Task, error)
	StepTask(ctx context.Context, id string, s Step) (Task, bool, error)
	SettleTasks(ctx context.Context) error
}

// Reply ends a question's task with the user's answer. It returns true if the question had already
// ended.
func Reply(ctx context.Context, tasks Answered, session string, r UserResponse,
	now time.Time) (duplicate bool, err error) {
	none := fault.New(fault.InvalidSessionTransition, "There is no open question with this request_id.")
	if r.RequestID == nil {
		return false, none
	}
	t, err := tasks.Task(ctx, *r.RequestID)
	switch {
	case fault.Is(err, fault.SessionNotFound), err == nil && (t.Session != session || t.Kind != KindQuestion):
		return false, none
	case err != nil:
		return false, err
	}
	if t.Due(now) != "" {
		// The deadline has passed, so the answer has no effect.
		return true, tasks.SettleTasks(ctx)
	}
	//mutant:never ./review/web TestAnswer
	if t.State.Ended() {
		return true, nil
	}
	step := Step{End: Completed, Stage: StageAnswer}
	switch {
	case t.Question == nil || r.Kind != PromptKind || r.Error != nil && *r.Error != ErrorDeclined:
		return false, fault.New(fault.InputInvalid,
			"Not an answer to a question: its kind must be %s, and its error %s or absent.",
			PromptKind, ErrorDeclined)
	case r.Error != nil:
		step.Stage, step.Error = "", ErrorDeclined
	default:
		a, err := t.Question.Read(r.Payload)
		if err != nil {
			return false, err
		}
		if step.Result, err = json.Marshal(a); err != nil {
			return false, err
		}
	}
	_, took, err := tasks.StepTask(ctx, t.ID, step)
	return !took, err
}
