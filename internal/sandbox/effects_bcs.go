package sandbox

import (
	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// seal encodes the effects and takes their digest.
func (o *outcome) seal() {
	o.effects = o.encodeEffects()
	o.effectsDigest = hash("TransactionEffects::", o.effects)
}

// encodeEffects gives the chain's TransactionEffects, version 2.
func (o *outcome) encodeEffects() []byte {
	b := bcsBytes{1} // V2
	if o.failure == nil {
		b = append(b, 0)
	} else {
		b = o.failure.encode(append(b, 1))
	}
	b = b.u64(o.epoch).u64(o.gas.computation).u64(o.gas.storage).u64(o.gas.rebate).u64(o.gas.nonRefundable)
	b = b.digest(o.digest)
	index := 0
	for i, c := range o.changes {
		if c.id == o.gasID {
			index = i
		}
	}
	b = append(b, 1, byte(index), byte(index>>8), 0, 0)
	if d := o.eventsDigest(); d != nil {
		b = append(b, 1).digest(*d)
	} else {
		b = append(b, 0)
	}
	b = b.uleb(len(o.depends))
	for _, d := range o.depends {
		b = b.digest(d)
	}
	b = b.u64(o.lamport).uleb(len(o.changes))
	for _, c := range o.changes {
		b = c.encode(b)
	}
	b = b.uleb(len(o.reads))
	for _, r := range o.reads {
		b = append(b.raw(r.object.id[:]), 0).u64(r.object.version).digest(r.object.digest)
	}
	return append(b, 0) // no auxiliary data
}

func (c change) encode(b bcsBytes) bcsBytes {
	b = b.raw(c.id[:])
	if c.before == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1).u64(c.before.version).digest(c.before.digest).owner(c.before.owner)
	}
	if c.after == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1).digest(c.after.digest).owner(c.after.owner)
	}
	switch {
	case c.before == nil:
		return append(b, 1) // created
	case c.after == nil:
		return append(b, 2) // deleted
	}
	return append(b, 0)
}

// encode writes the failure and the command it happened in.
func (f *failure) encode(b bcsBytes) bcsBytes {
	b = append(b, byte(f.kind)-1) // the wire numbers start one later
	switch f.kind {
	case pb.ExecutionError_TYPE_ARGUMENT_ERROR:
		b = append(b, 0, 0, 1) // argument 0, constraint not satisfied
	case pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR:
		b = append(b, 0) // no location
	case pb.ExecutionError_MOVE_ABORT:
		b = b.raw(f.abort.pkg[:]).text(f.abort.module)
		b = append(b, 0, 0, 0, 0) // function and instruction numbers: no bytecode here
		b = append(b, 1).text(f.abort.function).u64(f.abort.code)
	case pb.ExecutionError_COMMAND_ARGUMENT_ERROR:
		b = append(b, byte(f.argument.index), byte(f.argument.index>>8))
		b = f.argument.encode(b)
	case pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP:
		b = append(b, byte(f.result[0]), byte(f.result[0]>>8), byte(f.result[1]), byte(f.result[1]>>8))
	}
	if f.command == nil {
		return append(b, 0)
	}
	return append(b, 1).u64(uint64(*f.command))
}

// encode writes the chain's CommandArgumentError; its variants are the wire
// numbers less one, and two of them carry the index.
func (a *argumentError) encode(b bcsBytes) bcsBytes {
	b = append(b, byte(a.kind)-1)
	switch a.kind {
	case pb.CommandArgumentError_INDEX_OUT_OF_BOUNDS, pb.CommandArgumentError_INVALID_RESULT_ARITY:
		b = append(b, byte(a.index), byte(a.index>>8))
	case pb.CommandArgumentError_SECONDARY_INDEX_OUT_OF_BOUNDS:
		b = append(b, byte(a.index), byte(a.index>>8), 0, 0)
	}
	return b
}

// eventsDigest is the digest over all events, nil when there are none.
func (o *outcome) eventsDigest() *sui.Digest {
	if len(o.events) == 0 {
		return nil
	}
	d := hash("TransactionEvents::", o.encodeEvents())
	return &d
}

// encodeEvents gives the chain's TransactionEvents.
func (o *outcome) encodeEvents() []byte {
	b := bcsBytes(nil).uleb(len(o.events))
	for _, e := range o.events {
		b = b.raw(e.pkg[:]).text(e.module).raw(e.sender[:])
		b = b.structTag(*sui.MustTypeTag(e.typ).Struct).bytes(e.contents)
	}
	return b
}
