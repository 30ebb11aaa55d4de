// Package managercreate prepares making a DeepBook balance manager for review:
// the account's own purse inside DeepBook, which orders are paid from.
//
// It puts nothing into it and gives nobody else a right to it.
package managercreate

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

const function = "new"

var framework = sui.MustAddress("0x2")

// Adapter prepares new balance managers. It implements review.Adapter and asks
// nobody.
type Adapter struct{}

// New gives an Adapter.
func New() *Adapter { return &Adapter{} }

// Meta implements review.Adapter.
func (*Adapter) Meta() review.Meta {
	return review.Meta{
		Action: "manager-create", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-manager-create",
		StageCatalog: "deepbook_manager_create_review_v1", CheckPrefix: managed.Prefix,
		Stages: []review.StageID{managed.StageIntent, managed.StagePolicy},
	}
}

// Plan implements review.Adapter. The intent has a type and nothing else.
func (*Adapter) Plan(in review.Intent, _ time.Time) (review.Plan, error) {
	if err := in.Only(); err != nil {
		return review.Plan{}, err
	}
	return review.Plan{
		Title: "Make a DeepBook balance manager", Asked: "make a DeepBook balance manager",
		Summary: "Make a new, empty DeepBook balance manager that belongs to your account. Orders are paid from such a manager.",
	}, nil
}

// Stages implements review.Adapter.
func (*Adapter) Stages(p review.Plan) []review.Stage {
	return []review.Stage{managed.Asked(p), {ID: managed.StagePolicy, Run: policy}}
}

func policy(_ context.Context, d *review.Draft) error {
	pkg := registry.Packages()[0].ID
	d.Target = review.Target{Package: pkg, Function: managed.Module + "::" + function}
	d.Build = func(review.Selected) (sui.Kind, error) { return Kind(pkg), nil }
	d.Terms = owned(d.Account)
	d.Explain = managed.Refused
	d.Promise = "A new, empty balance manager is made that belongs to your account alone, or the transaction fails. Only gas is spent."
	d.Locks = []string{
		"Nothing is tied up but the small storage deposit that is part of the gas.",
		"The manager stays on chain for good; an empty one costs nothing more. What you put in later, only your account can take out.",
	}
	return nil
}

// managerType is the type of what is shared, named by the package that is
// called, as DeepBook's own client does; the chain takes it for the original's.
func managerType(pkg sui.ObjectID) sui.TypeTag {
	return sui.MustTypeTag(sui.StructTag{Address: pkg, Module: managed.Module, Name: "BalanceManager"}.String())
}

// Kind builds the transaction: make a manager and share it, as DeepBook needs it
// shared.
func Kind(pkg sui.ObjectID) sui.Kind {
	return sui.Kind{Commands: []sui.Command{
		sui.MoveCall{Package: pkg, Module: managed.Module, Function: function},
		sui.MoveCall{Package: framework, Module: "transfer", Function: "public_share_object",
			TypeArgs: []sui.TypeTag{managerType(pkg)}, Arguments: []sui.Argument{sui.ResultArg(0)}},
	}}
}

// Read implements review.Adapter: it accepts exactly what Kind builds.
func (*Adapter) Read(tx *sui.Transaction) (review.Facts, error) {
	r := readback.New(tx)
	call, err := r.Call(managed.Module, []string{function}, registry.Published)
	if err != nil {
		return review.Facts{}, err
	}
	share, err := r.Call("transfer", []string{"public_share_object"}, func(id sui.ObjectID) bool { return id == framework })
	if err != nil {
		return review.Facts{}, err
	}
	if len(call.Arguments)+len(call.TypeArgs) != 0 || len(share.Arguments) != 1 || share.Arguments[0] != sui.ResultArg(0) ||
		len(share.TypeArgs) != 1 || share.TypeArgs[0].String() != managerType(call.Package).String() {
		return review.Facts{}, readback.Unlike("It does not make one balance manager for its sender and share that.")
	}
	if err := r.End(); err != nil {
		return review.Facts{}, err
	}
	return review.Facts{
		Recipient: tx.Sender, Terms: owned(tx.Sender), Package: call.Package, Function: call.Module + "::" + call.Function,
		Commands: []string{"Make a new, empty balance manager that belongs to your account.", "Put it where DeepBook can use it: a shared object. Its owner stays your account."},
	}, nil
}

// owned says whose the manager is.
func owned(owner sui.Address) []review.Term {
	return []review.Term{{Name: review.TermOwner, Value: owner.String()}}
}

// Told implements review.Adapter: one manager was made, and whose it is.
func (*Adapter) Told(account sui.Address, events []sui.Event) ([]review.Term, error) {
	made, err := managed.Told(events, account, deepbook.Deeds.Manager)
	if err != nil {
		return nil, err
	}
	return owned(made.Owner), nil
}

// Witness implements review.Witness: it names the manager that was made.
func (*Adapter) Witness(e sui.Executed, _ review.Facts) []review.Term {
	made, err := managed.Told(e.Events, e.Sender, deepbook.Deeds.Manager)
	if err != nil {
		return nil
	}
	return []review.Term{managed.Term(made.ID)}
}
