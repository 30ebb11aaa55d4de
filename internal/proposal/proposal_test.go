package proposal

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestTextsThatNameUs(t *testing.T) {
	for _, c := range []struct {
		source, label, purpose string
		refused                bool
	}{
		{"Example Ltd", "the landlord", "Pay the rent with Say Ur Intent.", false},
		{"Ѕаy Ur Intent Support", "the landlord", "Pay.", true},
		{"Example Ltd", "say-ur-intent escrow", "Pay.", true},
	} {
		p := Proposal{ID: "1", Source: Source{Kind: "user", Name: c.source}, Purpose: c.purpose, Type: TypeSuiAction,
			Action: &Action{ActionKind: "stake", Target: Target{Label: c.label}}}
		if err := p.checkTexts(); (err != nil) != c.refused || err != nil && !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
