package flowx

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Module and Function name the Move function that swaps an exact input.
const (
	Module   = "swap_router"
	Function = "swap_exact_input"
)

// Call is one swap of an exact input in one pool. The pool aborts if it would pay out less than MinOut
// of the other coin, or after Deadline, which is in Unix milliseconds. MinOut is the only limit on the
// price.
type Call struct {
	Pool     registry.Pool
	From     coins.Coin // the coin that is paid, X or Y of the pool
	MinOut   sui.Raw
	Deadline uint64
}

// To returns the coin that the swap pays out.
func (c Call) To() coins.Coin {
	if c.Pool.Sells(c.From) {
		return c.Pool.Y
	}
	return c.Pool.X
}

// TypeArgs returns the call's type arguments: the coin paid, then the other.
func (c Call) TypeArgs() []sui.TypeTag {
	return []sui.TypeTag{c.From.Type.Tag(), c.To().Type.Tag()}
}

// noLimit returns the 128-bit price limit that means "no limit".
func noLimit() sui.PureInput { return sui.PureInput{Bytes: make([]byte, 16)} }

// MoveCall returns the call. input adds an input to the transaction. The swap uses all of paid.
func (c Call) MoveCall(input func(sui.Input) sui.Argument, paid sui.Argument) sui.MoveCall {
	return sui.MoveCall{
		Package: registry.Package, Module: Module, Function: Function, TypeArgs: c.TypeArgs(),
		Arguments: []sui.Argument{
			input(sui.SharedInput{ID: registry.Object, InitialVersion: registry.ObjectVersion, Mutable: true}),
			input(sui.PureU64(c.Pool.Fee)), paid, input(sui.PureU64(uint64(c.MinOut))), input(noLimit()),
			input(sui.PureU64(c.Deadline)), input(registry.VersionedInput()), input(sui.ClockInput()),
		},
	}
}
