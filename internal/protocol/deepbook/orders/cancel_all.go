package orders

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// This file cancels every open order of a balance manager, in one DeepBook market or in all pinned
// markets. It moves nothing out of the manager. The bytes name markets, not orders, so an order that
// is placed before the transaction executes is canceled too.

const cancelAllFunction = "cancel_all_orders"

// termAll names the term that states which orders are canceled.
const termAll = "Cancels"

func planAll(in plan.Intent, manager sui.ObjectID) (plan.Plan, error) {
	p := plan.Plan{
		Title: "Cancel all orders", Asked: "cancel all your orders on DeepBook",
		Summary: "Take every open order of your balance manager out of its DeepBook markets.",
		Subject: manager, Promise: nothing(),
	}
	if in.Order == nil {
		return p, nil
	}
	if *in.Order != (plan.Order{Pool: in.Order.Pool}) {
		return p, fault.New(fault.InputInvalid,
			"A cancellation of all orders takes intent.order.pool and no other field of an order; leave order out for all "+
				"markets.").
			With("field", "intent.order")
	}
	pool, err := registry.FindPool(in.Order.Pool)
	if err != nil {
		return p, plan.AtField("intent.order.pool", err)
	}
	p.Title, p.Asked = "Cancel all orders in "+pool.Key, "cancel all your orders in "+pool.Key
	p.Summary = "Take every open order of your balance manager out of the DeepBook market " + pool.Key + "."
	p.Route, p.Coins = pool.Key, inMarket(pool, manager).Coins
	return p, nil
}

// place is a market in which orders are canceled.
type place struct {
	pool   registry.Pool
	shared uint64
}

// clearing is the state of one computation of a cancellation.
type clearing struct {
	*Adapter
	plan   plan.Plan
	holder deepbook.Holder
	places []place
	found  []string // the number of open orders in each market, as text
	pkg    sui.ObjectID
}

func cancelAll(a *Adapter, p plan.Plan) work {
	w := &clearing{Adapter: a, plan: p}
	return work{manager: a.resolve(p, &w.holder), order: w.find, policy: w.policy}
}

// accounts reads the manager's accounts in the named market, or in all markets.
func (w *clearing) accounts(ctx context.Context) ([]deepbook.PoolAccount, error) {
	if w.plan.Route == "" {
		all, _, err := w.source.Accounts(ctx, w.holder.ID)
		return all, err
	}
	one, err := w.source.Account(ctx, w.plan.Route, w.holder.ID)
	return []deepbook.PoolAccount{one}, err
}

// find looks for the open orders of the manager.
func (w *clearing) find(ctx context.Context, d *plan.Step) error {
	accounts, err := w.accounts(ctx)
	if err != nil {
		return err
	}
	var freed Freed
	for _, a := range accounts {
		if len(a.Orders) == 0 {
			continue
		}
		p := place{pool: a.Pool}
		if p.shared, err = w.market.SharedVersion(ctx, a.Pool.Key); err != nil {
			return err
		}
		if w.pkg.IsZero() {
			w.pkg = a.Package
		}
		if a.Package != w.pkg {
			return &plan.Stop{Reason: plan.UnsupportedAction,
				Check: plan.Fail(plan.SourceWallet, managed.Prefix+"_open_order", "Orders",
					"The markets with open orders admit different versions of DeepBook, so one transaction cannot cancel in all "+
						"of them.",
					"Prepare a review for each market: name its pool.")}
		}
		w.places = append(w.places, p)
		w.found = append(w.found, count(len(a.Orders))+" in "+a.Pool.Key)
		freed.Add(a, a.Pool, a.Orders...)
		d.Read(plan.Reading{Name: "open orders in " + a.Pool.Key, Value: fmt.Sprint(len(a.Orders)), Moves: true})
	}
	if len(w.places) == 0 {
		where := "in any pinned market"
		if w.plan.Route != "" {
			where = "in " + w.plan.Route
		}
		return &plan.Stop{Reason: plan.ObjectResolutionFailed,
			Check: plan.Fail(plan.SourceWallet, managed.Prefix+"_open_order", "Orders",
				"The node reports that this balance manager has no open order "+where+".",
				"There is nothing to cancel. Look at the open orders again.")}
	}
	d.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_open_order", "Orders",
		"The node reports these open orders: "+strings.Join(w.found, ", ")+"."))
	freed.State(d)
	return nil
}

// count formats a number of orders, as in "2 orders".
func count(n int) string {
	if n == 1 {
		return "1 order"
	}
	return fmt.Sprintf("%d orders", n)
}

func (w *clearing) policy(_ context.Context, d *plan.Step) error {
	pools := make([]registry.Pool, len(w.places))
	for i, p := range w.places {
		pools[i] = p.pool
	}
	d.Target = w.target()
	d.Terms = allTerms(w.holder.ID, pools)
	d.Promise = nothing()
	d.Append = func(b *plan.Builder) error {
		for _, p := range w.places {
			if err := managed.AppendTrade(b, w.pkg, cancelAllFunction, p.pool, p.shared, w.holder,
				sui.ClockInput()); err != nil {
				return err
			}
		}
		return nil
	}
	d.Explain = managed.Refused
	d.Guarantee = "Every order that your balance manager then has in " + keys(pools) +
		" is removed from the book, or the transaction fails. Nothing but gas leaves your account."
	d.Locks = []string{
		"The node reports these open orders now: " + strings.Join(w.found, ", ") + ".",
		"The coins that the orders tie up, and their earnings that were not withdrawn yet, become free in your balance " +
			"manager, not in your account. Your AI client can prepare the withdrawal.",
		"An order that is filled before keeps its trades. One that is placed before is cancelled too.",
		"It cannot be undone: new orders queue behind those that rest at their prices.",
	}
	return nil
}

// target returns the target of the transaction: one market or, for several, the manager with all of
// them.
func (w *clearing) target() plan.Target {
	if len(w.places) == 1 {
		return managed.Target(w.pkg, cancelAllFunction, w.places[0].pool, w.places[0].shared, w.holder)
	}
	t := plan.Target{Package: w.pkg, Function: "pool::" + cancelAllFunction, RouteID: w.holder.ID,
		Shared: w.holder.Initial}
	for i, p := range w.places {
		if types := []sui.TypeTag{p.pool.Base.Type.Tag(), p.pool.Quote.Type.Tag()}; i == 0 {
			t.TypeArgs = types
		} else {
			t.MoreTypeArgs = append(t.MoreTypeArgs, types)
		}
		t.Also = append(t.Also, plan.SharedObject{ID: p.pool.ID, Initial: p.shared})
	}
	return t
}

func keys(pools []registry.Pool) string {
	list := make([]string, len(pools))
	for i, p := range pools {
		list[i] = p.Key
	}
	return strings.Join(list, ", ")
}

// allTerms returns the terms that state whose orders are canceled, and in which markets.
func allTerms(manager sui.ObjectID, pools []registry.Pool) (list []plan.Term) {
	for _, p := range pools {
		list = append(list, plan.Term{Name: termAll, Value: "Every order in " + p.Key})
	}
	return append(list, managed.Term(manager))
}

// readAll reads the calls for one or several different markets, with one manager.
func readAll(r *readback.Reader) (plan.StepFacts, error) {
	var f plan.StepFacts
	var pools []registry.Pool
	var manager sui.ObjectID
	for len(pools) == 0 || managed.Trades(r, cancelAllFunction) {
		if len(pools) > 0 {
			r.Again() // later calls use the same manager and clock
		}
		t, err := managed.ReadTrade(r, cancelAllFunction, 1)
		if err != nil {
			return f, err
		}
		for _, p := range pools {
			if p.ID == t.Pool.ID {
				return f, readback.Unlike("It cancels the orders of one market twice.")
			}
		}
		if len(pools) == 0 {
			f, manager = t.Facts("What they tied up comes free in your own balance manager"), t.Manager
		}
		//mutant:never ./internal/protocol/deepbook/managed TestCancelAll/of two managers
		if t.Manager != manager || t.Call.Package != f.Package {
			return f, readback.Unlike("It cancels orders of more than one manager, or by more than one package.")
		}
		pools = append(pools, t.Pool)
		f.Commands = append(f.Commands, "Prove that you own the balance manager.",
			"Cancel every order that it has in "+t.Pool.Key+".")
	}
	if len(pools) > 1 {
		f.Route, f.RouteID = "", manager
	}
	f.Terms = allTerms(manager, pools)
	f.Headline = &plan.Headline{Label: "Takes your orders out of the book", What: "Every order in " + keys(pools),
		Terms: []string{termAll}}
	return f, nil
}

// allEvents reads in which markets a manager's orders were canceled, in the order of the first
// cancellation in each. It reports one action for all markets together and, if there are several, one
// for each market, because either can be what a step did.
func allEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	all, err := managed.ReadActions(events, account)
	if err != nil {
		return plan.Reported{}, err
	}
	reported := plan.Reported{All: all.At()}
	if len(all.Canceled) == 0 {
		return reported, nil
	}
	pools, err := markets(all.Canceled)
	if err != nil {
		return plan.Reported{}, err
	}
	reported.Actions = append(reported.Actions, cleared(all.Canceled, pools))
	for i := 0; len(pools) > 1 && i < len(pools); i++ {
		reported.Actions = append(reported.Actions, cleared(all.Canceled, pools[i:i+1]))
	}
	return reported, nil
}

// cleared returns the action of canceling all orders in some markets.
func cleared(gone []deepbook.CanceledOrder, pools []registry.Pool) plan.Action {
	a := plan.Action{Terms: allTerms(gone[0].Manager, pools)}
	for _, o := range gone {
		if slices.ContainsFunc(pools, func(p registry.Pool) bool { return p.ID == o.Pool }) {
			a.Events = append(a.Events, o.At)
		}
	}
	return a
}

// markets returns the pools of canceled orders, which must belong to one manager.
func markets(gone []deepbook.CanceledOrder) (pools []registry.Pool, err error) {
	for _, o := range gone {
		pool, err := managed.EventPool(o.Pool)
		if err != nil {
			return nil, err
		}
		if o.Manager != gone[0].Manager {
			return nil, readback.Unlike("DeepBook’s events report orders of more than one manager.")
		}
		if len(pools) == 0 || pools[len(pools)-1].ID != pool.ID {
			pools = append(pools, pool)
		}
	}
	return pools, nil
}

// allReport lists the canceled orders.
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

// goneFrom returns the canceled orders of a step's manager.
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

// allResult describes how many orders were canceled, and what is free again.
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
		pool, _ := managed.EventPool(o.Pool) // cannot fail: markets looked it up
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
