package ledger

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Bounds on payments without gas, as on the chain.
const (
	gaslessMost   = 16_384 // bytes of the transaction
	gaslessPure   = 32     // bytes of a pure input
	gaslessLeast  = 10_000 // raw units of a payment: 0.01 of each listed coin
	gaslessUnused = 1      // pure inputs that no command names
)

// gaslessCoins are the listed coins that the registry pins.
var gaslessCoins = []string{"USDC", "USDSUI", "SUIUSDE", "AUSD"}

// gaslessCalls are the only functions that such a payment may call.
var gaslessCalls = map[string][]string{
	"balance":           {"send_funds", "redeem_funds", "split", "zero"},
	"coin":              {"into_balance", "redeem_funds", "send_funds", "put"},
	"funds_accumulator": {"withdrawal_split"},
}

// gasless reports whether the transaction asks to pay no gas at all.
func gasless(tx *sui.Transaction) bool {
	return len(tx.Gas.Payment) == 0 && tx.Gas.Price == 0 && tx.Gas.Budget == 0
}

// checkGasless refuses a transaction that is more than a payment of listed coins.
func checkGasless(tx *sui.Transaction) error {
	if raw, err := tx.Encode(); err != nil || len(raw) > gaslessMost {
		return Refuse("Gasless transactions have at most %d bytes", gaslessMost)
	}
	used := map[int]bool{}
	use := func(list ...sui.Argument) {
		for _, a := range list {
			if a.Kind == sui.ArgInput {
				used[int(a.Index)] = true
			}
		}
	}
	for _, c := range tx.Commands {
		known := true
		switch c := c.(type) {
		case sui.MoveCall:
			if err := checkGaslessCall(c); err != nil {
				return err
			}
			use(c.Arguments...)
		case sui.SplitCoins:
			use(append(slices.Clone(c.Amounts), c.Coin)...)
		case sui.MergeCoins:
			use(append(slices.Clone(c.Sources), c.Into)...)
		default:
			known = false
		}
		//mutant:never ./internal/sandbox TestGasless/a command of another kind
		if !known {
			return Refuse("Gasless transactions only support MoveCall, MergeCoins, and SplitCoins commands")
		}
	}
	unused := 0
	for i, in := range tx.Inputs {
		pure, isPure := in.(sui.PureInput)
		switch {
		case isPure && len(pure.Bytes) > gaslessPure:
			return Refuse("Gasless transactions have pure inputs of at most %d bytes", gaslessPure)
		case isPure && !used[i]:
			unused++
		case !used[i]:
			return Refuse("Gasless transactions must use every object and withdrawal (input %d)", i)
		}
	}
	if unused > gaslessUnused {
		return Refuse("Gasless transactions have at most %d unused input", gaslessUnused)
	}
	return nil
}

// checkGaslessCall refuses a function or a coin that is not listed.
func checkGaslessCall(c sui.MoveCall) error {
	//mutant:never ./internal/sandbox TestGasless/a function that is not listed
	if c.Package != frameworkID || !slices.Contains(gaslessCalls[c.Module], c.Function) {
		return Refuse("Function %s::%s::%s is not supported in gasless transactions", c.Package.Short(), c.Module, c.Function)
	}
	if len(c.TypeArgs) != 1 {
		return Refuse("Gasless transactions take one type argument")
	}
	listed := slices.ContainsFunc(gaslessCoins, func(symbol string) bool {
		coin, ok := coins.BySymbol(symbol)
		text := c.TypeArgs[0].String()
		return ok && (text == coin.Type.Tag().String() || text == balanceType(coin.Type).String())
	})
	//mutant:never ./internal/sandbox TestGasless/a coin that is not listed
	if !listed {
		return Refuse("Type %s is not supported in gasless transactions", c.TypeArgs[0])
	}
	return nil
}

// gaslessResult refuses a payment that writes an object or pays too little to somebody.
func (r *run) gaslessResult(o *Outcome) error {
	if slices.ContainsFunc(o.Changes, func(c Change) bool { return c.After != nil }) {
		return Refuse("Gasless transactions cannot create or mutate objects")
	}
	for _, m := range r.moved {
		//mutant:never ./internal/sandbox TestGasless/less than a cent
		if m.delta.Sign() >= 0 && (!m.delta.IsUint64() || m.delta.Uint64() < gaslessLeast) {
			return Refuse("Gasless transfers are of at least %d", gaslessLeast)
		}
	}
	return nil
}
