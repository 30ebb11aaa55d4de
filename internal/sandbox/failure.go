package sandbox

import (
	"fmt"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// failure is why a transaction executed without doing what it says. It is part
// of the effects: gas is charged all the same.
type failure struct {
	kind     pb.ExecutionError_ExecutionErrorKind
	text     string
	command  *int
	abort    *abort
	argument *argumentError
	result   *[2]int // an unused value: command and result number
}

// abort is where Move code stopped.
type abort struct {
	pkg              sui.ObjectID
	module, function string
	code             uint64
}

// argumentError is what is wrong with one argument of a command.
type argumentError struct {
	index int
	kind  pb.CommandArgumentError_CommandArgumentErrorKind
}

func fail(kind pb.ExecutionError_ExecutionErrorKind, format string, args ...any) *failure {
	return &failure{kind: kind, text: fmt.Sprintf(format, args...)}
}

// at records the command in which the failure happened.
func (f *failure) at(command int) *failure {
	if f.command == nil {
		f.command = &command
	}
	return f
}

func badArgument(index int, kind pb.CommandArgumentError_CommandArgumentErrorKind) *failure {
	f := fail(pb.ExecutionError_COMMAND_ARGUMENT_ERROR, "argument %d: %s", index, kind)
	f.argument = &argumentError{index: index, kind: kind}
	return f
}

func moveAbort(pkg sui.ObjectID, module, function string, code uint64) *failure {
	f := fail(pb.ExecutionError_MOVE_ABORT, "Move abort in %s::%s::%s, code %d", pkg.Short(), module, function, code)
	f.abort = &abort{pkg: pkg, module: module, function: function, code: code}
	return f
}

// refuse is a transaction or request that a node does not take at all.
func refuse(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

// unsupported is something a node does and the sandbox does not.
func unsupported(format string, args ...any) error {
	return status.Errorf(codes.Unimplemented, "the sandbox does not "+format, args...)
}

func notFound(format string, args ...any) error {
	return status.Errorf(codes.NotFound, format, args...)
}
