// Package marketorder prepares buying or selling at once in a DeepBook market for review,
// paid from a balance manager of the account.
//
// The chain's own market orders take any price. Such an order is never built: it is an
// order that trades at once or not at all, with the worst price in its bytes. That price
// is the last one that the quantity needs in the book as it was read, worsened by the
// slippage that the person allows.
package marketorder

import (
	"context"
	"fmt"
	"math/big"
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

// Adapter prepares such orders. It implements plan.Adapter.
type Adapter struct {
	market orders.Market
	source managed.Source
}

// New returns an Adapter that reads markets and managers.
func New(market orders.Market, source managed.Source) *Adapter { return &Adapter{market, source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"marketorder", "placemarketorder", "sellatmarket", "buyatmarket", "marketsell", "marketbuy"},
		Takes:   []string{"order.pool", "order.side", "order.quantity", "maxSlippageBps"},
		Action:  "market-order", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-market-order",
		StageCatalog: "deepbook_market_order_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{managed.StageIntent, managed.StageManager, orders.StageMarket, managed.StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + orders.Function},
	}
}

// Plan implements plan.Adapter. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := orders.Only(in, "order", "manager", "managerOf", "feeMode", "maxSlippageBps"); err != nil {
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
	quantity, verb := o.Amount().String(), o.Verb()
	p := plan.Plan{Route: o.Pool.Key, Subject: named, FeeMode: orders.FeeInput, MaxSlippageBps: in.MaxSlippageBps,
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}}, // what it offers depends on the price
		Same:    fmt.Sprintf("%s %t %d", o.Pool.Key, o.IsBid, o.Quantity), Coins: []plan.Asset{managed.Asset(o.Pool.Base), managed.Asset(o.Pool.Quote)}}
	if o.InDeep {
		p.FeeMode, p.Coins = managed.FeeDeep, append(p.Coins, orders.Deep)
	}
	p.Asked = verb + " " + quantity + " at the market price in " + o.Pool.Key
	p.Title = strings.ToUpper(verb[:1]) + verb[1:] + " " + quantity + " now"
	p.Summary = p.Title + " in the DeepBook market " + o.Pool.Key + ", at prices at most " + plan.Percent(in.MaxSlippageBps) +
		" worse than this quantity needs in its book when the review is computed. It is paid from your balance manager, and its fee is taken there in " + o.FeeCoin().Symbol + "."
	return p, nil
}

// read reads the order of an intent, but for its price.
func read(in plan.Intent) (orders.Order, error) {
	w := in.Order
	if w == nil {
		return orders.Order{}, fault.New(fault.InputInvalid, "The order is missing: pool, side and quantity.").With("field", "intent.order")
	}
	o := orders.Order{Kind: orders.Immediate, Expire: orders.Never}
	var err error
	if o.Pool, err = registry.FindPool(w.Pool); err != nil {
		return o, plan.AtField("intent.order.pool", err)
	}
	for _, extra := range []struct {
		field string
		set   bool
	}{{"price", w.Price != ""}, {"expiresAt", w.ExpiresAt != ""}, {"postOnly", w.PostOnly}} {
		if extra.set {
			return o, fault.New(fault.InputInvalid, "An order at the market price has no %s. Leave it out, or prepare a limit-order.", extra.field).
				With("field", "intent.order."+extra.field)
		}
	}
	if o.InDeep, err = orders.ReadFeeMode(in.FeeMode); err != nil {
		return o, err
	}
	if err := o.ReadSide(w.Side); err != nil {
		return o, err
	}
	if err := o.ReadQuantity(w.Quantity); err != nil {
		return o, err
	}
	return o, plan.CheckSlippage(in.MaxSlippageBps)
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	w := orders.NewPlacing(a.market, a.source)
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, d *plan.Step) (err error) {
			if w.Order, err = read(d.Intent); err != nil {
				return err
			}
			return w.Resolve(ctx, d, p.Subject)
		}},
		{ID: orders.StageMarket, Run: func(ctx context.Context, d *plan.Step) error {
			if err := w.Open(ctx, d); err != nil {
				return err
			}
			if err := price(w, p.MaxSlippageBps); err != nil {
				return err
			}
			return w.Judge(ctx, d)
		}},
		{ID: managed.StagePolicy, Run: func(_ context.Context, d *plan.Step) error { w.Policy(d); return nil }},
	}
}

// price sets the worst price of the order: the last that its quantity needs in the book,
// worsened by so many basis points, and rounded to the market's steps so that the order
// never allows more than that.
func price(w *orders.Placing, bps int) error {
	o, side, who := &w.Order, w.Book.Bids, "buyers"
	if o.IsBid {
		side, who = w.Book.Asks, "sellers"
	}
	last, found := reach(side, sui.Raw(o.Quantity))
	if found < sui.Raw(o.Quantity) {
		base := managed.Asset(o.Pool.Base)
		message := "The book of " + o.Pool.Key + " has " + who + " of " + base.Of(found).String() + " only, as the node reports."
		if len(side) == deepbook.MostLevels {
			message = fmt.Sprintf("The best %d prices of %s have %s of %s only, as the node reports.", deepbook.MostLevels, o.Pool.Key, who, base.Of(found))
		}
		return stop(message, "Prepare a new review of a smaller order.")
	}
	tick := uint64(w.Market.Tick)
	limit, ok := worsened(uint64(last), tick, o.IsBid, bps)
	if !ok {
		return stop("The market has no price that such an order could name.", "Prepare a new review with less slippage, or a limit-order.")
	}
	o.Price = limit
	return nil
}

func stop(message, do string) error {
	return &plan.Stop{Reason: plan.QuoteUnavailable, Check: plan.Fail(plan.SourceAdapter, managed.Prefix+"_order_refused", "Order", message, do)}
}

// reach returns the last price that a quantity needs, and how much of it there is.
func reach(side []deepbook.Level, quantity sui.Raw) (last, found sui.Raw) {
	for _, l := range side {
		last, found = l.Price, found+min(l.Quantity, quantity-found)
		if found == quantity {
			break
		}
	}
	return last, found
}

// worsened returns a price that is worse for the person by at most so many basis points:
// lower for a sale, higher for a purchase, in steps of tick. It is false where no such
// step reaches the price itself.
func worsened(price, tick uint64, buys bool, bps int) (uint64, bool) {
	part, unit := int64(10_000-bps), new(big.Int).Mul(big.NewInt(10_000), new(big.Int).SetUint64(tick))
	n := new(big.Int).SetUint64(price)
	if buys {
		part = int64(10_000 + bps)
	}
	n.Mul(n, big.NewInt(part))
	//mutant:never ./internal/protocol/deepbook/marketorder TestWorsened
	if !buys { // rounded up: a sale never allows less
		n.Add(n, unit).Sub(n, big.NewInt(1))
	}
	n.Div(n, unit).Mul(n, new(big.Int).SetUint64(tick))
	if !n.IsUint64() || n.Uint64() == 0 || n.Uint64() >= 1<<63 {
		return 0, false
	}
	limit := n.Uint64()
	return limit, buys && limit >= price || !buys && limit <= price
}

// Read implements plan.Adapter: it accepts what orders.Append builds, with an order that
// trades at once alone.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	_, f, err := orders.Read(r, orders.Immediate)
	return f, err
}

// FromEvents implements plan.Adapter: the orders of that kind that DeepBook says it took.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return orders.FromEvents(account, events, orders.Immediate)
}

// ReportExecution implements plan.ExecutionReporter: it says what traded.
func (*Adapter) ReportExecution(e sui.Executed, s plan.StepFacts) []plan.Term {
	return orders.Report(e, s)
}

// ReportResult implements plan.ResultReporter: what was bought or sold, and where the
// coins are.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	return orders.Result(e, s)
}

var _ plan.ResultReporter = (*Adapter)(nil)
