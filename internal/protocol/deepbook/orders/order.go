// Package orders prepares reviews of actions on DeepBook orders: a limit order, an order at the market
// price, a change, and the cancellation of one order or all. An order is paid from the account's own
// balance manager. The table in action.go lists the differences between the actions.
package orders

import (
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// placeFunction is the pool function that places an order.
const placeFunction = "place_limit_order"

// Kind is the kind of an order. Values are the chain's numbers.
type Kind byte

// Kinds of orders. They differ in what happens to the part that does not trade immediately.
const (
	Plain     Kind = 0
	Immediate Kind = 1 // "immediate or cancel": no part of it ever rests
	PostOnly  Kind = 3 // it fails if it would trade immediately
)

// selfMatching allows an order to match another order of its own manager.
const selfMatching = 0

// Never is the expiry, in Unix milliseconds, that DeepBook's clients set on an order that does not
// expire.
const Never = 1844674407370955161

// Order is an order in raw units. Price is quote per base times 10^9, Quantity is in base, and Expire
// is in Unix milliseconds. InDeep means that fees are paid in DEEP.
type Order struct {
	Pool             registry.Pool
	IsBid            bool
	Kind             Kind
	InDeep           bool
	Price, Quantity  uint64
	Expire, ClientID uint64
}

// Amount returns the quantity of the base coin.
func (o Order) Amount() plan.Amount { return managed.Asset(o.Pool.Base).Of(sui.Raw(o.Quantity)) }

// Verb returns "buy" or "sell".
func (o Order) Verb() string {
	if o.IsBid {
		return "buy"
	}
	return "sell"
}

// Pays returns the coin that the order pays.
func (o Order) Pays() coins.Coin {
	if o.IsBid {
		return o.Pool.Quote
	}
	return o.Pool.Base
}

// FeeCoin returns the coin that pays the order's fee.
func (o Order) FeeCoin() plan.Asset {
	if o.InDeep {
		return deep
	}
	return managed.Asset(o.Pays())
}

// Most returns the maximum that the order takes from the manager, including a fee at a rate in
// billionths. DeepBook charges five quarters of the rate for a fee in the coin that is paid. It
// returns false if the number does not fit.
func (o Order) Most(rate uint64) (uint64, bool) {
	const scale = 1_000_000_000
	n := new(big.Int).SetUint64(o.Quantity)
	if o.IsBid {
		n.Mul(n, new(big.Int).SetUint64(o.Price)).Div(n, big.NewInt(scale))
	}
	fee := new(big.Int).Mul(n, new(big.Int).SetUint64(rate))
	fee.Mul(fee, big.NewInt(5)).Div(fee, big.NewInt(4*scale))
	if rate > 0 {
		fee.Add(fee, big.NewInt(1)) // each fill is rounded separately
	}
	n.Add(n, fee)
	return n.Uint64(), n.IsUint64()
}

// Terms returns the terms that describe the order.
func (o Order) Terms(manager sui.ObjectID) []plan.Term {
	ends, once := "When you cancel it", "Yes, at this price or better"
	if o.Expire != Never {
		ends = moment(o.Expire)
	}
	switch o.Kind {
	case PostOnly:
		once = "No: it fails if it would"
	case Immediate:
		once, ends = "Yes, at this price or better, and only at once", "At once: what does not trade is dropped"
	}
	return []plan.Term{
		{Name: managed.TermOrder, Value: managed.Side(o.IsBid, o.Pool)}, {Name: managed.TermQuantity,
			Value: o.Amount().String()},
		{Name: managed.TermPrice, Value: o.price()}, {Name: plan.TermAtOnce, Value: once},
		{Name: "Ends", Value: ends}, {Name: "Fee", Value: "In " + o.FeeCoin().Symbol}, {Name: managed.TermPool,
			Value: o.Pool.Key}, managed.Term(manager),
	}
}

func (o Order) price() string { return managed.Price(sui.Raw(o.Price), o.Pool) }

// Headline returns the headline for the order.
func (o Order) Headline() *plan.Headline {
	return &plan.Headline{Label: managed.Side(o.IsBid, o.Pool), What: o.Amount().String(), Price: "at " + o.price() +
		" or better", Amount: true,
		Terms: []string{managed.TermOrder, managed.TermQuantity, managed.TermPrice}}
}

// Append adds the calls that prove ownership of the manager and place the order.
func Append(b *plan.Builder, pkg sui.ObjectID, shared uint64, h deepbook.Holder, o Order) error {
	return managed.AppendTrade(b, pkg, placeFunction, o.Pool, shared, h,
		sui.PureU64(o.ClientID), sui.PureInput{Bytes: []byte{byte(o.Kind)}}, sui.PureInput{Bytes: []byte{selfMatching}},
		sui.PureU64(o.Price), sui.PureU64(o.Quantity), sui.PureBool(o.IsBid), sui.PureBool(o.InDeep), sui.PureU64(o.Expire),
		sui.ClockInput())
}

// Promise returns the order's promise: the account's coins do not change, and the manager pays at most
// what the order offers. Fees come in addition, because the bytes do not contain them. It returns
// false if the number does not fit.
func (o Order) Promise(manager sui.ObjectID) (plan.Promise, bool) {
	offers, ok := o.Most(0)
	b := plan.Leaves(plan.RoleOffer, managed.Asset(o.Pays()).Of(sui.Raw(offers)))
	b.Party = managed.Party(manager)
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "done", Bounds: []plan.Bound{b}}}}, ok
}

// readOrder takes the calls that Append builds, with an order of one of the kinds.
func readOrder(r *readback.Reader, kinds ...Kind) (Order, plan.StepFacts, error) {
	t, err := managed.ReadTradeOrNew(r, placeFunction, 9)
	if err != nil {
		return Order{}, plan.StepFacts{}, err
	}
	o := Order{Pool: t.Pool}
	if err := o.read(r, t.Rest); err != nil {
		return o, plan.StepFacts{}, err
	}
	//mutant:never ./internal/protocol/deepbook/managed TestKindsKeepApart
	if !oneOf(o.Kind, kinds) {
		return o, plan.StepFacts{}, readback.Unlike("This kind of order is not reviewed.")
	}
	f := t.Facts("It is paid out of your own balance manager")
	var ok bool
	if f.Promise, ok = o.Promise(t.Manager); !ok {
		return o, plan.StepFacts{}, readback.Unlike("Its price times its quantity is too large.")
	}
	f.Terms, f.Headline = o.Terms(t.Manager), o.Headline()
	f.Commands = []string{
		"Prove that you own the balance manager.",
		"Place the order: " + managed.Side(o.IsBid, o.Pool) + ", " + o.Amount().String() + " at " + o.price() + " or better.",
	}
	return o, f, nil
}

func oneOf(k Kind, kinds []Kind) bool {
	for _, one := range kinds {
		if one == k {
			return true
		}
	}
	return false
}

// read takes the order's own arguments: client order id, kind, self matching, price, quantity, side,
// fee mode, expiry.
func (o *Order) read(r *readback.Reader, a []sui.Argument) (err error) {
	number := func(i int, to *uint64) {
		if err == nil {
			*to, err = r.U64(a[i])
		}
	}
	flag := func(i int, to *bool) {
		if err == nil {
			*to, err = r.Bool(a[i])
		}
	}
	small := func(i int) (n byte) {
		if err == nil {
			var b []byte
			if b, err = r.Bytes(a[i], 1); err == nil {
				n = b[0]
			}
		}
		return n
	}
	number(0, &o.ClientID)
	o.Kind = Kind(small(1))
	self := small(2)
	number(3, &o.Price)
	number(4, &o.Quantity)
	flag(5, &o.IsBid)
	flag(6, &o.InDeep)
	number(7, &o.Expire)
	if err != nil {
		return err
	}
	if self != selfMatching {
		return readback.Unlike("This kind of order is not reviewed.")
	}
	if o.ClientID != 0 {
		return readback.Unlike("It sets a client order id, which is not reviewed.")
	}
	if _, ok := plan.Stamp(o.Expire); !ok && o.Expire != Never {
		return readback.Unlike("Its end is out of range.")
	}
	if o.Kind == Immediate && o.Expire != Never {
		return readback.Unlike("It sets an expiry for an order that only trades immediately.")
	}
	return nil
}

// lifetime describes when an order expires.
func lifetime(expire uint64) string {
	if expire == Never {
		return "until it is cancelled"
	}
	return "until " + moment(expire)
}

// moment formats a chain time in Unix milliseconds.
func moment(ms uint64) string {
	return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02 15:04:05.999") + " UTC"
}
