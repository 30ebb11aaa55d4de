package testkit

import (
	"time"

	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

// Toy is an action that no product has: it pays an amount in two halves. It is what a
// new kind of action costs, and touches nothing under review.
type Toy struct{}

const toyCall = "public_transfer"

var toyPackage = sui.MustAddress("0x2")

// Meta implements review.Adapter.
func (Toy) Meta() review.Meta {
	return review.Meta{Action: "halves", Slug: "toy", Protocol: "Toy", Label: "Toy", AdapterID: "toy-halves", StageCatalog: "toy_v1", CheckPrefix: "toy",
		Stages: []review.StageID{"toy_understood"}, Takes: []string{"from", "recipient"}}
}

// Plan implements review.Adapter.
func (Toy) Plan(in review.Intent, _ time.Time) (review.Plan, error) {
	if err := in.Only("from", "recipient"); err != nil {
		return review.Plan{}, err
	}
	c, err := coins.Find(in.From.Symbol)
	if err != nil {
		return review.Plan{}, review.AtField("intent.from.symbol", err)
	}
	whole, err := review.ReadAmount("intent.from.amount", in.From.Amount, review.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals})
	if err == nil && whole.Raw%2 != 0 {
		err = fault.New(fault.InputInvalid, "It has no halves.").With("field", "intent.from.amount")
	}
	to, wrong := sui.ParseAddress(in.Recipient)
	if err == nil && wrong != nil {
		err = review.AtField("intent.recipient", wrong)
	}
	asked := "pay " + whole.String() + " in two halves"
	return review.Plan{Title: asked, Summary: asked, Asked: asked, Promise: toyPromise(whole, to)}, err
}

func toyPromise(whole review.Amount, to sui.Address) review.Promise {
	return review.Promise{Outcomes: []review.Outcome{{Name: "paid", Bounds: []review.Bound{
		review.Moves(review.RoleInput, review.Party{}, whole, true), review.Moves(review.RolePayment, review.Party{ID: to}, whole, false)}}}}
}

// Stages implements review.Adapter.
func (Toy) Stages(p review.Plan) []review.Stage {
	return []review.Stage{{ID: "toy_understood", Run: func(_ context.Context, s *review.Step) error {
		whole, to := p.Input(), p.Promise.Payee()
		half := whole.Of(whole.Raw / 2)
		s.Promise, s.Guarantee = p.Promise, "Both halves are paid, or nothing is."
		s.Needs = []review.CoinRequest{{Role: review.RoleInput, Amount: whole}}
		s.Target = review.Target{Package: toyPackage, Function: "transfer::" + toyCall, TypeArgs: []sui.TypeTag{sui.MustTypeTag(whole.CoinType.Object())}}
		s.Append = func(b *review.Builder) error {
			for range 2 {
				coin, err := b.Fund(half)
				if err != nil {
					return err
				}
				b.Add(sui.MoveCall{Package: toyPackage, Module: "transfer", Function: toyCall, TypeArgs: s.Target.TypeArgs,
					Arguments: []sui.Argument{coin, b.Input(sui.PureAddress(to))}})
			}
			return nil
		}
		return nil
	}}}
}

// Read implements review.Adapter.
func (Toy) Read(r *readback.Reader) (review.StepFacts, error) {
	var f review.StepFacts
	for half := range 2 {
		paid, err := r.Funded()
		if err != nil {
			return f, err
		}
		call, err := r.Call("transfer", []string{toyCall}, func(id sui.ObjectID) bool { return id == toyPackage })
		if err != nil {
			return f, err
		}
		if len(call.Arguments) != 2 || call.Arguments[0] != paid.Result || len(call.TypeArgs) != 1 || len(call.TypeArgs[0].Struct.Params) != 1 {
			return f, readback.Unlike("It does not send the half that was split off.")
		}
		to, err := r.Address(call.Arguments[1])
		if err != nil {
			return f, err
		}
		c, ok := coins.ByType(sui.CoinType(call.TypeArgs[0].Struct.Params[0].String()))
		if !ok || half == 1 && (to != f.Sends || f.TypeArgs[0] != call.TypeArgs[0].String()) {
			return f, readback.Unlike("The halves are not alike.")
		}
		asset := review.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
		if half == 1 && f.Promise.Amount(review.RoleInput).Raw != paid.Amount {
			return f, readback.Unlike("The halves are not alike.")
		}
		f.Sends, f.Package, f.Function, f.TypeArgs = to, call.Package, "transfer::"+toyCall, []string{call.TypeArgs[0].String()}
		f.Promise = toyPromise(asset.Of(paid.Amount*sui.Raw(half+1)), to)
		f.Commands = append(append(f.Commands, review.FundedWords(paid, asset.Of(paid.Amount))...), "Send it to "+to.String()+".")
	}
	return f, nil
}

// FromEvents implements review.Adapter.
func (Toy) FromEvents(sui.Address, []sui.Event) (review.Reported, error) {
	return review.Reported{}, nil
}
