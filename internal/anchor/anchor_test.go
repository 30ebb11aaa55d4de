package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestForward follows a sandbox's validators over three epochs and adds the newest anchor to a
// file.
func TestForward(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	still, moved, err := forward(t.Context(), h.URL, "", testkit.Anchored)
	if err != nil || moved {
		t.Fatalf("nothing ended yet: %v, %v", still, err)
	}
	for range 3 {
		h.Sandbox.AdvanceEpoch()
	}
	a, moved, err := forward(t.Context(), h.URL, "", testkit.Anchored)
	if err != nil || !moved || a.Epoch != still.Epoch+3 || a.Chain != still.Chain || a.Digest == still.Digest {
		t.Fatalf("%v %v %v", a, moved, err)
	}
	file := filepath.Join(t.TempDir(), "anchors.txt")
	if err := os.WriteFile(file, []byte("# anchors\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := add(file, a); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	if list, err := proof.ReadAnchors(string(text)); err != nil || len(list) != 1 || list[0] != a {
		t.Errorf("%v %v", list, err)
	}
	if add(file, still) == nil || add(file, a) == nil {
		t.Error("an anchor that is not newer was added")
	}
	t.Run("a node that forges a step", func(t *testing.T) {
		h.Sandbox.AdvanceEpoch()
		if err := h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.OtherCommittee}); err != nil {
			t.Fatal(err)
		}
		if a, moved, err := forward(t.Context(), h.URL, "", testkit.Anchored); err == nil || moved {
			t.Errorf("%v %v", a, moved)
		}
	})
}

func TestReadAnchors(t *testing.T) {
	shipped := proof.Anchors()
	if len(shipped) == 0 || shipped[0].Epoch != 245 || shipped[0].Network != "mainnet" {
		t.Fatalf("%v", shipped)
	}
	line := shipped[0].String()
	for name, text := range map[string]string{
		"five columns":  "mainnet a 1 2 b",
		"another chain": strings.Replace(line, "4bti", "0bti", 1),
		"no epoch":      strings.Replace(line, " 245 ", " -1 ", 1),
		"no number":     strings.Replace(line, " 20873329 ", " x ", 1),
		"no digest":     strings.Replace(line, "6jarMn", "6j", 1),
		"twice":         line + "\n" + line,
	} {
		if list, err := proof.ReadAnchors(text); err == nil {
			t.Errorf("%s: %v", name, list)
		}
	}
}
