package wschat

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// The protocol's examples, word for word.
const (
	exampleCall = `{
  "type": "TOOL_CALL",
  "toolCallId": "grep_file-83742e07-1767686721056",
  "toolName": "grep_file",
  "params": {
    "pattern": "TODO",
    "projectKey": "autoloop",
    "webSocketSessionId": "83742e07-...",
    "relativePath": "core/src/File.java",
    "regex": false,
    "case_sensitive": false,
    "context_lines": 2
  },
  "webSocketSessionId": "83742e07-..."
}`
	exampleSuccess = `{
  "type": "TOOL_RESULT",
  "data": {
    "toolCallId": "grep_file-83742e07-1767686721056",
    "success": true,
    "result": "## 文件内容搜索: File.java\n\n**匹配数量**: 3\n...",
    "executionTime": 150
  }
}`
	exampleFailure = `{
  "type": "TOOL_RESULT",
  "data": {
    "toolCallId": "grep_file-83742e07-1767686721056",
    "success": false,
    "error": "文件不存在: core/src/File.java"
  }
}`
	exampleManual = `{
  "type": "TOOL_CALL",
  "toolCallId": "test-001",
  "toolName": "grep_file",
  "params": {
    "pattern": "TODO",
    "projectKey": "autoloop"
  }
}`
)

// TestExamples reads every example of the protocol, and writes the same messages.
func TestExamples(t *testing.T) {
	const id = "grep_file-83742e07-1767686721056"
	for _, c := range []struct {
		name, text string
		want       Message
	}{
		{"R001-3 R001-5 R001-6 R001-7 R001-8 R001-9 R001-10 call", exampleCall, Message{Type: TypeCall, Call: Call{ID: id,
			Tool: "grep_file", Session: "83742e07-...",
			Params: map[string]any{"pattern": "TODO", "projectKey": "autoloop", "webSocketSessionId": "83742e07-...",
				"relativePath": "core/src/File.java", "regex": false, "case_sensitive": false,
				"context_lines": json.Number("2")}}}},
		{"R001-12 R001-14 R001-15 R001-16 R001-17 R001-19 R001-20 success", exampleSuccess, Message{Type: TypeResult,
			Result: Result{ID: id, Success: true, Text: "## 文件内容搜索: File.java\n\n**匹配数量**: 3\n...", Millis: 150}}},
		{"R001-18 R001-21 failure", exampleFailure, Message{Type: TypeResult, Result: Result{ID: id,
			Error: "文件不存在: core/src/File.java"}}},
		{"R001-59 manual test", exampleManual, Message{Type: TypeCall, Call: Call{ID: "test-001", Tool: "grep_file",
			Params: map[string]any{"pattern": "TODO", "projectKey": "autoloop"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Fatal(d)
			}
			var written []byte
			if got.Type == TypeCall && got.Call.Session == "" {
				return // messages from this program have the id
			}
			if written, err = got.Result.Message(); got.Type == TypeCall {
				written, err = got.Call.Message()
			}
			if err != nil {
				t.Fatal(err)
			}
			var want, have any
			if json.Unmarshal([]byte(c.text), &want) != nil || json.Unmarshal(written, &have) != nil {
				t.Fatalf("%s", written)
			}
			if d := cmp.Diff(want, have); d != "" {
				t.Errorf("written otherwise: %s", d)
			}
		})
	}
}

// TestParseCall reads calls with missing or misplaced members.
func TestParseCall(t *testing.T) {
	for _, c := range []struct{ name, text, says, id string }{
		{"R001-6 R001-56 no id", `{"type":"TOOL_CALL","toolName":"read_file","params":{}}`,
			"needs a toolCallId", ""},
		{"R001-7 no name", `{"type":"TOOL_CALL","toolCallId":"a","params":{}}`, "needs a toolName", "a"},
		{"R001-8 no params", `{"type":"TOOL_CALL","toolCallId":"a","toolName":"read_file"}`, "needs params",
			"a"},
		{"R001-8 params are text", `{"type":"TOOL_CALL","toolCallId":"a","toolName":"read_file","params":"{}"}`,
			"needs params", "a"},
		{"R001-4 R001-62 all inside data",
			`{"type":"TOOL_CALL","data":{"toolCallId":"a","toolName":"read_file","params":{}}}`,
			"the TOOL_CALL needs a toolCallId", ""},
		{"R001-9 another id",
			`{"type":"TOOL_CALL","toolCallId":"a","toolName":"read_file","params":{},"webSocketSessionId":7}`,
			"webSocketSessionId must be a string", "a"},
		{"id of a number", `{"type":"TOOL_CALL","toolCallId":1,"toolName":"read_file","params":{}}`, "toolCallId", ""},
		{"id too long", `{"type":"TOOL_CALL","toolCallId":"` + strings.Repeat("é", MaxID+1) +
			`","toolName":"read_file","params":{}}`, "printable", ""},
		{"id with an escape", `{"type":"TOOL_CALL","toolCallId":"a\u001b[2J","toolName":"read_file","params":{}}`,
			"printable", ""},
		{"twice", `{"type":"TOOL_CALL","toolCallId":"a","toolCallId":"b","toolName":"read_file","params":{}}`, "toolCallId",
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse([]byte(c.text))
			if err == nil || !strings.Contains(fault.As(err).Text, c.says) {
				t.Fatalf("%v, want %q", err, c.says)
			}
			if m.Call.ID != c.id {
				t.Errorf("the id is %q, want %q: the sender has to be answered", m.Call.ID, c.id)
			}
		})
	}
	t.Run("R001-4 data beside the root is passed over", func(t *testing.T) {
		m, err := Parse([]byte(`{"type":"TOOL_CALL","toolCallId":"root","toolName":"read_file","params":{"relativePath":"a"},
			"data":{"toolCallId":"data","toolName":"apply_change","params":{}},"later":[1]}`))
		if err != nil || m.Call.ID != "root" || m.Call.Tool != "read_file" {
			t.Fatalf("%+v, %v", m, err)
		}
	})
}

// TestParseResult reads results with missing, misplaced or additional members.
func TestParseResult(t *testing.T) {
	for _, c := range []struct{ name, text, says, id string }{
		{"R001-12 R001-13 all at the root", `{"type":"TOOL_RESULT","toolCallId":"a","success":true,"result":"x"}`,
			"needs data", ""},
		{"R001-13 the id at the root", `{"type":"TOOL_RESULT","toolCallId":"a","data":{"success":true,"result":"x"}}`,
			"data of the TOOL_RESULT needs a toolCallId", ""},
		{"R001-16 no success", `{"type":"TOOL_RESULT","data":{"toolCallId":"a","result":"x"}}`,
			"needs success", "a"},
		{"R001-16 success is text", `{"type":"TOOL_RESULT","data":{"toolCallId":"a","success":"true","result":"x"}}`,
			"needs success", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse([]byte(c.text))
			if err == nil || !strings.Contains(fault.As(err).Text, c.says) || m.Type != TypeResult || m.Result.ID != c.id {
				t.Fatalf("%+v, %v", m, err)
			}
		})
	}
	for _, c := range []struct {
		name, data string
		want       Result
	}{
		{"R001-13 data wins", `"toolCallId":"a","success":true,"result":"x"},"toolCallId":"b","z":{"success":false`,
			Result{ID: "a", Success: true, Text: "x"}},
		{"R001-17 an object becomes its JSON text", `"toolCallId":"a","success":true,"result":{"n":[1,"<"]}`, Result{ID: "a",
			Success: true, Text: `{"n":[1,"<"]}`}},
		{"no result is an empty text", `"toolCallId":"a","success":true`, Result{ID: "a", Success: true}},
		{"both: a success has its text", `"toolCallId":"a","success":true,"result":"x","error":"y"`, Result{ID: "a",
			Success: true, Text: "x"}},
		{"both: a failure has its error", `"toolCallId":"a","success":false,"result":"x","error":"y"`, Result{ID: "a",
			Error: "y"}},
		{"R001-18 a failure without a reason", `"toolCallId":"a","success":false`, Result{ID: "a",
			Error: "it failed without a reason"}},
		{"R001-19 no time that can be", `"toolCallId":"a","success":true,"result":"x","executionTime":-4`, Result{ID: "a",
			Success: true, Text: "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse([]byte(`{"type":"TOOL_RESULT","data":{` + c.data + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, m.Result); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("a failure is written with its error alone, a success with its text alone", func(t *testing.T) {
		for _, r := range []Result{{ID: "a", Error: "no", Text: "x", Millis: 2}, {ID: "a", Success: true, Error: "no"}} {
			b, err := r.Message()
			if err != nil || strings.Contains(string(b), `"result"`) == strings.Contains(string(b), `"error"`) {
				t.Errorf("%s, %v", b, err)
			}
		}
	})
}

// FuzzParse checks that reading any message ends, that accepted messages keep the protocol's
// limits, and that they are the same after writing and reading.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{exampleCall, exampleSuccess, exampleFailure, exampleManual, `{"type":"PING"}`,
		`{"type":"TOOL_RESULT","data":{"toolCallId":"a","success":true,"result":[{}]}}`,
		`[]`, `{"type":"TOOL_CALL","toolCallId":"\ud800"}`,
		`{"type":"TOOL_CALL","toolCallId":"a","toolName":"b","params":{"n":1e999}}`, "{\"type\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if err != nil {
			if m.Call.Params != nil && m.Call.ID == "" {
				t.Errorf("parameters of no call: %+v", m)
			}
			return
		}
		var b []byte
		switch m.Type {
		case TypeCall:
			if m.Call.ID == "" || m.Call.Tool == "" || m.Call.Params == nil || utf8.RuneCountInString(m.Call.ID) > MaxID {
				t.Fatalf("accepted: %+v", m.Call)
			}
			b, err = m.Call.Message()
		case TypeResult:
			if m.Result.ID == "" || m.Result.Success && m.Result.Error != "" || !m.Result.Success && (m.Result.Error == "" ||
				m.Result.Text != "") {
				t.Fatalf("accepted: %+v", m.Result)
			}
			b, err = m.Result.Message()
		default:
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(b)
		if !m.Result.Success {
			m.Result.Millis = 0
		}
		if d := cmp.Diff(m, again); err != nil || d != "" {
			t.Fatalf("%v\n%s", err, d)
		}
	})
}
