package stdio_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

func TestVersions(t *testing.T) {
	for asked, want := range map[string]string{
		`"2024-11-05"`: "2024-11-05", `"2025-03-26"`: "2025-03-26", `"2025-06-18"`: "2025-06-18",
		`"2025-11-25"`: "2025-11-25", `"2026-07-28"`: "2025-11-25", `"2099-01-01"`: "2025-11-25",
		`""`: "2025-03-26", `null`: "2025-03-26", `"nonsense"`: "2025-11-25",
	} {
		t.Run(asked, func(t *testing.T) {
			w := dial(t, stdio.Options{})
			w.send(request("1", "initialize", `{"protocolVersion":`+asked+
				`,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}`))
			var r struct {
				ProtocolVersion string
				ServerInfo      struct{ Name string }
				Instructions    string
				Capabilities    map[string]json.RawMessage
			}
			m := w.next()
			if err := json.Unmarshal(m.Result, &r); err != nil || r.ProtocolVersion != want || r.ServerInfo.Name != "fixture" ||
				r.Instructions == "" {
				t.Errorf("asked %s: %s", asked, m.line)
			}
			if _, wrong := r.Capabilities["elicitation"]; wrong {
				t.Error("a server does not declare a client's capability")
			}
			w.alive()
		})
	}
}

func TestBeforeInitialize(t *testing.T) {
	w := dial(t, stdio.Options{})
	list := request("2", "tools/list", "{}")
	for _, p := range []probe{
		{"ping", request("1", "ping", "{}"), "1", 0, "{}"},
		{"list", list, "2", -32600, ""},
		{"call", call("3", "test.echo", "{}"), "3", -32600, ""},
		{"prompts", request("3", "prompts/list", "{}"), "3", -32600, ""},
		{"resources", request("3", "resources/list", "{}"), "3", -32600, ""},
		{"log level", request("3", "logging/setLevel", `{"level":"info"}`), "3", -32600, ""},
		{"unknown method is a probe", request("4", "server/future", "{}"), "4", -32601, ""},
		{"discover without meta is a probe", request("4", "server/discover", "{}"), "4", -32601, ""},
		{"listen without meta is a probe", request("4", "subscriptions/listen", "{}"), "4", -32601, ""},
		{"initialize of wrong shape", request("5", "initialize", `{"protocolVersion":7}`), "5", -32602, ""},
		{"still not initialized", list, "2", -32600, ""},
		{"new era without handshake", modern("6", "tools/list", "{}", ""), "6", 0, "test_echo"},
		{"the new era is no handshake", list, "2", -32600, ""},
	} {
		w.send(p.line)
		if m := w.next(); m.id() != p.id || m.code() != p.code || !strings.Contains(string(m.Result), p.result) {
			t.Errorf("%s: %s", p.name, m.line)
		}
	}
	w.initialize("{}")
	w.alive()
}

// TestInitializeFirst checks that in a burst no answer precedes that of initialize.
func TestInitializeFirst(t *testing.T) {
	for range 20 {
		w := dial(t, stdio.Options{})
		w.sendRaw(request("1", "initialize",
			`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`) + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
			call("2", "test.echo", `{"text":"a"}`) + "\n" + request("3", "ping", "{}") + "\n")
		if m := w.next(); m.id() != "1" || m.Result == nil {
			t.Fatalf("first came %s", m.line)
		}
		if a, b := w.next(), w.next(); a.code() != 0 || b.code() != 0 {
			t.Fatalf("%s%s", a.line, b.line)
		}
	}
}

func TestModernEra(t *testing.T) {
	w := dial(t, stdio.Options{})
	const version = `"io.modelcontextprotocol/protocolVersion"`
	for _, p := range []probe{
		{"discover", modern("1", "server/discover", "{}", ""), "1", 0, `"supportedVersions":["2026-07-28"`},
		{"list", modern("2", "tools/list", "{}", ""), "2", 0, `"resultType":"complete"`},
		{"list says how long it holds", modern("2", "tools/list", "{}", ""), "2", 0, `"cacheScope":"private"`},
		{"call", modern("3", "tools/call", "{}", `"name":"test.echo","arguments":{"text":"hi"}`), "3", 0, `"text":"hi"`},
		{"exact id", modern("9007199254740993", "tools/call", "{}", `"name":"test.echo","arguments":{"text":"hi"}`),
			"9007199254740993", 0, "hi"},
		{"capabilities of the request", modern("4", "tools/call", `{"elicitation":{"url":{}}}`, `"name":"test.who"`), "4", 0,
			"modern-probe form=false url=true modern=true"},
		{"ping is gone", modern("5", "ping", "{}", ""), "5", -32601, ""},
		{"initialize is gone", modern("5", "initialize", "{}", ""), "5", -32601, ""},
		{"setLevel is gone", modern("5", "logging/setLevel", "{}", `"level":"info"`), "5", -32601, ""},
		{"subscribe is gone", modern("5", "resources/subscribe", "{}", `"uri":"test://one"`), "5", -32601, ""},
		{"unknown resource", modern("6", "resources/read", "{}", `"uri":"test://none"`), "6", -32602, ""},
		{"unknown version", request("7", "tools/list", `{"_meta":{`+version+
			`:"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`), "7", -32022, ""},
		{"no capabilities", request("8", "tools/list", `{"_meta":{`+version+`:"2026-07-28"}}`), "8", -32602, ""},
		{"capabilities of wrong type", request("8", "tools/list", `{"_meta":{`+version+
			`:"2026-07-28","io.modelcontextprotocol/clientCapabilities":7}}`), "8", -32602, ""},
		{"meta of wrong type", request("8", "tools/list", `{"_meta":7}`), "8", -32602, ""},
	} {
		w.send(p.line)
		if m := w.next(); m.id() != p.id || m.code() != p.code || !strings.Contains(string(m.Result), p.result) {
			t.Errorf("%s: %s", p.name, m.line)
		}
	}
	w.send(request("7", "tools/list", `{"_meta":{`+version+
		`:"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}`))
	if m := w.next(); m.Error == nil || !strings.Contains(string(m.Error.Data), "2026-07-28") {
		t.Errorf("an unsupported version lists the supported ones: %s", m.line)
	}
}

// TestErasMixed checks that one process serves both eras and neither affects the other.
func TestErasMixed(t *testing.T) {
	w := dial(t, stdio.Options{})
	w.send(modern("1", "server/discover", `{"elicitation":{"url":{}}}`, ""))
	if m := w.next(); m.Result == nil {
		t.Fatalf("discover: %s", m.line)
	}
	w.initialize(`{"elicitation":{}}`)
	for range 3 {
		w.send(call("2", "test.who", "{}"))
		if m := w.next(); m.text() != "probe form=true url=false modern=false" {
			t.Errorf("old era: %s", m.line)
		}
		w.send(modern("3", "tools/call", "{}", `"name":"test.who"`))
		if m := w.next(); m.text() != "modern-probe form=false url=false modern=true" {
			t.Errorf("new era: %s", m.line)
		}
		w.send(strings.Replace(modern("3", "tools/call", "{}", `"name":"test.who"`),
			`"io.modelcontextprotocol/clientInfo":{"name":"modern-probe","version":"1"},`, "", 1))
		if m := w.next(); m.text() != " form=false url=false modern=true" {
			t.Errorf("new era, nameless: %s", m.line)
		}
		w.send(request("4", "tools/list", "{}"))
		if m := w.next(); strings.Contains(m.line, "resultType") || strings.Contains(m.line, "ttlMs") {
			t.Errorf("an answer of the old era has members of the new one: %s", m.line)
		}
	}
}

func TestTools(t *testing.T) {
	probes(t, open(t, stdio.Options{}), []probe{
		{"unknown tool", call("1", "test.none", "{}") + "\n", "1", -32602, ""},
		{"no name", request("1", "tools/call", `{"arguments":{}}`) + "\n", "1", -32602, ""},
		{"name of wrong type", request("1", "tools/call", `{"name":7}`) + "\n", "1", -32602, ""},
		{"no arguments", request("1", "tools/call", `{"name":"test.raw"}`) + "\n", "1", 0, `"text":""`},
		{"arguments null", call("1", "test.raw", "null") + "\n", "1", 0, `"text":`},
		{"arguments an array", call("1", "test.raw", "[1]") + "\n", "1", 0, `"text":"[1]"`},
		{"numbers beyond 2^53 stay exact", call("1", "test.raw", `{"n":9007199254740993}`) + "\n", "1", 0,
			`9007199254740993`},
		{"HTML is not escaped", call("1", "test.echo", `{"text":"<&>"}`) + "\n", "1", 0, `"text":"<&>"`},
		{"an escaped backslash stays", call("1", "test.echo", `{"text":"\\u003c \\\\u003c"}`) + "\n", "1", 0,
			`"text":"\\u003c \\\\u003c"`},
		{"line feeds stay inside", call("1", "test.echo", `{"text":"a\nb\u2028"}`) + "\n", "1", 0, `a\nb`},
		{"params beside the method", request("1", "tools/list", `{"cursor":7}`) + "\n", "1", -32602, ""},
		{"bad cursor", request("1", "tools/list", `{"cursor":"%%%"}`) + "\n", "1", -32602, ""},
		{"empty cursor", request("1", "tools/list", `{"cursor":""}`) + "\n", "1", 0, "test_echo"},
	})
}

func TestResourcesAndPrompts(t *testing.T) {
	probes(t, open(t, stdio.Options{}), []probe{
		{"list", request("1", "resources/list", "{}") + "\n", "1", 0, "test://one"},
		{"templates", request("1", "resources/templates/list", "{}") + "\n", "1", 0, "test://of/{name}"},
		{"read", request("1", "resources/read", `{"uri":"test://one"}`) + "\n", "1", 0, `"text":"<1>"`},
		{"read by template", request("1", "resources/read", `{"uri":"test://of/me"}`) + "\n", "1", 0, "me"},
		{"not found", request("1", "resources/read", `{"uri":"test://none"}`) + "\n", "1", -32002, ""},
		{"subscribe", request("1", "resources/subscribe", `{"uri":"test://one"}`) + "\n", "1", 0, "{}"},
		{"unsubscribe", request("1", "resources/unsubscribe", `{"uri":"test://one"}`) + "\n", "1", 0, "{}"},
		{"prompts", request("1", "prompts/list", "{}") + "\n", "1", 0, "greet"},
		{"prompt", request("1", "prompts/get", `{"name":"greet","arguments":{"name":"Ann"}}`) + "\n", "1", 0, "Hi Ann"},
		{"prompt without its argument", request("1", "prompts/get", `{"name":"greet"}`) + "\n", "1", -32602, ""},
		{"unknown prompt", request("1", "prompts/get", `{"name":"none"}`) + "\n", "1", -32602, ""},
		{"no completions", request("1", "completion/complete",
			`{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":""}}`) + "\n", "1", -32601, ""},
	})
}

func TestToolNames(t *testing.T) {
	for _, c := range []struct {
		mode   stdio.ToolNames
		client string
		listed string
	}{
		{stdio.ToolNamesAuto, "claude-ai", "test_echo"},
		{stdio.ToolNamesAuto, "claude-code", "test_echo"},
		{stdio.ToolNamesAuto, "Claude Desktop", "test_echo"},
		{stdio.ToolNamesAuto, "cursor-vscode", "test_echo"},
		{stdio.ToolNamesAuto, "codex-mcp-client", "test_echo"},
		{stdio.ToolNamesAuto, "github-copilot-developer", "test_echo"},
		{stdio.ToolNamesAuto, "Visual Studio Code", "test_echo"},
		{stdio.ToolNamesAuto, "gemini-cli-mcp-client", "test_echo"},
		{stdio.ToolNamesAuto, "qwen-cli-mcp-client", "test_echo"},
		{stdio.ToolNamesAuto, "continue-client", "test_echo"},
		{stdio.ToolNamesAuto, "inspector-client", "test.echo"},
		{stdio.ToolNamesAuto, "conformance", "test.echo"},
		{stdio.ToolNamesAuto, "nobody-knows", "test_echo"},
		{stdio.ToolNamesDotted, "claude-ai", "test.echo"},
		{stdio.ToolNamesUnderscore, "nobody-knows", "test_echo"},
	} {
		for _, era := range []string{"old", "new"} {
			t.Run(fmt.Sprintf("%s %s %s", c.mode, c.client, era), func(t *testing.T) {
				w := dial(t, stdio.Options{ToolNames: c.mode})
				list := request("2", "tools/list", "{}")
				if era == "old" {
					w.send(request("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`+
						c.client+`","version":"1"}}`))
					w.next()
				} else {
					list = strings.Replace(modern("2", "tools/list", "{}", ""), "modern-probe", c.client, 1)
				}
				w.send(list)
				if names := listed(t, w.next()); !slices.Contains(names, c.listed) || len(names) < 15 {
					t.Errorf("listed %v", names)
				}
				for _, spelling := range []string{"test.echo", "test_echo"} {
					line := call("3", spelling, `{"text":"t"}`)
					if era == "new" {
						line = modern("3", "tools/call", "{}", `"arguments":{"text":"t"},"name":"`+spelling+`"`)
					}
					w.send(line)
					if m := w.next(); m.text() != "t" {
						t.Errorf("%s: %s", spelling, m.line)
					}
				}
			})
		}
	}
}

// TestToolNamesStay checks that the first answer fixes the spelling for the process.
func TestToolNamesStay(t *testing.T) {
	w := dial(t, stdio.Options{})
	for i, client := range []string{"inspector", "claude-code", "nobody-knows"} {
		w.send(strings.Replace(modern("2", "tools/list", "{}", ""), "modern-probe", client, 1))
		if names := listed(t, w.next()); !slices.Contains(names, "test.echo") {
			t.Errorf("list %d, to %s: %v", i, client, names)
		}
	}
}

func TestToolNamesCollide(t *testing.T) {
	f := newFixture()
	f.AddTools(toolNamed("a.b_c"), toolNamed("a_b.c"))
	w := dialFixture(t, f, stdio.Options{})
	if err := <-w.done; err == nil || !strings.Contains(err.Error(), "same name") {
		t.Errorf("Serve: %v", err)
	}
}

func TestToolNamesHaveOneDot(t *testing.T) {
	w := dial(t, stdio.Options{Names: []string{"a.b.c"}})
	if err := <-w.done; err == nil || !strings.Contains(err.Error(), "more than one dot") {
		t.Errorf("Serve: %v", err)
	}
}

func TestParseToolNames(t *testing.T) {
	for _, good := range []string{"auto", "dotted", "underscore"} {
		if n, err := stdio.ParseToolNames(good); err != nil || string(n) != good {
			t.Errorf("%s: %q, %v", good, n, err)
		}
	}
	if _, err := stdio.ParseToolNames("Dotted"); err == nil || !strings.Contains(err.Error(),
		"auto, dotted or underscore") {
		t.Errorf("an unknown spelling: %v", err)
	}
}

func listed(t *testing.T, m frame) []string {
	t.Helper()
	var r struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatalf("%s: %v", m.line, err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestClientNamedLikeUs(t *testing.T) {
	for _, era := range []string{"old", "new"} {
		w := dial(t, stdio.Options{})
		ask := call("3", "test.who", "{}")
		if era == "old" {
			w.send(request("1", "initialize",
				`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"Say-Ur-Intent Helper","version":"1"}}`))
			w.next()
		} else {
			ask = strings.Replace(modern("3", "tools/call", "{}", `"arguments":{},"name":"test.who"`), "modern-probe",
				"Say-Ur-Intent Helper", 1)
		}
		w.send(ask)
		if m := w.next(); !strings.HasPrefix(m.text(), " form=") {
			t.Errorf("%s: %s", era, m.line)
		}
	}
}
