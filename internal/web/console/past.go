package console

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// pastLine is a past event. Text is written by this program, Quote by someone else. Asked is the
// request of a review, and Rests states how its result is known.
type pastLine struct{ At, Tone, Asked, Text, Quote, Digest, Rests string }

// pastTypes are the types of events that the console lists.
var pastTypes = []bus.Type{bus.TypeSystemNotice, bus.TypeSystemError, bus.TypeWalletTxResponse, bus.TypeToolResult,
	bus.TypeAsyncUpdate, bus.TypeUserResponse}

func (p *page) past(ctx context.Context, session string) ([]pastLine, error) {
	list, err := p.Bus.Latest(ctx, bus.Filter{Session: session, Sees: bus.UI, Types: pastTypes}, mostPast)
	if err != nil {
		return nil, err
	}
	var past []pastLine
	ended := map[string]bool{} // digests of reviews that already have a line
	for _, e := range list {
		b, err := bus.Decode(e.Payload)
		if err != nil {
			continue // written by a later version
		}
		line, ok := p.reviewEnd(ctx, b)
		if ok {
			ended[line.Digest] = true
		} else {
			line, ok = pastLineOf(b)
		}
		// The end of a review includes everything in its wallet's response.
		if r, is := b.(bus.WalletTxResponse); is && !r.Claimed && line.Digest != "" && ended[line.Digest] {
			continue
		}
		if ok {
			line.At = words.At(e.At)
			past = append(past, line)
		}
	}
	return past, nil
}

// reviewEnd describes the end of a review in the words of the review's page. It returns false for
// other events and for a review that is no longer stored.
func (p *page) reviewEnd(ctx context.Context, b bus.Body) (pastLine, bool) {
	v, _ := b.(bus.ToolResult)
	var result struct {
		Review record.ID `json:"review_session_id"`
		Digest string    `json:"tx_hash"`
	}
	if json.Unmarshal(v.Result, &result) != nil || result.Review == "" {
		return pastLine{}, false
	}
	r, err := p.Lists.Reviews.Get(ctx, result.Review)
	if err != nil {
		return pastLine{}, false
	}
	h := r.Headline()
	return pastLine{Tone: string(h.Tone), Asked: words.UpperFirst(listing.Asked(r.Intent)), Text: h.Title,
		Rests:  r.Execution.Proof().Short(),
		Digest: screen.Line(result.Digest, screen.MostName)}, true
}

func pastLineOf(b bus.Body) (pastLine, bool) {
	switch v := b.(type) {
	case bus.SystemNotice:
		return pastLine{Text: v.Message}, true
	case bus.SystemError:
		return pastLine{Tone: "bad", Text: v.Message}, true
	case bus.WalletTxResponse:
		return walletLine(v), true
	case bus.ToolResult:
		return resultLine(v), true
	case bus.UserResponse:
		return answerLine(v), true
	case bus.AsyncUpdate:
		switch said := v.Read().(type) {
		case bus.CallResult:
			return planLine(said)
		case bus.ForUser:
			text, quote := said.User(v.Notifies())
			return pastLine{Text: text, Quote: quote}, text != ""
		}
	}
	return pastLine{}, false
}

// planLine describes the result of a call about a plan. The titles of its groups are the client's.
func planLine(said bus.CallResult) (pastLine, bool) {
	var plan struct {
		Status string
		Groups []struct{ Title string }
	}
	if json.Unmarshal(said.Result.Value, &plan) != nil {
		return pastLine{}, false
	}
	ok := said.Result.OK
	var titles []string
	for _, g := range plan.Groups {
		titles = append(titles, screen.Line(g.Title, screen.MostName))
	}
	line := pastLine{Quote: strings.Join(titles, ", ")}
	switch {
	case said.Tool == "set_execution_plan" && ok:
		line.Text = "Your AI client made a plan, and every step of it can be asked for."
	case said.Tool == "set_execution_plan":
		line.Tone, line.Text = "warn", "Your AI client made a plan of which some steps cannot be asked for."
	case plan.Status == "done":
		line.Text = "Every group of the plan is done."
	case !ok:
		line.Tone, line.Text = "warn", "The plan cannot go on as it is."
	case len(titles) > 0:
		line.Text = "Groups of the plan that wait for you or run:"
	default:
		line.Text = "No group of the plan is asked for now."
	}
	return line, true
}

func walletLine(v bus.WalletTxResponse) pastLine {
	line := pastLine{Tone: "warn", Text: "The transaction failed."}
	if v.TxHash != nil {
		line.Digest = screen.Line(*v.TxHash, screen.MostName)
	}
	if v.Detail != nil {
		line.Quote = screen.Line(*v.Detail, screen.MostDescription)
	}
	switch {
	case v.Claimed:
		line.Text = "Somebody reported a transaction as " + string(v.Status) + ". The chain has not said so."
	case v.Status == bus.Confirmed:
		line.Tone, line.Text = "good", "The transaction is on chain."
	case v.Status == bus.Rejected:
		line.Text = "Your wallet reports that you declined."
	}
	return line
}

// resultLine describes how a task ended. It quotes the user's answer.
func resultLine(v bus.ToolResult) pastLine {
	what := toolWords(v.ToolName)
	if v.Error != nil {
		why, known := map[string]string{bus.ErrorTimeout: "its time was over", bus.ErrorCancelled: "it was cancelled",
			bus.ErrorInterrupted: "the program that worked on it ended", bus.ErrorDeclined: "you did not answer"}[*v.Error]
		if known {
			return pastLine{Tone: "warn", Text: what + " ended: " + why + "."}
		}
		return pastLine{Tone: "warn", Text: what + " ended without success.", Quote: screen.Line(*v.Error,
			screen.MostDescription)}
	}
	var a bus.Answer
	if v.ToolName == askTool && json.Unmarshal(v.Result, &a) == nil {
		return pastLine{Text: "You answered", Quote: screen.Line(a.Answer, screen.MostDescription)}
	}
	return pastLine{Tone: "good", Text: what + " is done."}
}

// askTool is the tool that asks the user a question.
const askTool = "events.ask_user"

// changeTool is the tool that changes files of a project.
const changeTool = "workspace.apply_change"

// answerLine lists the members of a response to a button.
func answerLine(v bus.UserResponse) pastLine {
	line := pastLine{Text: "An answer (" + screen.Line(v.Kind, screen.MostSymbol) + ")"}
	for _, a := range consoleAsks {
		if a.Kind == v.Kind {
			line.Text = a.Answer
		}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(v.Payload, &members) == nil {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(members)) {
			var text string
			if json.Unmarshal(members[name], &text) != nil {
				text = string(members[name])
			}
			parts = append(parts, strings.ReplaceAll(name, "_", " ")+": "+text)
		}
		line.Quote = screen.Line(strings.Join(parts, " · "), screen.MostDescription)
	}
	if v.Error != nil {
		line.Tone, line.Text = "warn", line.Text+" could not be read ("+screen.Line(strings.ReplaceAll(*v.Error, "_", " "),
			screen.MostSymbol)+")"
	}
	return line
}

// toolWords describes a tool's task.
func toolWords(tool string) string {
	switch group, _, _ := strings.Cut(tool, "."); {
	case tool == askTool:
		return "The question"
	case group == "action":
		return "The review"
	case tool == changeTool:
		return "The change of a file"
	}
	_, name, _ := strings.Cut(tool, ".")
	return words.UpperFirst(screen.Line(strings.ReplaceAll(name, "_", " "), screen.MostSymbol))
}

func stageText(stage string) string {
	return screen.Line(strings.ReplaceAll(stage, "_", " "), screen.MostSymbol)
}
