package ledger

import (
	"fmt"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// seal encodes the effects and computes their digest.
func (o *Outcome) seal() {
	o.Effects = o.encodeEffects()
	o.EffectsDigest = bcs.Hash("TransactionEffects::", o.Effects)
}

// encodeEffects returns the chain's TransactionEffects, version 2.
func (o *Outcome) encodeEffects() []byte {
	b := bcs.Bytes{1} // V2
	if o.Failure == nil {
		b = append(b, 0)
	} else {
		b = o.Failure.encode(append(b, 1))
	}
	b = b.U64(o.Epoch).U64(o.Gas.Computation).U64(o.Gas.Storage).U64(o.Gas.Rebate).U64(o.Gas.NonRefundable)
	b = b.Digest(o.Digest)
	entries := o.entries()
	if o.GasID.IsZero() {
		b = append(b, 0) // no coin paid
	} else {
		index := slices.IndexFunc(entries, func(e effectsEntry) bool { return e.id == o.GasID })
		b = append(b, 1, byte(index), byte(index>>8), 0, 0)
	}
	if d := o.EventsDigest(); d != nil {
		b = append(b, 1).Digest(*d)
	} else {
		b = append(b, 0)
	}
	b = b.Uleb(len(o.Dependencies))
	for _, d := range o.Dependencies {
		b = b.Digest(d)
	}
	b = b.U64(o.Lamport).Uleb(len(entries))
	for _, e := range entries {
		b = e.encode(b)
	}
	b = b.Uleb(len(o.Reads))
	for _, r := range o.Reads {
		b = append(b.Raw(r.Object.ID[:]), 0).U64(r.Object.Version).Digest(r.Object.Digest)
	}
	return append(b, 0) // no auxiliary data
}

// encode writes the object's state before and after, and what happened to its id.
func (c Change) encode(b bcs.Bytes) bcs.Bytes {
	b = b.Raw(c.ID[:])
	if c.Before == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1).U64(c.Before.Version).Digest(c.Before.Digest).Owner(c.Before.Owner)
	}
	if c.After == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1).Digest(c.After.Digest).Owner(c.After.Owner)
	}
	switch {
	case c.Before == nil:
		return append(b, 1) // created
	case c.After == nil:
		return append(b, 2) // deleted
	}
	return append(b, 0)
}

// encode writes the failure and the index of its command.
func (f *Failure) encode(b bcs.Bytes) bcs.Bytes {
	b = append(b, byte(f.Kind)-1) // wire numbers are one higher
	switch f.Kind {
	case pb.ExecutionError_TYPE_ARGUMENT_ERROR:
		b = append(b, 0, 0, 1) // argument 0, constraint not satisfied
	case pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR:
		b = append(b, 0) // no location
	case pb.ExecutionError_MOVE_ABORT:
		b = b.Raw(f.Abort.Package[:]).Text(f.Abort.Module)
		b = append(b, 0, 0, 0, 0) // function and instruction numbers, without bytecode
		b = append(b, 1).Text(f.Abort.Function).U64(f.Abort.Code)
	case pb.ExecutionError_COMMAND_ARGUMENT_ERROR:
		b = append(b, byte(f.Argument.Index), byte(f.Argument.Index>>8))
		b = f.Argument.encode(b)
	case pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP:
		b = append(b, byte(f.Result[0]), byte(f.Result[0]>>8), byte(f.Result[1]), byte(f.Result[1]>>8))
	}
	if f.Command == nil {
		return append(b, 0)
	}
	return append(b, 1).U64(uint64(*f.Command))
}

// encode writes the chain's CommandArgumentError. Its variants are the wire numbers minus one. Two of
// them have an index.
func (a *ArgumentError) encode(b bcs.Bytes) bcs.Bytes {
	b = append(b, byte(a.Kind)-1)
	switch a.Kind {
	case pb.CommandArgumentError_INDEX_OUT_OF_BOUNDS, pb.CommandArgumentError_INVALID_RESULT_ARITY:
		b = append(b, byte(a.Index), byte(a.Index>>8))
	case pb.CommandArgumentError_SECONDARY_INDEX_OUT_OF_BOUNDS:
		b = append(b, byte(a.Index), byte(a.Index>>8), 0, 0)
	}
	return b
}

// EventsDigest returns the digest of all events, or nil if there are none.
func (o *Outcome) EventsDigest() *sui.Digest {
	if len(o.Events) == 0 {
		return nil
	}
	d := bcs.Hash("TransactionEvents::", o.EventsBCS())
	return &d
}

// EventsBCS returns the chain's TransactionEvents.
func (o *Outcome) EventsBCS() []byte {
	b := bcs.Bytes(nil).Uleb(len(o.Events))
	for _, e := range o.Events {
		b = b.Raw(e.Package[:]).Text(e.Module).Raw(e.Sender[:])
		b = b.StructTag(*sui.MustTypeTag(e.Type).Struct).Bytes(e.Contents)
	}
	return b
}

// Failure describes why an executed transaction failed. It is part of the effects. A failed
// transaction still pays for gas.
type Failure struct {
	Kind     pb.ExecutionError_ExecutionErrorKind
	Text     string
	Command  *int
	Abort    *Abort
	Argument *ArgumentError
	Result   *[2]int // command and result number of an unused value
}

// Abort is the location of a Move abort.
type Abort struct {
	Package          sui.ObjectID
	Module, Function string
	Code             uint64
}

// ArgumentError describes an invalid argument of a command.
type ArgumentError struct {
	Index int
	Kind  pb.CommandArgumentError_CommandArgumentErrorKind
}

// Fail returns a failure without further details.
func Fail(kind pb.ExecutionError_ExecutionErrorKind, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// InCommand records the command in which the failure happened.
func (f *Failure) InCommand(command int) *Failure {
	if f.Command == nil {
		f.Command = &command
	}
	return f
}

// badArgument returns a failure caused by one argument of a command.
func badArgument(index int, kind pb.CommandArgumentError_CommandArgumentErrorKind) *Failure {
	f := Fail(pb.ExecutionError_COMMAND_ARGUMENT_ERROR, "argument %d: %s", index, kind)
	f.Argument = &ArgumentError{Index: index, Kind: kind}
	return f
}

// MoveAbort returns a failure with the abort code of a Move function. Names are as in the source code.
func MoveAbort(pkg sui.ObjectID, module, function string, code uint64) *Failure {
	f := Fail(pb.ExecutionError_MOVE_ABORT, "Move abort in %s::%s::%s, code %d", pkg.Short(), module, function, code)
	f.Abort = &Abort{Package: pkg, Module: module, Function: function, Code: code}
	return f
}

// Refuse returns the error for a transaction or request that a node rejects.
func Refuse(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

// Unsupported returns the error for something that nodes support but the sandbox does not.
func Unsupported(format string, args ...any) error {
	return status.Errorf(codes.Unimplemented, "the sandbox does not "+format, args...)
}

// NotFound returns the error for a missing object, transaction, checkpoint or name.
func NotFound(format string, args ...any) error {
	return status.Errorf(codes.NotFound, format, args...)
}
