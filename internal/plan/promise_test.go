package plan

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

var payer = sui.MustAddress("0xacc")

// TestPromise shows what a promise allows, using the only comparator.
func TestPromise(t *testing.T) {
	friend, thing := sui.MustAddress("0xb0b"), sui.MustAddress("0x77")
	usdc := Asset{Symbol: "USDC", CoinType: "0x5::usdc::USDC", Decimals: 6}
	change := func(owner sui.Address, coin sui.CoinType, n int64) sui.BalanceChange {
		amount := sui.Delta{Amount: sui.Raw(max(n, -n)), Negative: n < 0}
		return sui.BalanceChange{Owner: owner, Coin: coin, Amount: amount}
	}
	gas := sui.GasCost{Computation: 100}
	swap := SwapPromise([]Amount{SUI.Of(10)}, usdc.Of(30))
	pays := Promise{[]Outcome{{Name: "sent", Bounds: []Bound{
		Moves(RoleInput, Party{}, usdc.Of(5), true), Moves(RolePayment, AddressParty(friend), usdc.Of(5), false)}}}}
	holds := Promise{[]Outcome{{Name: "moved", Bounds: []Bound{
		Moves(RoleInput, Party{}, usdc.Of(5), true), Moves(RoleHolding, ObjectParty(thing), usdc.Of(5), false)}}}}
	for _, c := range []struct {
		name    string
		p       Promise
		changes []sui.BalanceChange
		objects []Change
		want    string // the outcome that happened, "" for none
	}{
		{"exactly the least", swap, []sui.BalanceChange{change(payer, sui.SUI, -110), change(payer, usdc.CoinType, 30)}, nil,
			"swapped"},
		{"more arrives and less leaves", swap, []sui.BalanceChange{change(payer, sui.SUI, -105), change(payer, usdc.CoinType,
			31)}, nil, "swapped"},
		{"less than the least", swap, []sui.BalanceChange{change(payer, sui.SUI, -110), change(payer, usdc.CoinType, 29)},
			nil, ""},
		{"more than the most", swap, []sui.BalanceChange{change(payer, sui.SUI, -111), change(payer, usdc.CoinType, 30)}, nil,
			""},
		{"all coins come back", swap, []sui.BalanceChange{change(payer, sui.SUI, -100)}, nil, "nothing is swapped"},
		{"another coin leaves", swap, []sui.BalanceChange{change(payer, sui.SUI, -110), change(payer, usdc.CoinType, 30),
			change(payer, "0x7::a::A", -1)}, nil, ""},
		{"another coin arrives", swap, []sui.BalanceChange{change(payer, sui.SUI, -110), change(payer, usdc.CoinType, 30),
			change(payer, "0x7::a::A", 1)}, nil, ""},
		{"others may lose but never gain", swap, []sui.BalanceChange{change(payer, sui.SUI, -110),
			change(payer, usdc.CoinType, 30), change(friend, usdc.CoinType, 1)}, nil, ""},
		{"the address zero is not the account", swap, []sui.BalanceChange{change(payer, sui.SUI, -110), change(sui.Address{},
			usdc.CoinType, 30)}, nil, ""},
		{"others lose", swap, []sui.BalanceChange{change(payer, sui.SUI, -110), change(payer, usdc.CoinType, 30),
			change(friend, usdc.CoinType, -1)}, nil, "swapped"},
		{"the recipient gets it", pays, []sui.BalanceChange{change(payer, sui.SUI, -100), change(payer, usdc.CoinType, -5),
			change(friend, usdc.CoinType, 5)}, nil, "sent"},
		{"the recipient gets less", pays, []sui.BalanceChange{change(payer, sui.SUI, -100), change(payer, usdc.CoinType, -5),
			change(friend, usdc.CoinType, 4)}, nil, ""},
		{"it failed", pays, []sui.BalanceChange{change(payer, sui.SUI, -100)}, nil, "nothing happens"},
		{"an object of which nothing is reported", holds, []sui.BalanceChange{change(payer, sui.SUI, -100),
			change(payer, usdc.CoinType, -5)}, nil, "moved"},
		{"an object that got it", holds, []sui.BalanceChange{change(payer, sui.SUI, -100), change(payer, usdc.CoinType, -5)},
			[]Change{{ObjectParty(thing), usdc.CoinType, big.NewInt(5)}}, "moved"},
		{"an object that got more", holds, []sui.BalanceChange{change(payer, sui.SUI, -100), change(payer, usdc.CoinType,
			-5)},
			[]Change{{ObjectParty(thing), usdc.CoinType, big.NewInt(6)}}, ""},
		{"an object that got less", holds, []sui.BalanceChange{change(payer, sui.SUI, -100), change(payer, usdc.CoinType,
			-5)},
			[]Change{{ObjectParty(thing), usdc.CoinType, big.NewInt(4)}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.p.Happened(Observe(payer, sui.Effects{Gas: gas, Balances: c.changes}, c.objects...))
			if name := got.Outcome.Name; got.Holds() != (c.want != "") || got.Holds() && name != c.want {
				t.Errorf("%q, holds %t, want %q", name, got.Holds(), c.want)
			}
		})
	}
}

// The promise of several steps is the sum of theirs.
func TestSumOfPromises(t *testing.T) {
	usdc := Asset{Symbol: "USDC", CoinType: "0x5::usdc::USDC", Decimals: 6}
	there, back := SwapPromise([]Amount{SUI.Of(10)}, usdc.Of(30)), SwapPromise([]Amount{usdc.Of(30)}, SUI.Of(9))
	p, err := Sum(there, back)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Outcomes) != 4 || p.Outcomes[0].Name != "swapped" {
		t.Errorf("%d outcomes, %q first", len(p.Outcomes), p.Outcomes[0].Name)
	}
	for coin, want := range map[sui.CoinType][2]string{sui.SUI: {"-1", "<nil>"}, usdc.CoinType: {"0", "<nil>"}} {
		for _, b := range p.Bounds() {
			if b.Coin.CoinType == coin && (b.Least.String() != want[0] || b.Most.String() != want[1]) {
				t.Errorf("%s: %s to %s, want %v", coin, b.Least, b.Most, want)
			}
		}
	}
	var many []Promise
	for i := range 5 {
		many = append(many, SwapPromise([]Amount{SUI.Of(sui.Raw(1 << i))}, usdc.Of(3)))
	}
	if _, err := Sum(many...); err == nil {
		t.Error("more ways to end than a person can be told of")
	}
	same, err := Sum(there, there)
	if err != nil || len(same.Outcomes) != 3 || same.Bounds()[0].Least.String() != "-20" ||
		same.Bounds()[0].Role != RoleInput {
		t.Errorf("%v %+v", err, same.Bounds())
	}
	text, err := json.Marshal(p)
	var again Promise
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil || !again.Equal(p) {
		t.Errorf("%v: %s", err, text)
	}
}

// A plan that names no coin fits exact amounts that arrive in the account, and nothing else.
func TestRefinesEveryCoin(t *testing.T) {
	asked := Promise{[]Outcome{{Bounds: []Bound{{Role: RoleOutput, Coin: EveryCoin}}}}}
	arrives := func(n sui.Raw) Bound { return Moves(RoleOutput, Party{}, SUI.Of(n), false) }
	for name, c := range map[string]struct {
		rows []Bound
		fits bool
	}{
		"two coins": {[]Bound{arrives(5), arrives(6), Moves(RoleHolding, ObjectParty(payer), SUI.Of(5), true)},
			true},
		"nothing":              {nil, false},
		"at least":             {[]Bound{Arrives(SUI.Of(5))}, false},
		"to somebody else":     {[]Bound{Moves(RoleOutput, AddressParty(payer), SUI.Of(5), false)}, false},
		"and something leaves": {[]Bound{arrives(5), Leaves(RoleInput, SUI.Of(5))}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if (Promise{[]Outcome{{Bounds: c.rows}}}).Refines(asked) != c.fits {
				t.Errorf("fits %t", !c.fits)
			}
		})
	}
}
