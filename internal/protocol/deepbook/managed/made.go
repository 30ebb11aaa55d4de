package managed

import (
	"context"
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// ResolveOrNew is like Resolve, for an action that can use a manager created by an earlier step of the
// same transaction. If the intent names a step, it uses that step's manager. If the intent names
// neither a step nor a manager, and the account has no manager, it uses the only manager that the
// earlier steps create.
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
		return deepbook.Holder{}, stop("Earlier steps create several balance managers, and this step names none.",
			"Prepare it again with managerOf: the step that creates the one to use.")
	default:
		_, err := only(ctx, source, d.Account)
		//mutant:never ./internal/request TestFirstOrderVariations
		if err == nil || !none(err) {
			return deepbook.Holder{}, several(err)
		}
	}
	d.Check(plan.Pass(plan.SourceAdapter, Prefix+"_balance_manager", "Balance manager",
		"The balance manager is the one that an earlier step creates for your account."))
	return deepbook.Holder{ID: plan.Made(made), Owner: d.Account, Package: registry.Packages()[0].ID, Made: made}, nil
}

// none reports whether err means that the account has no manager.
func none(err error) bool {
	var s *plan.Stop
	return errors.As(err, &s) && s.Check.Message == noManager
}

// several returns the stop for a step that does not state whether it uses a manager of the account or
// one that an earlier step creates. It returns any error other than a stop unchanged.
func several(err error) error {
	if err != nil && !errors.As(err, new(*plan.Stop)) {
		return err
	}
	return stop("Your account has a balance manager, an earlier step creates another, and this step names none.",
		"Prepare it again with manager, or with managerOf: the step that creates the one to use.")
}

// Yours describes the manager of an intent within a sentence. named is plan.Made if the intent is read
// separately and an earlier step creates the manager.
func Yours(in plan.Intent, named sui.ObjectID) string {
	if in.ManagerOf > 0 || plan.MadeAs(named) > 0 {
		return "your new " + Label + " balance manager"
	}
	return "your " + Label + " balance manager"
}

// Input returns the transaction input for a manager that the transaction changes.
func Input(h deepbook.Holder) sui.SharedInput {
	return sui.SharedInput{ID: h.ID, InitialVersion: h.Initial, Mutable: true}
}

// Use returns the argument for the manager that a transaction changes: an input, or the result of an
// earlier command.
func Use(b *plan.Builder, h deepbook.Holder) (sui.Argument, error) {
	if h.Made > 0 {
		return b.Made(h.Made)
	}
	return b.Input(Input(h)), nil
}

// ReadUse reads an argument that Use built.
func ReadUse(r *readback.Reader, a sui.Argument) (sui.ObjectID, error) {
	if n := r.Made(a); n > 0 {
		return plan.Made(n), nil
	}
	in, err := r.Shared(a, true)
	if err == nil && plan.MadeAs(in.ID) > 0 {
		err = fault.New(fault.InputInvalid, "It names an impossible object.")
	}
	return in.ID, err
}

// ReadTrade takes the call that proves ownership, and the owner's call of a function of a pinned pool.
// more is the number of the call's arguments after the pool, manager and proof. The last of them, if
// any, is the clock, which ReadTrade takes too.
func ReadTrade(r *readback.Reader, function string, more int) (Trade, error) {
	t, err := ReadTradeOrNew(r, function, more)
	//mutant:never ./internal/protocol/deepbook/managed TestNewManager
	if err == nil && plan.MadeAs(t.Manager) > 0 {
		return Trade{}, readback.Unlike("It uses a balance manager that an earlier step creates, which has no orders yet.")
	}
	return t, err
}

// Route returns the route id of a manager: its own id, or zero if the transaction creates it.
func Route(id sui.ObjectID) sui.ObjectID {
	if plan.MadeAs(id) > 0 {
		return sui.ObjectID{}
	}
	return id
}

// Type returns the type of a manager as DeepBook's own client writes it, with the called package. The
// chain accepts it as the original package's type.
func Type(pkg sui.ObjectID) sui.TypeTag {
	return sui.MustTypeTag(sui.StructTag{Address: pkg, Module: Module, Name: "BalanceManager"}.String())
}

// ReadActions reads the actions that events report. Managers that the transaction created are replaced
// by plan.Made.
func ReadActions(events []sui.Event, sender sui.Address) (deepbook.Actions, error) {
	all, err := deepbook.ReadActions(events, sender)
	return all.Renamed(plan.Made), err
}
