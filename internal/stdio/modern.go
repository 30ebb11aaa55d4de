package stdio

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// In the era without a handshake, a handler asks the user by returning "input required" with a
// state. The client repeats the call with that state and the answers. The client could change the
// state, so it gets a random word instead. The server keeps the state for that word, which is valid
// for one use by the same call within a limited time.

const (
	stateLife = 10 * time.Minute
	stateMost = 1024 // maximum number of states; beyond it the oldest is dropped
)

type states struct {
	now func() time.Time

	mu    sync.Mutex
	kept  map[string]keptState
	order []string // words, oldest first
}

type keptState struct {
	state   string
	call    [sha256.Size]byte
	expires time.Time
}

func newStates(now func() time.Time) *states {
	return &states{now: now, kept: map[string]keptState{}}
}

func (st *states) keep(state string, call [sha256.Size]byte) string {
	word := rand.Text()
	st.mu.Lock()
	defer st.mu.Unlock()
	st.kept[word] = keptState{state: state, call: call, expires: st.now().Add(stateLife)}
	st.order = append(st.order, word)
	for len(st.order) > stateMost {
		delete(st.kept, st.order[0])
		st.order = st.order[1:]
	}
	return word
}

// use returns the state kept for word and the time it was kept, and removes it. ok is false if the
// word is unknown, expired or belongs to another call.
func (st *states) use(word string, call [sha256.Size]byte) (state string, kept time.Time, ok bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	k, ok := st.kept[word]
	if !ok || k.call != call {
		return "", kept, false
	}
	delete(st.kept, word)
	return k.state, k.expires.Add(-stateLife), st.now().Before(k.expires)
}

// fingerprint identifies a call by its method, name or URI, and arguments. The order of members
// does not matter.
func fingerprint(method string, meta requestMeta, args strictjson.Value) [sha256.Size]byte {
	parts := []any{method}
	for _, name := range []string{"name", "uri", "arguments"} {
		if name == "arguments" && args.Tree != nil {
			parts = append(parts, args.Tree)
			continue
		}
		parts = append(parts, exact(meta.param(name)))
	}
	text, err := encode(parts)
	if err != nil {
		text = []byte(method) // unreachable: values decoded from JSON can be encoded
	}
	return sha256.Sum256(text)
}

// exact decodes a parameter without rounding numbers. It returns nil if the parameter is absent.
func exact(raw []byte) any {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// answeredState returns the handler's state for the word that the client sent. It returns nil if
// the client sent none. The older era has no states, because mcp-go asks during the call.
func (c *connection) answeredState(s *Session, meta requestMeta) ([]byte, *refusal) {
	raw := meta.param("requestState")
	if !asksInResults(s.method) {
		return nil, nil
	}
	if meta.modern {
		s.call = fingerprint(s.method, meta, s.args)
	}
	if raw == nil {
		return nil, nil
	}
	var word string
	if meta.modern && json.Unmarshal(raw, &word) == nil {
		if state, kept, ok := c.states.use(word, s.call); ok {
			s.answered(kept)
			value, err := encode(state)
			if err == nil {
				return value, nil
			}
		}
	}
	return nil, &refusal{id: s.id.raw, code: codeInvalidParams, text: "The requestState is unknown, already used, expired, " +
		"or belongs to another call. Send the call again without it."}
}

func asksInResults(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodResourcesRead:
		return true
	}
	return false
}

// ask checks that the client supports every request in an "input required" result, and replaces the
// state with a word. The elicitationId stays although this era's schema no longer has it: GitHub
// Copilot's command line rejects a link without one, and other clients ignore it.
func (c *connection) ask(s *Session, r *mcp.MultiRoundTripResult) *failure {
	for _, request := range r.InputRequests {
		if missing := s.missing(request); missing != nil {
			return &failure{Code: codeMissingCapability,
				Message: "This call must ask the user in a mode that the client did not declare.",
				Data:    map[string]any{"requiredCapabilities": missing}}
		}
	}
	if r.RequestState != "" {
		r.RequestState = c.states.keep(r.RequestState, s.call)
	}
	return nil
}

// missing returns the capability that a request needs and the client did not declare, or nil.
func (s *Session) missing(request mcp.InputRequest) map[string]any {
	type none = struct{}
	switch request.Method {
	case mcp.MethodElicitationCreate:
		switch {
		case request.Elicitation == nil || s.elicits(request.Elicitation.Mode):
			return nil
		case request.Elicitation.Mode == mcp.ElicitationModeURL:
			return map[string]any{"elicitation": map[string]any{"url": none{}}}
		}
		return map[string]any{"elicitation": map[string]any{"form": none{}}}
	case mcp.MethodSamplingCreateMessage:
		if s.GetClientCapabilities().Sampling == nil {
			return map[string]any{"sampling": none{}}
		}
	case mcp.MethodListRoots:
		if s.GetClientCapabilities().Roots == nil {
			return map[string]any{"roots": none{}}
		}
	}
	return nil
}
