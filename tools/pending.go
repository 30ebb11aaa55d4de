package tools

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// pendingEvents is the content of the resource that lists lines waiting for the agent.
type pendingEvents struct {
	// Waiting is the number of waiting lines, at most mostWaiting.
	Waiting int `json:"waiting"`
	// Events are the first waiting lines, in the form of a tool's answer. Clients of the era
	// without conversations do not get them.
	Events []tool.SystemEvent `json:"events,omitempty"`
	// ReadBy is the tool that reads the events.
	ReadBy string `json:"readBy"`
}

// Waiting returns the lines that wait for the agent as JSON. They do not count as delivered and
// also come with the next answer. If conversation is false, only their number is returned: in the
// era without conversations, several conversations can share a client's connection.
func (t *Telling) Waiting(ctx context.Context, conversation bool) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	page, err := t.log.Read(ctx, t.consumer, mostWaiting)
	if err != nil {
		return nil, err
	}
	var open []bus.Event
	for _, e := range page.Events {
		if _, ok := bus.LineOf(e); ok && !t.delivered[e.Seq] {
			open = append(open, e)
		}
	}
	out := pendingEvents{Waiting: len(open), ReadBy: toolEvents}
	//mutant:always ./tools TestPending/another conversation of the pipe is shown how many, and none of them
	if conversation {
		out.Events = chosen(open)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The waiting events cannot be encoded.")
	}
	return text, nil
}

// Changes calls changed after each new event for the agent until ctx ends, and once at the
// beginning if some are waiting already.
func (t *Telling) Changes(ctx context.Context, changed func()) {
	state, err := t.log.Snapshot(ctx, t.consumer.Session)
	if err != nil {
		return
	}
	if page, err := t.log.Read(ctx, t.consumer, 1); err != nil || len(page.Events) > 0 {
		changed()
	}
	for at := state.Cursor.Seq; t.log.Wait(ctx, t.consumer.Filter, at) == nil; {
		if state, err = t.log.Snapshot(ctx, t.consumer.Session); err != nil {
			return
		}
		at = state.Cursor.Seq // taken before the events are read, so that none is missed
		changed()
	}
}

// Push calls send once for each new line until ctx ends. The line still comes with the next answer,
// because nothing confirms that the message arrived. Lines that were waiting before Push are not
// sent.
func (t *Telling) Push(ctx context.Context, send func(bus.Line)) {
	state, err := t.log.Snapshot(ctx, t.consumer.Session)
	if err != nil {
		return
	}
	last := state.Cursor.Seq
	for at := last; t.log.Wait(ctx, t.consumer.Filter, at) == nil; {
		if state, err = t.log.Snapshot(ctx, t.consumer.Session); err != nil {
			return
		}
		at = state.Cursor.Seq
		for _, line := range t.waitingAfter(ctx, last) {
			send(line)
			at = max(at, line.Seq) // the line may be newer than the snapshot
		}
		last = at
	}
}

// waitingAfter returns the waiting lines after a position in the log, without those in an answer.
func (t *Telling) waitingAfter(ctx context.Context, after bus.Seq) (list []bus.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	page, err := t.log.Read(ctx, t.consumer, mostWaiting)
	if err != nil {
		return nil
	}
	for _, e := range page.Events {
		if line, ok := bus.LineOf(e); ok && e.Seq > after && !t.delivered[e.Seq] {
			list = append(list, line)
		}
	}
	return list
}

// TaskSource provides the tasks of tool calls to the Tasks extension.
type TaskSource struct {
	tasks   conversations
	reviews reviews
	get     tool.Tool
}

// NewTaskSource returns a TaskSource that uses the tools' dependencies.
func NewTaskSource(d Deps) TaskSource {
	return TaskSource{d.Bus, d.Reviews, begun(d.Bus, d.About.Network)}
}

// Settled returns a task's current state. A task whose deadline has passed is ended first.
func (s TaskSource) Settled(ctx context.Context, id string) (bus.Task, error) {
	t, err := s.tasks.Task(ctx, id)
	if err != nil || t.State.Ended() {
		return t, err
	}
	if err := settled(ctx, s.tasks, s.reviews, t); err != nil {
		return t, err
	}
	return s.tasks.Task(ctx, id)
}

// Result returns the result of an ended task in the form of the tool that started it, or the task's
// error.
func (s TaskSource) Result(ctx context.Context, t bus.Task) (json.RawMessage, error) {
	args, err := json.Marshal(begunIn{taskID(t.ID)})
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The task's id cannot be encoded.")
	}
	answer := s.get.Call(tool.NewCall(ctx, nil, tool.Client{}), args)
	if answer.Fault != nil {
		return nil, answer.Fault
	}
	text, err := json.Marshal(map[string]any{"resultType": "complete", "isError": t.Error != "",
		"content":           []map[string]string{{"type": "text", "text": string(answer.Text)}},
		"structuredContent": answer.Text})
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The result cannot be encoded.")
	}
	return text, nil
}
