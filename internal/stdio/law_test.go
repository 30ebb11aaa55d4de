package stdio

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestResults checks that results are encoded as mcp-go would encode them.
func TestResults(t *testing.T) {
	const data = `{"a":"<b> & c","d":[1,{"e":null}],"f":"\u2028 \"\\ é😀"}`
	result := func(change func(*mcp.CallToolResult)) *mcp.CallToolResult {
		r := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(data)}, StructuredContent: json.RawMessage(data)}
		change(r)
		return r
	}
	for name, r := range map[string]any{
		"usual":         result(func(*mcp.CallToolResult) {}),
		"line breaks":   result(func(r *mcp.CallToolResult) { r.StructuredContent = json.RawMessage("{\n\"a\":\r1}") }),
		"refusal":       result(func(r *mcp.CallToolResult) { r.IsError, r.StructuredContent = true, nil }),
		"meta":          result(func(r *mcp.CallToolResult) { r.Meta = &mcp.Meta{ProgressToken: 1} }),
		"type":          result(func(r *mcp.CallToolResult) { r.ResultType = mcp.ResultTypeComplete }),
		"state":         result(func(r *mcp.CallToolResult) { r.RequestState = "s" }),
		"two parts":     result(func(r *mcp.CallToolResult) { r.Content = append(r.Content, mcp.NewTextContent("x")) }),
		"another value": result(func(r *mcp.CallToolResult) { r.StructuredContent = map[string]any{"a": 1} }),
		"text alone":    result(func(r *mcp.CallToolResult) { r.StructuredContent = nil }),
		"no result":     mcp.EmptyResult{},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := encode(r)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := encodeResult(r); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
			}
		})
	}
}

// FuzzEnvelope checks that an accepted message means the same to the standard decoder, is forwarded
// unchanged except for its id, and is answered with its original id. Messages that the standard
// decoder rejects must not be accepted.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`,
		`{"jsonrpc":"2.0","id":"a\u00e9","method":"tools/call","params":{"name":"x","arguments":{"a":[1,-0.5e+3,null,true]}}}`,
		`{"method":"x","jsonrpc":"2.0","id":9007199254740993}`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[[[]]]`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `1.0`, ` {} `,
		`{"":{"":""}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seen, err := scan(data, 8)
		if (err == nil) != json.Valid(data) && !bytes.ContainsFunc(data, func(r rune) bool { return r == '\ufffd' }) {
			t.Fatalf("scan says %v, the standard decoder says %t", err, json.Valid(data))
		}
		if err == nil && seen.first == '{' {
			for _, m := range seen.members {
				if !json.Valid(m.raw) {
					t.Fatalf("the member %q is cut as %q", m.name, m.raw)
				}
			}
		}
		e, refused := parse(data, 8, len(data)%2 == 0)
		if refused != nil {
			if refused.id != nil && !json.Valid(errorFrame(refused.id, failure{Code: refused.code, Message: refused.text})) {
				t.Fatalf("a refusal is no JSON")
			}
			return
		}
		var want, got struct {
			ID     json.RawMessage
			Method string
			Params any
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("accepted, but: %v", err)
		}
		if e.response() {
			return
		}
		if err := json.Unmarshal(message(7, e.method, e.params), &got); err != nil {
			t.Fatalf("passed on as no JSON: %v", err)
		}
		if got.Method != want.Method || !reflect.DeepEqual(got.Params, want.Params) {
			t.Fatalf("accepted %s, passed on %s", data, message(7, e.method, e.params))
		}
		if !e.notification() && !bytes.Equal(e.id.raw, want.ID) {
			t.Fatalf("the id %s is read as %s", want.ID, e.id.raw)
		}
	})
}
