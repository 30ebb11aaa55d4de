package suins

import (
	"context"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chosen returns an address's default name. It returns false if there is none, or if the name does not
// resolve back to the address. The name is only for display.
func (r Resolver) Chosen(ctx context.Context, a sui.Address) (Found, bool, error) {
	id := r.Registry.ReverseID(a)
	o, err := r.Chain.Contents(ctx, id)
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			err = nil
		}
		return Found{}, false, err
	}
	n, err := readReverse(o.Contents, id, a)
	if err != nil || o.Type != r.Registry.ReverseType().String() || o.Owner != (sui.Owner{Kind: sui.OwnerObject,
		Address: r.Registry.Reverse}) {
		return Found{}, false, fault.New(fault.ProviderMismatch,
			"The node returned a different object than the name that %s chose.", a)
	}
	found, err := r.Resolve(ctx, n)
	if fault.As(err).Code == fault.InputInvalid {
		return Found{}, false, nil
	}
	//mutant:never ./internal/suins TestChosen
	if err != nil || found.Target != a {
		return Found{}, false, err
	}
	return found, true, nil
}

// readReverse reads the BCS of Field{id, address, Domain}.
func readReverse(contents []byte, id sui.ObjectID, a sui.Address) (Name, error) {
	c := cursor{left: contents}
	if sui.ObjectID(c.take(32)) != id || sui.Address(c.take(32)) != a {
		return "", errRecord
	}
	var labels []string
	for range c.length() {
		labels = append(labels, string(c.take(c.length())))
		if c.short {
			break
		}
	}
	slices.Reverse(labels)
	text := strings.Join(labels, ".")
	n, err := Parse(text)
	if err != nil || string(n) != text || c.short || len(c.left) > 0 {
		return "", errRecord
	}
	return n, nil
}
