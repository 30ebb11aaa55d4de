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

// Unanswered is the error of a call that was sent to an editor and has no result. The
// editor may have carried it out all the same.
type Unanswered struct{ Reason string }

// Error says why there is no result.
func (e *Unanswered) Error() string { return e.Reason }

// Reported is the error of a call that the editor answered with a failure.
type Reported struct{ Text string }

// Error returns the words of the editor.
func (e *Reported) Error() string { return e.Text }

// pending are the calls that wait for results of the peer.
type pending struct {
	mu      sync.Mutex
	results map[string]chan Result
	placed  int // all calls: those that are sent and those that wait to be
	sending chan struct{}
	gone    <-chan struct{}
}

// place takes a place for a call, false if there is none.
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

// await registers an id, and returns where its result comes.
func (p *pending) await(id string) <-chan Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	result := make(chan Result, 1)
	p.results[id] = result
	return result
}

// take removes an id, and returns where its result goes; nil for one that nobody waits for.
func (p *pending) take(id string) chan<- Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	result := p.results[id]
	delete(p.results, id)
	return result
}

// Call sends a call to the editor and waits for its result. The project and the socket
// are filled into the parameters; others than those of the socket are refused. What a
// call lacks is refused before anything is sent. A *Reported is the editor's own
// failure, an *Unanswered that of a call which was sent and has no result.
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
		return "", fault.New(fault.RateLimited, "The editor has %d calls to answer already. Try again in a moment.", InFlight+
			Queue)
	}
	defer s.pending.leave()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return "", fault.Wrap(ctx.Err(), fault.RateLimited,
			"The editor did not come to this call in %s: others wait before it. It was not sent.", s.Timing.Call)
	case <-s.gone:
		return "", fault.New(fault.ProviderUnavailable, "The editor disconnected before the call was sent.")
	}
	if !s.still(ctx) {
		return "", fault.New(fault.ProviderUnavailable, "The editor may not be connected any more. The call was not sent.")
	}
	id, err := newID(tool, s.Session, s.Now(), s.Rand)
	if err != nil {
		return "", err
	}
	return s.ask(ctx, Call{ID: id, Tool: tool, Params: params, Session: s.Session})
}

// ask sends a call and waits for the one result that has its id.
func (s *Socket) ask(ctx context.Context, c Call) (string, error) {
	message, err := c.Message()
	if err != nil {
		return "", err
	}
	if len(message) > MaxMessage {
		return "", fault.New(fault.TooLarge, "The call is longer than a message may be (1 MiB). It was not sent.")
	}
	result := s.pending.await(c.ID)
	defer s.pending.take(c.ID)
	if err := s.send(ctx, message); err != nil {
		return "", &Unanswered{"the editor did not take the call"}
	}
	s.Log.Info("agent chat: a call was sent", "session", s.Session, "tool", c.Tool, "toolCallId", c.ID, "bytes",
		len(message))
	select {
	case r := <-result:
		s.Log.Info("agent chat: a result came", "session", s.Session, "toolCallId", c.ID, "success", r.Success,
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

// HandleToolResult hands a result to the call that waits for it. It returns false, and
// logs it, for one that no call of this socket waits for; no other call is disturbed.
func (s *Socket) HandleToolResult(r Result) bool {
	//mutant:never ./internal/wschat TestUnmatched
	if waits := s.pending.take(r.ID); waits != nil {
		waits <- r
		return true
	}
	s.Log.Warn("⚠️ 未找到对应的工具调用: toolCallId="+r.ID, "session", s.Session)
	return false
}

// misread fails the call that an unreadable result is of, if there is one.
func (s *Socket) misread(m Message, cause error) bool {
	r := Result{ID: m.Result.ID, Error: "its answer could not be read: " + fault.As(cause).Text}
	return s.HandleToolResult(r) && s.tolerate() || s.tolerate()
}

// own returns the parameters of a call with the project of the socket. A call that names
// another project or another socket is refused.
func (s *Socket) own(c Call) (map[string]any, error) {
	params := maps.Clone(c.Params)
	if params == nil {
		params = map[string]any{}
	}
	for at, id := range map[string]any{"webSocketSessionId": c.Session,
		"params.webSocketSessionId": params["webSocketSessionId"]} {
		//mutant:never ./internal/wschat TestContradiction
		if text, ok := id.(string); id != nil && (!ok || text != "" && text != s.Session) {
			return nil, wrong("%s is not the id of this connection: leave it out, or send the sessionId that you connected with",
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

// newID makes the id of a call: tool, the beginning of the socket's id, milliseconds, and
// random letters, for the others can be the same twice.
func newID(tool, session string, now time.Time, rand io.Reader) (string, error) {
	b := make([]byte, 5)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "This machine gave no random numbers; the call was not sent.")
	}
	return fmt.Sprintf("%s-%.8s-%d-%s", tool, session, now.UnixMilli(),
		strings.ToLower(base32.StdEncoding.EncodeToString(b))), nil
}
