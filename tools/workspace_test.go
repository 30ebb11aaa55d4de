package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// result waits for the end of a task and returns its result.
func (w *world) result(id string) (out map[string]any) {
	w.t.Helper()
	text, _ := w.ended(id)["resultJson"].(string)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		w.t.Fatalf("%q: %v", text, err)
	}
	return out
}

func TestWorkspaceReads(t *testing.T) {
	w := build(t, nil)
	dir := w.project(workspace.ReadOnly)
	t.Run("R001-22 R001-25 R001-26 R001-27 R001-28 R001-29 R001-30 R001-31 search", func(t *testing.T) {
		data := w.must("workspace.grep_file",
			`{"projectKey":"my-vault","pattern":"PUBLIC FUN","relativePath":"sources/math.move","context_lines":1}`)
		same(t, data, map[string]any{"executor": "local", "contentTrust": "untrusted_project_text", "truncated": false,
			"matches": []any{map[string]any{"relativePath": "sources/math.move", "line": float64(3),
				"text":   "public fun double(n: u64): u64 {",
				"before": []any{""}, "after": []any{"    n * 2"}}}})
		none := w.must("workspace.grep_file", `{"projectKey":"my-vault","pattern":"PUBLIC FUN","case_sensitive":true}`)
		same(t, none, map[string]any{"matches": []any{}})
		if n := len(w.must("workspace.grep_file",
			`{"projectKey":"my-vault","pattern":"^pub.*u64","regex":true,"file_type":"move"}`)["matches"].([]any)); n != 2 {
			t.Errorf("%d matches", n)
		}
		cut := w.must("workspace.grep_file", `{"projectKey":"my-vault","pattern":"u64","limit":1}`)
		same(t, cut, map[string]any{"truncated": true})
		if !strings.Contains(cut["notes"].([]any)[0].(string), "raise limit") {
			t.Error(cut["notes"])
		}
		_, refusal := w.call("workspace.grep_file", `{"projectKey":"my-vault","pattern":"x","limit":201}`)
		same(t, refusal, map[string]any{"kind": "input_invalid"})
	})
	t.Run("R001-32 R001-35 R001-36 R001-37 R001-38 R001-39 read", func(t *testing.T) {
		long := strings.Repeat("// line\n", 1000)
		if err := os.WriteFile(filepath.Join(dir, "sources", "long.move"), []byte(long), 0o644); err != nil {
			t.Fatal(err)
		}
		data := w.must("workspace.read_file", `{"projectKey":"my-vault","relativePath":"sources/long.move"}`)
		same(t, data, map[string]any{"startLine": float64(1), "endLine": float64(400), "totalLines": float64(1000),
			"truncated": true, "nextStartLine": float64(401)})
		data = w.must("workspace.read_file", `{"projectKey":"my-vault","relativePath":"sources/long.move","line":500}`)
		same(t, data, map[string]any{"startLine": float64(480), "endLine": float64(520), "truncated": false})
		data = w.must("workspace.read_file",
			`{"projectKey":"my-vault","relativePath":"sources/long.move","start_line":3,"end_line":4,"line":500}`)
		same(t, data, map[string]any{"startLine": float64(3), "endLine": float64(4)})
		_, refusal := w.call("workspace.read_file", `{"projectKey":"my-vault","relativePath":"sources/none.move"}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.reason": "file_missing"})
		_, refusal = w.call("workspace.read_file", `{"projectKey":"my-vault","relativePath":"../x"}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.reason": "path_outside_project"})
		_, refusal = w.call("workspace.read_file", `{"projectKey":"my-vault","relativePath":"sources/../.env"}`)
		if refusal["kind"] == nil {
			t.Error(refusal)
		}
		_, refusal = w.call("workspace.read_file", `{"projectKey":"my-vault","relativePath":".env"}`)
		same(t, refusal, map[string]any{"kind": "blocked", "details.reason": "file_denied"})
	})
	t.Run("R001-40 R001-43 R001-44 R001-45 R001-46 the chain", func(t *testing.T) {
		data := w.must("workspace.call_chain",
			`{"projectKey":"my-vault","method":"math::double","direction":"callers","includeSource":true}`)
		same(t, data, map[string]any{"edges": []any{map[string]any{"direction": "callers", "depth": float64(1),
			"caller": "0xaa::vault::rebalance",
			"callee": "0xaa::math::double", "confidence": "resolved", "file": "sources/vault.move",
			"lines": []any{float64(6)}}}})
		if n := len(data["sources"].([]any)); n != 2 {
			t.Errorf("%d sources", n)
		}
		_, refusal := w.call("workspace.call_chain", `{"projectKey":"my-vault","method":"math::double","depth":6}`)
		same(t, refusal, map[string]any{"kind": "input_invalid"})
	})
	t.Run("the list of projects and the index", func(t *testing.T) {
		data := w.must("workspace.list_projects", `{}`)
		same(t, data, map[string]any{"projects": []any{map[string]any{"projectKey": "my-vault", "mode": "read_only",
			"packages": []any{
				map[string]any{"name": "my_vault", "relativePath": "", "edition": "2024", "published": []any{
					map[string]any{"network": "mainnet", "packageId": "0xbb", "originalId": "0xaa"}}}}}}})
		if err := os.WriteFile(filepath.Join(dir, "sources", "bad.move"), []byte("module my_vault::bad;\nfun f() { g( }\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
		begun := w.must("workspace.index_project", `{"projectKey":"my-vault"}`)
		out := w.result(begun["task_id"].(string))
		problems := out["syntaxProblems"].([]any)
		if len(problems) == 0 || problems[0].(map[string]any)["relativePath"] != "sources/bad.move" ||
			out["modules"] != float64(3) {
			t.Errorf("%v", out)
		}
	})
}

func TestWorkspaceChanges(t *testing.T) {
	const change = `{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2","replaceContent":"n * 3","description":"Triples."}`
	t.Run("R001-47 without asking, where the person allowed that", func(t *testing.T) {
		w := build(t, nil)
		dir := w.project(workspace.Auto)
		out := w.result(w.must("workspace.apply_change", change)["task_id"].(string))
		data, err := os.ReadFile(filepath.Join(dir, "sources", "math.move"))
		if err != nil || !strings.Contains(string(data), "n * 3") || out["applied"] != true || out["executor"] != "local" ||
			!strings.Contains(out["diff"].(string), "+    n * 3") {
			t.Errorf("%s %v %v", data, out, err)
		}
	})
	t.Run("R001-47 a task that is cancelled takes the question back", func(t *testing.T) {
		w := build(t, nil)
		dir := w.project(workspace.Confirm)
		begun := w.must("workspace.apply_change", change)
		waiting, err := w.Store.WaitingFileChanges(t.Context())
		if err != nil || len(waiting) != 1 || waiting[0].Session != w.Store.Bus(t.Context()) {
			t.Fatal(waiting, err)
		}
		w.must("task.cancel", `{"task_id":"`+begun["task_id"].(string)+`"}`)
		if task := w.ended(begun["task_id"].(string)); task["state"] != "cancelled" {
			t.Error(task)
		}
		if c, _, err := w.Store.FileChange(t.Context(), waiting[0].ID); err != nil || c.State != workspace.Withdrawn {
			t.Error(c.State, err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "sources", "math.move")); err != nil || strings.Contains(string(data),
			"n * 3") {
			t.Errorf("%s %v", data, err)
		}
	})
	t.Run("what cannot be done is refused at once, with what to do", func(t *testing.T) {
		w := build(t, nil)
		w.project(workspace.Confirm)
		for search, want := range map[string]string{"n * 9": "closest is line 4", "u64": "occurs 2 times, on lines 3",
			"": "the file exists"} {
			_, refusal := w.call("workspace.apply_change",
				`{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"`+search+`","replaceContent":"x"}`)
			if text, _ := refusal["message"].(string); !strings.Contains(strings.ToLower(text), want) {
				t.Errorf("%q: %v", search, refusal)
			}
		}
	})
}

func TestWorkspaceEditor(t *testing.T) {
	w := build(t, nil)
	dir := w.project(workspace.Auto)
	w.editor.connected = true
	const read = `{"projectKey":"my-vault","relativePath":"sources/math.move","start_line":2}`
	t.Run("R001-2 a connected editor is asked, with the protocol's parameters", func(t *testing.T) {
		data := w.must("workspace.read_file", read)
		same(t, data, map[string]any{"executor": "ide", "text": "## from the editor"})
		if w.editor.tool != "read_file" || w.editor.params["start_line"] != float64(2) ||
			w.editor.params["relativePath"] != "sources/math.move" {
			t.Errorf("%s %v", w.editor.tool, w.editor.params)
		}
	})
	w.editor.fails = true
	t.Run("one that fails is said, and this program reads", func(t *testing.T) {
		data := w.must("workspace.read_file", read)
		same(t, data, map[string]any{"executor": "local", "startLine": float64(2)})
		if !slices.Contains(data["notes"].([]any), any("The connected editor failed or did not answer, so this program answered.")) {
			t.Error(data["notes"])
		}
	})
	t.Run("a change that it did not answer is not made here", func(t *testing.T) {
		begun := w.must("workspace.apply_change",
			`{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2","replaceContent":"n * 3"}`)
		task := w.ended(begun["task_id"].(string))
		if text, _ := task["outcome"].(string); !strings.Contains(text, "may have been made there") {
			t.Error(task)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "sources", "math.move")); err != nil || strings.Contains(string(data),
			"n * 3") {
			t.Errorf("%s %v", data, err)
		}
	})
}

// TestEditorIsNotAsked checks that a connected editor is never asked for files that must not be
// read, or, without the user, to change files that other programs execute.
func TestEditorIsNotAsked(t *testing.T) {
	w := build(t, nil)
	w.project(workspace.Auto)
	w.editor.connected = true
	for call, args := range map[string]string{"read_file": `"relativePath":"id_ed25519.bak"`,
		"grep_file":    `"pattern":"x","relativePath":".envrc"`,
		"apply_change": `"relativePath":"validator.keypair","replaceContent":"x"`} {
		_, refusal := w.call("workspace."+call, `{"projectKey":"my-vault",`+args+`}`)
		same(t, refusal, map[string]any{"kind": "blocked", "details.reason": "file_denied"})
	}
	begun := w.must("workspace.apply_change",
		`{"projectKey":"my-vault","relativePath":"build.sh","replaceContent":"echo"}`)
	if w.editor.tool != "" {
		t.Errorf("the editor was asked: %s %v", w.editor.tool, w.editor.params)
	}
	w.must("task.cancel", `{"task_id":"`+begun["task_id"].(string)+`"}`)
}

// TestCallChainFits checks that an answer with edges and texts stays within its limit.
func TestCallChainFits(t *testing.T) {
	w := build(t, nil)
	dir := w.project(workspace.ReadOnly)
	source := "module my_vault::many;\n\npublic fun all() {\n"
	for i := range 190 {
		source += fmt.Sprintf("    step_with_a_name_that_is_rather_long_%d();\n", i)
	}
	source += "}\n"
	for i := range 190 {
		source += fmt.Sprintf("\nfun step_with_a_name_that_is_rather_long_%d() {\n    // \"%s\"\n}\n", i, strings.Repeat("\\",
			300))
	}
	if err := os.WriteFile(filepath.Join(dir, "sources", "many.move"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	data := w.must("workspace.call_chain",
		`{"projectKey":"my-vault","method":"many::all","includeSource":true,"direction":"callees"}`)
	text, err := json.Marshal(data)
	if err != nil || len(text) > workspace.MaxChainBytes || data["truncated"] != true || len(data["edges"].([]any)) < 50 {
		t.Errorf("%d bytes, %d edges, %v: %v", len(text), len(data["edges"].([]any)), data["notes"], err)
	}
}

// A digest leads to sources if the transaction calls a package that a registered project published.
func TestInspectNamesSources(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	plain := w.must("read.inspect_sui_transaction", `{"digest":"`+w.values["txDigest"]+`"}`)
	if plain["projectSources"] != nil {
		t.Error("there is no project")
	}
	dir := w.project(workspace.ReadOnly)
	id := registry.Packages()[0].ID.String()
	source := "module my_vault::pool;\n\n"
	for _, name := range []string{"swap_exact_base_for_quote", "swap_exact_quantity", "swap_exact_quote_for_base"} {
		source += "public fun " + name + "() {}\n"
	}
	for name, text := range map[string]string{"Published.toml": "[published.mainnet]\npublished-at = \"" + id +
		"\"\noriginal-id = \"0xaa\"\nversion = 2\n",
		"sources/pool.move": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data := w.must("read.inspect_sui_transaction", `{"digest":"`+w.values["txDigest"]+`"}`)
	list, _ := data["projectSources"].([]any)
	if len(list) != 1 {
		t.Fatalf("%v", data)
	}
	one := list[0].(map[string]any)
	if one["projectKey"] != "my-vault" || one["file"] != "sources/pool.move" || one["line"].(float64) < 3 ||
		!strings.HasPrefix(one["target"].(string), id+"::pool::swap_exact") {
		t.Errorf("%v", one)
	}
}
