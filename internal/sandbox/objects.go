package sandbox

import (
	"encoding/binary"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/sandbox/clmm"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Storage prices of the chain: MIST per byte, and the share of a storage
// deposit that comes back when an object is rewritten or deleted.
const (
	storagePerByte = 7600
	objectOverhead = 80 // owner, previous transaction and deposit, as the chain counts them
	rebatePercent  = 99
)

// object is one version of an object. It is never changed once it is part of
// the ledger; a new version is a new value.
type object struct {
	id        sui.ObjectID
	version   uint64
	owner     sui.Owner
	typ       sui.TypeTag
	transfers bool // has the store ability: any address may pass it on
	contents  []byte
	previous  sui.Digest // the transaction that wrote this version
	deposit   uint64     // MIST paid for its storage

	coin    sui.CoinType // coins only
	balance uint64       // coins only
	pool    *clob.Pool   // pools only; a swap works on a clone
	vault   vault        // pools only
	manager *manager     // balance managers only
	clmm    *clmm.Pool   // pools of FlowX only; a swap works on a clone

	digest sui.Digest
}

// newCoin makes a sealed coin object.
func newCoin(id sui.ObjectID, version uint64, owner sui.Owner, coin sui.CoinType, balance uint64, previous sui.Digest) *object {
	o := &object{
		id: id, version: version, owner: owner, typ: sui.MustTypeTag(coin.Object()), transfers: true,
		previous: previous, coin: coin, balance: balance,
		contents: bcsBytes(nil).raw(id[:]).u64(balance),
	}
	return o.seal()
}

// seal sets what follows from the other fields: deposit and digest.
func (o *object) seal() *object {
	o.deposit = storagePerByte * o.size()
	o.digest = hash("Object::", o.encode())
	return o
}

// next gives a sealed copy of o at another version, for the caller to have
// changed its fields through edit first.
func (o *object) next(version uint64, previous sui.Digest, edit func(*object)) *object {
	c := *o
	c.version, c.previous = version, previous
	if edit != nil {
		edit(&c)
	}
	if c.coin != "" {
		c.contents = bcsBytes(nil).raw(c.id[:]).u64(c.balance)
	}
	return c.seal()
}

// size is what the chain's storage metering counts for o.
func (o *object) size() uint64 {
	return uint64(len(o.contents) + len(o.moveType()) + 1 + 8 + objectOverhead)
}

// moveType is the chain's short form of an object type: the gas coin and coins
// have their own variants.
func (o *object) moveType() []byte {
	switch {
	case o.coin == sui.SUI:
		return []byte{1}
	case o.coin != "":
		return bcsBytes{3}.typeTag(o.coin.Tag())
	}
	return bcsBytes{0}.structTag(*o.typ.Struct)
}

// encode gives the object's BCS, over which its digest is taken.
func (o *object) encode() []byte {
	b := bcsBytes{0}.raw(o.moveType()).bool(o.transfers).u64(o.version).bytes(o.contents)
	return b.owner(o.owner).digest(o.previous).u64(o.deposit)
}

func (o *object) ref() sui.ObjectRef {
	return sui.ObjectRef{ID: o.id, Version: o.version, Digest: o.digest}
}

// ownedBy reports whether a plain address owns o.
func (o *object) ownedBy(a sui.Address) bool {
	return o.owner.Kind == sui.OwnerAddress && o.owner.Address == a
}

func addressOwner(a sui.Address) sui.Owner {
	return sui.Owner{Kind: sui.OwnerAddress, Address: a}
}

// derivedID gives the id of the n-th object that a transaction makes, by the
// chain's own rule.
func derivedID(tx sui.Digest, n uint64) sui.ObjectID {
	b := append([]byte{0xf1}, tx[:]...)
	return blake2b.Sum256(binary.LittleEndian.AppendUint64(b, n))
}
