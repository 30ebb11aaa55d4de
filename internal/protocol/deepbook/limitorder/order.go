// Package limitorder prepares placing a limit order in a DeepBook market for
// review, paid from a balance manager of the account.
//
// Its fees are taken in the coin that the order pays with, or in DEEP where that
// is asked for, never otherwise; it never places an order for anybody but the
// manager's owner.
package limitorder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// StageMarket is the stage in which the market's steps and the manager's funds
// are read.
const StageMarket plan.StageID = "market_and_funds_checked"

// neverExpires is what clients of DeepBook write for an order without an end, in
// Unix milliseconds.
const neverExpires = 1844674407370955161

// Market reads a market's book and parameters: deepbook.Reader.
type Market interface {
	Depth(ctx context.Context, poolKey string, levels int) (deepbook.Book, error)
	SharedVersion(ctx context.Context, poolKey string) (uint64, error)
	DeepPrice(ctx context.Context, poolKey string) (deepbook.DeepPrice, error)
}

// Adapter prepares limit orders. It implements plan.Adapter.
type Adapter struct {
	market Market
	source managed.Source
}

// New returns an Adapter that reads markets and managers.
func New(market Market, source managed.Source) *Adapter { return &Adapter{market, source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"limitorder", "placelimitorder", "placeorder"}, Takes: []string{"order.pool", "order.side", "order.price", "order.quantity"},
		Action: "limit-order", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-limit-order",
		StageCatalog: "deepbook_limit_order_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{managed.StageIntent, managed.StageManager, StageMarket, managed.StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + function},
	}
}

// Plan implements plan.Adapter. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("order", "manager", "feeMode"); err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	o, err := read(in)
	if err != nil {
		return plan.Plan{}, err
	}
	verb, quantity := "sell", o.amount().String()
	if o.IsBid {
		verb = "buy"
	}
	asked, _ := o.promise(named)
	p := plan.Plan{Route: o.Pool.Key, Subject: named, FeeMode: feeInput, Promise: asked,
		Same: fmt.Sprintf("%s %t %d %d", o.Pool.Key, o.IsBid, o.Price, o.Quantity), Coins: []plan.Asset{managed.Asset(o.Pool.Base), managed.Asset(o.Pool.Quote)}}
	fee := o.pays().Symbol
	if o.InDeep {
		p.FeeMode, fee, p.Coins = managed.FeeDeep, deep.Symbol, append(p.Coins, deep)
	}
	p.Asked = "place an order to " + verb + " " + quantity + " at " + managed.Price(sui.Raw(o.Price), o.Pool)
	p.Title = strings.ToUpper(verb[:1]) + verb[1:] + " " + quantity + " at " + managed.Price(sui.Raw(o.Price), o.Pool)
	p.Summary = "Place a limit order in the DeepBook market " + o.Pool.Key + ": " + verb + " " + quantity + " at " +
		managed.Price(sui.Raw(o.Price), o.Pool) + " or better, " + lifetime(o.Expire) + ". It is paid from your balance manager, and its fee is taken there in " + fee + "."
	return p, nil
}

// read reads the order of an intent.
func read(in plan.Intent) (Order, error) {
	bad := func(field, format string, args ...any) (Order, error) {
		return Order{}, fault.New(fault.InputInvalid, format, args...).With("field", "intent.order."+field)
	}
	w := in.Order
	if w == nil {
		return Order{}, fault.New(fault.InputInvalid, "The order is missing: pool, side, price and quantity.").With("field", "intent.order")
	}
	pool, err := registry.FindPool(w.Pool)
	if err != nil {
		return Order{}, plan.AtField("intent.order.pool", err)
	}
	o := Order{Pool: pool, IsBid: w.Side == "buy", Expire: neverExpires, PostOnly: w.PostOnly, InDeep: in.FeeMode == managed.FeeDeep}
	if in.FeeMode != "" && in.FeeMode != feeInput && !o.InDeep {
		return Order{}, fault.New(fault.InputInvalid, "The fee mode is %s, which takes the fee in the coin that the order pays with, or %s, which takes it in DEEP.",
			feeInput, managed.FeeDeep).With("field", "intent.feeMode")
	}
	if w.Side != "buy" && w.Side != "sell" {
		return bad("side", "The side is buy or sell, seen from the coin %s.", pool.Base.Symbol)
	}
	price, err := sui.Decimal(w.Price).Raw(pool.PriceDecimals())
	if err != nil || price == 0 || uint64(price) >= 1<<63 {
		return bad("price", "The price is a plain decimal number above zero with at most %d decimals: %s per %s.",
			pool.PriceDecimals(), pool.Quote.Symbol, pool.Base.Symbol)
	}
	quantity, err := plan.ReadAmount("intent.order.quantity", w.Quantity, managed.Asset(pool.Base))
	if err != nil {
		return Order{}, err
	}
	o.Price, o.Quantity = uint64(price), uint64(quantity.Raw)
	if w.ExpiresAt != "" {
		at, err := time.Parse(time.RFC3339, w.ExpiresAt)
		if err != nil || at.UnixMilli() <= 0 || at.Nanosecond()%int(time.Millisecond) != 0 {
			return bad("expiresAt", "The end is a time such as 2026-11-30T18:00:00Z; leave it out for an order that rests until it is cancelled.")
		}
		o.Expire = uint64(at.UnixMilli())
	}
	return o, nil
}

// lifetime says until when an order rests.
func lifetime(expire uint64) string {
	if expire == neverExpires {
		return "until it is cancelled"
	}
	return "until " + moment(expire)
}

func moment(ms uint64) string {
	return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02 15:04:05.999") + " UTC"
}

// work is what the stages of one computation share.
type work struct {
	adapter *Adapter
	plan    plan.Plan
	order   Order
	holder  deepbook.Holder
	market  deepbook.Parameters
	shared  uint64
	locks   plan.Amount // at most
	fee     plan.Amount // in DEEP, at most, at present prices; zero where the fee is part of locks
	deep    sui.Raw     // DEEP that the manager has free, where the fee is in DEEP
	middle  sui.Raw     // price; 0 where a side of the market is empty
	book    deepbook.Book
	unheld  *plan.Stop // of a first look: the account has no manager
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	w := &work{adapter: a, plan: p}
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: w.manager}, {ID: StageMarket, Run: w.check}, {ID: managed.StagePolicy, Run: w.policy},
	}
}

func (w *work) manager(ctx context.Context, d *plan.Step) (err error) {
	if w.order, err = read(d.Intent); err != nil {
		return err
	}
	w.holder, err = managed.Resolve(ctx, w.adapter.source, d, w.plan.Subject)
	// Only a first look goes on without a manager: the market's own rules can be judged.
	//mutant:always `d.Looking()` ./internal/protocol/deepbook/managed TestOrderWithoutAManager
	if d.Looking() && errors.As(err, &w.unheld) && len(w.unheld.Next) > 0 {
		return nil
	}
	return err
}

// check judges the order by the market's steps and the manager's funds.
func (w *work) check(ctx context.Context, d *plan.Step) (err error) {
	o := w.order
	if w.book, err = w.adapter.market.Depth(ctx, o.Pool.Key, deepbook.MostLevels); err != nil {
		return err
	}
	w.market, w.middle = w.book.Parameters, w.book.Mid
	for _, rule := range w.market.Rules() {
		d.Read(plan.Reading{Name: rule.Name, Value: rule.Value})
	}
	if w.shared, err = w.adapter.market.SharedVersion(ctx, o.Pool.Key); err != nil {
		return err
	}
	if err := w.steps(d); err != nil {
		return err
	}
	o = w.order
	if o.InDeep {
		if err := w.inDeep(ctx, d); err != nil {
			return err
		}
	}
	coin, rate := o.pays(), uint64(max(w.market.MakerFee, w.market.TakerFee))
	if o.InDeep {
		rate = 0
	}
	most, ok := o.most(rate)
	if !ok {
		return refuse(plan.AmountMismatch, "Price times quantity is larger than DeepBook can count.", "Prepare a new review of a smaller order.")
	}
	w.locks = managed.Asset(coin).Of(sui.Raw(most))
	if w.unheld != nil {
		return w.withoutManager(d)
	}
	free, err := w.adapter.source.Free(ctx, w.holder, coin.Type)
	if err != nil {
		return err
	}
	d.Read(managed.Free(w.locks.Of(free)))
	if free < w.locks.Raw {
		return refuse(plan.InsufficientBalance, "The order takes up to "+w.locks.String()+w.included()+"; as the node reports, the balance manager has "+
			w.locks.Of(free).String()+" that no other order ties up.", "Put more into it first, or prepare a smaller order.",
			managed.Deposit(w.locks.Of(w.locks.Raw-free), d.Intent.Manager), w.order.intent(d))
	}
	d.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_order_funds", "Funds",
		"As the node reports, the balance manager has "+w.locks.Of(free).String()+" free; the order takes up to "+w.locks.String()+w.included()+"."))
	w.outlook(ctx, d, free)
	if d.Looking() && o.PostOnly && w.crosses() {
		return refuse(plan.QuoteStale, "The order would trade at once, and it must not.", "Prepare a new review with another price, or without postOnly.")
	}
	return nil
}

// crosses reports whether the book has an order to trade with at once.
func (w *work) crosses() bool {
	if w.order.IsBid {
		ask := best(w.book.Asks)
		return ask > 0 && w.order.Price >= uint64(ask)
	}
	return w.order.Price <= uint64(best(w.book.Bids))
}

// steps judges price, quantity and end. A first look goes on with the nearest order that
// the market takes.
func (w *work) steps(d *plan.Step) error {
	o, m := w.order, w.market
	base := managed.Asset(o.Pool.Base)
	const do = "Prepare a new review with that."
	var wrong []string
	tick, lot, fits := max(uint64(m.Tick), 1), max(uint64(m.Lot), 1), o
	if off := o.Price % tick; off != 0 {
		down := o.Price - off
		wrong = append(wrong, fmt.Sprintf("Prices in %s go in steps of %s. The nearest are %s and %s.", o.Pool.Key,
			managed.Price(m.Tick, o.Pool), managed.Price(sui.Raw(down), o.Pool), managed.Price(sui.Raw(down)+m.Tick, o.Pool)))
		if fits.Price = down; off > tick/2 || down == 0 {
			fits.Price += tick
		}
	}
	switch {
	case o.Quantity < uint64(m.Min):
		wrong = append(wrong, "The least order in "+o.Pool.Key+" is "+base.Of(m.Min).String()+".")
		fits.Quantity = uint64(m.Min)
	case o.Quantity%lot != 0:
		fits.Quantity = o.Quantity - o.Quantity%lot
		wrong = append(wrong, "Quantities in "+o.Pool.Key+" go in steps of "+base.Of(m.Lot).String()+". The next smaller is "+
			base.Of(sui.Raw(fits.Quantity)).String()+".")
	}
	for _, message := range wrong {
		if err := d.Refuse(refuse(plan.AmountMismatch, message, do, fits.intent(d))); err != nil {
			return err
		}
	}
	if d.Looking() {
		w.order = fits
	}
	if o.Expire <= uint64(d.Now().UnixMilli()) {
		return d.Refuse(refuse(plan.AmountMismatch, "The order would have ended already: "+moment(o.Expire)+".",
			"Prepare a new review with a later time."))
	}
	return nil
}

// intent returns the intent of a step with the price and the quantity of the order.
func (o Order) intent(d *plan.Step) plan.Intent {
	in := d.Intent.Asking()
	in.Order.Price, in.Order.Quantity = string(sui.Raw(o.Price).Decimal(o.Pool.PriceDecimals())), string(o.amount().Display)
	return in
}

// withoutManager refuses, in a first look, an order of an account that has no manager:
// one has to be made, and filled with what the order takes, fees included.
func (w *work) withoutManager(d *plan.Step) error {
	s := *w.unheld
	s.Next = append(s.Next[:1:1], managed.Deposit(w.locks, ""))
	if w.fee.Raw > 0 {
		s.Next = append(s.Next, managed.Deposit(w.fee, ""))
	}
	s.Next = append(s.Next, w.order.intent(d))
	return &s
}

func refuse(reason plan.Reason, message, do string, next ...plan.Intent) error {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceAdapter, managed.Prefix+"_order_refused", "Order", message, do), Next: next}
}

func (w *work) policy(_ context.Context, d *plan.Step) error {
	o := w.order
	d.Target = managed.Target(w.market.Package, function, o.Pool, w.shared, w.holder)
	d.Terms = o.terms(w.holder.ID)
	d.Limit = &plan.PriceLimit{Buys: o.IsBid, Price: sui.Raw(o.Price), Middle: w.middle, Text: managed.Price(w.middle, o.Pool)}
	d.Append = func(b *plan.Builder) error { Append(b, w.market.Package, w.shared, w.holder, o); return nil }
	d.Promise, _ = o.promise(w.holder.ID) // what is larger than can be counted was refused
	d.Explain = managed.Refused
	price := managed.Price(sui.Raw(o.Price), o.Pool)
	d.Guarantee = "Nothing but gas leaves your account. The order trades at " + price + " or better, or not at all; at most " +
		w.locks.String() + " of your balance manager is used" + w.included() + "."
	if o.InDeep {
		d.Guarantee += " Its fee is taken out of the DEEP there: up to " + w.fee.String() + " at the price that the node reports."
	}
	rest := "It may trade at once, wholly or in part; what does not rests in the book."
	if o.PostOnly {
		rest = "It never trades at once: if it would, the transaction fails."
	}
	end := "It rests until it is filled or you cancel it."
	if o.Expire != neverExpires {
		end = "After " + moment(o.Expire) + " nobody can trade against it. It still ties up its coins until somebody’s trade sweeps it away or you cancel it."
	}
	d.Locks = []string{
		"Up to " + w.locks.String() + w.besides() + " of your balance manager is tied up while the order rests. " + rest, end,
		"To undo it, ask your AI client to cancel this order. What it still ties up is then " +
			"free in your balance manager, from where you can take it out.",
	}
	return nil
}
