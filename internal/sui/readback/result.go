package readback

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Result is a coin that one step leaves for a later one.
type Result struct {
	Step  int  // number of the step, from 1
	Part  int  // part of the step's result, from 1; 0 for all of it, or for the remainder after its parts
	Rest  bool // parts of the step's result were split off
	Value sui.Argument
	Coin  sui.CoinType
	Least sui.Raw
	Exact bool // the amount is exact rather than a minimum
}

// Kept returns the result that the current step leaves. It returns false if there is none.
func (r *Reader) Kept() (Result, bool) {
	if r.kept == nil {
		return Result{}, false
	}
	return *r.kept, true
}

// Parts returns the parts that the current step split off its result for later steps.
func (r *Reader) Parts() []Result { return r.parts }

// Taken returns the result that the current step uses. It returns false if there is none.
func (r *Reader) Taken() (Result, bool) {
	if r.taken == nil {
		return Result{}, false
	}
	return *r.taken, true
}

// callsAhead is the maximum number of commands before the call that uses a result: one call that
// creates an empty coin.
const callsAhead = 2

// take takes a result that one of the next calls uses. A step takes at most one.
func (r *Reader) take() (Funding, bool) {
	if r.taken != nil {
		return Funding{}, false
	}
	for _, c := range r.Ahead(callsAhead) {
		call, ok := c.(sui.MoveCall)
		if !ok {
			break
		}
		i := slices.IndexFunc(r.open, func(k Result) bool { return slices.Contains(call.Arguments, k.Value) })
		if i < 0 {
			continue
		}
		k := r.open[i]
		r.open, r.taken = slices.Delete(r.open, i, i+1), &k
		return Funding{Amount: k.Least, Result: k.Value, Step: k.Step, Part: k.Part, Rest: k.Rest, Coin: k.Coin,
			Exact: k.Exact}, true
	}
	return Funding{}, false
}

// SentOrKept takes the transfer of exactly these objects to one address. If out is not among the sent
// objects, it is left for a later step. If nothing is sent, there is no transfer, and the address is
// the sender's. Before the transfer, parts of out may be split off, each for a later step.
func (r *Reader) SentOrKept(out Result, objects ...sui.Argument) (sui.Address, error) {
	if err := r.divide(&out); err != nil {
		return sui.Address{}, err
	}
	t, sends := r.Peek().(sui.TransferObjects)
	rest := slices.DeleteFunc(slices.Clone(objects), func(a sui.Argument) bool { return a == out.Value })
	if sends && (len(rest) == 0 || !slices.Equal(t.Objects, rest)) {
		return r.Sent(objects...)
	}
	if len(rest) > 0 && !sends || len(rest) == len(objects) {
		return r.Sent(objects...)
	}
	out.Step = r.number
	r.kept, r.open = &out, append(r.open, out)
	if len(rest) == 0 {
		return r.Sender(), nil
	}
	return r.Sent(rest...)
}

// divide takes the split of fixed parts off a result, if that is the next command. The sum of the parts
// must be less than the result's minimum.
func (r *Reader) divide(out *Result) error {
	split, ok := r.Peek().(sui.SplitCoins)
	if !ok || split.Coin != out.Value {
		return nil
	}
	at := r.at
	r.Next()
	for i, a := range split.Amounts {
		n, err := r.U64(a)
		if err != nil {
			return err
		}
		//mutant:never ./internal/sui/readback TestParts
		if n == 0 || sui.Raw(n) >= out.Least {
			return Unlike("It splits nothing off the result, or more than its minimum.")
		}
		out.Least -= sui.Raw(n)
		r.parts = append(r.parts, Result{Step: r.number, Part: i + 1, Value: sui.NestedArg(at, i), Coin: out.Coin,
			Least: sui.Raw(n), Exact: true})
	}
	out.Rest = true
	r.open = append(r.open, r.parts...)
	return nil
}
