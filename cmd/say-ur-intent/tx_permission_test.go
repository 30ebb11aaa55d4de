package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTxInspectTellsAGrant checks that a grant is described by its owner, its amount and its end.
func TestTxInspectTellsAGrant(t *testing.T) {
	b, err := os.ReadFile("../../internal/sui/testdata/mandates.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Vectors []struct{ Name, TxBytesBase64 string }
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	code, out, errs := tx(f.Vectors[0].TxBytesBase64, "inspect", "-")
	want := "Let 0x16477e6eb4e37b71f6789ca39e474c02c8767807adcc6cb29e308e656fcadb6f take up to 100 USDC (100000000 units of "
	if code != exitOK || !strings.Contains(out, want) || !strings.Contains(out,
		"until 2026-12-22 00:00:00 UTC: to anyone") {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
}
