package bus

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"maps"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Kind is the kind of a task.
type Kind string

// Kinds of tasks.
const (
	KindReview     Kind = "review"             // a prepared review, until it is final
	KindScan       Kind = "scan_activity"      // a scan of an account's past transactions
	KindInterfaces Kind = "package_interfaces" // a read of the functions of several packages
	KindQuestion   Kind = "question"           // a question to the user
	KindWatch      Kind = "watch_price"
	KindEdit       Kind = "file_change" // a change to a project's file
	KindIndex      Kind = "project_index"
	KindBundle     Kind = "bundle" // a bundle of transactions, until it ends
)

// Values lists the kinds.
func (Kind) Values() []string {
	return []string{string(KindReview), string(KindScan), string(KindInterfaces), string(KindQuestion), string(KindWatch),
		string(KindEdit), string(KindIndex), string(KindBundle)}
}

// TaskFilter selects tasks. A zero field matches all.
type TaskFilter struct {
	State TaskState
	Kind  Kind
}

// TaskState is the state of a task, as in the MCP Tasks extension.
type TaskState string

// States of a task. InputRequired means that the client must answer. A task that waits for a wallet
// is Working.
const (
	Working       TaskState = "working"
	InputRequired TaskState = "input_required"
	Completed     TaskState = "completed"
	TaskFailed    TaskState = "failed"
	Cancelled     TaskState = "cancelled"
)

// Values lists the states.
func (TaskState) Values() []string {
	return []string{string(Working), string(InputRequired), string(Completed), string(TaskFailed), string(Cancelled)}
}

// Ended reports whether the state is final.
func (s TaskState) Ended() bool { return s == Completed || s == TaskFailed || s == Cancelled }

// Errors of tasks that ended without a result.
const (
	ErrorTimeout     = "timeout"
	ErrorCancelled   = "cancelled"
	ErrorInterrupted = "interrupted" // the process working on the task ended
)

// Stages of a task that asks its client.
const (
	stageAsked    = "input_required"
	stageAnswered = "input_received"
)

// StageApproval is the stage of a file change that waits for the user's approval.
const StageApproval = "awaiting_approval"

// WaitsClient is Task.WaitingFor of a task that waits for its client's answer.
const WaitsClient = "client"

// WaitsWallet is Task.WaitingFor of a task with an open wallet request.
const WaitsWallet = "wallet"

// Task is long-running work. The call that starts it returns immediately, and the task ends with
// one result.
type Task struct {
	ID         string
	Session    string
	Kind       Kind
	Tool       string // dotted name of the tool
	Subject    string // see Event.Subject
	State      TaskState
	Stage      string
	WaitingFor string
	Progress   *float64 // 0 to 1; nil if unknown
	Message    string
	// Request is the open wallet request, or nil. RequestID identifies the last one.
	Request   json.RawMessage
	RequestID string
	// Inputs contains the questions to the client by key. Keys are never reused.
	Inputs map[string]Input
	// Question is the question to the user, or nil.
	Question *Question
	// Result is the complete result of an ended task. A failed task has an Error instead.
	Result json.RawMessage
	Error  string
	// CancelRequested asks the worker to stop.
	CancelRequested bool
	CreatedAt       time.Time
	UpdatedAt       time.Time
	DeadlineAt      time.Time // zero means none
	// LeaseUntil is when the lease of the working process ends, or zero if the task needs no
	// process.
	LeaseUntil time.Time
}

// Input is a task's question to its client, as in the MCP Tasks extension. Request is a protocol
// request and Answer the response to it, or nil if the question is open.
type Input struct {
	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

// Open returns the requests that the client has not answered.
func (t Task) Open() map[string]json.RawMessage {
	open := map[string]json.RawMessage{}
	for key, in := range t.Inputs {
		if in.Answer == nil && !t.State.Ended() {
			open[key] = in.Request
		}
	}
	return open
}

// Step is a change of a task.
type Step struct {
	Stage      string
	WaitingFor string
	Progress   *float64
	Message    string
	// Request opens a wallet request with this payload. Close closes the open one.
	Request json.RawMessage
	Close   bool
	// Ask contains new requests to the client, and Answers its responses. Answers with unknown or
	// already answered keys are ignored.
	Ask, Answers map[string]json.RawMessage
	// Response is the reported outcome of the wallet request. It closes the request.
	Response *WalletTxResponse
	// End ends the task with Result, or with Error if it failed.
	End    TaskState
	Result json.RawMessage
	Error  string
	// NoDeadline removes the deadline of the task.
	NoDeadline bool
	// Corrects allows End to replace the error of an ended task if effects on chain contradict it.
	Corrects bool
}

// NewID returns prefix followed by 128 random bits in hexadecimal.
func NewID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// Expires returns when an ended task may be deleted.
func (t Task) Expires() time.Time {
	last := t.UpdatedAt
	if t.DeadlineAt.After(last) {
		last = t.DeadlineAt
	}
	return last.Add(resultTTL)
}

// Due returns the error with which the task must end at now, or "".
func (t Task) Due(now time.Time) string {
	switch {
	case t.State.Ended():
		return ""
	case !t.LeaseUntil.IsZero() && !now.Before(t.LeaseUntil):
		return ErrorInterrupted
	case !t.DeadlineAt.IsZero() && !now.Before(t.DeadlineAt):
		return ErrorTimeout
	}
	return ""
}

// Take applies a step and returns the changed task with its events, in order. It returns false and
// no events if the task has ended. The result shares no memory with t.
func (t Task) Take(s Step, now time.Time) (Task, []Event, bool, error) {
	corrects := s.Corrects && s.End == Completed && t.State == Completed && t.Error != ""
	//mutant:never `t.State.Ended()` ./internal/bus TestOneResult
	//mutant:always `!corrects` ./internal/bus TestCorrectedResult
	if t.State.Ended() && !corrects {
		return t, nil, false, nil
	}
	if s.Ask != nil || s.Answers != nil {
		var took bool
		var err error
		if t, s, took, err = t.converse(s); err != nil || !took {
			return t, nil, false, err
		}
	}
	var bodies []Body
	if s.Stage != "" && (s.Stage != t.Stage || s.Message != t.Message || s.Progress != nil || s.Answers != nil) {
		p := ToolProgress{TaskID: t.ID, ToolName: t.Tool, Stage: s.Stage, Progress: s.Progress}
		if s.Message != "" {
			p.Message = &s.Message
		}
		bodies = append(bodies, p)
		t.Stage, t.Progress, t.Message = s.Stage, s.Progress, s.Message
	}
	t.WaitingFor, t.UpdatedAt = s.WaitingFor, now
	if s.NoDeadline {
		t.DeadlineAt = time.Time{}
	}
	if r := s.Response; r != nil {
		r := *r
		r.RequestID = t.RequestID
		bodies = append(bodies, r)
	}
	if s.Close || s.Response != nil || s.End.Ended() {
		t.Request = nil
	}
	if s.Request != nil {
		payload, id, err := named(s.Request, t.ID)
		if err != nil {
			return t, nil, false, err
		}
		t.Request, t.RequestID, t.WaitingFor = payload, id, WaitsWallet
		bodies = append(bodies, WalletTxRequest{payload})
	}
	if s.End.Ended() {
		t.State, t.Result, t.Error, t.WaitingFor = s.End, s.Result, s.Error, ""
		result := ToolResult{TaskID: t.ID, ToolName: t.Tool, Result: shortened(s.Result)}
		if s.Error != "" {
			result.Error = &s.Error
		}
		bodies = append(bodies, result)
	}
	list, err := t.events(bodies...)
	if err != nil {
		return t, nil, false, err
	}
	return t, list, true, nil
}

// events returns the events of a task with the given bodies.
func (t Task) events(bodies ...Body) ([]Event, error) {
	list := make([]Event, 0, len(bodies))
	for _, b := range bodies {
		e, err := NewEvent(t.Session, "task/"+t.ID, b)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// converse adds a step's questions and answers to the task. It returns false if the step has
// neither a question nor an answer to an open one.
func (t Task) converse(s Step) (Task, Step, bool, error) {
	inputs := maps.Clone(t.Inputs)
	if inputs == nil {
		inputs = map[string]Input{}
	}
	took := s.Ask != nil
	for key, request := range s.Ask {
		if _, used := inputs[key]; used {
			return t, s, false, fault.New(fault.InternalError, "A task uses the key %q for two questions.", key)
		}
		inputs[key] = Input{Request: request}
	}
	for key, answer := range s.Answers {
		//mutant:never ./internal/bus TestInputs
		if in, asked := inputs[key]; asked && in.Answer == nil {
			inputs[key], took = Input{in.Request, answer}, true
		}
	}
	t.Inputs, t.State = inputs, Working
	stage := stageAnswered
	if len(t.Open()) > 0 {
		t.State, s.WaitingFor, stage = InputRequired, WaitsClient, stageAsked
	}
	s.Stage = cmp.Or(s.Stage, stage)
	return t, s, took, nil
}

// named adds the IDs of the request and the task to the payload of a wallet request.
func named(payload json.RawMessage, task string) (json.RawMessage, string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(payload, &members); err != nil || members == nil {
		return nil, "", fault.Wrap(err, fault.InternalError, "A wallet request must be an object.")
	}
	id := NewID("wreq_")
	members["request_id"], members["task_id"] = json.RawMessage(`"`+id+`"`), json.RawMessage(`"`+task+`"`)
	out, err := json.Marshal(members)
	return out, id, err
}

// mostShown limits the size of a result in an event. The task keeps the complete result.
const mostShown = MostPayload / 2

// longMember is the member that is removed first from a result that is too large.
const longMember = "steps"

// shortened returns a result in a form that fits in an event.
func shortened(result json.RawMessage) json.RawMessage {
	if len(result) == 0 {
		return json.RawMessage("null")
	}
	if len(result) <= mostShown {
		return result
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(result, &members) == nil && members[longMember] != nil {
		delete(members, longMember)
		if short, err := json.Marshal(members); err == nil && len(short) <= mostShown {
			return short
		}
	}
	return json.RawMessage(`"too large for an event; full result: task.get"`)
}
