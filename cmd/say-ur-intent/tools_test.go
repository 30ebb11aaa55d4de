package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestToolsDigest checks that the command prints the digest of the tools that a client is shown.
func TestToolsDigest(t *testing.T) {
	c, _ := startAlone(t, shelter(t))
	var list struct{ Tools json.RawMessage }
	if err := c.request("tools/list", map[string]any{}, &list); err != nil {
		t.Fatal(err)
	}
	listed, err := toolsDigest(list.Tools)
	if err != nil {
		t.Fatal(err)
	}
	printed := func(args ...string) string {
		code, out, said := line(append([]string{"tools", "--digest"}, args...)...)
		if code != exitOK {
			t.Fatalf("%d: %s", code, said)
		}
		return strings.TrimSpace(out)
	}
	if got := printed("--network", "sandbox"); got != listed {
		t.Errorf("the command says %s, the list has %s", got, listed)
	}
	if printed("--toolsets", "core") == listed || printed("--tool-names", "dotted") == listed ||
		printed("--projects") == listed {
		t.Error("other tools or names have the same digest")
	}
	changed, err := toolsDigest(bytes.Replace(list.Tools, []byte("wallet"), []byte("pocket"), 1))
	if err != nil || changed == listed {
		t.Errorf("a changed description has the digest %s, %v", changed, err)
	}
}
