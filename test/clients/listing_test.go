//go:build clients

package clients_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

type eventsPage struct {
	Events []struct {
		Module, Sender, EventType, Bcs, TransactionDigest string
		Checkpoint                                        *string
		EventIndex                                        *int
	}
	HasNextPage bool
}

// TestListEvents lets the official client page through the making of three
// managers.
func TestListEvents(t *testing.T) {
	s, url := serve(t)
	friend := sui.MustAddress("0xf41e4d")
	want := []string{}
	for _, owner := range []sui.Address{sandbox.Account, friend, sandbox.Account} {
		id, err := s.OpenManager(sandbox.Manager{Owner: owner})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, id.String())
	}
	event := registry.EventType("balance_manager", "BalanceManagerEvent")
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			var got struct {
				First, Second, Newest eventsPage
				Module                int
				Refused               *problem
			}
			node(t, &got, nil, "listing.mjs", url, format, event, friend.String())
			ids := []string{}
			for _, e := range append(got.First.Events, got.Second.Events...) {
				b := decode(t, e.Bcs)
				ids = append(ids, sui.ObjectID(b[:32]).String())
				if e.EventType != event || e.Checkpoint == nil || e.EventIndex == nil || *e.EventIndex != 0 ||
					e.TransactionDigest == "" {
					t.Errorf("%+v", e)
				}
			}
			if d := cmp.Diff(want, ids); d != "" {
				t.Error(d)
			}
			if !got.First.HasNextPage || got.Second.HasNextPage || len(got.First.Events) != 2 || got.Module != 3 {
				t.Errorf("%+v", got)
			}
			if n := got.Newest; len(n.Events) != 1 || n.HasNextPage || n.Events[0].Sender != friend.String() ||
				sui.ObjectID(decode(t, n.Events[0].Bcs)[:32]).String() != want[1] {
				t.Errorf("%+v", n)
			}
			if got.Refused == nil || got.Refused.Code != "INVALID_ARGUMENT" {
				t.Errorf("%+v", got.Refused)
			}
		})
	}
}
