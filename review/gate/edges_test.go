package gate

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// An order is compared with whatever mid price there is, and with the worse of two.
func TestLimitOfTwoNodes(t *testing.T) {
	limit := func(middle sui.Raw) *plan.PriceLimit {
		return &plan.PriceLimit{Price: 900, Middle: middle, Text: "the middle"}
	}
	for _, c := range []struct {
		name        string
		own, second sui.Raw
		want        plan.CheckStatus
	}{
		{"neither tells one", 0, 0, plan.CheckWarning},
		{"the second alone tells one", 0, 2000, plan.CheckFail},
		{"the first alone tells one", 2000, 0, plan.CheckFail},
		{"the second's is worse", 900, 2000, plan.CheckFail},
		{"the first's is worse", 2000, 900, plan.CheckFail},
		{"both agree", 900, 900, plan.CheckPass},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &input{notes: &notes{}}
			status := plan.CheckPass
			if err := r.judgeLimit(&plan.Step{Limit: limit(c.own)}, &plan.Step{Limit: limit(c.second)}); err != nil {
				status = plan.CheckFail
			} else if len(r.checks) > 0 {
				status = r.checks[0].Status
			}
			if status != c.want {
				t.Errorf("%s, want %s: %+v", status, c.want, r.checks)
			}
		})
	}
}

// A contract's abort is reported even if the adapter has no text for it.
func TestAbortWithoutWords(t *testing.T) {
	r := &planned{steps: []*plan.Step{{}}}
	stop := r.failed(&sui.Transaction{}, sui.ExecutionStatus{Abort: &sui.MoveAbort{Package: sui.MustAddress("0x7"),
		Module: "m", Function: "f", Code: 3}})
	if stop.Reason != plan.ObjectResolutionFailed {
		t.Errorf("%+v", stop)
	}
}
