// Package bus holds the words of the system bus: one durable append-only log of
// events that persons, agents and the program read, each with a cursor of its own.
//
// It does no I/O. An engine implements Log; package bustest is the suite that every
// engine has to pass.
package bus

import (
	"context"
	"encoding/json"
	"time"
)

// Seq is the place of an event in its log. It grows with every event and is never used
// twice in one log.
type Seq int64

// Audience says who may see an event.
type Audience uint8

// The audiences. Inside are the waiting calls and page streams of this program, which
// hear that a thing changed and read it again.
const (
	Inside Audience = 1 << iota
	UI
	Agent
	System
)

// audiences lists the single audiences.
var audiences = []Audience{Inside, UI, Agent, System}

// Split returns the single audiences in a.
func (a Audience) Split() (all []Audience) {
	for _, one := range audiences {
		if a&one != 0 {
			all = append(all, one)
		}
	}
	return all
}

// Event is one entry of the log. Seq and At are the engine's.
type Event struct {
	Seq      Seq
	At       time.Time
	Type     Type
	Subject  string // the thing that changed: "review/<id>", "task/<id>"
	Session  string // the conversation that it belongs to; "" is none in particular
	Audience Audience
	// Dedup makes an event of the same session and type with the same key a
	// repetition; "" makes none.
	Dedup   string
	Payload json.RawMessage // the tagged JSON object; nothing outside it is the event
}

// Appended is what became of one appended event: its place, or the place of the first
// of which it is a repetition.
type Appended struct {
	Seq       Seq
	Duplicate bool
}

// Filter chooses events. The zero value of a member chooses all, but Sees must be set.
type Filter struct {
	Session string   // its events and those of no session; "" chooses only the latter
	Sees    Audience // any of these
	Subject string
	Types   []Type
}

// Consumer is a reader with a stored cursor.
type Consumer struct {
	Name string // unique in the store
	Filter
}

// Page is a run of events, oldest first.
type Page struct {
	Events []Event
	// Next is the cursor after them; an empty page moves it to the end of the log.
	Next Cursor
	More bool // there are further events at present
	// Truncated says that events after the reader's cursor and before these are
	// gone, or that the cursor belongs to another log.
	Truncated bool
}

// State is what stands at one place of the log, read in one transaction with it.
type State struct {
	Cursor Cursor
	// Requests are the open wallet requests of the session, oldest first.
	Requests []WalletTxRequest
	// Tasks are the tasks of the session that have not ended, oldest first.
	Tasks []Task
}

// Policy is how long events are kept.
type Policy struct {
	Age      time.Duration // of any event
	Rows     int           // of one session
	AgentAge time.Duration // the least that an event for the agent is kept
}

// Log is one durable append-only log. Its methods may be called from several
// goroutines, and several processes may have the same log open.
type Log interface {
	Reader
	// Append stores events in one transaction, all or none, and wakes who waits for
	// them. It refuses what Event.Check refuses. Changes of the store's own things
	// append their events in the transaction that makes them true instead.
	Append(ctx context.Context, list ...Event) ([]Appended, error)
	// Trim removes what the policy no longer keeps, and ended tasks whose time is over.
	Trim(ctx context.Context, p Policy) error
}

// Reader is what readers of a log ask.
type Reader interface {
	// ID names the log: random, made with the store, another one after a restore.
	ID(ctx context.Context) (string, error)
	// Read returns the events after the consumer's cursor, at most so many. It does not
	// move the cursor. An unknown consumer starts at the beginning.
	Read(ctx context.Context, c Consumer, most int) (Page, error)
	// Advance moves the consumer's cursor forward; moving it back changes nothing.
	Advance(ctx context.Context, c Consumer, to Seq) error
	// Since returns the events after a cursor that the caller keeps.
	Since(ctx context.Context, from Cursor, f Filter, most int) (Page, error)
	// Wait returns when there is an event after a place, or with the error of ctx.
	Wait(ctx context.Context, f Filter, after Seq) error
	// Snapshot returns the state of a session and the cursor that continues it.
	Snapshot(ctx context.Context, session string) (State, error)
}

// Tasks keeps tasks. Every change of one is in one transaction with the events that
// tell of it.
type Tasks interface {
	TaskReader
	// CreateTask stores a task and returns it with its id; fault.RateLimited where too
	// many of the session run. Reviews make their own task when they are prepared.
	CreateTask(ctx context.Context, t Task) (Task, error)
	// StepTask takes a step; false where the task had ended and nothing changed.
	StepTask(ctx context.Context, id string, s Step) (Task, bool, error)
	// CancelTask asks whoever works on a task to stop. One that has ended stays so.
	CancelTask(ctx context.Context, id string) (Task, error)
	// HoldTask says that the process which works on a task is alive until a time, and
	// returns whether it should stop.
	HoldTask(ctx context.Context, id string, until time.Time) (cancelled bool, err error)
	// SettleTasks ends the tasks whose time or whose process is over. A review's task is
	// not among them: it ends with its review.
	SettleTasks(ctx context.Context) error
}

// TaskReader is what readers of tasks ask.
type TaskReader interface {
	// Task returns a task, or fault.SessionNotFound.
	Task(ctx context.Context, id string) (Task, error)
	// TaskOf returns the latest task about a subject, false where there is none.
	TaskOf(ctx context.Context, subject string) (Task, bool, error)
	// ListTasks returns the tasks of a session that a filter chooses, the latest first, at
	// most so many.
	ListTasks(ctx context.Context, session string, f TaskFilter, most int) ([]Task, error)
}
