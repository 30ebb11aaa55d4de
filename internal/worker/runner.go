// Package worker does what nobody waits for in one call: long work as tasks, and what
// pages ask of the program.
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
	// DefaultDeadline ends a task that names no deadline of its own.
	DefaultDeadline = 15 * time.Minute
	lease           = 30 * time.Second // a process that is silent for so long is taken to be gone
	beat            = 5 * time.Second  // between two signs of life
	mostResult      = 128 << 10        // bytes of a result
	endTime         = 5 * time.Second  // for storing how a task ended
)

// Tasks keeps tasks, as bus.Tasks.
type Tasks interface {
	CreateTask(ctx context.Context, t bus.Task) (bus.Task, error)
	StepTask(ctx context.Context, id string, s bus.Step) (bus.Task, bool, error)
	HoldTask(ctx context.Context, id string, until time.Time) (cancelled bool, err error)
}

// Job says what a task is. A zero Deadline is DefaultDeadline.
type Job struct {
	Session  string
	Kind     bus.Kind
	Tool     string // dotted name
	Deadline time.Duration
	// Message returns the state of the work, for a job that reports only its changes.
	// If it is nil, the last reported message is current.
	Message func() string
}

// Tell reports a stage of a task, with words for people and how much is done, from 0 to
// 1. It fails when the task has ended, and then the work should end too.
type Tell func(stage, message string, done float64) error

// Work does a task and returns its result as JSON can hold it. It ends when ctx ends.
type Work func(ctx context.Context, tell Tell) (any, error)

// Runner does tasks in this process. It is safe for concurrent use.
type Runner struct {
	tasks Tasks
	hub   *events.Hub
	now   func() time.Time
	all   context.Context
	stop  context.CancelFunc

	mu      sync.Mutex // orders Start before Close
	closed  bool
	running map[string]func() string // the messages of tasks
	work    sync.WaitGroup
}

// NewRunner returns a Runner that hears of cancellations by the hub; Close ends it.
func NewRunner(tasks Tasks, hub *events.Hub, now func() time.Time) *Runner {
	r := &Runner{tasks: tasks, hub: hub, now: now, running: map[string]func() string{}}
	r.all, r.stop = context.WithCancel(context.Background())
	return r
}

// Close interrupts what runs and waits for its end. Nothing starts afterwards.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.work.Wait()
}

// Start stores a task and begins its work once it is stored. The task outlives the call.
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

// Running returns how many tasks are being done.
func (r *Runner) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.running)
}

// Message returns the state of a task's work, or "" if its last reported message is
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

// The causes for which a task's context ends.
var (
	errCancelled = errors.New("the task was cancelled")
	errTimeout   = errors.New("the deadline of the task is over")
)

// run does the work of a task and stores one end. Where the task ended meanwhile, by
// its time or because this process seemed gone, that end stands and this one is none.
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
	// What cannot be stored ends with the lease, as interrupted.
	_, _, _ = r.tasks.StepTask(last, t.ID, ending(result, err, cause))
}

// hold says that the work continues, until ctx ends, and ends it when it was canceled.
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
		// A store that fails once is asked again: the lease is many beats long.
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

// guarded does the work; a panic in it is an error.
func guarded(ctx context.Context, work Work, tell Tell) (result any, err error) {
	defer fault.Recover(&err)
	return work(ctx, tell)
}

// ending returns the one step that ends a task. A failure of the work is a completed task with an
// error; an interrupted one has failed.
func ending(result any, err, cause error) bus.Step {
	switch {
	case err == nil:
		// Without HTML escapes: agents read it, and each one costs them six characters.
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
