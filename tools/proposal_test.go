package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// TestProposalNames: a secret that stands where the name of a field should is
// refused and not repeated.
func TestProposalNames(t *testing.T) {
	const phrase = "legal_winner_thank_year_wave_sausage_worth_useful_legal_winner_thank_yellow"
	for _, d := range declared() {
		if d.Name != "action.prepare_external_proposal_review" {
			continue
		}
		for _, in := range []string{`{"proposal":{"` + phrase + `":1}}`, `{"` + phrase + `":1}`} {
			answer := d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), json.RawMessage(in))
			if answer.Fault == nil || answer.Fault.Code != fault.InputInvalid || strings.Contains(string(answer.Text), "sausage") {
				t.Errorf("R004-354 %s", answer.Text)
			}
		}
		return
	}
	t.Error("the tool is not declared")
}
