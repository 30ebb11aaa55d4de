package settings_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// one is a store that contains only these settings.
type one struct {
	settings.Store
	stored settings.Stored
}

func (o *one) Settings(context.Context) (settings.Stored, error) { return o.stored, nil }
func (o *one) Frozen(context.Context) (bool, error)              { return false, nil }
func (o *one) ChangeSettings(_ context.Context, change func(*settings.Stored) error) error {
	return change(&o.stored)
}

// TestUsedAndLeft checks that a change of a daily limit shows how much of the old and of the new
// limit is used and left.
func TestUsedAndLeft(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	db := &one{}
	db.stored.Allowance.PerDay = []policy.CoinLimit{{CoinType: sui.SUI, Most: 20_000_000_000}}
	s := settings.New(settings.Config{Store: db, Released: func(context.Context) ([]policy.Release, time.Time, error) {
		return []policy.Release{{Group: policy.Group{Review: "a"}, At: now.Add(-time.Hour), SignedAt: now.Add(-time.Hour),
			Executed:  true,
			Succeeded: true, Takes: policy.Takes{sui.SUI: policy.Taken{Leaves: 12_000_000_000}}}}, now, nil
	}})
	for _, c := range []struct {
		most     sui.Decimal
		old, now string
	}{
		{"50", "20 SUI: 12 used, 8 left", "50 SUI: 12 used, 38 left"},
		{"10", "20 SUI: 12 used, 8 left", "10 SUI: 12 used, 0 left"},
	} {
		text := policy.AllowanceText{PerDay: []policy.LimitText{{Most: c.most, Coin: sui.SUI}}}
		out, err := s.SetAllowance(t.Context(), text, "")
		if err != nil || len(out.Changes) != 1 || out.Changes[0].Old != c.old || out.Changes[0].New != c.now {
			t.Errorf("%+v %v", out, err)
		}
	}
	if view, err := s.View(t.Context()); err != nil || view.PerDay[0].Left != "0" {
		t.Errorf("%+v %v", view.PerDay, err)
	}
}
