package main

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	deepbookpins "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowxpins "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestVariables compares the environment variables that the server reads with those that the README
// and install list.
func TestVariables(t *testing.T) {
	var read []string
	p := process{Now: time.Now, Getenv: func(name string) string {
		if !slices.Contains(read, name) {
			read = append(read, name)
		}
		return ""
	}}
	for _, args := range [][]string{nil, {"--network", "sandbox"}} {
		if _, err := parseOptions(p, args); err != nil {
			t.Log(err) // a machine without HOME has no data directory, but the variables were read
		}
	}
	theirs := []string{"HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "LocalAppData", "AppData"} // of the system
	read = slices.DeleteFunc(read, func(name string) bool { return slices.Contains(theirs, name) })
	slices.Sort(read)
	known := serverVariables()
	slices.Sort(known)
	if diff := cmp.Diff(read, known); diff != "" || len(read) < 7 {
		t.Errorf("read, and known to install: %s", diff)
	}
	for _, page := range []string{"../../docs/COMMAND_LINE.md", "../../docs/MCP_SETUP.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, m := range regexp.MustCompile("(?m)^\\| `([A-Z0-9_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
			told = append(told, m[1])
		}
		slices.Sort(told)
		if diff := cmp.Diff(read, told); diff != "" {
			t.Errorf("read, and told in %s: %s", page, diff)
		}
	}
}

// TestLabelled checks that the labels for past transactions include every pinned package.
func TestLabelled(t *testing.T) {
	ids := map[sui.ObjectID]string{}
	for _, l := range labels() {
		for _, id := range l.Packages {
			if ids[id] != "" {
				t.Errorf("%s is of %s and of %s", id, ids[id], l.ID)
			}
			ids[id] = l.ID
		}
	}
	want := map[sui.ObjectID]string{flowxpins.Package: "flowx-clmm", flowxpins.OriginalPackage: "flowx-clmm",
		sui.MustAddress("0x2"): "sui-framework", sui.MustAddress("0xdee9"): "deepbook-v2"}
	for _, p := range deepbookpins.Packages() {
		want[p.ID] = "deepbook-v3"
	}
	for id, label := range want {
		if ids[id] != label {
			t.Errorf("%s is of %q, want %s", id, ids[id], label)
		}
	}
}
