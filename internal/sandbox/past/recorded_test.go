package past

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestProvenOfRecorded checks which balance changes cannot be proven.
func TestProvenOfRecorded(t *testing.T) {
	payer, other := sui.MustAddress("0xa1"), sui.MustAddress("0xb0b")
	held := sui.Owner{Kind: sui.OwnerAddress, Address: payer}
	child := func(of sui.ObjectID) sui.Owner { return sui.Owner{Kind: sui.OwnerObject, Address: of} }
	shared := sui.Owner{Kind: sui.OwnerShared, InitialVersion: 7}
	id := func(n byte) sui.ObjectID { return sui.Address{n} }
	call := sui.MoveCall{Package: other, Module: "m", Function: "f", Arguments: []sui.Argument{sui.InputArg(0)}}
	split := sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(1)}}
	changes := func(list ...ObjectChange) []ObjectChange {
		return append(list, ObjectChange{ID: id(1), Before: true, After: true, was: held, Owner: held}) // pays
	}
	calls := func(list ...sui.Command) []sui.Command { return list }
	for name, c := range map[string]struct {
		commands []sui.Command
		changes  []ObjectChange
		types    map[sui.ObjectID]string
		want     string // the payer's change; "" if nothing is proven
	}{
		"nothing but gas": {calls(call), changes(), nil, "-60"},
		"a shared object moved": {calls(call), changes(ObjectChange{ID: id(2), Before: true, After: true,
			was: shared, Owner: shared}), nil, "-60"},
		"what was split off is gone": {calls(split, call), changes(), nil, "-65"},
		"two splits":                 {calls(split, split, call), changes(), nil, "-70"},
		"an amount that is not in it": {calls(sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.NestedArg(0,
			0)}}, call), changes(), nil, ""},
		"the gas coin in a call": {calls(sui.MoveCall{Package: other, Module: "m", Function: "f",
			Arguments: []sui.Argument{sui.GasCoin}}), changes(), nil, ""},
		"something merged into it": {calls(call, sui.MergeCoins{Into: sui.GasCoin,
			Sources: []sui.Argument{sui.ResultArg(0)}}), changes(), nil, ""},
		"the gas coin in a vector": {calls(sui.MakeMoveVec{Elements: []sui.Argument{sui.GasCoin}}), changes(), nil,
			""},
		"the gas coin given away": {calls(sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin},
			Recipient: sui.InputArg(2)}), changes(), nil, ""},
		"somebody got something": {calls(call), changes(ObjectChange{ID: id(2), After: true, Created: true,
			Owner: held}), nil, ""},
		"somebody lost something": {calls(call), changes(ObjectChange{ID: id(2), Before: true, Deleted: true,
			was: held}), nil, ""},
		"it is known to be no coin": {calls(call), changes(ObjectChange{ID: id(2), Before: true, After: true, was: held,
			Owner: held}), map[sui.ObjectID]string{id(2): "0x5::cap::Cap"}, "-60"},
		"it is known to be one": {calls(call), changes(ObjectChange{ID: id(2), Before: true, After: true, was: held,
			Owner: held}), map[sui.ObjectID]string{id(2): "0x2::coin::Coin<0x2::sui::SUI>"}, ""},
		"whose it was is not known": {calls(call), changes(ObjectChange{ID: id(2), Before: true, After: true,
			Owner: child(id(9))}), nil, ""},
		"a child of who knows what": {calls(call), changes(ObjectChange{ID: id(2), Before: true, After: true,
			was: child(id(3)), Owner: child(id(3))}), nil, ""},
		"a field of a shared object": {calls(call), changes(ObjectChange{ID: id(2), Before: true, After: true,
			was: child(id(8)), Owner: child(id(8))}), nil, "-60"},
		"two children of one are fields": {calls(call), changes(ObjectChange{ID: id(2), Before: true, Deleted: true,
			was: child(id(3))}, ObjectChange{ID: id(4), After: true, Created: true, Owner: child(id(3))}), nil, "-60"},
		"a plain payment to somebody": {calls(split, sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)},
			Recipient: sui.InputArg(2)}), changes(ObjectChange{ID: id(2), After: true, Created: true,
			Owner: sui.Owner{Kind: sui.OwnerAddress, Address: other}}), nil, "-65"},
		"a payment of something else too": {calls(split, call, sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0,
			0), sui.ResultArg(1)}, Recipient: sui.InputArg(2)}), changes(ObjectChange{ID: id(2), After: true, Created: true,
			Owner: held}), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Transaction{Effects: &Effects{Gas: ledger.GasCost{Computation: 50, Storage: 30, Rebate: 20},
				Changes: c.changes}, Tx: &sui.Transaction{
				Commands: c.commands, Gas: sui.Gas{Owner: payer, Payment: []sui.ObjectRef{{ID: id(1)}}},
				Inputs: []sui.Input{sui.SharedInput{ID: id(8)}, sui.PureU64(5), sui.PureAddress(other)}}}
			got, ok := p.proven(c.types)
			if change := plainly(got)[payer.String()+" "+string(sui.SUI)]; change != c.want || ok != (c.want != "") {
				t.Errorf("%s %v, want %q", change, ok, c.want)
			}
		})
	}
}
