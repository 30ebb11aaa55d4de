package past

import (
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// readEffects strictly reads the chain's TransactionEffects in either version. written holds the
// digests of objects after the transaction.
func readEffects(raw []byte) (did *Effects, tx sui.Digest, written map[sui.ObjectID]sui.Digest, err error) {
	b := bcs.NewReader(raw)
	did, written = &Effects{}, map[sui.ObjectID]sui.Digest{}
	version := b.U8()
	did.Failure = readStatus(b)
	did.Epoch = b.U64()
	did.Gas = ledger.GasCost{Computation: b.U64(), Storage: b.U64(), Rebate: b.U64(), NonRefundable: b.U64()}
	switch version {
	case 0:
		tx = changesV1(b, did, written)
	case 1:
		tx = changesV2(b, did, written)
	default:
		b.Fail("effects of version " + strconv.Itoa(int(version)+1))
	}
	return did, tx, written, b.End()
}

// readStatus reads success or a failure of a recorded kind; it refuses others.
func readStatus(b *bcs.Reader) *ledger.Failure {
	switch b.U8() {
	case 0:
		return nil
	case 1:
	default:
		b.Fail("a status that is neither success nor failure")
		return nil
	}
	kind := pb.ExecutionError_ExecutionErrorKind(b.U8() + 1) // wire numbers are one higher
	f := ledger.Fail(kind, "%s", kind)
	switch kind {
	case pb.ExecutionError_INSUFFICIENT_GAS, pb.ExecutionError_INSUFFICIENT_COIN_BALANCE:
	case pb.ExecutionError_MOVE_ABORT:
		a := ledger.Abort{Package: b.Address(), Module: b.Text()}
		b.U16() // function and instruction numbers
		b.U16()
		if b.Option() {
			a.Function = b.Text()
		}
		a.Code = b.U64()
		f = ledger.MoveAbort(a.Package, a.Module, a.Function, a.Code)
	default:
		b.Fail("a failure of an unsupported kind: " + kind.String())
	}
	if b.Option() {
		f.InCommand(int(b.U64()))
	}
	return f
}

// changesV2 reads what follows the gas cost in version 2 effects.
func changesV2(b *bcs.Reader, did *Effects, written map[sui.ObjectID]sui.Digest) sui.Digest {
	tx := b.Digest()
	if b.Option() {
		b.U32() // index of the gas coin's change
	}
	if b.Option() {
		b.Digest() // of the events
	}
	b.Each(func() { b.Digest() }) // dependencies
	b.U64()                       // version written
	b.Each(func() {
		c := ObjectChange{ID: b.Address()}
		if c.Before = b.Option(); c.Before {
			b.U64()
			b.Digest()
			c.was = b.Owner()
		}
		switch b.U8() {
		case 0:
		case 1:
			c.After, written[c.ID], c.Owner = true, b.Digest(), b.Owner()
		case 2:
			b.U64()
			c.After, written[c.ID], c.Owner = true, b.Digest(), sui.Owner{Kind: sui.OwnerImmutable}
		default:
			b.Fail("a change of an object of an unknown kind")
		}
		switch b.U8() {
		case 0:
		case 1:
			c.Created = true
		case 2:
			c.Deleted = true
		default:
			b.Fail("an operation on an id of an unknown kind")
		}
		did.Changes = append(did.Changes, c)
	})
	b.Each(func() { // unchanged shared objects
		b.Address()
		switch b.U8() {
		case 0:
			b.U64()
			b.Digest()
		case 1, 2, 3:
			b.U64()
		case 4:
		default:
			b.Fail("an unchanged object of an unknown kind")
		}
	})
	if b.Option() {
		b.Digest() // auxiliary data
	}
	return tx
}

// changesV1 reads what follows the gas cost in version 1 effects.
func changesV1(b *bcs.Reader, did *Effects, written map[sui.ObjectID]sui.Digest) sui.Digest {
	ref := func() (sui.ObjectID, sui.Digest) {
		id := b.Address()
		b.U64()
		return id, b.Digest()
	}
	before := map[sui.ObjectID]bool{}
	b.Each(func() {
		before[b.Address()] = true
		b.U64()
	})
	b.Each(func() { ref() }) // shared objects
	tx := b.Digest()
	wrote := func(created bool) func() {
		return func() {
			id, digest := ref()
			written[id] = digest
			c := ObjectChange{ID: id, Before: before[id], After: true, Created: created, Owner: b.Owner()}
			if c.Before && c.Owner.Kind == sui.OwnerShared {
				c.was = c.Owner // only new objects become shared
			}
			did.Changes = append(did.Changes, c)
		}
	}
	b.Each(wrote(true))
	b.Each(wrote(false)) // mutated
	b.Each(wrote(false)) // unwrapped
	took := func(deleted bool) func() {
		return func() {
			id, _ := ref()
			did.Changes = append(did.Changes, ObjectChange{ID: id, Before: before[id], Deleted: deleted})
		}
	}
	b.Each(took(true))
	b.Each(took(true)) // unwrapped and deleted
	b.Each(took(false))
	ref() // the gas coin, which is also in the mutated list
	b.Owner()
	if b.Option() {
		b.Digest() // of the events
	}
	b.Each(func() { b.Digest() }) // dependencies
	return tx
}
