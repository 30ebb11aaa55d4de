package sandbox

import (
	"bytes"
	"math/big"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// change is what became of one object: before is nil when it was made here,
// after nil when it was deleted.
type change struct {
	id            sui.ObjectID
	before, after *object
}

// readOnly is a shared object that was only read.
type readOnly struct{ object *object }

// gasCost is the bill, in MIST.
type gasCost struct{ computation, storage, rebate, nonRefundable uint64 }

// net is what the payer loses; negative when the rebate is larger.
func (g gasCost) net() int64 { return int64(g.computation+g.storage) - int64(g.rebate) }

// balanceChange is a signed change of one address's holding of one coin.
type balanceChange struct {
	owner  sui.Address
	coin   sui.CoinType
	amount *big.Int
}

// event is one event with its BCS.
type event struct {
	pkg      sui.ObjectID
	module   string
	sender   sui.Address
	typ      string
	contents []byte
}

// returned is one value that a command gave back.
type returned struct {
	typ string
	bcs []byte
}

// outcome is what a transaction did, or would do.
type outcome struct {
	tx         *sui.Transaction
	bytes      []byte
	digest     sui.Digest
	signatures [][]byte

	failure  *failure
	gas      gasCost
	epoch    uint64
	lamport  uint64
	changes  []change // by object id
	reads    []readOnly
	gasID    sui.ObjectID
	balances []balanceChange
	events   []event
	depends  []sui.Digest
	returns  [][]returned

	effects       []byte // BCS
	effectsDigest sui.Digest
	checkpoint    uint64
	at            time.Time // zero for a simulation
}

// compute runs a checked transaction and returns what it does. The ledger is not
// changed; commit does that.
func (l *ledger) compute(tx *sui.Transaction, raw []byte, digest sui.Digest, now time.Time, checks bool) (*outcome, error) {
	r := newRun(l, tx, digest, now, checks)
	r.units = baseUnits
	failed, err := r.commands()
	if err != nil {
		return nil, err
	}
	o := &outcome{tx: tx, bytes: raw, digest: digest, epoch: l.epoch(now).number, lamport: r.lamport(), gasID: r.gas.id}
	if failed == nil {
		failed = r.barred()
	}
	if failed == nil {
		failed = r.settle(o)
	}
	if failed != nil {
		r.rollBack(o, failed)
	}
	o.depends = r.dependencies()
	o.balances = balanceChanges(o.changes)
	o.seal()
	return o, nil
}

// settle writes the changes of a successful run and charges for it; it fails
// when the budget does not reach.
func (r *run) settle(o *outcome) *failure {
	o.changes, o.reads = r.changes(o.lamport, false)
	o.gas = r.bill(o.changes)
	if r.tx.Gas.Budget > 0 && int64(r.tx.Gas.Budget) < max(int64(o.gas.computation), o.gas.net()) {
		return fail(pb.ExecutionError_INSUFFICIENT_GAS, "the gas budget %d does not cover the cost of %d", r.tx.Gas.Budget, o.gas.net())
	}
	o.events = r.events
	for _, results := range r.results {
		o.returns = append(o.returns, returnedValues(results))
	}
	r.charge(o)
	return nil
}

// rollBack undoes everything but the gas: a failed transaction still pays and
// still moves the versions of its inputs on.
func (r *run) rollBack(o *outcome, f *failure) {
	o.failure, o.events, o.returns = f, nil, nil
	r.book, r.grown = 0, 0
	o.changes, o.reads = r.changes(o.lamport, true)
	o.gas = r.bill(o.changes)
	if budget := r.tx.Gas.Budget; budget > 0 && o.gas.computation > budget {
		o.gas.computation = budget
	}
	r.charge(o)
}

// lamport is the version that everything written here gets.
func (r *run) lamport() uint64 {
	highest := r.gas.from.version
	for _, o := range r.smashed {
		highest = max(highest, o.version)
	}
	for _, s := range r.inputs {
		if s.pool != nil {
			highest = max(highest, s.pool.version)
		}
		if s.coin != nil {
			highest = max(highest, s.coin.from.version)
		}
	}
	return highest + 1
}

// changes gives the written objects by id, and the shared ones only read. A
// failed run keeps the balances and owners of its inputs.
func (r *run) changes(version uint64, failed bool) ([]change, []readOnly) {
	var list []change
	var reads []readOnly
	add := func(c change) { list = append(list, c) }
	for _, c := range r.coins {
		switch {
		case c.from == nil && (failed || c.gone):
		case c.from == nil:
			add(change{c.id, nil, newCoin(c.id, version, addressOwner(c.holder), c.typ, c.balance, r.digest)})
		case failed:
			add(change{c.id, c.from, c.from.next(version, r.digest, nil)})
		case c.gone:
			add(change{c.id, c.from, nil})
		default:
			add(change{c.id, c.from, c.from.next(version, r.digest, func(o *object) {
				o.balance, o.owner = c.balance, addressOwner(c.holder)
			})})
		}
	}
	for _, s := range r.inputs {
		switch {
		case s.pool == nil:
		case !s.write:
			reads = append(reads, readOnly{s.pool})
		default:
			add(change{s.pool.id, s.pool, s.pool.next(version, r.digest, func(o *object) {
				if failed {
					return
				}
				if p := r.pools[o.id]; p != nil {
					o.pool = p
				}
				if v, changed := r.vaults[o.id]; changed {
					o.vault = v
				}
				if m := r.held[o.id]; m != nil {
					o.manager, o.contents = m, managerContents(o.id, m)
				}
			})})
		}
	}
	if !failed {
		list = append(list, r.flowxChanges(version)...)
	}
	for _, o := range r.smashed {
		add(change{o.id, o, nil})
	}
	for _, m := range r.shared {
		if !failed {
			add(change{m.id, nil, newManager(m.id, version, &m.manager, r.digest)})
		}
	}
	add(r.gasChange(version, failed))
	slices.SortFunc(list, func(a, b change) int { return bytes.Compare(a.id[:], b.id[:]) })
	return list, reads
}

// gasChange is the gas coin before it is charged.
func (r *run) gasChange(version uint64, failed bool) change {
	balance, holder := r.gas.balance, r.gas.holder
	if failed {
		balance, holder = r.gas.from.balance, r.tx.Gas.Owner
		for _, o := range r.smashed {
			balance += o.balance
		}
	}
	return change{r.gas.id, r.gas.from, r.gas.from.next(version, r.digest, func(o *object) {
		o.balance, o.owner = balance, addressOwner(holder)
	})}
}

// bill prices a run by the chain's formula: computation in steps of a thousand
// units, storage by size, and the greater part of old deposits back.
func (r *run) bill(changes []change) gasCost {
	steps := (r.units + minGasUnits - 1) / minGasUnits
	g := gasCost{computation: steps * minGasUnits * min(max(r.tx.Gas.Price, referenceGasPrice), maxGasPrice)}
	deposits := uint64(0)
	for _, c := range changes {
		if c.after != nil {
			g.storage += c.after.deposit
		}
		if c.before != nil {
			deposits += c.before.deposit
		}
	}
	g.storage += (r.book + r.grown) * storagePerByte
	deposits += r.book * storagePerByte
	g.rebate = deposits * rebatePercent / 100
	g.nonRefundable = deposits - g.rebate
	return g
}

// charge takes the bill from the gas coin.
func (r *run) charge(o *outcome) {
	for i, c := range o.changes {
		if c.id == o.gasID {
			o.changes[i].after = c.after.next(o.lamport, r.digest, func(g *object) {
				g.balance = uint64(max(0, int64(g.balance)-o.gas.net()))
			})
		}
	}
}

// dependencies are the transactions that wrote what this one used.
func (r *run) dependencies() []sui.Digest {
	var list []sui.Digest
	add := func(o *object) {
		if !o.previous.IsZero() && !slices.Contains(list, o.previous) {
			list = append(list, o.previous)
		}
	}
	add(r.gas.from)
	for _, o := range r.smashed {
		add(o)
	}
	for _, s := range r.inputs {
		if s.pool != nil {
			add(s.pool)
		}
		if s.coin != nil {
			add(s.coin.from)
		}
	}
	slices.SortFunc(list, func(a, b sui.Digest) int { return bytes.Compare(a[:], b[:]) })
	return list
}

func returnedValues(results []*slot) []returned {
	list := []returned{}
	for _, s := range results {
		v := returned{typ: s.typ, bcs: s.pure}
		if s.coin != nil {
			v.bcs = bcsBytes(nil).raw(s.coin.id[:]).u64(s.coin.balance)
		}
		list = append(list, v)
	}
	return list
}

// balanceChanges sums what every address gained and lost, by address and coin.
func balanceChanges(changes []change) []balanceChange {
	type key struct {
		owner sui.Address
		coin  sui.CoinType
	}
	sums := map[key]*big.Int{}
	count := func(o *object, sign int64) {
		if o == nil || o.coin == "" {
			return
		}
		k := key{o.owner.Address, o.coin}
		if sums[k] == nil {
			sums[k] = new(big.Int)
		}
		n := new(big.Int).SetUint64(o.balance)
		sums[k].Add(sums[k], n.Mul(n, big.NewInt(sign)))
	}
	for _, c := range changes {
		count(c.before, -1)
		count(c.after, 1)
	}
	var list []balanceChange
	for k, amount := range sums {
		if amount.Sign() != 0 {
			list = append(list, balanceChange{k.owner, k.coin, amount})
		}
	}
	slices.SortFunc(list, func(a, b balanceChange) int {
		if c := bytes.Compare(a.owner[:], b.owner[:]); c != 0 {
			return c
		}
		return compareText(string(a.coin), string(b.coin))
	})
	return list
}
