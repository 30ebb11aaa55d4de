package cancelorder

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// gone finds the cancelled order of a step among those that events report.
func gone(e sui.Executed, s plan.StepFacts) (deepbook.CanceledOrder, registry.Pool, bool) {
	all, err := deepbook.ReadActions(e.Events, e.Sender)
	pool, ok := registry.PoolByID(s.RouteID)
	if err != nil || !ok {
		return deepbook.CanceledOrder{}, pool, false
	}
	i := slices.IndexFunc(all.Canceled, func(o deepbook.CanceledOrder) bool {
		return o.Pool == pool.ID && slices.Contains(s.Terms, plan.Term{Name: termNumber, Value: o.ID.String()})
	})
	if i < 0 {
		return deepbook.CanceledOrder{}, pool, false
	}
	return all.Canceled[i], pool, true
}

// ReportExecution implements plan.ExecutionReporter: it says how much was taken
// out of the book.
func (*Adapter) ReportExecution(e sui.Executed, s plan.StepFacts) []plan.Term {
	o, pool, ok := gone(e, s)
	if !ok {
		return nil
	}
	base := managed.Asset(pool.Base)
	return []plan.Term{{Name: "Taken out of the book", Value: base.Of(o.Gone).String()},
		{Name: "Quantity of the order", Value: base.Of(o.Quantity).String()}}
}

// ReportResult implements plan.ResultReporter: what is free again, and where.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	o, pool, ok := gone(e, s)
	if !ok {
		return plan.Result{}
	}
	base := managed.Asset(pool.Base)
	free, verb := base.Of(o.Gone), "sold"
	if o.ID.IsBid() {
		free, verb = managed.Asset(pool.Quote).Of(managed.Worth(o.ID.Price(), o.Gone)), "bought"
	}
	r := plan.Result{
		Title: "Order cancelled: " + base.Of(o.Gone).String() + " will not be " + verb,
		Where: free.String() + ", and what was set aside for the fee, is free again in your balance manager.",
		Next:  managed.Withdraw(free),
		Holds: []plan.Term{{Name: managed.TermPool, Value: pool.Key}, managed.Term(o.Manager)},
		Moved: []plan.Moved{{Holder: managed.Party(o.Manager), Asset: free.Asset, Change: sui.Delta{Amount: free.Raw}, Why: plan.ForRelease}},
	}
	if traded := base.Of(o.Quantity - o.Gone); traded.Raw > 0 {
		r.Where += " " + traded.String() + " of the order was " + verb + " before; that stays."
	}
	return r
}

var _ plan.ResultReporter = (*Adapter)(nil)
