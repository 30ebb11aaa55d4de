package ledger

import (
	"fmt"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Failure is why a transaction executed without doing what it says. It is part
// of the effects: gas is charged all the same.
type Failure struct {
	Kind     pb.ExecutionError_ExecutionErrorKind
	Text     string
	Command  *int
	Abort    *Abort
	Argument *ArgumentError
	Result   *[2]int // an unused value: command and result number
}

// Abort is where Move code stopped.
type Abort struct {
	Package          sui.ObjectID
	Module, Function string
	Code             uint64
}

// ArgumentError is what is wrong with one argument of a command.
type ArgumentError struct {
	Index int
	Kind  pb.CommandArgumentError_CommandArgumentErrorKind
}

// Fail is a failure without further details.
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

// badArgument is a failure of one argument of a command.
func badArgument(index int, kind pb.CommandArgumentError_CommandArgumentErrorKind) *Failure {
	f := Fail(pb.ExecutionError_COMMAND_ARGUMENT_ERROR, "argument %d: %s", index, kind)
	f.Argument = &ArgumentError{Index: index, Kind: kind}
	return f
}

// MoveAbort is a failure with the code of a Move function, whose names are those of
// the source code.
func MoveAbort(pkg sui.ObjectID, module, function string, code uint64) *Failure {
	f := Fail(pb.ExecutionError_MOVE_ABORT, "Move abort in %s::%s::%s, code %d", pkg.Short(), module, function, code)
	f.Abort = &Abort{Package: pkg, Module: module, Function: function, Code: code}
	return f
}

// Refuse is a transaction or request that a node does not take at all.
func Refuse(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

// Unsupported is something a node does and the sandbox does not.
func Unsupported(format string, args ...any) error {
	return status.Errorf(codes.Unimplemented, "the sandbox does not "+format, args...)
}

// NotFound is an object, transaction, checkpoint or name that is not there.
func NotFound(format string, args ...any) error {
	return status.Errorf(codes.NotFound, format, args...)
}
