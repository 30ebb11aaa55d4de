//go:build unix

package main

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/resources"
	"github.com/sayurintent/sayurintent/tools"
)

// TestNamesOfAllTools checks that everything the program publishes spells tool names as in the list
// of tools, including the examples in the reference. The two spellings must not differ in anything
// else.
func TestNamesOfAllTools(t *testing.T) {
	long.Skip(t, "it starts the program")
	var names, quoted []string
	for _, e := range tools.Catalogue() {
		names, quoted = append(names, e.Name), append(quoted, regexp.QuoteMeta(e.Name))
	}
	whole := regexp.MustCompile(`(^|[^A-Za-z0-9_]|\\n)(` + strings.Join(quoted, "|") + `)\b`)
	anywhere := regexp.MustCompile(`(` + strings.Join(quoted, "|") + `)\b`)
	spelled := map[string][]string{}
	for _, mode := range []string{"dotted", "underscore"} {
		executable, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c, err := startClient(executable, []string{"--network", "sandbox", "--tool-names", mode, "--toolsets", "core"},
			[]string{asProgram + "=1", "SAY_UR_INTENT_DATA_DIR=" + shelter(t)}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer c.stop()
		say := func(method string, params map[string]any) {
			t.Helper()
			var raw json.RawMessage
			if err := c.request(method, params, &raw); err != nil {
				t.Fatalf("%s %v: %v", method, params, err)
			}
			spelled[mode] = append(spelled[mode], string(raw))
		}
		say("tools/list", map[string]any{})
		say("prompts/list", map[string]any{})
		say("resources/list", map[string]any{})
		for _, name := range promptSet().Names() {
			say("prompts/get", map[string]any{"name": name, "arguments": map[string]any{"intent": "10 sui to usdc"}})
		}
		for _, uri := range resources.URIs() {
			say("resources/read", map[string]any{"uri": uri})
		}
		for _, name := range names {
			say("resources/read", map[string]any{"uri": strings.Replace(resources.Template, "{name}", strings.ReplaceAll(name,
				".", "_"), 1)})
		}
		say("tools/call", map[string]any{"name": "read.get_server_status", "arguments": map[string]any{}})
		say("tools/call", map[string]any{"name": "action.prepare_sui_action_review", "arguments": map[string]any{}})
	}
	pages := 0
	for i, dotted := range spelled["dotted"] {
		plain := spelled["underscore"][i]
		if at := anywhere.FindStringIndex(plain); at != nil {
			t.Errorf("a dotted name leaves the process: %s", plain[max(0, at[0]-60):min(len(plain), at[1]+60)])
		}
		if whole.MatchString(dotted) {
			pages++
		}
		want := whole.ReplaceAllStringFunc(dotted, func(name string) string { return strings.ReplaceAll(name, ".", "_") })
		// Adjacent names share a separator, so a second pass is needed.
		want = whole.ReplaceAllStringFunc(want, func(name string) string { return strings.ReplaceAll(name, ".", "_") })
		// The status contains the port of its process.
		if plain != want && i != len(spelled["dotted"])-2 {
			t.Errorf("answer %d differs in more than names", i)
		}
	}
	if pages < len(names) {
		t.Errorf("only %d of %d answers have a name", pages, len(spelled["dotted"]))
	}
}
