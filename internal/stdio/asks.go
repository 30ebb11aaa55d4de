package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// asks holds the requests that the server sent and the client has not answered yet. Ids start at a
// random number: a client can outlive its connection, and a late answer must not match a request of
// the next one.
type asks struct {
	mu   sync.Mutex
	last int64
	open map[string]chan reply
}

// reply is a client's answer: a result, or an error.
type reply struct{ result, failure []byte }

func (a *asks) begin() (id int64, answer <-chan reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open, a.last = map[string]chan reply{}, rand.Int64N(1<<50)
	}
	a.last++
	c := make(chan reply, 1)
	a.open[strconv.FormatInt(a.last, 10)] = c
	return a.last, c
}

func (a *asks) end(id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, strconv.FormatInt(id, 10))
}

// answered passes a client's answer to the call that waits for it. It ignores late answers and
// unknown ids.
func (a *asks) answered(e envelope) {
	a.mu.Lock()
	c := a.open[e.id.key]
	delete(a.open, e.id.key)
	a.mu.Unlock()
	if c != nil {
		c <- reply{result: append([]byte(nil), e.result...), failure: append([]byte(nil), e.failure...)}
	}
}

// RequestElicitation asks the user through the client and parks the call while it waits. It returns
// an error without asking if the client did not declare the mode or has closed its input.
func (s *Session) RequestElicitation(
	ctx context.Context, request mcp.ElicitationRequest,
) (*mcp.ElicitationResult, error) {
	if !s.elicits(request.Params.Mode) {
		return nil, fmt.Errorf("%w: the client did not declare this mode", server.ErrElicitationNotSupported)
	}
	id, answer := s.conn.asks.begin()
	defer s.conn.asks.end(id)
	request.Params.Message = s.conn.names.text(request.Params.Message)
	frame, err := noticeFrame(id, string(mcp.MethodElicitationCreate), request.Params)
	if err != nil {
		return nil, fmt.Errorf("stdio: an elicitation cannot be written as JSON: %w", err)
	}
	asked := s.conn.opts.Now()
	if s.conn.input.Err() != nil || !s.at.out.write(frame, s) {
		return nil, fmt.Errorf("stdio: the client is gone: %w", context.Canceled)
	}
	defer s.Park()()
	select {
	case r := <-answer:
		s.answered(asked)
		return elicited(r)
	case <-s.conn.input.Done():
		return nil, fmt.Errorf("stdio: the client left before it answered: %w", context.Canceled)
	case <-ctx.Done():
		s.withdraw(id)
		return nil, ctx.Err()
	}
}

func (s *Session) elicits(mode string) bool {
	if mode == mcp.ElicitationModeURL {
		return s.ElicitsURL()
	}
	return s.ElicitsForm()
}

// withdraw notifies the client that an answer is no longer needed, so that it can close its dialog.
func (s *Session) withdraw(id int64) {
	frame, err := noticeFrame(0, string(mcp.MethodNotificationCancelled), struct {
		RequestID int64 `json:"requestId"`
	}{id})
	if err == nil {
		s.at.out.write(frame, nil)
	}
}

func elicited(r reply) (*mcp.ElicitationResult, error) {
	if len(r.failure) > 0 {
		var failure struct {
			Code int `json:"code"`
		}
		if json.Unmarshal(r.failure, &failure) != nil {
			return nil, fmt.Errorf("stdio: the client answered an elicitation with an error")
		}
		return nil, fmt.Errorf("stdio: the client answered an elicitation with error %d", failure.Code)
	}
	var result mcp.ElicitationResult
	if err := json.Unmarshal(r.result, &result); err != nil {
		return nil, fmt.Errorf("stdio: the client's answer to an elicitation is malformed: %w", err)
	}
	switch result.Action {
	case mcp.ElicitationResponseActionAccept, mcp.ElicitationResponseActionDecline, mcp.ElicitationResponseActionCancel:
		return &result, nil
	}
	return nil, fmt.Errorf("stdio: the client's answer to an elicitation has an unknown action")
}
