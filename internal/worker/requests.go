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

// Limits on requests of pages.
const (
	atOnce      = 4                // requests that run concurrently
	mostWaiting = 64               // requests that wait
	answerTime  = 15 * time.Second // timeout of one request
)

// Error codes of answers, in addition to those of package fault.
const (
	ErrorUnknownKind = "unknown_kind"
	ErrorBusy        = "busy"
)

// Handler responds to one kind of request. A page defines the payload, and only pages of the
// conversation receive the result.
type Handler func(ctx context.Context, session string, payload json.RawMessage) (any, error)

// Log appends events, like bus.Log.
type Log interface {
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
}

// Requests responds to requests of pages. A request is kept only in memory until its answer is
// stored.
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

// NewRequests returns a Requests with the given handlers. The caller must Close it.
func NewRequests(log Log, kinds map[string]Handler) *Requests {
	w := &Requests{log: log, kinds: kinds, span: answerTime, slots: make(chan struct{}, atOnce)}
	w.all, w.stop = context.WithCancel(context.Background())
	return w
}

// Close aborts running requests with an error and waits for them to end.
func (w *Requests) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop()
	w.work.Wait()
}

// Ask stores a page's request and returns. An event with the answer follows. If a request with the
// same ID was stored before, Ask returns true and does nothing.
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
		// One transaction stores the request and its rejection, so that neither exists without the
		// other.
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

// enter adds a request to the queue. It returns false if the queue is full.
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

// answer waits for its turn, runs the handler and appends the answer.
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
		// The answer may be too large for an event. The page then receives an error instead.
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

// read strictly decodes a payload. It treats null as an empty object.
func read[T any](payload json.RawMessage) (v T, err error) {
	if len(payload) == 0 || string(payload) == "null" {
		return v, nil
	}
	return strictjson.Decode[T](payload)
}
