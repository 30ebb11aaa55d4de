package swap

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
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

// framework is the Sui framework package, which has coin::zero.
var framework = sui.MustAddress("0x2")

// Call is one swap. The pool aborts if it would pay less than MinOut, in raw units of the coin
// received.
type Call struct {
	Package       sui.ObjectID
	Pool          registry.Pool
	SharedVersion uint64
	Direction     registry.Direction
	MinOut        sui.Raw
}

// Append adds the calls of a swap: fund the coin that is paid, fund DEEP for the fee or create an
// empty DEEP coin (which makes the pool take the fee from the input), and swap. All three returned
// coins are sent to the account, except one that a later step takes. leaves is the amount paid and, if
// the fee is paid in DEEP, the attached DEEP.
func Append(b *plan.Builder, c Call, leaves ...plan.Amount) error {
	switch {
	case c.SharedVersion == 0:
		return fault.New(fault.ProviderRefused, "The initial shared version of the pool %s is not known.", c.Pool.Key)
	case len(leaves) < 1 || len(leaves) > 2 || leaves[0].Raw == 0 || leaves[len(leaves)-1].Raw == 0:
		return fault.New(fault.InternalError, "No coin was chosen for the swap.")
	}
	pool := b.Input(sui.SharedInput{ID: c.Pool.ID, InitialVersion: c.SharedVersion, Mutable: true})
	minOut, clock := b.Input(sui.PureU64(uint64(c.MinOut))), b.Input(sui.ClockInput())
	recipient := b.Input(sui.PureAddress(b.Account))
	paid, err := b.Fund(leaves[0])
	if err != nil {
		return err
	}
	var deep sui.Argument
	if len(leaves) == 2 {
		if deep, err = b.Fund(leaves[1]); err != nil {
			return err
		}
	} else {
		deep = b.Add(sui.MoveCall{Package: framework, Module: "coin", Function: "zero",
			TypeArgs: []sui.TypeTag{coins.DEEP.Tag()}})
	}
	swap := b.Next()
	b.Add(sui.MoveCall{
		Package: c.Package, Module: "pool", Function: swapFunction(c.Direction),
		TypeArgs:  []sui.TypeTag{c.Pool.Base.Type.Tag(), c.Pool.Quote.Type.Tag()},
		Arguments: []sui.Argument{pool, paid, deep, minOut, clock},
	})
	objects := []sui.Argument{sui.NestedArg(swap, 0), sui.NestedArg(swap, 1), sui.NestedArg(swap, 2)}
	bought := 1 // index among the results: base, quote, DEEP
	if c.Direction == registry.QuoteToBase {
		bought = 0
	}
	_, out, err := c.Pool.Sides(c.Direction)
	if err != nil {
		return err
	}
	if b.Pass(out.Type, objects[bought]) {
		objects = slices.Delete(objects, bought, bought+1)
	}
	b.Add(sui.TransferObjects{Objects: objects, Recipient: recipient})
	return nil
}
