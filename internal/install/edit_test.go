package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func client(t testing.TB, name string) Client {
	t.Helper()
	c, ok := ByName(name)
	if !ok {
		t.Fatalf("no client %s", name)
	}
	return c
}

// takes is a server that accepts only its two flags.
func takes(args []string) error {
	e := Entry{Args: args}
	for _, name := range []string{"network", "tool-names"} {
		if i, width := flagAt(e.Args, name); i >= 0 {
			e.Args = slices.Concat(e.Args[:i], e.Args[i+width:])
		}
	}
	if len(e.Args) > 0 {
		return errors.New("unexpected argument")
	}
	return nil
}

func spec() EntrySpec {
	return EntrySpec{Name: "say-ur-intent", Command: "/opt/say-ur-intent", Accepts: takes}
}

const cursorEntry = `{
      "type": "stdio",
      "command": "/opt/say-ur-intent",
      "args": [
        "--network",
        "mainnet",
        "--tool-names",
        "underscore"
      ]
    }`

func TestInsert(t *testing.T) {
	t.Parallel()
	compact := `{"type":"stdio","command":"/opt/say-ur-intent","args":["--network","mainnet","--tool-names","underscore"]}`
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", "{\n  \"mcpServers\": {\n    \"say-ur-intent\": " + cursorEntry + "\n  }\n}\n"},
		{"an empty object", "{}", "{\n  \"mcpServers\": {\n    \"say-ur-intent\": " + cursorEntry + "\n  }\n}"},
		{"no servers yet", "{\n  \"theme\": \"dark\"\n}\n",
			"{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"say-ur-intent\": " + cursorEntry + "\n  }\n}\n"},
		{"beside another", "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"} // mine\n    // end\n  },\n  \"z\": 1\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}, // mine\n    // end\n    \"say-ur-intent\": " +
				cursorEntry +
				"\n  },\n  \"z\": 1\n}"},
		{"after a trailing comma", "{\n  \"mcpServers\": {\n    \"a\": {}, // mine\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // mine\n    \"say-ur-intent\": " + cursorEntry + ",\n  },\n}"},
		{"tabs, CRLF and a byte order mark", "\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
			"\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {},\r\n\t\t\"say-ur-intent\": " +
				strings.NewReplacer("\n        ", "\r\n\t\t\t\t", "\n      ", "\r\n\t\t\t", "\n    ",
					"\r\n\t\t").Replace(cursorEntry) + "\r\n\t}\r\n}\r\n"},
		{"one line", `{"mcpServers":{"a":{"command":"x"}},"z":1}`,
			`{"mcpServers":{"a":{"command":"x"},"say-ur-intent":` + compact + `},"z":1}`},
		{"one line, no servers", `{"mcpServers":{},"z":1}`, `{"mcpServers":{"say-ur-intent":` + compact + `},"z":1}`},
		{"a comment in an empty object", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    // none yet\n    \"say-ur-intent\": " + cursorEntry + "\n  }\n}\n"},
		{"a comment at the end without a line end", "{\n  \"mcpServers\": {}\n} // bye",
			"{\n  \"mcpServers\": {\n    \"say-ur-intent\": " + cursorEntry + "\n  }\n} // bye"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := client(t, "cursor").Install(rawOf(c.before), spec())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(got.After)); diff != "" {
				t.Error(diff)
			}
			again, err := client(t, "cursor").Install(got.After, spec())
			if err != nil || again.Changes() {
				t.Errorf("a second install changes something: %v\n%s", err, again.After)
			}
		})
	}
}

// rawOf returns nil, for a missing file, if the text is "".
func rawOf(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

func TestRemove(t *testing.T) {
	t.Parallel()
	const own = `"say-ur-intent": {"command": "/opt/say-ur-intent", "args": []}`
	for _, c := range []struct{ name, before, after string }{
		{"last", "{\n  \"mcpServers\": {\n    \"a\": {},\n    " + own + "\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n"},
		{"first", "{\n  \"mcpServers\": {\n    " + own + ",\n    \"a\": {}\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n"},
		{"between", "{\"mcpServers\": {\"a\": {}, " + own + ", \"b\": {}}}", "{\"mcpServers\": {\"a\": {}, \"b\": {}}}"},
		{"only", "{\n  \"mcpServers\": {\n    " + own + "\n  }\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
		{"with a trailing comma", "{\n  \"mcpServers\": {\n    \"a\": {},\n    " + own + ",\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {},\n  }\n}\n"},
		{"comments stay", "{\n  \"mcpServers\": {\n    \"a\": {}, // a\n    // note \"x\"\n    " + own +
			" /* , */, // ours\n    \"b\": {}\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // a\n    // note \"x\"\n /* , */ // ours\n    \"b\": {}\n  }\n}\n"},
		{"a comment before the only one", "{\n  \"mcpServers\": {\n    // note\n    " + own + "}\n}\n",
			"{\n  \"mcpServers\": {\n    // note\n}\n}\n"},
		{"not there", "{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := client(t, "cursor").Uninstall([]byte(c.before), "say-ur-intent", false)
			if err != nil || got.Refused != "" {
				t.Fatal(err, got.Refused)
			}
			if diff := cmp.Diff(c.after, string(got.After)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1_000_000)
	for _, c := range []struct{ name, client, text, want string }{
		{"a comma too many", "claude-desktop", "{\n  \"a\": 1,\n}", "line 3, column 1"},
		{"a comment in strict JSON", "claude-code", "{\n  // note\n}", "line 2, column 3"},
		{"cut off", "cursor", "{\n  \"mcpServers\": {\n    \"a\"", "line 3, column 8"},
		{"cut off in strict JSON", "claude-desktop", "{\"mcpServers\": {", "line 1, column 17: the file ends too early"},
		{"no object", "vscode", "\n[1]", "line 2, column 1: the file is not a JSON object"},
		{"servers no object", "vscode", "{\"servers\": []}", `"servers" is not a JSON object`},
		{"two of one name", "cursor", "{\"mcpServers\": {},\n \"mcpServers\": {}}",
			"line 2, column 2: \"mcpServers\" occurs twice"},
		{"our entry twice", "cursor", `{"mcpServers": {"say-ur-intent": {}, "say-ur-intent": {}}}`, "occurs twice"},
		{"a field of ours twice", "cursor", `{"mcpServers": {"say-ur-intent": {"args": [], "args": []}}}`, "occurs twice"},
		{"UTF-16", "vscode", "\xff\xfe{\x00}\x00", "not UTF-8"},
		{"a secret in a broken text", "cursor", "{\"a\": \"sk-secret\n\"}", "an invalid JSON value"},
		{"too deep", "cursor", "{\"a\": " + deep, "deeper than"},
		{"too deep in strict JSON", "claude-code", "{\"a\": " + deep, "deeper than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := client(t, c.client).Install([]byte(c.text), spec())
			if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the file's text is told: %v", err)
			}
			if got.Changes() {
				t.Error("it would be changed")
			}
		})
	}
}

// equalValues compares two documents by meaning, comments aside.
func equalValues(t testing.TB, a, b []byte) bool {
	t.Helper()
	plain := func(raw []byte) string {
		d, err := parse(raw, WithComments)
		if err != nil {
			t.Fatalf("%v in\n%s", err, raw)
		}
		top := d.top.Clone()
		top.Minimize()
		return string(bytes.TrimSpace(top.Pack()))
	}
	return plain(a) == plain(b)
}

// subsequence reports whether all of a is in b in the same order, white space
// aside.
func subsequence(a, b []byte) bool {
	b = bytes.Join(bytes.Fields(b), nil)
	for _, c := range bytes.Join(bytes.Fields(a), nil) {
		i := bytes.IndexByte(b, c)
		if i < 0 {
			return false
		}
		b = b[i+1:]
	}
	return true
}

// FuzzInstall: for any file, an install loses none of its bytes, a second install changes nothing,
// and an uninstall restores the file.
func FuzzInstall(f *testing.F) {
	for _, seed := range []string{
		`{}`, "{\n}\n", `{"mcpServers":{}}`, "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"env\": {\"K\": \"v\"}}\n\t}\n}",
		"{ // c\n  \"mcpServers\": { /* x */ \"a\": 1, // d\n  },\n} // e", `{"a":[1,2,{"b":null}],"mcpServers":{"x":{}}}`,
		"\ufeff{\r\n  \"mcpServers\": {\"say-ur-intent\": {\"command\": \"/old/say-ur-intent\", \"x\": 1}}\r\n}",
		"{\"mcpServers\": {\"a\": \"//\" // c\n, \"b\": \"/*\"/**/}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := client(t, "cursor")
		first, err := c.Install(raw, spec())
		if err != nil || first.Refused != "" {
			return
		}
		second, err := c.Install(first.After, spec())
		if err != nil || second.Changes() {
			t.Fatalf("a second install: %v\n%s\n%s", err, first.After, second.After)
		}
		if first.was != nil || len(bytes.TrimSpace(bytes.TrimPrefix(raw, byteOrderMark))) == 0 {
			return
		}
		if !subsequence(raw, first.After) {
			t.Fatalf("bytes were lost:\n%s\n%s", raw, first.After)
		}
		back, err := c.Uninstall(first.After, "say-ur-intent", false)
		if err != nil || back.Refused != "" || !back.Changes() {
			t.Fatal(err, back.Refused)
		}
		want, err := c.Install(raw, spec())
		if err != nil {
			t.Fatal(err)
		}
		_, servers, _ := mustParse(t, raw).at("mcpServers")
		if servers != nil && !equalValues(t, raw, back.After) {
			t.Fatalf("not as it was:\n%s\n%s\n%s", raw, want.After, back.After)
		}
		_ = first.Diff("f", nil)
	})
}

func mustParse(t testing.TB, raw []byte) *document {
	t.Helper()
	d, err := parse(raw, WithComments)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRoundTripKeepsEveryByte(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"} // mine\n  },\n  \"z\": 1\n}",
		"{\n  \"mcpServers\": {\n    \"a\": {}, // mine\n  },\n}",
		"\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}\r\n\t}\r\n}\r\n",
		`{"mcpServers":{"a":{"command":"x"}},"z":1}`,
		"{\n  \"mcpServers\": {}\n}\n",
	} {
		c := client(t, "cursor")
		there, err := c.Install([]byte(text), spec())
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Uninstall(there.After, "say-ur-intent", false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(back.After)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestEachClientsForm(t *testing.T) {
	t.Parallel()
	for _, c := range Clients() {
		t.Run(c.Name, func(t *testing.T) {
			got, err := c.Install(nil, EntrySpec{Name: "n", Command: `C:\a b\say-ur-intent.exe`, Accepts: takes,
				Env: map[string]string{"SAY_UR_INTENT_DATA_DIR": `C:\<d>`}})
			if err != nil {
				t.Fatal(err)
			}
			key := map[string]string{"vscode": "servers", "opencode": "mcp", "zed": "context_servers"}[c.Name]
			if key == "" {
				key = "mcpServers"
			}
			if c.dialect == TOML {
				return // its sample and TestEveryClient
			}
			var file map[string]map[string]json.RawMessage
			if err := json.Unmarshal(got.After, &file); err != nil || file[key]["n"] == nil {
				t.Fatalf("%v: %s", err, got.After)
			}
			e, err := c.decode(file[key]["n"])
			if err != nil || e.Command != `C:\a b\say-ur-intent.exe` || string(e.Env["SAY_UR_INTENT_DATA_DIR"]) != `"C:\\<d>"` ||
				!slices.Equal(e.Args, []string{"--network", "mainnet", "--tool-names", "underscore"}) {
				t.Errorf("%v: %s", err, got.After)
			}
			wantType := map[string]string{"claude-code": "stdio", "cursor": "stdio", "vscode": "stdio", "copilot": "local",
				"opencode": "local"}
			if e.Type != wantType[c.Name] {
				t.Errorf("type %q", e.Type)
			}
			if !bytes.Contains(got.After, []byte(`"C:\\<d>"`)) {
				t.Errorf("the text is not readable: %s", got.After)
			}
		})
	}
}
