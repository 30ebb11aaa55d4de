// Package worker runs long work as tasks, and answers requests from pages.
//
// It knows no tool, page or protocol. Work is a function; the store keeps the tasks.
package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Limits of tasks.
const (
	// DefaultDeadline is the deadline of a task without one.
	DefaultDeadline = 15 * time.Minute
	lease           = 30 * time.Second // time without renewal after which a process counts as gone
	beat            = 5 * time.Second  // interval of lease renewals
	mostResult      = 128 << 10        // maximum bytes of a result
	endTime         = 5 * time.Second  // time for storing the end of a task
)

// Tasks keeps tasks, as bus.Tasks.
type Tasks interface {
	CreateTask(ctx context.Context, t bus.Task) (bus.Task, error)
	StepTask(ctx context.Context, id string, s bus.Step) (bus.Task, bool, error)
	HoldTask(ctx context.Context, id string, until time.Time) (cancelled bool, err error)
}

// Job describes a task. A zero Deadline means DefaultDeadline.
type Job struct {
	Session  string
	Kind     bus.Kind
	Tool     string // dotted name of the tool
	Deadline time.Duration
	// Message returns the current state of the work, for a job that reports only changes. If it is
	// nil, the last reported message is current.
	Message func() string
}

// Tell reports a stage of a task, with a message for users and the progress from 0 to 1. It returns
// an error if the task has ended; the work should then stop.
type Tell func(stage, message string, done float64) error

// Work runs a task and returns its result, which must encode as JSON. It stops when ctx ends.
type Work func(ctx context.Context, tell Tell) (any, error)

// Runner runs tasks in this process. It is safe for concurrent use.
type Runner struct {
	tasks Tasks
	hub   *events.Hub
	now   func() time.Time
	all   context.Context
	stop  context.CancelFunc

	mu      sync.Mutex // makes Start happen before Close
	closed  bool
	running map[string]func() string // Message functions of tasks
	work    sync.WaitGroup
}

// NewRunner returns a Runner that learns of cancellations from the hub. Close ends it.
func NewRunner(tasks Tasks, hub *events.Hub, now func() time.Time) *Runner {
	r := &Runner{tasks: tasks, hub: hub, now: now, running: map[string]func() string{}}
	r.all, r.stop = context.WithCancel(context.Background())
	return r
}

// Close interrupts running tasks and waits for them. No task starts afterward.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.work.Wait()
}

// Start stores a task and then starts its work. The task outlives the call.
func (r *Runner) Start(ctx context.Context, j Job, work Work) (bus.Task, error) {
	if j.Deadline == 0 {
		j.Deadline = DefaultDeadline
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return bus.Task{}, fault.New(fault.RequestAborted, "This process is ending.")
	}
	now := r.now()
	t, err := r.tasks.CreateTask(ctx, bus.Task{Session: j.Session, Kind: j.Kind, Tool: j.Tool,
		DeadlineAt: now.Add(j.Deadline), LeaseUntil: now.Add(lease)})
	if err != nil {
		return bus.Task{}, err
	}
	r.running[t.ID] = j.Message
	r.work.Go(func() {
		r.run(t, j.Deadline, work)
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, t.ID)
	})
	return t, nil
}

// Running returns the number of running tasks.
func (r *Runner) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.running)
}

// Message returns the current state of a task's work, or "" if its last reported message is
// current.
func (r *Runner) Message(id string) string {
	r.mu.Lock()
	message := r.running[id]
	r.mu.Unlock()
	if message == nil {
		return ""
	}
	return message()
}

// Causes for canceling a task's context.
var (
	errCancelled = errors.New("the task was cancelled")
	errTimeout   = errors.New("the deadline of the task is over")
)

// run runs a task's work and stores its end. If the task has ended in the meantime, because its
// time ran out or this process seemed gone, it keeps that end.
func (r *Runner) run(t bus.Task, span time.Duration, work Work) {
	timed, end := context.WithTimeoutCause(bus.WithConversation(r.all, t.Session), span, errTimeout)
	defer end()
	ctx, cancel := context.WithCancelCause(timed)
	held := make(chan struct{})
	go func() { defer close(held); r.hold(ctx, t.ID, cancel) }()
	result, err := guarded(ctx, work, r.teller(ctx, t.ID, cancel))
	cause := context.Cause(ctx)
	cancel(nil)
	<-held
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	// If this fails, the task ends with its lease, as interrupted.
	_, _, _ = r.tasks.StepTask(last, t.ID, ending(result, err, cause))
}

// hold renews the task's lease until ctx ends, and cancels the work if cancellation was requested.
func (r *Runner) hold(ctx context.Context, id string, cancel context.CancelCauseFunc) {
	changed := r.hub.Watch(events.Subject{Kind: events.Task, ID: id})
	defer changed.Close()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed.C:
		case <-tick.C:
		}
		// One failed write is harmless: the lease lasts many intervals.
		if stop, err := r.tasks.HoldTask(ctx, id, r.now().Add(lease)); err == nil && stop {
			cancel(errCancelled)
			return
		}
	}
}

func (r *Runner) teller(ctx context.Context, id string, cancel context.CancelCauseFunc) Tell {
	return func(stage, message string, done float64) error {
		_, took, err := r.tasks.StepTask(ctx, id, bus.Step{Stage: stage, Message: message, Progress: &done})
		if err == nil && !took {
			cancel(errCancelled)
			return errCancelled
		}
		return err
	}
}

// guarded runs the work and turns a panic into an error.
func guarded(ctx context.Context, work Work, tell Tell) (result any, err error) {
	defer fault.Recover(&err)
	return work(ctx, tell)
}

// ending returns the step that ends a task. Work that failed is a completed task with an error; an
// interrupted task has failed.
func ending(result any, err, cause error) bus.Step {
	switch {
	case err == nil:
		// No HTML escapes: agents read the result, and each escape takes six characters.
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(result); err != nil || text.Len() > mostResult {
			return bus.Step{End: bus.Completed, Error: "the result is too large"}
		}
		return bus.Step{End: bus.Completed, Result: bytes.TrimSpace(text.Bytes())}
	case errors.Is(cause, errCancelled):
		return bus.Step{End: bus.Cancelled, Error: bus.ErrorCancelled}
	case errors.Is(cause, errTimeout):
		return bus.Step{End: bus.Completed, Error: bus.ErrorTimeout}
	case cause != nil:
		return bus.Step{End: bus.TaskFailed, Error: bus.ErrorInterrupted}
	}
	f := fault.As(err)
	return bus.Step{End: bus.Completed, Error: string(f.Code) + ": " + f.Text}
}
