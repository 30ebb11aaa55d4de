// Package ledger is the sandbox's chain: objects with versions, coins, epochs, checkpoints, DeepBook's
// pools and those of programs, and the execution of transactions. It executes exactly the Move calls
// that the product builds, and rejects others by name. It runs no Move code and stores nothing on disk.
package ledger

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/committee"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Times of the sandbox chain: an epoch is a day, as on mainnet, and an idle chain makes a
// checkpoint on demand, at most one per second.
const (
	FirstEpoch         = 1000
	EpochLength        = 24 * time.Hour
	checkpointInterval = time.Second
	ReferenceGasPrice  = 500
	ProtocolVersion    = 110
)

// Ledger is the state of the chain. It has one lock: exported methods take it, and the others require
// it to be held. Objects and outcomes in the ledger never change, so callers may read them without the
// lock.
type Ledger struct {
	now      func() time.Time
	genesis  sui.Digest
	programs []Program
	retired  map[sui.ObjectID]Retired // by package

	mu          sync.Mutex // guards everything below
	objects     map[sui.ObjectID]*Object
	past        map[sui.ObjectID][]*Object // earlier versions, oldest first
	executed    map[sui.Digest]*Outcome
	checkpoints []Checkpoint
	grown       chan struct{} // closed and replaced with every checkpoint
	epochs      []Epoch
	made        uint64 // number of objects made outside transactions
	disabled    map[versionOf]bool
	reserves    map[sui.Address]map[sui.CoinType]uint64 // address balances
	described   map[sui.CoinType]sui.Metadata           // metadata set by Describe
	bans        map[ban]bool                            // addresses barred from coins
	managers    map[sui.Address][]sui.ObjectID          // registered balance managers
	log         []Logged                                // every event, oldest first
	gasless     map[sui.CoinType]sui.Raw                // coins that move without gas, with minimum amounts
}

// Config configures a new chain.
type Config struct {
	Now     func() time.Time // the chain's clock
	Genesis []byte           // seed of the chain's identifier; random if empty
	Seed    int64            // of the generated books
	Books   io.Reader        // recorded books that replace generated ones; may be nil
	Account sui.Address      // owner of the genesis coins

	Programs []Program // protocols outside the ledger
}

// New makes a chain. It fails if the recorded books cannot be read.
func New(c Config) (*Ledger, error) {
	now := c.Now()
	first := genesisCheckpoint(c.Genesis, now)
	l := &Ledger{
		now: c.Now, genesis: first.Digest, programs: c.Programs,
		objects: map[sui.ObjectID]*Object{}, past: map[sui.ObjectID][]*Object{},
		executed: map[sui.Digest]*Outcome{}, disabled: map[versionOf]bool{}, retired: map[sui.ObjectID]Retired{},
		reserves: map[sui.Address]map[sui.CoinType]uint64{}, described: map[sui.CoinType]sui.Metadata{}, bans: map[ban]bool{},
		managers: map[sui.Address][]sui.ObjectID{}, grown: make(chan struct{}), gasless: mainnetGasless(),
	}
	l.epochs = []Epoch{{Number: FirstEpoch, Start: now}}
	l.checkpoints = []Checkpoint{first}
	return l, makeGenesis(l, c, now)
}

// genesisCheckpoint returns checkpoint 0, whose digest identifies the chain. With a seed, the
// identifier depends only on the seed, so that transactions released on an earlier chain still match.
// Nobody signs genesis.
func genesisCheckpoint(seed []byte, now time.Time) Checkpoint {
	fixed := len(seed) > 0
	if !fixed {
		seed = make([]byte, 32)
		_, _ = rand.Read(seed) // never fails
	}
	derived := bcs.Hash("say-ur-intent/sandbox/genesis", seed)
	c := Checkpoint{At: now, Epoch: FirstEpoch, Contents: committee.Contents([]committee.Listed{{Transaction: derived}})}
	c.Summary, c.Digest = committee.Summary(committee.Place{Epoch: FirstEpoch, At: now}, c.Contents)
	if fixed {
		c.Digest = derived
	}
	return c
}

// versionOf is a package version of a pool; a zero pool means every pool.
type versionOf struct {
	pool    sui.ObjectID
	version uint64
}

// Checkpoint is a checkpoint with at most one transaction.
type Checkpoint struct {
	Number           uint64
	Digest, Previous sui.Digest
	At               time.Time
	Epoch            uint64
	Executed         *Outcome // nil for none
	Total            uint64   // total transactions so far
	Gas              GasCost  // the epoch's total so far
	Last             bool     // ends its epoch and names the next committee

	Summary, Contents []byte // BCS, as the validators sign them
}

// Epoch is an epoch's number and bounds; the end is zero for the current epoch.
type Epoch struct {
	Number     uint64
	Start, End time.Time
	First      uint64 // its first checkpoint
}

// epoch returns the current epoch, and begins a new one after a day.
func (l *Ledger) epoch(now time.Time) *Epoch {
	e := &l.epochs[len(l.epochs)-1]
	if now.Sub(e.Start) >= EpochLength {
		return advanceEpoch(l, now)
	}
	return e
}

// advanceEpoch ends the current epoch.
func advanceEpoch(l *Ledger, now time.Time) *Epoch {
	l.seal(now, nil, true)
	last := &l.epochs[len(l.epochs)-1]
	last.End = now
	l.epochs = append(l.epochs, Epoch{Number: last.Number + 1, Start: now, First: uint64(len(l.checkpoints))})
	for _, p := range l.programs {
		if p.Turn != nil {
			p.Turn(l.edit("turn", last.Number+1, now))
		}
	}
	appendCheckpoint(l, now, nil)
	return &l.epochs[len(l.epochs)-1]
}

// latest returns the newest checkpoint. It creates one if the chain was idle.
func (l *Ledger) latest(now time.Time) Checkpoint {
	l.epoch(now)
	if now.Sub(l.checkpoints[len(l.checkpoints)-1].At) >= checkpointInterval {
		appendCheckpoint(l, now, nil)
	}
	return l.checkpoints[len(l.checkpoints)-1]
}

// appendCheckpoint adds a checkpoint with at most one transaction and returns its number. Its
// digest covers the previous one, so that chains with a common past differ.
func appendCheckpoint(l *Ledger, now time.Time, tx *Outcome) uint64 { return l.seal(now, tx, false) }

// seal is like appendCheckpoint. ends makes it the last checkpoint of the current epoch.
func (l *Ledger) seal(now time.Time, tx *Outcome, ends bool) uint64 {
	last := l.checkpoints[len(l.checkpoints)-1]
	c := Checkpoint{
		Number: uint64(len(l.checkpoints)), Previous: last.Digest, At: now, Executed: tx, Total: last.Total,
		Epoch: l.epochs[len(l.epochs)-1].Number, Last: ends,
	}
	if last.Epoch == c.Epoch {
		c.Gas = last.Gas
	}
	var listed []committee.Listed
	if tx != nil {
		c.Total++
		c.Gas = c.Gas.plus(tx.Gas)
		listed = []committee.Listed{{Transaction: tx.Digest, Effects: tx.EffectsDigest, Signatures: tx.Signatures}}
	}
	c.Contents = committee.Contents(listed)
	c.Summary, c.Digest = committee.Summary(committee.Place{
		Epoch: c.Epoch, Number: c.Number, Total: c.Total, Previous: &c.Previous, At: now, Last: ends,
		Protocol: ProtocolVersion,
		Gas: sui.GasCost{Computation: sui.Raw(c.Gas.Computation), Storage: sui.Raw(c.Gas.Storage),
			Rebate: sui.Raw(c.Gas.Rebate), NonRefundable: sui.Raw(c.Gas.NonRefundable)},
	}, c.Contents)
	l.checkpoints = append(l.checkpoints, c)
	close(l.grown)
	l.grown = make(chan struct{})
	return c.Number
}

// put stores o as the current version of its object.
func (l *Ledger) put(o *Object) {
	if old := l.objects[o.ID]; old != nil {
		l.past[o.ID] = append(l.past[o.ID], old)
	}
	l.objects[o.ID] = o
}

// remove deletes an object; its earlier versions stay readable.
func (l *Ledger) remove(id sui.ObjectID) {
	if old := l.objects[id]; old != nil {
		l.past[id] = append(l.past[id], old)
		delete(l.objects, id)
	}
}

// coins lists an owner's coins of one type, or of all types (""), largest first, as the chain's
// index does.
func (l *Ledger) coins(owner sui.Address, coin sui.CoinType) []*Object {
	var list []*Object
	for _, o := range l.objects {
		if o.Coin != "" && o.ownedBy(owner) && (coin == "" || o.Coin == coin) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *Object) int {
		switch {
		case a.Coin != b.Coin:
			return cmp.Compare(a.Coin, b.Coin)
		case a.Balance > b.Balance:
			return -1
		case a.Balance < b.Balance:
			return 1
		}
		return bytes.Compare(a.ID[:], b.ID[:])
	})
	return list
}

// mint creates a coin outside of any transaction, for genesis and the faucet.
func (l *Ledger) mint(owner sui.Address, coin sui.CoinType, balance uint64) *Object {
	l.made++
	source := bcs.Hash("say-ur-intent/sandbox/mint", binary.LittleEndian.AppendUint64(l.genesis[:], l.made))
	o := newCoin(derivedID(source, 0), 1, addressOwner(owner), coin, balance, source)
	l.put(o)
	return o
}

// commit adds an outcome to the chain.
func (l *Ledger) commit(o *Outcome, now time.Time) {
	for _, c := range o.Changes {
		if c.After == nil {
			l.remove(c.ID)
		} else {
			l.put(c.After)
		}
	}
	for _, a := range o.Accumulated {
		applyFunds(l, a)
	}
	o.Checkpoint = appendCheckpoint(l, now, o)
	o.At = now
	l.record(o.Checkpoint, o.Digest, o.Events...)
	l.executed[o.Digest] = o
}

// Logged is an event with its position on chain.
type Logged struct {
	Event
	Checkpoint uint64
	Tx         sui.Digest
	Index      uint32
}

// record appends events to the chain's history.
func (l *Ledger) record(checkpoint uint64, tx sui.Digest, events ...Event) {
	for i, e := range events {
		l.log = append(l.log, Logged{e, checkpoint, tx, uint32(i)})
	}
}
