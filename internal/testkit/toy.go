package testkit

import (
	"time"

	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Toy is an action only for tests: it pays an amount in two halves. It shows what a new kind of action
// needs, without changes under review.
type Toy struct{}

const toyCall = "public_transfer"

var toyPackage = sui.MustAddress("0x2")

// Meta implements plan.Adapter.
func (Toy) Meta() plan.Meta {
	return plan.Meta{Action: "halves", Slug: "toy", Protocol: "Toy", Label: "Toy", AdapterID: "toy-halves",
		StageCatalog: "toy_v1", CheckPrefix: "toy",
		Stages: []plan.StageID{"toy_understood"}, Takes: []string{"from", "recipient"}}
}

// Plan implements plan.Adapter.
func (Toy) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "recipient"); err != nil {
		return plan.Plan{}, err
	}
	c, err := coins.Find(in.From.Symbol)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.from.symbol", err)
	}
	whole, err := plan.ReadAmount("intent.from.amount", in.From.Amount, plan.Asset{Symbol: c.Symbol, CoinType: c.Type,
		Decimals: c.Decimals})
	if err == nil && whole.Raw%2 != 0 {
		err = fault.New(fault.InputInvalid, "It does not have halves.").With("field", "intent.from.amount")
	}
	to, wrong := sui.ParseAccount(in.Recipient)
	if err == nil && wrong != nil {
		err = plan.AtField("intent.recipient", wrong)
	}
	asked := "pay " + whole.String() + " in two halves"
	return plan.Plan{Title: asked, Summary: asked, Asked: asked, Promise: toyPromise(whole, to)}, err
}

func toyPromise(whole plan.Amount, to sui.Address) plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "paid", Bounds: []plan.Bound{
		plan.Moves(plan.RoleInput, plan.Party{}, whole, true), plan.Moves(plan.RolePayment, plan.AddressParty(to), whole,
			false)}}}}
}

// Stages implements plan.Adapter.
func (Toy) Stages(p plan.Plan) []plan.Stage {
	return []plan.Stage{{ID: "toy_understood", Run: func(_ context.Context, s *plan.Step) error {
		whole, to := p.Input(), p.Promise.Payee()
		half := whole.Of(whole.Raw / 2)
		s.Promise, s.Guarantee = p.Promise, "Both halves are paid, or nothing is."
		s.Needs = []plan.CoinRequest{{Role: plan.RoleInput, Amount: whole}}
		s.Target = plan.Target{Package: toyPackage, Function: "transfer::" + toyCall,
			TypeArgs: []sui.TypeTag{sui.MustTypeTag(whole.CoinType.Object())}}
		s.Append = func(b *plan.Builder) error {
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

// Read implements plan.Adapter.
func (Toy) Read(r *readback.Reader) (plan.StepFacts, error) {
	var f plan.StepFacts
	for half := range 2 {
		paid, err := r.Funded()
		if err != nil {
			return f, err
		}
		call, err := r.Call("transfer", []string{toyCall}, func(id sui.ObjectID) bool { return id == toyPackage })
		if err != nil {
			return f, err
		}
		if len(call.Arguments) != 2 || call.Arguments[0] != paid.Result || len(call.TypeArgs) != 1 ||
			len(call.TypeArgs[0].Struct.Params) != 1 {
			return f, readback.Unlike("It does not send the half that was split off.")
		}
		to, err := r.Address(call.Arguments[1])
		if err != nil {
			return f, err
		}
		c, ok := coins.ByType(sui.CoinType(call.TypeArgs[0].Struct.Params[0].String()))
		if !ok || half == 1 && (to != f.Sends || f.TypeArgs[0] != call.TypeArgs[0].String()) {
			return f, readback.Unlike("The halves differ.")
		}
		asset := plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
		if !paid.Pays(asset.CoinType) {
			return f, readback.Unlike("The half is split off another coin.")
		}
		if half == 1 && f.Promise.Amount(plan.RoleInput).Raw != paid.Amount {
			return f, readback.Unlike("The halves differ.")
		}
		f.Sends, f.Package, f.Function, f.TypeArgs = to, call.Package, "transfer::"+toyCall,
			[]string{call.TypeArgs[0].String()}
		f.Promise = toyPromise(asset.Of(paid.Amount*sui.Raw(half+1)), to)
		f.Commands = append(append(f.Commands, plan.FundedWords(paid, asset.Of(paid.Amount))...), "Send it to "+to.String()+
			".")
	}
	return f, nil
}

// FromEvents implements plan.Adapter.
func (Toy) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}
