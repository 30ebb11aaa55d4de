//go:build clients

package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/tools/tool"
)

// The MCP Inspector's command line is a client that this house did not write: it
// starts the real program, speaks either protocol era, judges every schema for
// portability and checks every answer against the schema it was listed with.

// inspector runs it against one back end.
type inspector struct {
	t                     *testing.T
	node, script, program string
	env                   []string // the Inspector's own
	server                []string // options that name the program's environment: it inherits little
}

// newInspector finds Node and the Inspector and builds the program.
func newInspector(t *testing.T) inspector {
	t.Helper()
	script, err := filepath.Abs("../test/clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	if err == nil {
		_, err = os.Stat(script)
	}
	if err != nil {
		t.Fatalf("the MCP Inspector is not installed: run sh test/setup.sh (%v)", err)
	}
	program := filepath.Join(t.TempDir(), "say-ur-intent")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/say-ur-intent").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return inspector{t: t, node: newNode(t), script: script, program: program}
}

// newNode finds a Node that the Inspector runs on: the set-up's own, or PATH's.
func newNode(t *testing.T) string {
	t.Helper()
	var seen []string
	for _, name := range []string{"../bin/node/node_modules/.bin/node", "node"} {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(t.Context(), path, "--version").Output()
		var major, minor int
		if _, e := fmt.Sscanf(string(out), "v%d.%d", &major, &minor); err == nil && e == nil && (major > 22 || major == 22 && minor >= 19) {
			return path
		}
		seen = append(seen, strings.TrimSpace(string(out)))
	}
	t.Fatalf("the MCP Inspector needs Node 22.19 or newer, found %v: run sh test/setup.sh", seen)
	return ""
}

// over gives the Inspector for the back end of a world.
func (i inspector) over(w *world) inspector {
	home := w.t.TempDir()
	i.env = append(os.Environ(), "HOME="+home, "MCP_CATALOG_PATH="+filepath.Join(home, "catalog.json"))
	i.server = []string{"-e", "SAY_UR_INTENT_DATA_DIR=" + w.Data, "-e", "SUI_GRPC_URL=" + w.URL}
	return i
}

// run asks one thing in one era. Anything on standard error, other than the
// program's own log lines, is a complaint.
func (i inspector) run(t *testing.T, era string, into any, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	line := slices.Concat([]string{i.script, "--cli", "--protocol-era", era, "--format", "json"}, i.server, args, []string{"--", i.program, "--network", "sandbox"})
	cmd := exec.CommandContext(ctx, i.node, line...)
	var out, problems bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = i.env, &out, &problems
	err := cmd.Run()
	complaints := slices.DeleteFunc(strings.Split(problems.String(), "\n"), func(s string) bool {
		return s == "" || strings.HasPrefix(s, `{"time":`)
	})
	if err != nil || len(complaints) > 0 {
		t.Fatalf("%v: %s\n%.600s", err, problems.String(), out.String())
	}
	var v struct{ Result json.RawMessage }
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatalf("%v: %.300s", err, out.String())
	}
	if err := json.Unmarshal(v.Result, into); err != nil {
		t.Fatalf("%v: %.300s", err, out.String())
	}
}

// eras are those that the Inspector can negotiate; auto ends up in one of the
// other two.
var eras = []string{"legacy", "modern"}

func TestInspectorLists(t *testing.T) {
	i := newInspector(t).over(build(t, nil))
	var want []string
	for _, d := range declared() {
		want = append(want, d.Name)
	}
	slices.Sort(want)
	for _, era := range append([]string{"auto"}, eras...) {
		t.Run(era, func(t *testing.T) {
			var list struct{ Tools []struct{ Name string } }
			i.run(t, era, &list, "--strict", "--method", "tools/list")
			var got []string
			for _, one := range list.Tools {
				got = append(got, one.Name)
			}
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			var prompts struct{ Prompts []any }
			i.run(t, era, &prompts, "--method", "prompts/list")
			var resources struct{ Resources []any }
			i.run(t, era, &resources, "--method", "resources/list")
			if len(prompts.Prompts) == 0 || len(resources.Resources) == 0 {
				t.Errorf("%d prompts, %d resources", len(prompts.Prompts), len(resources.Resources))
			}
		})
	}
}

// inHouse are situations that other processes do not see: they are made inside
// the test's own copy of the services.
var inHouse = []string{"the node answers with values of another shape", "the cache of coin metadata cannot be used", "no pages are served"}

// exampleOf gives the example that the Inspector calls a tool with: one that
// answers, in the plainest situation.
func exampleOf(d tool.Tool) (best tool.Example, ok bool) {
	plain := []string{"nothing is connected", "a wallet account is connected"}
	rank := func(e tool.Example) int {
		if n := slices.Index(plain, e.Given); n >= 0 {
			return n
		}
		return len(plain)
	}
	for _, e := range d.Examples {
		if e.Fault != "" || slices.Contains(inHouse, e.Given) || strings.HasPrefix(e.Given, "the indexer") {
			continue
		}
		if !ok || rank(e) < rank(best) {
			best, ok = e, true
		}
	}
	return best, ok
}

// TestInspectorCalls calls every tool with an example of its declaration.
func TestInspectorCalls(t *testing.T) {
	i := newInspector(t)
	bySituation := map[string][]tool.Tool{}
	for _, d := range declared() {
		e, ok := exampleOf(d)
		if !ok {
			t.Errorf("%s has no example that another process can be given", d.Name)
			continue
		}
		bySituation[e.Given] = append(bySituation[e.Given], d)
	}
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			for situation, list := range bySituation {
				// One program at a time on one store, so that each serves its pages.
				w := build(t, nil)
				situations[situation](w)
				i := i.over(w)
				for _, d := range list {
					t.Run(d.Name, func(t *testing.T) { i.call(t, w, era, d) })
				}
			}
		})
	}
}

// call calls one tool and compares the answer with the case of its example.
func (i inspector) call(t *testing.T, w *world, era string, d tool.Tool) {
	e, _ := exampleOf(d)
	var got struct {
		IsError    bool
		Structured struct {
			OK   bool
			Data struct {
				Network string
				Use     struct{ CanAnswer []string } `json:"userAnswerUse"`
			}
		} `json:"structuredContent"`
	}
	i.run(t, era, &got, "--method", "tools/call", "--tool-name", d.Name, "--tool-args-json", string(e.Arguments(w.values)))
	if got.IsError || !got.Structured.OK || got.Structured.Data.Network != "sui:sandbox" {
		t.Fatalf("%+v", got)
	}
	for _, c := range d.Cases {
		if c.Name != e.Case {
			continue
		}
		var want []string
		for _, claim := range c.Use.Can {
			want = append(want, string(claim))
		}
		if diff := cmp.Diff(want, got.Structured.Data.Use.CanAnswer); diff != "" {
			t.Errorf("case %s: %s", e.Case, diff)
		}
	}
}
