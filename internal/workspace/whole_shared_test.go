//go:build shared

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRecordedSourcesAreWhole: of the recorded Move sources of others no file is denied and
// no line is withheld.
func TestRecordedSourcesAreWhole(t *testing.T) {
	const root = "../../../shared/data/move"
	files, lines := 0, 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".move" {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if Denied(filepath.ToSlash(name)) {
			t.Errorf("%s is denied", name)
		}
		text := readable(data)
		files, lines = files+1, lines+len(text.lines)
		for i := range text.lines {
			if text.isHeld(i) {
				t.Errorf("%s:%d is withheld", name, i+1)
			}
		}
		return nil
	})
	if err != nil || files < 300 || lines < 30_000 {
		t.Errorf("%d files, %d lines: %v", files, lines, err)
	}
	t.Logf("%d files, %d lines", files, lines)
}
