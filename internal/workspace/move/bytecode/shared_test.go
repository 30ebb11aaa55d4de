//go:build shared

package bytecode

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
)

const recorded = "../../../../../shared/data/move"

// load reads a recorded JSON file with its short names of addresses written out.
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

func TestDamagedModulesGetTheVerdictOfTheChain(t *testing.T) {
	var broken map[string]struct {
		Base64       []byte
		Rust, Python string
	}
	load(t, "bytecode/broken.json", &broken)
	for name, b := range broken {
		_, err := Parse(b.Base64)
		var e *Error
		switch {
		case name == "trailing byte": // the recorded verdict was made without this check of the chain
			if !errors.As(err, &e) || e.Status != "TRAILING_BYTES" {
				t.Errorf("%s: %v, want TRAILING_BYTES", name, err)
			}
		case name == "version 4 header": // rejected there for what version 4 means, here for being version 4
			if err == nil {
				t.Errorf("%s: accepted", name)
			}
		case b.Rust == "accepted":
			if err != nil {
				t.Errorf("%s: %v, want it accepted", name, err)
			}
		case !errors.As(err, &e) || !strings.Contains(b.Rust, "status "+e.Status):
			t.Errorf("%s: %v, want %s", name, err, b.Rust)
		}
	}
}

func TestSamplesAreReadWhole(t *testing.T) {
	var file struct {
		Samples map[string]struct {
			Base64 []byte
			Facts  struct {
				Version   int
				Self      string
				Friends   []string
				Structs   []struct{ Name string }
				Functions []struct {
					Name, Visibility string
					Entry, Native    bool
					TypeParams       []any `json:"type_params"`
					Params, Returns  []string
					Instructions     int
					Calls            [][]any
				}
			}
		}
	}
	load(t, "bytecode/samples.json", &file)
	for name, sample := range file.Samples {
		m, err := Parse(sample.Base64)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := sample.Facts
		if m.ID.String() != want.Self || m.Version != want.Version || len(m.Friends) != len(want.Friends) ||
			len(m.Structs) != len(want.Structs) || len(m.Functions) != len(want.Functions) {
			t.Errorf("%s: %v version %d", name, m.ID, m.Version)
			continue
		}
		for i, f := range m.Functions {
			w := want.Functions[i]
			if f.Name != w.Name || f.Visibility != w.Visibility || f.Entry != w.Entry || f.Native != w.Native ||
				f.TypeParams != len(w.TypeParams) || f.Params != len(w.Params) || f.Returns != len(w.Returns) ||
				f.Instructions != w.Instructions || len(f.Calls) != len(w.Calls) {
				t.Errorf("%s::%s: %+v, want %+v", name, f.Name, f, w)
				continue
			}
			for j, c := range f.Calls {
				if at := w.Calls[j]; float64(c.Offset) != at[0] || c.Callee.String() != at[1] {
					t.Errorf("%s::%s call %d: %v at %d, want %v", name, f.Name, j, c.Callee, c.Offset, at)
				}
			}
		}
	}
}

// TestPackagesHaveTheRecordedEdges reads whole packages and holds every function's
// callees, and how often it calls each, against the recorded graph.
func TestPackagesHaveTheRecordedEdges(t *testing.T) {
	var calls map[string]map[string]struct{ Calls [][]any }
	load(t, "calls.json", &calls)
	for _, name := range []string{"deepbook", "move-stdlib"} {
		var modules map[string][]byte
		load(t, "bytecode/"+name+".json", &modules)
		got := map[string]map[string]int{}
		for _, b := range modules {
			m, err := Parse(b)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, f := range m.Functions {
				count := map[string]int{}
				for _, c := range f.Calls {
					count[c.Callee.String()]++
				}
				got[FunctionID{m.ID, f.Name}.String()] = count
			}
		}
		want := map[string]map[string]int{}
		for f, c := range calls[name] {
			want[f] = map[string]int{}
			for _, call := range c.Calls {
				want[f][call[0].(string)] = int(call[2].(float64))
			}
		}
		if !reflect.DeepEqual(got, want) {
			var names []string
			for f := range want {
				if !reflect.DeepEqual(got[f], want[f]) {
					names = append(names, f)
				}
			}
			sort.Strings(names)
			t.Errorf("%s: %d functions, want %d; different: %v", name, len(got), len(want), names)
		}
	}
}

func FuzzParseRecorded(f *testing.F) {
	var modules map[string][]byte
	load(f, "bytecode/move-stdlib.json", &modules)
	for _, b := range modules {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := Parse(b); (m == nil) == (err == nil) {
			t.Fatal("neither a module nor an error, or both")
		}
	})
}
