package wschat

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// runs holds the calls from the peer that are running.
type runs struct {
	mu    sync.Mutex
	ids   map[string]bool
	slots chan struct{}
	all   sync.WaitGroup
	// answering is held from when an ID may be reused until its result was written. Only one call
	// at a time is therefore missing from ids.
	answering chan struct{}
}

// begin registers a call. full means that there are too many calls, and twice that one with this ID
// is running.
func (r *runs) begin(id string) (full, twice bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids, r.slots, r.answering = map[string]bool{}, make(chan struct{}, InFlight), make(chan struct{}, 1)
	}
	//mutant:never ./internal/wschat TestDuplicateID
	if r.ids[id] {
		return false, true
	}
	//mutant:never ./internal/wschat TestExecutorQueue
	if len(r.ids) >= InFlight+Queue {
		return true, false
	}
	r.ids[id] = true
	r.all.Add(1)
	return false, false
}

func (r *runs) end(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
}

func (r *runs) wait() { r.all.Wait() }

// execute starts a call from the peer and returns at once. It returns false if the socket must be
// closed.
func (s *Socket) execute(ctx context.Context, c Call) bool {
	params, err := s.own(c)
	if err != nil {
		return s.answer(ctx, Result{ID: c.ID, Error: fault.As(err).Text}) && s.tolerate()
	}
	//mutant:never ./internal/wschat TestReadOnlyPeer
	if c.Tool == ApplyChange && !s.Writes {
		return s.answer(ctx, Result{ID: c.ID, Error: "this connection is read-only: nothing was changed"})
	}
	full, twice := s.running.begin(c.ID)
	switch {
	case twice:
		// A result with this ID would be taken for that of the running call.
		return s.complain(ctx, "DUPLICATE_TOOL_CALL_ID", "A call with this toolCallId is already running; this one was not run.")
	case full:
		return s.answer(ctx, Result{ID: c.ID, Error: fmt.Sprintf("too many running calls (max %d); this one was not run",
			InFlight+Queue)})
	}
	s.Log.Info("agent chat: a call arrived", "session", s.Session, "caller", s.Caller, "toolCallId", c.ID, "tool",
		logged(c.Tool))
	go func() {
		defer s.running.all.Done()
		r := s.run(ctx, c, params)
		s.running.answering <- struct{}{}
		defer func() { <-s.running.answering }()
		//mutant:drop ./internal/wschat TestIDUsedAgain
		s.running.end(c.ID) // the peer may reuse the ID once it has the result
		s.answer(ctx, r)
	}()
	return true
}

// run runs a call from the peer when its turn comes.
func (s *Socket) run(ctx context.Context, c Call, params map[string]any) (r Result) {
	failed := func(text string) Result { return Result{ID: c.ID, Error: text} }
	within := s.Timing.Call
	if c.Tool == ApplyChange {
		within -= s.Timing.Call / 6 // before the peer's timeout: after 25 of its 30 seconds
	}
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	select {
	case s.running.slots <- struct{}{}:
		defer func() { <-s.running.slots }()
	case <-ctx.Done():
		return failed("timed out in the queue; it was not run")
	}
	// A panic, such as one caused by a file, must end only this call.
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("agent chat: a tool panicked", "toolCallId", c.ID, "tool", logged(c.Tool))
			r = failed("internal error in Say Ur Intent")
		}
	}()
	if !s.still(ctx) {
		return failed("access has ended; it was not run")
	}
	args, err := raw(params)
	if err != nil {
		return failed("the parameters are unreadable")
	}
	from := s.Now()
	text, err := s.Tools.Invoke(ctx, c.Tool, args)
	took := s.Now().Sub(from)
	if err != nil {
		s.Log.Info("agent chat: a call failed", "toolCallId", c.ID, "executionTime", took.Milliseconds())
		return failed(err.Error())
	}
	s.Log.Info("agent chat: a call was answered", "toolCallId", c.ID, "bytes", len(text), "executionTime",
		took.Milliseconds())
	return Result{ID: c.ID, Success: true, Text: text, Millis: float64(max(took, 0)) / float64(time.Millisecond)}
}

// logged returns the name of a tool for the log. An unknown name comes from the peer and is not
// logged.
func logged(tool string) string {
	if toolForm.MatchString(tool) {
		return tool
	}
	return "none of the four"
}
