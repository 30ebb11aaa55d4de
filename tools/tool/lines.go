package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// SystemEvent is a fact from the local bus that accompanies an answer.
type SystemEvent struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	Text string `json:"text"` // complete line as inserted into the answer
	Ref  string `json:"ref,omitempty"`
}

// About lists the reviews and tasks that a call's arguments name.
type About struct {
	Reviews, Tasks []string
}

// Fact is something that an answer contains, so that a line need not repeat it.
type Fact struct {
	Event int64 // an event of the log that is shown completely; 0 for none
	// How a review or a transaction ended. Review is "" if only the transaction is known.
	Review, Status, Digest, Reason string
	// How a task ended: "succeeded", or "failed: " and the reason. Its review and transactions are
	// separate facts.
	Task, Outcome string
}

// Teller is implemented by answers that contain such facts.
type Teller interface {
	// Tells returns the facts in the answer.
	Tells() []Fact
}

// Lines provides the lines that accompany the next answer. Its methods are not called concurrently.
type Lines interface {
	// Pending returns the next lines of the whole conversation or, if about is set, only those
	// about what it names. It omits lines that only repeat the answer's facts. All of these count
	// as delivered unless undo is called, because the answer did not reach the client.
	Pending(ctx context.Context, about *About, told []Fact) (lines []SystemEvent, undo func())
}

// beside adds the pending lines to a result. A client of the era without conversations gets only
// lines about what its call names.
func (t Tool) beside(c Call, args strictjson.Value, told []Fact, result *mcp.CallToolResult) {
	lines := c.session.Lines
	if lines == nil || c.ctx.Err() != nil {
		return
	}
	var about *About
	if c.client.AsksByResult {
		about = aboutOf(args)
	}
	list, undo := lines.Pending(c.ctx, about, told)
	if undo != nil {
		c.unsent(undo)
	}
	if len(list) == 0 {
		return
	}
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

// aboutOf reads the reviews and tasks named in arguments.
func aboutOf(args strictjson.Value) *About {
	var v struct {
		Review string `json:"reviewSessionId"`
		Task   string `json:"task_id"`
	}
	_ = json.Unmarshal(args.Raw, &v) // arguments of another form name nothing
	empty := func(s string) bool { return s == "" }
	return &About{slices.DeleteFunc([]string{v.Review}, empty), slices.DeleteFunc([]string{v.Task}, empty)}
}
