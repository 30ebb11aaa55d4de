package sandbox

import (
	"maps"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Now is the time of the chain's clock.
func (l *ledger) Now() time.Time { return l.now() }

// Chain is the chain's identifier: the digest of its first checkpoint.
func (l *ledger) Chain() sui.Digest { return l.genesis }

// Object returns an object's present version, or nil.
func (l *ledger) Object(id sui.ObjectID) *object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.objects[id]
}

// ObjectAt returns one version of an object, a past one too, or nil.
func (l *ledger) ObjectAt(id sui.ObjectID, version uint64) *object {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.objects[id]; o != nil && o.version == version {
		return o
	}
	i := slices.IndexFunc(l.past[id], func(o *object) bool { return o.version == version })
	if i < 0 {
		return nil
	}
	return l.past[id][i]
}

// Objects lists every object in no order.
func (l *ledger) Objects() []*object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.objects))
}

// Owned lists what an address owns: its coins by type, the largest first, then
// what is no coin, by id.
func (l *ledger) Owned(owner sui.Address) []*object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned(owner)
}

// Holdings sums what an owner holds, by coin type, in the order of the types.
func (l *ledger) Holdings(owner sui.Address) []held {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holdings(owner)
}

// Metadata returns what the chain says of a coin.
func (l *ledger) Metadata(coin sui.CoinType) (sui.Metadata, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.description(coin)
}

// Transaction returns what an executed transaction did, or nil.
func (l *ledger) Transaction(digest sui.Digest) *outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.executed[digest]
}

// Checkpoints lists every checkpoint by number; an idle chain makes a new one
// first. The last one's epoch is the present one.
func (l *ledger) Checkpoints() []checkpoint {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest(now)
	return slices.Clip(l.checkpoints) // only ever appended to
}

// Epochs lists the epochs from the first to the present one.
func (l *ledger) Epochs() []epoch {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch(now)
	return slices.Clone(l.epochs)
}

// Events lists every event, the oldest first, and the number of the newest
// checkpoint.
func (l *ledger) Events() (list []logged, tip uint64) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	tip = l.latest(now).seq
	return slices.Clip(l.log), tip
}
