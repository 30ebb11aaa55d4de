package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// TestParameters sends each parameter of the protocol that changes an answer: the same call
// without it, and with it.
func TestParameters(t *testing.T) {
	b := newBench(t, workspace.ReadOnly, nil)
	b.write("sources/marks.move", "// a.b\n// aXb\n// A.B\nmodule my_vault::marks;\n")
	b.write("notes.md", "a.b\n")
	b.write("sources/top.move", "module my_vault::top;\n\nfun top() {\n    my_vault::vault::rebalance(1);\n}\n")
	b.write("sources/long.move", strings.Repeat("// line\n", 100))
	const (
		count  = "**匹配数量**: "
		rows   = "**行**: "
		edges  = "**边**: "
		long   = `"relativePath":"sources/long.move"`
		double = "public fun double(n: u64): u64 {\n    n * 2\n}"
	)
	for _, c := range []struct {
		name, tool, params, parameter string
		without, with                 string // in the answer
	}{
		{"R001-27 regex", "grep_file", `"pattern":"a.b"`, `"regex":true`, count + "3\n", count + "4\n"},
		{"R001-28 case_sensitive", "grep_file", `"pattern":"a.b"`, `"case_sensitive":true`, count + "3\n", count + "2\n"},
		{"R001-31 file_type", "grep_file", `"pattern":"a.b"`, `"file_type":"md"`, count + "3\n", count + "1\n"},
		{"R001-26 relativePath", "grep_file", `"pattern":"a.b"`, `"relativePath":"notes.md"`, count + "3\n", count + "1\n"},
		{"R001-30 limit", "grep_file", `"pattern":"// line","relativePath":"sources/long.move"`, `"limit":7`, count + "20",
			count + "7"},
		{"R001-29 context_lines", "grep_file", `"pattern":"aXb"`, `"context_lines":1`, "```\n2: // aXb\n```",
			"1- // a.b\n2: // aXb\n3- // A.B\n"},
		{"R001-36 start_line", "read_file", long, `"start_line":99`, rows + "1-100 /", rows + "99-100 /"},
		{"R001-37 end_line", "read_file", long, `"end_line":2`, rows + "1-100 /", rows + "1-2 /"},
		{"R001-38 line", "read_file", long, `"line":50`, rows + "1-100 /", rows + "30-70 /"},
		{"R001-39 context_lines", "read_file", long + `,"line":50`, `"context_lines":2`, rows + "30-70 /", rows + "48-52 /"},
		{"R001-44 direction callers", "call_chain", `"method":"vault.rebalance"`, `"direction":"callers"`, edges + "2\n",
			edges + "1\n"},
		{"R001-44 direction callees", "call_chain", `"method":"math.double"`, `"direction":"callees"`, edges + "1\n", edges +
			"0\n"},
		{"R001-45 depth", "call_chain", `"method":"top.top"`, `"depth":2`, edges + "1\n", edges + "2\n"},
		{"R001-46 includeSource", "call_chain", `"method":"math.double"`, `"includeSource":true`, edges + "1\n", double},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := func(more string) string {
				text, err := workspace.Invoke(b.ctx, b.local, c.tool, []byte(`{"projectKey":"my-vault",`+c.params+more+`}`))
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			without, with := answer(""), answer(","+c.parameter)
			if !strings.Contains(without, c.without) || strings.Contains(without, c.with) {
				t.Errorf("without %s:\n%s", c.parameter, without)
			}
			if !strings.Contains(with, c.with) {
				t.Errorf("with %s:\n%s", c.parameter, with)
			}
		})
	}
}

// TestParametersThatAreRequired leaves out each of them.
func TestParametersThatAreRequired(t *testing.T) {
	b := newBench(t, workspace.Auto, nil)
	for _, c := range []struct{ name, tool, field string }{
		{"R001-23 R001-57", "grep_file", "projectKey"}, {"R001-25 R001-57", "grep_file", "pattern"},
		{"R001-33 R001-57", "read_file", "projectKey"}, {"R001-35 R001-57", "read_file", "relativePath"},
		{"R001-41 R001-57", "call_chain", "projectKey"}, {"R001-43 R001-57", "call_chain", "method"},
		{"R001-48 R001-57", "apply_change", "projectKey"}, {"R001-50 R001-57", "apply_change", "relativePath"},
		{"R001-52 R001-57", "apply_change", "replaceContent"},
	} {
		t.Run(c.name+" "+c.tool+" "+c.field, func(t *testing.T) {
			params := map[string]any{"projectKey": "my-vault", "pattern": "x", "relativePath": "sources/new.move",
				"method":         "vault.rebalance",
				"replaceContent": "// new\n"}
			delete(params, c.field)
			raw, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			var missing *workspace.MissingError
			if _, err := workspace.Invoke(b.ctx, b.local, c.tool, raw); !errors.As(err, &missing) || missing.Field != c.field {
				t.Error(err)
			}
			if err := workspace.CheckParams(c.tool, raw); !errors.As(err, &missing) {
				t.Errorf("it would be sent: %v", err)
			}
		})
	}
	t.Run("R001-51 without searchContent a file is created, and only there", func(t *testing.T) {
		const create = `{"projectKey":"my-vault","relativePath":"sources/new.move","replaceContent":"// new\n"}`
		if _, err := workspace.Invoke(b.ctx, b.local, "apply_change", []byte(create)); err != nil ||
			b.read("sources/new.move") != "// new\n" {
			t.Error(err)
		}
		if _, err := workspace.Invoke(b.ctx, b.local, "apply_change", []byte(create)); !errors.Is(err, workspace.ErrExists) {
			t.Error(err)
		}
	})
	t.Run("R001-51 R001-52 with it the one place that has it is replaced", func(t *testing.T) {
		change := `{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2","replaceContent":"n * 9"}`
		before := b.read("sources/math.move")
		if _, err := workspace.Invoke(b.ctx, b.local, "apply_change", []byte(change)); err != nil {
			t.Error(err)
		}
		if got := b.read("sources/math.move"); got == before || got != strings.Replace(before, "n * 2", "n * 9", 1) {
			t.Error(got)
		}
	})
}

// TestDescription shows the caller's description next to a change that waits for the user.
func TestDescription(t *testing.T) {
	b := newBench(t, workspace.Confirm, nil)
	ctx, stop := context.WithCancel(b.ctx)
	defer stop()
	for name, c := range map[string]struct{ param, want string }{
		"R001-53 with one": {`,"description":"Triples it."`, "Triples it."}, "R001-53 it is optional": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			go func() {
				_, err := workspace.Invoke(ctx, b.local, "apply_change",
					[]byte(`{"projectKey":"my-vault","relativePath":"sources/math.move",`+
						`"searchContent":"n * 2","replaceContent":"n * 3"`+c.param+`}`))
				done <- err
			}()
			var waiting []workspace.Change
			double.Until(t, "the change waits", func() bool {
				var err error
				if waiting, err = b.db.WaitingFileChanges(b.ctx); err != nil {
					t.Fatal(err)
				}
				return len(waiting) == 1
			})
			if waiting[0].Description != c.want {
				t.Errorf("%q", waiting[0].Description)
			}
			if _, err := b.local.Decide(b.ctx, waiting[0].ID, false, allowed); err != nil {
				t.Error(err)
			}
			if err := <-done; !errors.Is(err, workspace.ErrDeclined) {
				t.Error(err)
			}
		})
	}
}
