package gate

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/plan"
)

// begin plans a step. One that takes the result of an earlier step is planned with the
// least amount that the earlier one guarantees, so that everything which is derived of
// it, such as a quote, holds for every amount that can arrive.
func (r *run) begin(i int) (*plan.Step, plan.Fed, error) {
	in, adapter := r.session.Intent.Each()[i], r.adapters[i]
	var fed plan.Fed
	planned, err := plan.Plan{}, error(nil)
	if from := in.From.ResultOf; from == 0 {
		planned, err = adapter.Plan(in, r.now())
	} else {
		least, exact, ok := r.steps[from-1].Result()
		if !ok {
			return nil, fed, fault.New(fault.InputInvalid, "Step %d has no result that a later step can take.", from)
		}
		fed = plan.Fed{Step: from, Least: least, Exact: exact}
		planned, in, err = plan.PlanFed(adapter, in, fed, r.now())
	}
	s := plan.NewStep(planned, in, r.session.Account, r.now, r.c.Limits.QuoteAge)
	s.Meta, s.Noted = adapter.Meta(), &r.checks
	return s, fed, err
}

// wire connects a step, whose stages are over, with the steps before it.
func (r *run) wire(i int, s *plan.Step, fed plan.Fed) {
	if fed.Step > 0 {
		s.Takes(fed)
		r.steps[fed.Step-1].Gives(fed.Step)
	}
}
