package orders

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// cancelFunction is the pool function that cancels one order.
const cancelFunction = "cancel_order"

// stageOrder is the stage that finds the order in the book.
const stageOrder plan.StageID = "open_order_resolved"

// termNumber names the term with an order's number.
const termNumber = "Order number"

// readID reads the number of an order in an intent: decimal digits of at most 128 bits.
func readID(in plan.Intent) (deepbook.OrderID, error) {
	text := in.Own[managed.FieldOrder]
	n, ok := new(big.Int).SetString(text, 10)
	if len(text) > 39 || !ok || n.Sign() <= 0 || n.BitLen() > 128 || n.String() != text {
		return deepbook.OrderID{}, fault.New(fault.InputInvalid,
			"Give the order's complete number, as read.summarize_deepbook_account_inventory shows it.").
			With("field", "intent."+managed.FieldOrder)
	}
	var b [16]byte
	n.FillBytes(b[:])
	return deepbook.OrderID{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])}, nil
}

// cancelTerms returns the terms that state which order the transaction cancels.
func cancelTerms(id deepbook.OrderID, pool registry.Pool, manager sui.ObjectID) []plan.Term {
	return []plan.Term{
		{Name: managed.TermCanceled, Value: managed.Side(id.IsBid(), pool)}, {Name: managed.TermPrice,
			Value: managed.Price(id.Price(), pool)},
		{Name: managed.TermPool, Value: pool.Key}, {Name: termNumber, Value: id.String()}, managed.Term(manager),
	}
}

// AppendCancel adds the calls that prove ownership of the manager and cancel the order.
func AppendCancel(b *plan.Builder, pkg sui.ObjectID, pool registry.Pool, shared uint64, h deepbook.Holder,
	id deepbook.OrderID) error {
	number := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, id.Lo), id.Hi)
	return managed.AppendTrade(b, pkg, cancelFunction, pool, shared, h, sui.PureInput{Bytes: number}, sui.ClockInput())
}

// readCancel takes exactly the calls that AppendCancel builds.
func readCancel(r *readback.Reader) (deepbook.OrderID, plan.StepFacts, error) {
	t, err := managed.ReadTrade(r, cancelFunction, 2)
	if err != nil {
		return deepbook.OrderID{}, plan.StepFacts{}, err
	}
	b, err := r.Bytes(t.Rest[0], 16)
	if err != nil {
		return deepbook.OrderID{}, plan.StepFacts{}, err
	}
	id := deepbook.OrderID{Hi: binary.LittleEndian.Uint64(b[8:]), Lo: binary.LittleEndian.Uint64(b)}
	f := t.Facts("What it tied up comes free in your own balance manager")
	f.Terms = cancelTerms(id, t.Pool, t.Manager)
	f.Headline = &plan.Headline{Label: "Takes your order out of the book", What: managed.Side(id.IsBid(), t.Pool),
		Price: "at " + managed.Price(id.Price(), t.Pool), Terms: []string{managed.TermCanceled, managed.TermPrice}}
	f.Commands = []string{"Prove that you own the balance manager.", "Cancel the order " + id.String() + "."}
	return id, f, nil
}

// findOrder finds an open order in a pool account, and adds the check that reports it.
func findOrder(d *plan.Step, a deepbook.PoolAccount, pool registry.Pool, id deepbook.OrderID) (deepbook.OpenOrder,
	error) {
	i := slices.IndexFunc(a.Orders, func(o deepbook.OpenOrder) bool { return o.ID == id.String() })
	if i < 0 {
		return deepbook.OpenOrder{}, &plan.Stop{Reason: plan.ObjectResolutionFailed, Check: plan.Fail(plan.SourceWallet,
			managed.Prefix+"_open_order", "Order",
			"This balance manager has no such open order in "+pool.Key+
				": it was filled, cancelled, or removed after it expired.",
			"Look at the open orders again; there may be nothing left to do.")}
	}
	o := a.Orders[i]
	base := managed.Asset(pool.Base)
	d.Read(plan.Reading{Name: "quantity of the order", Value: o.Quantity.String()},
		plan.Reading{Name: "part of the order that is not filled", Value: o.Remaining.String(), Moves: true})
	d.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_open_order", "Order",
		fmt.Sprintf("The order is open: %s of %s is not filled yet.",
			base.Of(o.Remaining), base.Of(o.Quantity))))
	return o, nil
}

// Freed is the total that cancellations return to a manager, by coin.
type Freed struct {
	coins []sui.CoinType
	by    map[sui.CoinType]freedCoin
}

// freedCoin is the amount of one coin that becomes free: the coins that orders offer, and settled
// amounts. It excludes the fees that the orders also tie up, because a pool does not report them.
type freedCoin struct {
	coin       plan.Asset
	free, gets sui.Raw
}

func (f Freed) known() bool { return f.by != nil }

// Of returns the amount of a coin that becomes free.
func (f Freed) Of(coin sui.CoinType) uint64 { return uint64(f.by[coin].gets) }

// Add adds the amounts that canceling open orders of an account returns: their unfilled parts at their
// prices, and settled amounts that were not withdrawn. It omits a coin of which the account holds less
// than that, because the account's data is inconsistent.
func (f *Freed) Add(a deepbook.PoolAccount, pool registry.Pool, cancelled ...deepbook.OpenOrder) {
	if f.by == nil {
		f.by = map[sui.CoinType]freedCoin{}
	}
	var base, quote uint64
	for _, o := range cancelled {
		if o.IsBid {
			quote = plan.AddSaturating(quote, fixed(uint64(o.Remaining), uint64(o.Price)))
		} else {
			base = plan.AddSaturating(base, uint64(o.Remaining))
		}
	}
	for _, side := range []struct {
		coin                  coins.Coin
		tied                  uint64
		settled, locked, free sui.Raw
	}{
		{pool.Base, base, a.Settled.Base, a.Locked.Base, a.Free.Base},
		{pool.Quote, quote, a.Settled.Quote, a.Locked.Quote, a.Free.Quote},
	} {
		freed := plan.AddSaturating(side.tied, uint64(side.settled))
		//mutant:never `freed > uint64(side.locked)` ./internal/protocol/deepbook/managed TestCancelFrees
		if freed == 0 || freed > uint64(side.locked) {
			continue
		}
		one, seen := f.by[side.coin.Type]
		if !seen {
			f.coins = append(f.coins, side.coin.Type)
			one = freedCoin{coin: managed.Asset(side.coin), free: side.free}
		}
		one.gets = sui.Raw(plan.AddSaturating(uint64(one.gets), freed))
		f.by[side.coin.Type] = one
	}
}

// State records the amounts that become free, and the manager's free balances before and after.
func (f Freed) State(d *plan.Step) {
	for _, coin := range f.coins {
		one := f.by[coin]
		h, ok := plan.Holds(one.coin, one.free, uint64(one.gets), 0)
		if !ok {
			continue
		}
		d.Outlook.Frees = append(d.Outlook.Frees, one.coin.Of(one.gets))
		d.Outlook.Holder = append(d.Outlook.Holder, h)
	}
}

// canceled returns the canceled orders of a transaction, for managed.FromEvents.
func canceled(all deepbook.Actions) ([]deepbook.CanceledOrder, error) { return all.Canceled, nil }

// cancelAction returns the expected action of a reported cancellation.
func cancelAction(gone deepbook.CanceledOrder) (plan.Action, error) {
	pool, err := managed.EventPool(gone.Pool)
	if err != nil {
		return plan.Action{}, err
	}
	return plan.Action{Terms: cancelTerms(gone.ID, pool, gone.Manager), Events: []int{gone.At}}, nil
}

// cancelReport reports how much of a step's order was canceled.
func cancelReport(e sui.Executed, s plan.StepFacts) []plan.Term {
	o, pool, ok := gone(e, s)
	if !ok {
		return nil
	}
	base := managed.Asset(pool.Base)
	return []plan.Term{{Name: "Taken out of the book", Value: base.Of(o.Gone).String()},
		{Name: "Quantity of the order", Value: base.Of(o.Quantity).String()}}
}

// gone finds the order that a step canceled in the events of a transaction.
func gone(e sui.Executed, s plan.StepFacts) (deepbook.CanceledOrder, registry.Pool, bool) {
	all, pool, ok := reported(e, s)
	i := slices.IndexFunc(all.Canceled, func(o deepbook.CanceledOrder) bool {
		return o.Pool == pool.ID && slices.Contains(s.Terms, plan.Term{Name: termNumber, Value: o.ID.String()})
	})
	if !ok || i < 0 {
		return deepbook.CanceledOrder{}, pool, false
	}
	return all.Canceled[i], pool, true
}

// reported returns the actions that a transaction's events report, and the pool of a step.
func reported(e sui.Executed, s plan.StepFacts) (deepbook.Actions, registry.Pool, bool) {
	all, err := managed.ReadActions(e.Events, e.Sender)
	pool, ok := registry.PoolByID(s.RouteID)
	if err != nil || !ok {
		return deepbook.Actions{}, pool, false
	}
	return all, pool, true
}

// released returns the amount that a canceled order returns, without fees.
func released(o deepbook.CanceledOrder, pool registry.Pool) plan.Amount {
	if o.ID.IsBid() {
		return managed.Asset(pool.Quote).Of(managed.Worth(o.ID.Price(), o.Gone))
	}
	return managed.Asset(pool.Base).Of(o.Gone)
}

// cancelResult describes the amount that is free again, and where it is.
func cancelResult(e sui.Executed, s plan.StepFacts) plan.Result {
	o, pool, ok := gone(e, s)
	if !ok {
		return plan.Result{}
	}
	base := managed.Asset(pool.Base)
	free, verb := released(o, pool), "sold"
	if o.ID.IsBid() {
		verb = "bought"
	}
	r := plan.Result{
		Title: "Order cancelled: " + base.Of(o.Gone).String() + " will not be " + verb,
		Where: free.String() + ", and what was set aside for the fee, is free again in your balance manager.",
		Next:  managed.Withdraw(free),
		Holds: []plan.Term{{Name: managed.TermPool, Value: pool.Key}, managed.Term(o.Manager)},
		Moved: []plan.Moved{{Holder: managed.Party(o.Manager), Asset: free.Asset, Change: sui.Delta{Amount: free.Raw},
			Why: plan.ForRelease}},
	}
	if traded := base.Of(o.Quantity - o.Gone); traded.Raw > 0 {
		r.Where += " " + traded.String() + " of the order was " + verb + " before; that stays."
	}
	return r
}

// The functions below cancel one order of a manager of the account. They move nothing out of the
// manager.

func planCancel(in plan.Intent, manager sui.ObjectID) (plan.Plan, error) {
	if in.Order == nil || *in.Order != (plan.Order{Pool: in.Order.Pool}) {
		return plan.Plan{}, fault.New(fault.InputInvalid,
			"A cancellation needs intent.order.pool and no other field of an order.").With("field", "intent.order")
	}
	pool, err := registry.FindPool(in.Order.Pool)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.order.pool", err)
	}
	id, err := readID(in)
	if err != nil {
		return plan.Plan{}, err
	}
	p, what := inMarket(pool, manager), lower(managed.Side(id.IsBid(), pool))+" at "+managed.Price(id.Price(), pool)
	p.Title, p.Asked = "Cancel an order in "+pool.Key, "cancel your order in "+pool.Key+": "+what
	p.Summary = "Take your order out of the DeepBook market " + pool.Key + ": " + what + "."
	return p, nil
}

// cancelling is the state of one computation of a cancellation.
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

// resolve returns a stage that finds the manager whose orders are canceled.
func (a *Adapter) resolve(p plan.Plan, to *deepbook.Holder) func(context.Context, *plan.Step) error {
	return func(ctx context.Context, d *plan.Step) (err error) {
		*to, err = managed.Resolve(ctx, a.source, d, p.Subject)
		return err
	}
}

// find looks for the order among the manager's open orders.
func (w *cancelling) find(ctx context.Context, d *plan.Step) (err error) {
	if w.id, err = readID(d.Intent); err != nil {
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
	d.Guarantee = "The order is removed from the book, or the transaction fails. Nothing but gas leaves your account."
	d.Locks = []string{
		"The coins that the order ties up, and its earnings that were not withdrawn yet, become free in your balance " +
			"manager, not in your account. Your AI client can prepare the withdrawal.",
		"It cannot be undone: a new order queues behind those that rest at its price.",
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
