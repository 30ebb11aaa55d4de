package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// sessionGetExecutionResult returns the result of a review. It only reads: signing and submitting
// are up to the page, the wallet and the server.
func sessionGetExecutionResult(reviews reviews) tool.Tool {
	return tool.Declare(tool.Spec[executionIn, executionOut]{
		Name:      "session.get_execution_result",
		Title:     "Get execution result",
		Summary:   "Returns whether a reviewed transaction was signed, its result and its receipt.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.KeepsTime,
		Card:      "receipt",
		Errors:    reviewErrors,
		Cases: executionCases(func(o executionOut) executionOut { return o },
			func(u evidence.Use) evidence.Use { return u }),
		Examples: append([]tool.Example{
			{Name: "not opened", Given: givenPrepared, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "not signed"},
			{Name: "blocked", Given: givenBlocked, In: `{"reviewSessionId":"<reviewSessionId>"}`, Case: "person has to act"},
			{Name: "result not known", Given: givenUnsettled, In: `{"reviewSessionId":"<reviewSessionId>"}`,
				Case: "signed, result unknown"},
		}, endedExamples()...),
		Run: func(c tool.Call, in executionIn) (executionOut, error) {
			s, err := reviews.Get(c.Context(), record.ID(in.Session))
			if err != nil {
				return executionOut{}, err
			}
			return showExecution(s, detailFull), nil
		},
	})
}
