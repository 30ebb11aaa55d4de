package orders

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// This file places limit orders. Their fees are taken in the coin that the order pays, or in DEEP on
// request.

func planLimit(in plan.Intent, manager sui.ObjectID) (plan.Plan, error) {
	o, err := readLimit(in)
	if err != nil {
		return plan.Plan{}, err
	}
	quantity, price, p := o.Amount().String(), o.price(), o.plan(manager)
	p.Promise, _ = o.Promise(manager)
	p.Same = fmt.Sprintf("%s %t %d %d", o.Pool.Key, o.IsBid, o.Price, o.Quantity)
	p.Asked = "place an order to " + o.Verb() + " " + quantity + " at " + price
	p.Title = upper(o.Verb()) + " " + quantity + " at " + price
	p.Summary = "Place a limit order in the DeepBook market " + o.Pool.Key + ": " + o.Verb() + " " + quantity + " at " +
		price + " or better, " + lifetime(o.Expire) +
		". It is paid from your balance manager, and its fee is taken there in " + o.FeeCoin().Symbol + "."
	return p, nil
}

// plan returns the common part of the plan of a new order.
func (o Order) plan(manager sui.ObjectID) plan.Plan {
	p := inMarket(o.Pool, manager)
	if p.FeeMode = feeInput; o.InDeep {
		p.FeeMode, p.Coins = managed.FeeDeep, append(p.Coins, deep)
	}
	return p
}

// readLimit reads the order from an intent.
func readLimit(in plan.Intent) (Order, error) {
	w := in.Order
	if w == nil {
		return Order{}, missing("pool, side, price and quantity.")
	}
	pool, err := registry.FindPool(w.Pool)
	if err != nil {
		return Order{}, plan.AtField("intent.order.pool", err)
	}
	o := Order{Pool: pool}
	if w.PostOnly {
		o.Kind = PostOnly
	}
	if o.InDeep, err = readFeeMode(in.FeeMode); err != nil {
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

func missing(what string) error {
	return fault.New(fault.InputInvalid, "The order is missing: %s", what).With("field", "intent.order")
}

func limit(a *Adapter, p plan.Plan) work {
	return a.placing(p, readLimit, func(*Placing) error { return nil })
}

// placing returns the stages that place an order. price is called after the book was read.
func (a *Adapter) placing(p plan.Plan, read func(plan.Intent) (Order, error), price func(*Placing) error) work {
	w := newPlacing(a.market, a.source)
	return work{
		manager: func(ctx context.Context, d *plan.Step) (err error) {
			if w.Order, err = read(d.Intent); err != nil {
				return err
			}
			return w.Resolve(ctx, d, p.Subject)
		},
		market: func(ctx context.Context, d *plan.Step) error {
			if err := w.Open(ctx, d); err != nil {
				return err
			}
			if err := price(w); err != nil {
				return err
			}
			return w.Judge(ctx, d)
		},
		policy: func(_ context.Context, d *plan.Step) error { w.Policy(d); return nil },
	}
}

// reading returns a function that reads an order of one of the kinds from a transaction.
func reading(kinds []Kind) func(*readback.Reader) (plan.StepFacts, error) {
	return func(r *readback.Reader) (plan.StepFacts, error) {
		_, f, err := readOrder(r, kinds...)
		return f, err
	}
}

// telling returns a function that reads placed orders of the kinds from events.
func telling(kinds []Kind) func(sui.Address, []sui.Event) (plan.Reported, error) {
	return func(account sui.Address, events []sui.Event) (plan.Reported, error) {
		return placedEvents(account, events, kinds...)
	}
}
