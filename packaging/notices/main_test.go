package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocument compares the page with the module graph.
func TestDocument(t *testing.T) {
	source := filepath.Join("..", "..")
	want, err := render(source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(source, document))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the module graph says: run make gen", document)
	}
	for _, module := range []string{"modernc.org/sqlite", "google.golang.org/grpc", "golang.org/x/sys"} {
		if !strings.Contains(string(want), "\n| "+module+" | v") {
			t.Errorf("%s is inside the program and not in the page", module)
		}
	}
	if strings.Contains(string(want), "chromedp") {
		t.Error("what only tests use is in the page")
	}
}

func TestKinds(t *testing.T) {
	license, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		string(license):                         "MIT",
		"GNU GENERAL PUBLIC LICENSE\nVersion 3": "",
		"":                                      "",
		"Apache License of some other kind":     "",
		"Apache License\n   Version 2.0, January ": "Apache-2.0",
	} {
		if got := kindOf([]byte(text)); got != want {
			t.Errorf("%.40q is %q, want %q", text, got, want)
		}
	}
	t.Run("a module under none of them stops it", func(t *testing.T) {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod":                    "module house\n\ngo 1.26\n\nrequire guest.example/x v0.0.0\n\nreplace guest.example/x => ./x\n",
			"cmd/say-ur-intent/main.go": "package main\n\nimport _ \"guest.example/x\"\n\nfunc main() {}\n",
			"x/go.mod":                  "module guest.example/x\n\ngo 1.26\n",
			"x/x.go":                    "package x\n",
			"x/LICENSE":                 "All rights reserved.\n",
		} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := render(dir); err == nil || !strings.Contains(err.Error(), "guest.example/x has no license file") {
			t.Errorf("%v", err)
		}
	})
}

func TestLegalNames(t *testing.T) {
	for _, name := range []string{"LICENSE", "License.md", "LICENCE.txt", "COPYING", "NOTICE.txt", "LICENSE-3RD-PARTY.md",
		"PATENTS"} {
		if !legal.MatchString(name) {
			t.Errorf("%s is left out", name)
		}
	}
	if list := []string{"licenser", "noticeboard.md", "README.md"}; slices.ContainsFunc(list, legal.MatchString) {
		t.Errorf("one of %v counts as a license", list)
	}
}

// TestLicensed: a list of contents gets the license of each module, and one that is not known is an error.
func TestLicensed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bom.json")
	for _, x := range []struct{ module, license string }{
		{"golang.org/x/sys", "BSD-3-Clause"}, {"github.com/google/uuid", "BSD-3-Clause"}, {"example.org/unknown", ""},
	} {
		bom := `{"metadata":{"component":{"name":"own"}},"components":[{"name":"` + x.module + `"}]}`
		if err := os.WriteFile(path, []byte(bom), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := licensed("../..", path); (err == nil) != (x.license != "") {
			t.Errorf("%s: %v", x.module, err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if x.license != "" && (!strings.Contains(string(text), `"id": "`+x.license+`"`) || !strings.Contains(string(text),
			`"id": "MIT"`)) {
			t.Errorf("%s: %s", x.module, text)
		}
	}
}
