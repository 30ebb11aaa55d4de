package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// SystemEvent is an event that is reported together with an answer.
type SystemEvent struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	Text string `json:"text"` // line of text added to the answer
	Ref  string `json:"ref,omitempty"`
}

// About lists the reviews and tasks that are named in a call's arguments.
type About struct {
	Reviews, Tasks []string
}

// Fact is something that an answer states, so that no line needs to repeat it.
type Fact struct {
	Event int64 // sequence number of an event that the answer shows completely, or 0
	// Review, Status, Digest and Reason describe how a review or a transaction ended. Review is ""
	// if only the transaction is known.
	Review, Status, Digest, Reason string
	// Task and Outcome describe how a task ended: Outcome is "succeeded", or "failed: " and the
	// reason. The task's review and transactions are separate facts.
	Task, Outcome string
}

// Teller is implemented by answers that can list their facts.
type Teller interface {
	// Tells returns the facts in the answer.
	Tells() []Fact
}

// Lines provides the lines that are reported together with an answer. Its methods are not called
// concurrently.
type Lines interface {
	// Pending returns the pending lines of the conversation. If about is not nil, it returns only
	// lines about the reviews and tasks in it. Lines that only repeat one of the facts are omitted.
	// The returned and the omitted lines count as delivered, unless the answer does not reach the
	// client and undo is called.
	Pending(ctx context.Context, about *About, facts []Fact) (lines []SystemEvent, undo func())
}

// addPending adds the pending lines to a result. In the era without conversations, it adds only lines
// about the reviews and tasks that the call names.
func (t Tool) addPending(c Call, args strictjson.Value, facts []Fact, result *mcp.CallToolResult) {
	lines := c.session.Lines
	if lines == nil || c.ctx.Err() != nil {
		return
	}
	var about *About
	if c.client.AsksByResult {
		about = aboutOf(args)
	}
	list, undo := lines.Pending(c.ctx, about, facts)
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
	value, err := strictjson.Encode(list)
	if ok && err == nil {
		result.StructuredContent = json.RawMessage(add(whole, "systemEvents", value))
	}
}

// aboutOf returns the reviews and tasks named in the arguments.
func aboutOf(args strictjson.Value) *About {
	var v struct {
		Review string `json:"reviewSessionId"`
		Task   string `json:"task_id"`
	}
	_ = json.Unmarshal(args.Raw, &v) // arguments of another form name nothing
	empty := func(s string) bool { return s == "" }
	return &About{slices.DeleteFunc([]string{v.Review}, empty), slices.DeleteFunc([]string{v.Task}, empty)}
}
