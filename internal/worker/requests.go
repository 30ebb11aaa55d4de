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
	atOnce      = 4                // running requests
	mostWaiting = 64               // queued requests
	answerTime  = 15 * time.Second // time for one request
)

// Error codes of answers, in addition to those of package fault.
const (
	ErrorUnknownKind = "unknown_kind"
	ErrorBusy        = "busy"
)

// Handler answers one kind of page request. The page defines the payload; only pages of the
// conversation receive the answer.
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

// NewRequests returns a worker for these kinds. Close ends it.
func NewRequests(log Log, kinds map[string]Handler) *Requests {
	w := &Requests{log: log, kinds: kinds, span: answerTime, slots: make(chan struct{}, atOnce)}
	w.all, w.stop = context.WithCancel(context.Background())
	return w
}

// Close ends running requests with an error and waits for them.
func (w *Requests) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop()
	w.work.Wait()
}

// Ask stores a page's request and returns; an event answers it later. It reports a duplicate of an
// earlier request, which is not answered again.
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
		// Both are stored in one transaction, so that a known answer is never lost.
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

// enter reserves a place among the queued requests.
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

// answer waits for a place, runs one request and appends its answer.
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
		// For example, the answer is too large for an event. The page gets at least the error.
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

// read parses a request's payload strictly; null means an empty object.
func read[T any](payload json.RawMessage) (v T, err error) {
	if len(payload) == 0 || string(payload) == "null" {
		return v, nil
	}
	return strictjson.Decode[T](payload)
}
