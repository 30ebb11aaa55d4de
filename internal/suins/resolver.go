package suins

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Objects reads objects from one node. It is implemented by *rpc.Client.
type Objects interface {
	// Contents reads the current version of an object with the BCS of its value. If the node does
	// not have it, Contents returns fault.ProviderRefused with the code NotFound.
	Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error)
}

// Found is the target of a name, as reported by one node.
type Found struct {
	Name    Name
	Holder  sui.ObjectID // id of the registration, which changes when a name is sold again after its expiry
	Target  sui.Address
	Expires time.Time // end of the registration, in UTC
}

// Differs describes how the name's target differs from an earlier target and registration. It returns
// "" if nothing differs.
func (f Found) Differs(target, holder string) string {
	switch {
	case f.Target.String() != target:
		return "The name " + string(f.Name) + " now has a different address: " + f.Target.String() + "."
	case f.Holder.String() != holder:
		return "The name " + string(f.Name) + " was registered again: someone else may own it now."
	}
	return ""
}

// Resolver resolves names with one node.
type Resolver struct {
	Chain    Objects
	Registry Registry
	Now      func() time.Time
}

// Resolve resolves a name. If the name is unregistered, expired or without a target, it returns
// fault.InputInvalid; if it has another kind of record, fault.ProviderMismatch. Other errors come
// from the node.
func (r Resolver) Resolve(ctx context.Context, n Name) (Found, error) {
	own, err := r.read(ctx, n)
	if err != nil {
		return Found{}, err
	}
	ends := own
	//mutant:never ./internal/suins TestResolve
	if parent, sub := n.parent(); own.expires == 0 {
		if ends = (record{}); sub {
			ends, err = r.read(ctx, parent)
		}
		if err != nil {
			return Found{}, err
		}
		//mutant:never ./internal/suins TestResolve
		if ends.nft != own.nft || ends.expires == 0 {
			return Found{}, no(n, "belongs to a name that was registered again, and is no longer valid.")
		}
	}
	switch {
	//mutant:never ./internal/suins TestResolve
	case !r.Now().Before(ends.ends()):
		return Found{}, no(n, "ended on "+ends.ends().Format(time.DateOnly)+". Someone else may register it.")
	case own.target.IsZero():
		return Found{}, no(n, "has no address.")
	}
	return Found{Name: n, Holder: own.nft, Target: own.target, Expires: ends.ends()}, nil
}

// read reads the record of one name.
func (r Resolver) read(ctx context.Context, n Name) (record, error) {
	id := r.Registry.RecordID(n)
	o, err := r.Chain.Contents(ctx, id)
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			return record{}, no(n, "is not registered.")
		}
		return record{}, err
	}
	wrong := fault.New(fault.ProviderMismatch, "The node returned a different object than the record of %s.", n)
	//mutant:never ./internal/suins TestResolve
	if o.Type != r.Registry.RecordType().String() || o.Owner != (sui.Owner{Kind: sui.OwnerObject,
		Address: r.Registry.Table}) {
		return record{}, wrong
	}
	found, err := readRecord(o.Contents, id, n)
	if err != nil {
		return record{}, wrong
	}
	return found, nil
}

// no returns the error for a name without a current target.
func no(n Name, why string) error {
	return fault.New(fault.InputInvalid, "The name %s %s Ask the recipient for the full address.", n, why).With("field",
		"intent.recipientName")
}
