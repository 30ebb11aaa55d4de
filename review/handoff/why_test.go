package handoff

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestWhyFailed(t *testing.T) {
	abort := sui.ExecutionStatus{Kind: "MOVE_ABORT", Abort: &sui.MoveAbort{Module: "pool", Function: "swap", Code: 99}}
	unnamed := sui.ExecutionStatus{Kind: "MOVE_ABORT", Abort: &sui.MoveAbort{Module: "pool", Code: 3}}
	said := &plan.Stop{Check: plan.Check{Message: "The market is closed."}}
	for name, c := range map[string]struct {
		status  sui.ExecutionStatus
		aborted *plan.Stop
		want    string
	}{
		"the price fell":     {abort, &plan.Stop{Short: true, Check: said.Check}, record.PriceFell},
		"known":              {abort, said, "The market is closed."},
		"unknown":            {abort, nil, "The contract refused in pool::swap with code 99."},
		"without a function": {unnamed, nil, "The contract refused in pool with code 3."},
		"no abort":           {sui.ExecutionStatus{Kind: "INSUFFICIENT_GAS"}, nil, ""},
	} {
		if got := whyFailed(c.status, c.aborted, plan.Facts{}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
