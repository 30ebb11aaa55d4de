package wschat

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Type is the type of a message.
type Type string

// Types of messages that are read or written.
const (
	TypeCall   Type = "TOOL_CALL"
	TypeResult Type = "TOOL_RESULT"
	TypePing   Type = "PING"
	TypePong   Type = "PONG"
	TypeError  Type = "ERROR"
)

// Call is a request to run a tool. The fields are members of the message.
type Call struct {
	ID      string
	Tool    string
	Params  map[string]any
	Session string // "" if the sender omitted it
}

// Result is the result of a call. The fields are members of "data".
type Result struct {
	ID      string
	Success bool
	Text    string  // on success
	Error   string  // on failure
	Millis  float64 // duration according to the executor; 0 if unknown
}

// Message is a parsed message.
type Message struct {
	Type   Type
	Call   Call
	Result Result
}

// Parse parses a message. If it fails, the message has the type and the ID of the call if those
// could be read, so that the sender can receive an error. Calls are read from the message itself
// and results from "data". Unknown members are ignored.
func Parse(text []byte) (Message, error) {
	v, err := strictjson.Tree(text)
	if err != nil {
		return Message{}, err
	}
	root, ok := v.Tree.(map[string]any)
	if !ok {
		return Message{}, wrong("A message must be one JSON object.")
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
		m.Type, err = "", wrong("The type of a message must be TOOL_CALL, TOOL_RESULT or PING.")
	}
	return m, err
}

func wrong(format string, args ...any) error { return fault.New(fault.InputInvalid, format, args...) }

// parseCall reads a call from the members of the message.
func parseCall(root map[string]any) (c Call, err error) {
	c.ID, err = idOf(root, "the TOOL_CALL needs a toolCallId, a string")
	if err != nil {
		return c, err
	}
	var there bool
	//mutant:never ./internal/wschat TestParseCall
	if c.Tool, there = root["toolName"].(string); !there || c.Tool == "" {
		return c, wrong("the TOOL_CALL needs a toolName, a string")
	}
	if c.Params, there = root["params"].(map[string]any); !there {
		return c, wrong("the TOOL_CALL needs params, an object")
	}
	if v, there := root["webSocketSessionId"]; there {
		if c.Session, there = v.(string); !there {
			return c, wrong("webSocketSessionId must be a string")
		}
	}
	return c, nil
}

// parseResult reads a result from "data". A result that is an object or an array becomes its JSON
// text.
func parseResult(root map[string]any) (r Result, err error) {
	data, ok := root["data"].(map[string]any)
	if !ok {
		return r, wrong("the TOOL_RESULT needs data, an object")
	}
	if r.ID, err = idOf(data, "data of the TOOL_RESULT needs a toolCallId, a string"); err != nil {
		return r, err
	}
	//mutant:never ./internal/wschat TestParseResult
	if r.Success, ok = data["success"].(bool); !ok {
		return r, wrong("data of the TOOL_RESULT needs success, true or false")
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

// idOf returns the ID of a call, or an error to send to the peer.
func idOf(at map[string]any, missing string) (string, error) {
	id, ok := at["toolCallId"].(string)
	if !ok || id == "" {
		return "", wrong("%s", missing)
	}
	if utf8.RuneCountInString(id) > MaxID || strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", wrong("toolCallId must have 1 to %d printable characters", MaxID)
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

// Message encodes a call. Both IDs are also included in the parameters.
func (c Call) Message() ([]byte, error) {
	return strictjson.Encode(callFrame{TypeCall, c.ID, c.Tool, c.Params, c.Session})
}

// Message encodes a result. A success has only a text and a failure only an error.
func (r Result) Message() ([]byte, error) {
	d := resultData{ID: r.ID, Success: r.Success}
	if r.Success {
		d.Text, d.Millis = &r.Text, &r.Millis
	} else {
		d.Error = &r.Error
	}
	return strictjson.Encode(resultFrame{TypeResult, d})
}

func textOf[T any](v T) (string, error) {
	b, err := strictjson.Encode(v)
	return string(b), err
}
