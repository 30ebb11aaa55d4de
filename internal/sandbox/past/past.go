// Package past represents transactions as a history service reports them: those of the sandbox's
// own chain, and recorded ones of a real chain, whose balance changes are computed if bytes and
// effects prove them.
package past

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Transaction is a transaction as the GraphQL service reports it: one of the chain's own, or a
// recorded one. Unknown fields are nil or zero, and reported as null.
type Transaction struct {
	Digest     sui.Digest
	Tx         *sui.Transaction
	Bytes      []byte
	Signatures [][]byte
	Checkpoint *uint64
	At         time.Time
	Effects    *Effects // nil if unknown
}

// Effects are the known effects of a transaction.
type Effects struct {
	Bytes         []byte // BCS of the effects
	Epoch         uint64
	Failure       *ledger.Failure
	Gas           ledger.GasCost
	Changes       []ObjectChange
	Balances      []ledger.BalanceChange
	BalancesKnown bool // all balance changes are known
	Events        []ledger.Event
}

// ObjectChange is the change of one object. Unknown types are empty. Owner is the owner after the
// transaction; was is the owner before, if known.
type ObjectChange struct {
	ID               sui.ObjectID
	Before, After    bool
	Created, Deleted bool
	InType, OutType  string
	Owner, was       sui.Owner
}

// Of converts the outcome of a transaction on the sandbox's own chain.
func Of(o *ledger.Outcome) *Transaction {
	d := &Effects{Bytes: o.Effects, Epoch: o.Epoch, Failure: o.Failure, Gas: o.Gas, Balances: o.Balances,
		BalancesKnown: true, Events: o.Events}
	for _, c := range o.Changes {
		p := ObjectChange{ID: c.ID, Before: c.Before != nil, After: c.After != nil, Created: c.Before == nil,
			Deleted: c.After == nil}
		if c.Before != nil {
			p.InType, p.was = c.Before.Type.String(), c.Before.Owner
		}
		if c.After != nil {
			p.OutType, p.Owner = c.After.Type.String(), c.After.Owner
		}
		d.Changes = append(d.Changes, p)
	}
	return &Transaction{Digest: o.Digest, Tx: o.Transaction, Bytes: o.Bytes, Signatures: o.Signatures,
		Checkpoint: &o.Checkpoint, At: o.At, Effects: d}
}

// Affects reports whether an address sent or paid for a transaction, or owns something that it
// wrote.
func (p *Transaction) Affects(a sui.Address) bool {
	if p.Tx.Sender == a || p.Tx.Gas.Owner == a {
		return true
	}
	return p.Effects != nil && (slices.ContainsFunc(p.Effects.Changes, func(c ObjectChange) bool {
		return c.After && c.Owner.Kind == sui.OwnerAddress && c.Owner.Address == a
	}) || slices.ContainsFunc(p.Effects.Balances, func(b ledger.BalanceChange) bool { return b.Owner == a }))
}
