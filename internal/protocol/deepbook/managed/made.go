package managed

import (
	"context"
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// ResolveOrNew is Resolve for an action that can use a manager created by an earlier step of the
// same transaction: the one of the step that the intent names or, if it names none and the account
// has none, the only one created.
func ResolveOrNew(ctx context.Context, source Source, d *plan.Step, named sui.ObjectID) (deepbook.Holder, error) {
	made := 0
	for i, action := range d.Follows {
		if action == ActionCreate && (d.Intent.ManagerOf == 0 || i < d.Intent.ManagerOf) {
			made++
		}
	}
	switch {
	case d.Intent.ManagerOf > 0 && made > 0:
	case made == 0 || !named.IsZero():
		return Resolve(ctx, source, d, named)
	case made > 1:
		return deepbook.Holder{}, stop(plan.ObjectResolutionFailed,
			"Earlier steps make several balance managers, and this step names none.",
			"Prepare it again with managerOf: the step that makes the one to use.")
	default:
		_, err := only(ctx, source, d.Account)
		//mutant:never ./internal/request TestFirstOrderVariations
		if err == nil || !none(err) {
			return deepbook.Holder{}, several(err)
		}
	}
	d.Check(plan.Pass(plan.SourceAdapter, Prefix+"_balance_manager", "Balance manager",
		"The balance manager is the one that an earlier step makes for your account."))
	return deepbook.Holder{ID: plan.Made(made), Owner: d.Account, Package: registry.Packages()[0].ID, Made: made}, nil
}

// none reports whether an account was found to have no manager.
func none(err error) bool {
	var s *plan.Stop
	return errors.As(err, &s) && s.Check.Message == noManager
}

// several is the stop of a step that may mean a manager of the account or the one that an
// earlier step makes; an error that is no stop stays.
func several(err error) error {
	if err != nil && !errors.As(err, new(*plan.Stop)) {
		return err
	}
	return stop(plan.ObjectResolutionFailed,
		"Your account has a balance manager, an earlier step makes another, and this step names none.",
		"Prepare it again with manager, or with managerOf: the step that makes the one to use.")
}

// Yours names the manager of an intent in a sentence. named is plan.Made where the intent is
// read by itself and an earlier step makes the manager.
func Yours(in plan.Intent, named sui.ObjectID) string {
	if in.ManagerOf > 0 || plan.MadeAs(named) > 0 {
		return "your new " + Label + " balance manager"
	}
	return "your " + Label + " balance manager"
}

// Input returns how a transaction names a manager that it changes.
func Input(h deepbook.Holder) sui.SharedInput {
	return sui.SharedInput{ID: h.ID, InitialVersion: h.Initial, Mutable: true}
}

// Use returns how a transaction names the manager that it changes: as an input, or as what an
// earlier command made.
func Use(b *plan.Builder, h deepbook.Holder) (sui.Argument, error) {
	if h.Made > 0 {
		return b.Made(h.Made)
	}
	return b.Input(Input(h)), nil
}

// ReadUse reads what Use builds.
func ReadUse(r *readback.Reader, a sui.Argument) (sui.ObjectID, error) {
	if n := r.Made(a); n > 0 {
		return plan.Made(n), nil
	}
	in, err := r.Shared(a, true)
	if err == nil && plan.MadeAs(in.ID) > 0 {
		err = fault.New(fault.InputInvalid, "It names an object that no chain has.")
	}
	return in.ID, err
}

// ReadTrade takes a proof and the call of one function of a pinned pool by its
// owner, with so many arguments after pool, manager and proof. The last of them, if
// there is any, is the clock and is taken, too.
func ReadTrade(r *readback.Reader, function string, more int) (Trade, error) {
	t, err := ReadTradeOrNew(r, function, more)
	//mutant:never ./internal/protocol/deepbook/managed TestNewManager
	if err == nil && plan.MadeAs(t.Manager) > 0 {
		return Trade{}, readback.Unlike("It takes a balance manager that an earlier step makes, which has no orders yet.")
	}
	return t, err
}

// Route returns the manager that a target and facts name, or zero for one that is created.
func Route(id sui.ObjectID) sui.ObjectID {
	if plan.MadeAs(id) > 0 {
		return sui.ObjectID{}
	}
	return id
}

// Type returns the type of the shared object, named by the called package like DeepBook's own
// client; the chain accepts it as the original's.
func Type(pkg sui.ObjectID) sui.TypeTag {
	return sui.MustTypeTag(sui.StructTag{Address: pkg, Module: Module, Name: "BalanceManager"}.String())
}

// ReadActions reads the actions that events report, with plan.Made in place of managers that the
// transaction made.
func ReadActions(events []sui.Event, sender sui.Address) (deepbook.Actions, error) {
	all, err := deepbook.ReadActions(events, sender)
	return all.Renamed(plan.Made), err
}
