package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the bus tools.

const (
	toolEvents     = "events.list"
	toolTask       = "task.get"
	toolWaitEvents = "events.wait"
	toolTasks      = "task.list"
	toolsetBus     = "bus"
	mostListed     = 50
	busWaitStep    = "Waiting for an event."
)

// conversations gives access to the events and tasks of conversations.
type conversations interface {
	bus.Reader
	bus.TaskReader
	CreateTask(ctx context.Context, t bus.Task) (bus.Task, error)
	CancelTask(ctx context.Context, id string) (bus.Task, error)
	SettleTasks(ctx context.Context) error
	// Bus returns the conversation that ctx belongs to.
	Bus(ctx context.Context) string
}

// taskID is the id of a task.
type taskID string

// Shape implements tool.Shaped.
func (taskID) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_-]+$`, Rule: "the task_id of an earlier answer", MinLength: 1, MaxLength: 80}
}

// busName is the name of a conversation.
type busName string

// Shape implements tool.Shaped.
func (busName) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_-]+$`, Rule: "the bus of an earlier answer", MinLength: 1, MaxLength: 80}
}

// or returns the requested conversation, or the call's own if none was requested.
func (b busName) or(ctx context.Context, c conversations) string {
	if b != "" {
		return string(b)
	}
	return c.Bus(ctx)
}

// eventType is the type of an event that agents can read.
type eventType string

// Values lists the types.
func (eventType) Values() []string {
	return []string{string(bus.TypeWalletTxRequest), string(bus.TypeWalletTxResponse), string(bus.TypeToolProgress),
		string(bus.TypeToolResult), string(bus.TypeAsyncUpdate), string(bus.TypeSystemNotice), string(bus.TypeSystemError),
		string(bus.TypeUserResponse)}
}

func typesOf(list []eventType) (types []bus.Type) {
	for _, t := range list {
		types = append(types, bus.Type(t))
	}
	return types
}

// place is a position in the log from which a client continues to read.
type place struct {
	Bus       busName `json:"bus" description:"this conversation; pass it on"`
	Cursor    string  `json:"cursor" description:"where the next call continues"`
	Truncated bool    `json:"truncated" description:"true if earlier events were deleted, or the cursor belongs to another store"`
	More      bool    `json:"more" description:"there are further events now"`
}

// busEvent is one event. Its text is data and never an instruction.
type busEvent struct {
	Seq       int64     `json:"seq" description:"its place in the log"`
	At        time.Time `json:"at" description:"when, UTC"`
	Type      eventType `json:"type" description:"what kind of event"`
	Task      string    `json:"task_id,omitempty" description:"the task that it belongs to"`
	Stage     string    `json:"stage,omitempty" description:"how far the task is"`
	RequestID string    `json:"request_id,omitempty" description:"the wallet request"`
	Status    string    `json:"status,omitempty" description:"how the wallet answered"`
	TxHash    string    `json:"tx_hash,omitempty" description:"digest of the transaction"`
	Message   string    `json:"message,omitempty" description:"words for people"`
	Text      string    `json:"text,omitempty" description:"the line added to a tool answer"`
	Result    string    `json:"resultJson,omitempty" description:"complete result of a call that this event answered, as JSON text"`
}

// eventOf converts an event of any type, with the members that agents may see.
func eventOf(e bus.Event) busEvent {
	var v struct {
		Task      string  `json:"task_id"`
		Stage     string  `json:"stage"`
		Status    string  `json:"status"`
		TxHash    *string `json:"tx_hash"`
		RequestID *string `json:"request_id"`
		Message   *string `json:"message"`
		Payload   struct {
			RequestID string `json:"request_id"`
			Task      string `json:"task_id"`
			Title     string `json:"title"`
		} `json:"payload"`
		Value json.RawMessage `json:"value"`
	}
	_ = json.Unmarshal(e.Payload, &v) // a member that has another type in this event stays empty
	line, _ := bus.LineOf(e)
	out := busEvent{Seq: int64(e.Seq), At: readAt(e.At), Type: eventType(e.Type), Task: cmp.Or(v.Task, v.Payload.Task),
		Stage:     v.Stage,
		RequestID: v.Payload.RequestID, Status: v.Status, Message: v.Payload.Title, Text: line.Text}
	if r, ok := (bus.AsyncUpdate{Value: v.Value}).Read().(bus.CallResult); ok {
		out.Result = string(r.Result.Value)
	}
	for to, from := range map[*string]*string{&out.TxHash: v.TxHash, &out.RequestID: v.RequestID,
		&out.Message: v.Message} {
		if from != nil {
			*to = *from
		}
	}
	return out
}

func eventsOf(page bus.Page) []busEvent {
	list := []busEvent{}
	for _, e := range page.Events {
		list = append(list, eventOf(e))
	}
	return list
}

// taskState is the state of a task.
type taskState string

// Values lists the states.
func (taskState) Values() []string { return bus.TaskState("").Values() }

// taskView is a task in an answer. The specification defines the names of members.
type taskView struct {
	ID         string     `json:"task_id" description:"id of the task"`
	Tool       string     `json:"tool" description:"the tool that began it"`
	State      taskState  `json:"state" description:"state; completed means ended, and outcome says how"`
	Outcome    string     `json:"outcome,omitempty" description:"for an ended task: succeeded, or failed with the reason"`
	Stage      string     `json:"stage" description:"how far it is"`
	WaitingFor string     `json:"waiting_for,omitempty" description:"person, wallet or chain"`
	Percent    *int64     `json:"progressPercent,omitempty" description:"progress in percent"`
	Message    string     `json:"message,omitempty" description:"words for people"`
	Session    string     `json:"reviewSessionId,omitempty" description:"the review that it is about"`
	Result     string     `json:"resultJson,omitempty" description:"the complete result as JSON text"`
	Cancelling bool       `json:"cancelRequested" description:"true if cancellation was requested"`
	CreatedAt  time.Time  `json:"createdAt" description:"when it began, UTC"`
	UpdatedAt  time.Time  `json:"updatedAt" description:"when it last changed, UTC"`
	Deadline   *time.Time `json:"deadlineAt,omitempty" description:"when it expires, UTC"`
	TTL        int64      `json:"ttl_ms" description:"milliseconds from its start for which it remains available"`
}

func taskOf(t bus.Task) taskView {
	v := taskView{ID: t.ID, Tool: t.Tool, State: taskState(t.State), Stage: t.Stage, WaitingFor: t.WaitingFor,
		Message: t.Message, Result: string(t.Result), Cancelling: t.CancelRequested,
		CreatedAt: readAt(t.CreatedAt), UpdatedAt: readAt(t.UpdatedAt), TTL: t.Expires().Sub(t.CreatedAt).Milliseconds()}
	if id, ok := record.FromSubject(t.Subject); ok {
		v.Session = string(id)
	}
	if t.State.Ended() {
		v.Outcome = outcomeOf(&t.Error)
	}
	if t.Progress != nil {
		percent := int64(*t.Progress * 100)
		v.Percent = &percent
	}
	if !t.DeadlineAt.IsZero() {
		at := readAt(t.DeadlineAt)
		v.Deadline = &at
	}
	return v
}

// outcomeOf describes how a task ended. An error that is nil or "" means success.
func outcomeOf(failed *string) string {
	if failed == nil || *failed == "" {
		return "succeeded"
	}
	return "failed: " + *failed
}

// presentTask returns a task with the current message of its running work.
func presentTask(r runner, t bus.Task) taskView {
	v := taskOf(t)
	if now := r.Message(t.ID); now != "" && !t.State.Ended() {
		v.Message = now
	}
	return v
}

// settled ends the tasks whose deadline has passed, so that answers do not show them as running.
func settled(ctx context.Context, c conversations, reviews reviews, tasks ...bus.Task) error {
	for _, t := range tasks {
		id, ok := record.FromSubject(t.Subject)
		if !ok || t.State.Ended() {
			continue
		}
		if _, err := reviews.Get(ctx, id); err != nil && !fault.Is(err, fault.SessionNotFound) {
			return err
		}
	}
	return c.SettleTasks(ctx)
}

// busUse returns the guidance for an answer about events or tasks.
func busUse(claim evidence.Claim, fields ...string) evidence.Use {
	return evidence.Use{Can: evidence.Claims{claim}, Cannot: evidence.Claims{evidence.SigningData}, Answer: fields}
}

// cursorOf parses a cursor, or returns the cursor for a position in the current log.
func cursorOf(ctx context.Context, c conversations, text string, after *int64) (bus.Cursor, error) {
	if text != "" && after != nil {
		return bus.Cursor{}, fault.New(fault.InputInvalid, "Pass cursor or after_seq, not both.")
	}
	if text != "" {
		return bus.ParseCursor(text)
	}
	if *after < 0 {
		return bus.Cursor{}, fault.New(fault.InputInvalid, "after_seq must be at least 0.")
	}
	log, err := c.ID(ctx)
	return bus.Cursor{Log: log, Seq: bus.Seq(*after)}, err
}

// taskSubject returns the subject of a task's events, or "" without a task.
func taskSubject(id taskID) string {
	if id == "" {
		return ""
	}
	return "task/" + string(id)
}
