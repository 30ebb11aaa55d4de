package swap

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Read implements plan.Adapter. It accepts two shapes of the calls that venue.Read decodes: a command
// creates an empty DEEP coin, or splits off an amount of DEEP. Then a pinned package swaps in a pinned
// pool and returns three coins.
func (*Adapter) Read(r *readback.Reader) (plan.StepFacts, error) {
	return venue.Read(r, func(paid readback.Funding) (venue.Decoded, error) { return decoded(r, paid) })
}

func decoded(r *readback.Reader, paid readback.Funding) (d venue.Decoded, err error) {
	var fee *readback.Funding
	deep := sui.ResultArg(r.At())
	if emptyDeep(r.Peek()) {
		r.Next()
	} else {
		from, err := r.Funded()
		if err != nil {
			return d, err
		}
		if from.Gas() || from.Amount == 0 {
			return d, readback.Unlike("The coin for the fee is not DEEP, or none of it is attached.")
		}
		fee, deep = &from, from.Result
	}
	swap := r.At()
	if d.Facts, err = swapped(r, paid, deep, fee); err != nil {
		return d, err
	}
	d.Back = []sui.Argument{sui.NestedArg(swap, 0), sui.NestedArg(swap, 1), sui.NestedArg(swap, 2)}
	bought := 1
	if d.Facts.Function == "pool::"+buyFunction {
		bought = 0
	}
	least := d.Facts.Promise.Amount(plan.RoleOutput)
	d.Out = readback.Result{Value: d.Back[bought], Coin: least.CoinType, Least: least.Raw}
	d.Facts.Commands = sentences(paid, fee, d.Facts)
	return d, nil
}

// emptyDeep reports whether a command creates an empty DEEP coin, which makes the pool take the fee
// from the input.
func emptyDeep(command sui.Command) bool {
	call, ok := command.(sui.MoveCall)
	return ok && call.Package == framework && call.Module == "coin" && call.Function == "zero" &&
		len(call.Arguments) == 0 &&
		len(call.TypeArgs) == 1 && call.TypeArgs[0].String() == string(coins.DEEP)
}

// swapped reads the call of the pool.
func swapped(r *readback.Reader, paid readback.Funding, deep sui.Argument, fee *readback.Funding) (plan.StepFacts,
	error) {
	call, err := r.Call("pool", []string{sellFunction, buyFunction}, registry.Published)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if len(call.Arguments) != 5 || call.Arguments[1] != paid.Result || call.Arguments[2] != deep {
		return plan.StepFacts{}, readback.Unlike("The swap does not use the coins that were made for it.")
	}
	at, err := r.Shared(call.Arguments[0], true)
	if err != nil {
		return plan.StepFacts{}, err
	}
	pool, err := registry.Named(at, call.TypeArgs)
	if err != nil {
		return plan.StepFacts{}, err
	}
	minimum, err := r.U64(call.Arguments[3])
	if err != nil {
		return plan.StepFacts{}, err
	}
	if err := venue.Takes(r, call.Arguments[4], sui.ClockInput(), "the chain's clock"); err != nil {
		return plan.StepFacts{}, err
	}
	in, out := pool.Base, pool.Quote
	if call.Function == buyFunction {
		in, out = out, in
	}
	if !paid.Pays(in.Type) {
		return plan.StepFacts{},
			readback.Unlike("The amount is split off a different coin than the one that is paid.")
	}
	spends := []plan.Amount{venue.Asset(in).Of(paid.Amount)}
	if fee != nil {
		if pool.Base.Type == coins.DEEP || pool.Quote.Type == coins.DEEP {
			return plan.StepFacts{}, readback.Unlike("It attaches DEEP for the fee in a pool that trades DEEP itself.")
		}
		spends = append(spends, deepCoin().Of(fee.Amount))
	}
	return plan.StepFacts{
		Promise: plan.SwapPromise(spends, venue.Asset(out).Of(sui.Raw(minimum))),
		Package: call.Package, Function: call.Module + "::" + call.Function,
		TypeArgs: []string{call.TypeArgs[0].String(), call.TypeArgs[1].String()}, Route: pool.Key, RouteID: pool.ID,
	}, nil
}

// sentences describes each command in plain words.
func sentences(paid readback.Funding, fee *readback.Funding, f plan.StepFacts) []string {
	leaves, least := f.Promise.Amounts(plan.RoleInput, plan.RoleFee), f.Promise.Amount(plan.RoleOutput).String()
	out := plan.FundedWords(paid, leaves[0])
	if fee != nil {
		out = append(out, plan.FundedWords(*fee, leaves[1])...)
	} else {
		out = append(out, "Make an empty DEEP coin: the fee, if there is one, is taken from "+leaves[0].Symbol+".")
	}
	swap := "Swap in the pool " + f.Route + " for at least " + least + "."
	if fee != nil {
		swap = "Swap in the pool " + f.Route + " for at least " + least + ", with the fee out of the DEEP."
	}
	return append(out, swap)
}
