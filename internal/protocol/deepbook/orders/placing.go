package orders

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// stageMarket is the stage that checks the order against the market's steps and the manager's funds.
const stageMarket plan.StageID = "market_and_funds_checked"

// Market reads a market's book and parameters. deepbook.Reader implements it.
type Market interface {
	DepthAfter(ctx context.Context, after *sui.Transaction, poolKey string, levels int) (deepbook.Book, error)
	SharedVersion(ctx context.Context, poolKey string) (uint64, error)
	DeepPrice(ctx context.Context, poolKey string) (deepbook.DeepPrice, error)
}

// only rejects an intent that has other fields, or a coin of the account: orders are paid from the
// manager.
func only(in plan.Intent, fields ...string) error {
	if in.From != (plan.IntentSource{}) {
		return fault.New(fault.InputInvalid,
			"An order is paid from the balance manager, so it has no from and takes no result. "+
				"Deposit the coin first, with a step of type %s, which can take a result or a share of one; then place the order.",
			managed.ActionDeposit).
			With("field", "intent.from")
	}
	return in.Only(fields...)
}

// Placing is the state of one computation that places an order. Set Order and Holder before calling
// Open.
type Placing struct {
	Order  Order
	Holder deepbook.Holder

	Book   deepbook.Book
	Market deepbook.Parameters // parameters of the pool
	Shared uint64              // the version at which the pool was shared
	Locks  plan.Amount         // the maximum that the order ties up
	Fee    plan.Amount         // maximum in DEEP at current prices; zero if the fee is part of Locks

	// Freed is the amount that a cancellation earlier in the same transaction returns.
	Freed Freed

	unheld *plan.Stop       // in a preflight, the stop for an account without a manager
	deep   sui.Raw          // the manager's free DEEP, if the fee is in DEEP
	after  *sui.Transaction // the earlier steps; nil if they affect no market or manager
	market Market
	source managed.Source
}

// newPlacing returns a Placing that reads from market and source.
func newPlacing(market Market, source managed.Source) *Placing {
	return &Placing{market: market, source: source}
}

// Resolve sets Holder to the named manager, or to the account's only one.
func (p *Placing) Resolve(ctx context.Context, d *plan.Step, named sui.ObjectID) (err error) {
	p.Holder, err = managed.ResolveOrNew(ctx, p.source, d, named)
	// A preflight continues without a manager, because it can still check the market's rules.
	//mutant:always `d.Looking()` ./internal/protocol/deepbook/managed TestOrderWithoutAManager
	if d.Looking() && errors.As(err, &p.unheld) && len(p.unheld.Next) > 0 {
		return nil
	}
	return err
}

// Open reads the market's book after the earlier steps.
func (p *Placing) Open(ctx context.Context, d *plan.Step) (err error) {
	if p.after, err = managed.After(ctx, d); err != nil {
		return err
	}
	if p.Book, err = p.market.DepthAfter(ctx, p.after, p.Order.Pool.Key, deepbook.MostLevels); err != nil {
		return err
	}
	p.Market = p.Book.Parameters
	for _, rule := range p.Market.Rules() {
		d.Read(plan.Reading{Name: rule.Name, Value: rule.Value})
	}
	p.Shared, err = p.market.SharedVersion(ctx, p.Order.Pool.Key)
	return err
}

// Judge checks the order against the market's steps and the manager's funds. Call Open first.
func (p *Placing) Judge(ctx context.Context, d *plan.Step) error {
	if err := p.steps(d); err != nil {
		return err
	}
	o := p.Order
	if o.InDeep {
		if err := p.inDeep(ctx, d); err != nil {
			return err
		}
	}
	most, ok := o.Most(p.rate())
	if !ok {
		return refuse(plan.AmountMismatch, "Price times quantity is too large for DeepBook.",
			"Prepare a new review of a smaller order.")
	}
	p.Locks = managed.Asset(o.Pays()).Of(sui.Raw(most))
	if p.unheld != nil {
		return p.withoutManager(d)
	}
	free, err := p.source.FreeAfter(ctx, p.after, p.Holder, o.Pays().Type)
	if err != nil {
		return err
	}
	d.Read(managed.Free(p.Locks.Of(free)))
	freed := p.Freed.Of(o.Pays().Type)
	has := p.Locks.Of(sui.Raw(plan.AddSaturating(uint64(free), freed)))
	besides := ""
	if freed > 0 {
		besides = ", with what the cancelled order gives back"
	}
	if has.Raw < p.Locks.Raw {
		return refuse(plan.InsufficientBalance, "The order takes up to "+p.Locks.String()+p.included()+
			"; as the node reports, the balance manager has "+
			has.String()+" that no other order ties up"+besides+".", "Deposit more first, or prepare a smaller order.",
			managed.Deposit(p.Locks.Of(p.Locks.Raw-has.Raw), d.Intent.Manager), o.intent(d))
	}
	d.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_order_funds", "Funds",
		"The node reports that the balance manager has "+has.String()+" free"+besides+"; the order takes up to "+
			p.Locks.String()+p.included()+"."))
	p.outlook(ctx, d, free)
	if d.Looking() && o.Kind == PostOnly && p.crosses() {
		return refuse(plan.QuoteStale, "The order would trade immediately, which it must not.",
			"Prepare a new review with another price, or without postOnly.")
	}
	return nil
}

// crosses reports whether part of the order would trade immediately.
func (p *Placing) crosses() bool {
	if p.Order.IsBid {
		return len(p.Book.Asks) > 0 && p.Order.Price >= uint64(p.Book.Asks[0].Price)
	}
	return len(p.Book.Bids) > 0 && p.Order.Price <= uint64(p.Book.Bids[0].Price)
}

// withoutManager returns the stop of a preflight for an account without a manager. It suggests
// creating a manager and depositing the maximum that the order takes, including fees, before the
// order.
func (p *Placing) withoutManager(d *plan.Step) error {
	s := *p.unheld
	s.Next = append(s.Next[:1:1], managed.Deposit(p.Locks, ""))
	if p.Fee.Raw > 0 {
		s.Next = append(s.Next, managed.Deposit(p.Fee, ""))
	}
	s.Next = append(s.Next, p.Order.intent(d))
	return &s
}

// rate returns the rate of the fee that Locks includes. An order that replaces another one and trades
// nothing immediately pays at most the maker's fee, which the old order also set aside.
func (p *Placing) rate() uint64 {
	if p.Order.InDeep {
		return 0
	}
	if now, ok := p.now(); p.Freed.known() && ok && now.base == 0 {
		return uint64(p.Market.MakerFee)
	}
	return uint64(max(p.Market.MakerFee, p.Market.TakerFee))
}

// steps checks the order's price, quantity and expiry, and reports everything that is wrong. A
// preflight continues with the nearest order that the market accepts.
func (p *Placing) steps(d *plan.Step) error {
	o, m := p.Order, p.Market
	base := managed.Asset(o.Pool.Base)
	tick, lot, fits := max(uint64(m.Tick), 1), max(uint64(m.Lot), 1), o
	var wrong []string
	if off := o.Price % tick; off != 0 {
		down := o.Price - off
		wrong = append(wrong, "Prices in "+o.Pool.Key+" go in steps of "+managed.Price(m.Tick, o.Pool)+". The nearest are "+
			managed.Price(sui.Raw(down), o.Pool)+" and "+managed.Price(sui.Raw(down)+m.Tick, o.Pool)+".")
		if fits.Price = down; off > tick/2 || down == 0 {
			fits.Price += tick
		}
	}
	switch {
	case o.Quantity < uint64(m.Min):
		wrong = append(wrong, "The minimum order in "+o.Pool.Key+" is "+base.Of(m.Min).String()+".")
		fits.Quantity = uint64(m.Min)
	case o.Quantity%lot != 0:
		fits.Quantity = o.Quantity - o.Quantity%lot
		wrong = append(wrong, "Quantities in "+o.Pool.Key+" go in steps of "+base.Of(m.Lot).String()+". The next smaller is "+
			base.Of(sui.Raw(fits.Quantity)).String()+".")
	}
	next := []plan.Intent{fits.intent(d)}
	if o.Expire <= uint64(d.Now().UnixMilli()) {
		wrong, next = append(wrong, "The order would have ended already: "+moment(o.Expire)+"."), nil
	}
	if len(wrong) == 0 {
		return nil
	}
	if d.Looking() {
		p.Order = fits
	}
	return d.Refuse(refuse(plan.AmountMismatch, strings.Join(wrong, " "), "Prepare a new review with that changed.",
		next...))
}

// intent returns the intent of a step with the order's price and quantity, if the intent has those
// fields.
func (o Order) intent(d *plan.Step) plan.Intent {
	in := d.Intent.Asking()
	if in.Order == nil {
		return in
	}
	if in.Order.Price != "" {
		in.Order.Price = string(sui.Raw(o.Price).Decimal(o.Pool.PriceDecimals()))
	}
	if in.Order.Quantity != "" {
		in.Order.Quantity = string(o.Amount().Display)
	}
	return in
}

func refuse(reason plan.Reason, message, do string, next ...plan.Intent) error {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceAdapter, managed.Prefix+"_order_refused", "Order",
		message, do), Next: next}
}

// Policy records the order's target, terms, promise and texts in the step.
func (p *Placing) Policy(d *plan.Step) {
	o := p.Order
	d.Target = managed.Target(p.Market.Package, placeFunction, o.Pool, p.Shared, p.Holder)
	d.Terms = o.Terms(p.Holder.ID)
	middle := p.Book.Mid
	d.Limit = &plan.PriceLimit{Buys: o.IsBid, Price: sui.Raw(o.Price), Middle: middle, Text: managed.Price(middle, o.Pool)}
	d.Append = func(b *plan.Builder) error { return Append(b, p.Market.Package, p.Shared, p.Holder, o) }
	d.Promise, _ = o.Promise(p.Holder.ID) // Judge already rejected larger numbers
	d.Explain = managed.Refused
	d.Guarantee = "Nothing but gas leaves your account. The order trades at " + o.price() +
		" or better, or not at all; at most " +
		p.Locks.String() + " of your balance manager is used" + p.included() + "."
	if o.InDeep {
		d.Guarantee += " Its fee is taken from the DEEP there: up to " + p.Fee.String() +
			" at the price that the node reports."
	}
	if o.Kind == Immediate {
		d.Locks = []string{
			"It trades immediately, fully or in part, and nothing of it rests: what finds no match at this price stays free " +
				"in your balance manager.",
			"A trade cannot be undone. What you receive stays in your balance manager, from where you can withdraw it.",
		}
		return
	}
	rest := "It may trade immediately, fully or in part; the rest stays in the book."
	if o.Kind == PostOnly {
		rest = "It never trades immediately: if it would, the transaction fails."
	}
	end := "It rests until it is filled or you cancel it."
	if o.Expire != Never {
		end = "After " + moment(o.Expire) +
			" nobody can trade against it. It still ties up its coins until somebody’s trade removes it or you cancel it."
	}
	d.Locks = []string{
		"Up to " + p.Locks.String() + p.besides() + " of your balance manager is tied up while the order rests. " + rest, end,
		"To undo it, ask your AI client to cancel this order. What it still ties up is then " +
			"free in your balance manager, from where you can withdraw it.",
	}
}

// readFeeMode reads the fee mode of an intent. It returns true if DEEP pays the fee.
func readFeeMode(mode string) (inDeep bool, err error) {
	if mode != "" && mode != feeInput && mode != managed.FeeDeep {
		return false, fault.New(fault.InputInvalid,
			"The fee mode is %s, which takes the fee in the coin that the order pays, or %s, which takes it in DEEP.",
			feeInput, managed.FeeDeep).With("field", "intent.feeMode")
	}
	return mode == managed.FeeDeep, nil
}

// ReadPrice reads the price of an intent's order.
func (o *Order) ReadPrice(text string) error {
	price, err := sui.Decimal(text).Raw(o.Pool.PriceDecimals())
	if err != nil || price == 0 || uint64(price) >= 1<<63 {
		return fault.New(fault.InputInvalid,
			"The price must be a plain decimal number above zero with at most %d decimals: %s per %s.",
			o.Pool.PriceDecimals(), o.Pool.Quote.Symbol, o.Pool.Base.Symbol).With("field", "intent.order.price")
	}
	o.Price = uint64(price)
	return nil
}

// ReadQuantity reads the quantity of an intent's order.
func (o *Order) ReadQuantity(text string) error {
	quantity, err := plan.ReadAmount("intent.order.quantity", text, managed.Asset(o.Pool.Base))
	o.Quantity = uint64(quantity.Raw)
	return err
}

// ReadSide reads the side of an intent's order.
func (o *Order) ReadSide(text string) error {
	if text != "buy" && text != "sell" {
		return fault.New(fault.InputInvalid, "The side must be buy or sell, for the coin %s.",
			o.Pool.Base.Symbol).With("field", "intent.order.side")
	}
	o.IsBid = text == "buy"
	return nil
}

// ReadEnd reads the end of an intent's order. An empty text means no end.
func (o *Order) ReadEnd(text string) error {
	if o.Expire = Never; text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.UnixMilli() <= 0 || at.Nanosecond()%int(time.Millisecond) != 0 {
		return fault.New(fault.InputInvalid,
			"The end must be a time such as 2026-11-30T18:00:00Z; leave it out for an order that rests until it is cancelled.").
			With("field", "intent.order.expiresAt")
	}
	o.Expire = uint64(at.UnixMilli())
	return nil
}
