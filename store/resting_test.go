package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestResting checks that resting orders are stored with their events, and that an outdated
// observation is ignored.
func TestResting(t *testing.T) {
	db, c := fresh(t)
	ctx := t.Context()
	me := sui.MustAddress("0xa")
	one := resting.Order{Account: me, Manager: sui.MustAddress("0x33"), Pool: "SUI_USDC", ID: "1", IsBid: true,
		Price:    1_400_000,
		Quantity: 5, Remaining: 5, ExpireMs: 1<<64 - 1, Held: resting.Pair{Base: 7, Quote: 9}, SeenAt: c.Now().UTC()}
	other := one
	other.ID = "2"
	if kept, err := db.KeepResting(ctx, me, nil, []resting.Order{one, other}, nil); !kept || err != nil {
		t.Fatal(kept, err)
	}
	before, err := db.Resting(ctx)
	if err != nil || !slices.Equal(before, []resting.Order{one, other}) {
		t.Fatalf("%+v %v", before, err)
	}
	less := one
	less.Remaining, less.SeenAt = 2, c.Now().Add(time.Second).UTC()
	e, err := bus.NewEvent("", "order/1", bus.SystemNotice{Message: "filled"})
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := db.KeepResting(ctx, me, before, []resting.Order{less}, []bus.Event{e}); !kept || err != nil {
		t.Fatal(kept, err)
	}
	// A second process has read the same rows and comes later.
	if kept, err := db.KeepResting(ctx, me, before, nil, []bus.Event{e}); kept || err != nil {
		t.Error(kept, err)
	}
	after, err := db.Resting(ctx)
	if err != nil || !slices.Equal(after, []resting.Order{less}) {
		t.Errorf("%+v %v", after, err)
	}
	told, err := db.Latest(ctx, bus.Filter{Sees: bus.UI}, 10)
	if err != nil || len(told) != 1 {
		t.Errorf("%d events, %v", len(told), err)
	}
}
