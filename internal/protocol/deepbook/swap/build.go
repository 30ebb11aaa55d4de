package swap

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

const (
	sellFunction = "swap_exact_base_for_quote"
	buyFunction  = "swap_exact_quote_for_base"
)

func swapFunction(d registry.Direction) string {
	if d == registry.BaseToQuote {
		return sellFunction
	}
	return buyFunction
}

// framework is the Move standard package with coin::zero.
var framework = sui.MustAddress("0x2")

// Call is one swap. MinOut is the raw amount of the other coin below which the
// pool aborts.
type Call struct {
	Package       sui.ObjectID
	Pool          registry.Pool
	SharedVersion uint64
	Direction     registry.Direction
	MinOut        sui.Raw
}

// deepIn appends what makes the DEEP coin of the call.
func deepIn(k *sui.Kind, fee *review.Selected) sui.Argument {
	if fee != nil {
		return fee.Fund(k)
	}
	k.Commands = append(k.Commands, sui.MoveCall{
		Package: framework, Module: "coin", Function: "zero", TypeArgs: []sui.TypeTag{coins.DEEP.Tag()},
	})
	return sui.ResultArg(len(k.Commands) - 1)
}

// Kind builds the transaction: fund the coin that is paid, fund the DEEP coin of
// the fee or make an empty one (which is what asks for the fee in the input),
// swap, and send all three coins that come back to the account.
func Kind(c Call, s review.Selected) (sui.Kind, error) {
	if c.SharedVersion == 0 {
		return sui.Kind{}, fault.New(fault.ProviderRefused, "The initial shared version of the pool %s is not known.", c.Pool.Key)
	}
	if (!s.Gas && len(s.Coins) == 0) || (s.Fee != nil && (s.Fee.Gas || len(s.Fee.Coins) == 0 || s.Fee.Amount == 0)) {
		return sui.Kind{}, fault.New(fault.InternalError, "No coin was chosen for the swap.")
	}
	k := sui.Kind{Inputs: []sui.Input{
		sui.SharedInput{ID: c.Pool.ID, InitialVersion: c.SharedVersion, Mutable: true},
		sui.PureU64(uint64(c.MinOut)),
		sui.ClockInput(),
		sui.PureAddress(s.Account),
	}}
	pool, minOut, clock, recipient := sui.InputArg(0), sui.InputArg(1), sui.InputArg(2), sui.InputArg(3)
	paid := s.Fund(&k)
	deep := deepIn(&k, s.Fee)
	k.Commands = append(k.Commands, sui.MoveCall{
		Package: c.Package, Module: "pool", Function: swapFunction(c.Direction),
		TypeArgs:  []sui.TypeTag{c.Pool.Base.Type.Tag(), c.Pool.Quote.Type.Tag()},
		Arguments: []sui.Argument{pool, paid, deep, minOut, clock},
	})
	swap := len(k.Commands) - 1
	k.Commands = append(k.Commands, sui.TransferObjects{
		Objects:   []sui.Argument{sui.NestedArg(swap, 0), sui.NestedArg(swap, 1), sui.NestedArg(swap, 2)},
		Recipient: recipient,
	})
	return k, nil
}
