package gate

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// allow is the gate of the limits set on this machine. It checks the facts decoded
// from the bytes; the transition of the release checks them again.
func (r *run) allow(ctx context.Context) error {
	if r.c.Allowed == nil {
		return nil
	}
	allowed, err := r.c.Allowed(ctx)
	var handed []record.Handed
	if err == nil && len(allowed.PerDay) > 0 {
		handed, err = r.c.Store.Handed(ctx, r.now().Add(-policy.Day))
	}
	if err != nil {
		return record.Unreadable(err)
	}
	if stop := record.Judged(allowed, r.session, *r.facts, handed, r.now()); stop != nil {
		return stop
	}
	if allowed.Limited() {
		r.check(plan.Pass(plan.SourceAdapter, "allowance", "Your own limits",
			"It keeps within the limits and lists that you set on the settings page. Gas is not counted towards them."))
	}
	return nil
}
