package ledger

import (
	"encoding/binary"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/allowances"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// mockGas is the balance of the coin that replaces a missing gas payment in a simulation.
const mockGas = 1_000_000_000_000_000_000

// coin is a coin during execution.
type coin struct {
	id      sui.ObjectID
	typ     sui.CoinType
	balance uint64
	from    *Object // nil for a new coin
	holder  sui.Address
	gone    bool // merged, destroyed or passed to Move code
	sent    bool // transferred: cannot be used again
}

// change returns the coin's change; ok is false if it never existed on chain.
func (c *coin) change(version uint64, tx sui.Digest, failed bool) (made Change, ok bool) {
	switch {
	case c.from == nil && (failed || c.gone):
		return Change{}, false
	case c.from == nil:
		return Change{c.id, nil, newCoin(c.id, version, addressOwner(c.holder), c.typ, c.balance, tx)}, true
	case failed:
		return Change{c.id, c.from, c.from.next(version, tx, nil)}, true
	case c.gone:
		return Change{c.id, c.from, nil}, true
	}
	return Change{c.id, c.from, c.from.next(version, tx, func(o *Object) {
		o.Balance, o.Owner = c.balance, addressOwner(c.holder)
	})}, true
}

// slot is the value of an argument: an input or a result.
type slot struct {
	coin   *coin
	fund   *fund
	thing  *thing
	rate   *allowances.Rate
	shared *Object
	pure   []byte // untyped for inputs
	typ    string // only for results
	value  *value
	fresh  *freshManager
	write  bool // shared object taken mutably
}

// run is one execution of a transaction. It does not change the ledger.
type run struct {
	ledger *Ledger
	tx     *sui.Transaction
	digest sui.Digest
	now    time.Time
	checks bool
	mock   bool
	gasPayment
	moved    []movement // into and out of address balances
	inputs   []*slot
	results  [][]*slot
	coins    []*coin // all owned or new coins, in order of appearance
	pools    map[sui.ObjectID]*clob.Pool
	vaults   map[sui.ObjectID]Vault
	states   map[sui.ObjectID]State    // changed states of programs' objects
	managers map[sui.ObjectID]*manager // changed managers
	shared   []*freshManager           // new shared managers
	things   []*thing                  // owned objects other than coins, in order of appearance
	granted  []grantedAllowance
	spent    map[sui.ObjectID]*allowances.Allowance // allowances that were spent
	ended    map[sui.ObjectID]bool                  // deleted shared objects
	fresh    uint64                                 // number of new ids
	units    uint64                                 // computation units
	book     uint64                                 // bytes of book storage rewritten
	grown    uint64                                 // bytes of book storage added
	events   []Event
}

// gasPayment describes how a transaction pays for gas.
type gasPayment struct {
	fromPurse  bool // from the address balance
	free       bool // not at all
	gasMissing bool // the address balance does not cover the gas
	gas        *coin
	smashed    []*Object // gas coins merged into the first one
}

// newRun prepares inputs and gas. The inputs must have been checked.
func newRun(l *Ledger, tx *sui.Transaction, digest sui.Digest, now time.Time, checks, purse bool) *run {
	r := &run{
		ledger: l, tx: tx, digest: digest, now: now, checks: checks,
		pools: map[sui.ObjectID]*clob.Pool{}, vaults: map[sui.ObjectID]Vault{}, states: map[sui.ObjectID]State{},
		managers: map[sui.ObjectID]*manager{}, spent: map[sui.ObjectID]*allowances.Allowance{},
		ended: map[sui.ObjectID]bool{},
	}
	r.free = checks && gasless(tx)
	r.fromPurse = purse && len(tx.Gas.Payment) == 0 && !r.free
	if !r.free && !r.fromPurse {
		r.gas = r.takeGas()
	}
	for _, in := range tx.Inputs {
		r.inputs = append(r.inputs, r.input(in))
	}
	return r
}

// takeGas merges the gas coins into the first. A simulation without gas coins pays from a fake
// coin.
func (r *run) takeGas() *coin {
	if len(r.tx.Gas.Payment) == 0 {
		r.mock = true
		id := derivedID(bcs.Hash("say-ur-intent/sandbox/mock-gas", r.digest[:]), 0)
		o := newCoin(id, 1, addressOwner(r.tx.Gas.Owner), sui.SUI, mockGas, sui.Digest{})
		return &coin{id: id, typ: sui.SUI, balance: mockGas, from: o, holder: r.tx.Gas.Owner}
	}
	first := r.ledger.objects[r.tx.Gas.Payment[0].ID]
	g := &coin{id: first.ID, typ: sui.SUI, balance: first.Balance, from: first, holder: r.tx.Gas.Owner}
	for _, ref := range r.tx.Gas.Payment[1:] {
		o := r.ledger.objects[ref.ID]
		g.balance += o.Balance
		r.smashed = append(r.smashed, o)
	}
	return g
}

// input returns the value of an input. Coins keep their order of appearance, so effects are
// deterministic.
func (r *run) input(in sui.Input) *slot {
	switch in := in.(type) {
	case sui.PureInput:
		return &slot{pure: in.Bytes}
	case sui.OwnedInput:
		o := r.ledger.objects[in.Ref.ID]
		if o.Coin == "" {
			t := &thing{id: o.ID, from: o, typ: o.Type, transfers: o.Transfers, contents: o.Contents, holder: o.Owner.Address}
			r.things = append(r.things, t)
			return &slot{thing: t}
		}
		c := &coin{id: o.ID, typ: o.Coin, balance: o.Balance, from: o, holder: o.Owner.Address}
		r.coins = append(r.coins, c)
		return &slot{coin: c}
	case sui.SharedInput:
		return &slot{shared: r.ledger.objects[in.ID], write: in.Mutable}
	case sui.WithdrawalInput:
		return &slot{fund: &fund{typ: sui.CoinType(in.Coin.String()), amount: uint64(in.MaxAmount), right: true,
			funder: in.Funder, allowance: in.Allowance}}
	}
	return &slot{}
}

// budget returns the amount withheld from the gas coin during execution.
func (r *run) budget() uint64 {
	if r.mock {
		return 0
	}
	return r.tx.Gas.Budget
}

// commands runs all commands. A failure is part of the effects; an error means that the sandbox
// does not support the transaction.
func (r *run) commands() (*Failure, error) {
	if !r.covered() {
		return Fail(insufficientFunds, "the address balance holds less than the transaction reserves"), nil
	}
	if r.gas != nil {
		r.gas.balance -= r.budget()
		defer func() { r.gas.balance += r.budget() }()
	}
	for i, c := range r.tx.Commands {
		r.units += commandUnits
		results, f, err := r.command(c)
		if err != nil {
			return nil, err
		}
		if f != nil {
			return f.InCommand(i), nil
		}
		r.results = append(r.results, results)
	}
	return r.unused(), nil
}

// unused fails a run with new coins that were never transferred or used.
func (r *run) unused() *Failure {
	for i, results := range r.results {
		for n, s := range results {
			made := (s.fresh != nil && !s.fresh.shared) || (s.fund != nil && !s.fund.right && !s.fund.gone) ||
				s.thing != nil && !s.thing.gone && !s.thing.sent || s.value != nil && !s.value.gone && !s.value.drop
			if !made && (s.coin == nil || s.coin.gone || s.coin.sent) {
				continue
			}
			if !r.checks && !made {
				s.coin.sent, s.coin.holder = true, r.tx.Sender
				continue
			}
			f := Fail(pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP, "result %d of command %d is left over and cannot be dropped",
				n, i)
			f.Result = &[2]int{i, n}
			return f
		}
	}
	return nil
}

// command runs one command. The error names an unsupported one.
func (r *run) command(c sui.Command) ([]*slot, *Failure, error) {
	switch c := c.(type) {
	case sui.SplitCoins:
		results, f := r.split(c)
		return results, f, nil
	case sui.MergeCoins:
		return nil, r.merge(c), nil
	case sui.TransferObjects:
		return nil, r.transfer(c), nil
	case sui.MoveCall:
		return r.call(c)
	case sui.MakeMoveVec:
		results, f := r.makeVector(c)
		return results, f, nil
	case sui.Publish:
		return nil, nil, Unsupported("publish packages")
	}
	return nil, nil, Unsupported("upgrade packages")
}

// newID returns the id of the next object that the transaction creates.
func (r *run) newID() sui.ObjectID {
	id := derivedID(r.digest, r.fresh)
	r.fresh++
	return id
}

// newCoin makes a coin value.
func (r *run) newCoin(t sui.CoinType, balance uint64) *coin {
	c := &coin{id: r.newID(), typ: t, balance: balance}
	r.coins = append(r.coins, c)
	return c
}

// coinResult returns a coin as a command's result.
func coinResult(c *coin) *slot { return &slot{coin: c, typ: c.typ.Object()} }

// split splits new coins from a coin, which keeps the rest.
func (r *run) split(c sui.SplitCoins) ([]*slot, *Failure) {
	from, f := r.coinArg(c.Coin, 0)
	if f != nil {
		return nil, f
	}
	var results []*slot
	for i, a := range c.Amounts {
		amount, f := r.u64Arg(a, i+1)
		if f != nil {
			return nil, f
		}
		if amount > from.balance {
			return nil, Fail(pb.ExecutionError_INSUFFICIENT_COIN_BALANCE,
				"the coin %s holds %d, %d were to be split off", from.id, from.balance, amount)
		}
		from.balance -= amount
		results = append(results, coinResult(r.newCoin(from.typ, amount)))
	}
	return results, nil
}

// merge merges coins of the same type into a coin.
func (r *run) merge(c sui.MergeCoins) *Failure {
	into, f := r.coinArg(c.Into, 0)
	if f != nil {
		return f
	}
	for i, a := range c.Sources {
		from, f := r.takeCoin(a, i+1)
		if f != nil {
			return f
		}
		if from == into || from.typ != into.typ {
			return badArgument(i+1, pb.CommandArgumentError_TYPE_MISMATCH)
		}
		if into.balance+from.balance < into.balance {
			return Fail(pb.ExecutionError_COIN_BALANCE_OVERFLOW, "the merged coin would overflow")
		}
		into.balance += from.balance
		from.balance, from.gone = 0, true
	}
	return nil
}

// transfer sends coins to an address. The gas coin can be sent but not taken by value.
func (r *run) transfer(c sui.TransferObjects) *Failure {
	to, f := r.addressArg(c.Recipient, len(c.Objects))
	if f != nil {
		return f
	}
	for i, a := range c.Objects {
		if s, f := r.find(a, i); f == nil && s.thing != nil {
			if f := r.hand(a, i, to); f != nil {
				return f
			}
			continue
		}
		var moved *coin
		if a.Kind == sui.ArgGasCoin {
			moved, f = r.coinArg(a, i)
		} else {
			moved, f = r.takeCoin(a, i)
		}
		if f != nil {
			return f
		}
		moved.sent, moved.holder = true, to
	}
	return nil
}

// find returns the value of an argument.
func (r *run) find(a sui.Argument, index int) (*slot, *Failure) {
	switch a.Kind {
	case sui.ArgGasCoin:
		if r.gas == nil {
			return nil, badArgument(index, pb.CommandArgumentError_INVALID_GAS_COIN_USAGE)
		}
		return &slot{coin: r.gas}, nil
	case sui.ArgInput:
		if int(a.Index) < len(r.inputs) {
			return r.inputs[a.Index], nil
		}
	case sui.ArgResult, sui.ArgNestedResult:
		if int(a.Index) >= len(r.results) {
			break
		}
		list := r.results[a.Index]
		if a.Kind == sui.ArgResult && len(list) != 1 {
			return nil, badArgument(index, pb.CommandArgumentError_INVALID_RESULT_ARITY)
		}
		if int(a.Nested) >= len(list) {
			return nil, badArgument(index, pb.CommandArgumentError_SECONDARY_INDEX_OUT_OF_BOUNDS)
		}
		return list[a.Nested], nil
	}
	return nil, badArgument(index, pb.CommandArgumentError_INDEX_OUT_OF_BOUNDS)
}

// coinArg returns a coin to change in place.
func (r *run) coinArg(a sui.Argument, index int) (*coin, *Failure) {
	s, f := r.find(a, index)
	switch {
	case f != nil:
		return nil, f
	case s.coin == nil:
		return nil, badArgument(index, pb.CommandArgumentError_TYPE_MISMATCH)
	case s.coin.gone || s.coin.sent:
		return nil, badArgument(index, pb.CommandArgumentError_INVALID_VALUE_USAGE)
	}
	return s.coin, nil
}

// takeCoin takes a coin by value. The gas coin cannot be taken.
func (r *run) takeCoin(a sui.Argument, index int) (*coin, *Failure) {
	if a.Kind == sui.ArgGasCoin {
		return nil, badArgument(index, pb.CommandArgumentError_INVALID_GAS_COIN_USAGE)
	}
	return r.coinArg(a, index)
}

// pureArg returns the bytes of a pure value with the given type and size.
func (r *run) pureArg(a sui.Argument, index int, typ string, size int) ([]byte, *Failure) {
	s, f := r.find(a, index)
	switch {
	case f != nil:
		return nil, f
	case s.pure == nil || (s.typ != "" && s.typ != typ):
		return nil, badArgument(index, pb.CommandArgumentError_TYPE_MISMATCH)
	case len(s.pure) != size:
		return nil, badArgument(index, pb.CommandArgumentError_INVALID_BCS_BYTES)
	}
	return s.pure, nil
}

func (r *run) u64Arg(a sui.Argument, index int) (uint64, *Failure) {
	b, f := r.pureArg(a, index, "u64", 8)
	if f != nil {
		return 0, f
	}
	return binary.LittleEndian.Uint64(b), nil
}

func (r *run) addressArg(a sui.Argument, index int) (sui.Address, *Failure) {
	b, f := r.pureArg(a, index, "address", 32)
	if f != nil {
		return sui.Address{}, f
	}
	return sui.Address(b), nil
}
