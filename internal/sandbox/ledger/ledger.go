// Package ledger is the chain of the sandbox: objects with versions, coins, epochs,
// checkpoints, DeepBook's pools and those of programs, and the execution of transactions
// over them. It executes the Move calls that the product builds, exactly, and refuses
// every other call by name. It runs no Move code and keeps nothing on disk.
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

// The chain's calendar in the sandbox: an epoch is a day, as on mainnet, and an
// idle chain makes a checkpoint when somebody asks, at most one a second.
const (
	FirstEpoch         = 1000
	EpochLength        = 24 * time.Hour
	checkpointInterval = time.Second
	ReferenceGasPrice  = 500
	ProtocolVersion    = 110
)

// Ledger is the state of the chain. One lock orders everything: exported methods
// take it, all others need it held. Objects and outcomes never change once they
// are part of the ledger, so that what a method returns may be read without it.
type Ledger struct {
	now      func() time.Time
	genesis  sui.Digest
	programs []Program
	retired  map[sui.ObjectID]Retired // by package

	mu          sync.Mutex // guards all that follows
	objects     map[sui.ObjectID]*Object
	past        map[sui.ObjectID][]*Object // earlier versions, oldest first
	executed    map[sui.Digest]*Outcome
	checkpoints []Checkpoint
	grown       chan struct{} // closed and made anew with every checkpoint
	epochs      []Epoch
	made        uint64 // objects made outside transactions
	disabled    map[versionOf]bool
	reserves    map[sui.Address]map[sui.CoinType]uint64 // address balances: money in no object
	described   map[sui.CoinType]sui.Metadata           // what coins say of themselves
	bans        map[ban]bool                            // who is barred from which coin
	managers    map[sui.Address][]sui.ObjectID          // registered balance managers
	log         []Logged                                // every event, oldest first
	gasless     map[sui.CoinType]sui.Raw                // what moves without gas, and the least amount of it
}

// Config is what a chain begins with.
type Config struct {
	Now     func() time.Time // the chain's clock
	Genesis []byte           // what the chain's identifier is derived from; random when empty
	Seed    int64            // of the generated books
	Books   io.Reader        // recorded books that take the place of generated ones; may be nil
	Account sui.Address      // owns the coins of genesis

	Programs []Program // the protocols that are not part of the ledger itself
}

// New makes a chain. It fails when the recorded books cannot be read.
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
	return l, l.populate(c, now)
}

// genesisCheckpoint is checkpoint 0, whose digest is the chain's identifier. A chain
// with a seed keeps an identifier that is derived from the seed alone, so that what
// was released on it, at another time, still fits; nobody signs its genesis.
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

// versionOf is one package version of one pool; a zero pool means every pool.
type versionOf struct {
	pool    sui.ObjectID
	version uint64
}

// Checkpoint is one block of the sandbox: at most one transaction.
type Checkpoint struct {
	Number           uint64
	Digest, Previous sui.Digest
	At               time.Time
	Epoch            uint64
	Executed         *Outcome // nil for none
	Total            uint64   // transactions so far
	Gas              GasCost  // of its epoch so far
	Last             bool     // it ends its epoch and names the next committee

	Summary, Contents []byte // BCS, as the validators sign them
}

// Epoch is one epoch's number and bounds; end is zero for the present one.
type Epoch struct {
	Number     uint64
	Start, End time.Time
	First      uint64 // its first checkpoint
}

// epoch returns the present epoch, beginning a new one when its day is over.
func (l *Ledger) epoch(now time.Time) *Epoch {
	e := &l.epochs[len(l.epochs)-1]
	if now.Sub(e.Start) >= EpochLength {
		return l.advanceEpoch(now)
	}
	return e
}

// advanceEpoch ends the present epoch.
func (l *Ledger) advanceEpoch(now time.Time) *Epoch {
	l.seal(now, nil, true)
	last := &l.epochs[len(l.epochs)-1]
	last.End = now
	l.epochs = append(l.epochs, Epoch{Number: last.Number + 1, Start: now, First: uint64(len(l.checkpoints))})
	for _, p := range l.programs {
		if p.Turn != nil {
			p.Turn(l.edit("turn", last.Number+1, now))
		}
	}
	l.appendCheckpoint(now, nil)
	return &l.epochs[len(l.epochs)-1]
}

// latest returns the newest checkpoint, making one if the chain was idle.
func (l *Ledger) latest(now time.Time) Checkpoint {
	l.epoch(now)
	if now.Sub(l.checkpoints[len(l.checkpoints)-1].At) >= checkpointInterval {
		l.appendCheckpoint(now, nil)
	}
	return l.checkpoints[len(l.checkpoints)-1]
}

// appendCheckpoint adds a checkpoint with at most one transaction and returns its
// number. Its digest covers the one before, so that two chains of one past are told
// apart.
func (l *Ledger) appendCheckpoint(now time.Time, tx *Outcome) uint64 { return l.seal(now, tx, false) }

// seal is appendCheckpoint; ends makes it the last checkpoint of the present epoch.
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

// put makes o the present version of its object.
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

// coins lists the coins of an owner, of one type or of all ("" ), largest
// first, as the chain's own index does.
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

// mint makes a coin out of nothing, outside of any transaction: genesis and faucet.
func (l *Ledger) mint(owner sui.Address, coin sui.CoinType, balance uint64) *Object {
	l.made++
	source := bcs.Hash("say-ur-intent/sandbox/mint", binary.LittleEndian.AppendUint64(l.genesis[:], l.made))
	o := newCoin(derivedID(source, 0), 1, addressOwner(owner), coin, balance, source)
	l.put(o)
	return o
}

// commit makes an outcome part of the chain and returns its checkpoint.
func (l *Ledger) commit(o *Outcome, now time.Time) {
	for _, c := range o.Changes {
		if c.After == nil {
			l.remove(c.ID)
		} else {
			l.put(c.After)
		}
	}
	for _, a := range o.Accumulated {
		l.apply(a)
	}
	o.Checkpoint = l.appendCheckpoint(now, o)
	o.At = now
	l.record(o.Checkpoint, o.Digest, o.Events...)
	l.executed[o.Digest] = o
}

// Logged is an event of the chain at its place.
type Logged struct {
	Event
	Checkpoint uint64
	Tx         sui.Digest
	Index      uint32
}

// record adds events to the chain's history, in order.
func (l *Ledger) record(checkpoint uint64, tx sui.Digest, events ...Event) {
	for i, e := range events {
		l.log = append(l.log, Logged{e, checkpoint, tx, uint32(i)})
	}
}
