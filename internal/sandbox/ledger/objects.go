package ledger

import (
	"encoding/binary"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/sandbox/allowances"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// The chain's storage price in MIST per byte, and the share of a storage deposit that is refunded
// when an object is rewritten or deleted.
const (
	storagePerByte = 7600
	objectOverhead = 80 // for owner, previous transaction and deposit, as on chain
	rebatePercent  = 99
)

// Object is one version of an object. It is immutable once in the ledger; a new version is a new
// value.
type Object struct {
	ID        sui.ObjectID
	Version   uint64
	Owner     sui.Owner
	Type      sui.TypeTag
	Transfers bool // has the store ability, so any address may transfer it
	Contents  []byte
	Previous  sui.Digest // transaction that wrote this version
	Deposit   uint64     // storage deposit in MIST

	Coin      sui.CoinType          // coins only
	Balance   uint64                // coins only
	Book      *clob.Pool            // pools only; a swap works on a clone
	Vault     Vault                 // pools only
	manager   *manager              // balance managers only
	allowance *allowances.Allowance // allowances only
	state     State                 // objects of programs; a call works on a clone

	Digest sui.Digest
}

// newCoin makes a sealed coin object.
func newCoin(id sui.ObjectID, version uint64, owner sui.Owner, coin sui.CoinType, balance uint64,
	previous sui.Digest) *Object {
	o := &Object{
		ID: id, Version: version, Owner: owner, Type: sui.MustTypeTag(coin.Object()), Transfers: true,
		Previous: previous, Coin: coin, Balance: balance,
		Contents: bcs.Bytes(nil).Raw(id[:]).U64(balance),
	}
	return o.seal()
}

// seal sets the derived fields: deposit and digest.
func (o *Object) seal() *Object {
	o.Deposit = storagePerByte * o.size()
	o.Digest = bcs.Hash("Object::", o.BCS())
	return o
}

// next returns a sealed copy of o at another version, after edit has changed it.
func (o *Object) next(version uint64, previous sui.Digest, edit func(*Object)) *Object {
	c := *o
	c.Version, c.Previous = version, previous
	if edit != nil {
		edit(&c)
	}
	if c.allowance != nil {
		c.Contents = c.allowance.Encode(c.ID)
	}
	if c.Coin != "" {
		c.Contents = bcs.Bytes(nil).Raw(c.ID[:]).U64(c.Balance)
	}
	return c.seal()
}

// size returns the chain's storage size of o.
func (o *Object) size() uint64 {
	return uint64(len(o.Contents) + len(o.moveType()) + 1 + 8 + objectOverhead)
}

// moveType returns the chain's short form of an object type: coins and the gas coin have variants
// of their own.
func (o *Object) moveType() []byte {
	switch {
	case o.Coin == sui.SUI:
		return []byte{1}
	case o.Coin != "":
		return bcs.Bytes{3}.TypeTag(o.Coin.Tag())
	}
	return bcs.Bytes{0}.StructTag(*o.Type.Struct)
}

// BCS returns the object's BCS, which its digest covers.
func (o *Object) BCS() []byte {
	b := bcs.Bytes{0}.Raw(o.moveType()).Bool(o.Transfers).U64(o.Version).Bytes(o.Contents)
	return b.Owner(o.Owner).Digest(o.Previous).U64(o.Deposit)
}

// Ref returns a reference to exactly this version.
func (o *Object) Ref() sui.ObjectRef {
	return sui.ObjectRef{ID: o.ID, Version: o.Version, Digest: o.Digest}
}

// ownedBy reports whether a plain address owns o.
func (o *Object) ownedBy(a sui.Address) bool {
	return o.Owner.Kind == sui.OwnerAddress && o.Owner.Address == a
}

// addressOwner returns the owner of an object that an address can use freely.
func addressOwner(a sui.Address) sui.Owner {
	return sui.Owner{Kind: sui.OwnerAddress, Address: a}
}

// derivedID returns the id of the nth object that a transaction creates, as the chain derives it.
func derivedID(tx sui.Digest, n uint64) sui.ObjectID {
	b := append([]byte{0xf1}, tx[:]...)
	return blake2b.Sum256(binary.LittleEndian.AppendUint64(b, n))
}

// thing is an owned object other than a coin during execution, such as a cap.
type thing struct {
	id        sui.ObjectID
	from      *Object // nil for a new object
	typ       sui.TypeTag
	transfers bool // has the store ability
	contents  []byte
	holder    sui.Address
	gone      bool // taken by value and not transferred
	sent      bool
}

// change returns the object's change; ok is false if it never existed on chain.
func (t *thing) change(version uint64, tx sui.Digest, failed bool) (c Change, ok bool) {
	switch {
	case t.from == nil && (failed || t.gone):
		return Change{}, false
	case t.from == nil:
		o := &Object{ID: t.id, Version: version, Owner: addressOwner(t.holder), Type: t.typ, Transfers: t.transfers,
			Contents: t.contents, Previous: tx}
		return Change{t.id, nil, o.seal()}, true
	case failed:
		return Change{t.id, t.from, t.from.next(version, tx, nil)}, true
	case t.gone:
		return Change{t.id, t.from, nil}, true
	}
	return Change{t.id, t.from, t.from.next(version, tx, func(o *Object) {
		o.Owner, o.Contents = addressOwner(t.holder), t.contents
	})}, true
}

// newThing creates an object other than a coin. rest holds the bytes after its id.
func (r *run) newThing(typ sui.TypeTag, rest []byte, transfers bool) *thing {
	id := r.newID()
	t := &thing{id: id, typ: typ, transfers: transfers, contents: bcs.Bytes(nil).Raw(id[:]).Raw(rest)}
	r.things = append(r.things, t)
	return t
}

// thingArg takes an object other than a coin by value.
func (r *run) thingArg(a sui.Argument, index int) (*thing, *Failure) {
	s, f := r.find(a, index)
	switch {
	case f != nil:
		return nil, f
	case s.thing == nil:
		return nil, badArgument(index, pb.CommandArgumentError_TYPE_MISMATCH)
	case s.thing.gone || s.thing.sent:
		return nil, badArgument(index, pb.CommandArgumentError_INVALID_VALUE_USAGE)
	}
	return s.thing, nil
}

// hand transfers an object other than a coin.
func (r *run) hand(a sui.Argument, index int, to sui.Address) *Failure {
	t, f := r.thingArg(a, index)
	switch {
	case f != nil:
		return f
	//mutant:never ./internal/sandbox TestAllowanceRevoked
	case !t.transfers:
		return Fail(pb.ExecutionError_INVALID_TRANSFER_OBJECT, "the object %s cannot be sent on", t.id)
	}
	t.sent, t.holder = true, to
	return nil
}

// grantedAllowance is an allowance created in this transaction.
type grantedAllowance struct {
	id    sui.ObjectID
	inner *allowances.Allowance
}

// grants returns the changes for new allowances.
func (r *run) grants(version uint64) (list []Change) {
	for _, g := range r.granted {
		list = append(list, Change{g.id, nil, newAllowance(g.id, version, g.inner, r.digest)})
	}
	return list
}
