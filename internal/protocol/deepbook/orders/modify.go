package orders

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// This file changes a resting order. One transaction cancels the order and places a new one on the
// same side, so either both happen or neither. The new order queues behind those that rest at its
// price. The same balance manager pays for it, with the coins that the old order returns.

// change is an intent's description of the new order. If the intent omits the price, it comes from the
// old order's number. Other omitted fields are read from the chain.
type change struct {
	old                   deepbook.OrderID
	order                 Order
	quantity, ends, inFee bool // set by the intent
}

// readChange reads a change from an intent.
func readChange(in plan.Intent) (change, error) {
	var c change
	w := in.Order
	if w == nil {
		return c, missing("its pool, and what is to be changed.")
	}
	var err error
	if c.order.Pool, err = registry.FindPool(w.Pool); err != nil {
		return c, plan.AtField("intent.order.pool", err)
	}
	if c.old, err = readID(in); err != nil {
		return c, err
	}
	if w.Price == "" && w.Quantity == "" && w.ExpiresAt == "" && !w.PostOnly && in.FeeMode == "" {
		return c, fault.New(fault.InputInvalid,
			"Nothing is to be changed: name a new price, quantity, expiresAt or postOnly of the order.").With("field",
			"intent.order")
	}
	o := &c.order
	if o.IsBid = c.old.IsBid(); w.Side != "" {
		//mutant:never ./internal/protocol/deepbook/managed TestModifyOrder/another side
		if err := o.ReadSide(w.Side); err != nil || o.IsBid != c.old.IsBid() {
			return c, fault.New(fault.InputInvalid,
				"The side of an order cannot be changed: cancel it, and place another one.").With("field",
				"intent.order.side")
		}
	}
	if w.PostOnly {
		o.Kind = PostOnly
	}
	if o.InDeep, err = readFeeMode(in.FeeMode); err != nil {
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

func planModify(in plan.Intent, manager sui.ObjectID) (plan.Plan, error) {
	c, err := readChange(in)
	if err != nil {
		return plan.Plan{}, err
	}
	o, p := c.order, inMarket(c.order.Pool, manager)
	was := lower(managed.Side(o.IsBid, o.Pool)) + " at " + managed.Price(c.old.Price(), o.Pool)
	what := "the rest of it"
	if c.quantity {
		what = o.Amount().String()
	}
	becomes := o.Verb() + " " + what + " at " + o.price()
	p.Title, p.Asked = "Change an order in "+o.Pool.Key, "change your order in "+o.Pool.Key+" ("+was+"): "+becomes
	p.Summary = "Take your order out of the DeepBook market " + o.Pool.Key + " (" + was +
		"), and place another one there in the same transaction: " +
		becomes + " or better."
	p.Same = o.Pool.Key + " " + c.old.String() + " " + o.price() + " " + what
	if c.inFee {
		p.FeeMode = in.FeeMode
	}
	if o.InDeep {
		p.Coins = append(p.Coins, deep)
	}
	return p, nil
}

// changing is the state of one computation of a change.
type changing struct {
	*Placing
	change  change
	was     deepbook.OpenOrder
	account deepbook.PoolAccount
}

func modify(a *Adapter, p plan.Plan) work {
	w := &changing{Placing: newPlacing(a.market, a.source)}
	return work{
		manager: func(ctx context.Context, d *plan.Step) (err error) {
			if w.change, err = readChange(d.Intent); err != nil {
				return err
			}
			w.Holder, err = managed.Resolve(ctx, a.source, d, p.Subject)
			return err
		},
		order: w.find,
		market: func(ctx context.Context, d *plan.Step) error {
			if err := w.Open(ctx, d); err != nil {
				return err
			}
			return w.Judge(ctx, d)
		},
		policy: w.policy,
	}
}

// find looks for the old order, and copies the omitted values from it.
func (w *changing) find(ctx context.Context, d *plan.Step) (err error) {
	o := w.change.order
	if w.account, err = w.source.Account(ctx, o.Pool.Key, w.Holder.ID); err != nil {
		return err
	}
	if w.was, err = findOrder(d, w.account, o.Pool, w.change.old); err != nil {
		return err
	}
	if !w.change.quantity {
		o.Quantity = uint64(w.was.Remaining)
	}
	if !w.change.ends {
		if o.Expire = w.was.ExpireMs; o.Expire > Never {
			o.Expire = Never
		}
	}
	if !w.change.inFee {
		o.InDeep = w.was.FeeInDeep
	}
	//mutant:never `o.Kind == Plain` ./internal/protocol/deepbook/managed TestModifyOrder/nothing new
	if o.Kind == Plain && o.Price == uint64(w.was.Price) && o.Quantity == uint64(w.was.Remaining) &&
		o.InDeep == w.was.FeeInDeep && w.sameEnd(o) {
		return &plan.Stop{Reason: plan.UnsupportedAction,
			Check: plan.Fail(plan.SourceAdapter, managed.Prefix+"_order_refused", "Order",
				"The order already has these values.", "There is nothing to change.")}
	}
	w.Order = o
	w.Freed.Add(w.account, o.Pool, w.was)
	return nil
}

// sameEnd reports whether an order expires at the same time as the old one.
func (w *changing) sameEnd(o Order) bool {
	return o.Expire == w.was.ExpireMs || o.Expire == Never && w.was.ExpireMs >= Never
}

func (w *changing) policy(_ context.Context, d *plan.Step) error {
	w.Policy(d)
	o, pkg := w.Order, w.Market.Package
	d.Terms = changeTerms(w.change.old, o, w.Holder.ID)
	d.Append = func(b *plan.Builder) error {
		if err := AppendCancel(b, pkg, o.Pool, w.Shared, w.Holder, w.change.old); err != nil {
			return err
		}
		return Append(b, pkg, w.Shared, w.Holder, o)
	}
	d.Guarantee = "The old order is taken out of the book and the new one is placed, or the transaction fails and " +
		"nothing changes. " + d.Guarantee
	d.Locks = append([]string{
		"The new order is for " + o.Amount().String() +
			" regardless of the old one: if a part of that is filled before, you trade both. If all of it is filled before, " +
			"the transaction fails.",
		"It queues behind the orders that rest at its price.",
	}, d.Locks...)
	return nil
}

// readModify reads a cancellation, and an order on the same side with the same market and manager.
func readModify(r *readback.Reader) (plan.StepFacts, error) {
	old, gone, err := readCancel(r)
	if err != nil {
		return plan.StepFacts{}, err
	}
	r.Again() // the new order uses the same market, manager and clock
	o, f, err := readOrder(r, Plain, PostOnly)
	if err != nil {
		return plan.StepFacts{}, err
	}
	//mutant:never ./internal/protocol/deepbook/managed TestModifyOrder/read back
	if gone.RouteID != f.RouteID || gone.Holder.ID != f.Holder.ID || gone.Package != f.Package ||
		old.IsBid() != o.IsBid {
		return plan.StepFacts{}, readback.Unlike("It places a different kind of order than the one that it cancels.")
	}
	f.Headline.Label, f.Headline.Amount = "Changes your order", false
	f.Headline.What = upper(o.Verb()) + " " + o.Amount().String()
	f.Terms, f.Commands = changeTerms(old, o, f.Holder.ID), slices.Concat(gone.Commands, f.Commands)
	return f, nil
}

// changeTerms returns the terms that state which order is canceled, and which one replaces it. The
// market and manager are among the new order's terms.
func changeTerms(old deepbook.OrderID, o Order, manager sui.ObjectID) []plan.Term {
	return append([]plan.Term{
		{Name: managed.TermCanceled, Value: managed.Side(old.IsBid(), o.Pool) + " at " +
			managed.Price(old.Price(), o.Pool)},
		{Name: termNumber, Value: old.String()},
	}, o.Terms(manager)...)
}

// modifyEvents reports an action for each pair of a canceled order and an order placed in the same
// market for the same manager.
func modifyEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
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
		o, err := FromEvent(p, Plain, PostOnly)
		if err != nil {
			strange = err
			continue
		}
		for _, gone := range all.Canceled {
			//mutant:never ./internal/protocol/deepbook/managed TestModifyOrder/events of two managers
			if gone.Manager != p.Manager || gone.Pool != p.Pool {
				strange = readback.Unlike("DeepBook’s events report a cancelled order of another market or manager than the " +
					"new one’s.")
				continue
			}
			reported.Actions = append(reported.Actions,
				plan.Action{Terms: changeTerms(gone.ID, o, gone.Manager), Events: []int{gone.At, p.At}})
		}
	}
	if len(reported.Actions) == 0 && strange != nil {
		return plan.Reported{}, strange
	}
	return reported, nil
}

func modifyReport(e sui.Executed, s plan.StepFacts) []plan.Term {
	return append(cancelReport(e, s), placeReport(e, s)...)
}

// modifyResult describes the outcome of the new order, and the amount that the old one returned.
func modifyResult(e sui.Executed, s plan.StepFacts) plan.Result {
	was, r := cancelResult(e, s), placeResult(e, s)
	if was.Title == "" || r.Title == "" {
		return plan.Result{}
	}
	r.Title = "Order changed: " + lower(r.Title)
	r.Where = "The old order is out of the book: " + lower(was.Where) + " " + r.Where
	r.Moved = append(was.Moved, r.Moved...)
	return r
}
