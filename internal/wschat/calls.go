package wschat

import (
	"context"
	"encoding/base32"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Unanswered is the error of a call that was sent but got no result. The editor may still have
// executed it.
type Unanswered struct{ Reason string }

// Error returns the reason.
func (e *Unanswered) Error() string { return e.Reason }

// Reported is the error of a call that the editor answered with a failure.
type Reported struct{ Text string }

// Error returns the editor's message.
func (e *Reported) Error() string { return e.Text }

// pending holds the calls that are waiting for results from the peer.
type pending struct {
	mu      sync.Mutex
	results map[string]chan Result
	placed  int // calls, including those that were not sent yet
	sending chan struct{}
	gone    <-chan struct{}
}

// place reserves a place for a call. It returns false if there are too many calls.
func (p *pending) place() (slots chan struct{}, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sending == nil {
		p.sending, p.results = make(chan struct{}, InFlight), map[string]chan Result{}
	}
	//mutant:never ./internal/wschat TestQueue
	if p.placed >= InFlight+Queue {
		return nil, false
	}
	p.placed++
	return p.sending, true
}

func (p *pending) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.placed--
}

// await registers the ID of a call and returns the channel for its result.
func (p *pending) await(id string) <-chan Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	result := make(chan Result, 1)
	p.results[id] = result
	return result
}

// take removes an ID and returns the channel for its result. It returns nil if no call is waiting.
func (p *pending) take(id string) chan<- Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	result := p.results[id]
	delete(p.results, id)
	return result
}

// Call sends a call to the editor and waits for its result. It checks the parameters first, and
// sets the project and the socket. It returns an error if the parameters name other ones. The error
// is a *Reported if the editor reports a failure, and an *Unanswered if the call was sent but got
// no result.
func (s *Socket) Call(ctx context.Context, tool string, params map[string]any) (string, error) {
	params, err := s.own(Call{Tool: tool, Params: params})
	if err != nil {
		return "", err
	}
	params["webSocketSessionId"] = s.Session
	args, err := raw(params)
	if err != nil {
		return "", err
	}
	//mutant:never ./internal/wschat TestCheckedBeforeSending
	if err := s.Tools.Check(tool, args); err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, s.Timing.Call)
	defer stop()
	slots, ok := s.pending.place()
	if !ok {
		return "", fault.New(fault.RateLimited, "The editor already has %d unanswered calls. Try again in a moment.", InFlight+
			Queue)
	}
	defer s.pending.leave()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return "", fault.Wrap(ctx.Err(), fault.RateLimited,
			"The call was not sent: the editor was busy with earlier calls for %s.", s.Timing.Call)
	case <-s.gone:
		return "", fault.New(fault.ProviderUnavailable, "The call was not sent: the editor disconnected.")
	}
	if !s.still(ctx) {
		return "", fault.New(fault.ProviderUnavailable, "The call was not sent: the editor's access has ended.")
	}
	id, err := newID(tool, s.Session, s.Now(), s.Rand)
	if err != nil {
		return "", err
	}
	return s.ask(ctx, Call{ID: id, Tool: tool, Params: params, Session: s.Session})
}

// ask sends a call and waits for its result.
func (s *Socket) ask(ctx context.Context, c Call) (string, error) {
	message, err := c.Message()
	if err != nil {
		return "", err
	}
	if len(message) > MaxMessage {
		return "", fault.New(fault.TooLarge, "The call was not sent: it is too long (max 1 MiB).")
	}
	result := s.pending.await(c.ID)
	defer s.pending.take(c.ID)
	if err := s.send(ctx, message); err != nil {
		return "", &Unanswered{"the editor did not accept the call"}
	}
	s.Log.Info("agent chat: a call was sent", "session", s.Session, "tool", c.Tool, "toolCallId", c.ID, "bytes",
		len(message))
	select {
	case r := <-result:
		s.Log.Info("agent chat: a result arrived", "session", s.Session, "toolCallId", c.ID, "success", r.Success,
			"bytes", len(r.Text)+len(r.Error), "executionTime", r.Millis)
		if !r.Success {
			return "", &Reported{r.Error}
		}
		return r.Text, nil
	case <-s.gone:
		return "", &Unanswered{"the editor disconnected before it answered"}
	case <-ctx.Done():
		if context.Cause(ctx) == context.DeadlineExceeded {
			return "", &Unanswered{fmt.Sprintf("the editor did not answer within %s", s.Timing.Call)}
		}
		return "", fault.Wrap(ctx.Err(), fault.RequestAborted, "The call was cancelled.")
	}
}

// HandleToolResult passes a result to the call that is waiting for it. If there is none, it logs
// the result and returns false.
func (s *Socket) HandleToolResult(r Result) bool {
	//mutant:never ./internal/wschat TestUnmatched
	if waits := s.pending.take(r.ID); waits != nil {
		waits <- r
		return true
	}
	s.Log.Warn("⚠️ 未找到对应的工具调用: toolCallId="+r.ID, "session", s.Session)
	return false
}

// misread fails the call whose result could not be read. It returns false if no call is waiting for
// it.
func (s *Socket) misread(m Message, cause error) bool {
	r := Result{ID: m.Result.ID, Error: "its answer is unreadable: " + fault.As(cause).Text}
	return s.HandleToolResult(r) && s.tolerate() || s.tolerate()
}

// own returns the parameters of a call together with the socket's project. It returns an error if
// they name another project or socket.
func (s *Socket) own(c Call) (map[string]any, error) {
	params := maps.Clone(c.Params)
	if params == nil {
		params = map[string]any{}
	}
	for at, id := range map[string]any{"webSocketSessionId": c.Session,
		"params.webSocketSessionId": params["webSocketSessionId"]} {
		//mutant:never ./internal/wschat TestContradiction
		if text, ok := id.(string); id != nil && (!ok || text != "" && text != s.Session) {
			return nil, wrong("%s is not the id of this connection: omit it, or send the sessionId that you connected with",
				at)
		}
	}
	//mutant:never ./internal/wschat TestContradiction
	if key, ok := params["projectKey"].(string); params["projectKey"] != nil && (!ok || key != "" && key != s.Project) {
		return nil,
			wrong("params.projectKey is not the project of this connection: open another connection for another project")
	}
	params["projectKey"] = s.Project
	return params, nil
}

// newID returns an ID for a call. It consists of the tool, the beginning of the socket's ID, the
// time in milliseconds and random letters, because the rest may not be unique.
func newID(tool, session string, now time.Time, rand io.Reader) (string, error) {
	b := make([]byte, 5)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "The call was not sent: no random numbers are available.")
	}
	return fmt.Sprintf("%s-%.8s-%d-%s", tool, session, now.UnixMilli(),
		strings.ToLower(base32.StdEncoding.EncodeToString(b))), nil
}
