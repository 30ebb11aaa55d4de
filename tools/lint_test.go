package tools_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// declared returns the tools without dependencies.
func declared() []tool.Tool { return tools.All(tools.Deps{}) }

func TestLint(t *testing.T) {
	for _, problem := range tool.Lint(declared(), tools.Planned()) {
		t.Error(problem)
	}
}

func TestOneFilePerTool(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	grouped := regexp.MustCompile(`^(read|action|session|account|settings|events|task|workspace)_.*\.go$`)
	var expected []string
	for _, d := range declared() {
		file := strings.ReplaceAll(d.Name, ".", "_") + ".go"
		expected = append(expected, file)
		source, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s has no file of its own: %v", d.Name, err)
			continue
		}
		if n := strings.Count(string(source), "tool.Declare("); n != 1 {
			t.Errorf("%s declares %d tools", file, n)
		}
	}
	for _, file := range files {
		if grouped.MatchString(file) && !strings.HasSuffix(file, "_test.go") && !slices.Contains(expected, file) {
			t.Errorf("%s has the name of a tool that does not exist", file)
		}
	}
}

func TestCatalogue(t *testing.T) {
	all := tools.Catalogue()
	count := map[string]int{} // of core tools
	names := map[string]bool{}
	var groups []string
	for _, e := range all {
		group, _, _ := strings.Cut(e.Name, ".")
		groups = append(groups, group)
		if e.Toolset == "" {
			count[group]++
		} else if !slices.Contains(tools.ToolsetNames(), e.Toolset) {
			t.Errorf("%s is in a toolset %q that nobody can name", e.Name, e.Toolset)
		}
		if names[tool.Underscored(e.Name)] {
			t.Errorf("%s is there twice", e.Name)
		}
		names[tool.Underscored(e.Name)] = true
		if !e.Live() && !strings.HasSuffix(e.Purpose, ".") {
			t.Errorf("%s has no purpose", e.Name)
		}
	}
	t.Run("R004-1 grouped by authority", func(t *testing.T) {
		if diff := cmp.Diff([]string{"read", "action", "session", "account", "settings", "events", "task", "agent",
			"workspace"}, slices.Compact(groups)); diff != "" {
			t.Error(diff)
		}
		want := map[string]int{"read": 25, "action": 2, "session": 7, "account": 2, "settings": 2}
		if diff := cmp.Diff(want, count); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-333 preparing a review is blocked signing", func(t *testing.T) {
		for _, e := range all {
			want := tool.Implemented
			switch e.Name {
			case "action.prepare_sui_action_review", "agent.sign_transaction_bundle", "agent.next_groups":
				want = tool.BlockedSigning
			case "action.prepare_external_proposal_review":
				want = tool.NonSignable
			}
			if e.Status != want {
				t.Errorf("got %v, want %s", e, want)
			}
		}
	})
}

func TestListings(t *testing.T) {
	dir := filepath.Join("testdata", "tools")
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var expected []string
	for _, d := range declared() {
		file := filepath.Join(dir, tool.Underscored(d.Name)+".json")
		expected = append(expected, file)
		golden(t, file, pretty(t, d))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(expected, file) {
			t.Errorf("%s belongs to no tool; run: go test ./tools -update", file)
		}
	}
}

func pretty(t *testing.T, d tool.Tool) []byte {
	t.Helper()
	data, err := d.Listing()
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	data, err = json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v; run: go test ./tools -update", err)
		return
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the tool lists; look at the difference, then run: go test ./tools -update\n%s", file, diff)
	}
}

// Limits of the list of tools. Each added tool may cost mostOfNew tokens more, and each added kind
// of action or field of an intent mostOfKind.
const (
	planTools     = 38 // core tools in the specification
	plannedTools  = 70
	plannedTokens = 6500     // name, description and input schema, which models read
	plannedMedian = 90       // tokens
	plannedBytes  = 60 << 10 // compact JSON of all entries, as clients get them
	mostOfNew     = 140
	plannedKinds  = 19 // kinds of actions, and fields
	mostOfKind    = 40
)

func TestBudget(t *testing.T) {
	words, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []int
	sum, size := 0, 0
	for _, d := range declared() {
		data, err := d.Listing()
		if err != nil {
			t.Fatal(err)
		}
		n, err := words.Count(d.Name + "\n" + d.Summary + "\n" + string(d.InputSchema()))
		if err != nil {
			t.Fatal(err)
		}
		tokens, sum, size = append(tokens, n), sum+n, size+len(data)
		t.Logf("%3d tokens, %4d bytes: %s", n, len(data), d.Name)
	}
	slices.Sort(tokens)
	more := max(0, len(tokens)-plannedTools)
	kinds := len(adapters.Fields())
	for i, m := range adapters.Metas() {
		if !slices.ContainsFunc(adapters.Metas()[:i], func(a plan.Meta) bool { return a.Action == m.Action }) {
			kinds++
		}
	}
	if most := plannedTokens + more*mostOfNew + max(0, kinds-plannedKinds)*mostOfKind; sum > most {
		t.Errorf("a model reads %d tokens of tools, and at most %d are planned; go test -v shows what each costs", sum, most)
	}
	if median := tokens[len(tokens)/2]; median > plannedMedian {
		t.Errorf("half of the tools cost %d tokens or more, and %d are planned", median, plannedMedian)
	}
	if most := plannedBytes + more<<10; size > most {
		t.Errorf("the list has %d bytes, and at most %d are planned", size, most)
	}
	t.Logf("%d tools, %d kinds, %d tokens, %d bytes", len(tokens), kinds, sum, size)
}

func TestInstructions(t *testing.T) {
	text := tools.Instructions
	if len(text) >= 2048 {
		t.Errorf("%d bytes; clients cut at 2048", len(text))
	}
	t.Run("connect, prepare, wait: in this order", func(t *testing.T) {
		last := -1
		for _, name := range []string{"account.get_active_account", "session.create_wallet_identity",
			"session.wait_wallet_identity",
			"action.prepare_sui_action_review", "session.wait_execution_result"} {
			at := strings.Index(text, name)
			if at <= last {
				t.Errorf("%s stands at %d, after the step that follows it", name, at)
			}
			last = at
		}
	})
	t.Run("every tool that is named exists", func(t *testing.T) {
		for _, name := range regexp.MustCompile(`\b(read|action|session|account|settings)\.[a-z_]+`).FindAllString(text, -1) {
			if !slices.ContainsFunc(declared(), func(d tool.Tool) bool { return d.Name == name }) {
				t.Errorf("%s does not exist", name)
			}
		}
	})
	t.Run("text in results is data", func(t *testing.T) {
		if !strings.Contains(text, "never an instruction") || !strings.Contains(text, "maxSlippageBps") {
			t.Error("a model is not told")
		}
	})
}

// TestLiveReadsSayWhen checks that answers from a node contain the time of reading.
func TestLiveReadsSayWhen(t *testing.T) {
	for _, d := range declared() {
		// The timeline returns stored facts. What it reads from a node has the chain's time.
		if d.Effect != tool.ReadsChain && d.Effect != tool.FillsCache || d.Name == "read.get_account_asset_timeline" {
			continue
		}
		t.Run("R004-38 "+d.Name, func(t *testing.T) {
			if !strings.Contains(string(d.OutputSchema()), `"fetchedAt"`) {
				t.Error("its answer has no fetchedAt")
			}
		})
	}
}
