package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// The chain's calendar in the sandbox: an epoch is a day, as on mainnet, and an
// idle chain makes a checkpoint when somebody asks, at most one a second.
const (
	firstEpoch         = 1000
	epochLength        = 24 * time.Hour
	checkpointInterval = time.Second
	referenceGasPrice  = 500
	protocolVersion    = 110
)

// ledger is the state of the chain. One lock orders everything: exported methods
// take it, all others need it held. Objects and outcomes never change once they
// are part of the ledger, so that what a method returns may be read without it.
type ledger struct {
	now     func() time.Time
	genesis sui.Digest

	mu          sync.Mutex // guards all that follows
	objects     map[sui.ObjectID]*object
	past        map[sui.ObjectID][]*object // earlier versions, oldest first
	executed    map[sui.Digest]*outcome
	checkpoints []checkpoint
	epochs      []epoch
	made        uint64 // objects made outside transactions
	disabled    map[versionOf]bool
	reserves    map[sui.Address]map[sui.CoinType]uint64 // address balances
	described   map[sui.CoinType]sui.Metadata           // what coins say of themselves
	denied      map[denial]bool                         // who is barred from which coin
	managers    map[sui.Address][]sui.ObjectID          // registered balance managers
	log         []logged                                // every event, oldest first
}

// LedgerConfig is what a chain begins with.
type LedgerConfig struct {
	Now     func() time.Time // the chain's clock
	Genesis []byte           // what the chain's identifier is derived from; random when empty
	Seed    int64            // of the generated books
	Books   io.Reader        // recorded books that take the place of generated ones; may be nil
	Account sui.Address      // owns the coins of genesis
}

// New makes a chain. It fails when the recorded books cannot be read.
func New_(c LedgerConfig) (*ledger, error) {
	now := c.Now()
	if len(c.Genesis) == 0 {
		c.Genesis = make([]byte, 32)
		_, _ = rand.Read(c.Genesis) // never fails
	}
	l := &ledger{
		now: c.Now, genesis: hash("say-ur-intent/sandbox/genesis", c.Genesis),
		objects: map[sui.ObjectID]*object{}, past: map[sui.ObjectID][]*object{},
		executed: map[sui.Digest]*outcome{}, disabled: map[versionOf]bool{},
		reserves: map[sui.Address]map[sui.CoinType]uint64{}, described: map[sui.CoinType]sui.Metadata{}, denied: map[denial]bool{},
		managers: map[sui.Address][]sui.ObjectID{},
	}
	l.epochs = []epoch{{number: firstEpoch, start: now}}
	l.checkpoints = []checkpoint{{digest: l.genesis, at: now, epoch: firstEpoch}}
	return l, l.populate(c, now)
}

// versionOf is one package version of one pool; a zero pool means every pool.
type versionOf struct {
	pool    sui.ObjectID
	version uint64
}

// checkpoint is one block of the sandbox: at most one transaction.
type checkpoint struct {
	seq              uint64
	digest, previous sui.Digest
	at               time.Time
	epoch            uint64
	tx               *outcome // nil for none
	total            uint64   // transactions so far
}

// epoch is one epoch's number and bounds; end is zero for the present one.
type epoch struct {
	number     uint64
	start, end time.Time
	first      uint64 // its first checkpoint
}

// epoch gives the present epoch, beginning a new one when its day is over.
func (l *ledger) epoch(now time.Time) *epoch {
	e := &l.epochs[len(l.epochs)-1]
	if now.Sub(e.start) >= epochLength {
		return l.advanceEpoch(now)
	}
	return e
}

// advanceEpoch ends the present epoch.
func (l *ledger) advanceEpoch(now time.Time) *epoch {
	last := &l.epochs[len(l.epochs)-1]
	last.end = now
	l.epochs = append(l.epochs, epoch{number: last.number + 1, start: now, first: uint64(len(l.checkpoints))})
	l.appendCheckpoint(now, nil)
	return &l.epochs[len(l.epochs)-1]
}

// latest returns the newest checkpoint, making one if the chain was idle.
func (l *ledger) latest(now time.Time) checkpoint {
	l.epoch(now)
	if now.Sub(l.checkpoints[len(l.checkpoints)-1].at) >= checkpointInterval {
		l.appendCheckpoint(now, nil)
	}
	return l.checkpoints[len(l.checkpoints)-1]
}

func (l *ledger) appendCheckpoint(now time.Time, tx *outcome) uint64 {
	last := l.checkpoints[len(l.checkpoints)-1]
	c := checkpoint{
		seq: uint64(len(l.checkpoints)), previous: last.digest, at: now, tx: tx, total: last.total,
		epoch: l.epochs[len(l.epochs)-1].number,
	}
	b := bcsBytes(nil).u64(c.seq).digest(c.previous).u64(uint64(now.UnixMilli()))
	if tx != nil {
		c.total++
		b = b.digest(tx.digest)
	}
	c.digest = hash("CheckpointSummary::", b)
	l.checkpoints = append(l.checkpoints, c)
	return c.seq
}

// put makes o the present version of its object.
func (l *ledger) put(o *object) {
	if old := l.objects[o.id]; old != nil {
		l.past[o.id] = append(l.past[o.id], old)
	}
	l.objects[o.id] = o
}

// remove deletes an object; its earlier versions stay readable.
func (l *ledger) remove(id sui.ObjectID) {
	if old := l.objects[id]; old != nil {
		l.past[id] = append(l.past[id], old)
		delete(l.objects, id)
	}
}

// at gives one version of an object, or nil.
func (l *ledger) at(id sui.ObjectID, version uint64) *object {
	if o := l.objects[id]; o != nil && o.version == version {
		return o
	}
	for _, o := range l.past[id] {
		if o.version == version {
			return o
		}
	}
	return nil
}

// coins lists the coins of an owner, of one type or of all ("" ), largest
// first, as the chain's own index does.
func (l *ledger) coins(owner sui.Address, coin sui.CoinType) []*object {
	var list []*object
	for _, o := range l.objects {
		if o.coin != "" && o.ownedBy(owner) && (coin == "" || o.coin == coin) {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *object) int {
		switch {
		case a.coin != b.coin:
			return compareText(string(a.coin), string(b.coin))
		case a.balance > b.balance:
			return -1
		case a.balance < b.balance:
			return 1
		}
		return bytes.Compare(a.id[:], b.id[:])
	})
	return list
}

func compareText(a, b string) int { return bytes.Compare([]byte(a), []byte(b)) }

// mint makes a coin out of nothing, outside of any transaction: genesis and faucet.
func (l *ledger) mint(owner sui.Address, coin sui.CoinType, balance uint64) *object {
	l.made++
	source := hash("say-ur-intent/sandbox/mint", binary.LittleEndian.AppendUint64(l.genesis[:], l.made))
	o := newCoin(derivedID(source, 0), 1, addressOwner(owner), coin, balance, source)
	l.put(o)
	return o
}

// commit makes an outcome part of the chain and gives its checkpoint.
func (l *ledger) commit(o *outcome, now time.Time) {
	for _, c := range o.changes {
		if c.after == nil {
			l.remove(c.id)
		} else {
			l.put(c.after)
		}
	}
	o.checkpoint = l.appendCheckpoint(now, o)
	o.at = now
	l.note(o.checkpoint, o.digest, o.events...)
	l.executed[o.digest] = o
}

// logged is an event of the chain at its place.
type logged struct {
	event
	checkpoint uint64
	tx         sui.Digest
	index      uint32
}

// note adds events to the chain's history, in order.
func (l *ledger) note(checkpoint uint64, tx sui.Digest, events ...event) {
	for i, e := range events {
		l.log = append(l.log, logged{e, checkpoint, tx, uint32(i)})
	}
}
