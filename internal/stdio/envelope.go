package stdio

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// requestID is an id exactly as the client wrote it. Its key distinguishes the string "5" from the
// number 5, and is the same for all JSON spellings of one string.
type requestID struct {
	raw []byte // nil if the id is missing or cannot be answered
	key string
}

// envelope is one well-formed message.
type envelope struct {
	id      requestID
	method  string   // empty in a response
	params  []byte   // an object; nil when absent
	members []member // members of params
	// arguments is a copy of the arguments' value.
	arguments strictjson.Value
	result    []byte // result of a response
	failure   []byte // error of a response
}

func (e envelope) response() bool     { return e.method == "" }
func (e envelope) notification() bool { return e.method != "" && e.id.raw == nil }

// refusal describes a rejected message and the answer to it, if any.
type refusal struct {
	id     []byte // nil is sent as null
	code   int
	text   string
	silent bool // the message expects no answer
}

// envelopeNames lists the known members of a message. Other members are ignored, unless another
// parser could confuse them with a known one.
var envelopeNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// parse reads one frame. The returned slices refer to the frame. If lend is set, parse also reads
// the value of the arguments.
func parse(frame []byte, depth int, lend bool) (envelope, *refusal) {
	t, err := scanCall(frame, depth, lend)
	if err != nil {
		return envelope{}, &refusal{code: mcp.PARSE_ERROR, text: "This line is not JSON: " + err.Error() + "."}
	}
	switch t.first {
	case '{':
	case '[':
		return envelope{}, &refusal{code: mcp.INVALID_REQUEST,
			text: "The protocol does not support batches. Send one message per line."}
	default:
		return envelope{}, &refusal{code: mcp.INVALID_REQUEST, text: "A message is a JSON object."}
	}
	var e envelope
	raw := map[string][]byte{}
	twice := false
	for _, m := range t.members {
		if m.name == "id" && raw["id"] != nil {
			twice = true
		}
		raw[m.name] = m.raw
		if like := lookAlike(m.name, envelopeNames); like != "" && t.defect == "" {
			t.defect = "Member names are exact: " + like + ", not another spelling of it."
		}
	}
	id, usable := idOf(raw["id"])
	if !twice {
		e.id = id
	}
	refuse := func(code int, text string) (envelope, *refusal) {
		return envelope{}, &refusal{id: e.id.raw, code: code, text: text}
	}
	answers := raw["method"] == nil && (raw["result"] != nil || raw["error"] != nil)
	if answers {
		// A response is never answered, even if it is malformed.
		if t.defect != "" || string(raw["jsonrpc"]) != `"2.0"` || e.id.raw == nil {
			return envelope{}, &refusal{silent: true, text: "A response is malformed."}
		}
		e.result, e.failure = raw["result"], raw["error"]
		return e, nil
	}
	switch {
	case t.defect != "":
		return refuse(mcp.INVALID_REQUEST, t.defect)
	case string(raw["jsonrpc"]) != `"2.0"`:
		return refuse(mcp.INVALID_REQUEST, `The member jsonrpc must be "2.0".`)
	case raw["id"] != nil && !usable:
		return refuse(mcp.INVALID_REQUEST, "The member id must be a string or a whole number.")
	case raw["method"] == nil || raw["method"][0] != '"' ||
		json.Unmarshal(raw["method"], &e.method) != nil || e.method == "":
		return refuse(mcp.INVALID_REQUEST, "The member method must be a string.")
	case raw["result"] != nil || raw["error"] != nil:
		return refuse(mcp.INVALID_REQUEST, "A message is a request or a response, not both.")
	}
	e.members, e.arguments = t.params, t.arguments
	return withParams(e, raw["params"])
}

// withParams sets the parameters of a request or notification. It accepts null, which several
// clients write instead of omitting the parameters.
func withParams(e envelope, params []byte) (envelope, *refusal) {
	switch {
	case params == nil || string(params) == "null":
	case params[0] == '{':
		e.params = params
	case params[0] == '[':
		return envelope{}, &refusal{id: e.id.raw, silent: e.id.raw == nil, code: mcp.INVALID_PARAMS,
			text: "The member params must be an object."}
	default:
		return envelope{}, &refusal{id: e.id.raw, code: mcp.INVALID_REQUEST,
			text: "The member params must be an object."}
	}
	return e, nil
}

// idOf reads an id: a string, or an integer without fraction or exponent.
func idOf(raw []byte) (requestID, bool) {
	if len(raw) == 0 {
		return requestID{}, false
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return requestID{}, false
		}
		return requestID{raw: raw, key: `"` + s}, true
	}
	digits := raw
	if digits[0] == '-' {
		digits = digits[1:]
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return requestID{}, false
		}
	}
	if string(digits) == "0" {
		return requestID{raw: raw, key: "0"}, true
	}
	return requestID{raw: raw, key: string(raw)}, true
}

// lookAlike returns the known name that name could be mistaken for: one that differs only in case,
// in a letter that folds to another, or in invisible characters.
func lookAlike(name string, known []string) string {
	for _, k := range known {
		if name == k {
			return ""
		}
	}
	bare := strings.TrimFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f })
	for _, k := range known {
		if strings.EqualFold(bare, k) {
			return k
		}
	}
	return ""
}
