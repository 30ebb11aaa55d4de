package venue

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Append adds a swap that consists of one call: fund the coin that is paid, swap it, and send the
// result to the account, unless a later step takes it.
func Append(b *plan.Builder, paid plan.Amount, to sui.CoinType, call func(coin sui.Argument) sui.MoveCall) error {
	var recipient sui.Argument
	if !b.Passes() {
		recipient = b.Input(sui.PureAddress(b.Account))
	}
	coin, err := b.Fund(paid)
	if err != nil {
		return err
	}
	out := b.Add(call(coin))
	if !b.Pass(to, out) {
		b.Add(sui.TransferObjects{Objects: []sui.Argument{out}, Recipient: recipient})
	}
	return nil
}

// One is a decoded swap that consists of one call. It pays with From and receives at least Least.
type One struct {
	From  plan.Asset
	Least plan.Amount
	// Facts contains the call's target, route and terms.
	Facts plan.StepFacts
}

// ReadOne reads a swap that Append built. decode reads the call.
func ReadOne(r *readback.Reader, decode func(paid readback.Funding) (One, error)) (plan.StepFacts, error) {
	return Read(r, func(paid readback.Funding) (Decoded, error) {
		out := sui.ResultArg(r.At())
		one, err := decode(paid)
		if err != nil {
			return Decoded{}, err
		}
		if !paid.Pays(one.From.CoinType) {
			return Decoded{}, readback.Unlike("The amount is split from a coin of another kind than the one that is paid.")
		}
		f, leaves := one.Facts, one.From.Of(paid.Amount)
		f.Promise = plan.SwapPromise([]plan.Amount{leaves}, one.Least)
		f.Commands = append(plan.FundedWords(paid, leaves),
			"Swap in the pool "+f.Route+" for at least "+one.Least.String()+".")
		return Decoded{Facts: f, Back: []sui.Argument{out},
			Out: readback.Result{Value: out, Coin: one.Least.CoinType, Least: one.Least.Raw}}, nil
	})
}

// Takes returns an error unless an argument is the shared object want. what is the object's name in
// the error.
func Takes(r *readback.Reader, a sui.Argument, want sui.SharedInput, what string) error {
	if at, err := r.Shared(a, want.Mutable); err != nil || at != want {
		return readback.Unlike("The swap does not use %s.", what)
	}
	return nil
}

// Tagged returns the pinned coin of a type argument. find looks up a type in a venue's registry.
func Tagged(t sui.TypeTag, find func(name string) (coins.Coin, error)) (coins.Coin, error) {
	if t.Kind != sui.TypeStruct {
		return coins.Coin{}, readback.Unlike("Its type arguments are not coins.")
	}
	c, err := find(t.String())
	if err != nil {
		return coins.Coin{}, readback.Unlike("It is about a coin that is not pinned.")
	}
	return c, nil
}
