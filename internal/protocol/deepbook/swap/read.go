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

// Read implements review.Adapter. It accepts one shape: optionally merge coins,
// split one amount, make an empty DEEP coin, swap in a pinned pool through a
// pinned package, send all three results to one address; every input used.
func (*Adapter) Read(tx *sui.Transaction) (review.Facts, error) {
	r := &reader{tx: tx, used: make([]bool, len(tx.Inputs))}
	commands := tx.Commands
	at := 0
	var merged *sui.MergeCoins
	if len(commands) > 0 {
		if m, ok := commands[0].(sui.MergeCoins); ok {
			merged, at = &m, 1
		}
	}
	if len(commands) != at+4 {
		return review.Facts{}, unknown("It has %d commands; a swap has %d.", len(commands), at+4)
	}
	source, amount, err := r.funding(merged, commands[at])
	if err != nil {
		return review.Facts{}, err
	}
	if err := emptyDeep(commands[at+1]); err != nil {
		return review.Facts{}, err
	}
	facts, err := r.swap(commands[at+2], sui.NestedArg(at, 0), sui.ResultArg(at+1), source, amount)
	if err != nil {
		return review.Facts{}, err
	}
	if facts.Recipient, err = r.transfer(commands[at+3], at+2); err != nil {
		return review.Facts{}, err
	}
	if i := slices.Index(r.used, false); i >= 0 {
		return review.Facts{}, unknown("Its input %d is used by no command.", i)
	}
	facts.Commands = sentences(merged, source, facts)
	return facts, nil
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

func (r *reader) shared(a sui.Argument, mutable bool) (sui.ObjectID, error) {
	in, err := r.input(a)
	if err != nil {
		return sui.ObjectID{}, err
	}
	s, ok := in.(sui.SharedInput)
	if !ok || s.Mutable != mutable {
		return sui.ObjectID{}, unknown("Its input %d is not the shared object that the call takes.", a.Index)
	}
	return s.ID, nil
}

// funding reads the merge and the split. source is the gas coin or an owned coin.
func (r *reader) funding(merged *sui.MergeCoins, command sui.Command) (source sui.Argument, amount uint64, err error) {
	split, ok := command.(sui.SplitCoins)
	if !ok || len(split.Amounts) != 1 {
		return source, 0, unknown("It does not split exactly one amount from a coin.")
	}
	if split.Coin != sui.GasCoin {
		if err := r.coin(split.Coin); err != nil {
			return source, 0, err
		}
	}
	if merged != nil {
		if merged.Into != split.Coin || len(merged.Sources) == 0 {
			return source, 0, unknown("It merges coins into another coin than the one that is split.")
		}
		for _, s := range merged.Sources {
			if err := r.coin(s); err != nil {
				return source, 0, err
			}
		}
	}
	amount, err = r.number(split.Amounts[0])
	return split.Coin, amount, err
}

func emptyDeep(command sui.Command) error {
	call, ok := command.(sui.MoveCall)
	if !ok || call.Package != framework || call.Module != "coin" || call.Function != "zero" || len(call.Arguments) != 0 ||
		len(call.TypeArgs) != 1 || call.TypeArgs[0].String() != string(registry.DEEP) {
		return unknown("It does not make an empty DEEP coin, which asks for the fee in the coin that is paid.")
	}
	return nil
}

// swap reads the call of the pool.
func (r *reader) swap(command sui.Command, paid, deep, source sui.Argument, amount uint64) (review.Facts, error) {
	call, ok := command.(sui.MoveCall)
	if !ok || !published(call.Package) || call.Module != "pool" ||
		(call.Function != sellFunction && call.Function != buyFunction) {
		return review.Facts{}, unknown("It does not call a swap of a pinned DeepBook package.")
	}
	if len(call.Arguments) != 5 || call.Arguments[1] != paid || call.Arguments[2] != deep {
		return review.Facts{}, unknown("The swap does not take the coins that were made for it.")
	}
	id, err := r.shared(call.Arguments[0], true)
	if err != nil {
		return review.Facts{}, err
	}
	pool, ok := registry.PoolByID(id)
	if !ok {
		return review.Facts{}, unknown("It swaps in a pool that is not pinned.")
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
	if err != nil || clock != registry.Clock {
		return review.Facts{}, unknown("The swap does not take the chain's clock.")
	}
	in, out := pool.Base, pool.Quote
	if call.Function == buyFunction {
		in, out = out, in
	}
	if (source == sui.GasCoin) != (in.Type == sui.SUI) {
		return review.Facts{}, unknown("The amount is split from a coin of another kind than the one that is paid.")
	}
	return review.Facts{
		Spends: []review.Amount{asset(in).Of(sui.Raw(amount))}, Minimum: asset(out).Of(sui.Raw(minimum)),
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
func sentences(merged *sui.MergeCoins, source sui.Argument, f review.Facts) []string {
	spend := f.Spends[0]
	from := "one of your " + spend.Symbol + " coins"
	if source == sui.GasCoin {
		from = "the SUI coin that pays for gas"
	}
	var out []string
	if merged != nil {
		out = append(out, fmt.Sprintf("Merge %d of your %s coins into %s.", len(merged.Sources), spend.Symbol, from))
	}
	return append(out,
		"Take "+spend.String()+" out of "+from+".",
		"Make an empty DEEP coin: the fee is taken from "+spend.Symbol+".",
		"Swap in the pool "+f.Route+" for at least "+f.Minimum.String()+".",
		"Send what comes out, and everything unspent, to "+f.Recipient.String()+".")
}
