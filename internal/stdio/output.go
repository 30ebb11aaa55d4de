package stdio

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// output writes whole frames, one at a time.
type output struct {
	mu     sync.Mutex
	w      io.Writer
	closed atomic.Bool
	failed func(error) // called once, when a write fails
}

// write writes one frame, which ends with a line feed, and reports whether it did. It drops the
// frames of a canceled session, and all frames after shut. It checks the session while it holds the
// lock, so that nothing is written after a cancellation.
func (o *output) write(frame []byte, s *Session) bool {
	if s != nil {
		defer s.lend()()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed.Load() || (s != nil && s.silent.Load()) {
		return false
	}
	if _, err := o.w.Write(frame); err != nil {
		o.closed.Store(true)
		o.failed(err)
		return false
	}
	return true
}

// shut drops later writes. It does not wait for a blocked write.
func (o *output) shut() { o.closed.Store(true) }

// encode returns v as compact JSON without HTML escapes or a final line feed.
func encode(v any) ([]byte, error) {
	text, err := strictjson.Encode(v)
	if err != nil {
		return nil, err
	}
	return plain(text), nil
}

// encodeResult encodes a result. Most tool results contain the same JSON as text and as a value;
// encodeResult copies the value, because mcp-go's own encoding would parse it three times. It does
// not copy JSON with line breaks, because a frame is a single line.
func encodeResult(result any) ([]byte, error) {
	r, ok := result.(*mcp.CallToolResult)
	if !ok || r.Meta != nil || r.ResultType != "" || r.IsError || r.NeedsInput() ||
		r.RequestState != "" || len(r.RawStructuredContent) > 0 || len(r.Content) != 1 {
		return encode(result)
	}
	structured, raw := r.StructuredContent.(json.RawMessage)
	content, isText := r.Content[0].(mcp.TextContent)
	//mutant:never `bytes.ContainsAny(structured, "\r\n")` ./internal/stdio TestResults/line breaks
	if !raw || !isText || content.Annotations != nil || content.Meta != nil || bytes.ContainsAny(structured, "\r\n") {
		return encode(result)
	}
	text, err := encode(content.Text)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(text)+len(structured)+64)
	out = append(append(out, `{"content":[{"type":"text","text":`...), text...)
	return append(append(append(out, `}],"structuredContent":`...), structured...), '}'), nil
}

// plain replaces, in place, the escapes of <, > and & that come from types with their own
// MarshalJSON.
func plain(encoded []byte) []byte {
	if !bytes.Contains(encoded, []byte(`\u00`)) {
		return encoded
	}
	out := encoded[:0]
	for i := 0; i < len(encoded); i++ {
		if encoded[i] != '\\' {
			out = append(out, encoded[i])
			continue
		}
		if rest := encoded[i:]; len(rest) >= 6 {
			switch string(rest[:6]) {
			case `\u003c`:
				out, i = append(out, '<'), i+5
				continue
			case `\u003e`:
				out, i = append(out, '>'), i+5
				continue
			case `\u0026`:
				out, i = append(out, '&'), i+5
				continue
			}
		}
		out = append(out, encoded[i], encoded[i+1]) // a backslash is never the last byte
		i++
	}
	return out
}

// answerFrame returns the answer to id; member is "result" or "error".
func answerFrame(id []byte, member string, value []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	frame := make([]byte, 0, len(id)+len(value)+40)
	frame = append(frame, `{"jsonrpc":"2.0","id":`...)
	frame = append(frame, id...)
	frame = append(frame, `,"`...)
	frame = append(frame, member...)
	frame = append(frame, `":`...)
	frame = append(frame, value...)
	return append(frame, "}\n"...)
}

// failure is the error member of a response.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// errorValue returns the error member as JSON, without its data if the data cannot be encoded.
func errorValue(f failure) []byte {
	value, err := encode(f)
	if err != nil {
		value, _ = encode(failure{Code: f.Code, Message: f.Message})
	}
	return value
}

func errorFrame(id []byte, f failure) []byte { return answerFrame(id, "error", errorValue(f)) }

// notice is a message from the server: a request if it has an id, otherwise a notification.
type notice struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func noticeFrame(id int64, method string, params any) ([]byte, error) {
	frame, err := encode(notice{JSONRPC: "2.0", ID: id, Method: method, Params: params})
	return append(frame, '\n'), err
}
