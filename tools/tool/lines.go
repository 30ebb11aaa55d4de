package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// SystemEvent is one fact of the local bus beside an answer.
type SystemEvent struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	Text string `json:"text"` // the whole line, as it is injected
	Ref  string `json:"ref,omitempty"`
}

// About is what a call is about, as far as its arguments name it: reviews and tasks.
type About struct {
	Reviews, Tasks []string
}

// Lines are what an agent is to hear beside the next answer. Its methods are called one
// after the other.
type Lines interface {
	// Pending returns the next lines, of the whole conversation or, where about is set,
	// only of what it names. They count as delivered until Undelivered.
	Pending(ctx context.Context, about *About) []SystemEvent
	// Undelivered takes back lines whose answer did not reach the client.
	Undelivered(list []SystemEvent)
}

// beside adds the pending lines to a result. A client of the era without conversations
// gets only lines of what its call names.
func (t Tool) beside(c Call, args strictjson.Value, result *mcp.CallToolResult) {
	lines := c.session.Lines
	if lines == nil || c.ctx.Err() != nil {
		return
	}
	var about *About
	if c.client.AsksByResult {
		if about = aboutOf(args); about == nil {
			return
		}
	}
	list := lines.Pending(c.ctx, about)
	if len(list) == 0 {
		return
	}
	c.unsent(func() { lines.Undelivered(list) })
	var texts []string
	for _, e := range list {
		texts = append(texts, e.Text)
	}
	result.Content = append(result.Content, mcp.NewTextContent(strings.Join(texts, "\n")))
	whole, ok := result.StructuredContent.(json.RawMessage)
	value, err := compact(list)
	if ok && err == nil {
		result.StructuredContent = json.RawMessage(add(whole, "systemEvents", value))
	}
}

// aboutOf reads the reviews and tasks that arguments name, nil for none.
func aboutOf(args strictjson.Value) *About {
	var v struct {
		Review string `json:"reviewSessionId"`
		Task   string `json:"task_id"`
	}
	if json.Unmarshal(args.Raw, &v) != nil {
		return nil
	}
	empty := func(s string) bool { return s == "" }
	a := About{slices.DeleteFunc([]string{v.Review}, empty), slices.DeleteFunc([]string{v.Task}, empty)}
	if len(a.Reviews)+len(a.Tasks) == 0 {
		return nil
	}
	return &a
}
