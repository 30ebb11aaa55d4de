package sandbox

import (
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Types in every pool's rate table.
var (
	numberType = sui.MustTypeTag("u64")
	rateType   = sui.MustTypeTag("0x2::dynamic_field::Field<u64,0x3::staking_pool::PoolTokenExchangeRate>")
)

// innerID is the dynamic field that holds the system object's state.
var innerID = fieldID(System, bcs.Bytes(nil).U64(2))

func fieldID(parent sui.ObjectID, name []byte) sui.ObjectID {
	id, err := sui.DynamicFieldID(parent, numberType, name)
	if err != nil {
		panic("a number cannot be written: " + err.Error())
	}
	return id
}

// state is the part of SuiSystemStateInnerV2 that staking changes.
type state struct {
	epoch, startMs uint64
	validators     []*validator
}

// validator is one active validator.
type validator struct {
	address       sui.Address
	name          string
	commission    uint64 // of 10,000
	power         uint64 // of 10,000
	nextStake     uint64
	pool          pool
	rewardPerYear uint64 // millionths of the stake, before commission
}

// pool is a validator's staking pool.
type pool struct {
	id                                    sui.ObjectID
	activation                            uint64
	sui, rewards, tokens                  uint64
	pending, withdrawnSui, withdrawnToken uint64
	rates                                 map[uint64]rate
}

// rate is a pool's exchange rate between tokens and SUI.
type rate struct{ sui, tokens uint64 }

// Clone implements ledger.State.
func (s *state) Clone() ledger.State {
	c := *s
	c.validators = slices.Clone(s.validators)
	for i, v := range c.validators {
		w := *v
		w.pool.rates = maps.Clone(v.pool.rates)
		c.validators[i] = &w
	}
	return &c
}

// derived returns the nth id derived from a word and an object.
func derived(word string, of sui.ObjectID, n uint64) sui.ObjectID {
	return ledger.DerivedID("staking-"+word, of, n)
}

// table encodes a Table or Bag, which have the same form.
func table(b bcs.Bytes, id sui.ObjectID, size int) bcs.Bytes { return b.Raw(id[:]).U64(uint64(size)) }

// bag encodes an empty Bag of an object.
func bag(b bcs.Bytes, of sui.ObjectID, n uint64) bcs.Bytes { return table(b, derived("bag", of, n), 0) }

// Contents implements ledger.State: Field<u64, SuiSystemStateInnerV2>.
func (s *state) Contents() bcs.Bytes {
	b := bcs.Bytes(nil).Raw(innerID[:]).U64(2).U64(s.epoch).U64(ledger.ProtocolVersion).U64(2)
	b = b.U64(s.total()).Uleb(len(s.validators))
	for _, v := range s.validators {
		b = v.encode(b)
	}
	b = table(b, derived("pending", System, 0), 0).Uleb(0)
	b = table(b, derived("mappings", System, 0), len(s.validators))
	b = table(b, derived("inactive", System, 0), 0)
	b = table(b, derived("candidates", System, 0), 0).Uleb(0)
	b = bag(b, System, 0)
	b = b.U64(storageFund).U64(0) // storage fund
	for _, n := range parameters {
		b = b.U64(n)
	}
	b = bag(b, System, 1).U64(ledger.ReferenceGasPrice).Uleb(0)
	b = bag(append(b.U64(0).U64(0).U64(0).U64(10), 0xe8, 3), System, 2) // stake subsidy, which is exhausted
	return bag(b.Bool(false).U64(0).U64(0).U64(0).U64(0).U64(s.startMs), System, 3)
}

// storageFund is the total of storage deposits.
const storageFund = 90_000_000_000_000_000

// parameters are the system parameters: epoch length, start of the subsidy, limits on validators
// and on their stakes.
var parameters = [8]uint64{uint64(ledger.EpochLength / 1_000_000), 0, 4, 150, 30_000_000_000_000_000,
	20_000_000_000_000_000,
	15_000_000_000_000_000, 7}

// total returns what all validators have staked.
func (s *state) total() (sum uint64) {
	for _, v := range s.validators {
		sum += v.pool.sui
	}
	return sum
}

// encode writes the Move struct Validator. The keys are fake, because nothing verifies signatures with
// them.
func (v *validator) encode(b bcs.Bytes) bcs.Bytes {
	b = b.Raw(v.address[:])
	for n, size := range [4]int{96, 32, 32, 48} {
		b = b.Bytes(v.key(n, size))
	}
	b = b.Text(v.name).Text(description).Text("").Text("")
	for range 4 {
		b = b.Text(netAddress)
	}
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0) // no change pending for the next epoch
	b = bag(b, v.pool.id, 0)
	operation := v.operation()
	b = v.pool.encode(b.U64(v.power).Raw(operation[:]).U64(ledger.ReferenceGasPrice))
	b = b.U64(v.commission).U64(v.nextStake).U64(ledger.ReferenceGasPrice).U64(v.commission)
	return bag(b, v.pool.id, 1)
}

const (
	description = "A validator of the sandbox"
	netAddress  = "/dns/localhost/tcp/8080/http"
)

// key returns the nth key of the validator.
func (v *validator) key(n, size int) (b []byte) {
	for len(b) < size {
		id := derived("key", v.address, uint64(n*4+len(b)/32))
		b = append(b, id[:]...)
	}
	return b[:size]
}

// operation returns the id of the validator's operation cap.
func (v *validator) operation() sui.ObjectID { return derived("cap", v.address, 0) }

// encode writes the Move struct StakingPool.
func (p *pool) encode(b bcs.Bytes) bcs.Bytes {
	b = append(b.Raw(p.id[:]), 1).U64(p.activation)
	b = append(b, 0).U64(p.sui).U64(p.rewards).U64(p.tokens)
	b = table(b, p.table(), len(p.rates)).U64(p.pending).U64(p.withdrawnSui).U64(p.withdrawnToken)
	return bag(b, p.id, 2)
}

// table returns the id of the table of exchange rates.
func (p *pool) table() sui.ObjectID { return derived("rates", p.id, 0) }

// rateField returns the object that stores the rate of an epoch.
func (p *pool) rateField(epoch uint64) ledger.Object {
	name, r := bcs.Bytes(nil).U64(epoch), p.rates[epoch]
	id := fieldID(p.table(), name)
	return ledger.Object{ID: id, Version: 1, Owner: sui.Owner{Kind: sui.OwnerObject, Address: p.table()},
		Type:     rateType,
		Contents: bcs.Bytes(nil).Raw(id[:]).Raw(name).U64(r.sui).U64(r.tokens)}
}
