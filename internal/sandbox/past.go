package sandbox

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// past is a transaction as the GraphQL service tells it: one of the chain's own,
// or a recorded one. What is not known of it is nil or zero, and told as null.
type past struct {
	digest     sui.Digest
	tx         *sui.Transaction
	bytes      []byte
	signatures [][]byte
	checkpoint *uint64
	at         time.Time
	did        *deeds // nil where effects are not known
}

// deeds are what a transaction did.
type deeds struct {
	bytes    []byte // BCS of the effects
	epoch    uint64
	failure  *failure
	gas      gasCost
	changes  []pastChange
	balances []balanceChange
	told     bool // balances are known, all of them
	events   []event
}

// pastChange is what became of one object. Types are empty where they are not
// known; an owner is that after the transaction, was the one before it where that
// is known.
type pastChange struct {
	id               sui.ObjectID
	before, after    bool
	created, deleted bool
	inType, outType  string
	owner, was       sui.Owner
}

// pastOf is a transaction of the sandbox's own chain.
func pastOf(o *outcome) *past {
	d := &deeds{bytes: o.effects, epoch: o.epoch, failure: o.failure, gas: o.gas, balances: o.balances, told: true, events: o.events}
	for _, c := range o.changes {
		p := pastChange{id: c.id, before: c.before != nil, after: c.after != nil, created: c.before == nil, deleted: c.after == nil}
		if c.before != nil {
			p.inType, p.was = c.before.typ.String(), c.before.owner
		}
		if c.after != nil {
			p.outType, p.owner = c.after.typ.String(), c.after.owner
		}
		d.changes = append(d.changes, p)
	}
	return &past{digest: o.digest, tx: o.tx, bytes: o.bytes, signatures: o.signatures, checkpoint: &o.checkpoint, at: o.at, did: d}
}

// affects reports whether an address sent or paid for a transaction, or owns
// something that it wrote.
func (p *past) affects(a sui.Address) bool {
	if p.tx.Sender == a || p.tx.Gas.Owner == a {
		return true
	}
	return p.did != nil && (slices.ContainsFunc(p.did.changes, func(c pastChange) bool {
		return c.after && c.owner.Kind == sui.OwnerAddress && c.owner.Address == a
	}) || slices.ContainsFunc(p.did.balances, func(b balanceChange) bool { return b.owner == a }))
}
