package deepbook

import (
	"bytes"
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ByEvent finds managers by the creation events that the account sent.
const ByEvent Method = "event"

// Limits on a single read of an account's events.
const (
	eventPages   = 5
	eventsOfPage = 200
	mostOfEvents = 500 // maximum number of managers whose objects are read
)

// EventReading states whether events were read.
type EventReading string

// A node may lack the service that lists events, or refuse to list them.
const (
	EventsRead       EventReading = "read"
	EventsNotOffered EventReading = "not_offered_by_node"
	EventsRefused    EventReading = "refused_by_node"
)

// made holds the managers that were created for an account, according to its events, and still exist.
type made struct {
	managers []sui.ObjectID
	more     bool // there are older events that were not read
	reading  EventReading
}

// managersMade reads the creation events of an account's managers, newest first. Swaps create temporary
// managers, so the node filters out those from DeepBook's pool functions. Of the others, only existing
// objects are returned. A manager that somebody else created for the account is not found, because
// nodes select by sender.
func (i *Inventory) managersMade(ctx context.Context, account sui.Address) (made, error) {
	filter := sui.EventFilter{Sender: account, Type: managerEvent()}
	for _, pkg := range registry.Packages() {
		filter.NotFrom = append(filter.NotFrom, pkg.ID.String()+"::pool")
	}
	out := made{reading: EventsRead}
	var ids []sui.ObjectID
	var cursor []byte
	for page := 0; ; page++ {
		events, next, err := i.lists.Events(ctx, filter, cursor, eventsOfPage)
		if fault.Is(err, fault.ProviderRefused) {
			// The results of the other methods are still useful.
			if fault.As(err).Detail.Get("code") == "Unimplemented" {
				return made{reading: EventsNotOffered}, nil
			}
			return made{reading: EventsRefused}, nil
		}
		if err != nil {
			return made{}, err
		}
		for _, e := range events {
			if len(e.Contents) != 64 || e.Type != filter.Type || e.Sender != account {
				return made{}, misshapenValue()
			}
			if bytes.Equal(e.Contents[32:], account[:]) {
				ids = append(ids, sui.ObjectID(e.Contents[:32]))
			}
		}
		if next == nil || page+1 == eventPages || len(ids) >= mostOfEvents {
			out.more = next != nil
			break
		}
		cursor = next
	}
	if len(ids) > mostOfEvents {
		ids, out.more = ids[:mostOfEvents], true
	}
	var err error
	out.managers, err = i.existing(ctx, ids)
	return out, err
}

// existing returns the ids that are balance managers now.
func (i *Inventory) existing(ctx context.Context, ids []sui.ObjectID) ([]sui.ObjectID, error) {
	var there []sui.ObjectID
	if len(ids) == 0 {
		return nil, nil
	}
	objects, err := i.lists.Present(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if o.Type == managerType() && o.Owner.Kind == sui.OwnerShared {
			there = append(there, o.Ref.ID)
		}
	}
	return there, nil
}

func managerEvent() string {
	return registry.EventType("balance_manager", "BalanceManagerEvent")
}
