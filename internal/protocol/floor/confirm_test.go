package floor

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/floorcheck"
)

// nodeOf is a node that has the packages of a protocol, with the true signatures.
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
