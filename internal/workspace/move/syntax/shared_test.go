//go:build shared

package syntax

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const recorded = "../../../../../shared/data/move"

// sources calls f with every Move file below a folder of the recorded packages.
func sources(t *testing.T, folder string, f func(path string, text []byte)) {
	t.Helper()
	root := filepath.Join(recorded, folder)
	if _, err := os.Stat(root); err != nil {
		t.Skip("the recorded Move packages are not beside this checkout")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".move") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		f(filepath.ToSlash(name), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordedSourcesHaveNoProblem(t *testing.T) {
	for _, folder := range []string{"sources", "zoo"} {
		sources(t, folder, func(path string, text []byte) {
			for _, p := range Parse(text).Problems {
				t.Errorf("%s/%s:%d:%d: %s", folder, path, p.Line, p.Column, p.Text)
			}
		})
	}
}

func TestRecordedRejectsHaveAProblem(t *testing.T) {
	var rejects map[string]struct {
		Code, Message string
		Line, Column  int
	}
	data, err := os.ReadFile(filepath.Join(recorded, "rejects.json"))
	if err != nil {
		t.Skip("the recorded Move packages are not beside this checkout")
	}
	if err := json.Unmarshal(data, &rejects); err != nil {
		t.Fatal(err)
	}
	sources(t, "rejects", func(path string, text []byte) {
		want := rejects[path]
		problems := Parse(text).Problems
		if len(problems) == 0 {
			if want.Code == "E01002" {
				t.Errorf("%s: accepted, want a problem at line %d column %d", path, want.Line, want.Column)
			} else {
				t.Logf("%s: accepted, %s %s at line %d is no matter of this parser", path, want.Code, want.Message, want.Line)
			}
			return
		}
		if got := problems[0]; got.Line != want.Line || got.Column != want.Column {
			t.Logf("%s: %d:%d %s, the compiler %s at %d:%d", path, got.Line, got.Column, got.Text, want.Code, want.Line,
				want.Column)
		}
	})
}
