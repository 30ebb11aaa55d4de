package workspace_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// shop is the bytecode of 0x7::shop, in which pay calls take.
const shop = "a11ceb0b070000050601000203020a050c03070f0e081d200c3d120000000101000000020001000001030473686f70037061790474616b65000000000000000000000000000000000000000000000000000000000000000700010400000511010111010102000100020000"

// node has the packages of a test, by their ids.
type node struct {
	codes map[string]workspace.Code
	asked []string
	fails error
}

func (n *node) Code(_ context.Context, id string) (workspace.Code, error) {
	n.asked = append(n.asked, id)
	if n.fails != nil {
		return workspace.Code{}, n.fails
	}
	code, ok := n.codes[id]
	if !ok {
		return workspace.Code{}, workspace.ErrNotPublished
	}
	return code, nil
}

// chainOf returns a chain on which the project's own package 0xbb loads 0x77 for 0x7.
func chainOf(t *testing.T) *node {
	t.Helper()
	module, err := hex.DecodeString(shop)
	if err != nil {
		t.Fatal(err)
	}
	pad := func(s string) string { return "0x" + strings.Repeat("0", 64-len(s)) + s }
	return &node{codes: map[string]workspace.Code{
		"0xbb": {Original: pad("aa"), Links: map[string]string{pad("7"): pad("77")}},
		"0x77": {Original: pad("7"), Modules: [][]byte{module}},
	}}
}

func (b *bench) chain(r workspace.ChainRequest) *workspace.ChainAnswer {
	b.t.Helper()
	a, err := b.local.CallChain(b.ctx, "my-vault", r)
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

// calls returns the edges of a chain: depth, caller and callee.
func calls(a *workspace.ChainAnswer) (list []string) {
	for _, e := range a.Edges {
		list = append(list, fmt.Sprintf("%d %s > %s", e.Depth, e.Caller, e.Callee))
	}
	return list
}

const buys = "module my_vault::buys;\n\nuse 0x7::shop;\n\npublic fun buy() {\n    shop::pay(1);\n}\n"

func TestCallChainCrossesIntoPublishedCode(t *testing.T) {
	n := chainOf(t)
	b := newBench(t, workspace.ReadOnly, n)
	b.write("sources/buys.move", buys)
	deep := workspace.ChainRequest{Method: "buys::buy", Direction: graph.Callees, Depth: 3}
	want := []string{"1 0xaa::buys::buy > 0x7::shop::pay", "2 0x7::shop::pay > 0x7::shop::take"}
	t.Run("R001-45 depth is honoured across the border, by the version that is loaded", func(t *testing.T) {
		if got := calls(b.chain(deep)); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if got := fmt.Sprint(n.asked); got != "[0xbb 0x77]" {
			t.Errorf("the node was asked %s", got)
		}
		if got := calls(b.chain(deep)); !slices.Equal(got, want) || len(n.asked) != 2 {
			t.Errorf("a second time: %q, asked %v", got, n.asked)
		}
	})
	t.Run("a depth that does not reach it asks nobody", func(t *testing.T) {
		n := chainOf(t)
		b := newBench(t, workspace.ReadOnly, n)
		b.write("sources/buys.move", buys)
		a := b.chain(workspace.ChainRequest{Method: "buys::buy", Direction: graph.Callees, Depth: 1})
		if len(n.asked) != 0 || len(a.Edges) != 1 || !a.Edges[0].External {
			t.Errorf("%v %q", n.asked, calls(a))
		}
	})
	t.Run("it may start outside of the sources", func(t *testing.T) {
		b := newBench(t, workspace.ReadOnly, chainOf(t))
		a := b.chain(workspace.ChainRequest{Method: "0x0077::shop::pay", Direction: graph.Callees, Depth: 1})
		if got := calls(a); len(got) != 1 || got[0] != "1 0x7::shop::pay > 0x7::shop::take" {
			t.Errorf("%q", got)
		}
	})
	t.Run("R001-43 a method as a transaction names it is found in the sources", func(t *testing.T) {
		for _, id := range []string{"0xbb", "0xaa", "0x" + strings.Repeat("0", 62) + "bb"} {
			a := b.chain(workspace.ChainRequest{Method: id + "::vault::rebalance", IncludeSource: true})
			if len(a.Starts) != 1 || a.Starts[0].File != "sources/vault.move" || a.Starts[0].Line != 5 || len(a.Sources) != 2 {
				t.Errorf("%s: %+v", id, a.Starts)
			}
		}
	})
	t.Run("a node that fails is said, and the sources answer", func(t *testing.T) {
		n := chainOf(t)
		n.fails = errors.New("the node cannot be reached")
		b := newBench(t, workspace.ReadOnly, n)
		b.write("sources/buys.move", buys)
		a := b.chain(deep)
		if len(a.Edges) != 1 || !strings.Contains(fmt.Sprint(a.Notes), "cannot be reached") {
			t.Errorf("%q %q", calls(a), a.Notes)
		}
		n.fails = nil
		if got := calls(b.chain(deep)); len(got) != 2 {
			t.Errorf("back again: %q", got)
		}
	})
	t.Run("damaged code is said", func(t *testing.T) {
		n := chainOf(t)
		n.codes["0x77"].Modules[0][5] ^= 0xff
		b := newBench(t, workspace.ReadOnly, n)
		b.write("sources/buys.move", buys)
		if a := b.chain(deep); len(a.Edges) != 1 || !strings.Contains(fmt.Sprint(a.Notes), "cannot be read") {
			t.Errorf("%q %q", calls(a), a.Notes)
		}
	})
	t.Run("R001-43 an unknown one is an error", func(t *testing.T) {
		for _, method := range []string{"vault::none", "0xcc::far::away"} {
			if _, err := b.local.CallChain(b.ctx, "my-vault", workspace.ChainRequest{Method: method}); !errors.Is(err,
				graph.ErrUnknown) {
				t.Errorf("%s: %v", method, err)
			}
		}
	})
}

func TestIndexFollowsItsFiles(t *testing.T) {
	b := newBench(t, workspace.ReadOnly, nil)
	first, err := b.local.Index(b.ctx, "my-vault")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.local.Index(b.ctx, "my-vault"); err != nil || again != first {
		t.Error("it was made anew without a change", err)
	}
	for name, change := range map[string]func(){
		"an edit":          func() { b.write("sources/vault.move", strings.ReplaceAll(vault, "rebalance", "rebalancf")) },
		"a new file":       func() { b.write("sources/more.move", "module my_vault::more;\n") },
		"a manifest":       func() { b.write("Published.toml", "") },
		"a file that goes": func() { _ = os.Remove(filepath.Join(b.dir, "sources", "math.move")) },
	} {
		before, err := b.local.Index(b.ctx, "my-vault")
		if err != nil {
			t.Fatal(err)
		}
		change()
		if after, err := b.local.Index(b.ctx, "my-vault"); err != nil || after == before {
			t.Errorf("%s was not noticed: %v", name, err)
		}
	}
}

func TestLocate(t *testing.T) {
	b := newBench(t, workspace.ReadOnly, nil)
	want := workspace.Place{Project: "my-vault", Package: "my_vault", File: "sources/vault.move", Line: 5,
		Function: "0xaa::vault::rebalance"}
	if got, ok := b.local.Locate(b.ctx, "0xbb", "vault", "rebalance"); !ok || got != want {
		t.Errorf("%+v %v", got, ok)
	}
	if got, ok := b.local.Locate(b.ctx, "0xaa", "vault", "gone"); !ok || got.File != "" || got.Project != "my-vault" {
		t.Errorf("%+v %v", got, ok)
	}
	if got, ok := b.local.Locate(b.ctx, "0xcc", "vault", "rebalance"); ok {
		t.Errorf("%+v", got)
	}
}

// A folder is swapped for a link to another one while the user reads: nothing outside is written.
func TestChangesStayInside(t *testing.T) {
	b := newBench(t, workspace.Confirm, nil)
	outside := t.TempDir()
	theirs := filepath.Join(outside, "math.move")
	if err := os.WriteFile(theirs, []byte(b.read(toThree.Path)), 0o644); err != nil {
		t.Fatal(err)
	}
	id, done := b.ask(b.ctx, toThree)
	sources := filepath.Join(b.dir, "sources")
	if err := errors.Join(os.Rename(sources, sources+".old"), os.Symlink(outside, sources)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.local.Decide(b.ctx, id, true, allowed); err == nil {
		t.Error("it was written")
	}
	if o := <-done; o.err == nil {
		t.Error("its caller was told that it was")
	}
	list, err := os.ReadDir(outside)
	data, e := os.ReadFile(theirs)
	if err != nil || e != nil || len(list) != 1 || strings.Contains(string(data), "n * 3") {
		t.Errorf("%v %q %v %v", list, data, err, e)
	}
}

// Invoke is called by the WebSocket, with the protocol's own parameters and texts.
func TestInvoke(t *testing.T) {
	b := newBench(t, workspace.Auto, nil)
	call := func(tool, params string) (string, error) {
		return workspace.Invoke(b.ctx, b.local, tool, []byte(params))
	}
	t.Run("R001-20 the heading names the file, the second block counts", func(t *testing.T) {
		text, err := call("grep_file",
			`{"projectKey":"my-vault","webSocketSessionId":"x","pattern":"double","relativePath":"sources/math.move",
			"regex":false,"case_sensitive":false,"context_lines":2}`)
		if err != nil || !strings.HasPrefix(text, "## 文件内容搜索: math.move\n\n**匹配数量**: 1\n") {
			t.Errorf("%q %v", text, err)
		}
	})
	t.Run("R001-21 a file that is missing", func(t *testing.T) {
		for _, tool := range []string{"grep_file", "read_file", "apply_change"} {
			_, err := call(tool,
				`{"projectKey":"my-vault","pattern":"x","relativePath":"core/src/File.java","searchContent":"a","replaceContent":"b"}`)
			if err == nil || err.Error() != "文件不存在: core/src/File.java" {
				t.Errorf("%s: %v", tool, err)
			}
		}
	})
	t.Run("R001-57 what is required", func(t *testing.T) {
		for tool, fields := range map[string][]string{"grep_file": {"projectKey", "pattern"}, "read_file": {"projectKey",
			"relativePath"},
			"call_chain": {"projectKey", "method"}, "apply_change": {"projectKey", "relativePath", "replaceContent"}} {
			for _, field := range fields {
				whole := `{"projectKey":"my-vault","pattern":"x","relativePath":"sources/math.move","method":"vault.rebalance","replaceContent":""}`
				var missing *workspace.MissingError
				if _, err := call(tool, strings.Replace(whole, `"`+field+`"`, `"other"`, 1)); !errors.As(err, &missing) ||
					missing.Field != field {
					t.Errorf("%s without %s: %v", tool, field, err)
				}
			}
		}
	})
	t.Run("R001-40 R001-43 the form with a dot", func(t *testing.T) {
		text, err := call("call_chain",
			`{"projectKey":"my-vault","method":"vault.rebalance","direction":"callees","depth":1.0}`)
		if err != nil || !strings.Contains(text, "0xaa::vault::rebalance → 0xaa::math::double (resolved, line 6)") {
			t.Errorf("%q %v", text, err)
		}
	})
	t.Run("R001-32 R001-36 a range", func(t *testing.T) {
		text, err := call("read_file",
			`{"projectKey":"my-vault","relativePath":"sources/math.move","start_line":3,"end_line":3}`)
		if err != nil || !strings.Contains(text, "\n3: public fun double(n: u64): u64 {\n") {
			t.Errorf("%q %v", text, err)
		}
	})
	t.Run("R001-47 R001-52 a change", func(t *testing.T) {
		text, err := call("apply_change",
			`{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2","replaceContent":"n * 4"}`)
		if err != nil || !strings.Contains(text, "+    n * 4") || !strings.Contains(b.read("sources/math.move"), "n * 4") {
			t.Errorf("%q %v", text, err)
		}
	})
	t.Run("other tools, other types, half lines", func(t *testing.T) {
		for tool, params := range map[string]string{"run_shell": `{"projectKey":"my-vault"}`,
			"read_file": `{"projectKey":"my-vault","relativePath":7}`,
			"grep_file": `{"projectKey":"my-vault","pattern":"x","limit":2.5}`, "call_chain": `[]`} {
			if text, err := call(tool, params); err == nil {
				t.Errorf("%s: %q", tool, text)
			}
		}
	})
}

// No answer reveals the project's path on the machine.
func TestNoPathOfTheMachineLeaves(t *testing.T) {
	b := newBench(t, workspace.Auto, nil)
	var said []string
	for tool, params := range map[string]string{
		"grep_file": `{"pattern":"u64"`, "read_file": `{"relativePath":"sources/math.move"`,
		"call_chain":   `{"method":"vault::rebalance","includeSource":true`,
		"apply_change": `{"relativePath":"sources/math.move","searchContent":"n * 2","replaceContent":"n * 5"`,
	} {
		text, err := workspace.Invoke(b.ctx, b.local, tool, []byte(params+`,"projectKey":"my-vault"}`))
		said = append(said, text, fmt.Sprint(err))
		_, err = workspace.Invoke(b.ctx, b.local, tool, []byte(params+`,"projectKey":"gone"}`))
		said = append(said, fmt.Sprint(err))
	}
	b.register("gone", filepath.Join(b.dir, "none"), workspace.Auto)
	infos, err := b.local.Projects(b.ctx)
	said = append(said, fmt.Sprintf("%+v %v", infos, err))
	for _, text := range said {
		if strings.Contains(text, b.dir) {
			t.Error(text)
		}
	}
}

// TestChainFits: an answer with the texts of functions is not larger than others.
func TestChainFits(t *testing.T) {
	b := newBench(t, workspace.ReadOnly, nil)
	var source strings.Builder
	source.WriteString("module my_vault::many;\n\npublic fun all() {\n")
	for i := range 150 {
		fmt.Fprintf(&source, "    step_%d();\n", i)
	}
	source.WriteString("}\n")
	for i := range 150 {
		fmt.Fprintf(&source, "\nfun step_%d() {\n    // \u202e%s\n    // key: %s\n}\n", i, strings.Repeat("x", 500),
			strings.Repeat("5f1c0b7d", 8))
	}
	b.write("sources/many.move", source.String())
	a := b.chain(workspace.ChainRequest{Method: "many::all", Direction: graph.Callees, Depth: 1, IncludeSource: true})
	text := a.Markdown()
	if len(text) > workspace.MaxChainBytes || len(a.Edges) != 150 || a.LeftOut == 0 || len(a.Sources) < 10 {
		t.Errorf("%d bytes, %d edges, %d sources, %d left out", len(text), len(a.Edges), len(a.Sources), a.LeftOut)
	}
	if strings.Contains(text, "5f1c0b7d") || strings.Contains(text, "\u202e") || !strings.Contains(text,
		workspace.Withheld) {
		t.Errorf("%.2000s", text)
	}
}
