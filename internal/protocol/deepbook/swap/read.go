package swap

import (
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// reader walks a transaction once and notes which inputs were used.
type reader struct {
	tx   *sui.Transaction
	used []bool
}

func unknown(format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...)
}

// Read implements review.Adapter. It accepts two shapes: optionally merge coins,
// split one amount; make an empty DEEP coin, or optionally merge DEEP coins and
// split one amount of them; swap in a pinned pool through a pinned package; send
// all three results to one address; every input used.
func (*Adapter) Read(tx *sui.Transaction) (review.Facts, error) {
	r := &reader{tx: tx, used: make([]bool, len(tx.Inputs))}
	at := 0
	paid, at, err := r.funded(at)
	if err != nil {
		return review.Facts{}, err
	}
	var fee *funding
	deep := sui.ResultArg(at)
	if emptyDeep(r.command(at)) {
		at++
	} else {
		var from funding
		if from, at, err = r.funded(at); err != nil {
			return review.Facts{}, err
		}
		if from.source == sui.GasCoin || from.amount == 0 {
			return review.Facts{}, unknown("The coin for the fee is not DEEP, or none of it is attached.")
		}
		fee, deep = &from, from.result
	}
	if len(tx.Commands) != at+2 {
		return review.Facts{}, unknown("It has %d commands; a swap of this shape has %d.", len(tx.Commands), at+2)
	}
	facts, err := r.swap(tx.Commands[at], paid, deep, fee)
	if err != nil {
		return review.Facts{}, err
	}
	if facts.Recipient, err = r.transfer(tx.Commands[at+1], at); err != nil {
		return review.Facts{}, err
	}
	if i := slices.Index(r.used, false); i >= 0 {
		return review.Facts{}, unknown("Its input %d is used by no command.", i)
	}
	facts.Commands = sentences(paid, fee, facts)
	return facts, nil
}

// command gives command i, nil where there is none.
func (r *reader) command(i int) sui.Command {
	if i >= len(r.tx.Commands) {
		return nil
	}
	return r.tx.Commands[i]
}

// input gives input i and marks it; each may be used once, except a coin that
// is both merged into and split.
func (r *reader) input(a sui.Argument) (sui.Input, error) {
	if a.Kind != sui.ArgInput || int(a.Index) >= len(r.tx.Inputs) {
		return nil, unknown("It uses a value where an input is expected.")
	}
	if r.used[a.Index] {
		return nil, unknown("It uses input %d twice.", a.Index)
	}
	r.used[a.Index] = true
	return r.tx.Inputs[a.Index], nil
}

func (r *reader) number(a sui.Argument) (uint64, error) {
	in, err := r.input(a)
	if err != nil {
		return 0, err
	}
	if pure, ok := in.(sui.PureInput); ok {
		if n, ok := pure.U64(); ok {
			return n, nil
		}
	}
	return 0, unknown("Its input %d is not a u64.", a.Index)
}

func (r *reader) coin(a sui.Argument) error {
	in, err := r.input(a)
	if err != nil {
		return err
	}
	if _, ok := in.(sui.OwnedInput); !ok {
		return unknown("Its input %d is not an owned coin.", a.Index)
	}
	return nil
}

func (r *reader) shared(a sui.Argument, mutable bool) (sui.SharedInput, error) {
	in, err := r.input(a)
	if err != nil {
		return sui.SharedInput{}, err
	}
	s, ok := in.(sui.SharedInput)
	if !ok || s.Mutable != mutable {
		return sui.SharedInput{}, unknown("Its input %d is not the shared object that the call takes.", a.Index)
	}
	return s, nil
}

// pool reads the pool that is swapped in. Where the registry knows the version
// at which it was shared, the input must say the same.
func (r *reader) pool(a sui.Argument) (registry.Pool, error) {
	in, err := r.shared(a, true)
	if err != nil {
		return registry.Pool{}, err
	}
	pool, ok := registry.PoolByID(in.ID)
	if !ok {
		return pool, unknown("It swaps in a pool that is not pinned.")
	}
	if pool.InitialSharedVersion != 0 && pool.InitialSharedVersion != in.InitialVersion {
		return pool, unknown("It names the pool %s at another version than the one at which it was shared.", pool.Key)
	}
	return pool, nil
}

// funding is an amount split from a coin, into which others may be merged first.
type funding struct {
	source sui.Argument // the gas coin or an owned coin
	merged int          // coins merged into the source
	amount uint64
	result sui.Argument
}

// funded reads an optional merge and a split from command at on, and gives the
// command after them.
func (r *reader) funded(at int) (f funding, next int, err error) {
	merge, merges := r.command(at).(sui.MergeCoins)
	if merges {
		at++
	}
	split, ok := r.command(at).(sui.SplitCoins)
	if !ok || len(split.Amounts) != 1 {
		return f, at, unknown("It does not split exactly one amount from a coin.")
	}
	if split.Coin != sui.GasCoin {
		if err := r.coin(split.Coin); err != nil {
			return f, at, err
		}
	}
	if merges {
		if merge.Into != split.Coin || len(merge.Sources) == 0 {
			return f, at, unknown("It merges coins into another coin than the one that is split.")
		}
		for _, s := range merge.Sources {
			if err := r.coin(s); err != nil {
				return f, at, err
			}
		}
	}
	f = funding{source: split.Coin, merged: len(merge.Sources), result: sui.NestedArg(at, 0)}
	f.amount, err = r.number(split.Amounts[0])
	return f, at + 1, err
}

// emptyDeep reports whether a command makes an empty DEEP coin, which asks for
// the fee in the coin that is paid.
func emptyDeep(command sui.Command) bool {
	call, ok := command.(sui.MoveCall)
	return ok && call.Package == framework && call.Module == "coin" && call.Function == "zero" && len(call.Arguments) == 0 &&
		len(call.TypeArgs) == 1 && call.TypeArgs[0].String() == string(registry.DEEP)
}

// swap reads the call of the pool.
func (r *reader) swap(command sui.Command, paid funding, deep sui.Argument, fee *funding) (review.Facts, error) {
	call, ok := command.(sui.MoveCall)
	if !ok || !published(call.Package) || call.Module != "pool" ||
		(call.Function != sellFunction && call.Function != buyFunction) {
		return review.Facts{}, unknown("It does not call a swap of a pinned DeepBook package.")
	}
	if len(call.Arguments) != 5 || call.Arguments[1] != paid.result || call.Arguments[2] != deep {
		return review.Facts{}, unknown("The swap does not take the coins that were made for it.")
	}
	pool, err := r.pool(call.Arguments[0])
	if err != nil {
		return review.Facts{}, err
	}
	if len(call.TypeArgs) != 2 || call.TypeArgs[0].String() != string(pool.Base.Type) ||
		call.TypeArgs[1].String() != string(pool.Quote.Type) {
		return review.Facts{}, unknown("The coins of the call are not those of the pool %s.", pool.Key)
	}
	minimum, err := r.number(call.Arguments[3])
	if err != nil {
		return review.Facts{}, err
	}
	clock, err := r.shared(call.Arguments[4], false)
	if err != nil || clock.ID != registry.Clock || clock.InitialVersion != registry.ClockVersion {
		return review.Facts{}, unknown("The swap does not take the chain's clock.")
	}
	in, out := pool.Base, pool.Quote
	if call.Function == buyFunction {
		in, out = out, in
	}
	if (paid.source == sui.GasCoin) != (in.Type == sui.SUI) {
		return review.Facts{}, unknown("The amount is split from a coin of another kind than the one that is paid.")
	}
	spends := []review.Amount{asset(in).Of(sui.Raw(paid.amount))}
	if fee != nil {
		if pool.Base.Type == registry.DEEP || pool.Quote.Type == registry.DEEP {
			return review.Facts{}, unknown("It attaches DEEP for the fee in a pool that trades DEEP itself.")
		}
		spends = append(spends, deepCoin().Of(sui.Raw(fee.amount)))
	}
	return review.Facts{
		Spends: spends, Minimum: asset(out).Of(sui.Raw(minimum)),
		Package: call.Package, Function: call.Module + "::" + call.Function,
		TypeArgs: []string{call.TypeArgs[0].String(), call.TypeArgs[1].String()}, Route: pool.Key, RouteID: pool.ID,
	}, nil
}

func published(id sui.ObjectID) bool {
	return slices.ContainsFunc(registry.Packages(), func(p registry.Package) bool { return p.ID == id })
}

// transfer reads who gets the three coins.
func (r *reader) transfer(command sui.Command, swap int) (sui.Address, error) {
	t, ok := command.(sui.TransferObjects)
	all := []sui.Argument{sui.NestedArg(swap, 0), sui.NestedArg(swap, 1), sui.NestedArg(swap, 2)}
	if !ok || !slices.Equal(t.Objects, all) {
		return sui.Address{}, unknown("It does not send all three coins of the swap to one address.")
	}
	in, err := r.input(t.Recipient)
	if err != nil {
		return sui.Address{}, err
	}
	if pure, ok := in.(sui.PureInput); ok {
		if a, ok := pure.Address(); ok {
			return a, nil
		}
	}
	return sui.Address{}, unknown("The recipient is not an address.")
}

// sentences says each command in plain words.
func sentences(paid funding, fee *funding, f review.Facts) []string {
	out := fundedWords(paid, f.Spends[0])
	if fee != nil {
		out = append(out, fundedWords(*fee, f.Spends[1])...)
	} else {
		out = append(out, "Make an empty DEEP coin: the fee, if there is one, is taken from "+f.Spends[0].Symbol+".")
	}
	swap := "Swap in the pool " + f.Route + " for at least " + f.Minimum.String() + "."
	if fee != nil {
		swap = "Swap in the pool " + f.Route + " for at least " + f.Minimum.String() + ", with the fee out of the DEEP."
	}
	return append(out, swap, "Send what comes out, and everything unspent, to "+f.Recipient.String()+".")
}

func fundedWords(f funding, a review.Amount) []string {
	from := "one of your " + a.Symbol + " coins"
	if f.source == sui.GasCoin {
		from = "the SUI coin that pays for gas"
	}
	var out []string
	if f.merged > 0 {
		out = append(out, fmt.Sprintf("Merge %d of your %s coins into %s.", f.merged, a.Symbol, from))
	}
	return append(out, "Take "+a.String()+" out of "+from+".")
}
