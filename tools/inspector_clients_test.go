//go:build clients

package tools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// The MCP Inspector's command line is an independent client. It starts the program, uses either
// protocol era, checks that schemas are portable, and validates answers against them.

// inspector runs the Inspector against one back end. All calls share one Node process.
type inspector struct {
	t                             *testing.T
	node, client, script, program string
	server                        []string // options that set the program's environment, most of which the Inspector drops

	in      io.Writer
	answers *bufio.Scanner
}

// newInspector finds Node and the Inspector and builds the program.
func newInspector(t *testing.T) inspector {
	t.Helper()
	long.Skip(t, "it starts the MCP Inspector")
	const clients = "../test/clients/"
	script, err := filepath.Abs(clients + "node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js")
	if err == nil {
		_, err = os.Stat(script)
	}
	if err != nil {
		t.Fatalf("the MCP Inspector is not installed: run sh test/setup.sh (%v)", err)
	}
	return inspector{t: t, node: newNode(t), client: clients + "inspect.mjs", script: script, program: built.Program(t)}
}

// newNode finds a Node version that can run the Inspector: the installed one or the one in PATH.
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
		if _, e := fmt.Sscanf(string(out), "v%d.%d", &major, &minor); err == nil && e == nil && (major > 22 || major == 22 &&
			minor >= 19) {
			return path
		}
		seen = append(seen, strings.TrimSpace(string(out)))
	}
	t.Fatalf("the MCP Inspector needs Node 22.19 or newer, found %v: run sh test/setup.sh", seen)
	return ""
}

// over starts the Inspector for a world's back end. Standard error may contain only the program's
// log lines.
func (i inspector) over(w *world) *inspector {
	w.t.Helper()
	home := w.t.TempDir()
	i.server = []string{"-e", "SAY_UR_INTENT_DATA_DIR=" + w.Data, "-e", "SUI_GRPC_URL=" + w.URL}
	cmd := exec.Command(i.node, i.client, i.script)
	var problems bytes.Buffer
	cmd.Env = append(os.Environ(), "HOME="+home, "MCP_CATALOG_PATH="+filepath.Join(home, "catalog.json"))
	cmd.Stderr, cmd.WaitDelay = &problems, time.Minute
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = in.Close()
		err := cmd.Wait()
		complaints := slices.DeleteFunc(strings.Split(problems.String(), "\n"), func(s string) bool {
			return s == "" || strings.HasPrefix(s, `{"time":`)
		})
		if err != nil || len(complaints) > 0 {
			w.t.Errorf("the Inspector: %v\n%s", err, problems.String())
		}
	})
	i.in, i.answers = in, bufio.NewScanner(out)
	i.answers.Buffer(nil, 16<<20)
	return &i
}

// run makes one request in the given era.
func (i *inspector) run(t *testing.T, era string, into any, args ...string) {
	t.Helper()
	line, err := json.Marshal(slices.Concat([]string{"--protocol-era", era, "--format", "json"}, i.server, args,
		[]string{"--", i.program, "--network", "sandbox"}))
	if err == nil {
		_, err = fmt.Fprintf(i.in, "%s\n", line)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !i.answers.Scan() {
		t.Fatalf("the Inspector ended: %v", i.answers.Err())
	}
	var answer struct{ Out, Failed string }
	if err := json.Unmarshal(i.answers.Bytes(), &answer); err != nil || answer.Failed != "" {
		t.Fatalf("%v: %s\n%.600s", err, answer.Failed, i.answers.Text())
	}
	var v struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(answer.Out), &v); err != nil {
		t.Fatalf("%v: %.300s", err, answer.Out)
	}
	if err := json.Unmarshal(v.Result, into); err != nil {
		t.Fatalf("%v: %.300s", err, answer.Out)
	}
}

// eras are the eras that the Inspector can request. With auto it negotiates one of the others.
var eras = []string{"legacy", "modern"}

func TestInspectorLists(t *testing.T) {
	w := build(t, nil)
	w.project(workspace.Auto) // without a project, its tools are not listed
	i := newInspector(t).over(w)
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

// inHouse lists situations that exist only inside this process.
var inHouse = []string{"the node answers with values of another shape", "the cache of coin metadata cannot be used",
	"no pages are served",
	"the user hides the address book from AI clients", "an editor is connected for a registered project"}

// exampleOf returns the example to call a tool with: a successful one in the simplest situation.
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
		// Without a registered project the program does not list the tools on one.
		if d.Toolset == "workspace" && !strings.Contains(e.Given, "project is registered") {
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
				// One program at a time per store, so that each serves its pages.
				w := build(t, nil)
				situations[situation](w)
				i := i.over(w)
				if situation == "a plan was set" {
					i.leads(t, w, era)
				}
				for _, d := range list {
					t.Run(d.Name, func(t *testing.T) { i.call(t, w, era, d) })
				}
			}
		})
	}
}

// leads makes the situation's conversation an earlier one of the Inspector, so that it owns the
// plan.
func (i *inspector) leads(t *testing.T, w *world, era string) {
	t.Helper()
	i.run(t, era, &struct{}{}, "--method", "tools/call", "--tool-name", "events.list", "--tool-args-json", "{}")
	clients, err := w.Store.Clients(t.Context())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%v %v", clients, err)
	}
	if err := w.Store.Converse(t.Context(), clients[0]); err != nil {
		t.Fatal(err)
	}
}

// answerQuestions answers all questions to the user until the context ends.
func (w *world) answerQuestions(ctx context.Context) {
	for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; <-tick.C {
		clients, _ := w.Store.Clients(ctx)
		for _, client := range clients {
			session, _, _ := w.Store.Conversation(ctx, client)
			state, _ := w.Store.Snapshot(ctx, session)
			for _, task := range state.Tasks {
				if task.Question == nil {
					continue
				}
				end := bus.Step{Stage: bus.StageAnswer, End: bus.Completed, Result: json.RawMessage(`{"answer":"SUI/USDC"}`)}
				if _, _, err := w.Store.StepTask(ctx, task.ID, end); err != nil && ctx.Err() == nil {
					w.t.Error(err)
				}
			}
		}
	}
}

// call calls one tool and compares the answer with the case of its example.
func (i *inspector) call(t *testing.T, w *world, era string, d tool.Tool) {
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
	if d.Name == "events.ask_user" {
		// A client with task support stays with the question until it is answered.
		answered := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() { defer close(answered); w.answerQuestions(ctx) }()
		defer func() { stop(); <-answered }()
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
