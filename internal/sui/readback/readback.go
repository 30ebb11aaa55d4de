// Package readback reads a built transaction command by command, so that an adapter can describe its
// effects without trusting the code that built it.
//
// It understands how payments are funded, and counts inputs: each input must be used once in a step,
// and none may be left over. It knows no protocol and does no I/O.
package readback

import (
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reader walks a transaction once. Its errors are fault.InputInvalid with one sentence that describes
// the deviation.
type Reader struct {
	tx      *sui.Transaction
	used    []int // by input: the last step that used it, or 0
	at      int
	step    int
	sources map[sui.Argument]bool // coins that were split
	rest    []Withdrawal          // remainders of coins made only from a withdrawal
	open    []Result              // results left for later steps and not yet taken
	number  int                   // current step, from 1
	kept    *Result               // result that the current step leaves
	parts   []Result              // parts of the current step's result
	taken   *Result               // result that the current step took
	made    []madeObject
	shared  int // number of objects already shared
}

// New returns a Reader before the first command of the first step.
func New(tx *sui.Transaction) *Reader {
	return &Reader{tx: tx, used: make([]int, len(tx.Inputs)), step: 1, number: 1, sources: map[sui.Argument]bool{}}
}

// Clone returns a Reader at the same position, for speculative reading.
func (r *Reader) Clone() *Reader {
	c := *r
	c.used, c.sources = slices.Clone(r.used), maps.Clone(r.sources)
	c.rest, c.open, c.parts, c.made = slices.Clone(r.rest), slices.Clone(r.open), slices.Clone(r.parts),
		slices.Clone(r.made)
	return &c
}

// Direct takes a value that one of the next calls uses entirely: the result of an earlier step, or the
// remainder of a withdrawal. It returns false if there is none.
func (r *Reader) Direct() (Funding, bool) {
	if f, ok := r.take(); ok {
		return f, true
	}
	return r.remainder(Withdrawal{})
}

// NextStep begins the next step of the transaction. The step may use the same shared objects as
// earlier steps, and split amounts off coins that they split.
func (r *Reader) NextStep() {
	r.Again()
	r.number++
	r.kept, r.parts, r.taken = nil, nil, nil
}

// Again lets further calls of the current step use the same shared objects.
func (r *Reader) Again() { r.step++ }

// coinless reports whether gas is paid from the address balance: the transaction names no gas coin and
// limits its epochs.
func (r *Reader) coinless() bool {
	_, bounded := r.tx.Expiration.(sui.ValidDuring)
	return bounded && len(r.tx.Gas.Payment) == 0
}

// Sender returns the transaction's sender.
func (r *Reader) Sender() sui.Address { return r.tx.Sender }

// Unlike returns the error for a transaction of an unexpected shape.
func Unlike(format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...)
}

// At returns the index of the next command, which identifies its results.
func (r *Reader) At() int { return r.at }

// Peek returns the next command without taking it, or nil after the last.
func (r *Reader) Peek() sui.Command {
	if r.at >= len(r.tx.Commands) {
		return nil
	}
	return r.tx.Commands[r.at]
}

// Ahead returns up to n of the next commands without taking them.
func (r *Reader) Ahead(n int) []sui.Command {
	return r.tx.Commands[r.at:min(r.at+n, len(r.tx.Commands))]
}

// Next takes the next command, or returns nil after the last.
func (r *Reader) Next() sui.Command {
	c := r.Peek()
	if c != nil {
		r.at++
	}
	return c
}

// Skip takes all remaining commands. Tests use it to simulate a faulty reader.
func (r *Reader) Skip() {
	r.at = len(r.tx.Commands)
	for i := range r.used {
		r.used[i] = r.step
	}
}

// Left returns the number of remaining commands.
func (r *Reader) Left() int { return len(r.tx.Commands) - r.at }

// End returns an error if commands or inputs are left over.
func (r *Reader) End() error {
	if r.Left() != 0 {
		return Unlike("It has %d commands, but this shape has %d.", len(r.tx.Commands), r.at)
	}
	if r.shared < len(r.made) {
		return Unlike("It leaves an object that it creates without an owner.")
	}
	//mutant:never ./internal/sui/readback TestResults
	if len(r.open) > 0 {
		return Unlike("No step uses the result of step %d.", r.open[0].Step)
	}
	//mutant:never ./internal/sui/readback TestWithdrawals
	if len(r.rest) > 0 {
		return Unlike("It does not use all that it withdraws.")
	}
	if i := slices.Index(r.used, 0); i >= 0 {
		return Unlike("No command uses its input %d.", i)
	}
	return nil
}

// Input takes the input that an argument names. An input may be taken once, and a shared object once
// per step.
func (r *Reader) Input(a sui.Argument) (sui.Input, error) {
	if a.Kind != sui.ArgInput || int(a.Index) >= len(r.tx.Inputs) {
		return nil, Unlike("It uses a result where an input is expected.")
	}
	in := r.tx.Inputs[a.Index]
	if _, shared := in.(sui.SharedInput); r.used[a.Index] == r.step || r.used[a.Index] != 0 && !shared {
		return nil, Unlike("It uses input %d twice.", a.Index)
	}
	r.used[a.Index] = r.step
	return in, nil
}

// U64 takes a u64 input.
func (r *Reader) U64(a sui.Argument) (uint64, error) {
	pure, err := r.pure(a)
	if err != nil {
		return 0, err
	}
	if n, ok := pure.U64(); ok {
		return n, nil
	}
	return 0, Unlike("Its input %d is not a u64.", a.Index)
}

// Address takes an address input.
func (r *Reader) Address(a sui.Argument) (sui.Address, error) {
	pure, err := r.pure(a)
	if err != nil {
		return sui.Address{}, err
	}
	if to, ok := pure.Address(); ok {
		return to, nil
	}
	return sui.Address{}, Unlike("Its input %d is not an address.", a.Index)
}

// Bool takes a bool input.
func (r *Reader) Bool(a sui.Argument) (bool, error) {
	pure, err := r.pure(a)
	if err != nil {
		return false, err
	}
	if v, ok := pure.Bool(); ok {
		return v, nil
	}
	return false, Unlike("Its input %d is neither true nor false.", a.Index)
}

// Bytes takes a pure input of exactly n bytes.
func (r *Reader) Bytes(a sui.Argument, n int) ([]byte, error) {
	pure, err := r.pure(a)
	if err != nil {
		return nil, err
	}
	if len(pure.Bytes) != n {
		return nil, Unlike("Its input %d has %d bytes instead of %d.", a.Index, len(pure.Bytes), n)
	}
	return pure.Bytes, nil
}

func (r *Reader) pure(a sui.Argument) (sui.PureInput, error) {
	in, err := r.Input(a)
	if err != nil {
		return sui.PureInput{}, err
	}
	pure, ok := in.(sui.PureInput)
	if !ok {
		return sui.PureInput{}, Unlike("Its input %d is an object where a value is expected.", a.Index)
	}
	return pure, nil
}

// Owned takes an input that is an object of the sender.
func (r *Reader) Owned(a sui.Argument) (sui.OwnedInput, error) {
	in, err := r.Input(a)
	if err != nil {
		return sui.OwnedInput{}, err
	}
	owned, ok := in.(sui.OwnedInput)
	if !ok {
		return sui.OwnedInput{}, Unlike("Its input %d is not an owned object.", a.Index)
	}
	return owned, nil
}

// Shared takes a shared object input, either mutable or not.
func (r *Reader) Shared(a sui.Argument, mutable bool) (sui.SharedInput, error) {
	in, err := r.Input(a)
	if err != nil {
		return sui.SharedInput{}, err
	}
	s, ok := in.(sui.SharedInput)
	if !ok || s.Mutable != mutable {
		return sui.SharedInput{}, Unlike("Its input %d is not the shared object that the call needs.", a.Index)
	}
	return s, nil
}

// Funding is an amount for a call: either split off a coin, into which other coins may be merged
// first, or the result of an earlier step.
type Funding struct {
	Source sui.Argument // the gas coin or an owned coin
	Merged int          // coins merged into the source
	Amount sui.Raw
	Result sui.Argument // the coin with the amount

	// Withdrawn is the amount merged in from the address balance. Without any coin, it is the whole
	// source of the split. It is zero if nothing was withdrawn.
	Withdrawn Withdrawal
	coin      sui.CoinType // coin type if a withdrawal is the only source
	coinless  bool         // no coin pays for gas

	Step  int          // number of the step whose result this is, from 1; 0 for an amount that was split off
	Part  int          // part of that result, from 1; 0 for all of it, or for the remainder after its parts
	Rest  bool         // parts of that result were split off
	Coin  sui.CoinType // coin type of that result
	Exact bool         // Amount is exact rather than a minimum
}

// Pays reports whether the amount can be of the given coin. A step's result determines its coin, and
// SUI is split off the gas coin if there is one.
func (f Funding) Pays(c sui.CoinType) bool {
	if f.Step > 0 {
		return f.Coin == c
	}
	//mutant:never ./internal/sui/readback TestWithdrawals
	if f.Withdrawn.Amount > 0 && f.Withdrawn.Coin != c || f.coin != "" && f.coin != c {
		return false
	}
	if f.coinless {
		return !f.Gas()
	}
	return f.Gas() == (c == sui.SUI)
}

// Gas reports whether the amount is split from the gas coin.
func (f Funding) Gas() bool { return f.Source == sui.GasCoin }

// Whole reports whether the amount comes entirely from the address balance.
func (f Funding) Whole() bool { return f.coin != "" }

// Funded takes an optional withdrawal, an optional merge, and a split of one amount. If an earlier
// step split the same coin, nothing more may be merged into it. If one of the next calls uses the
// result of an earlier step, Funded returns that result instead.
func (r *Reader) Funded() (Funding, error) {
	if f, ok := r.take(); ok {
		return f, nil
	}
	withdrawn, err := r.redeemed(RedeemModule)
	if err != nil {
		return Funding{}, err
	}
	merge, merges := r.Peek().(sui.MergeCoins)
	if withdrawn.Amount > 0 && (!merges || !slices.Contains(merge.Sources, withdrawn.result)) {
		r.rest = append(r.rest, withdrawn)
	}
	if _, splits := r.Peek().(sui.SplitCoins); !merges && !splits {
		if f, ok := r.remainder(withdrawn); ok {
			return f, nil
		}
	}
	if merges {
		r.at++
	}
	at := r.at
	split, ok := r.Next().(sui.SplitCoins)
	if !ok || len(split.Amounts) != 1 {
		return Funding{}, Unlike("It does not split exactly one amount off a coin.")
	}
	begun := r.sources[split.Coin]
	var alone sui.CoinType
	if i := slices.IndexFunc(r.rest, func(w Withdrawal) bool { return w.result == split.Coin }); i >= 0 {
		alone = r.rest[i].Coin
	}
	if split.Coin != sui.GasCoin && !begun && alone == "" {
		if _, err := r.Owned(split.Coin); err != nil {
			return Funding{}, err
		}
	}
	r.sources[split.Coin] = true
	if merges && begun {
		return Funding{}, Unlike("It merges coins into one that was already split.")
	}
	if merges {
		if merge.Into != split.Coin || len(merge.Sources) == 0 {
			return Funding{}, Unlike("It merges coins into a different coin than the one that it splits.")
		}
		if withdrawn.Amount > 0 && merge.Sources[0] == withdrawn.result {
			merge.Sources = merge.Sources[1:]
		}
		for _, s := range merge.Sources {
			if _, err := r.Owned(s); err != nil {
				return Funding{}, err
			}
		}
	}
	amount, err := r.U64(split.Amounts[0])
	if err == nil {
		err = r.splits(split.Coin, sui.Raw(amount))
	}
	return Funding{Withdrawn: withdrawn, coin: alone, coinless: r.coinless(), Source: split.Coin,
		Merged: len(merge.Sources), Amount: sui.Raw(amount), Result: sui.NestedArg(at, 0)}, err
}

// Call takes a call of one of the functions. packages reports whether a package id is accepted.
func (r *Reader) Call(module string, functions []string, packages func(sui.ObjectID) bool) (sui.MoveCall, error) {
	call, ok := r.Next().(sui.MoveCall)
	if !ok || !packages(call.Package) || call.Module != module || !slices.Contains(functions, call.Function) {
		return sui.MoveCall{}, Unlike("It does not call %s::%s of a pinned package where that is expected.", module,
			functions[0])
	}
	return call, nil
}

// Sent takes the transfer of exactly these objects to one address.
func (r *Reader) Sent(objects ...sui.Argument) (sui.Address, error) {
	t, ok := r.Next().(sui.TransferObjects)
	if !ok || !slices.Equal(t.Objects, objects) {
		return sui.Address{}, Unlike("It does not send all results to one address.")
	}
	return r.Address(t.Recipient)
}
