package sandbox

import (
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// readEffects reads the chain's TransactionEffects, both versions, to the last
// byte. written gives the digests of the objects after the transaction.
func readEffects(raw []byte) (did *deeds, tx sui.Digest, written map[sui.ObjectID]sui.Digest, err error) {
	b := newReader(raw)
	did, written = &deeds{}, map[sui.ObjectID]sui.Digest{}
	version := b.u8()
	did.failure = readStatus(b)
	did.epoch = b.u64()
	did.gas = gasCost{b.u64(), b.u64(), b.u64(), b.u64()}
	switch version {
	case 0:
		tx = changesV1(b, did, written)
	case 1:
		tx = changesV2(b, did, written)
	default:
		b.fail("effects of version " + strconv.Itoa(int(version)+1))
	}
	return did, tx, written, b.end()
}

// readStatus reads success or the failures that were recorded; others are refused.
func readStatus(b *bcsIn) *failure {
	switch b.u8() {
	case 0:
		return nil
	case 1:
	default:
		b.fail("a status that is neither success nor failure")
		return nil
	}
	kind := pb.ExecutionError_ExecutionErrorKind(b.u8() + 1) // the wire numbers start one later
	f := fail(kind, "%s", kind)
	switch kind {
	case pb.ExecutionError_INSUFFICIENT_GAS, pb.ExecutionError_INSUFFICIENT_COIN_BALANCE:
	case pb.ExecutionError_MOVE_ABORT:
		a := abort{pkg: b.address(), module: b.text()}
		b.u16() // function and instruction by number
		b.u16()
		if b.option() {
			a.function = b.text()
		}
		a.code = b.u64()
		f = moveAbort(a.pkg, a.module, a.function, a.code)
	default:
		b.fail("a failure of a kind that is not read: " + kind.String())
	}
	if b.option() {
		f.at(int(b.u64()))
	}
	return f
}

// changesV2 reads what follows the gas cost in effects of version 2.
func changesV2(b *bcsIn, did *deeds, written map[sui.ObjectID]sui.Digest) sui.Digest {
	tx := b.digest()
	if b.option() {
		b.u32() // which of the changes is the gas coin's
	}
	if b.option() {
		b.digest() // of the events
	}
	b.each(func() { b.digest() }) // dependencies
	b.u64()                       // the version that was written
	b.each(func() {
		c := pastChange{id: b.address()}
		if c.before = b.option(); c.before {
			b.u64()
			b.digest()
			c.was = b.owner()
		}
		switch b.u8() {
		case 0:
		case 1:
			c.after, written[c.id], c.owner = true, b.digest(), b.owner()
		case 2:
			b.u64()
			c.after, written[c.id], c.owner = true, b.digest(), sui.Owner{Kind: sui.OwnerImmutable}
		default:
			b.fail("a change of an object of an unknown kind")
		}
		switch b.u8() {
		case 0:
		case 1:
			c.created = true
		case 2:
			c.deleted = true
		default:
			b.fail("an operation on an id of an unknown kind")
		}
		did.changes = append(did.changes, c)
	})
	b.each(func() { // shared objects that were not changed
		b.address()
		switch b.u8() {
		case 0:
			b.u64()
			b.digest()
		case 1, 2, 3:
			b.u64()
		case 4:
		default:
			b.fail("an unchanged object of an unknown kind")
		}
	})
	if b.option() {
		b.digest() // auxiliary data
	}
	return tx
}

// changesV1 reads what follows the gas cost in effects of version 1.
func changesV1(b *bcsIn, did *deeds, written map[sui.ObjectID]sui.Digest) sui.Digest {
	ref := func() (sui.ObjectID, sui.Digest) {
		id := b.address()
		b.u64()
		return id, b.digest()
	}
	before := map[sui.ObjectID]bool{}
	b.each(func() {
		before[b.address()] = true
		b.u64()
	})
	b.each(func() { ref() }) // shared objects
	tx := b.digest()
	wrote := func(created bool) func() {
		return func() {
			id, digest := ref()
			written[id] = digest
			c := pastChange{id: id, before: before[id], after: true, created: created, owner: b.owner()}
			if c.before && c.owner.Kind == sui.OwnerShared {
				c.was = c.owner // only what is new becomes shared
			}
			did.changes = append(did.changes, c)
		}
	}
	b.each(wrote(true))
	b.each(wrote(false)) // mutated
	b.each(wrote(false)) // unwrapped
	took := func(deleted bool) func() {
		return func() {
			id, _ := ref()
			did.changes = append(did.changes, pastChange{id: id, before: before[id], deleted: deleted})
		}
	}
	b.each(took(true))
	b.each(took(true)) // taken out of another object and deleted
	b.each(took(false))
	ref() // the gas coin, which is among the mutated ones
	b.owner()
	if b.option() {
		b.digest() // of the events
	}
	b.each(func() { b.digest() }) // dependencies
	return tx
}
