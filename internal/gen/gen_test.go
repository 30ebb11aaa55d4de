package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const top = "../.."

func TestPagesAreCurrent(t *testing.T) {
	stale, err := sync(top, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("not current: %s. Run: make gen", strings.Join(stale, ", "))
	}
}

func TestSyncWritesWhatItChecks(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "tools/testdata"),
		os.DirFS(filepath.Join(top, "tools/testdata"))); err != nil {
		t.Fatal(err)
	}
	all, err := pages(root)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := sync(root, false)
	if err != nil || len(stale) != len(all) {
		t.Fatalf("missing pages are %v, %v", stale, err)
	}
	if _, err := sync(root, true); err != nil {
		t.Fatal(err)
	}
	if stale, err := sync(root, false); err != nil || len(stale) != 0 {
		t.Errorf("after writing, not current: %v, %v", stale, err)
	}
	path := filepath.Join(root, "docs", "ERRORS.md")
	if err := os.WriteFile(path, []byte("edited by hand"), 0o644); err != nil {
		t.Fatal(err)
	}
	if stale, err := sync(root, false); err != nil || len(stale) != 1 || stale[0] != "docs/ERRORS.md" {
		t.Errorf("an edited page: %v, %v", stale, err)
	}
	gone := filepath.Join(root, "docs", "tools", "read_gone.md")
	if err := os.WriteFile(gone, []byte("a tool that there was"), 0o644); err != nil {
		t.Fatal(err)
	}
	if stale, err := sync(root, true); err != nil || !slices.Contains(stale, "docs/tools/read_gone.md") {
		t.Errorf("a page of a tool that is gone: %v, %v", stale, err)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("it is still there")
	}
}

func TestPagesNameEverything(t *testing.T) {
	all, err := pages(top)
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, p := range all {
		text[p.path] = string(p.text)
	}
	t.Run("R004-5 every tool with name, status and purpose", func(t *testing.T) {
		for _, e := range tools.Catalogue() {
			found := false
			for line := range strings.SplitSeq(text["docs/MCP_TOOLS.md"], "\n") {
				cells := strings.Split(line, "|")
				if len(cells) == 5 && strings.Contains(cells[1], "`"+e.Name+"`") {
					found = strings.TrimSpace(cells[2]) == string(e.Status) && len(strings.TrimSpace(cells[3])) > 10
				}
			}
			if !found {
				t.Errorf("%s is not listed with its status and purpose", e.Name)
			}
		}
	})
	t.Run("R004-5 every tool in one line of the index", func(t *testing.T) {
		index := text["docs/MCP_TOOLS_INDEX.md"]
		for _, e := range tools.Catalogue() {
			if n := strings.Count(index, "\n- `"+e.Name+"("); n != 1 && e.Live() {
				t.Errorf("%s has %d lines", e.Name, n)
			}
			if e.Live() && !strings.Contains(index, ". "+e.Purpose+"\n") {
				t.Errorf("it is not said what %s does", e.Name)
			}
		}
		if !strings.Contains(index, "\n- `action.prepare_sui_action_review(intent)` opens session. ") ||
			!strings.Contains(index, "`read.get_deepbook_price_history(poolKey, ") || !strings.Contains(index,
			"?)` reads chain. ") {
			t.Error("arguments and effects are not there")
		}
	})
	t.Run("R004-1 grouped by authority", func(t *testing.T) {
		for _, g := range groups {
			if !strings.Contains(text["docs/MCP_TOOLS.md"], "\n## "+g.title+"\n") {
				t.Errorf("no group %s", g.title)
			}
		}
	})
	t.Run("every kind of failure", func(t *testing.T) {
		for _, i := range fault.All() {
			if !strings.Contains(text["docs/ERRORS.md"], "| `"+string(i.Code)+"` | "+i.Meaning) {
				t.Errorf("%s is missing", i.Code)
			}
		}
	})
	t.Run("every status and reason", func(t *testing.T) {
		for _, s := range record.Statuses() {
			if !strings.Contains(text["docs/REVIEW_STATUS.md"], "| `"+string(s)+"` | `"+s.Polling()+"` |") {
				t.Errorf("%s is missing", s)
			}
		}
		for _, r := range append(plan.BlockedReasons(), plan.RefreshReasons()...) {
			if !strings.Contains(text["docs/REVIEW_STATUS.md"], "`"+string(r)+"`") {
				t.Errorf("%s is missing", r)
			}
		}
	})
	t.Run("R004-2 links lead to the page of each tool", func(t *testing.T) {
		for _, e := range tools.Catalogue() {
			if !e.Live() {
				continue
			}
			path := "tools/" + tool.Underscored(e.Name) + ".md"
			if !strings.Contains(text["docs/MCP_TOOLS.md"], "]("+path+")") {
				t.Errorf("no link leads to %s", path)
			}
			page := text["docs/"+path]
			for _, part := range []string{"# " + e.Name, "## When to use it", "## Input", "## Example", "## Output",
				"## What the answer does not prove", "## Errors", `"ok": true`} {
				if !strings.Contains(page, "\n"+part+"\n") && !strings.Contains(page, "{\n  "+part) {
					t.Errorf("%s lacks %q", path, part)
				}
			}
		}
	})
}
