package floor

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/floorcheck"
)

// nodeOf is a node that has the packages of a protocol, with the recorded signatures.
type nodeOf struct {
	p      *Protocol
	change func(*sui.Interface)
}

func (n nodeOf) Functions(_ context.Context, id sui.ObjectID) (sui.Interface, error) {
	out := sui.Interface{Package: id}
	for _, known := range n.p.Packages {
		if known.Published == id {
			out.Original, out.Version = known.Original, known.Version
		}
	}
	for name := range floorcheck.Functions {
		fn, _ := node(name)
		module, _ := splitName(name)
		out.Modules = append(out.Modules, sui.ModuleInterface{Name: module, Functions: []sui.Function{fn}})
	}
	n.change(&out)
	return out, nil
}

func TestConfirm(t *testing.T) {
	for _, p := range catalog(t).Protocols {
		if !recorded(p) {
			continue
		}
		if err := p.Confirm(t.Context(), nodeOf{p, func(*sui.Interface) {}}); err != nil {
			t.Errorf("%s: %v", p.Slug, err)
		}
		for what, change := range map[string]func(*sui.Interface){
			"is version":      func(i *sui.Interface) { i.Original = sui.ObjectID{7} },
			"has no function": func(i *sui.Interface) { i.Modules = nil },
			"argument 0 is": func(i *sui.Interface) {
				for _, m := range i.Modules {
					m.Functions[0].Parameters[0] = "u256"
				}
			},
		} {
			err := p.Confirm(t.Context(), nodeOf{p, change})
			if p.Packages["main"].Original.IsZero() && what == "is version" {
				continue
			}
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v, not %q", p.Slug, err, what)
			}
		}
	}
}

// objectsOf is a node that returns a protocol's objects.
type objectsOf struct {
	p    *Protocol
	edit func([]sui.Object) []sui.Object
}

func (n objectsOf) Present(_ context.Context, ids []sui.ObjectID) (list []sui.Object, err error) {
	for _, id := range ids {
		for _, o := range n.p.Objects {
			if tag, ok := o.types.fill(n.p.shared[o.Shared].tag); o.ID == id && ok {
				list = append(list, sui.Object{Ref: sui.ObjectRef{ID: id}, Type: tag.String(),
					Owner: sui.Owner{Kind: sui.OwnerShared}})
				break
			}
		}
	}
	return n.edit(list), nil
}

// TestConfirmObjects: properties that a type cannot confirm stay unconfirmed. An object of another
// type, and one that is missing or not shared, is a difference.
func TestConfirmObjects(t *testing.T) {
	for _, p := range catalog(t).Protocols {
		same := func(list []sui.Object) []sui.Object { return list }
		n, open, err := p.ConfirmObjects(t.Context(), objectsOf{p, same})
		if err != nil || (n == 0) != (len(p.Objects) == 0) {
			t.Errorf("%s: %d, %v", p.Slug, n, err)
		}
		if want := p.Slug == "suilend"; (len(open) > 0) != want || want && open[0] != "Suilend USDC" {
			t.Errorf("%s: not confirmed: %q", p.Slug, open)
		}
		for what, edit := range map[string]func([]sui.Object) []sui.Object{
			"is a 0x2::a::B": func(list []sui.Object) []sui.Object { list[0].Type = "0x2::a::B"; return list },
			"is a ":          func(list []sui.Object) []sui.Object { list[0].Owner.Kind = sui.OwnerAddress; return list },
			"does not exist": func(list []sui.Object) []sui.Object { return list[1:] },
		} {
			if len(p.Objects) == 0 {
				continue
			}
			if m, _, err := p.ConfirmObjects(t.Context(), objectsOf{p, edit}); err == nil || m != n-1 ||
				!strings.Contains(err.Error(), what) {
				t.Errorf("%s: %d, %v, not %q", p.Slug, m, err, what)
			}
		}
	}
}
