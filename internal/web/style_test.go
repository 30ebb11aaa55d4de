package web

import (
	"bytes"
	"testing"
)

// TestStyleSheetBraces finds a rule that is not closed: browsers then take all that follows for
// a part of it, and say nothing.
func TestStyleSheetBraces(t *testing.T) {
	sheet, err := sharedFiles.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for i, line := range bytes.Split(sheet, []byte("\n")) {
		open += bytes.Count(line, []byte("{")) - bytes.Count(line, []byte("}"))
		if open < 0 || open > 0 && bytes.HasPrefix(line, []byte("/* ")) {
			t.Fatalf("line %d: %d rules are open", i+1, open)
		}
	}
	if open != 0 {
		t.Errorf("%d rules are open at the end", open)
	}
}
