// Package modifyorder prepares changing a resting DeepBook order for review: the order is
// cancelled and a new one of the same side is placed, in one transaction, so that both
// happen or neither.
//
// The new order goes behind those that rest at its price. It is paid from the same
// balance manager, with what the old one gives back.
package modifyorder

import (
	"context"
	"slices"
	"strings"
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

// Adapter prepares such changes. It implements plan.Adapter.
type Adapter struct {
	market orders.Market
	source managed.Source
}

// New returns an Adapter that reads markets and managers.
func New(market orders.Market, source managed.Source) *Adapter { return &Adapter{market, source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"modifyorder", "changeorder", "editorder", "replaceorder", "amendorder"}, Takes: []string{"order.pool", "orderId"},
		Action: "modify-order", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-modify-order",
		StageCatalog: "deepbook_modify_order_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{managed.StageIntent, managed.StageManager, orders.StageOrder, orders.StageMarket, managed.StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + orders.CancelFunction, "pool::" + orders.Function},
	}
}

// change is what an intent says of the new order. What it leaves out is as the old order
// has it: price is part of that one's number, the rest is read from the chain.
type change struct {
	old                   deepbook.OrderID
	order                 orders.Order
	quantity, ends, inFee bool // said by the intent
}

// read reads an intent.
func read(in plan.Intent) (change, error) {
	var c change
	w := in.Order
	if w == nil {
		return c, fault.New(fault.InputInvalid, "The order is missing: its pool, and what is to be changed.").With("field", "intent.order")
	}
	var err error
	if c.order.Pool, err = registry.FindPool(w.Pool); err != nil {
		return c, plan.AtField("intent.order.pool", err)
	}
	if c.old, err = orders.ReadID(in.OrderID); err != nil {
		return c, err
	}
	if w.Price == "" && w.Quantity == "" && w.ExpiresAt == "" && !w.PostOnly && in.FeeMode == "" {
		return c, fault.New(fault.InputInvalid, "Nothing is to be changed: name a new price, quantity, expiresAt or postOnly of the order.").With("field", "intent.order")
	}
	o := &c.order
	if o.IsBid = c.old.IsBid(); w.Side != "" {
		//mutant:never ./internal/protocol/deepbook/managed TestModifyOrder/another side
		if err := o.ReadSide(w.Side); err != nil || o.IsBid != c.old.IsBid() {
			return c, fault.New(fault.InputInvalid, "The side of an order cannot be changed: cancel it, and place another one.").With("field", "intent.order.side")
		}
	}
	if w.PostOnly {
		o.Kind = orders.PostOnly
	}
	if o.InDeep, err = orders.ReadFeeMode(in.FeeMode); err != nil {
		return c, err
	}
	if o.Price = uint64(c.old.Price()); w.Price != "" {
		if err := o.ReadPrice(w.Price); err != nil {
			return c, err
		}
	}
	if c.quantity = w.Quantity != ""; c.quantity {
		if err := o.ReadQuantity(w.Quantity); err != nil {
			return c, err
		}
	}
	c.ends, c.inFee = w.ExpiresAt != "", in.FeeMode != ""
	return c, o.ReadEnd(w.ExpiresAt)
}

// Plan implements plan.Adapter. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := orders.Only(in, "order", "orderId", "manager", "feeMode"); err != nil {
		return plan.Plan{}, err
	}
	c, err := read(in)
	if err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	o := c.order
	was := strings.ToLower(managed.Side(o.IsBid, o.Pool)[:1]) + managed.Side(o.IsBid, o.Pool)[1:] + " at " + managed.Price(c.old.Price(), o.Pool)
	what := "what is left of it"
	if c.quantity {
		what = o.Amount().String()
	}
	price := managed.Price(sui.Raw(o.Price), o.Pool)
	p := plan.Plan{
		Title: "Change an order in " + o.Pool.Key, Asked: "change your order in " + o.Pool.Key + " (" + was + "): " + o.Verb() + " " + what + " at " + price,
		Summary: "Take your order out of the DeepBook market " + o.Pool.Key + " (" + was + "), and place another one there in the same transaction: " +
			o.Verb() + " " + what + " at " + price + " or better.",
		Route: o.Pool.Key, Subject: named, Same: o.Pool.Key + " " + c.old.String() + " " + price + " " + what,
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}}, // what it offers can depend on what is left
		Coins:   []plan.Asset{managed.Asset(o.Pool.Base), managed.Asset(o.Pool.Quote)},
	}
	if c.inFee {
		p.FeeMode = in.FeeMode
	}
	if o.InDeep {
		p.Coins = append(p.Coins, orders.Deep)
	}
	return p, nil
}

type work struct {
	*orders.Placing
	adapter *Adapter
	change  change
	was     deepbook.OpenOrder
	account deepbook.PoolAccount
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	w := &work{Placing: orders.NewPlacing(a.market, a.source), adapter: a}
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, d *plan.Step) (err error) {
			if w.change, err = read(d.Intent); err != nil {
				return err
			}
			w.Holder, err = managed.Resolve(ctx, a.source, d, p.Subject)
			return err
		}},
		{ID: orders.StageOrder, Run: w.find},
		{ID: orders.StageMarket, Run: func(ctx context.Context, d *plan.Step) error {
			if err := w.Open(ctx, d); err != nil {
				return err
			}
			return w.Judge(ctx, d)
		}},
		{ID: managed.StagePolicy, Run: w.policy},
	}
}

// find looks for the old order, and completes the new one by it.
func (w *work) find(ctx context.Context, d *plan.Step) (err error) {
	o := w.change.order
	if w.account, err = w.adapter.source.Account(ctx, o.Pool.Key, w.Holder.ID); err != nil {
		return err
	}
	if w.was, err = orders.Find(d, w.account, o.Pool, w.change.old); err != nil {
		return err
	}
	if !w.change.quantity {
		o.Quantity = uint64(w.was.Remaining)
	}
	if !w.change.ends {
		if o.Expire = w.was.ExpireMs; o.Expire > orders.Never {
			o.Expire = orders.Never
		}
	}
	if !w.change.inFee {
		o.InDeep = w.was.FeeInDeep
	}
	//mutant:never `o.Kind == orders.Plain` ./internal/protocol/deepbook/managed TestModifyOrder/nothing new
	if o.Kind == orders.Plain && o.Price == uint64(w.was.Price) && o.Quantity == uint64(w.was.Remaining) && o.InDeep == w.was.FeeInDeep && w.sameEnd(o) {
		return &plan.Stop{Reason: plan.UnsupportedAction, Check: plan.Fail(plan.SourceAdapter, managed.Prefix+"_order_refused", "Order",
			"The order is like that already.", "There is nothing to change.")}
	}
	w.Order = o
	w.Freed.Add(w.account, o.Pool, w.was)
	return nil
}

// sameEnd reports whether an order ends when the old one does.
func (w *work) sameEnd(o orders.Order) bool {
	return o.Expire == w.was.ExpireMs || o.Expire == orders.Never && w.was.ExpireMs >= orders.Never
}

func (w *work) policy(_ context.Context, d *plan.Step) error {
	w.Policy(d)
	o, pkg := w.Order, w.Market.Package
	d.Terms = terms(w.change.old, o, w.Holder.ID)
	d.Append = func(b *plan.Builder) error {
		if err := orders.AppendCancel(b, pkg, o.Pool, w.Shared, w.Holder, w.change.old); err != nil {
			return err
		}
		return orders.Append(b, pkg, w.Shared, w.Holder, o)
	}
	d.Guarantee = "The old order is taken out of the book and the new one is placed, or the transaction fails and nothing changes. " + d.Guarantee
	d.Locks = append([]string{
		"The new order is for " + o.Amount().String() + " whatever becomes of the old one: if a part of that is filled before, you trade both. If all of it is filled before, the transaction fails.",
		"It goes behind the orders that rest at its price.",
	}, d.Locks...)
	return nil
}

// Read implements plan.Adapter: a cancellation and an order of the same side, market and
// manager.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	old, gone, err := orders.ReadCancel(r)
	if err != nil {
		return plan.StepFacts{}, err
	}
	r.Again() // market, manager and clock are used again
	o, f, err := orders.Read(r, orders.Plain, orders.PostOnly)
	if err != nil {
		return plan.StepFacts{}, err
	}
	//mutant:never ./internal/protocol/deepbook/managed TestModifyOrder/read back
	if gone.RouteID != f.RouteID || gone.Holder.ID != f.Holder.ID || gone.Package != f.Package || old.IsBid() != o.IsBid {
		return plan.StepFacts{}, readback.Unlike("It places another kind of order than the one that it cancels.")
	}
	f.Headline.Label, f.Headline.Amount = "Changes your order", false
	f.Headline.What = strings.ToUpper(o.Verb()[:1]) + o.Verb()[1:] + " " + o.Amount().String()
	f.Terms, f.Commands = terms(old, o, f.Holder.ID), slices.Concat(gone.Commands, f.Commands)
	return f, nil
}

// terms says which order is cancelled and which one is placed instead. Market and
// manager are those of the new order.
func terms(old deepbook.OrderID, o orders.Order, manager sui.ObjectID) []plan.Term {
	return append([]plan.Term{
		{Name: managed.TermCanceled, Value: managed.Side(old.IsBid(), o.Pool) + " at " + managed.Price(old.Price(), o.Pool)},
		{Name: orders.TermNumber, Value: old.String()},
	}, o.Terms(manager)...)
}

// FromEvents implements plan.Adapter: every pair of an order that was cancelled and one
// that DeepBook says it took in its market for its manager.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	all, err := managed.ReadActions(events, account)
	if err != nil {
		return plan.Reported{}, err
	}
	placed, err := all.Orders()
	if err != nil {
		return plan.Reported{}, err
	}
	reported := plan.Reported{All: all.At()}
	var strange error
	for _, p := range placed {
		o, err := orders.FromEvent(p, orders.Plain, orders.PostOnly)
		if err != nil {
			strange = err
			continue
		}
		for _, gone := range all.Canceled {
			//mutant:never ./internal/protocol/deepbook/managed TestModifyOrder/events of two managers
			if gone.Manager != p.Manager || gone.Pool != p.Pool {
				strange = readback.Unlike("DeepBook’s events tell of a cancelled order of another market or manager than the new one’s.")
				continue
			}
			reported.Actions = append(reported.Actions, plan.Action{Terms: terms(gone.ID, o, gone.Manager), Events: []int{gone.At, p.At}})
		}
	}
	if len(reported.Actions) == 0 && strange != nil {
		return plan.Reported{}, strange
	}
	return reported, nil
}

// ReportExecution implements plan.ExecutionReporter: what was taken out, what traded at
// once, what rests, and under which number.
func (*Adapter) ReportExecution(e sui.Executed, s plan.StepFacts) []plan.Term {
	return append(orders.CancelReport(e, s), orders.Report(e, s)...)
}

// ReportResult implements plan.ResultReporter: what became of the new order, and what was
// taken back of the old one.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	was, r := orders.CancelResult(e, s), orders.Result(e, s)
	if was.Title == "" || r.Title == "" {
		return plan.Result{}
	}
	r.Title = "Order changed: " + strings.ToLower(r.Title[:1]) + r.Title[1:]
	r.Where = "The old order is out of the book: " + strings.ToLower(was.Where[:1]) + was.Where[1:] + " " + r.Where
	r.Moved = append(was.Moved, r.Moved...)
	return r
}

var _ plan.ResultReporter = (*Adapter)(nil)
