// Package permission prepares reviews that revoke an allowance. An allowance lets another account take
// coins out of the account's address balance without asking its wallet.
//
// The package grants and spends no allowances. It does not revoke aliases or trading sessions, because
// the chain's functions for that have not been verified.
package permission

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Stages of this adapter.
const (
	StagePermission plan.StageID = "permission_resolved"
	StagePolicy     plan.StageID = "permission_policy_derived"
)

const (
	prefix   = "permission"
	field    = "intent.permission"
	module   = "allowance"
	function = "revoke"
)

// Names of the terms of revoking an allowance.
const (
	termAllowance = "Allowance"
	termCoin      = "Coin"
	termCap       = "Ended by the object"
)

var framework = sui.MustAddress("0x2")

// Source reads one allowance of an account. standing.Reader implements it.
type Source interface {
	Allowance(ctx context.Context, account sui.Address, id sui.ObjectID) (standing.Permission, error)
}

// Adapter prepares revoking allowances. It implements plan.Adapter.
type Adapter struct{ source Source }

// New returns an Adapter that reads allowances from source.
func New(source Source) *Adapter { return &Adapter{source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases:  []string{"permissionrevoke", "revokepermission", "revokeallowance", "endallowance"},
		Takes:    []string{"permission"},
		Harmless: true,
		Action:   "permission_revoke", Slug: "sui", Protocol: "Sui", Label: "Sui", AdapterID: "sui-permission-revoke",
		StageCatalog: "sui_permission_revoke_review_v1", CheckPrefix: prefix,
		Stages:   []plan.StageID{plan.StageIntent, StagePermission, StagePolicy},
		Packages: []sui.ObjectID{framework}, Functions: []string{module + "::" + function},
		Unreported: []string{termAllowance, termCoin, termCap}, // the module has no events
	}
}

// Plan implements plan.Adapter. Its errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("permission"); err != nil {
		return plan.Plan{}, err
	}
	id, err := plan.ReadObjectID(field, in.Permission, "the allowance")
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.Plan{
		Title: "End an allowance", Asked: "end the allowance " + id.String(),
		Summary: "End the allowance " + id.String() + ": nobody can take anything out of your account with it any longer.",
		Subject: id, Promise: nothing(),
	}, nil
}

// nothing returns the promise of revoking a permission, which moves no coins.
func nothing() plan.Promise {
	return plan.Promise{Outcomes: []plan.Outcome{{Name: "ended"}}}
}

// Stages implements plan.Adapter.
func (a *Adapter) Stages(p plan.Plan) []plan.Stage {
	var found standing.Permission
	return []plan.Stage{
		{ID: plan.StageIntent, Run: func(_ context.Context, s *plan.Step) error {
			s.Check(plan.Pass(plan.SourceAdapter, prefix+"_display_intent", "Request", "You asked to "+p.Asked+"."))
			return nil
		}},
		{ID: StagePermission, Run: func(ctx context.Context, s *plan.Step) (err error) {
			if found, err = a.find(ctx, s.Account, p.Subject); err != nil {
				return err
			}
			tell(s, found)
			return nil
		}},
		{ID: StagePolicy, Run: func(_ context.Context, s *plan.Step) error { policy(s, found); return nil }},
	}
}

// find reads the allowance. The review stops if this account cannot revoke it.
func (a *Adapter) find(ctx context.Context, account sui.Address, id sui.ObjectID) (standing.Permission, error) {
	found, err := a.source.Allowance(ctx, account, id)
	if fault.Is(err, fault.InputInvalid) {
		return found, stop(fault.As(err).Text)
	}
	return found, err
}

func stop(message string) *plan.Stop {
	return &plan.Stop{Reason: plan.ObjectResolutionFailed, Check: plan.Fail(plan.SourceNetwork, prefix+"_standing",
		"Permission", message,
		"Ask your AI client to list the standing permissions again: it shows what can still be ended.")}
}

// tell records the permission that ends, as reported by the node.
func tell(s *plan.Step, found standing.Permission) {
	now := s.Now()
	s.Outlook.Subject = &plan.Subject{Title: found.Headline(now), Holder: found.Holder, Part: "Can take until then",
		Says: found.Says(now)}
	s.Read(plan.Reading{Name: "allowance " + found.ID.String(), Value: found.Reported(), Moves: true})
	s.Check(plan.Pass(plan.SourceNetwork, prefix+"_standing", "Permission",
		"The node reports that this allowance is your account's. "+found.Says(now)))
}

func policy(s *plan.Step, found standing.Permission) {
	param := sui.MustTypeTag("0x2::balance::Balance<" + found.Allowance.Coin.String() + ">")
	s.Target = plan.Target{Package: framework, Function: module + "::" + function, TypeArgs: []sui.TypeTag{param},
		RouteID: found.ID, Shared: found.Initial}
	s.Objects = []plan.OwnedObject{{Ref: found.EndedBy, Type: sui.AllowanceCapType() + "<" + param.String() + ">"}}
	s.Terms = terms(found.ID, found.Allowance.Coin, found.EndedBy.ID)
	s.Promise = nothing()
	s.Append = func(b *plan.Builder) error {
		Append(b, found.EndedBy, sui.SharedInput{ID: found.ID, InitialVersion: found.Initial, Mutable: true}, param)
		return nil
	}
	s.Explain = refused
	s.Guarantee = "The allowance is ended and deleted, or the transaction fails. Nothing but gas leaves your account; " +
		"what the chain returns for " +
		"the deleted objects can be more than that."
	s.Locks = []string{
		"Until this is executed, what remains of the allowance can still be taken. You do not get back what was " +
			"already taken.",
		"It cannot be undone: to take something again, a new allowance is needed.",
	}
}

func terms(allowance sui.ObjectID, coin sui.TypeTag, by sui.ObjectID) []plan.Term {
	name := coin.String()
	if symbol, _, ok := coins.Name(sui.CoinType(name)); ok {
		name = symbol
	}
	return []plan.Term{{Name: termAllowance, Value: allowance.String()}, {Name: termCoin, Value: name}, {Name: termCap,
		Value: by.String()}}
}

// refused explains the only known abort of revoke.
func refused(a sui.MoveAbort) *plan.Stop {
	if a.Package != framework || a.Module != module {
		return nil
	}
	return stop("The chain reports that this object cannot revoke this allowance.")
}

// Append adds the call that revokes an allowance. The call deletes the allowance and its cap.
func Append(b *plan.Builder, by sui.ObjectRef, allowance sui.SharedInput, param sui.TypeTag) {
	held, ends := b.Input(sui.OwnedInput{Ref: by}), b.Input(allowance)
	b.Add(sui.MoveCall{Package: framework, Module: module, Function: function, TypeArgs: []sui.TypeTag{param},
		Arguments: []sui.Argument{held, ends}})
}

// Read implements plan.Adapter. It accepts exactly what Append builds.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	call, err := r.Call(module, []string{function}, func(id sui.ObjectID) bool { return id == framework })
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(call.Arguments) != 2 || len(call.TypeArgs) != 1 {
		return plan.StepFacts{}, readback.Unlike("It does not revoke one allowance with its cap.")
	}
	coin, ok := coinOf(call.TypeArgs[0])
	if !ok {
		return plan.StepFacts{}, readback.Unlike("It revokes an allowance of something other than a balance.")
	}
	by, err := r.Owned(call.Arguments[0])
	if err != nil {
		return plan.StepFacts{}, err
	}
	ends, err := r.Shared(call.Arguments[1], true)
	if err != nil {
		return plan.StepFacts{}, err
	}
	agreed := terms(ends.ID, coin, by.Ref.ID)
	return plan.StepFacts{
		Promise: nothing(), Terms: agreed, Package: call.Package, Function: module + "::" + function, RouteID: ends.ID,
		TypeArgs: []string{call.TypeArgs[0].String()},
		Headline: &plan.Headline{Label: "Ends for good", What: "the allowance for " + agreed[1].Value,
			Terms: []string{termCoin}},
		Commands: []string{"End the allowance " + ends.ID.String() +
			", and delete it together with its cap: nobody can take " + agreed[1].Value +
			" with it any longer."},
	}, nil
}

// coinOf returns the coin type of a balance type.
func coinOf(t sui.TypeTag) (sui.TypeTag, bool) {
	s := t.Struct
	if t.Kind != sui.TypeStruct || s.Address != framework || s.Module != "balance" || s.Name != "Balance" ||
		len(s.Params) != 1 ||
		s.Params[0].Kind != sui.TypeStruct {
		return sui.TypeTag{}, false
	}
	return s.Params[0], true
}

// FromEvents implements plan.Adapter. The module has no events.
func (*Adapter) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

// Recheck implements plan.Rechecker. If the allowance was revoked in the meantime, the transaction
// would fail and cost gas.
func (a *Adapter) Recheck(ctx context.Context, account sui.Address, in plan.Intent) error {
	id, err := plan.ReadObjectID(field, in.Permission, "the allowance")
	if err == nil {
		_, err = a.find(ctx, account, id)
	}
	return err
}

var (
	_ plan.Rechecker      = (*Adapter)(nil)
	_ plan.AfterReader    = (*Adapter)(nil)
	_ plan.ResultReporter = (*Adapter)(nil)
)
