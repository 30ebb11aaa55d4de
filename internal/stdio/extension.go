package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Protocol extensions that this transport handles without mcp-go, for requests of the era without a
// handshake only.
const (
	extensionTasks  = "io.modelcontextprotocol/tasks"
	extensionEvents = "io.modelcontextprotocol/events"
)

// Error codes of the Events extension. Its specification calls the numbers provisional, so the
// error's data also identifies the problem.
const (
	codeNoEvent     = -32023 // data: kind "event"
	codeExhausted   = -32025 // data: limit, max
	codeUnsupported = -32026 // data: feature, value
)

// extended handles one request of an extension and returns its result.
type extended func(ctx context.Context, s *Session, params []byte) (any, *failure)

// extension returns the handler of an extension's method, or nil if the server does not offer it.
func (c *connection) extension(meta requestMeta, method string) extended {
	if serve := c.skills(meta, method); serve != nil {
		return serve
	}
	if !meta.modern || !meta.capable {
		return nil // mcp-go rejects the unknown method and reports the supported versions
	}
	if c.opts.Tasks != nil {
		switch method {
		case "tasks/get":
			return c.declared(c.taskGet)
		case "tasks/update":
			return c.declared(c.taskUpdate)
		case "tasks/cancel":
			return c.declared(c.taskCancel)
		}
	}
	if c.opts.Events != nil {
		switch method {
		case "events/list":
			return c.eventTypes
		case "events/poll":
			return c.eventPoll
		case "events/subscribe", "events/unsubscribe":
			return noWebhook
		}
	}
	return nil
}

// declared wraps serve so that it fails unless the client declared the Tasks extension.
func (c *connection) declared(serve extended) extended {
	return func(ctx context.Context, s *Session, params []byte) (any, *failure) {
		//mutant:never ./internal/stdio TestTaskMethods
		if !s.meta.tasks {
			return nil, undeclared()
		}
		return serve(ctx, s, params)
	}
}

// undeclared returns the error for a request that needs the Tasks extension.
func undeclared() *failure {
	return &failure{Code: codeMissingCapability, Message: "This needs the extension " + extensionTasks +
		", which the request does not declare among the client's capabilities.",
		Data: map[string]any{"requiredCapabilities": map[string]any{
			"extensions": map[string]any{extensionTasks: struct{}{}}}}}
}

// serveExtended runs the handler of an extension and writes the answer.
func (c *connection) serveExtended(s *Session, serve extended, params []byte) {
	c.names.settle(s.ClientName())
	result, failed := c.guarded(s, serve, params)
	frame := []byte(nil)
	if failed != nil {
		frame = c.errorFrame(s, *failed)
	} else {
		frame = c.resultFrame(s, result)
	}
	s.settle()
	c.forget(s)
	s.at.out.write(frame, s)
}

// guarded calls serve and turns a panic into an error, as dispatch does.
func (c *connection) guarded(s *Session, serve extended, params []byte) (result any, failed *failure) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Log.Error("an extension panicked", "ref", s.serial, "method", s.method, "panic", fmt.Sprintf("%T", v))
			result, failed = nil, &failure{Code: codeInternal, Message: c.internal(s)}
		}
	}()
	return serve(c.server.WithContext(s.ctx, s), s, params)
}

// resultFrame encodes a result that did not come from mcp-go. It adds the members that every result
// of this era has: the result type and the server information.
func (c *connection) resultFrame(s *Session, result any) []byte {
	members := map[string]any{"resultType": mcp.ResultTypeComplete}
	if info := c.identity(); info != nil {
		members["_meta"] = map[string]any{mcp.MetaKeyServerInfo: info}
	}
	if more, ok := result.(map[string]any); ok {
		maps.Copy(members, more)
	}
	value, err := encode(members)
	if err != nil {
		c.opts.Log.Error("a result cannot be written as JSON", "ref", s.serial, "method", s.method, "error", err)
		return errorFrame(s.id.raw, failure{Code: codeInternal, Message: c.internal(s)})
	}
	return answerFrame(s.id.raw, "result", c.names.write(value))
}

// identity returns the server information that mcp-go puts into each result of this era.
func (c *connection) identity() json.RawMessage {
	c.introduce.Do(func() {
		ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{%q:%q,%q:{}}}}`,
			mcp.MetaKeyProtocolVersion, "2026-07-28", mcp.MetaKeyClientCapabilities)
		answer, err := encode(c.server.HandleMessage(context.Background(), json.RawMessage(ask)))
		if err != nil {
			return
		}
		var reply struct {
			Result struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			} `json:"result"`
		}
		if json.Unmarshal(answer, &reply) == nil {
			c.whoami = reply.Result.Meta[mcp.MetaKeyServerInfo]
		}
	})
	return c.whoami
}

// introduction caches the result of identity.
type introduction struct {
	introduce sync.Once
	whoami    json.RawMessage
}

// advertised returns the extensions for server/discover: have, and those that this server offers.
func (c *connection) advertised(have map[string]any) map[string]any {
	out := maps.Clone(have)
	if out == nil {
		out = map[string]any{}
	}
	if c.opts.Tasks != nil {
		out[extensionTasks] = struct{}{}
	}
	if c.opts.Events != nil {
		out[extensionEvents] = map[string]any{"listChanged": false}
	}
	return c.withSkills(out)
}

// withSkills returns have with the Skills extension, which both eras support.
func (c *connection) withSkills(have map[string]any) map[string]any {
	out := maps.Clone(have)
	if len(c.opts.Skills) > 0 {
		if out == nil {
			out = map[string]any{}
		}
		out[extensionSkills] = struct{}{}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// readParams decodes the parameters of an extension's request.
func readParams[P any](params []byte) (p P, failed *failure) {
	if len(params) > 0 && json.Unmarshal(params, &p) != nil {
		return p, &failure{Code: codeInvalidParams, Message: "Invalid parameters for the method."}
	}
	return p, nil
}

// unserved converts an error of Tasks or Events to the one sent to the client. The text of a fault
// is sent; any other error is only logged.
func (c *connection) unserved(s *Session, err error) *failure {
	for _, code := range []fault.Code{fault.InputInvalid, fault.SessionNotFound, fault.TooLarge, fault.Blocked} {
		if fault.Is(err, code) {
			return &failure{Code: codeInvalidParams, Message: fault.As(err).Text}
		}
	}
	if s.ctx.Err() == nil {
		c.opts.Log.Error("an extension failed", "ref", s.serial, "method", s.method, "error", err)
	}
	return &failure{Code: codeInternal, Message: c.internal(s)}
}

// capabilitiesOf reports whether a request declares capabilities, and whether the Tasks extension
// is among them.
func capabilitiesOf(raw []byte) (capable, tasks bool) {
	var declared struct {
		Extensions map[string]json.RawMessage `json:"extensions"`
	}
	if json.Unmarshal(raw, &declared) != nil || bytes.Equal(raw, []byte("null")) {
		return false, false
	}
	settings, has := declared.Extensions[extensionTasks]
	return true, has && len(settings) > 0 && settings[0] == '{'
}
