package wschat

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Type is the type of a message.
type Type string

// The types that are read or written.
const (
	TypeCall   Type = "TOOL_CALL"
	TypeResult Type = "TOOL_RESULT"
	TypePing   Type = "PING"
	TypePong   Type = "PONG"
	TypeError  Type = "ERROR"
)

// Call asks to run a tool. All of its fields stand at the root of its message.
type Call struct {
	ID      string
	Tool    string
	Params  map[string]any
	Session string // "" where the sender left it out
}

// Result is the outcome of a call. All of its fields stand inside "data".
type Result struct {
	ID      string
	Success bool
	Text    string  // of a success
	Error   string  // of a failure
	Millis  float64 // how long it took, as the executor says; 0 if it does not
}

// Message is one message that was read.
type Message struct {
	Type   Type
	Call   Call
	Result Result
}

// Parse reads a message. Where the error is not nil, the type and the id of the call are
// there as far as they could be read, so that the sender can be answered. A call is read
// from the root alone, whatever "data" holds; a result from "data" alone, whatever stands
// at the root. Members that the protocol does not have are passed over.
func Parse(text []byte) (Message, error) {
	v, err := strictjson.Tree(text)
	if err != nil {
		return Message{}, err
	}
	root, ok := v.Tree.(map[string]any)
	if !ok {
		return Message{}, wrong("A message is one JSON object.")
	}
	name, _ := root["type"].(string)
	m := Message{Type: Type(name)}
	switch m.Type {
	case TypeCall:
		m.Call, err = parseCall(root)
	case TypeResult:
		m.Result, err = parseResult(root)
	case TypePing, TypePong, TypeError:
	default:
		m.Type, err = "", wrong("The type of a message is TOOL_CALL, TOOL_RESULT or PING.")
	}
	return m, err
}

func wrong(format string, args ...any) error { return fault.New(fault.InputInvalid, format, args...) }

// parseCall reads a call from the root.
func parseCall(root map[string]any) (c Call, err error) {
	c.ID, err = idOf(root, "toolCallId, a string, is missing at the root of the TOOL_CALL")
	if err != nil {
		return c, err
	}
	var there bool
	//mutant:never ./internal/wschat TestParseCall
	if c.Tool, there = root["toolName"].(string); !there || c.Tool == "" {
		return c, wrong("toolName, a string, is missing at the root of the TOOL_CALL")
	}
	if c.Params, there = root["params"].(map[string]any); !there {
		return c, wrong("params, an object, is missing at the root of the TOOL_CALL")
	}
	if v, there := root["webSocketSessionId"]; there {
		if c.Session, there = v.(string); !there {
			return c, wrong("webSocketSessionId is a string")
		}
	}
	return c, nil
}

// parseResult reads a result from "data". A result that is an object or an array is
// taken as its JSON text.
func parseResult(root map[string]any) (r Result, err error) {
	data, ok := root["data"].(map[string]any)
	if !ok {
		return r, wrong("data, an object, is missing in the TOOL_RESULT")
	}
	if r.ID, err = idOf(data, "toolCallId, a string, is missing in data of the TOOL_RESULT"); err != nil {
		return r, err
	}
	//mutant:never ./internal/wschat TestParseResult
	if r.Success, ok = data["success"].(bool); !ok {
		return r, wrong("success, true or false, is missing in data of the TOOL_RESULT")
	}
	if n, there := data["executionTime"].(json.Number); there {
		if f, err := n.Float64(); err == nil && f >= 0 {
			r.Millis = f
		}
	}
	if !r.Success {
		if r.Error, _ = data["error"].(string); strings.TrimSpace(r.Error) == "" {
			r.Error = "it failed without a reason"
		}
		return r, nil
	}
	switch v := data["result"].(type) {
	case nil:
	case string:
		r.Text = v
	default:
		if r.Text, err = textOf(v); err != nil {
			return r, err
		}
	}
	return r, nil
}

// idOf returns the id of a call, or an error with a text.
func idOf(at map[string]any, missing string) (string, error) {
	id, ok := at["toolCallId"].(string)
	if !ok || id == "" {
		return "", wrong("%s", missing)
	}
	if utf8.RuneCountInString(id) > MaxID || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", wrong("toolCallId is 1 to %d printable characters", MaxID)
	}
	return id, nil
}

type callFrame struct {
	Type    Type           `json:"type"`
	ID      string         `json:"toolCallId"`
	Tool    string         `json:"toolName"`
	Params  map[string]any `json:"params"`
	Session string         `json:"webSocketSessionId"`
}

type resultData struct {
	ID      string   `json:"toolCallId"`
	Success bool     `json:"success"`
	Text    *string  `json:"result,omitempty"`
	Error   *string  `json:"error,omitempty"`
	Millis  *float64 `json:"executionTime,omitempty"`
}

type resultFrame struct {
	Type Type       `json:"type"`
	Data resultData `json:"data"`
}

type errorFrame struct {
	Type Type   `json:"type"`
	Code string `json:"errorCode"`
	Text string `json:"errorMessage"`
}

// Message writes a call, with both ids in its parameters as well.
func (c Call) Message() ([]byte, error) {
	return encode(callFrame{TypeCall, c.ID, c.Tool, c.Params, c.Session})
}

// Message writes a result: that of a success with its text alone, that of a failure with
// its error alone.
func (r Result) Message() ([]byte, error) {
	d := resultData{ID: r.ID, Success: r.Success}
	if r.Success {
		d.Text, d.Millis = &r.Text, &r.Millis
	} else {
		d.Error = &r.Error
	}
	return encode(resultFrame{TypeResult, d})
}

// encode writes JSON without escaping what HTML would need.
func encode[T any](v T) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func textOf[T any](v T) (string, error) {
	b, err := encode(v)
	return string(b), err
}
