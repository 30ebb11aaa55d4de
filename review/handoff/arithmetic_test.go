package handoff

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// named is an adapter that has names and nothing else.
type named struct{ meta plan.Meta }

func (n named) Meta() plan.Meta                                { return n.meta }
func (n named) Plan(plan.Intent, time.Time) (plan.Plan, error) { return plan.Plan{}, nil }
func (n named) Stages(plan.Plan) []plan.Stage                  { return nil }
func (n named) Read(*readback.Reader) (plan.StepFacts, error) {
	return plan.StepFacts{}, nil
}
func (n named) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}
