// Package managerwithdraw prepares taking coins out of a DeepBook balance
// manager of the account for review.
//
// What is taken out goes to the account itself, never elsewhere.
package managerwithdraw

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

const function = "withdraw"

// Adapter prepares withdrawals. It implements review.Adapter.
type Adapter struct{ source managed.Source }

// New gives an Adapter that reads managers from source.
func New(source managed.Source) *Adapter { return &Adapter{source} }

// Meta implements review.Adapter.
func (*Adapter) Meta() review.Meta {
	return review.Meta{
		Action: "manager-withdraw", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-manager-withdraw",
		StageCatalog: "deepbook_manager_withdraw_review_v1", CheckPrefix: managed.Prefix,
		Stages: []review.StageID{managed.StageIntent, managed.StageManager, managed.StagePolicy},
	}
}

// Plan implements review.Adapter. Errors name the field.
func (*Adapter) Plan(in review.Intent, _ time.Time) (review.Plan, error) {
	if err := in.Only("to", "to.amount", "manager"); err != nil {
		return review.Plan{}, err
	}
	out, err := amount(in)
	if err != nil {
		return review.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return review.Plan{}, err
	}
	return review.Plan{
		Title: "Withdraw " + out.String() + " from DeepBook", Asked: "take " + out.String() + " out of your DeepBook balance manager",
		Summary: "Take " + out.String() + " out of your DeepBook balance manager, into your account.",
		To:      out.Asset, Output: out.Raw, Subject: named,
	}, nil
}

func amount(in review.Intent) (review.Amount, error) {
	to, err := managed.Coin("intent.to.symbol", in.To.Symbol)
	if err != nil {
		return review.Amount{}, err
	}
	return review.ReadAmount("intent.to.amount", in.To.Amount, to)
}

// Stages implements review.Adapter.
func (a *Adapter) Stages(p review.Plan) []review.Stage {
	var h deepbook.Holder
	return []review.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, d *review.Draft) (err error) {
			if h, err = managed.Resolve(ctx, a.source, d, p.Subject); err != nil {
				return err
			}
			free, err := a.source.Free(ctx, h, p.To.CoinType)
			if err != nil {
				return err
			}
			if d.Read(managed.Free(p.To.Of(free))); free >= p.Output {
				return nil
			}
			return &review.Stop{Reason: review.InsufficientBalance, Check: review.Fail(review.SourceWallet, managed.Prefix+"_manager_balance", "Balance manager",
				"As the node reports, the balance manager has "+p.To.Of(free).String()+" that no order ties up; "+p.To.Of(p.Output).String()+" was asked for.",
				"Choose a smaller amount in a new review, or cancel an order first (action cancel-order).")}
		}},
		{ID: managed.StagePolicy, Run: func(_ context.Context, d *review.Draft) error { return policy(p, h, d) }},
	}
}

func policy(p review.Plan, h deepbook.Holder, d *review.Draft) error {
	d.Gets = p.To.Of(p.Output)
	d.Target = review.Target{
		Package: h.Package, Function: managed.Module + "::" + function, RouteID: h.ID, Shared: h.Initial,
		TypeArgs: []sui.TypeTag{p.To.CoinType.Tag()},
	}
	d.Terms = managed.Moved(h.ID, false, d.Gets)
	d.Build = func(s review.Selected) (sui.Kind, error) { return Kind(h, d.Gets, s.Account), nil }
	d.Explain = managed.Refused
	d.Promise = "Exactly " + d.Gets.String() + " arrives in your own account, or the transaction fails and only gas is spent."
	return nil
}

// Told implements review.Adapter: which manager gave how much of which coin.
func (*Adapter) Told(account sui.Address, events []sui.Event) ([]review.Term, error) {
	return managed.ToldMove(events, account)
}

// Kind builds the transaction: withdraw and send what comes out to the account.
func Kind(h deepbook.Holder, out review.Amount, to sui.Address) sui.Kind {
	return sui.Kind{
		Inputs: []sui.Input{managed.Input(h), sui.PureU64(uint64(out.Raw)), sui.PureAddress(to)},
		Commands: []sui.Command{
			sui.MoveCall{Package: h.Package, Module: managed.Module, Function: function, TypeArgs: []sui.TypeTag{out.CoinType.Tag()},
				Arguments: []sui.Argument{sui.InputArg(0), sui.InputArg(1)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(0)}, Recipient: sui.InputArg(2)},
		},
	}
}

// Read implements review.Adapter: it accepts exactly what Kind builds.
func (*Adapter) Read(tx *sui.Transaction) (review.Facts, error) {
	r := readback.New(tx)
	call, err := r.Call(managed.Module, []string{function}, registry.Published)
	if err != nil {
		return review.Facts{}, err
	}
	if len(call.Arguments) != 2 || len(call.TypeArgs) != 1 {
		return review.Facts{}, readback.Unlike("It does not withdraw one amount of one coin.")
	}
	manager, err := r.Shared(call.Arguments[0], true)
	if err != nil {
		return review.Facts{}, err
	}
	n, err := r.U64(call.Arguments[1])
	if err != nil {
		return review.Facts{}, err
	}
	to, err := r.Sent(sui.ResultArg(0))
	if err != nil {
		return review.Facts{}, err
	}
	if err := r.End(); err != nil {
		return review.Facts{}, err
	}
	coin, ok := coins.ByType(sui.CoinType(call.TypeArgs[0].String()))
	if !ok {
		return review.Facts{}, readback.Unlike("It withdraws a coin that is not pinned.")
	}
	out := managed.Asset(coin).Of(sui.Raw(n))
	return review.Facts{
		Recipient: to, Minimum: out, Terms: managed.Moved(manager.ID, false, out),
		Package: call.Package, Function: call.Module + "::" + call.Function, TypeArgs: []string{string(coin.Type)}, RouteID: manager.ID,
		Commands: []string{"Take " + out.String() + " out of your balance manager.", "Send it to " + to.String() + "."},
	}, nil
}
