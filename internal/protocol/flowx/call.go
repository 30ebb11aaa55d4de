package flowx

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Module and Function are what a swap of an exact input calls.
const (
	Module   = "swap_router"
	Function = "swap_exact_input"
)

// Call is one swap of an exact input in one pool. The pool pays out at least
// MinOut of the other coin or aborts; after Deadline, in Unix milliseconds, it
// aborts too. MinOut is the only limit on the price.
type Call struct {
	Pool     registry.Pool
	From     coins.Coin // one of the pool's two: what is paid
	MinOut   sui.Raw
	Deadline uint64
}

// To returns the coin that arrives.
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

// noLimit returns a price limit of 128 bits that stands for none.
func noLimit() sui.PureInput { return sui.PureInput{Bytes: make([]byte, 16)} }

// MoveCall returns the call. input adds an input to the transaction; paid holds the
// coin that is paid, as a whole.
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
