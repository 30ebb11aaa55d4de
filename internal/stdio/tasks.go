package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// pollEvery is the interval at which clients are asked to poll a task.
const pollEvery = 2 * time.Second

// Task is a task as the Tasks extension defines it.
type Task struct {
	ID, Status string // working, input_required, completed, failed or cancelled
	Message    string // for the user
	Created    time.Time
	Updated    time.Time
	Keep       time.Duration // how long the task is kept after its creation
	// Inputs holds the open requests to the client by key if Status is input_required. Result is
	// the call's complete result if Status is completed.
	Inputs map[string]json.RawMessage
	Result json.RawMessage
}

// Tasks stores the tasks that tool calls started. Its errors are faults. Those caused by the
// request are sent with the code -32602.
type Tasks interface {
	// Task returns the task with the given id, or fault.SessionNotFound.
	Task(ctx context.Context, id string) (Task, error)
	// Answer accepts the client's answers. It ignores keys that are unknown or already answered.
	Answer(ctx context.Context, id string, answers map[string]json.RawMessage) error
	// Cancel requests cancellation of a task. It has no effect on a task that has ended.
	Cancel(ctx context.Context, id string) error
	// Follow calls changed after each change of a task, until the task or ctx ends.
	Follow(ctx context.Context, id string, changed func(Task))
}

// members returns the task's JSON members. If full is set, they include those that depend on the
// status.
func (t Task) members(full bool) map[string]any {
	m := map[string]any{"taskId": t.ID, "status": t.Status,
		"createdAt": moment(t.Created), "lastUpdatedAt": moment(t.Updated),
		"ttlMs": t.Keep.Milliseconds(), "pollIntervalMs": pollEvery.Milliseconds()}
	if t.Message != "" {
		m["statusMessage"] = t.Message
	}
	if !full {
		return m
	}
	switch t.Status {
	case "input_required":
		m["inputRequests"] = t.Inputs
	case "completed":
		m["result"] = t.Result
	case "failed":
		m["error"] = failure{Code: codeInternal, Message: t.Message}
	}
	return m
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// DeclaresTasks reports whether the client accepts a task instead of this request's result.
func (s *Session) DeclaresTasks() bool {
	return s.meta.modern && s.meta.tasks && s.conn.opts.Tasks != nil
}

// Began makes the task the answer to this tool call if the client accepts tasks. Any other client
// gets the handler's result.
func (s *Session) Began(task string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = task
}

// errNeedsTasks is the error of RequireTasks. Its text is not sent to clients.
var errNeedsTasks = errors.New("stdio: the client did not declare tasks")

// RequireTasks returns an error if the client did not declare support for tasks. The handler should
// return that error; the client's answer then names the missing capability.
func (s *Session) RequireTasks() error {
	if s.DeclaresTasks() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.needsTasks = true
	return errNeedsTasks
}

// needs reports whether the handler called RequireTasks in vain.
func (s *Session) needs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.needsTasks
}

// created returns the task that replaces a call's result. The bool is false if none does.
func (c *connection) created(s *Session, result any) (any, bool, *failure) {
	call, ok := result.(*mcp.CallToolResult)
	s.mu.Lock()
	id := s.began
	s.mu.Unlock()
	if !ok || call.IsError || call.NeedsInput() || id == "" || !s.DeclaresTasks() {
		return nil, false, nil
	}
	t, err := c.opts.Tasks.Task(s.ctx, id)
	if err != nil {
		return nil, true, c.unserved(s, err)
	}
	m := t.members(false)
	m["resultType"] = "task"
	if info := c.identity(); info != nil {
		m["_meta"] = map[string]any{mcp.MetaKeyServerInfo: info}
	}
	return m, true, nil
}

func (c *connection) taskGet(ctx context.Context, s *Session, params []byte) (any, *failure) {
	id, failed := taskID(params)
	if failed != nil {
		return nil, failed
	}
	t, err := c.opts.Tasks.Task(ctx, id)
	if err != nil {
		return nil, c.unserved(s, err)
	}
	return t.members(true), nil
}

func (c *connection) taskUpdate(ctx context.Context, s *Session, params []byte) (any, *failure) {
	id, failed := taskID(params)
	if failed != nil {
		return nil, failed
	}
	p, failed := readParams[struct {
		Answers map[string]json.RawMessage `json:"inputResponses"`
	}](params)
	if failed == nil && p.Answers == nil {
		failed = &failure{Code: codeInvalidParams, Message: "The member inputResponses must be an object."}
	}
	if failed != nil {
		return nil, failed
	}
	if err := c.opts.Tasks.Answer(ctx, id, p.Answers); err != nil {
		return nil, c.unserved(s, err)
	}
	return nil, nil
}

func (c *connection) taskCancel(ctx context.Context, s *Session, params []byte) (any, *failure) {
	id, failed := taskID(params)
	if failed != nil {
		return nil, failed
	}
	if err := c.opts.Tasks.Cancel(ctx, id); err != nil {
		return nil, c.unserved(s, err)
	}
	return nil, nil
}

func taskID(params []byte) (string, *failure) {
	p, failed := readParams[struct {
		ID *string `json:"taskId"`
	}](params)
	if failed == nil && (p.ID == nil || *p.ID == "") {
		failed = &failure{Code: codeInvalidParams, Message: "The member taskId must be the id of a task."}
	}
	if failed != nil {
		return "", failed
	}
	return *p.ID, nil
}

// mostFollowed is the maximum number of tasks, and of resources, that one stream may follow.
const mostFollowed = 64

// followed lists the tasks and resources that a subscriptions/listen stream follows.
type followed struct {
	Tasks     []string `json:"taskIds,omitempty"`
	Resources []string `json:"resourceSubscriptions,omitempty"`
}

func (f followed) empty() bool { return len(f.Tasks)+len(f.Resources) == 0 }

// following reads the part of a stream's filter that this package serves. It also returns the
// remaining filter for mcp-go.
func (c *connection) following(s *Session, params []byte) (followed, []byte, *failure) {
	p, failed := readParams[struct {
		Filter map[string]json.RawMessage `json:"notifications"`
	}](params)
	if failed != nil || !s.meta.modern {
		return followed{}, nil, nil // mcp-go reports the error
	}
	for name := range p.Filter {
		if like := lookAlike(name, []string{"taskIds", "resourceSubscriptions"}); like != "" {
			return followed{}, nil, &failure{Code: codeInvalidParams,
				Message: fmt.Sprintf("Names in the filter are exact: %s, not another spelling of it.", like)}
		}
	}
	var f followed
	for name, list := range map[string]*[]string{"taskIds": &f.Tasks, "resourceSubscriptions": &f.Resources} {
		if raw, has := p.Filter[name]; has && json.Unmarshal(raw, list) != nil || len(*list) > mostFollowed {
			return f, nil, &failure{Code: codeInvalidParams,
				Message: fmt.Sprintf("The member %s must be a list of at most %d strings.", name, mostFollowed)}
		}
	}
	if c.opts.Tasks == nil {
		f.Tasks = nil
	}
	if c.opts.Changes == nil {
		f.Resources = nil
	}
	if len(f.Tasks) > 0 && !s.meta.tasks {
		return f, nil, undeclared()
	}
	rest := maps.Clone(p.Filter)
	delete(rest, "taskIds")
	if c.opts.Changes != nil {
		delete(rest, "resourceSubscriptions")
	}
	raw, err := encode(rest)
	if err != nil || p.Filter == nil {
		return f, nil, nil
	}
	return f, raw, nil
}

// follow writes notifications about the tasks and resources in f until the session's context ends.
// It starts each follower with run.
func (c *connection) follow(s *Session, f followed, run func(func())) {
	tell := func(method string, params map[string]any) {
		params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: json.RawMessage(s.id.raw)}
		c.tell(s, method, params)
	}
	ctx := c.server.WithContext(s.ctx, s)
	for _, id := range f.Tasks {
		run(func() {
			c.opts.Tasks.Follow(ctx, id, func(t Task) { tell("notifications/tasks", t.members(true)) })
		})
	}
	for _, uri := range f.Resources {
		run(func() {
			c.opts.Changes(ctx, uri, func() { tell("notifications/resources/updated", map[string]any{"uri": uri}) })
		})
	}
}

// tell writes a notification immediately, and reports whether it did. It blocks while the client
// does not read.
func (c *connection) tell(s *Session, method string, params any) bool {
	frame, err := noticeFrame(0, method, params)
	if err != nil {
		c.opts.Log.Error("a notification cannot be written as JSON", "method", method, "error", err)
		return false
	}
	out := c.out
	if s != nil {
		out = s.at.out
	}
	return out.write(c.names.write(frame), s)
}
