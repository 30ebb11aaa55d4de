package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const toolAsk = "events.ask_user"

// askTime is how long a question stays open.
const askTime = 10 * time.Minute

// questionText is a client's question to the user.
type questionText string

// Shape implements tool.Shaped.
func (questionText) Shape() tool.Shape { return tool.Shape{MinLength: 1, MaxLength: bus.MostQuestion} }

type askUserIn struct {
	Question questionText `json:"question" description:"shown as your words"`
	Choices  []string     `json:"choices,omitempty" description:"2 to 8; without them any text"`
}

type askUserOut struct {
	begunOut
	URL string `json:"consoleUrl,omitempty" description:"link to the console for the answer; works once"`
}

// eventsAskUser asks the user a question. It can be answered on the console page or by the user's
// own program, but not by a tool.
func eventsAskUser(c conversations, page opener, now func() time.Time, network string) tool.Tool {
	return tool.Declare(tool.Spec[askUserIn, askUserOut]{
		Name:      toolAsk,
		Title:     "Ask the person",
		Summary:   "Asks the user a question on the console page. The answer, due in 10 minutes, is the task's result.",
		Untrusted: []tool.Origin{tool.FromPerson},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetBus,
		Errors:    []fault.Code{fault.InputInvalid, fault.RateLimited},
		Cases: []tool.Case[askUserOut]{{
			Name: "asked",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.TaskStatus},
				Cannot: evidence.Claims{evidence.PersonAnswer, evidence.SigningData},
				Answer: []string{"task_id", "status", "deadlineAt", "consoleUrl"},
				Next: evidence.Ask(toolTask, "It waits for the answer, which is in resultJson.").
					Reading("task.state", "task.outcome", "task.resultJson"),
			},
		}},
		Examples: []tool.Example{
			{Name: "choices", Given: givenNothing, In: `{"question":"Which pool?","choices":["SUI/USDC","DEEP/SUI"]}`,
				Case: "asked"},
			{Name: "one choice", Given: givenNothing, In: `{"question":"Go on?","choices":["Yes"]}`, Fault: fault.InputInvalid},
			{Name: "too many", Given: givenAsked, In: `{"question":"Which pool?"}`, Fault: fault.RateLimited},
		},
		Run: func(call tool.Call, in askUserIn) (askUserOut, error) {
			q := bus.Question{Text: string(in.Question), Choices: in.Choices}
			if err := q.Check(); err != nil {
				return askUserOut{}, err
			}
			t, err := c.CreateTask(call.Context(), bus.Task{Session: c.Bus(call.Context()), Kind: bus.KindQuestion,
				Tool:  toolAsk,
				Stage: bus.StageQuestion, WaitingFor: bus.WaitsPerson, DeadlineAt: now().Add(askTime), Question: &q})
			if err != nil {
				return askUserOut{}, err
			}
			out := askUserOut{begunOut: beganAs(call, network, t)}
			// If no pages are served, only another program can answer.
			out.URL, _ = page.link.make(call.Context(), pagetoken.Console, t.Session)
			return out, nil
		},
		// Undo withdraws the question if the client is gone.
		Undo: func(ctx context.Context, out *askUserOut) { unbegin(c)(ctx, &out.begunOut) },
	})
}
