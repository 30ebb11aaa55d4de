package door

import (
	"bytes"
	"encoding/json"
)

// request holds the members of a client's message that the proxy needs.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// answerStart is how the server's responses and requests begin.
var answerStart = []byte(`{"jsonrpc":"2.0","id":`)

// answered returns the ID of the request that a line responds to, or nil for other messages. It
// reads only the beginning of the line, because responses can be long.
func answered(line []byte) []byte {
	rest, ok := bytes.CutPrefix(line, answerStart)
	if !ok {
		return nil
	}
	end := bytes.IndexByte(rest, ',')
	if len(rest) > 0 && rest[0] == '"' {
		end = endOfString(rest)
	}
	if end <= 0 || end >= len(rest) {
		return nil
	}
	id, after := rest[:end], rest[end:]
	if bytes.HasPrefix(after, []byte(`,"result":`)) || bytes.HasPrefix(after, []byte(`,"error":`)) {
		return id
	}
	return nil
}

// endOfString returns the length of the JSON string that b begins with, or -1 if b ends first.
func endOfString(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// repeats lists methods without side effects. A request that a server did not answer can be sent to
// the next one.
var repeats = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true, "logging/setLevel": true,
	"tools/list": true, "prompts/list": true, "prompts/get": true, "completion/complete": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "subscriptions/listen": true,
	"tasks/get": true, "events/list": true, "events/poll": true, "events/stream": true,
}

// repeatable reports whether a request may be sent again to another server. reads holds the names
// of read-only tools.
func (r request) repeatable(reads map[string]bool) bool {
	if r.Method != "tools/call" {
		return repeats[r.Method]
	}
	var call struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(r.Params, &call) == nil && reads[call.Name]
}
