package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/workspace"
)

// TestWorkspaceParameters makes the same call with and without a parameter.
func TestWorkspaceParameters(t *testing.T) {
	w := build(t, nil)
	dir := w.project(workspace.ReadOnly)
	marks := "// a.b\n// aXb\n// A.B\nmodule my_vault::marks;\n\nfun top() { my_vault::vault::rebalance(1); }\n"
	if err := os.WriteFile(filepath.Join(dir, "sources", "marks.move"), []byte(marks), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("a.b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, tool, args, parameter, list string
		without, with                     int
	}{
		{"R001-27 regex", "grep_file", `"pattern":"a.b"`, `"regex":true`, "matches", 3, 4},
		{"R001-28 case_sensitive", "grep_file", `"pattern":"a.b"`, `"case_sensitive":true`, "matches", 3, 2},
		{"R001-31 file_type", "grep_file", `"pattern":"a.b"`, `"file_type":"md"`, "matches", 3, 1},
		{"R001-30 limit", "grep_file", `"pattern":"a.b"`, `"limit":2`, "matches", 3, 2},
		{"R001-44 direction callers", "call_chain", `"method":"vault.rebalance"`, `"direction":"callers"`, "edges", 2, 1},
		{"R001-44 direction callees", "call_chain", `"method":"math.double"`, `"direction":"callees"`, "edges", 1, 0},
		{"R001-45 depth", "call_chain", `"method":"marks.top"`, `"depth":2`, "edges", 1, 2},
		{"R001-46 includeSource", "call_chain", `"method":"math.double"`, `"includeSource":true`, "sources", 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			count := func(more string) int {
				list, _ := w.must("workspace."+c.tool, `{"projectKey":"my-vault",`+c.args+more+`}`)[c.list].([]any)
				return len(list)
			}
			if without, with := count(""), count(","+c.parameter); without != c.without || with != c.with {
				t.Errorf("%d %s without %s, %d with it; want %d and %d", without, c.list, c.parameter, with, c.without, c.with)
			}
		})
	}
	t.Run("R001-46 the text of each function of the chain", func(t *testing.T) {
		data := w.must("workspace.call_chain", `{"projectKey":"my-vault","method":"math.double","includeSource":true}`)
		first, _ := data["sources"].([]any)[0].(map[string]any)
		same(t, first, map[string]any{"function": "0xaa::math::double", "file": "sources/math.move", "line": 3.0,
			"text": "public fun double(n: u64): u64 {\n    n * 2\n}"})
	})
}

// TestWorkspaceDescription checks that the user sees the client's description of its change.
func TestWorkspaceDescription(t *testing.T) {
	w := build(t, nil)
	w.project(workspace.Confirm)
	for name, c := range map[string]struct{ arg, want string }{
		"R001-53 with one": {`,"description":"Triples it."`, "Triples it."}, "R001-53 it is optional": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			begun := w.must("workspace.apply_change",
				`{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2",`+
					`"replaceContent":"n * 3"`+c.arg+`}`)
			waiting, err := w.Store.WaitingFileChanges(t.Context())
			if err != nil || len(waiting) != 1 || waiting[0].Description != c.want {
				t.Errorf("%+v %v", waiting, err)
			}
			w.must("task.cancel", `{"task_id":"`+begun["task_id"].(string)+`"}`)
			w.ended(begun["task_id"].(string))
		})
	}
}

// TestEditorParameters passes every argument to a connected editor under its name.
func TestEditorParameters(t *testing.T) {
	w := build(t, nil)
	w.project(workspace.Auto)
	w.editor.connected = true
	for ids, c := range map[string]struct{ tool, args string }{
		"R001-23 R001-25 R001-26 R001-27 R001-28 R001-29 R001-30 R001-31": {"grep_file",
			`{"projectKey":"my-vault","pattern":"a.b","relativePath":"sources","regex":true,"case_sensitive":true,"context_lines":3,"limit":7,"file_type":"move"}`},
		"R001-33 R001-35 R001-36 R001-37 R001-38 R001-39": {"read_file",
			`{"projectKey":"my-vault","relativePath":"sources/math.move","start_line":2,"end_line":4,"line":3,"context_lines":1}`},
		"R001-41 R001-43 R001-44 R001-45 R001-46": {"call_chain",
			`{"projectKey":"my-vault","method":"vault.rebalance","direction":"callers","depth":2,"includeSource":true}`},
		"R001-48 R001-50 R001-51 R001-52 R001-53": {"apply_change",
			`{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2","replaceContent":"n * 3","description":"Triples it."}`},
	} {
		t.Run(ids+" "+c.tool, func(t *testing.T) {
			data := w.must("workspace."+c.tool, c.args)
			if id, ok := data["task_id"].(string); ok {
				w.ended(id)
			}
			want := map[string]any{}
			if err := json.Unmarshal([]byte(c.args), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, w.editor.params); diff != "" || w.editor.tool != c.tool {
				t.Errorf("%s: %s", w.editor.tool, diff)
			}
		})
	}
}
