package ledger

import (
	"bytes"
	"cmp"
	"math/big"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Change is the change of one object. Before is nil if it was created, and After if it was deleted.
type Change struct {
	ID            sui.ObjectID
	Before, After *Object
}

// Read is a shared object that was only read.
type Read struct{ Object *Object }

// GasCost is the gas cost in MIST.
type GasCost struct{ Computation, Storage, Rebate, NonRefundable uint64 }

// Net returns the payer's net cost. It is negative if the rebate is larger.
func (g GasCost) Net() int64 { return int64(g.Computation+g.Storage) - int64(g.Rebate) }

// plus adds two gas costs.
func (g GasCost) plus(o GasCost) GasCost {
	return GasCost{g.Computation + o.Computation, g.Storage + o.Storage, g.Rebate + o.Rebate, g.NonRefundable +
		o.NonRefundable}
}

// BalanceChange is a signed change of an address's holding of a coin.
type BalanceChange struct {
	Owner  sui.Address
	Coin   sui.CoinType
	Amount *big.Int
}

// Event is one event with its BCS.
type Event struct {
	Package  sui.ObjectID
	Module   string
	Sender   sui.Address
	Type     string
	Contents []byte
}

// Returned is one value that a command returned.
type Returned struct {
	Type string
	BCS  []byte
}

// Outcome is the actual or simulated result of a transaction.
type Outcome struct {
	Transaction *sui.Transaction
	Bytes       []byte
	Digest      sui.Digest
	Signatures  [][]byte

	Failure      *Failure
	Gas          GasCost
	Epoch        uint64
	Lamport      uint64
	Changes      []Change      // by object id
	Accumulated  []Accumulated // address balances, by the id of their fields
	Reads        []Read
	GasID        sui.ObjectID // zero if no coin pays
	Balances     []BalanceChange
	Events       []Event
	Dependencies []sui.Digest
	Returns      [][]Returned

	Effects       []byte // BCS
	EffectsDigest sui.Digest
	Checkpoint    uint64
	At            time.Time // zero for a simulation
}

// computeEffects runs a checked transaction and returns its outcome. It does not change the ledger;
// commit does.
func computeEffects(l *Ledger, tx *sui.Transaction, raw []byte, digest sui.Digest, now time.Time, checks,
	purse bool) (*Outcome, error) {
	r := newRun(l, tx, digest, now, checks, purse)
	r.units = baseUnits
	failed, err := r.commands()
	if err != nil {
		return nil, err
	}
	o := &Outcome{Transaction: tx, Bytes: raw, Digest: digest, Epoch: l.epoch(now).Number, Lamport: r.lamport()}
	if r.gas != nil {
		o.GasID = r.gas.id
	}
	if failed == nil {
		failed = r.banned()
	}
	if failed == nil {
		failed = r.finish(o)
	}
	if failed != nil {
		r.rollBack(o, failed)
	}
	o.Dependencies = r.dependencies()
	if r.free {
		if failed != nil {
			return nil, Refuse("Gasless transactions that fail are not executed: %s", failed.Text)
		}
		if err := r.gaslessResult(o); err != nil {
			return nil, err
		}
	}
	o.Balances = balanceChanges(o.Changes, o.Accumulated)
	o.seal()
	return o, nil
}

// finish writes the changes of a successful run and charges for it. It fails if the budget is too
// small.
func (r *run) finish(o *Outcome) *Failure {
	o.Changes, o.Reads = r.changes(o.Lamport, false)
	o.Gas = r.bill(o.Changes)
	if r.tx.Gas.Budget > 0 && int64(r.tx.Gas.Budget) < max(int64(o.Gas.Computation), o.Gas.Net()) {
		return Fail(pb.ExecutionError_INSUFFICIENT_GAS, "the gas budget %d does not cover the cost of %d", r.tx.Gas.Budget,
			o.Gas.Net())
	}
	var f *Failure
	if o.Accumulated, f = r.accumulate(false, r.purseGas(o.Gas)); f != nil {
		return f
	}
	o.Events = r.events
	for _, results := range r.results {
		o.Returns = append(o.Returns, returnedValues(results))
	}
	r.charge(o)
	return nil
}

// rollBack undoes everything except gas. A failed transaction still pays and increases the versions
// of its inputs.
func (r *run) rollBack(o *Outcome, f *Failure) {
	o.Failure, o.Events, o.Returns = f, nil, nil
	r.book, r.grown = 0, 0
	o.Changes, o.Reads = r.changes(o.Lamport, true)
	o.Gas = r.bill(o.Changes)
	if budget := r.tx.Gas.Budget; budget > 0 && o.Gas.Computation > budget {
		o.Gas.Computation = budget
	}
	if r.gasMissing {
		o.Gas = GasCost{} // no gas coin to charge
	}
	o.Accumulated, _ = r.accumulate(true, r.purseGas(o.Gas)) // only gas, which was reserved
	r.charge(o)
}

// purseGas returns what the payer's address balance loses for gas, or zero if a coin pays.
func (r *run) purseGas(g GasCost) int64 {
	if !r.fromPurse {
		return 0
	}
	return g.Net()
}

// used lists the objects that a transaction takes as inputs or for gas.
func (r *run) used() []*Object {
	list := slices.Clone(r.smashed)
	if r.gas != nil {
		list = append(list, r.gas.from)
	}
	for _, s := range r.inputs {
		switch {
		case s.shared != nil:
			list = append(list, s.shared)
		case s.coin != nil:
			list = append(list, s.coin.from)
		case s.thing != nil:
			list = append(list, s.thing.from)
		}
	}
	return list
}

// lamport returns the version for everything that the transaction writes.
func (r *run) lamport() uint64 {
	highest := uint64(0)
	for _, o := range r.used() {
		highest = max(highest, o.Version)
	}
	return highest + 1
}

// changes returns written objects by id, and shared ones that were only read. After a failed run,
// inputs keep their balances and owners.
func (r *run) changes(version uint64, failed bool) ([]Change, []Read) {
	var list []Change
	var reads []Read
	add := func(c Change) { list = append(list, c) }
	for _, coin := range r.coins {
		if c, ok := coin.change(version, r.digest, failed); ok {
			add(c)
		}
	}
	for _, t := range r.things {
		if c, ok := t.change(version, r.digest, failed); ok {
			add(c)
		}
	}
	for _, s := range r.inputs {
		switch {
		case s.shared == nil:
		case !failed && r.ended[s.shared.ID]:
			add(Change{s.shared.ID, s.shared, nil})
		case !s.write:
			reads = append(reads, Read{s.shared})
		default:
			add(Change{s.shared.ID, s.shared, r.written(s.shared, version, failed)})
		}
	}
	if !failed {
		list = append(append(list, r.stateChanges(version)...), r.grants(version)...)
	}
	for _, o := range r.smashed {
		add(Change{o.ID, o, nil})
	}
	for _, m := range r.shared {
		if !failed {
			inner := &m.manager
			if used := r.managers[m.id]; used != nil {
				inner = used
			}
			add(Change{m.id, nil, newManager(m.id, version, inner, r.digest)})
		}
	}
	if r.gas != nil {
		add(r.gasChange(version, failed))
	}
	slices.SortFunc(list, func(a, b Change) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return list, reads
}

// written returns the next version of a shared object that the transaction takes mutably. A failed run
// increases only the version.
func (r *run) written(shared *Object, version uint64, failed bool) *Object {
	return shared.next(version, r.digest, func(o *Object) {
		if failed {
			return
		}
		if p := r.pools[o.ID]; p != nil {
			o.Book = p
		}
		if v, changed := r.vaults[o.ID]; changed {
			o.Vault = v
		}
		if a := r.spent[o.ID]; a != nil {
			o.allowance = a
		}
		if m := r.managers[o.ID]; m != nil {
			o.manager, o.Contents = m, managerContents(o.ID, m)
		}
		if held := r.states[o.ID]; held != nil {
			o.hold(held)
		}
	})
}

// gasChange returns the gas coin before it is charged.
func (r *run) gasChange(version uint64, failed bool) Change {
	balance, holder := r.gas.balance, r.gas.holder
	if failed {
		balance, holder = r.gas.from.Balance, r.tx.Gas.Owner
		for _, o := range r.smashed {
			balance += o.Balance
		}
	}
	return Change{r.gas.id, r.gas.from, r.gas.from.next(version, r.digest, func(o *Object) {
		o.Balance, o.Owner = balance, addressOwner(holder)
	})}
}

// bill computes the gas cost as the chain does: computation in steps of a thousand units, storage
// by size, and a rebate for old deposits.
func (r *run) bill(changes []Change) GasCost {
	if r.free {
		return GasCost{}
	}
	steps := (r.units + minGasUnits - 1) / minGasUnits
	g := GasCost{Computation: steps * minGasUnits * min(max(r.tx.Gas.Price, ReferenceGasPrice), maxGasPrice)}
	deposits := uint64(0)
	for _, c := range changes {
		if c.After != nil {
			g.Storage += c.After.Deposit
		}
		if c.Before != nil {
			deposits += c.Before.Deposit
		}
	}
	g.Storage += (r.book + r.grown) * storagePerByte
	deposits += r.book * storagePerByte
	g.Rebate = deposits * rebatePercent / 100
	g.NonRefundable = deposits - g.Rebate
	return g
}

// charge deducts the gas cost from the gas coin.
func (r *run) charge(o *Outcome) {
	for i, c := range o.Changes {
		if r.gas != nil && c.ID == o.GasID {
			o.Changes[i].After = c.After.next(o.Lamport, r.digest, func(g *Object) {
				g.Balance = uint64(max(0, int64(g.Balance)-o.Gas.Net()))
			})
		}
	}
}

// dependencies returns the transactions that wrote the objects used by this one.
func (r *run) dependencies() []sui.Digest {
	var list []sui.Digest
	for _, o := range r.used() {
		if !o.Previous.IsZero() && !slices.Contains(list, o.Previous) {
			list = append(list, o.Previous)
		}
	}
	slices.SortFunc(list, func(a, b sui.Digest) int { return bytes.Compare(a[:], b[:]) })
	return list
}

// returnedValues lists what a command returned, as simulations report it.
func returnedValues(results []*slot) []Returned {
	list := []Returned{}
	for _, s := range results {
		v := Returned{Type: s.typ, BCS: s.pure}
		if s.fund != nil {
			v.BCS = bcs.Bytes(nil).U64(s.fund.amount)
		}
		if s.thing != nil {
			v.BCS = s.thing.contents
		}
		if s.coin != nil {
			v.BCS = bcs.Bytes(nil).Raw(s.coin.id[:]).U64(s.coin.balance)
		}
		list = append(list, v)
	}
	return list
}

// balanceChanges sums the gains and losses of every address, by address and coin.
func balanceChanges(changes []Change, accumulated []Accumulated) []BalanceChange {
	type key struct {
		owner sui.Address
		coin  sui.CoinType
	}
	sums := map[key]*big.Int{}
	add := func(k key, amount uint64, negative bool) {
		n := new(big.Int).SetUint64(amount)
		if negative {
			n.Neg(n)
		}
		if sums[k] == nil {
			sums[k] = new(big.Int)
		}
		sums[k].Add(sums[k], n)
	}
	for _, c := range changes {
		if o := c.Before; o != nil && o.Coin != "" {
			add(key{o.Owner.Address, o.Coin}, o.Balance, true)
		}
		if o := c.After; o != nil && o.Coin != "" {
			add(key{o.Owner.Address, o.Coin}, o.Balance, false)
		}
	}
	for _, a := range accumulated {
		add(key{a.Owner, a.Coin}, a.Amount, a.Split)
	}
	var list []BalanceChange
	for k, amount := range sums {
		if amount.Sign() != 0 {
			list = append(list, BalanceChange{k.owner, k.coin, amount})
		}
	}
	slices.SortFunc(list, func(a, b BalanceChange) int {
		if c := bytes.Compare(a.Owner[:], b.Owner[:]); c != 0 {
			return c
		}
		return cmp.Compare(a.Coin, b.Coin)
	})
	return list
}
