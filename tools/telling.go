package tools

import (
	"context"
	"slices"
	"sync"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// agentLog is what Telling asks.
type agentLog interface {
	bus.Reader
	bus.TaskReader
}

// Telling puts what waits for the agent of a conversation beside its next tool answer.
// A line is delivered at least once: the stored cursor moves only after a later call
// has shown that the earlier answer went out.
type Telling struct {
	log      agentLog
	consumer bus.Consumer
	watch    *events.Watch

	mu    sync.Mutex
	dirty bool             // there may be lines that were not read yet
	told  map[bus.Seq]bool // after the stored cursor
}

// NewTelling returns the lines of a conversation. Close ends it.
func NewTelling(log agentLog, conversation string, hub *events.Hub) *Telling {
	return &Telling{log: log, dirty: true, told: map[bus.Seq]bool{},
		consumer: bus.Consumer{Name: "agent/" + conversation, Filter: bus.Filter{Session: conversation, Sees: bus.Agent}},
		watch:    hub.Watch(events.Subject{Kind: events.Log, ID: conversation})}
}

// Close ends it.
func (t *Telling) Close() { t.watch.Close() }

// Delivered says that the client is gone, and had what the last answers carried. Where the
// store does not take it, the client's next conversation hears of that once more.
func (t *Telling) Delivered(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.told) == 0 {
		return
	}
	if page, err := t.log.Read(ctx, t.consumer, mostWaiting); err == nil {
		_, _ = t.settle(ctx, page)
	}
}

// mostWaiting is how many waiting events are looked at for the urgent ones.
const mostWaiting = 200

// Pending implements tool.Lines. A log that cannot be read keeps its lines for the next
// answer; the answer itself is not held up. An answer with facts always reads it: what
// ended was logged with the change itself, and the news of that may come a moment later.
func (t *Telling) Pending(ctx context.Context, about *tool.About, told []tool.Fact) ([]tool.SystemEvent, func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.watch.C:
		t.dirty = true
	default:
	}
	if !t.dirty && len(told) == 0 {
		return nil, nil
	}
	page, err := t.log.Read(ctx, t.consumer, mostWaiting)
	if err != nil {
		return nil, nil
	}
	if page, err = t.settle(ctx, page); err != nil {
		return nil, nil
	}
	var open []bus.Event
	var now []bus.Seq
	for _, e := range page.Events {
		if _, ok := bus.LineOf(e); !ok {
			t.told[e.Seq] = true // it has no words, and holds up no other
		}
		switch {
		case t.told[e.Seq]:
		case t.repeats(ctx, e, told):
			now = append(now, e.Seq)
		case t.concerns(ctx, e, about):
			open = append(open, e)
		}
	}
	list := chosen(open)
	for _, e := range list {
		now = append(now, bus.Seq(e.Seq))
	}
	for _, seq := range now {
		t.told[seq] = true
	}
	t.dirty = len(page.Events) > 0 // the cursor is still to move
	if len(now) == 0 {
		return nil, nil
	}
	return list, func() { t.untold(now) }
}

// settle moves the stored cursor over the lines that earlier answers delivered, and
// returns what is left of the page.
func (t *Telling) settle(ctx context.Context, page bus.Page) (bus.Page, error) {
	done := 0
	for done < len(page.Events) && t.told[page.Events[done].Seq] {
		done++
	}
	if done == 0 {
		return page, nil
	}
	if err := t.log.Advance(ctx, t.consumer, page.Events[done-1].Seq); err != nil {
		return page, err
	}
	for _, e := range page.Events[:done] {
		delete(t.told, e.Seq)
	}
	page.Events = page.Events[done:]
	return page, nil
}

// concerns reports whether an event is of what a call names; nil names everything.
func (t *Telling) concerns(ctx context.Context, e bus.Event, about *tool.About) bool {
	if about == nil {
		return true
	}
	for _, id := range about.Tasks {
		if e.Subject == taskSubject(taskID(id)) {
			return true
		}
	}
	for _, id := range about.Reviews {
		task, ok, err := t.log.TaskOf(ctx, record.Subject(record.ID(id)))
		if err == nil && ok && e.Subject == taskSubject(taskID(task.ID)) {
			return true
		}
	}
	return false
}

// chosen returns the lines that one answer takes, the urgent ones before the others.
func chosen(open []bus.Event) (list []tool.SystemEvent) {
	slices.SortStableFunc(open, func(a, b bus.Event) int {
		switch {
		case bus.Urgent(a.Type) == bus.Urgent(b.Type):
			return 0
		case bus.Urgent(a.Type):
			return -1
		}
		return 1
	})
	size := 0
	for _, e := range open {
		line, ok := bus.LineOf(e)
		size += len(line.Text)
		if len(list) == bus.MostLines || len(list) > 0 && size > bus.MostLineBytes {
			break
		}
		if ok {
			list = append(list, tool.SystemEvent{Seq: int64(line.Seq), Type: string(line.Type), Text: line.Text, Ref: line.Ref})
		}
	}
	return list
}

// untold takes back events whose answer did not reach the client.
func (t *Telling) untold(list []bus.Seq) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, seq := range list {
		delete(t.told, seq)
	}
	t.dirty = true
}
