package orders

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// allReport names the orders that were cancelled.
func allReport(e sui.Executed, s plan.StepFacts) (list []plan.Term) {
	for _, o := range goneFrom(e, s) {
		pool, err := managed.EventPool(o.Pool)
		if err != nil {
			return nil
		}
		list = append(list, plan.Term{Name: "Cancelled order", Value: managed.Side(o.ID.IsBid(), pool) + ", " +
			managed.Asset(pool.Base).Of(o.Gone).String() + " at " + managed.Price(o.ID.Price(), pool)})
	}
	return list
}

// goneFrom returns the cancelled orders of a step's manager.
func goneFrom(e sui.Executed, s plan.StepFacts) (list []deepbook.CanceledOrder) {
	all, err := deepbook.ReadActions(e.Events, e.Sender)
	if err != nil || s.Holder == nil {
		return nil
	}
	for _, o := range all.Canceled {
		if o.Manager == s.Holder.ID {
			list = append(list, o)
		}
	}
	return list
}

// allResult words how many orders are gone, and what is free again.
func allResult(e sui.Executed, s plan.StepFacts) plan.Result {
	list := goneFrom(e, s)
	if len(list) == 0 || s.Holder == nil {
		return plan.Result{}
	}
	pools, err := markets(list)
	if err != nil {
		return plan.Result{}
	}
	r := plan.Result{Title: "Cancelled " + count(len(list)) + " in " + keys(pools),
		Holds: []plan.Term{managed.Term(s.Holder.ID)}}
	var free []plan.Amount
	for _, o := range list {
		pool, _ := managed.EventPool(o.Pool) // markets found it
		back := released(o, pool)
		i := slices.IndexFunc(free, func(a plan.Amount) bool { return a.CoinType == back.CoinType })
		if i < 0 {
			free = append(free, back)
			continue
		}
		free[i] = back.Of(sui.Raw(plan.AddSaturating(uint64(free[i].Raw), uint64(back.Raw))))
	}
	texts := make([]string, len(free))
	for i, a := range free {
		texts[i] = a.String()
		r.Moved = append(r.Moved, plan.Moved{Holder: managed.Party(s.Holder.ID), Asset: a.Asset,
			Change: sui.Delta{Amount: a.Raw}, Why: plan.ForRelease})
	}
	r.Where = strings.Join(texts, " and ") + ", and what was set aside for fees, is free again in your balance manager."
	r.Next = "To have it in your account, ask your AI client to withdraw it from your balance manager."
	return r
}
