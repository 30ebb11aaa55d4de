package bus

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Line is an event in the form that an agent reads. Text is inserted into tool results as is.
type Line struct {
	Seq  Seq    `json:"seq"`
	Type Type   `json:"type"`
	Text string `json:"text"`
	Ref  string `json:"ref,omitempty"` // tool that returns the current state
}

// more ends a truncated text, and moreOfCall a truncated result of a call.
const (
	more       = "… full result: task.get"
	moreOfCall = "… full result: events.list"
)

// LineOf returns an event's line for the agent, or false if the event has none.
func LineOf(e Event) (Line, bool) {
	if e.Audience&Agent == 0 {
		return Line{}, false
	}
	b, err := Decode(e.Payload)
	if err != nil {
		return Line{}, false
	}
	text, ref := words(b)
	if text == "" {
		return Line{}, false
	}
	return Line{e.Seq, e.Type, Injected(text), ref}, true
}

// Injected wraps a message in the markers that the specification requires. Text quoted in the
// message cannot end the markers.
func Injected(message string) string { return "[[SYSTEM: " + harmless(message) + "]]" }

// Quoted returns the text of a line for use in another conversation, shortened and without its
// markers.
func Quoted(l Line, most int) string {
	return screen.Line(strings.TrimSuffix(strings.TrimPrefix(l.Text, "[[SYSTEM: "), "]]"), most)
}

// words returns the message of a body, and the tool that returns more. It returns "" if the body
// has no message for the agent.
func words(b Body) (text, ref string) {
	switch v := b.(type) {
	case ToolResult:
		if v.Error != nil {
			return fmt.Sprintf("Tool %s (task %s) failed: %s", v.ToolName, v.TaskID, cut(*v.Error)), "task.get"
		}
		return fmt.Sprintf("Tool %s (task %s) completed: %s", v.ToolName, v.TaskID, cut(string(v.Result))), "task.get"
	case WalletTxResponse:
		return walletWords(v), "events.list"
	case SystemError:
		return cut(v.Message), "events.list"
	case AsyncUpdate:
		if result, ok := v.Read().(ForAgent); ok {
			return result.Agent(), "events.list"
		}
	}
	return "", ""
}

func walletWords(v WalletTxResponse) string {
	hash, detail := "", ""
	if v.TxHash != nil {
		hash = *v.TxHash
	}
	if v.Detail != nil && *v.Detail != "" {
		detail = ": " + cut(*v.Detail)
	}
	switch v.Status {
	case Confirmed:
		return "tx confirmed " + cut(hash)
	case Rejected:
		return "tx rejected by the user"
	}
	if hash == "" {
		hash = "before submission"
	}
	return "tx failed " + cut(hash) + detail
}

// cut shortens a text to the maximum length of a line.
func cut(text string) string { return cutTo(text, more) }

func cutTo(text, rest string) string {
	if list := []rune(text); len(list) > mostResult {
		return string(list[:mostResult]) + rest
	}
	return text
}

// harmless converts untrusted text to one visible line without markers.
func harmless(text string) string {
	text = screen.Line(text, mostResult*3)
	return strings.NewReplacer("[[", "[ [", "]]", "] ]").Replace(text)
}
