package floor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Packages reads the interfaces of packages. rpc.Client implements it.
type Packages interface {
	Functions(ctx context.Context, id sui.ObjectID) (sui.Interface, error)
}

// Confirm compares a protocol's packages and signatures with those of a node. It returns all
// differences as one error.
func (p *Protocol) Confirm(ctx context.Context, node Packages) error {
	offers := map[string]sui.Interface{}
	var wrong []error
	for name, known := range p.Packages {
		has, err := node.Functions(ctx, known.Published)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s, the package %s: %w", p.Slug, known.Published, err))
			continue
		}
		//mutant:never ./internal/protocol/floor TestConfirm
		if !known.Original.IsZero() && has.Original != known.Original || known.Version > 0 && has.Version != known.Version {
			wrong = append(wrong, fmt.Errorf("%s: the package %s is version %d of %s", p.Slug, known.Published,
				has.Version, has.Original))
		}
		offers[name] = has
	}
	for name, has := range offers {
		wrong = append(wrong, p.Compare(name, has))
	}
	return errors.Join(wrong...)
}

// Compare compares a version of a package with the described functions that the protocol calls in it.
// It returns all differences as one error.
func (p *Protocol) Compare(name string, has sui.Interface) error {
	var wrong []error
	for i := range p.Functions {
		f := &p.Functions[i]
		all := *f
		for _, g := range f.Refuse {
			all.Steps = append(slices.Clip(all.Steps), g.Step)
		}
		for n, s := range all.Steps {
			if s.Package == name {
				wrong = append(wrong, all.confirm(n, has))
			}
		}
	}
	return errors.Join(wrong...)
}

// confirm compares a step with the functions of a package.
func (f *Function) confirm(step int, has sui.Interface) error {
	module, name := splitName(f.Steps[step].Fn)
	fn, ok := find(has, module, name)
	if !ok {
		return fmt.Errorf("%s: the package %s has no function %s::%s", f.ID, has.Package, module, name)
	}
	return f.Signature(step, fn)
}

// find returns a function of a package.
func find(in sui.Interface, module, name string) (sui.Function, bool) {
	for _, m := range in.Modules {
		for _, fn := range m.Functions {
			if m.Name == module && fn.Name == name {
				return fn, true
			}
		}
	}
	return sui.Function{}, false
}

// Objects reads objects. rpc.Client implements it.
type Objects interface {
	// Present reads objects, and omits those that do not exist.
	Present(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
}

// ConfirmObjects reads the shared objects that the protocol's actions use from a node, and compares
// their types with the description. It returns the number of matching objects, the labels of
// properties that a type cannot confirm, and all differences as one error.
func (p *Protocol) ConfirmObjects(ctx context.Context, node Objects) (confirmed int, unconfirmed []string, err error) {
	want, labels := map[sui.ObjectID]string{}, map[sui.ObjectID]string{}
	for _, o := range p.Objects {
		tag, ok := o.types.fill(p.shared[o.Shared].tag)
		if want[o.ID] = tag.String(); !ok {
			return 0, nil, fmt.Errorf("%s: the type of the object %s is unknown", p.Slug, o.ID)
		}
		labels[o.ID] = o.Label
		if o.Unconfirmed && len(o.Values) > 0 {
			unconfirmed = append(unconfirmed, p.Name+" "+o.Label)
		}
	}
	found, err := node.Present(ctx, slices.Collect(maps.Keys(want)))
	if err != nil || len(want) == 0 {
		return 0, unconfirmed, err
	}
	var wrong []error
	for _, o := range found {
		//mutant:never ./internal/protocol/floor TestConfirmObjects
		if o.Type != want[o.Ref.ID] || o.Owner.Kind != sui.OwnerShared {
			wrong = append(wrong, fmt.Errorf("%s %s: the object %s is a %s", p.Slug, labels[o.Ref.ID], o.Ref.ID, o.Type))
			confirmed--
		}
		confirmed++
		delete(want, o.Ref.ID)
	}
	byID := func(a, b sui.ObjectID) int { return bytes.Compare(a[:], b[:]) }
	for _, id := range slices.SortedFunc(maps.Keys(want), byID) {
		wrong = append(wrong, fmt.Errorf("%s %s: the object %s does not exist", p.Slug, labels[id], id))
	}
	return confirmed, unconfirmed, errors.Join(wrong...)
}
