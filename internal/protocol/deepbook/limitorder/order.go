// Package limitorder prepares placing a limit order in a DeepBook market for
// review, paid from a balance manager of the account.
//
// Its fees are taken in the coin that the order pays with, or in DEEP where that
// is asked for, never otherwise; it never places an order for anybody but the
// manager's owner.
package limitorder

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/orders"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// Adapter prepares limit orders. It implements plan.Adapter.
type Adapter struct {
	market orders.Market
	source managed.Source
}

// New returns an Adapter that reads markets and managers.
func New(market orders.Market, source managed.Source) *Adapter { return &Adapter{market, source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"limitorder", "placelimitorder", "placeorder"}, Takes: []string{"order.pool", "order.side", "order.price", "order.quantity"},
		Action: "limit-order", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-limit-order",
		StageCatalog: "deepbook_limit_order_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{managed.StageIntent, managed.StageManager, orders.StageMarket, managed.StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + orders.Function},
	}
}

// Plan implements plan.Adapter. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := orders.Only(in, "order", "manager", "managerOf", "feeMode"); err != nil {
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
	quantity, price := o.Amount().String(), managed.Price(sui.Raw(o.Price), o.Pool)
	asked, _ := o.Promise(named)
	p := plan.Plan{Route: o.Pool.Key, Subject: named, FeeMode: orders.FeeInput, Promise: asked,
		Same: fmt.Sprintf("%s %t %d %d", o.Pool.Key, o.IsBid, o.Price, o.Quantity), Coins: []plan.Asset{managed.Asset(o.Pool.Base), managed.Asset(o.Pool.Quote)}}
	if o.InDeep {
		p.FeeMode, p.Coins = managed.FeeDeep, append(p.Coins, orders.Deep)
	}
	verb := o.Verb()
	p.Asked = "place an order to " + verb + " " + quantity + " at " + price
	p.Title = strings.ToUpper(verb[:1]) + verb[1:] + " " + quantity + " at " + price
	p.Summary = "Place a limit order in the DeepBook market " + o.Pool.Key + ": " + verb + " " + quantity + " at " +
		price + " or better, " + orders.Lifetime(o.Expire) + ". It is paid from your balance manager, and its fee is taken there in " + o.FeeCoin().Symbol + "."
	return p, nil
}

// read reads the order of an intent.
func read(in plan.Intent) (orders.Order, error) {
	w := in.Order
	if w == nil {
		return orders.Order{}, fault.New(fault.InputInvalid, "The order is missing: pool, side, price and quantity.").With("field", "intent.order")
	}
	pool, err := registry.FindPool(w.Pool)
	if err != nil {
		return orders.Order{}, plan.AtField("intent.order.pool", err)
	}
	o := orders.Order{Pool: pool}
	if w.PostOnly {
		o.Kind = orders.PostOnly
	}
	if o.InDeep, err = orders.ReadFeeMode(in.FeeMode); err != nil {
		return o, err
	}
	if err := o.ReadSide(w.Side); err != nil {
		return o, err
	}
	if err := o.ReadPrice(w.Price); err != nil {
		return o, err
	}
	if err := o.ReadQuantity(w.Quantity); err != nil {
		return o, err
	}
	return o, o.ReadEnd(w.ExpiresAt)
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
			return w.Judge(ctx, d)
		}},
		{ID: managed.StagePolicy, Run: func(_ context.Context, d *plan.Step) error { w.Policy(d); return nil }},
	}
}

// Read implements plan.Adapter: it accepts what orders.Append builds, with an order of
// kind plain or post-only.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	_, f, err := orders.Read(r, orders.Plain, orders.PostOnly)
	return f, err
}

// FromEvents implements plan.Adapter: the orders that DeepBook says it took.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return orders.FromEvents(account, events, orders.Plain, orders.PostOnly)
}

// ReportExecution implements plan.ExecutionReporter: it says what traded at once,
// what rests, and under which number.
func (*Adapter) ReportExecution(e sui.Executed, s plan.StepFacts) []plan.Term {
	return orders.Report(e, s)
}

// ReportResult implements plan.ResultReporter: whether the order filled or waits, and
// where the coins are.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	return orders.Result(e, s)
}

var _ plan.ResultReporter = (*Adapter)(nil)
