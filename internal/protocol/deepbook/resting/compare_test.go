package resting

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestCompare: orders count as filled only if the manager's holdings prove it, as left unfilled only if
// nothing moved, and as unclear in every other case.
func TestCompare(t *testing.T) {
	manager := sui.MustAddress("0x33")
	at := place{manager, "SUI_USDC"}
	ask := Order{Manager: manager, Pool: "SUI_USDC", ID: "1", Price: 1_400_000, Quantity: 5_000_000_000,
		Remaining: 5_000_000_000,
		Held:      Pair{9_000_000_000, 0}}
	bid := ask
	bid.ID, bid.IsBid, bid.Held = "2", true, Pair{0, 7_000_000}
	part := ask
	part.Remaining = 2_000_000_000
	for _, c := range []struct {
		name        string
		before, now []Order
		held        Pair
		want        Fate
		filled      sui.Raw
		words       string
	}{
		{"nothing", []Order{ask}, []Order{ask}, ask.Held, "", 0, ""},
		{"a new one", nil, []Order{ask}, ask.Held, "", 0, ""},
		{"sold", []Order{ask}, nil, Pair{4_000_000_000, 7_000_000}, Filled, 5_000_000_000,
			"sell 5 SUI at 1.4 USDC per SUI is filled"},
		{"sold, less a fee in the coin", []Order{ask}, nil, Pair{3_990_000_000, 7_000_000}, Filled, 5_000_000_000,
			"is filled"},
		{"bought", []Order{bid}, nil, Pair{5_000_000_000, 0}, Filled, 5_000_000_000, "buy 5 SUI"},
		{"sold in part", []Order{ask}, []Order{part}, Pair{6_000_000_000, 4_200_000}, Partly, 3_000_000_000,
			"3 SUI now, 2 SUI still waits"},
		{"cancelled", []Order{ask}, nil, ask.Held, Unsold, 0, "it was cancelled"},
		{"sold, and taken out", []Order{ask}, nil, Pair{4_000_000_000, 0}, Gone, 0, "not clear"},
		{"bought, and taken out", []Order{bid}, nil, Pair{0, 0}, Gone, 0, "not clear"},
		{"cancelled, and taken out", []Order{ask}, nil, Pair{0, 0}, Gone, 0, "not clear"},
		{"half of it filled, then cancelled", []Order{ask}, nil, Pair{6_500_000_000, 3_500_000}, Gone, 0, "not clear"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compare(c.before, c.now, map[place]Pair{at: c.held})
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Fate != c.want || got[0].Filled != c.filled ||
				!strings.Contains(got[0].words(time.UnixMilli(1)), c.words) {
				t.Errorf("%+v %s", got, got[0].words(time.UnixMilli(1)))
			}
		})
	}
	t.Run("a manager that was not read", func(t *testing.T) {
		if got := compare([]Order{ask}, nil, nil); len(got) != 1 || got[0].Fate != Gone {
			t.Errorf("%+v", got)
		}
	})
	t.Run("both directions at once are not told apart", func(t *testing.T) {
		for _, c := range compare([]Order{ask, bid}, nil, map[place]Pair{at: ask.Held}) {
			if c.Fate != Gone {
				t.Errorf("%+v", c)
			}
		}
	})
	t.Run("expired", func(t *testing.T) {
		late, never := ask, ask
		late.ExpireMs, never.ExpireMs = 1000, 1<<64-1
		for order, want := range map[*Order]string{&late: "has expired", &never: "it was cancelled"} {
			if got := (Change{Order: *order, Fate: Unsold}).words(time.UnixMilli(2000)); !strings.Contains(got, want) {
				t.Error(got)
			}
		}
	})
}
