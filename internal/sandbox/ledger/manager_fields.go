package ledger

import (
	"bytes"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// The balances of a manager as the chain keeps them: dynamic fields of its bag, one for
// each coin. They are made when they are read, from the manager's present version.

// bagOf is the id of the bag of a manager's balances.
func bagOf(manager sui.ObjectID) sui.ObjectID {
	return derivedID(bcs.Hash("say-ur-intent/sandbox/bag", manager[:]), 0)
}

// BagFields lists the dynamic fields of the bag of a balance manager, in the order of
// their ids. It is false where parent is no such bag.
func (l *Ledger) BagFields(parent sui.ObjectID) ([]*Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.objects {
		if o.manager == nil || bagOf(o.ID) != parent {
			continue
		}
		list := fieldsOf(o)
		slices.SortFunc(list, func(a, b *Object) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		return list, true
	}
	return nil, false
}

// bagField finds one of them by its id, or nil.
func (l *Ledger) bagField(id sui.ObjectID) *Object {
	for _, o := range l.objects {
		if o.manager == nil {
			continue
		}
		for _, f := range fieldsOf(o) {
			if f.ID == id {
				return f
			}
		}
	}
	return nil
}

// BalanceKey is the type of the key of a coin's field, and the key itself.
func BalanceKey(coin sui.CoinType) (sui.TypeTag, []byte) {
	key := deepbookType("balance_manager", "BalanceKey")
	key.Struct.Params = []sui.TypeTag{coin.Tag()}
	return key, []byte{0}
}

// fieldsOf makes the fields of a manager, in no order.
func fieldsOf(o *Object) (list []*Object) {
	bag := bagOf(o.ID)
	for coin, amount := range o.manager.balances {
		key, name := BalanceKey(coin)
		id, err := sui.DynamicFieldID(bag, key, name)
		if err != nil {
			continue // a coin's type can always be written
		}
		f := &Object{ID: id, Version: o.Version, Owner: sui.Owner{Kind: sui.OwnerObject, Address: bag}, Previous: o.Previous, Coin: "",
			Type:     sui.MustTypeTag("0x2::dynamic_field::Field<" + key.String() + ",0x2::balance::Balance<" + coin.Tag().String() + ">>"),
			Contents: bcs.Bytes(nil).Raw(id[:]).Raw(name).U64(amount)}
		list = append(list, f.seal())
	}
	return list
}
