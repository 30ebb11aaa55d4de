package ledger

import (
	"maps"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Now returns the time of the chain's clock.
func (l *Ledger) Now() time.Time { return l.now() }

// Chain returns the chain's identifier: the digest of its first checkpoint.
func (l *Ledger) Chain() sui.Digest { return l.genesis }

// Object returns an object's current version, or nil.
func (l *Ledger) Object(id sui.ObjectID) *Object {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.objects[id]; o != nil {
		return o
	}
	return bagField(l, id)
}

// ObjectAt returns a current or past version of an object, or nil.
func (l *Ledger) ObjectAt(id sui.ObjectID, version uint64) *Object {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.objects[id]; o != nil && o.Version == version {
		return o
	}
	i := slices.IndexFunc(l.past[id], func(o *Object) bool { return o.Version == version })
	if i < 0 {
		return nil
	}
	return l.past[id][i]
}

// Objects lists every object, in no particular order.
func (l *Ledger) Objects() []*Object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.objects))
}

// Owned lists an address's objects: coins by type, largest first, then others by id.
func (l *Ledger) Owned(owner sui.Address) []*Object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned(owner)
}

// Holdings sums an owner's holdings by coin type, sorted by type.
func (l *Ledger) Holdings(owner sui.Address) []Holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	return holdingsOf(l, owner)
}

// Holding sums an owner's holdings of one coin.
func (l *Ledger) Holding(owner sui.Address, coin sui.CoinType) Holding {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := Holding{Coin: coin, InAddress: l.reserves[owner][coin]}
	for _, o := range l.coins(owner, coin) {
		h.Coins += o.Balance
	}
	return h
}

// Metadata returns a coin's metadata on chain.
func (l *Ledger) Metadata(coin sui.CoinType) (sui.Metadata, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return metadataOf(l, coin)
}

// Transaction returns the outcome of an executed transaction, or nil.
func (l *Ledger) Transaction(digest sui.Digest) *Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.executed[digest]
}

// Checkpoints lists every checkpoint by number. An idle chain creates a new one first. The last one
// belongs to the current epoch.
func (l *Ledger) Checkpoints() []Checkpoint {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latest(now)
	return slices.Clip(l.checkpoints) // only appended to
}

// Grown returns a channel that is closed at the next checkpoint.
func (l *Ledger) Grown() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.grown
}

// Epochs lists the epochs from the first to the current one.
func (l *Ledger) Epochs() []Epoch {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch(now)
	return slices.Clone(l.epochs)
}

// Events lists every event, oldest first, and the number of the newest checkpoint.
func (l *Ledger) Events() (list []Logged, tip uint64) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	tip = l.latest(now).Number
	return slices.Clip(l.log), tip
}
