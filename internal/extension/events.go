package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

var _ stdio.Events = Events{}

// Events implements the Events extension with those events in the log that agents may see.
type Events struct {
	Log interface {
		bus.Reader
		bus.TaskReader
	}
	Now func() time.Time
}

// kind is a type of event that clients can subscribe to.
type kind struct {
	name, about string
	types       []bus.Type
	sees        bus.Audience
	members     string // members of the data, as properties of a JSON schema
	required    string
	data        func(e bus.Event, t bus.Task, members map[string]any) map[string]any
	reviews     bool // only for tasks that are reviews
	needsBus    bool // needs the handle bus, because the events do not belong to a task
}

const textMember = `"type":"string"`

// kinds lists the published types of events. New members may be added to a schema, but existing
// ones must stay.
var kinds = []kind{
	{name: "wallet_tx.response", about: "How a request to the wallet ended: confirmed, rejected or failed.",
		types: []bus.Type{bus.TypeWalletTxResponse}, sees: bus.Agent,
		members: `"task_id":{` + textMember + `},"request_id":{` + textMember + `},"status":{` + textMember +
			`},"tx_hash":{` + textMember + `}`,
		required: `"task_id","status"`, data: walletData},
	{name: "task.finished", about: "A task ended, with its outcome.", types: []bus.Type{bus.TypeToolResult},
		sees:     bus.Agent,
		members:  `"task_id":{` + textMember + `},"tool":{` + textMember + `},"outcome":{` + textMember + `}`,
		required: `"task_id","tool","outcome"`, data: finishedData},
	{name: "review.changed", about: "A prepared review reached another stage.", sees: bus.UI,
		types:    []bus.Type{bus.TypeToolProgress, bus.TypeToolResult},
		members:  `"review_session_id":{` + textMember + `},"task_id":{` + textMember + `},"stage":{` + textMember + `}`,
		required: `"review_session_id","task_id","stage"`, data: reviewData, reviews: true},
	{name: "notice.for_agent", about: "A line for the agent: the user's note, or an error.", sees: bus.Agent,
		types:   []bus.Type{bus.TypeAsyncUpdate, bus.TypeSystemError},
		members: `"text":{` + textMember + `}`, required: `"text"`, data: noticeData, needsBus: true},
}

// Types implements stdio.Events.
func (Events) Types() (list []stdio.EventType) {
	for _, k := range kinds {
		handles := `"task_id":{` + textMember + `},"review_session_id":{` + textMember + `},"bus":{` + textMember + `}`
		either := `,"anyOf":[{"required":["task_id"]},{"required":["review_session_id"]},{"required":["bus"]}]`
		if k.needsBus {
			handles, either = `"bus":{`+textMember+`}`, `,"required":["bus"]`
		}
		list = append(list, stdio.EventType{Name: k.name, Description: k.about,
			Arguments: json.RawMessage(`{"type":"object","properties":{` + handles + `}` + either +
				`,"additionalProperties":false}`),
			Data: json.RawMessage(`{"type":"object","properties":{` + k.members + `},"required":[` + k.required + `]}`)})
	}
	return list
}

func walletData(_ bus.Event, t bus.Task, m map[string]any) map[string]any {
	out := map[string]any{"task_id": t.ID, "status": m["status"]}
	for _, name := range []string{"request_id", "tx_hash"} {
		if m[name] != nil {
			out[name] = m[name]
		}
	}
	return out
}

func finishedData(_ bus.Event, t bus.Task, m map[string]any) map[string]any {
	outcome := "succeeded"
	if why, failed := m["error"].(string); failed {
		outcome = "failed: " + why
	}
	return map[string]any{"task_id": t.ID, "tool": m["tool_name"], "outcome": outcome}
}

func reviewData(e bus.Event, t bus.Task, m map[string]any) map[string]any {
	id, _ := record.FromSubject(t.Subject)
	stage := m["stage"]
	if e.Type == bus.TypeToolResult {
		stage = "ended"
	}
	return map[string]any{"review_session_id": id, "task_id": t.ID, "stage": stage}
}

func noticeData(e bus.Event, _ bus.Task, _ map[string]any) map[string]any {
	line, _ := bus.LineOf(e)
	return map[string]any{"text": line.Text}
}

// subscription reads the events of one kind that match its handles.
type subscription struct {
	Events
	kind
	filter bus.Filter
	tasks  map[string]bus.Task // cache of tasks by id
}

// maxKnown is the maximum number of tasks that a subscription caches.
const maxKnown = 256

// handles holds the arguments of a subscription. Each is a random id from an earlier answer, and
// only events that belong to it are returned.
type handles struct {
	Task   string `json:"task_id,omitempty"`
	Review string `json:"review_session_id,omitempty"`
	Bus    string `json:"bus,omitempty"`
}

// Subscribe implements stdio.Events.
func (x Events) Subscribe(ctx context.Context, name string, arguments json.RawMessage) (stdio.Subscription, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil, fault.New(fault.InputInvalid, "There is no event with this name.")
	}
	var h handles
	if len(arguments) > 0 {
		var err error
		if h, err = strictjson.Decode[handles](arguments); err != nil {
			return nil, err
		}
	}
	s := &subscription{Events: x, kind: kinds[at], tasks: map[string]bus.Task{}}
	s.filter = bus.Filter{Session: h.Bus, Sees: s.sees, Types: s.types}
	//mutant:never ./internal/extension TestSubscriptions/no handle
	if h == (handles{}) || s.needsBus && (h.Bus == "" || h.Task+h.Review != "") {
		return nil, fault.New(fault.InputInvalid, "A subscription requires task_id, review_session_id or bus.")
	}
	if h.Task+h.Review == "" {
		return s, nil
	}
	t, err := x.about(ctx, h)
	if err != nil {
		return nil, err
	}
	s.tasks[t.ID] = t
	s.filter.Session, s.filter.Subject = t.Session, subjectOf(t.ID)
	return s, nil
}

// about returns the task that the handles identify. It returns an error if they do not belong
// together.
func (x Events) about(ctx context.Context, h handles) (bus.Task, error) {
	var t bus.Task
	var err error
	if h.Task != "" {
		t, err = x.Log.Task(ctx, h.Task)
	} else {
		var found bool
		if t, found, err = x.Log.TaskOf(ctx, record.Subject(record.ID(h.Review))); err == nil && !found {
			err = fault.New(fault.SessionNotFound, "This review has no task.")
		}
	}
	if err != nil {
		return t, err
	}
	//mutant:never ./internal/extension TestSubscriptions/two things
	if h.Bus != "" && t.Session != h.Bus || h.Review != "" && t.Subject != record.Subject(record.ID(h.Review)) {
		return t, fault.New(fault.InputInvalid, "The task, the review and the bus do not belong together.")
	}
	return t, nil
}

// Read implements stdio.Subscription.
func (s *subscription) Read(ctx context.Context, cursor string, age time.Duration, limit int) (stdio.Occurrences,
	error) {
	if cursor == "" {
		return s.present(ctx, false)
	}
	from, err := bus.ParseCursor(cursor)
	if err != nil {
		return s.present(ctx, true) // from another program or version
	}
	log, err := s.Log.ID(ctx)
	if err != nil {
		return stdio.Occurrences{}, err
	}
	if from.Log != log {
		return s.present(ctx, true) // from another store, or from before a backup was restored
	}
	page, err := s.Log.Since(ctx, from, s.filter, limit)
	if err != nil {
		return stdio.Occurrences{}, err
	}
	//mutant:never ./internal/extension TestSubscriptions/of another log
	if page.Next.Log != from.Log || page.Next.Seq < from.Seq {
		return s.present(ctx, true)
	}
	out := stdio.Occurrences{From: cursor, Next: page.Next.String(), More: page.More, Truncated: page.Truncated}
	first := page.Next
	for _, e := range slices.Backward(page.Events) {
		first.Seq = e.Seq - 1
	}
	if age > 0 {
		old := s.Now().Add(-age)
		kept := slices.DeleteFunc(slices.Clone(page.Events), func(e bus.Event) bool { return e.At.Before(old) })
		if len(kept) < len(page.Events) {
			out.Truncated, first.Seq = true, page.Events[len(page.Events)-len(kept)-1].Seq
		}
		page.Events = kept
	}
	if out.Truncated {
		out.From = first.String()
	}
	for _, e := range page.Events {
		o, ok, err := s.occurrence(ctx, log, e)
		if err != nil {
			return out, err
		}
		if ok {
			out.List = append(out.List, o)
		}
	}
	return out, nil
}

// present returns no events and the current end of the log. lost reports that the reader may have
// missed events.
func (s *subscription) present(ctx context.Context, lost bool) (stdio.Occurrences, error) {
	state, err := s.Log.Snapshot(ctx, s.filter.Session)
	at := state.Cursor.String()
	return stdio.Occurrences{From: at, Next: at, Truncated: lost}, err
}

// occurrence converts an event of the log to its published form. The bool is false if the event is
// not published.
func (s *subscription) occurrence(ctx context.Context, log string, e bus.Event) (stdio.Occurrence, bool, error) {
	var t bus.Task
	if id, of := strings.CutPrefix(e.Subject, "task/"); of {
		known, seen := s.tasks[id]
		if !seen {
			var err error
			if known, err = s.Log.Task(ctx, id); err != nil && !fault.Is(err, fault.SessionNotFound) {
				return stdio.Occurrence{}, false, err
			}
			if len(s.tasks) >= maxKnown {
				clear(s.tasks)
			}
			known.ID = id
			s.tasks[id] = known
		}
		t = known
	}
	if s.reviews && t.Kind != bus.KindReview {
		return stdio.Occurrence{}, false, nil
	}
	var members map[string]any
	if err := json.Unmarshal(e.Payload, &members); err != nil {
		return stdio.Occurrence{}, false, nil // not an event from this program
	}
	data, err := json.Marshal(s.data(e, t, members))
	if err != nil {
		return stdio.Occurrence{}, false, fault.Wrap(err, fault.InternalError, "An event cannot be encoded.")
	}
	return stdio.Occurrence{ID: fmt.Sprintf("%s-%d", log, e.Seq), At: e.At, Data: data,
		Cursor: bus.Cursor{Log: log, Seq: e.Seq}.String()}, true, nil
}

// Wait implements stdio.Subscription.
func (s *subscription) Wait(ctx context.Context, cursor string) error {
	at, err := bus.ParseCursor(cursor)
	if err != nil {
		return err
	}
	return s.Log.Wait(ctx, s.filter, at.Seq)
}
