package deepbook

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// read is a read-only function of module pool. Its first argument is the pool. amount and clock state
// which other arguments it takes; the clock is last.
type read struct {
	function      string
	amount, clock bool
	count         uint64 // an additional argument after the pool; 0 for none
	since         uint64 // number of the first package that has it; 0 for all
}

// name returns module::function.
func (f read) name() string { return "pool::" + f.function }

var (
	midPrice       = read{function: "mid_price", clock: true}
	parameterReads = [...]read{{function: "pool_book_params"}, {function: "pool_trade_params"}, {function: "whitelisted"}}
)

// kind builds the transaction kind for reads of one pool, after the commands of a transaction, which
// may be nil. It adds the inputs that the reads need, and one call per read.
func kind(after *sui.Transaction, pool registry.Pool, version uint64, pkg sui.ObjectID, amount sui.Raw,
	reads ...read) sui.Kind {
	k := sui.Kind{}
	if after != nil {
		k = sui.Kind{Inputs: slices.Clone(after.Inputs), Commands: slices.Clone(after.Commands)}
	}
	input := func(in sui.Input) sui.Argument {
		if i := shared(k.Inputs, in); i >= 0 {
			return sui.InputArg(i)
		}
		k.Inputs = append(k.Inputs, in)
		return sui.InputArg(len(k.Inputs) - 1)
	}
	first := input(sui.SharedInput{ID: pool.ID, InitialVersion: version})
	var amountArg, clockArg *sui.Argument
	for _, f := range reads {
		if f.amount && amountArg == nil {
			a := input(sui.PureU64(uint64(amount)))
			amountArg = &a
		}
		if f.clock && clockArg == nil {
			a := input(sui.ClockInput())
			clockArg = &a
		}
		args := []sui.Argument{first}
		if f.count > 0 {
			args = append(args, input(sui.PureU64(f.count)))
		}
		if f.amount {
			args = append(args, *amountArg)
		}
		if f.clock {
			args = append(args, *clockArg)
		}
		k.Commands = append(k.Commands, sui.MoveCall{
			Package: pkg, Module: "pool", Function: f.function,
			TypeArgs: []sui.TypeTag{pool.Base.Type.Tag(), pool.Quote.Type.Tag()}, Arguments: args,
		})
	}
	return k
}

// shared returns the index of the shared object in among inputs, or -1 if there is none. A transaction
// may name each object only once.
func shared(inputs []sui.Input, in sui.Input) int {
	wanted, ok := in.(sui.SharedInput)
	return slices.IndexFunc(inputs, func(other sui.Input) bool {
		s, is := other.(sui.SharedInput)
		return ok && is && s.ID == wanted.ID
	})
}

// answer holds the return values of a simulation's reads. The first value of a wrong type sets err,
// and all later values are zero.
type answer struct {
	source  Source
	version uint64 // the pool's initial shared version
	returns [][]sui.ReturnValue
	err     error
}

// NoVersion is the "reason" detail of a fault. It means that the pool accepts none of the pinned
// packages.
const NoVersion = "no_admitted_version"

// ask runs reads of one pool in one simulation. It calls the newest pinned package first. If the pool
// has disabled that package's version, it tries the next older package that has another version.
func (r *Reader) ask(ctx context.Context, pool registry.Pool, amount sui.Raw, reads ...read) (*answer, error) {
	return r.askAfter(ctx, nil, pool, amount, reads...)
}

// askAfter runs the reads after the commands of a transaction, which may be nil.
func (r *Reader) askAfter(ctx context.Context, after *sui.Transaction, pool registry.Pool, amount sui.Raw,
	reads ...read) (*answer, error) {
	version, err := r.sharedVersion(ctx, pool)
	if err != nil {
		return nil, err
	}
	off, ahead := map[uint64]bool{}, Request{After: after}.ahead()
	for _, pkg := range registry.Packages() {
		if off[pkg.Version] || slices.ContainsFunc(reads, func(f read) bool { return f.since > pkg.Number }) {
			continue
		}
		k := kind(after, pool, version, pkg.ID, amount, reads...)
		// A read needs neither a sender nor gas.
		tx := &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Expiration: sui.NoExpiration{}}
		if after != nil {
			tx.Sender, tx.Gas = after.Sender, after.Gas
		}
		s, err := r.chain.Simulate(ctx, tx, false)
		if err != nil {
			return nil, err
		}
		if s.Status.OK {
			at := s.At
			if at.IsZero() {
				at = r.now()
			}
			return &answer{source: Source{Pool: pool, Package: pkg.ID, Epoch: s.Epoch, At: at}, version: version,
				returns: s.Returns[min(ahead, len(s.Returns)):]}, nil
		}
		if !versionDisabled(s.Status.Abort, pkg.ID) {
			return nil, &refusedRead{abort: s.Status.Abort, err: failure(pool, pkg.ID, s.Status)}
		}
		off[pkg.Version] = true
	}
	return nil, fault.New(fault.QuoteUnavailable,
		"The pool %s admits none of the DeepBook versions that this program knows. A newer release of Say Ur Intent is "+
			"needed for it.", pool.Key).With("reason", NoVersion)
}

// bytes returns return value number value of command number command, if it has the size of its type.
func (a *answer) bytes(command, number, size int) []byte {
	if a.err != nil {
		return nil
	}
	if command >= len(a.returns) || number >= len(a.returns[command]) || len(a.returns[command][number].BCS) != size {
		a.err = fault.New(fault.ProviderMismatch,
			"The Sui node's simulation of the pool %s returned values of an unexpected shape.",
			a.source.Pool.Key)
		return nil
	}
	return a.returns[command][number].BCS
}

func (a *answer) number(command, number int) sui.Raw {
	b := a.bytes(command, number, 8)
	if b == nil {
		return 0
	}
	return sui.Raw(binary.LittleEndian.Uint64(b))
}

func (a *answer) truth(command, number int) bool {
	b := a.bytes(command, number, 1)
	if b != nil && b[0] > 1 {
		a.err = fault.New(fault.ProviderMismatch,
			"The Sui node's simulation returned a truth value that is neither true nor false.")
		return false
	}
	return b != nil && b[0] == 1
}

// parameters reads the values of parameterReads, starting at command first.
func (a *answer) parameters(first int) Parameters {
	p := Parameters{
		Source: a.source,
		Tick:   a.number(first, 0), Lot: a.number(first, 1), Min: a.number(first, 2),
		TakerFee: a.number(first+1, 0), MakerFee: a.number(first+1, 1), StakeRequired: a.number(first+1, 2),
		Whitelisted: a.truth(first+2, 0),
	}
	if a.err == nil {
		a.err = p.sound()
	}
	if a.err != nil {
		return Parameters{}
	}
	return p
}
