package worker

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Limits of requests.
const (
	atOnce      = 4                // requests that are worked on
	mostWaiting = 64               // requests that wait for their turn
	answerTime  = 15 * time.Second // one request
)

// Errors of an answer, besides the codes of package fault.
const (
	ErrorUnknownKind = "unknown_kind"
	ErrorBusy        = "busy"
)

// Handler answers one kind of page request. The payload is the page's own; the answer goes only to
// pages of the conversation.
type Handler func(ctx context.Context, session string, payload json.RawMessage) (any, error)

// Log appends events, like bus.Log.
type Log interface {
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
}

// Requests answers page requests. A request is only in memory until its answer is stored.
type Requests struct {
	log   Log
	kinds map[string]Handler
	span  time.Duration
	all   context.Context
	stop  context.CancelFunc
	slots chan struct{}
	work  sync.WaitGroup

	mu      sync.Mutex
	waiting int
	closed  bool
}

// NewRequests returns a worker for these kinds; Close ends it.
func NewRequests(log Log, kinds map[string]Handler) *Requests {
	w := &Requests{log: log, kinds: kinds, span: answerTime, slots: make(chan struct{}, atOnce)}
	w.all, w.stop = context.WithCancel(context.Background())
	return w
}

// Close ends running requests with an answer, and waits for them.
func (w *Requests) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop()
	w.work.Wait()
}

// Ask stores that a page asked, and answers later by an event. It reports a repetition
// of an earlier request, which is not worked on again. It does not wait for the answer.
func (w *Requests) Ask(ctx context.Context, session string, r bus.UserRequest) (duplicate bool, err error) {
	payload := r.Payload
	r.Payload = json.RawMessage("null")
	asked, err := bus.NewEvent(session, "", r)
	if err != nil {
		return false, err
	}
	handler := w.kinds[r.Kind]
	refused := ""
	if handler == nil {
		refused = ErrorUnknownKind
	} else if !w.enter() {
		refused = ErrorBusy
	}
	events := []bus.Event{asked}
	if refused != "" {
		// Both in one transaction: an answer that is known is never lost.
		answer, err := answerOf(session, r, nil, refused)
		if err != nil {
			return false, err
		}
		events = append(events, answer)
	}
	list, err := w.log.Append(ctx, events...)
	if refused != "" {
		return err == nil && list[0].Duplicate, err
	}
	//mutant:never ./internal/worker TestRequests
	if err != nil || list[0].Duplicate {
		w.leave()
		return err == nil, err
	}
	go w.answer(session, r, handler, payload)
	return false, nil
}

// enter takes a place among the waiting requests.
func (w *Requests) enter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.waiting >= atOnce+mostWaiting {
		return false
	}
	w.waiting++
	w.work.Add(1)
	return true
}

func (w *Requests) leave() {
	w.mu.Lock()
	w.waiting--
	w.mu.Unlock()
	w.work.Done()
}

// answer works on one request when it is its turn and appends one answer.
func (w *Requests) answer(session string, r bus.UserRequest, h Handler, payload json.RawMessage) {
	defer w.leave()
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-w.all.Done():
	}
	ctx, stop := context.WithTimeout(w.all, w.span)
	defer stop()
	value, err := guarded(ctx, func(ctx context.Context, _ Tell) (any, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return h(ctx, session, payload)
	}, nil)
	refused := ""
	switch {
	case err == nil:
	case w.all.Err() != nil:
		refused = bus.ErrorInterrupted
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		refused = bus.ErrorTimeout
	default:
		f := fault.As(err)
		refused, value = string(f.Code), map[string]string{"message": f.Text}
	}
	last, end := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer end()
	e, err := answerOf(session, r, value, refused)
	if err == nil {
		_, err = w.log.Append(last, e)
	}
	if err != nil {
		// For example, an answer too large for an event: the page learns at least that.
		if e, err = answerOf(session, r, nil, string(fault.As(err).Code)); err == nil {
			_, _ = w.log.Append(last, e)
		}
	}
}

func answerOf(session string, r bus.UserRequest, value any, refused string) (bus.Event, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return bus.Event{}, err
	}
	a := bus.UserResponse{RequestID: r.RequestID, Kind: r.Kind, Payload: text}
	if refused != "" {
		a.Error = &refused
	}
	return bus.NewEvent(session, "", a)
}

// read reads the payload of a request strictly; null is an empty one.
func read[T any](payload json.RawMessage) (v T, err error) {
	if len(payload) == 0 || string(payload) == "null" {
		return v, nil
	}
	return strictjson.Decode[T](payload)
}
