package stdio

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// dispatch passes a message to mcp-go. If a handler panics, dispatch returns an internal error
// without the panic's text, which may contain secrets.
func (c *connection) dispatch(s *Session, raw []byte) (response mcp.JSONRPCMessage) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(s.serial, s.method, v)
			response = mcp.JSONRPCError{Error: mcp.JSONRPCErrorDetails{Code: codeInternal, Message: c.internal(s)}}
		}
	}()
	return c.server.HandleMessage(c.server.WithContext(s.ctx, s), raw)
}

// panicked logs a panic. It omits the panic's text, which may contain secrets, unless the runtime
// wrote it.
func (c *connection) panicked(serial int64, method string, v any) {
	what := fmt.Sprintf("%T", v)
	if e, ok := v.(runtime.Error); ok {
		what = e.Error() // the runtime's own text contains no data
	}
	c.opts.Log.Error("a handler panicked", "ref", serial, "method", method, "panic", what, "stack", string(debug.Stack()))
}

func (c *connection) internal(s *Session) string {
	return fmt.Sprintf("Internal error (ref %d). See the server's log on standard error.",
		s.serial)
}

// answer writes the answer to a request after all its notifications. If the result does not reach
// the client, answer runs the handler's undo functions.
func (c *connection) answer(s *Session, response mcp.JSONRPCMessage) {
	frame, whole := c.frame(s, response)
	s.settle()
	s.lend() // keeps the slot free: the call is over after the write
	c.forget(s)
	if sent := s.at.out.write(frame, s); !sent || !whole {
		s.undo()
	}
}

// frame encodes a response. whole is false if an error replaced the handler's result.
func (c *connection) frame(s *Session, response mcp.JSONRPCMessage) (frame []byte, whole bool) {
	c.names.settle(s.ClientName())
	switch r := response.(type) {
	case mcp.JSONRPCResponse:
		result, failed := c.outgoing(s, r.Result)
		if failed != nil {
			return c.errorFrame(s, *failed), false
		}
		value, err := encodeResult(result)
		if err != nil {
			c.opts.Log.Error("a result cannot be written as JSON", "ref", s.serial, "method", s.method, "error", err)
			return errorFrame(s.id.raw, failure{Code: codeInternal, Message: c.internal(s)}), false
		}
		return answerFrame(s.id.raw, "result", c.names.write(value)), true
	case mcp.JSONRPCError:
		if s.needs() {
			return c.errorFrame(s, *undeclared()), false
		}
		return c.errorFrame(s, c.repaired(s, r.Error)), false
	default:
		c.opts.Log.Error("a request got no answer", "ref", s.serial, "method", s.method)
		return errorFrame(s.id.raw, failure{Code: codeInternal, Message: c.internal(s)}), false
	}
}

// errorFrame encodes an error, with tool names in the client's spelling.
func (c *connection) errorFrame(s *Session, f failure) []byte {
	return answerFrame(s.id.raw, "error", c.names.write(errorValue(f)))
}

// repaired converts an error of mcp-go to the one sent to the client. The envelope was checked
// before, so -32600 means invalid parameters; mcp-go's text is dropped because it names Go types.
// For an internal error, the text of a fault is sent, because it is written for readers. Any other
// text may contain secrets and is only logged.
func (c *connection) repaired(s *Session, e mcp.JSONRPCErrorDetails) failure {
	out := failure{Code: e.Code, Message: shown(e.Message), Data: shownData(e.Data)}
	switch e.Code {
	case codeInvalidRequest, mcp.PARSE_ERROR:
		out = failure{Code: codeInvalidParams, Message: "Invalid parameters for the method " + s.method + "."}
	case codeInternal:
		if code, ok := faultCode(e.Message); ok {
			if code == fault.InputInvalid || code == fault.TooLarge {
				out.Code = codeInvalidParams
			}
			return out
		}
		if message := c.internal(s); e.Message != message {
			c.opts.Log.Error("a handler failed", "ref", s.serial, "method", s.method, "error", e.Message)
			out = failure{Code: codeInternal, Message: message}
		}
	}
	return out
}

// Code points kept at the beginning and at the end of a long error message, which may repeat names
// from the client.
const (
	mostBegin = 160
	mostEnd   = 80
)

// shown shortens and cleans a message of mcp-go, which can contain names of any length and with any
// characters from the client.
func shown(message string) string {
	r := []rune(message)
	if len(r) > mostBegin+mostEnd {
		message = string(r[:mostBegin]) + "…" + string(r[len(r)-mostEnd:])
	}
	return screen.Text(message, 16*(mostBegin+mostEnd)).Text
}

// shownData applies shown to all strings in an error's data.
func shownData(data any) any {
	switch d := data.(type) {
	case string:
		return shown(d)
	case map[string]any:
		out := make(map[string]any, len(d))
		for name, value := range d {
			out[shown(name)] = shownData(value)
		}
		return out
	case []any:
		out := make([]any, len(d))
		for i, value := range d {
			out[i] = shownData(value)
		}
		return out
	}
	return data
}

// faultCode returns the fault code that text begins with.
func faultCode(text string) (fault.Code, bool) {
	for _, info := range fault.All() {
		if rest, ok := strings.CutPrefix(text, string(info.Code)); ok && strings.HasPrefix(rest, ": ") {
			return info.Code, true
		}
	}
	return "", false
}

// outgoing returns the result to send to the client, or the error that replaces it.
func (c *connection) outgoing(s *Session, result any) (any, *failure) {
	if task, began, failed := c.created(s, result); began {
		return task, failed
	}
	switch r := result.(type) {
	case mcp.DiscoverResult:
		r.Capabilities.Extensions = c.advertised(r.Capabilities.Extensions)
		return r, nil
	case mcp.InitializeResult:
		c.client.Store(&client{info: s.GetClientInfo(), capabilities: s.GetClientCapabilities(),
			version: r.ProtocolVersion, logging: r.Capabilities.Logging != nil})
		c.announceChannel(&r)
		r.Capabilities.Extensions = c.withSkills(r.Capabilities.Extensions)
		return r, nil
	case mcp.SubscriptionsListenResult:
		r.EnsureResultMeta().SetSubscriptionID(json.RawMessage(s.id.raw))
		return r, nil
	case *mcp.CallToolResult:
		if s.meta.modern && r.NeedsInput() {
			asked := *r
			failed := c.ask(s, &asked.MultiRoundTripResult)
			return &asked, failed
		}
	case mcp.GetPromptResult:
		if s.meta.modern && r.NeedsInput() {
			failed := c.ask(s, &r.MultiRoundTripResult)
			return r, failed
		}
	}
	return result, nil
}

// incoming returns the parameters for mcp-go, with the tool's canonical name and the state as the
// handler wrote it.
func (c *connection) incoming(s *Session, e envelope, meta requestMeta) ([]byte, *refusal) {
	replaced := map[string][]byte{}
	var name string
	if s.args.Raw != nil && e.method == string(mcp.MethodToolsCall) {
		replaced["arguments"] = []byte("{}")
	}
	if e.method == string(mcp.MethodToolsCall) && json.Unmarshal(meta.param("name"), &name) == nil {
		if dotted := c.names.called(name); dotted != name {
			value, err := encode(dotted)
			if err == nil {
				replaced["name"] = value
			}
		}
	}
	state, refused := c.answeredState(s, meta)
	if refused != nil {
		return nil, refused
	}
	if state != nil {
		replaced["requestState"] = state
	}
	if len(replaced) == 0 {
		return e.params, nil
	}
	return meta.with(replaced), nil
}
