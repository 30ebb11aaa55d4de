package policy

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Releases of one review exclude each other only where they share a gas coin. A
// transaction without one is excluded by nothing.
func TestOwnGroup(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	gas := sui.ObjectRef{ID: sui.Address{9}, Version: 3}
	limit := Allowance{PerDay: []CoinLimit{{CoinType: sui.SUI, Most: 10}}}
	for _, c := range []struct {
		name    string
		at, old Group
		allowed bool
	}{
		{"the same gas coin", Group{"a", gas}, Group{"a", gas}, true},
		{"another version of it", Group{"a", gas}, Group{"a", sui.ObjectRef{ID: gas.ID, Version: 4}}, false},
		{"another review", Group{"a", gas}, Group{"b", gas}, false},
		{"no gas coin", Group{Review: "a"}, Group{Review: "a"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := []Release{{Group: c.old, Takes: Takes{sui.SUI: 7}, At: now}}
			v := limit.Judge(Transaction{Group: c.at, Takes: Takes{sui.SUI: 7}}, before, now)
			if (v == nil) != c.allowed {
				t.Errorf("%+v", v)
			}
			if v != nil && (v.Rule != OfDay || v.Past != 7 || v.Takes != 7 || v.Limit != limit.PerDay[0]) {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestSumsDoNotWrap(t *testing.T) {
	takes := Takes{}
	takes.Add(sui.SUI, 1<<64-1)
	takes.Add(sui.SUI, 2)
	if takes[sui.SUI] != 1<<64-1 {
		t.Errorf("%d", takes[sui.SUI])
	}
}
