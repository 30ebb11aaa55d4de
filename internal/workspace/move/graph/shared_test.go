//go:build shared

package graph

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
)

const recorded = "../../../../../shared/data/move"

func load(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recorded, name))
	if err != nil {
		t.Skip("the recorded Move packages are not beside this checkout")
	}
	aliases := map[string]string{}
	list, err := os.ReadFile(filepath.Join(recorded, "addresses.json"))
	if err == nil {
		err = json.Unmarshal(list, &aliases)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for alias, address := range aliases {
		text = strings.ReplaceAll(text, alias+"::", address+"::")
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(name, err)
	}
}

// recordedAddresses returns the named addresses that the packages were compiled with.
func recordedAddresses(t testing.TB) map[string]string {
	t.Helper()
	var list map[string]struct {
		NamedAddress string `json:"named_address"`
		Address      string
	}
	load(t, "packages.json", &list)
	// dependencies that are not recorded
	out := map[string]string{"grid": "0x641d", "svg": "0x5c6", "ascii": "0xa5c11"}
	data, err := os.ReadFile(filepath.Join(recorded, "addresses.json"))
	var aliases map[string]string
	if err == nil {
		err = json.Unmarshal(data, &aliases)
	}
	if err != nil {
		t.Fatal(err)
	}
	for alias, address := range aliases {
		out[strings.TrimPrefix(alias, "@")] = address
	}
	for _, p := range list {
		out[p.NamedAddress] = strings.TrimPrefix(p.Address, "@")
		if a, ok := aliases[p.Address]; ok {
			out[p.NamedAddress] = a
		}
	}
	return out
}

// recordedPackages returns the packages with the addresses that they were compiled with.
func recordedPackages(t testing.TB, only ...string) []Package {
	t.Helper()
	var list map[string]struct{ Edition string }
	load(t, "packages.json", &list)
	addresses := recordedAddresses(t)
	var out []Package
	for name, p := range list {
		if name == "zoo" || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		out = append(out, Package{Name: name, Legacy: p.Edition == "legacy", Addresses: addresses,
			Sources: readSources(t, filepath.Join(recorded, "sources", name))})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func readSources(t testing.TB, root string) []Source {
	t.Helper()
	var out []Source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".move") {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out = append(out, Source{filepath.ToSlash(name), text})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// zooAddresses are those of the compiler's own tests.
var zooAddresses = map[string]string{"a": "0x41", "b": "0x42", "std": "0x1"}

type truth struct {
	Calls    [][]any
	Macros   [][]any
	NotCalls [][]any `json:"not_calls"`
}

// score holds the edges of a graph against recorded ones.
type score struct{ total, resolved, byName map[string]int }

func newScore() score { return score{map[string]int{}, map[string]int{}, map[string]int{}} }

// hold counts the edges of the recorded functions, and reports those that are
// resolved and wrong. Macros and vector instructions have no call in bytecode.
func (s score) hold(t *testing.T, g *Graph, want map[string]truth) {
	t.Helper()
	for id, w := range want {
		f := g.Functions[id]
		if f == nil {
			t.Errorf("%s is missing", id)
			continue
		}
		got := map[string]Confidence{}
		for _, e := range f.Edges {
			if e.Kind != KindMacro && e.Kind != KindInstruction && got[e.Callee] != Resolved {
				got[e.Callee] = e.Confidence
			}
		}
		for _, c := range w.Calls {
			callee, how := c[0].(string), c[1].(string)
			if how == "index" && g.Modules[callee[:strings.LastIndex(callee, "::")]] == nil {
				how = "index of a type that is not at hand"
			}
			s.total[how]++
			switch got[callee] {
			case Resolved:
				s.resolved[how]++
			case ByName:
				s.byName[how]++
				t.Logf("by name: %s -%s-> %s %v", id, how, callee, c[3])
			default:
				if how != "macro" {
					t.Logf("missed: %s -%s-> %s %v", id, how, callee, c[3])
				}
			}
			delete(got, callee)
		}
		for callee, confidence := range got {
			if confidence == Resolved {
				t.Errorf("wrong: %s -> %s", id, callee)
			}
		}
		s.macros(t, f, w)
	}
}

// macros reports macro uses without an edge to one of the macros that may be meant.
func (s score) macros(t *testing.T, f *Function, w truth) {
	t.Helper()
	for _, e := range f.Edges {
		meant := slices.ContainsFunc(w.Macros, func(m []any) bool { return slices.Contains(m[2].([]any), any(e.Callee)) })
		if e.Kind == KindMacro && e.Confidence == Resolved && !meant {
			t.Errorf("wrong macro: %s -> %s", f.ID, e.Callee)
		}
		if e.Kind == KindInstruction && !vectorInstructions[e.Callee] {
			t.Errorf("wrong instruction: %s -> %s", f.ID, e.Callee)
		}
	}
	for _, m := range w.Macros {
		s.total["use of a macro"]++
		found := false
		for _, e := range f.Edges {
			for _, id := range m[2].([]any) {
				found = found || e.Callee == id && e.Confidence == Resolved
			}
		}
		if found {
			s.resolved["use of a macro"]++
		} else {
			t.Logf("macro: %s %v", f.ID, m)
		}
	}
}

// check fails if a required item is not found completely, or if less than 95 % of methods are
// found.
func (s score) check(t *testing.T) {
	t.Helper()
	for _, how := range []string{"call", "method", "index", "literal", "macro", "use of a macro",
		"index of a type that is not at hand"} {
		t.Logf("%-15s %4d of %4d resolved, %d by name", how, s.resolved[how], s.total[how], s.byName[how])
	}
	for _, how := range []string{"call", "index", "literal"} {
		if s.resolved[how] != s.total[how] {
			t.Errorf("%d of %d %s edges are resolved, want all", s.resolved[how], s.total[how], how)
		}
	}
	if s.resolved["method"]*100 < s.total["method"]*95 {
		t.Errorf("%d of %d method edges are resolved, want 95 %%", s.resolved["method"], s.total["method"])
	}
}

func TestEdgesOfRecordedPackages(t *testing.T) {
	var want map[string]map[string]truth
	load(t, "calls.json", &want)
	g := Build(recordedPackages(t))
	for _, p := range g.Problems {
		t.Errorf("%s:%d: %s", p.File, p.Line, p.Text)
	}
	s := newScore()
	for _, functions := range want {
		s.hold(t, g, functions)
	}
	s.check(t)
}

// TestMacrosReachWhatTheyExpandTo goes from the uses of macros through the macros'
// own edges to the calls that the compiler made of them.
func TestMacrosReachWhatTheyExpandTo(t *testing.T) {
	var want map[string]map[string]truth
	load(t, "calls.json", &want)
	g := Build(recordedPackages(t))
	reached, total := 0, 0
	for _, functions := range want {
		for id, w := range functions {
			for _, c := range w.Calls {
				if c[1] != "macro" {
					continue
				}
				total++
				if slices.Contains(expansions(g, id), c[0].(string)) {
					reached++
				} else {
					t.Logf("not reached: %s -> %v", id, c)
				}
			}
		}
	}
	t.Logf("%d of %d calls that macros expand to are reached through them", reached, total)
	if reached*100 < total*95 {
		t.Errorf("%d of %d reached, want 95 %%", reached, total)
	}
}

// expansions returns the calls of a function's macros, including nested ones.
func expansions(g *Graph, id string) []string {
	var out []string
	seen := map[string]bool{}
	var follow func(f *Function, inside bool)
	follow = func(f *Function, inside bool) {
		if f == nil || seen[f.ID] {
			return
		}
		seen[f.ID] = true
		for _, e := range f.Edges {
			if e.Kind == KindMacro {
				follow(g.Functions[e.Callee], true)
			} else if inside {
				out = append(out, e.Callee)
			}
		}
	}
	follow(g.Functions[id], false)
	return out
}

func TestBytecodeGraphOfRecordedPackages(t *testing.T) {
	var want map[string]map[string]truth
	load(t, "calls.json", &want)
	for _, name := range []string{"deepbook", "move-stdlib"} {
		var packed map[string][]byte
		load(t, "bytecode/"+name+".json", &packed)
		var modules []*bytecode.Module
		for _, b := range packed {
			m, err := bytecode.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			modules = append(modules, m)
		}
		g := Build(nil, modules...)
		if len(g.Functions) != len(want[name]) {
			t.Errorf("%s: %d functions, want %d", name, len(g.Functions), len(want[name]))
		}
		for id, w := range want[name] {
			var got, calls []string
			if f := g.Functions[id]; f != nil {
				for _, e := range f.Edges {
					got = append(got, fmt.Sprint(e.Callee, " ", e.Count, e.Kind, e.Confidence))
				}
			} else {
				t.Errorf("%s is missing", id)
			}
			for _, c := range w.Calls {
				calls = append(calls, fmt.Sprint(c[0], " ", c[2], KindCall, Resolved))
			}
			sort.Strings(got)
			sort.Strings(calls)
			if !slices.Equal(got, calls) {
				t.Errorf("%s: %v, want %v", id, got, calls)
			}
		}
	}
}

// TestMethodsOfPublishedTypes resolves the calls of sources on types of which only
// bytecode is at hand. What bytecode does not have stays by name.
func TestMethodsOfPublishedTypes(t *testing.T) {
	var want map[string]map[string]truth
	load(t, "calls.json", &want)
	var packed map[string][]byte
	load(t, "bytecode/move-stdlib.json", &packed)
	var modules []*bytecode.Module
	for _, b := range packed {
		m, err := bytecode.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	g := Build(recordedPackages(t, "sui-framework", "token", "deepbook", "suins"), modules...)
	s := newScore()
	for _, name := range []string{"sui-framework", "token", "deepbook", "suins"} {
		s.hold(t, g, want[name])
	}
	t.Logf("%d of %d calls, %d of %d methods", s.resolved["call"], s.total["call"], s.resolved["method"],
		s.total["method"])
	if s.resolved["call"] != s.total["call"] || s.resolved["method"]*100 < s.total["method"]*95 {
		t.Error("too few")
	}
}

func BenchmarkIndexFramework(b *testing.B) {
	packages := recordedPackages(b, "move-stdlib", "sui-framework")
	for b.Loop() {
		Build(packages)
	}
}

func BenchmarkChainDepth5(b *testing.B) {
	g := Build(recordedPackages(b))
	for b.Loop() {
		c, err := g.Chain(Query{Method: "deepbook::pool::place_limit_order", Depth: 5, IncludeSource: true,
			Addresses: recordedAddresses(b)})
		if err != nil || len(c.Edges) < MaxChainEdges {
			b.Fatal(err)
		}
	}
}

type recordedModule struct {
	Line      int
	Style     string
	Functions map[string]struct {
		Vis, Written  string
		Entry, Native bool
		Params        int
		TParams       int `json:"tparams"`
		Ret           int
		Lines         [2]int
	}
	SourceOnly [][]any `json:"source_only"`
	Structs    []string
	Enums      map[string][]string
	Friends    []string
	Why        string
}

func TestEdgesOfCompilerTests(t *testing.T) {
	var want map[string]struct {
		Modules map[string]recordedModule
		Calls   map[string]truth
	}
	load(t, "zoo.json", &want)
	s := newScore()
	for file, w := range want {
		text, err := os.ReadFile(filepath.Join(recorded, "zoo", file))
		if err != nil {
			t.Fatal(err)
		}
		g := Build([]Package{{Name: "zoo", Addresses: zooAddresses, Sources: []Source{{file, text}}}})
		for _, p := range g.Problems {
			t.Errorf("%s:%d: %s", p.File, p.Line, p.Text)
		}
		s.hold(t, g, w.Calls)
		for id, m := range w.Modules {
			if m.Why == "" { // modules of tests are not published
				holdModule(t, g, id, m)
			}
		}
	}
	s.check(t)
}

func TestFunctionsOfRecordedPackages(t *testing.T) {
	var want map[string]struct {
		Address string
		Modules map[string]recordedModule
	}
	load(t, "modules.json", &want)
	g, addresses := Build(recordedPackages(t)), recordedAddresses(t)
	for _, p := range want {
		for module, m := range p.Modules {
			if strings.HasPrefix(module, "(source only) ") {
				continue
			}
			address := p.Address
			if strings.HasPrefix(address, "@") {
				address = addresses[address[1:]]
			}
			holdModule(t, g, address+"::"+module, m)
		}
	}
}

func holdModule(t *testing.T, g *Graph, id string, want recordedModule) {
	t.Helper()
	for full, m := range g.Modules {
		if !strings.Contains(id, "::") && strings.HasSuffix(full, "::"+id) && m.Line == want.Line {
			id = full // modules without functions are recorded without their address
		}
	}
	m := g.Modules[id]
	if m == nil || m.Line != want.Line || m.Label != (want.Style == "label") {
		t.Errorf("module %s: %+v", id, m)
		return
	}
	sort.Strings(m.Structs)
	sort.Strings(want.Structs)
	if fmt.Sprint(m.Structs) != fmt.Sprint(want.Structs) || len(m.Enums) != len(want.Enums) {
		t.Errorf("%s: structs %v %v, want %v %v", id, m.Structs, m.Enums, want.Structs, want.Enums)
	}
	for _, e := range m.Enums {
		if fmt.Sprint(e.Variants) != fmt.Sprint(want.Enums[e.Name]) {
			t.Errorf("%s::%s: %v, want %v", id, e.Name, e.Variants, want.Enums[e.Name])
		}
	}
	published := 0
	for _, f := range g.Functions {
		if f.Module == id && !f.Macro && !f.TestOnly {
			published++
		}
	}
	if published != len(want.Functions) {
		t.Errorf("%s: %d functions, want %d", id, published, len(want.Functions))
	}
	for name, w := range want.Functions {
		f := g.Functions[id+"::"+name]
		vis := w.Vis
		if w.Written != "" {
			vis = w.Written
		}
		if f == nil || f.Visibility != vis || f.Entry != w.Entry || f.Native != w.Native || f.Params != w.Params ||
			f.TypeParams != w.TParams || f.Returns != w.Ret || f.Line != w.Lines[0] || f.EndLine != w.Lines[1] {
			t.Errorf("%s::%s: %+v, want %+v", id, name, f, w)
		}
	}
	for _, s := range want.SourceOnly {
		name, why := s[0].(string), s[3].(string)
		f := g.Functions[id+"::"+name]
		if f == nil {
			t.Errorf("%s::%s (%s) is missing", id, name, why)
		} else if (why == "macro") != (f.Macro && !f.TestOnly) && !(f.Macro || f.TestOnly) {
			t.Errorf("%s::%s: macro %t, test %t, want %s", id, name, f.Macro, f.TestOnly, why)
		}
	}
}
