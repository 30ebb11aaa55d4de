package orders

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// The cancellation of one order of a manager of the account. It moves nothing out of that
// manager.

func planCancel(in plan.Intent, manager sui.ObjectID) (plan.Plan, error) {
	if in.Order == nil || *in.Order != (plan.Order{Pool: in.Order.Pool}) {
		return plan.Plan{}, fault.New(fault.InputInvalid,
			"A cancellation needs intent.order.pool and nothing else of an order.").With("field", "intent.order")
	}
	pool, err := registry.FindPool(in.Order.Pool)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.order.pool", err)
	}
	id, err := readID(in.OrderID)
	if err != nil {
		return plan.Plan{}, err
	}
	p, what := inMarket(pool, manager), lower(managed.Side(id.IsBid(), pool))+" at "+managed.Price(id.Price(), pool)
	p.Title, p.Asked = "Cancel an order in "+pool.Key, "cancel your order in "+pool.Key+": "+what
	p.Summary = "Take your order out of the DeepBook market " + pool.Key + ": " + what + "."
	return p, nil
}

// cancelling is one computation of such a cancellation.
type cancelling struct {
	*Adapter
	plan    plan.Plan
	id      deepbook.OrderID
	pool    registry.Pool
	holder  deepbook.Holder
	account deepbook.PoolAccount
	shared  uint64
}

func cancelOne(a *Adapter, p plan.Plan) work {
	w := &cancelling{Adapter: a, plan: p}
	return work{manager: a.resolve(p, &w.holder), order: w.find, policy: w.policy}
}

// resolve finds the manager whose orders are cancelled.
func (a *Adapter) resolve(p plan.Plan, to *deepbook.Holder) func(context.Context, *plan.Step) error {
	return func(ctx context.Context, d *plan.Step) (err error) {
		*to, err = managed.Resolve(ctx, a.source, d, p.Subject)
		return err
	}
}

// find looks for the order among the manager's open ones.
func (w *cancelling) find(ctx context.Context, d *plan.Step) (err error) {
	if w.id, err = readID(d.Intent.OrderID); err != nil {
		return err
	}
	if w.pool, err = registry.FindPool(w.plan.Route); err != nil {
		return err
	}
	if w.shared, err = w.market.SharedVersion(ctx, w.plan.Route); err != nil {
		return err
	}
	if w.account, err = w.source.Account(ctx, w.plan.Route, w.holder.ID); err != nil {
		return err
	}
	o, err := findOrder(d, w.account, w.pool, w.id)
	if err != nil {
		return err
	}
	var freed Freed
	freed.Add(w.account, w.pool, o)
	freed.State(d)
	return nil
}

func (w *cancelling) policy(_ context.Context, d *plan.Step) error {
	pkg := w.account.Package
	d.Target = managed.Target(pkg, cancelFunction, w.pool, w.shared, w.holder)
	d.Terms = cancelTerms(w.id, w.pool, w.holder.ID)
	d.Promise = nothing()
	d.Append = func(b *plan.Builder) error {
		return AppendCancel(b, pkg, w.pool, w.shared, w.holder, w.id)
	}
	d.Explain = managed.Refused
	d.Guarantee = "The order is taken out of the book, or the transaction fails. Nothing but gas leaves your account."
	d.Locks = []string{
		"What the order ties up, and what it earned and is not taken out yet, comes free in your balance manager, not in your account. Your AI client can prepare taking it out.",
		"It cannot be undone: a new order goes behind those that rest at its price.",
	}
	return nil
}

func readOne(r *readback.Reader) (plan.StepFacts, error) {
	_, f, err := readCancel(r)
	return f, err
}

func cancelEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return managed.FromEvents(events, account, canceled, cancelAction)
}
