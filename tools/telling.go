package tools

import (
	"context"
	"slices"
	"sync"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// agentLog is the log that Telling reads.
type agentLog interface {
	bus.Reader
	bus.TaskReader
}

// Telling adds the events that wait for a conversation's agent to its next tool answer, as lines. A
// line is delivered at least once: the stored cursor moves only after a later call has shown that
// the earlier answer arrived.
type Telling struct {
	log      agentLog
	consumer bus.Consumer
	watch    *events.Watch

	mu        sync.Mutex
	dirty     bool             // there may be undelivered events
	delivered map[bus.Seq]bool // delivered or skipped events after the stored cursor
}

// NewTelling returns the Telling of a conversation. The caller must call Close.
func NewTelling(log agentLog, conversation string, hub *events.Hub) *Telling {
	return &Telling{log: log, dirty: true, delivered: map[bus.Seq]bool{},
		consumer: bus.Consumer{Name: "agent/" + conversation, Filter: bus.Filter{Session: conversation, Sees: bus.Agent}},
		watch:    hub.Watch(events.Subject{Kind: events.Log, ID: conversation})}
}

// Close ends the subscription.
func (t *Telling) Close() { t.watch.Close() }

// Delivered records that the client is gone and has received the lines of its last answers. If that
// cannot be stored, the client's next conversation gets these lines again.
func (t *Telling) Delivered(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.delivered) == 0 {
		return
	}
	if page, err := t.log.Read(ctx, t.consumer, mostWaiting); err == nil {
		_, _ = t.settle(ctx, page)
	}
}

// mostWaiting is the maximum number of waiting events that are read to find urgent ones.
const mostWaiting = 200

// Pending implements tool.Lines. If reading the log fails, the lines come with a later answer. If
// the answer has facts, the log is always read, because the notification about a logged end may
// arrive later.
func (t *Telling) Pending(ctx context.Context, about *tool.About, facts []tool.Fact) ([]tool.SystemEvent, func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.watch.C:
		t.dirty = true
	default:
	}
	if !t.dirty && len(facts) == 0 {
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
			t.delivered[e.Seq] = true // an event without text must not hold back others
		}
		switch {
		case t.delivered[e.Seq]:
		case t.repeats(ctx, e, facts):
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
		t.delivered[seq] = true
	}
	t.dirty = len(page.Events) > 0 // the stored cursor still has to move
	if len(now) == 0 {
		return nil, nil
	}
	return list, func() { t.undeliver(now) }
}

// settle moves the stored cursor past the events that earlier answers delivered, and returns the
// rest of the page.
func (t *Telling) settle(ctx context.Context, page bus.Page) (bus.Page, error) {
	done := 0
	for done < len(page.Events) && t.delivered[page.Events[done].Seq] {
		done++
	}
	if done == 0 {
		return page, nil
	}
	if err := t.log.Advance(ctx, t.consumer, page.Events[done-1].Seq); err != nil {
		return page, err
	}
	for _, e := range page.Events[:done] {
		delete(t.delivered, e.Seq)
	}
	page.Events = page.Events[done:]
	return page, nil
}

// concerns reports whether an event is about one of the reviews and tasks in about, or about is
// nil.
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

// chosen returns the lines to add to one answer, urgent ones first.
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

// undeliver marks events as undelivered because the answer did not reach the client.
func (t *Telling) undeliver(list []bus.Seq) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, seq := range list {
		delete(t.delivered, seq)
	}
	t.dirty = true
}
