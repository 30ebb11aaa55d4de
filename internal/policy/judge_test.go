package policy

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Releases of one review exclude each other only if they share a gas coin.
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
			before := []Release{{Group: c.old, Takes: Takes{sui.SUI: {Leaves: 7}}, At: now}}
			v := limit.Judge(Transaction{Group: c.at, Takes: Takes{sui.SUI: {Leaves: 7}}}, before, now)
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
	most := Taken{Leaves: 1<<64 - 1, Offers: 1<<64 - 1}
	if got := most.And(Taken{Leaves: 2, Offers: 2}); got != most || got.Total() != 1<<64-1 {
		t.Errorf("%+v, %d", got, got.Total())
	}
}

// A deposit and the orders that it pays for count once; offers beyond the deposit count too.
func TestDepositAndItsOrder(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	release := func(review string, one Taken) Release {
		return Release{Group: Group{review, sui.ObjectRef{ID: sui.Address{1}, Version: uint64(len(review))}},
			Takes: Takes{sui.SUI: one}, At: now}
	}
	deposit := release("deposit", Taken{Leaves: 10, Deposits: 10})
	for _, c := range []struct {
		name     string
		released []Release
		present  Taken
		together sui.Raw // of the day
	}{
		{"an order of what was deposited", []Release{deposit}, Taken{Offers: 10}, 10},
		{"the deposit after the order", []Release{release("o", Taken{Offers: 10})}, Taken{Leaves: 10, Deposits: 10}, 10},
		{"an order of more than that", []Release{deposit}, Taken{Offers: 25}, 25},
		{"a second order", []Release{deposit, release("o", Taken{Offers: 10})}, Taken{Offers: 5}, 15},
		{"a payment besides", []Release{deposit, release("o", Taken{Offers: 10})}, Taken{Leaves: 4}, 14},
		{"an order without a deposit", nil, Taken{Offers: 7}, 7},
		{"both in one transaction", nil, Taken{Leaves: 10, Deposits: 10, Offers: 12}, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := Transaction{Group: Group{Review: "present"}, Takes: Takes{sui.SUI: c.present}}
			exact := Allowance{PerDay: []CoinLimit{{CoinType: sui.SUI, Most: c.together}}}
			if v := exact.Judge(at, c.released, now); v != nil {
				t.Errorf("refused at the limit: %+v", v)
			}
			less := Allowance{PerDay: []CoinLimit{{CoinType: sui.SUI, Most: c.together - 1}}}
			if v := less.Judge(at, c.released, now); v == nil || v.Rule != OfDay || v.Together != c.together {
				t.Errorf("one unit under it: %+v", v)
			}
		})
	}
}

// The maximum number of requests for one account is stored only if it is not the default.
func TestRequests(t *testing.T) {
	for asked, want := range map[int][2]int{0: {0, UsualRequests}, UsualRequests: {0, UsualRequests}, 40: {40, 40}} {
		a, err := AllowanceText{Requests: asked}.Read(nil, Allowance{})
		if err != nil || a.Requests != want[0] || a.MostRequests() != want[1] {
			t.Errorf("%d: %+v, %v", asked, a, err)
		}
	}
	for _, wrong := range []int{-1, maxRequests + 1} {
		if _, err := (AllowanceText{Requests: wrong}).Read(nil, Allowance{}); err == nil {
			t.Errorf("%d is taken", wrong)
		}
	}
	if d := Differences(Allowance{}, Allowance{Requests: 200}); len(d) != 1 || !d[0].Looser || d[0].Old != "120" ||
		d[0].New != "200" {
		t.Errorf("%+v", d)
	}
}
