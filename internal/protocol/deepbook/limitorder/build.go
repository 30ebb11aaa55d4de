package limitorder

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

const function = "place_limit_order"

// The kinds of orders that are placed, as the chain numbers them, and what
// happens when an order would meet one of its own manager: it may.
const (
	kindPlain    = 0
	kindPostOnly = 3
	selfMatching = 0
)

// Order is a limit order in raw units: Price is quote per base times 10^9,
// Quantity base, Expire Unix milliseconds. InDeep pays its fees in DEEP.
type Order struct {
	Pool             registry.Pool
	IsBid, PostOnly  bool
	InDeep           bool
	Price, Quantity  uint64
	Expire, ClientID uint64
}

func (o Order) kind() byte {
	if o.PostOnly {
		return kindPostOnly
	}
	return kindPlain
}

func (o Order) amount() plan.Amount { return managed.Asset(o.Pool.Base).Of(sui.Raw(o.Quantity)) }

// pays is the coin that the order gives away.
func (o Order) pays() coins.Coin {
	if o.IsBid {
		return o.Pool.Quote
	}
	return o.Pool.Base
}

// most is what the order takes at most, its fee at a rate of so many billionths
// included: the book counts such a fee one and a quarter times. False means that
// the number does not fit.
func (o Order) most(rate uint64) (uint64, bool) {
	const scale = 1_000_000_000
	n := new(big.Int).SetUint64(o.Quantity)
	if o.IsBid {
		n.Mul(n, new(big.Int).SetUint64(o.Price)).Div(n, big.NewInt(scale))
	}
	fee := new(big.Int).Mul(n, new(big.Int).SetUint64(rate))
	fee.Mul(fee, big.NewInt(5)).Div(fee, big.NewInt(4*scale))
	if rate > 0 {
		fee.Add(fee, big.NewInt(1)) // every fill rounds for itself
	}
	n.Add(n, fee)
	return n.Uint64(), n.IsUint64()
}

// terms says the order as the bytes have it.
func (o Order) terms(manager sui.ObjectID) []plan.Term {
	ends := "When you cancel it"
	if o.Expire != neverExpires {
		ends = moment(o.Expire)
	}
	once := "Yes, at this price or better"
	if o.PostOnly {
		once = "No: it fails if it would"
	}
	fee := "In " + o.Pool.Base.Symbol
	switch {
	case o.InDeep:
		fee = "In DEEP"
	case o.IsBid:
		fee = "In " + o.Pool.Quote.Symbol
	}
	return []plan.Term{
		{Name: managed.TermOrder, Value: managed.Side(o.IsBid, o.Pool)}, {Name: managed.TermQuantity, Value: o.amount().String()},
		{Name: managed.TermPrice, Value: managed.Price(sui.Raw(o.Price), o.Pool)}, {Name: plan.TermAtOnce, Value: once},
		{Name: "Ends", Value: ends}, {Name: "Fee", Value: fee}, {Name: managed.TermPool, Value: o.Pool.Key}, managed.Term(manager),
	}
}

// Append adds the calls that prove to own the manager and place the order.
func Append(b *plan.Builder, pkg sui.ObjectID, shared uint64, h deepbook.Holder, o Order) {
	manager, place := b.Input(managed.Input(h)), b.Input(sui.SharedInput{ID: o.Pool.ID, InitialVersion: shared, Mutable: true})
	args := []sui.Argument{place, manager, {}}
	for _, in := range []sui.Input{
		sui.PureU64(o.ClientID), sui.PureInput{Bytes: []byte{o.kind()}}, sui.PureInput{Bytes: []byte{selfMatching}},
		sui.PureU64(o.Price), sui.PureU64(o.Quantity), sui.PureBool(o.IsBid), sui.PureBool(o.InDeep), sui.PureU64(o.Expire), sui.ClockInput(),
	} {
		args = append(args, b.Input(in))
	}
	args[2] = managed.Prove(b, pkg, manager)
	b.Add(sui.MoveCall{Package: pkg, Module: "pool", Function: function,
		TypeArgs: []sui.TypeTag{o.Pool.Base.Type.Tag(), o.Pool.Quote.Type.Tag()}, Arguments: args})
}

// promise is what an order promises of coins: of the account nothing changes, and the
// manager gives away at most what the order offers, besides fees, which the bytes do
// not say.
func (o Order) promise(manager sui.ObjectID) (plan.Promise, bool) {
	offers, ok := o.most(0)
	b := plan.Leaves(plan.RoleOffer, managed.Asset(o.pays()).Of(sui.Raw(offers)))
	b.Party = managed.Party(manager)
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "done", Bounds: []plan.Bound{b}}}}, ok
}

// Read implements plan.Adapter: it accepts what Append builds, with an order of
// kind plain or post-only.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	t, err := managed.ReadTrade(r, function, 9)
	if err != nil {
		return plan.StepFacts{}, err
	}
	o := Order{Pool: t.Pool}
	if err := o.read(r, t.Rest); err != nil {
		return plan.StepFacts{}, err
	}
	f := t.Facts("It is paid out of your own balance manager")
	var ok bool
	if f.Promise, ok = o.promise(t.Manager.ID); !ok {
		return plan.StepFacts{}, readback.Unlike("Its price times its quantity is larger than can be counted.")
	}
	price := managed.Price(sui.Raw(o.Price), o.Pool)
	f.Terms = o.terms(t.Manager.ID)
	f.Headline = &plan.Headline{Label: managed.Side(o.IsBid, o.Pool), What: o.amount().String(), Price: "at " + price + " or better", Amount: true,
		Terms: []string{managed.TermOrder, managed.TermQuantity, managed.TermPrice}}
	f.Commands = []string{
		"Prove that you own the balance manager.",
		"Place the order: " + managed.Side(o.IsBid, o.Pool) + ", " + o.amount().String() + " at " + price + " or better.",
	}
	return f, nil
}

// read takes the order's own arguments: client's number, kind, self matching,
// price, quantity, side, how fees are paid, end.
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
	kind, self := small(1), small(2)
	number(3, &o.Price)
	number(4, &o.Quantity)
	flag(5, &o.IsBid)
	flag(6, &o.InDeep)
	number(7, &o.Expire)
	if err != nil {
		return err
	}
	if kind != kindPlain && kind != kindPostOnly || self != selfMatching {
		return readback.Unlike("It is an order of a kind that is not reviewed.")
	}
	if o.ClientID != 0 {
		return readback.Unlike("It gives the order a number of its own, which is not reviewed.")
	}
	if _, ok := plan.Stamp(o.Expire); !ok && o.Expire != neverExpires {
		return readback.Unlike("Its end is beyond every calendar.")
	}
	o.PostOnly = kind == kindPostOnly
	return nil
}
