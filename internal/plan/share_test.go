package plan

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestPortions(t *testing.T) {
	bob, eve := sui.MustAddress("0xb0b"), sui.MustAddress("0xe4e")
	given := func(raw sui.Raw, to sui.Address) Given { return Given{Amount: ten9.Of(raw), To: to} }
	done, elsewhere, brought := given(400, eve), given(300, eve), given(50, eve)
	done.Done, done.Elsewhere, elsewhere.Elsewhere, brought.Brought = true, true, true, true
	result, paid := given(50, eve), Given{Amount: ten6.Of(10), To: eve, Elsewhere: true}
	for name, c := range map[string]struct {
		given         []Given
		held          sui.Raw
		bps, new, now int64
	}{
		"a tip":           {[]Given{given(10, eve)}, 1000, 100, 100, 10},
		"a whole account": {[]Given{given(990, eve)}, 1000, 9900, 9900, 990},
		"several recipients together": {[]Given{given(400, eve), given(400, sui.MustAddress("0xe5"))}, 1000,
			8000, 8000, 800},
		"somebody who was paid before":            {[]Given{given(700, bob), given(100, eve)}, 1000, 8000, 1000, 800},
		"what left already counts as held":        {[]Given{given(300, eve), done}, 600, 7000, 7000, 300},
		"what other steps will give":              {[]Given{given(300, eve), elsewhere}, 1000, 6000, 6000, 300},
		"a result counts as what was paid for it": {[]Given{result, brought, paid}, 1000, 100, 100, 0},
		"what others get beside a result":         {[]Given{given(20, bob), brought}, 1000, 200, 0, 20},
		"more than there is":                      {[]Given{given(5, eve)}, 0, 10000, 10000, 5},
		"rounded to the nearest":                  {[]Given{given(74995, eve)}, 100000, 7500, 7500, 74995},
		"as much as two amounts of 64 bits can be": {[]Given{given(1<<64-1, eve), given(1<<64-1, eve)}, 1<<64 - 1, 10000,
			10000, -1},
	} {
		list := Portions(c.given, func(sui.CoinType) sui.Raw { return c.held }, func(a sui.Address) bool { return a == bob })
		if len(list) != 1 || list[0].Bps != c.bps || list[0].New != c.new || int64(list[0].Now.Raw) != c.now {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// A payment of a swap's result also gives what was paid for it.
func TestGives(t *testing.T) {
	eve, own := sui.MustAddress("0xe4e"), sui.MustAddress("0xa")
	swap := StepFacts{Promise: Promise{Outcomes: []Outcome{{Bounds: []Bound{Leaves(RoleInput, ten9.Of(1000)),
		Moves(RoleHolding, ResultParty(1, 0), ten6.Of(200), false)}}}}}
	pay := func(raw sui.Raw, party Party, of Asset, to sui.Address) StepFacts {
		return StepFacts{Promise: Promise{Outcomes: []Outcome{{Bounds: []Bound{Moves(RoleInput, party, of.Of(raw), true),
			Moves(RolePayment, AddressParty(to), of.Of(raw), false)}}}}}
	}
	fed := Intent{From: IntentSource{ResultOf: 1}}
	got := Gives([]StepFacts{swap, pay(200, ResultParty(1, 0), ten6, eve)}, []Intent{{}, fed}, own)
	if len(got) != 1 || got[0].Raw != 1000 || got[0].CoinType != ten9.CoinType || got[0].To != eve {
		t.Errorf("%+v", got)
	}
	if got := Gives([]StepFacts{swap, pay(5, Party{}, ten9, own)}, []Intent{{}, {}}, own); len(got) != 0 {
		t.Errorf("a swap and a payment to the account itself: %+v", got)
	}
}

func TestEncodeWith(t *testing.T) {
	m := Market{Base: ten9, Quote: ten6, Middle: "1.25"}
	sold := Traded{Paid: ten9.Of(10_000_000_000), Arrives: ten6.Of(12_000_000)}
	trade, ok := m.Against(sold, sold)
	if !ok {
		t.Fatal("no comparison")
	}
	for price, want := range map[sui.Decimal]int64{"1.25": 400, "2": 4000, "1.2": 0, "1": -2000} {
		if less, ok := m.ShortfallAt(*trade, price); !ok || less.Bps != want {
			t.Errorf("%s: %+v %t", price, less, ok)
		}
	}
	if _, ok := m.ShortfallAt(*trade, ""); ok {
		t.Error("compared with no price")
	}
}
