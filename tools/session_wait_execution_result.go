package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type waitExecutionIn struct {
	Session sessionID   `json:"reviewSessionId" brief:"" description:"id from action.prepare_sui_action_review"`
	Timeout waitMillis  `json:"timeoutMs" default:"45000" brief:"" description:"at most 45000"`
	Detail  detailLevel `json:"detail" default:"summary" brief:"" description:"how much"`
}

type waitExecutionOut struct {
	waited
	executionOut
}

// sessionWaitExecutionResult waits until a review is final or the user has to act, or for a time
// limit. It only reads.
func sessionWaitExecutionResult(reviews reviews) tool.Tool {
	return tool.Declare(tool.Spec[waitExecutionIn, waitExecutionOut]{
		Name:      "session.wait_execution_result",
		Title:     "Wait for execution result",
		Summary:   "Waits up to 45 seconds for a review's final result, or until the user has to act.",
		Waits:     true,
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Card:      "receipt",
		Errors:    reviewErrors,
		Cases:     executionCases(func(o waitExecutionOut) executionOut { return o.executionOut }, withOutcome),
		Examples: append([]tool.Example{
			{Name: "not finished", Given: givenPrepared, In: `{"reviewSessionId":"<reviewSessionId>","timeoutMs":20}`,
				Case: "not signed"},
			{Name: "blocked", Given: givenBlocked, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "person has to act"},
			{Name: "result not known", Given: givenUnsettled, In: `{"reviewSessionId":"<reviewSessionId>","timeoutMs":20}`,
				Case: "signed, result unknown"},
		}, endedExamples()...),
		Run: func(c tool.Call, in waitExecutionIn) (waitExecutionOut, error) {
			span, note := in.Timeout.span()
			s, reached, err := await(c, span, "Waiting for the user to read and sign in the browser.",
				func(ctx context.Context, most time.Duration) (record.Session, bool, error) {
					return reviews.Wait(ctx, record.ID(in.Session), most, func(s record.Session) bool { return s.Status.StopsWait() })
				})
			if err != nil {
				return waitExecutionOut{}, err
			}
			return waitExecutionOut{ended(reached, span, note), showExecution(s, in.Detail)}, nil
		},
	})
}
