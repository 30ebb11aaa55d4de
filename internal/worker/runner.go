// Package worker runs tasks in the background, and responds to requests of pages.
//
// It does not depend on tools, pages or protocols: the work of a task is a function, and tasks are
// kept by the store.
package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Limits of tasks.
const (
	// DefaultDeadline is the deadline of a task without one.
	DefaultDeadline = 15 * time.Minute
	lease           = 30 * time.Second // time after which a process that does not renew a lease counts as gone
	beat            = 5 * time.Second  // interval of lease renewals
	mostResult      = 128 << 10        // maximum size of a result in bytes
	endTime         = 5 * time.Second  // timeout for storing the end of a task
)

// Tasks stores tasks, like bus.Tasks.
type Tasks interface {
	CreateTask(ctx context.Context, t bus.Task) (bus.Task, error)
	StepTask(ctx context.Context, id string, s bus.Step) (bus.Task, bool, error)
	HoldTask(ctx context.Context, id string, until time.Time) (cancelled bool, err error)
}

// Job describes a task. If Deadline is zero, DefaultDeadline is used.
type Job struct {
	Session  string
	Kind     bus.Kind
	Tool     string // dotted name of the tool
	Deadline time.Duration
	// Message returns the current state of the work. It is nil for work that always reports its
	// current state through Tell.
	Message func() string
}

// Tell reports the progress of a task: its stage, a message for users, and a fraction from 0 to 1.
// It returns an error if the task has ended, and the work should stop.
type Tell func(stage, message string, done float64) error

// Work does the work of a task until ctx ends. Its result must be encodable as JSON.
type Work func(ctx context.Context, tell Tell) (any, error)

// Runner runs tasks in this process. It is safe for concurrent use.
type Runner struct {
	tasks Tasks
	hub   *events.Hub
	now   func() time.Time
	all   context.Context
	stop  context.CancelFunc

	mu      sync.Mutex // orders Start before Close
	closed  bool
	running map[string]func() string // Message functions of running tasks, by task ID
	work    sync.WaitGroup
}

// NewRunner returns a Runner, which learns from the hub when a task is canceled. The caller must
// Close it.
func NewRunner(tasks Tasks, hub *events.Hub, now func() time.Time) *Runner {
	r := &Runner{tasks: tasks, hub: hub, now: now, running: map[string]func() string{}}
	r.all, r.stop = context.WithCancel(context.Background())
	return r
}

// Close interrupts all tasks and waits for them to end. No new task can start.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.work.Wait()
}

// Start stores a task and starts its work, which continues after ctx ends.
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

// Message returns the current state of a task's work, or "" if the last message that it reported is
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

// Reasons for canceling a task's context.
var (
	errCancelled = errors.New("the task was cancelled")
	errTimeout   = errors.New("the deadline of the task is over")
)

// run runs the work of a task and stores how it ended. If the task was ended before, because it
// timed out or this process seemed to be gone, that end remains.
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
	// If this fails, the task is ended as interrupted when its lease expires.
	_, _, _ = r.tasks.StepTask(last, t.ID, ending(result, err, cause))
}

// hold renews the lease of a task until ctx ends. It cancels the work when cancellation was
// requested.
func (r *Runner) hold(ctx context.Context, id string, cancel context.CancelCauseFunc) {
	changed := r.hub.Watch(events.Subject{Kind: events.Task, ID: id})
	defer changed.Close()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		// A single failure is harmless, because the lease lasts for several intervals.
		if stop, err := r.tasks.HoldTask(ctx, id, r.now().Add(lease)); err == nil && stop {
			cancel(errCancelled)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed.C:
		case <-tick.C:
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

// guarded does the work and returns a panic as an error.
func guarded(ctx context.Context, work Work, tell Tell) (result any, err error) {
	defer fault.Recover(&err)
	return work(ctx, tell)
}

// ending returns the last step of a task. If the work failed, the task is completed with an error.
// If the work was interrupted, the task has failed.
func ending(result any, err, cause error) bus.Step {
	switch {
	case err == nil:
		text, err := strictjson.Encode(result)
		if err != nil || len(text) > mostResult {
			return bus.Step{End: bus.Completed, Error: "the result is too large"}
		}
		return bus.Step{End: bus.Completed, Result: text}
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
