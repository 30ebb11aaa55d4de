package deepbook

import (
	"context"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// chest returns the same list of objects for every type, and a list of events.
type chest struct {
	objects []sui.Object
	more    []byte
	events  func(cursor []byte) ([]sui.Event, []byte, error)
	gone    []sui.ObjectID // all other ids are managers
	coins   []sui.ObjectID // ids of other objects
	asked   *sui.EventFilter
}

func (c chest) Events(_ context.Context, f sui.EventFilter, cursor []byte, _ int) ([]sui.Event, []byte, error) {
	if c.asked != nil {
		*c.asked = f
	}
	if c.events == nil {
		return nil, nil, nil
	}
	return c.events(cursor)
}

func (c chest) Present(_ context.Context, ids []sui.ObjectID) (objects []sui.Object, err error) {
	for _, id := range ids {
		o := sui.Object{Ref: sui.ObjectRef{ID: id}, Type: managerType(), Owner: sui.Owner{Kind: sui.OwnerShared,
			InitialVersion: 5}}
		if slices.Contains(c.coins, id) {
			o.Type = sui.SUI.Object()
		}
		if !slices.Contains(c.gone, id) {
			objects = append(objects, o)
		}
	}
	return objects, nil
}

func (c chest) Owned(context.Context, sui.Address, string, []byte, int) ([]sui.Object, []byte, error) {
	return c.objects, c.more, nil
}

// listed returns a registry's answer with count managers.
func listed(count int) []sui.ReturnValue {
	b := []byte{byte(count)}
	for n := range count {
		b = append(b, byte(n), 1)
		b = append(b, make([]byte, 30)...)
	}
	return []sui.ReturnValue{{BCS: b}}
}

func TestDiscoveryBounds(t *testing.T) {
	owner, named, empty := sui.MustAddress("0xa"), sui.MustAddress("0xb"), sui.ObjectID{}
	discover := func(held chest, named sui.ObjectID, answers ...sui.Simulation) (Discovery, error) {
		node := &canned{simulations: answers, objects: []sui.Object{
			{Ref: sui.ObjectRef{ID: named}, Type: managerType(), Owner: sui.Owner{Kind: sui.OwnerShared, InitialVersion: 5}}}}
		return NewInventory(node.reader(), held).Discover(t.Context(), owner, named)
	}
	whose := returns([]sui.ReturnValue{{BCS: owner[:]}})
	if d, err := discover(chest{}, empty, returns(listed(MostManagers))); err != nil || d.Truncated ||
		len(d.Managers) != MostManagers {
		t.Errorf("exactly as many as are told: %d, %v, %v", len(d.Managers), d.Truncated, err)
	}
	if d, err := discover(chest{}, named, returns(listed(MostManagers)), whose); err != nil || !d.Truncated ||
		len(d.Managers) != MostManagers || !d.Has(named) {
		t.Errorf("a named one takes a place: %d, %v, %v", len(d.Managers), d.Truncated, err)
	}
	if d, err := discover(chest{more: []byte{1}}, empty, returns(listed(1))); err != nil || !d.Truncated {
		t.Errorf("there are more caps: %v, %v", d.Truncated, err)
	}
	held := sui.Object{Ref: sui.ObjectRef{ID: named}, Contents: append(named[:], owner[:]...)}
	if d, err := discover(chest{objects: []sui.Object{held}}, empty, returns(listed(0))); err != nil ||
		len(d.Managers) != 1 || len(d.Managers[0].Methods) != 3 {
		t.Errorf("a cap: %+v, %v", d, err)
	}
	for name, contents := range map[string][]byte{
		"another object's contents": append(owner[:], owner[:]...), "too long": append(held.Contents[:64:64], 0),
		"too short": held.Contents[:63], "none": nil,
	} {
		odd := held
		odd.Contents = contents
		if _, err := discover(chest{objects: []sui.Object{odd}}, empty, returns(listed(0))); !fault.Is(err,
			fault.ProviderMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := discover(chest{}, empty, returns([]sui.ReturnValue{{BCS: []byte{2, 0}}})); !fault.Is(err,
		fault.ProviderMismatch) {
		t.Errorf("a list that is cut off: %v", err)
	}
}
