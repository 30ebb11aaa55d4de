package stdio_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// TestNamesInTexts checks that texts contain tool names in the client's spelling and are otherwise
// unchanged.
func TestNamesInTexts(t *testing.T) {
	further := []string{"later.come_back"} // a tool that the server does not have
	answer := func(t *testing.T, mode stdio.ToolNames, said string) string {
		t.Helper()
		w := open(t, stdio.Options{ToolNames: mode, Names: further})
		quoted, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		w.send(call("2", "test_echo", `{"text":`+string(quoted)+`}`))
		return w.next().text()
	}
	for _, c := range []struct{ name, said, want string }{
		{"the name alone", "test.echo", "test_echo"},
		{"in a sentence", "Call test.echo, then later.come_back.", "Call test_echo, then later_come_back."},
		{"after an escape", "first\ntest.echo\ttest.raw\"test.held\"\\ntest.wait",
			"first\ntest_echo\ttest_raw\"test_held\"\\ntest_wait"},
		{"as JSON in a text", `{"call":"test.echo","then":["test.raw"]}`, `{"call":"test_echo","then":["test_raw"]}`},
		{"in an address", "test://x/test.echo", "test://x/test_echo"},
		{"before a field", "test.echo.data", "test_echo.data"},
		{"beside other letters", "é test.echo—", "é test_echo—"},
		{"parts of a name", "test.ech test.echoes atest.echo test.Echo test.echo_ _test.echo test..echo test. echo 12.5 .",
			""},
		{"nobody's name", "test.nothing www.example.org a.b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.said
			}
			if got := answer(t, stdio.ToolNamesUnderscore, c.said); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := answer(t, stdio.ToolNamesDotted, c.said); got != c.said {
				t.Errorf("with dots: got %q", got)
			}
		})
	}
}

// TestNamesEverywhere checks that all output of a process uses one spelling.
func TestNamesEverywhere(t *testing.T) {
	for mode, want := range map[stdio.ToolNames]string{stdio.ToolNamesUnderscore: "test_echo",
		stdio.ToolNamesDotted: "test.echo"} {
		t.Run(string(mode), func(t *testing.T) {
			f := newFixture()
			f.AddTool(mcp.NewTool("test.talk"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				session(ctx).Progress(1, 0, "Waiting for test.echo.")
				_, err := f.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
					Message: "May test.echo run?", RequestedSchema: map[string]any{"type": "object"}}})
				return mcp.NewToolResultStructured(json.RawMessage(`{"next":"test.echo"}`), `{"next":"test.echo"}`), err
			})
			f.AddPrompt(mcp.NewPrompt("talk", mcp.WithPromptDescription("Says test.echo.")),
				func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
					return mcp.NewGetPromptResult("test.echo", []mcp.PromptMessage{
						mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Call test.echo."))}), nil
				})
			f.AddResource(mcp.NewResource("test://talk", "talk"), func(context.Context,
				mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://talk", Text: "About test.echo."}}, nil
			})
			w := dialFixture(t, f, stdio.Options{ToolNames: mode})
			w.initialize(`{"elicitation":{}}`)
			said := func(what string, m frame) frame {
				t.Helper()
				if !strings.Contains(m.line, want) || strings.Contains(m.line, strings.NewReplacer("_", ".", ".",
					"_").Replace(want)) {
					t.Errorf("%s: %s", what, m.line)
				}
				return m
			}
			w.send(request(`"test.echo"`, "tools/list", "{}"))
			if m := w.next(); m.id() != `"test.echo"` || !strings.Contains(string(m.Result), want) {
				t.Errorf("an id is the client's own: %s", m.line)
			}
			w.send(request("3", "prompts/list", "{}"))
			said("prompts", w.next())
			w.send(request("4", "prompts/get", `{"name":"talk"}`))
			said("a prompt", w.next())
			w.send(request("5", "resources/read", `{"uri":"test://talk"}`))
			said("a resource", w.next())
			w.send(request("6", "tools/call", `{"name":"test_talk","_meta":{"progressToken":"p"}}`))
			said("progress", w.next())
			q := said("a question", w.next())
			w.send(`{"jsonrpc":"2.0","id":` + q.id() + `,"result":{"action":"decline"}}`)
			if m := said("an answer", w.next()); strings.Count(m.line, want) != 2 {
				t.Errorf("text and structure: %s", m.line)
			}
			w.send(request("7", "prompts/get", `{"name":"test.echo"}`))
			if m := said("an error", w.next()); m.Error == nil {
				t.Errorf("no error: %s", m.line)
			}
		})
	}
}
