package tools

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// pendingEvents is the resource with what waits for the agent.
type pendingEvents struct {
	// Waiting is the number of waiting lines, at most mostWaiting.
	Waiting int `json:"waiting"`
	// Events are the first of them, in the form of a tool's next answer. They are absent for a
	// client of the era without conversations.
	Events []tool.SystemEvent `json:"events,omitempty"`
	// ReadBy is the tool that lists them.
	ReadBy string `json:"readBy"`
}

// Waiting returns what waits for the agent, as JSON text. It delivers nothing: the lines remain for
// the next answer. In the era without conversations, several conversations can share a client's
// connection, so it returns no lines to these clients.
func (t *Telling) Waiting(ctx context.Context, conversation bool) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	page, err := t.log.Read(ctx, t.consumer, mostWaiting)
	if err != nil {
		return nil, err
	}
	var open []bus.Event
	for _, e := range page.Events {
		if _, ok := bus.LineOf(e); ok && !t.told[e.Seq] {
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

// Changes calls changed after each event that waits for the agent, until ctx ends, and once at the
// beginning if some already wait.
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
		at = state.Cursor.Seq // subscribes before reading, so that no event is missed
		changed()
	}
}

// Push calls send once for each line that starts to wait, until ctx ends. The line continues to
// wait, because nothing confirms that the message arrived. Lines that waited before are not sent;
// they are in the next answer.
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
			at = max(at, line.Seq) // it may have arrived after the snapshot
		}
		last = at
	}
}

// waitingAfter returns the lines after a position in the log that wait and that no answer
// contained.
func (t *Telling) waitingAfter(ctx context.Context, after bus.Seq) (list []bus.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	page, err := t.log.Read(ctx, t.consumer, mostWaiting)
	if err != nil {
		return nil
	}
	for _, e := range page.Events {
		if line, ok := bus.LineOf(e); ok && e.Seq > after && !t.told[e.Seq] {
			list = append(list, line)
		}
	}
	return list
}

// TaskSource connects the Tasks extension to the tools.
type TaskSource struct {
	tasks   conversations
	reviews reviews
	get     tool.Tool
}

// NewTaskSource returns a TaskSource with the tools' dependencies.
func NewTaskSource(d Deps) TaskSource {
	return TaskSource{d.Bus, d.Reviews, begun(d.Bus, d.About.Network)}
}

// Settled returns a task's current state. It first ends the task if its time has run out.
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

// Result returns an ended task's result in the form of the tool that started it, or the task's
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
