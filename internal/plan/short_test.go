package plan

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestShort(t *testing.T) {
	f := Facts{Steps: []StepFacts{{}, {Floors: []Floor{{Command: 4, Least: SUI.Of(5)}}}}}
	failed := sui.ExecutionStatus{Kind: sui.InsufficientCoin, Command: new(4)}
	if got, ok := f.Short(failed); !ok || got.Least.Raw != 5 {
		t.Error(got, ok)
	}
	for name, s := range map[string]sui.ExecutionStatus{
		"at another command": {Kind: sui.InsufficientCoin, Command: new(0)},
		"at no command":      {Kind: sui.InsufficientCoin},
		"another failure":    {Kind: sui.InsufficientFunds, Command: new(4)},
		"a success":          {OK: true},
	} {
		if got, ok := f.Short(s); ok {
			t.Errorf("%s: %v", name, got)
		}
	}
}
