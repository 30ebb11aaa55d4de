// Package managerdeposit prepares putting coins into a DeepBook balance manager
// of the account for review.
//
// It deposits into the account's own managers alone and trades nothing.
package managerdeposit

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

const function = "deposit"

// Adapter prepares deposits. It implements review.Adapter.
type Adapter struct{ source managed.Source }

// New gives an Adapter that reads managers from source.
func New(source managed.Source) *Adapter { return &Adapter{source} }

// Meta implements review.Adapter.
func (*Adapter) Meta() review.Meta {
	return review.Meta{
		Action: "manager-deposit", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-manager-deposit",
		StageCatalog: "deepbook_manager_deposit_review_v1", CheckPrefix: managed.Prefix,
		Stages: []review.StageID{managed.StageIntent, managed.StageManager, managed.StagePolicy},
	}
}

// Plan implements review.Adapter. Errors name the field.
func (*Adapter) Plan(in review.Intent, _ time.Time) (review.Plan, error) {
	if err := in.Only("from", "manager"); err != nil {
		return review.Plan{}, err
	}
	from, err := managed.Coin("intent.from.symbol", in.From.Symbol)
	if err != nil {
		return review.Plan{}, err
	}
	input, err := review.ReadAmount("intent.from.amount", in.From.Amount, from)
	if err != nil {
		return review.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return review.Plan{}, err
	}
	p := review.Plan{Title: "Deposit " + input.String() + " with DeepBook", From: from, Input: input, Subject: named,
		Asked: "put " + input.String() + " into your DeepBook balance manager"}
	p.Summary = "Put " + input.String() + " into your DeepBook balance manager, from which orders are paid."
	return p, nil
}

// Stages implements review.Adapter.
func (a *Adapter) Stages(p review.Plan) []review.Stage {
	var h deepbook.Holder
	return []review.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, d *review.Draft) (err error) {
			h, err = managed.Resolve(ctx, a.source, d, p.Subject)
			return err
		}},
		{ID: managed.StagePolicy, Run: func(_ context.Context, d *review.Draft) error { return policy(p, h, d) }},
	}
}

func policy(p review.Plan, h deepbook.Holder, d *review.Draft) error {
	d.Want = review.Want{Coin: p.From.CoinType, Amount: p.Input.Raw}
	d.Target = review.Target{
		Package: h.Package, Function: managed.Module + "::" + function, RouteID: h.ID, Shared: h.Initial,
		TypeArgs: []sui.TypeTag{p.From.CoinType.Tag()},
	}
	d.Terms = managed.Moved(h.ID, true, p.Input)
	d.Build = func(s review.Selected) (sui.Kind, error) { return Kind(h, p.From.CoinType, s) }
	d.Explain = managed.Refused
	d.Promise = "Exactly " + p.Input.String() + " goes into your own balance manager, or the transaction fails and only gas is spent."
	d.Locks = []string{
		p.Input.String() + " leaves your account and lies in the balance manager. Other programs that look at your account do not see it there.",
		"To undo it, take it out again (action manager-withdraw). Only your account can, at any time; what open orders tie up comes free when they end.",
	}
	return nil
}

// Told implements review.Adapter: which manager got how much of which coin.
func (*Adapter) Told(account sui.Address, events []sui.Event) ([]review.Term, error) {
	return managed.ToldMove(events, account)
}

// Kind builds the transaction: split the amount off and deposit it.
func Kind(h deepbook.Holder, coin sui.CoinType, s review.Selected) (sui.Kind, error) {
	if !s.Gas && len(s.Coins) == 0 {
		return sui.Kind{}, fault.New(fault.InternalError, "No coin was chosen for the deposit.")
	}
	k := sui.Kind{Inputs: []sui.Input{managed.Input(h)}}
	paid := s.Fund(&k)
	k.Commands = append(k.Commands, sui.MoveCall{Package: h.Package, Module: managed.Module, Function: function,
		TypeArgs: []sui.TypeTag{coin.Tag()}, Arguments: []sui.Argument{sui.InputArg(0), paid}})
	return k, nil
}

// Read implements review.Adapter. It accepts one shape: optionally merge coins,
// split one amount, deposit that; every input used.
func (*Adapter) Read(tx *sui.Transaction) (review.Facts, error) {
	r := readback.New(tx)
	paid, err := r.Funded()
	if err != nil {
		return review.Facts{}, err
	}
	call, err := r.Call(managed.Module, []string{function}, registry.Published)
	if err != nil {
		return review.Facts{}, err
	}
	if len(call.Arguments) != 2 || call.Arguments[1] != paid.Result || len(call.TypeArgs) != 1 {
		return review.Facts{}, readback.Unlike("It does not deposit the amount that was split off, and that alone.")
	}
	manager, err := r.Shared(call.Arguments[0], true)
	if err != nil {
		return review.Facts{}, err
	}
	if err := r.End(); err != nil {
		return review.Facts{}, err
	}
	coin, ok := coins.ByType(sui.CoinType(call.TypeArgs[0].String()))
	if !ok || paid.Gas() != (coin.Type == sui.SUI) {
		return review.Facts{}, readback.Unlike("It deposits another coin than the one that the amount is split from.")
	}
	in := managed.Asset(coin).Of(paid.Amount)
	return review.Facts{
		Recipient: tx.Sender, Spends: []review.Amount{in}, Terms: managed.Moved(manager.ID, true, in),
		Package: call.Package, Function: call.Module + "::" + call.Function, TypeArgs: []string{string(coin.Type)}, RouteID: manager.ID,
		Commands: append(review.FundedWords(paid, in), "Put it into your balance manager."),
	}, nil
}
