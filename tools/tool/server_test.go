package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/tools/tool"
)

func serve(t *testing.T, s *server.MCPServer, message string) map[string]any {
	t.Helper()
	data, err := json.Marshal(s.HandleMessage(context.Background(), json.RawMessage(message)))
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Result map[string]any }
	if err := json.Unmarshal(data, &v); err != nil || v.Result == nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v.Result
}

func TestServer(t *testing.T) {
	var log bytes.Buffer
	s := tool.NewServer(tool.Identity{Name: "n", Title: "t", Version: "v", Instructions: "i"})
	tool.Register(s, []tool.Tool{fixture(nil)}, slog.New(slog.NewTextHandler(&log, nil)))

	t.Run("success: the same facts as structured content and as text", func(t *testing.T) {
		r := serve(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.get_deepbook_mid_price",
			"arguments":{"poolKey":"rows","direction":"base_to_quote"}}}`)
		var text any
		if err := json.Unmarshal([]byte(r["content"].([]any)[0].(map[string]any)["text"].(string)), &text); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r["structuredContent"], text); diff != "" || r["isError"] != nil {
			t.Error(diff, r["isError"])
		}
	})
	t.Run("an answer names the authors of its untrusted text", func(t *testing.T) {
		for _, origins := range [][]tool.Origin{nil, {tool.FromChain, tool.FromProgram}} {
			s := tool.NewServer(tool.Identity{Name: "n", Version: "v"})
			tool.Register(s, []tool.Tool{fixture(func(s *tool.Spec[fixtureIn, fixtureOut]) { s.Untrusted = origins })},
				slog.New(slog.DiscardHandler))
			r := serve(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.get_deepbook_mid_price",
				"arguments":{"poolKey":"rows","direction":"base_to_quote"}}}`)
			meta, _ := r["_meta"].(map[string]any)
			var want any
			if origins != nil {
				want = []any{"chain", "other program"}
			}
			if diff := cmp.Diff(want, meta[tool.UntrustedKey]); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("refusal: text alone", func(t *testing.T) {
		r := serve(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.get_deepbook_mid_price",
			"arguments":{"poolKey":"plain","direction":"base_to_quote"}}}`)
		if _, there := r["structuredContent"]; there || r["isError"] != true {
			t.Errorf("got %v", r)
		}
		if !strings.Contains(log.String(), "secret cause") {
			t.Error("the cause of an internal error is not logged")
		}
	})
	t.Run("arguments keep their numbers", func(t *testing.T) {
		r := serve(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.get_deepbook_mid_price",
			"arguments":{"poolKey":"x","direction":"base_to_quote","ticks":50}}}`)
		if r["isError"] != nil {
			t.Errorf("got %v", r)
		}
	})
	t.Run("list: schemas, all four hints, nothing twice", func(t *testing.T) {
		r := serve(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		listed := r["tools"].([]any)[0].(map[string]any)
		want := map[string]any{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
		if diff := cmp.Diff(want, listed["annotations"]); diff != "" {
			t.Error(diff)
		}
		if listed["inputSchema"] == nil || listed["outputSchema"] == nil || listed["title"] != "Fixture" {
			t.Errorf("got %v", listed)
		}
	})
}

// reading is a session whose transport has parsed a call's arguments.
type reading struct {
	server.ClientSession
	args strictjson.Value
}

func (reading) SessionID() string             { return "s" }
func (reading) Initialized() bool             { return true }
func (r reading) Arguments() strictjson.Value { return r.args }

// TestLentArguments checks that parsed arguments are validated without parsing them again.
func TestLentArguments(t *testing.T) {
	s := tool.NewServer(tool.Identity{Name: "n", Version: "v"})
	tool.Register(s, []tool.Tool{fixture(nil)}, slog.New(slog.DiscardHandler))
	const good = `{"poolKey":"rows","direction":"base_to_quote","ticks":7}`
	tree := map[string]any{"poolKey": "rows", "direction": "base_to_quote", "ticks": json.Number("7")}
	for name, c := range map[string]struct {
		args  strictjson.Value
		says  string
		field string
	}{
		"fit":          {strictjson.Value{Raw: []byte(good), Tree: tree, Depth: 1}, `"ticks":7`, ""},
		"not yet read": {strictjson.Value{Raw: []byte(good)}, `"ticks":7`, ""},
		"the tree": {strictjson.Value{Raw: []byte(good), Tree: map[string]any{"poolKey": "x"}, Depth: 1},
			`"reason":"missing"`, "direction"},
		"deeper than 32": {strictjson.Value{Raw: []byte(good), Tree: tree, Depth: 33}, "nests deeper than 32 levels", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := s.WithContext(t.Context(), reading{args: c.args})
			data, err := json.Marshal(s.HandleMessage(ctx, json.RawMessage(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.get_deepbook_mid_price","arguments":{}}}`)))
			text := strings.ReplaceAll(string(data), `\`, "")
			if err != nil || !strings.Contains(text, c.says) || c.field != "" && !strings.Contains(text, `"field":"`+c.field+
				`"`) {
				t.Errorf("%v %s", err, text)
			}
		})
	}
}

func TestHints(t *testing.T) {
	for effect, want := range map[tool.Effect][4]bool{
		tool.Static:       {true, false, true, false},
		tool.ReadsLocal:   {true, false, true, false},
		tool.ReadsChain:   {true, false, true, true},
		tool.FillsCache:   {false, false, true, true},
		tool.KeepsTime:    {false, false, true, false},
		tool.OpensSession: {false, false, false, false},
		tool.ClearsLocal:  {false, true, true, false},
	} {
		target := tool.Declare(tool.Spec[struct{}, row]{Name: "read.x", Effect: effect})
		data, err := target.Listing()
		if err != nil {
			t.Fatal(err)
		}
		var listed struct{ Annotations map[string]bool }
		if err := json.Unmarshal(data, &listed); err != nil {
			t.Fatal(err)
		}
		a := listed.Annotations
		got := [4]bool{a["readOnlyHint"], a["destructiveHint"], a["idempotentHint"], a["openWorldHint"]}
		if got != want || len(a) != 4 {
			t.Errorf("%s: %v, want %v", effect, a, want)
		}
	}
}
