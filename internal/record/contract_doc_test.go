package record

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// matrixTable writes the matrix as the rows of its document.
func matrixTable() string {
	var rows []string
	for f, backings := range SafetyCriticalFacts {
		var may []string
		for _, b := range backings {
			may = append(may, "`"+string(b.Kind)+"`: "+strings.Join(b.Fields, ", "))
		}
		rows = append(rows, "| `"+string(f)+"` | "+strings.Join(may, "; or ")+" |\n")
	}
	slices.Sort(rows)
	return strings.Join(rows, "")
}

func TestContractDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/SIGNABLE_ADAPTER_CONTRACT.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-411 R004-413 the document holds the matrix of the code", func(t *testing.T) {
		if want := matrixTable(); !strings.Contains(string(text), "| --- | --- |\n"+want+"\n") {
			t.Errorf("the table of facts should be\n%s", want)
		}
	})
	t.Run("R004-411 it speaks of every part", func(t *testing.T) {
		for _, word := range []string{"SAFETY_CRITICAL_FACT_MATRIX", "sourceOfTruth", "ptbVisualization",
			"executableMaterial.included",
			"wallet_review_contract_emit_missing", "provider_mismatch", "displayOnly"} {
			if !strings.Contains(string(text), word) {
				t.Errorf("%s is not mentioned", word)
			}
		}
	})
}
