package sandbox

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestProvenOfExecuted executes transactions whose commands are drawn at random.
// What follows of their balance changes from bytes and effects is what they did.
func TestProvenOfExecuted(t *testing.T) {
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	s, err := New(Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{Sandbox: s}
	id, err := s.OpenManager(Manager{Owner: Account})
	if err != nil {
		t.Fatal(err)
	}
	manager := sui.SharedInput{ID: id, InitialVersion: s.Object(id).owner.InitialVersion, Mutable: true}
	random := rand.New(rand.NewPCG(3, 4))
	proven, open, failedOnes := 0, 0, 0
	for range 1500 {
		s.Hold(Account, sui.SUI, 1_000_000_000_000, 0) // what was given away
		tx := n.drawn(t, random, manager)
		raw, signature, err := s.Sign(tx)
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Execute(raw, [][]byte{signature})
		if err != nil {
			continue
		}
		got, ok := pastOf(done).proven(nil)
		switch {
		case !ok:
			open++
			continue
		case done.failure != nil:
			failedOnes++
		default:
			proven++
		}
		if diff := cmp.Diff(plainly(done.balances), plainly(got)); diff != "" {
			t.Fatalf("%+v: %s", tx.Commands, diff)
		}
	}
	if proven < 50 || open < 100 || failedOnes < 100 {
		t.Errorf("%d proven, %d not, %d failed: the draw proves too little", proven, open, failedOnes)
	}
}

func plainly(list []balanceChange) map[string]string {
	out := map[string]string{}
	for _, b := range list {
		out[b.owner.String()+" "+string(b.coin)] = b.amount.String()
	}
	return out
}

// drawn makes some commands of those that people use on coins. What is split off
// and not used is handed on.
func (n *node) drawn(t *testing.T, random *rand.Rand, manager sui.SharedInput) *sui.Transaction {
	t.Helper()
	tx := n.swapTx(t, "SUI_USDC", 1000, 0, nil)
	tx.Inputs = []sui.Input{sui.PureU64(1000), sui.PureU64(77), manager, sui.PureAddress(Account), sui.PureAddress(sui.MustAddress("0xb0b")),
		sui.OwnedInput{Ref: n.coin(t, sui.SUI, 1)}}
	tx.Commands = nil
	var free []sui.Argument // coins that somebody must take
	one := func() sui.Argument {
		switch {
		case len(free) > 0 && random.IntN(8) > 0:
			return free[random.IntN(len(free))]
		case random.IntN(4) > 0:
			return sui.InputArg(5)
		}
		return sui.GasCoin
	}
	take := func() sui.Argument {
		a := one()
		free = slices.DeleteFunc(free, func(b sui.Argument) bool { return a == b })
		return a
	}
	add := func(c sui.Command) { tx.Commands = append(tx.Commands, c) }
	for range 1 + random.IntN(4) {
		switch random.IntN(8) {
		case 0, 1, 2:
			from := sui.GasCoin
			if random.IntN(6) == 0 {
				from = one()
			}
			free = append(free, sui.ResultArg(len(tx.Commands)))
			add(sui.SplitCoins{Coin: from, Amounts: []sui.Argument{sui.InputArg(random.IntN(2))}})
		case 3, 4:
			add(sui.TransferObjects{Objects: []sui.Argument{take()}, Recipient: sui.InputArg(3 + random.IntN(2))})
		case 5:
			add(sui.MergeCoins{Sources: []sui.Argument{take()}, Into: one()})
		default:
			add(depositOf(take()))
		}
	}
	for _, rest := range free {
		if random.IntN(2) == 0 {
			add(depositOf(rest))
			continue
		}
		add(sui.TransferObjects{Objects: []sui.Argument{rest}, Recipient: sui.InputArg(3 + random.IntN(2))})
	}
	return tx
}

// depositOf puts a coin into the manager, input 2.
func depositOf(coin sui.Argument) sui.Command {
	return sui.MoveCall{Package: registry.Packages()[0].ID, Module: "balance_manager", Function: "deposit",
		TypeArgs: []sui.TypeTag{sui.SUI.Tag()}, Arguments: []sui.Argument{sui.InputArg(2), coin}}
}

// TestProvenOfRecorded judges what cannot be proven.
func TestProvenOfRecorded(t *testing.T) {
	payer, other := sui.MustAddress("0xa1"), sui.MustAddress("0xb0b")
	held := sui.Owner{Kind: sui.OwnerAddress, Address: payer}
	child := func(of sui.ObjectID) sui.Owner { return sui.Owner{Kind: sui.OwnerObject, Address: of} }
	shared := sui.Owner{Kind: sui.OwnerShared, InitialVersion: 7}
	id := func(n byte) sui.ObjectID { return sui.Address{n} }
	call := sui.MoveCall{Package: other, Module: "m", Function: "f", Arguments: []sui.Argument{sui.InputArg(0)}}
	split := sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(1)}}
	changes := func(list ...pastChange) []pastChange {
		return append(list, pastChange{id: id(1), before: true, after: true, was: held, owner: held}) // the coin that pays
	}
	calls := func(list ...sui.Command) []sui.Command { return list }
	for name, c := range map[string]struct {
		commands []sui.Command
		changes  []pastChange
		types    map[sui.ObjectID]string
		want     string // the payer's change, "" where nothing is proven
	}{
		"nothing but gas":                 {calls(call), changes(), nil, "-60"},
		"a shared object moved":           {calls(call), changes(pastChange{id: id(2), before: true, after: true, was: shared, owner: shared}), nil, "-60"},
		"what was split off is gone":      {calls(split, call), changes(), nil, "-65"},
		"two splits":                      {calls(split, split, call), changes(), nil, "-70"},
		"an amount that is not in it":     {calls(sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.NestedArg(0, 0)}}, call), changes(), nil, ""},
		"the gas coin in a call":          {calls(sui.MoveCall{Package: other, Module: "m", Function: "f", Arguments: []sui.Argument{sui.GasCoin}}), changes(), nil, ""},
		"something merged into it":        {calls(call, sui.MergeCoins{Into: sui.GasCoin, Sources: []sui.Argument{sui.ResultArg(0)}}), changes(), nil, ""},
		"the gas coin in a vector":        {calls(sui.MakeMoveVec{Elements: []sui.Argument{sui.GasCoin}}), changes(), nil, ""},
		"the gas coin given away":         {calls(sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin}, Recipient: sui.InputArg(2)}), changes(), nil, ""},
		"somebody got something":          {calls(call), changes(pastChange{id: id(2), after: true, created: true, owner: held}), nil, ""},
		"somebody lost something":         {calls(call), changes(pastChange{id: id(2), before: true, deleted: true, was: held}), nil, ""},
		"it is known to be no coin":       {calls(call), changes(pastChange{id: id(2), before: true, after: true, was: held, owner: held}), map[sui.ObjectID]string{id(2): "0x5::cap::Cap"}, "-60"},
		"it is known to be one":           {calls(call), changes(pastChange{id: id(2), before: true, after: true, was: held, owner: held}), map[sui.ObjectID]string{id(2): "0x2::coin::Coin<0x2::sui::SUI>"}, ""},
		"whose it was is not known":       {calls(call), changes(pastChange{id: id(2), before: true, after: true, owner: child(id(9))}), nil, ""},
		"a child of who knows what":       {calls(call), changes(pastChange{id: id(2), before: true, after: true, was: child(id(3)), owner: child(id(3))}), nil, ""},
		"a field of a shared object":      {calls(call), changes(pastChange{id: id(2), before: true, after: true, was: child(id(8)), owner: child(id(8))}), nil, "-60"},
		"two children of one are fields":  {calls(call), changes(pastChange{id: id(2), before: true, deleted: true, was: child(id(3))}, pastChange{id: id(4), after: true, created: true, owner: child(id(3))}), nil, "-60"},
		"a plain payment to somebody":     {calls(split, sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(2)}), changes(pastChange{id: id(2), after: true, created: true, owner: sui.Owner{Kind: sui.OwnerAddress, Address: other}}), nil, "-65"},
		"a payment of something else too": {calls(split, call, sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0), sui.ResultArg(1)}, Recipient: sui.InputArg(2)}), changes(pastChange{id: id(2), after: true, created: true, owner: held}), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &past{did: &deeds{gas: gasCost{computation: 50, storage: 30, rebate: 20}, changes: c.changes}, tx: &sui.Transaction{
				Commands: c.commands, Gas: sui.Gas{Owner: payer, Payment: []sui.ObjectRef{{ID: id(1)}}},
				Inputs: []sui.Input{sui.SharedInput{ID: id(8)}, sui.PureU64(5), sui.PureAddress(other)}}}
			got, ok := p.proven(c.types)
			if change := plainly(got)[payer.String()+" "+string(sui.SUI)]; change != c.want || ok != (c.want != "") {
				t.Errorf("%s %v, want %q", change, ok, c.want)
			}
		})
	}
}
