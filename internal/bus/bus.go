// Package bus defines the types of the system bus: one durable, append-only log of events for
// users, agents and the program. Each reader has its own cursor.
//
// It does no I/O. An engine implements Log; package bustest is the test suite for engines.
package bus

import (
	"context"
	"encoding/json"
	"time"
)

// Seq is the position of an event in its log. It increases with every event and is never reused
// within a log.
type Seq int64

// Audience is a set of readers that may see an event.
type Audience uint8

// The audiences. Inside is this program itself: waiting calls and page streams, which read changed
// data again.
const (
	Inside Audience = 1 << iota
	UI
	Agent
	System
)

// audiences lists the individual audiences.
var audiences = []Audience{Inside, UI, Agent, System}

// Split returns the individual audiences in a.
func (a Audience) Split() (all []Audience) {
	for _, one := range audiences {
		if a&one != 0 {
			all = append(all, one)
		}
	}
	return all
}

// Event is an entry of the log. The engine sets Seq and At.
type Event struct {
	Seq      Seq
	At       time.Time
	Type     Type
	Subject  string // the object concerned, such as "review/<id>" or "task/<id>"
	Session  string // owning conversation; "" if none
	Audience Audience
	// Dedup is a key that makes an event a duplicate of an earlier one with the same session, type
	// and key. "" means that the event is never a duplicate.
	Dedup   string
	Payload json.RawMessage // content: a JSON object with its type
}

// Appended is the result of appending an event: its position, or the position of the event that it
// duplicates.
type Appended struct {
	Seq       Seq
	Duplicate bool
}

// Filter selects events. Sees is required. Subject and Types match all events if they are zero.
type Filter struct {
	Session string   // selects events of this session and of none; "" selects only the latter
	Sees    Audience // selects events for any of these audiences
	Subject string
	Types   []Type
}

// Consumer is a reader with a stored cursor.
type Consumer struct {
	Name string // unique within the store
	Filter
}

// Page is a sequence of events, oldest first.
type Page struct {
	Events []Event
	// Next is the cursor after the page. If the page is empty, it is the end of the log.
	Next Cursor
	More bool // more events are available
	// Truncated reports that the reader missed events: some after its cursor were removed, or the
	// cursor belongs to another log.
	Truncated bool
}

// State is a session's state at one position of the log.
type State struct {
	Cursor Cursor
	// Requests are the session's open wallet requests, oldest first.
	Requests []WalletTxRequest
	// Tasks are the session's running tasks, oldest first.
	Tasks []Task
}

// Policy determines how long events are kept.
type Policy struct {
	Age      time.Duration // maximum age of any event
	Rows     int           // maximum rows per session
	AgentAge time.Duration // minimum age of events for the agent when rows are limited
}

// Log is a durable append-only log. Its methods are safe for concurrent use. Several processes may
// have the same log open.
type Log interface {
	Reader
	// Append stores events atomically and wakes their readers. It returns the error of Event.Check
	// for an invalid event. The store does not use Append for changes of its own data: it appends
	// those events in the transaction of the change.
	Append(ctx context.Context, list ...Event) ([]Appended, error)
	// Trim removes events according to the policy, and ended tasks that have expired.
	Trim(ctx context.Context, p Policy) error
}

// Reader is the reading part of a log.
type Reader interface {
	// ID returns the random ID of the log. It is chosen when the store is created, and again when
	// all data is erased or restored.
	ID(ctx context.Context) (string, error)
	// Read returns up to limit events after the consumer's cursor, without moving it. An unknown
	// consumer starts at the beginning.
	Read(ctx context.Context, c Consumer, most int) (Page, error)
	// Advance moves the consumer's cursor forward to a position. It never moves the cursor back.
	Advance(ctx context.Context, c Consumer, to Seq) error
	// Since returns up to most events after a cursor that the caller keeps.
	Since(ctx context.Context, from Cursor, f Filter, most int) (Page, error)
	// Wait returns when there is a matching event after a position, or with ctx's error.
	Wait(ctx context.Context, f Filter, after Seq) error
	// Snapshot returns the state of a session and the cursor from which to continue.
	Snapshot(ctx context.Context, session string) (State, error)
}

// Tasks stores tasks. A change of a task and its events are one transaction.
type Tasks interface {
	TaskReader
	// CreateTask stores a task and returns it with its ID. It returns fault.RateLimited if the
	// session has too many running tasks. Reviews create their own task when they are prepared.
	CreateTask(ctx context.Context, t Task) (Task, error)
	// StepTask applies a step. It returns false if the task had already ended.
	StepTask(ctx context.Context, id string, s Step) (Task, bool, error)
	// CancelTask asks the task's worker to stop. It does nothing if the task has ended.
	CancelTask(ctx context.Context, id string) (Task, error)
	// HoldTask extends the lease of the process that works on a task. It reports whether the
	// process should stop.
	HoldTask(ctx context.Context, id string, until time.Time) (cancelled bool, err error)
	// SettleTasks ends tasks that have exceeded their deadline or whose process has ended. The task
	// of a review ends with the review instead.
	SettleTasks(ctx context.Context) error
}

// TaskReader reads tasks.
type TaskReader interface {
	// Task returns a task, or fault.SessionNotFound.
	Task(ctx context.Context, id string) (Task, error)
	// TaskOf returns the latest task about a subject, or false if there is none.
	TaskOf(ctx context.Context, subject string) (Task, bool, error)
	// ListTasks returns up to most of a session's tasks that match a filter, newest first.
	ListTasks(ctx context.Context, session string, f TaskFilter, most int) ([]Task, error)
}
