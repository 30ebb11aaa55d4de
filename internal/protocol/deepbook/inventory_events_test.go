package deepbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// making returns the event of a manager that sender created for owner.
func making(sender sui.Address, id sui.ObjectID, owner sui.Address) sui.Event {
	return sui.Event{Sender: sender, Type: managerEvent(), Contents: append(append([]byte{}, id[:]...), owner[:]...)}
}

// refusing answers every page with an error.
func refusing(err error) func([]byte) ([]sui.Event, []byte, error) {
	return func([]byte) ([]sui.Event, []byte, error) { return nil, nil, err }
}

func TestDiscoveryByEvents(t *testing.T) {
	me, other := sui.MustAddress("0xa"), sui.MustAddress("0xb")
	one, two, gone := sui.ObjectID{1}, sui.ObjectID{2}, sui.ObjectID{3}
	discover := func(held chest) (Discovery, error) {
		node := &canned{simulations: []sui.Simulation{returns(listed(0))}}
		return NewInventory(node.reader(), held).Discover(t.Context(), me, sui.ObjectID{})
	}
	once := func(events ...sui.Event) func([]byte) ([]sui.Event, []byte, error) {
		return func([]byte) ([]sui.Event, []byte, error) { return events, nil, nil }
	}
	t.Run("R004-111 those that the account owns and that still exist, newest first, once", func(t *testing.T) {
		var asked sui.EventFilter
		d, err := discover(chest{asked: &asked, gone: []sui.ObjectID{gone}, coins: []sui.ObjectID{{5}}, events: once(
			making(me, two, me), making(me, gone, me), making(me, sui.ObjectID{5}, me), making(me, sui.ObjectID{4}, other),
			making(me, one, me), making(me, two, me))})
		want := []Manager{{two, []Method{ByEvent}}, {one, []Method{ByEvent}}}
		if diff := cmp.Diff(want, d.Managers); err != nil || diff != "" || d.Truncated || d.Events != EventsRead {
			t.Errorf("%v %+v %s", err, d, diff)
		}
		// The temporary managers of an account that swaps often would fill every page.
		if asked.Sender != me || asked.Type != managerEvent() || len(asked.NotFrom) != len(registry.Packages()) ||
			asked.NotFrom[0] != newest().String()+"::pool" {
			t.Errorf("asked %+v", asked)
		}
	})
	for name, e := range map[string]sui.Event{
		"another sender": making(other, one, me),
		"another type":   {Sender: me, Type: managerType(), Contents: making(me, one, me).Contents},
		"too short":      {Sender: me, Type: managerEvent(), Contents: one[:]},
	} {
		t.Run("R004-111 an event that cannot be right: "+name, func(t *testing.T) {
			if d, err := discover(chest{events: once(e)}); !fault.Is(err, fault.ProviderMismatch) {
				t.Errorf("%+v %v", d, err)
			}
		})
	}
	t.Run("R004-111 pages are bounded, and that older ones were not read is said", func(t *testing.T) {
		pages := 0
		endless := func(cursor []byte) ([]sui.Event, []byte, error) {
			pages++
			return []sui.Event{making(me, sui.ObjectID{byte(pages), 9}, me)}, []byte{byte(pages)}, nil
		}
		d, err := discover(chest{events: endless})
		if err != nil || pages != eventPages || len(d.Managers) != pages || !d.Truncated {
			t.Errorf("%d pages, %+v, %v", pages, d, err)
		}
	})
	t.Run("R004-111 no more objects are asked for than the bound", func(t *testing.T) {
		var many []sui.Event
		for n := range mostOfEvents + 1 {
			many = append(many, making(me, sui.ObjectID{byte(n >> 8), byte(n), 7}, me))
		}
		asked := 0
		d, err := discover(chest{events: func([]byte) ([]sui.Event, []byte, error) { asked++; return many, []byte{1}, nil }})
		if err != nil || asked != 1 || !d.Truncated || len(d.Managers) != MostManagers {
			t.Errorf("asked %d times, %d managers, %v", asked, len(d.Managers), err)
		}
	})
	held := sui.Object{Ref: sui.ObjectRef{ID: one}, Contents: append(append([]byte{}, one[:]...), two[:]...)}
	for _, c := range []struct {
		name, code string
		want       EventReading
	}{{"a node without the service", "Unimplemented", EventsNotOffered}, {"a node that refuses", "FailedPrecondition",
		EventsRefused}} {
		t.Run("R004-111 caps still tell: "+c.name, func(t *testing.T) {
			d, err := discover(chest{objects: []sui.Object{held}, events: refusing(fault.New(fault.ProviderRefused,
				"No.").With("code", c.code))})
			if err != nil || d.Events != c.want || len(d.Managers) != 1 || d.Managers[0].ID != two {
				t.Errorf("%+v %v", d, err)
			}
		})
	}
	t.Run("R004-111 an outage is no answer", func(t *testing.T) {
		if _, err := discover(chest{events: refusing(fault.New(fault.ProviderUnavailable, "Down."))}); !fault.Is(err,
			fault.ProviderUnavailable) {
			t.Error(err)
		}
	})
}
