package deepbook

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// FeeMode determines how a quote accounts for the pool's fee.
type FeeMode string

// Fee modes: the fee is paid in DEEP in addition to the input, or taken from the input.
const (
	FeeDeep  FeeMode = "deep"
	FeeInput FeeMode = "input"
)

// Request asks for a quote for paying an exact raw amount in a direction. FeeMode "" means FeeDeep.
type Request struct {
	PoolKey   string
	Direction registry.Direction
	Amount    sui.Raw
	FeeMode   FeeMode
	// After is a transaction that runs before the quote, in the same simulation and without its gas.
	// It may be nil.
	After *sui.Transaction
}

// Quote is a pool's answer to a Request. BaseOut, QuoteOut and DeepRequired are the function's
// results, in order. The result in the paid coin is the unspent part of the input.
type Quote struct {
	Source
	Direction                       registry.Direction
	FeeMode                         FeeMode
	Input                           sui.Raw
	BaseOut, QuoteOut, DeepRequired sui.Raw
	Out                             sui.Raw // of the coin received
	Unspent                         sui.Raw // of the coin paid
	Used                            sui.Raw // Input minus Unspent; with FeeInput it includes the fee
	Function                        string  // module::name of the called function
	ReturnFunction                  string  // module::name of the function that computes the values
}

// Tradable reports whether the pool would trade anything.
func (q Quote) Tradable() bool { return q.Out > 0 && q.Used > 0 }

// Snapshot is a quote, the pool's parameters, and its mid price with the best bid and ask, all from
// one state of the chain. If a side of the book is empty, its Bid or Ask is 0, and so is Mid. A Quote
// that is not Tradable is not an error here. SharedVersion is the pool's initial shared version.
type Snapshot struct {
	Quote         Quote
	Parameters    Parameters
	Mid, Bid, Ask sui.Raw
	SharedVersion uint64
}

// read returns the function to call for a quote, and the name of the function to which it delegates.
func (q Request) read() (read, string, error) {
	suffix, since := "", uint64(0)
	switch q.FeeMode {
	case "", FeeDeep:
	case FeeInput:
		suffix, since = "_input_fee", 2
	default:
		return read{}, "", fault.New(fault.InputInvalid, "The fee mode must be %s or %s.", FeeDeep, FeeInput)
	}
	f := read{function: "get_quote_quantity_out" + suffix, amount: true, clock: true, since: since}
	if q.Direction == registry.QuoteToBase {
		f.function = "get_base_quantity_out" + suffix
	}
	return f, "pool::get_quantity_out" + suffix, nil
}

// check validates a request and returns its pool and function.
func (q *Request) check() (registry.Pool, read, string, error) {
	pool, err := registry.FindPool(q.PoolKey)
	if err != nil {
		return pool, read{}, "", err
	}
	if _, _, err := pool.Sides(q.Direction); err != nil {
		return pool, read{}, "", err
	}
	if q.Amount == 0 {
		return pool, read{}, "", fault.New(fault.InputInvalid, "The amount must be more than zero.")
	}
	f, values, err := q.read()
	if q.FeeMode == "" {
		q.FeeMode = FeeDeep
	}
	return pool, f, values, err
}

// Quote requests a quote. If the pool cannot trade the amount, it returns the error of Refusal.
func (r *Reader) Quote(ctx context.Context, q Request) (Quote, error) {
	pool, f, values, err := q.check()
	if err != nil {
		return Quote{}, err
	}
	a, err := r.ask(ctx, pool, q.Amount, f)
	if err != nil {
		return Quote{}, err
	}
	quote, err := a.quote(q, f, values, 0)
	if err == nil {
		err = r.Refusal(ctx, quote)
	}
	if err != nil {
		return Quote{}, err
	}
	return quote, nil
}

// Quotes requests a quote in each fee mode, all from one state of the chain. It also returns quotes
// that are not Tradable.
func (r *Reader) Quotes(ctx context.Context, q Request) (deep, input Quote, err error) {
	q.FeeMode = FeeDeep
	other := q
	other.FeeMode = FeeInput
	pool, f, values, err := q.check()
	if err != nil {
		return deep, input, err
	}
	g, others, err := other.read()
	if err != nil {
		return deep, input, err
	}
	a, err := r.ask(ctx, pool, q.Amount, f, g)
	if err != nil {
		return deep, input, err
	}
	if deep, err = a.quote(q, f, values, 0); err == nil {
		input, err = a.quote(other, g, others, 1)
	}
	return deep, input, err
}

// Snapshot reads a quote, the parameters, the best prices and the mid price in one simulated
// transaction.
func (r *Reader) Snapshot(ctx context.Context, q Request) (Snapshot, error) {
	pool, f, values, err := q.check()
	if err != nil {
		return Snapshot{}, err
	}
	reads := append(append([]read{f}, parameterReads[:]...), bestRead)
	best, mid := len(reads)-1, len(reads)
	a, err := r.askAfter(ctx, q.After, pool, q.Amount, append(reads, midPrice)...)
	if abortedAt(err, emptyBook, mid+q.ahead()) {
		a, err = r.askAfter(ctx, q.After, pool, q.Amount, reads...)
		mid = -1
	}
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{SharedVersion: a.version, Parameters: a.parameters(1)}
	top := a.book(best, mid, 1)
	if a.err == nil {
		s.Mid, s.Bid, s.Ask = top.Mid, bestOf(top.Bids), bestOf(top.Asks)
	}
	if s.Quote, err = a.quote(q, f, values, 0); err != nil {
		return Snapshot{}, err
	}
	return s, nil
}

// ahead returns the number of commands before the reads.
func (q Request) ahead() int {
	if q.After == nil {
		return 0
	}
	return len(q.After.Commands)
}

// quote decodes the return values of command number at.
func (a *answer) quote(r Request, f read, values string, at int) (Quote, error) {
	q := Quote{
		Source: a.source, Direction: r.Direction, FeeMode: r.FeeMode, Input: r.Amount,
		BaseOut: a.number(at, 0), QuoteOut: a.number(at, 1), DeepRequired: a.number(at, 2),
		Function: f.name(), ReturnFunction: values,
	}
	q.Unspent, q.Out = q.BaseOut, q.QuoteOut
	if r.Direction == registry.QuoteToBase {
		q.Unspent, q.Out = q.QuoteOut, q.BaseOut
	}
	if a.err != nil {
		return Quote{}, a.err
	}
	if q.Unspent > q.Input || (r.FeeMode == FeeInput && q.DeepRequired > 0) || q.Out > 0 && q.Unspent == q.Input ||
		q.DeepRequired > mostDeep {
		return Quote{}, fault.New(fault.ProviderMismatch,
			"The quote of the pool %s is impossible: it returns more than was paid, "+
				"gives something for nothing, or takes a fee that was not requested or that is more than all DEEP.", q.Pool.Key)
	}
	q.Used = q.Input - q.Unspent
	return q, nil
}

// Refusal explains a quote that returns all of its input: fault.QuoteUnavailable with the pool's
// minimum size and step if they can be read. It returns nil for a Tradable quote.
func (r *Reader) Refusal(ctx context.Context, q Quote) error {
	if q.Tradable() {
		return nil
	}
	in, _, err := q.Pool.Sides(q.Direction)
	if err != nil {
		return err
	}
	size := string(q.Input.Decimal(in.Decimals)) + " " + in.Symbol
	p, err := r.Parameters(ctx, q.Pool.Key)
	if err != nil {
		return fault.Wrap(err, fault.QuoteUnavailable,
			"The pool %s would trade nothing for %s: the amount is below its minimum size, or its book is too thin.", q.Pool.Key,
			size)
	}
	base := q.Pool.Base
	least, step := string(p.Min.Decimal(base.Decimals)), string(p.Lot.Decimal(base.Decimals))
	fee := ""
	if q.FeeMode == FeeInput && p.TakerFee > 0 {
		fee = " after the fee"
	}
	return fault.New(fault.QuoteUnavailable,
		"The pool %s would trade nothing for %s: its minimum trade is %s %s%s, in steps of %s %s, or its book is too "+
			"thin. Try a larger amount.",
		q.Pool.Key, size, least, base.Symbol, fee, step, base.Symbol).
		With("minSize", least).With("lotSize", step).With("sizeSymbol", base.Symbol)
}

// InputAmount converts a display amount of the coin that is paid to raw units, using the pinned
// decimals. It never rounds. It returns fault.InputInvalid for zero, for more decimals than the coin
// has, and for more than 64 bits.
func InputAmount(poolKey string, d registry.Direction, display string) (sui.Raw, coins.Coin, error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return 0, coins.Coin{}, err
	}
	in, _, err := pool.Sides(d)
	if err != nil {
		return 0, coins.Coin{}, err
	}
	amount, err := sui.ParseDecimal(display)
	if err != nil {
		return 0, in, err
	}
	raw, err := amount.Raw(in.Decimals)
	if err == nil && raw == 0 {
		err = fault.New(fault.InputInvalid, "The amount must be more than zero.")
	}
	return raw, in, err
}
