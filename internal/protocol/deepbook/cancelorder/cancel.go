// Package cancelorder prepares taking a resting DeepBook order out of the book
// for review.
//
// It cancels one order of a manager of the account, and moves nothing out of
// that manager.
package cancelorder

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// StageOrder is the stage in which the order is found in the book.
const StageOrder plan.StageID = "open_order_resolved"

const function = "cancel_order"

// Market gives the version at which a pool was shared: deepbook.Reader.
type Market interface {
	SharedVersion(ctx context.Context, poolKey string) (uint64, error)
}

// Adapter prepares cancellations. It implements plan.Adapter.
type Adapter struct {
	market Market
	source managed.Source
}

// New returns an Adapter that reads markets and managers.
func New(market Market, source managed.Source) *Adapter { return &Adapter{market, source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"cancelorder", "cancellimitorder", "ordercancel"}, Takes: []string{"order.pool", "orderId"},
		Action: "cancel-order", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-cancel-order",
		StageCatalog: "deepbook_cancel_order_review_v1", CheckPrefix: managed.Prefix,
		Stages:   []plan.StageID{managed.StageIntent, managed.StageManager, StageOrder, managed.StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + function},
	}
}

// parseOrderID reads decimal digits of at most 128 bits.
func parseOrderID(text string) (deepbook.OrderID, error) {
	n, ok := new(big.Int).SetString(text, 10)
	if len(text) > 39 || !ok || n.Sign() <= 0 || n.BitLen() > 128 || n.String() != text {
		return deepbook.OrderID{}, fault.New(fault.InputInvalid, "An order is named by its whole number, as read.summarize_deepbook_account_inventory shows it.").
			With("field", "intent.orderId")
	}
	var b [16]byte
	n.FillBytes(b[:])
	return deepbook.OrderID{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])}, nil
}

// Plan implements plan.Adapter. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("order", "orderId", "manager"); err != nil {
		return plan.Plan{}, err
	}
	if in.Order == nil || *in.Order != (plan.Order{Pool: in.Order.Pool}) {
		return plan.Plan{}, fault.New(fault.InputInvalid, "A cancellation needs intent.order.pool and nothing else of an order.").With("field", "intent.order")
	}
	pool, err := registry.FindPool(in.Order.Pool)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.order.pool", err)
	}
	id, err := parseOrderID(in.OrderID)
	if err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	what := lower(managed.Side(id.IsBid(), pool)) + " at " + managed.Price(id.Price(), pool)
	return plan.Plan{
		Title: "Cancel an order in " + pool.Key, Asked: "cancel your order in " + pool.Key + ": " + what,
		Summary: "Take your order out of the DeepBook market " + pool.Key + ": " + what + ".",
		Route:   pool.Key, Subject: named, Same: pool.Key + " " + id.String(), Promise: nothing(), Coins: []plan.Asset{managed.Asset(pool.Base), managed.Asset(pool.Quote)},
	}, nil
}

// nothing is what a cancellation promises of coins: what comes free in the manager is
// not in the bytes.
func nothing() plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}}
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

type work struct {
	adapter *Adapter
	plan    plan.Plan
	id      deepbook.OrderID
	pool    registry.Pool
	holder  deepbook.Holder
	account deepbook.PoolAccount
	shared  uint64
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	w := &work{adapter: a, plan: p}
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, d *plan.Step) (err error) {
			w.holder, err = managed.Resolve(ctx, a.source, d, p.Subject)
			return err
		}},
		{ID: StageOrder, Run: w.find}, {ID: managed.StagePolicy, Run: w.policy},
	}
}

// find looks for the order among the manager's open ones.
func (w *work) find(ctx context.Context, d *plan.Step) (err error) {
	if w.id, err = parseOrderID(d.Intent.OrderID); err != nil {
		return err
	}
	if w.pool, err = registry.FindPool(w.plan.Route); err != nil {
		return err
	}
	if w.shared, err = w.adapter.market.SharedVersion(ctx, w.plan.Route); err != nil {
		return err
	}
	if w.account, err = w.adapter.source.Account(ctx, w.plan.Route, w.holder.ID); err != nil {
		return err
	}
	i := slices.IndexFunc(w.account.Orders, func(o deepbook.OpenOrder) bool { return o.ID == w.id.String() })
	if i < 0 {
		return &plan.Stop{Reason: plan.ObjectResolutionFailed, Check: plan.Fail(plan.SourceWallet, managed.Prefix+"_open_order", "Order",
			"This balance manager has no such open order in "+w.plan.Route+": it was filled, cancelled, or swept away after its end.",
			"Look at the open orders again; there may be nothing left to do.")}
	}
	o := w.account.Orders[i]
	base := managed.Asset(w.pool.Base)
	d.Read(plan.Reading{Name: "quantity of the order", Value: o.Quantity.String()},
		plan.Reading{Name: "part of the order that is not filled", Value: o.Remaining.String(), Moves: true})
	d.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_open_order", "Order", fmt.Sprintf("The order is open: %s of %s is not filled yet.",
		base.Of(o.Remaining), base.Of(o.Quantity))))
	w.frees(d, o)
	return nil
}

// frees states what comes free in the manager: what is not filled of the order, at its
// price, and what is settled for the manager and was not taken out. The fee that the
// order ties up besides is not counted, so it is a least amount. A pool account that
// does not hold so much is no ground for a statement.
func (w *work) frees(d *plan.Step, o deepbook.OpenOrder) {
	base, quote := managed.Asset(w.pool.Base), managed.Asset(w.pool.Quote)
	tied := deepbook.Amounts{Base: o.Remaining}
	if o.IsBid {
		n := new(big.Int).Mul(plan.BigInt(o.Remaining), plan.BigInt(o.Price))
		if n.Quo(n, big.NewInt(priceScale)); !n.IsUint64() {
			return
		}
		tied = deepbook.Amounts{Quote: sui.Raw(n.Uint64())}
	}
	for _, side := range []struct {
		coin                        plan.Asset
		tied, settled, locked, free sui.Raw
	}{
		{base, tied.Base, w.account.Settled.Base, w.account.Locked.Base, w.account.Free.Base},
		{quote, tied.Quote, w.account.Settled.Quote, w.account.Locked.Quote, w.account.Free.Quote},
	} {
		freed := plan.AddSaturating(uint64(side.tied), uint64(side.settled))
		h, ok := plan.Holds(side.coin, side.free, freed, 0)
		//mutant:never `freed > uint64(side.locked)` ./internal/protocol/deepbook/managed TestCancelFrees
		if freed == 0 || freed > uint64(side.locked) || !ok {
			continue
		}
		d.Outlook.Frees = append(d.Outlook.Frees, side.coin.Of(sui.Raw(freed)))
		d.Outlook.Holder = append(d.Outlook.Holder, h)
	}
}

// priceScale is what a raw price counts in: quote coins for so many base coins.
const priceScale = 1_000_000_000

func (w *work) policy(_ context.Context, d *plan.Step) error {
	pkg := w.account.Package
	d.Target = managed.Target(pkg, function, w.pool, w.shared, w.holder)
	d.Terms = terms(w.id, w.pool, w.holder.ID)
	d.Promise = nothing()
	d.Append = func(b *plan.Builder) error { Append(b, pkg, w.pool, w.shared, w.holder, w.id); return nil }
	d.Explain = managed.Refused
	d.Guarantee = "The order is taken out of the book, or the transaction fails. Nothing but gas leaves your account."
	d.Locks = []string{
		"What the order ties up, and what it earned and is not taken out yet, comes free in your balance manager, not in your account. Your AI client can prepare taking it out.",
		"It cannot be undone: a new order goes behind those that rest at its price.",
	}
	return nil
}

// termNumber names the number of an order.
const termNumber = "Order number"

func terms(id deepbook.OrderID, pool registry.Pool, manager sui.ObjectID) []plan.Term {
	return []plan.Term{
		{Name: managed.TermCanceled, Value: managed.Side(id.IsBid(), pool)}, {Name: managed.TermPrice, Value: managed.Price(id.Price(), pool)},
		{Name: managed.TermPool, Value: pool.Key}, {Name: termNumber, Value: id.String()}, managed.Term(manager),
	}
}

// Append adds the calls that prove to own the manager and cancel the order.
func Append(b *plan.Builder, pkg sui.ObjectID, pool registry.Pool, shared uint64, h deepbook.Holder, id deepbook.OrderID) {
	number := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, id.Lo), id.Hi)
	manager, place := b.Input(managed.Input(h)), b.Input(sui.SharedInput{ID: pool.ID, InitialVersion: shared, Mutable: true})
	order, clock := b.Input(sui.PureInput{Bytes: number}), b.Input(sui.ClockInput())
	proof := managed.Prove(b, pkg, manager)
	b.Add(sui.MoveCall{Package: pkg, Module: "pool", Function: function,
		TypeArgs:  []sui.TypeTag{pool.Base.Type.Tag(), pool.Quote.Type.Tag()},
		Arguments: []sui.Argument{place, manager, proof, order, clock}})
}

// Read implements plan.Adapter: it accepts exactly what Append builds.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	t, err := managed.ReadTrade(r, function, 2)
	if err != nil {
		return plan.StepFacts{}, err
	}
	b, err := r.Bytes(t.Rest[0], 16)
	if err != nil {
		return plan.StepFacts{}, err
	}
	id := deepbook.OrderID{Hi: binary.LittleEndian.Uint64(b[8:]), Lo: binary.LittleEndian.Uint64(b)}
	f := t.Facts("What it tied up comes free in your own balance manager")
	f.Terms = terms(id, t.Pool, t.Manager.ID)
	f.Headline = &plan.Headline{Label: "Takes your order out of the book", What: managed.Side(id.IsBid(), t.Pool),
		Price: "at " + managed.Price(id.Price(), t.Pool), Terms: []string{managed.TermCanceled, managed.TermPrice}}
	f.Commands = []string{"Prove that you own the balance manager.", "Cancel the order " + id.String() + "."}
	return f, nil
}

func canceled(all deepbook.Actions) ([]deepbook.CanceledOrder, error) { return all.Canceled, nil }

// FromEvents implements plan.Adapter: which order of which manager was cancelled.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return managed.FromEvents(events, account, canceled, func(gone deepbook.CanceledOrder) (plan.Action, error) {
		pool, err := managed.EventPool(gone.Pool)
		if err != nil {
			return plan.Action{}, err
		}
		return plan.Action{Terms: terms(gone.ID, pool, gone.Manager)}, nil
	})
}
