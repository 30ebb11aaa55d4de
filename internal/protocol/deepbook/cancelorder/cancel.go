// Package cancelorder prepares taking a resting DeepBook order out of the book
// for review.
//
// It cancels one order of a manager of the account, and moves nothing out of
// that manager.
package cancelorder

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/orders"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// Market returns the version at which a pool was shared: deepbook.Reader.
type Market interface {
	SharedVersion(ctx context.Context, poolKey string) (uint64, error)
}

// Adapter prepares cancellations. It implements plan.Adapter.
type Adapter struct {
	market Market
	source managed.Source
}

// New returns an Adapter that reads markets and managers.
func New(market Market, source managed.Source) *Adapter { return &Adapter{market, source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"cancelorder", "cancellimitorder", "ordercancel"}, Takes: []string{"order.pool", "orderId"},
		Harmless: true,
		Action:   "cancel-order", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-cancel-order",
		StageCatalog: "deepbook_cancel_order_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{managed.StageIntent, managed.StageManager, orders.StageOrder, managed.StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + orders.CancelFunction},
	}
}

// Plan implements plan.Adapter. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("order", "orderId", "manager"); err != nil {
		return plan.Plan{}, err
	}
	if in.Order == nil || *in.Order != (plan.Order{Pool: in.Order.Pool}) {
		return plan.Plan{}, fault.New(fault.InputInvalid, "A cancellation needs intent.order.pool and nothing else of an order.").With("field", "intent.order")
	}
	pool, err := registry.FindPool(in.Order.Pool)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.order.pool", err)
	}
	id, err := orders.ReadID(in.OrderID)
	if err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	what := lower(managed.Side(id.IsBid(), pool)) + " at " + managed.Price(id.Price(), pool)
	return plan.Plan{
		Title: "Cancel an order in " + pool.Key, Asked: "cancel your order in " + pool.Key + ": " + what,
		Summary: "Take your order out of the DeepBook market " + pool.Key + ": " + what + ".",
		Route:   pool.Key, Subject: named, Promise: nothing(), Coins: []plan.Asset{managed.Asset(pool.Base), managed.Asset(pool.Quote)},
	}, nil
}

// nothing is what a cancellation promises of coins: what comes free in the manager is
// not in the bytes.
func nothing() plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}}
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

type work struct {
	adapter *Adapter
	plan    plan.Plan
	id      deepbook.OrderID
	pool    registry.Pool
	holder  deepbook.Holder
	account deepbook.PoolAccount
	shared  uint64
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	w := &work{adapter: a, plan: p}
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, d *plan.Step) (err error) {
			w.holder, err = managed.Resolve(ctx, a.source, d, p.Subject)
			return err
		}},
		{ID: orders.StageOrder, Run: w.find}, {ID: managed.StagePolicy, Run: w.policy},
	}
}

// find looks for the order among the manager's open ones.
func (w *work) find(ctx context.Context, d *plan.Step) (err error) {
	if w.id, err = orders.ReadID(d.Intent.OrderID); err != nil {
		return err
	}
	if w.pool, err = registry.FindPool(w.plan.Route); err != nil {
		return err
	}
	if w.shared, err = w.adapter.market.SharedVersion(ctx, w.plan.Route); err != nil {
		return err
	}
	if w.account, err = w.adapter.source.Account(ctx, w.plan.Route, w.holder.ID); err != nil {
		return err
	}
	o, err := orders.Find(d, w.account, w.pool, w.id)
	if err != nil {
		return err
	}
	var freed orders.Freed
	freed.Add(w.account, w.pool, o)
	freed.State(d)
	return nil
}

func (w *work) policy(_ context.Context, d *plan.Step) error {
	pkg := w.account.Package
	d.Target = managed.Target(pkg, orders.CancelFunction, w.pool, w.shared, w.holder)
	d.Terms = orders.CancelTerms(w.id, w.pool, w.holder.ID)
	d.Promise = nothing()
	d.Append = func(b *plan.Builder) error {
		return orders.AppendCancel(b, pkg, w.pool, w.shared, w.holder, w.id)
	}
	d.Explain = managed.Refused
	d.Guarantee = "The order is taken out of the book, or the transaction fails. Nothing but gas leaves your account."
	d.Locks = []string{
		"What the order ties up, and what it earned and is not taken out yet, comes free in your balance manager, not in your account. Your AI client can prepare taking it out.",
		"It cannot be undone: a new order goes behind those that rest at its price.",
	}
	return nil
}

// Read implements plan.Adapter: it accepts exactly what orders.AppendCancel builds.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	_, f, err := orders.ReadCancel(r)
	return f, err
}

// FromEvents implements plan.Adapter: which order of which manager was cancelled.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return managed.FromEvents(events, account, orders.Canceled, orders.CancelAction)
}

// ReportExecution implements plan.ExecutionReporter: it says how much was taken
// out of the book.
func (*Adapter) ReportExecution(e sui.Executed, s plan.StepFacts) []plan.Term {
	return orders.CancelReport(e, s)
}

// ReportResult implements plan.ResultReporter: what is free again, and where.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	return orders.CancelResult(e, s)
}

var _ plan.ResultReporter = (*Adapter)(nil)
