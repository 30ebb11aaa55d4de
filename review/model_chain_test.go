package review_test

import (
	"context"
	"encoding/binary"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// ledger is a chain of coins and epochs, with one node before it that can be
// down, forget, refuse, lose answers or be another chain's.
type ledger struct {
	node.Chain // nothing else of it is asked

	epoch    uint64
	coins    map[sui.ObjectID][]held // versions, oldest first
	executed map[sui.Digest]sui.Executed
	made     uint64

	down, forgets, refuses, drops, strange bool
}

// held is one version of a coin with the transaction that made it.
type held struct {
	ref sui.ObjectRef
	by  sui.Digest
}

var (
	ledgerChain = sui.Digest{0xc4}
	otherLedger = sui.Digest{0xc5}
)

func newLedger(coins int) *ledger {
	l := &ledger{epoch: 10, coins: map[sui.ObjectID][]held{}, executed: map[sui.Digest]sui.Executed{}}
	for i := range coins {
		id := sui.Address{0xc0, byte(i)}
		l.coins[id] = []held{{ref: sui.ObjectRef{ID: id, Version: 1, Digest: l.fresh()}, by: l.fresh()}}
	}
	return l
}

// fresh returns a digest that nothing else has.
func (l *ledger) fresh() sui.Digest {
	l.made++
	return sui.TransactionDigest(binary.LittleEndian.AppendUint64(nil, l.made))
}

func (l *ledger) present(id sui.ObjectID) sui.ObjectRef {
	versions := l.coins[id]
	return versions[len(versions)-1].ref
}

// user returns the transaction that used one version of a coin, false while it
// is unspent.
func (l *ledger) user(ref sui.ObjectRef) (sui.Digest, bool) {
	versions := l.coins[ref.ID]
	for i, v := range versions {
		if v.ref == ref && i+1 < len(versions) {
			return versions[i+1].by, true
		}
	}
	return sui.Digest{}, false
}

// run executes a transaction that uses one coin; false if the chain's rules forbid it.
func (l *ledger) run(d sui.Digest, sender sui.Address, coin sui.ObjectRef, last uint64, ok bool) bool {
	if _, done := l.executed[d]; done {
		return true
	}
	if l.epoch > last || l.present(coin.ID) != coin {
		return false
	}
	next := sui.ObjectRef{ID: coin.ID, Version: coin.Version + 3, Digest: l.fresh()}
	l.coins[coin.ID] = append(l.coins[coin.ID], held{ref: next, by: d})
	l.executed[d] = sui.Executed{Effects: sui.Effects{
		Digest: d, Sender: sender, Epoch: l.epoch, Status: sui.ExecutionStatus{OK: ok, Kind: "MOVE_ABORT"},
		Objects: []sui.ObjectChange{{ID: coin.ID, Change: "mutated", Input: coin.Version, Output: next.Version}},
	}}
	return true
}

// answers is the node's mood, as a fault.
func (l *ledger) answers() error {
	switch {
	case l.strange:
		return fault.New(fault.NetworkMismatch, "This node is another chain.")
	case l.down:
		return fault.New(fault.ProviderUnavailable, "The Sui node cannot be reached.")
	}
	return nil
}

func (l *ledger) ChainIdentifier(context.Context) (sui.Digest, error) {
	if l.strange && !l.down {
		return otherLedger, nil // a node that is not judged by its client
	}
	return ledgerChain, l.answers()
}

func (l *ledger) Epoch(context.Context) (sui.Epoch, error) {
	return sui.Epoch{Number: l.epoch, GasPrice: 500}, l.answers()
}

func (l *ledger) Coins(context.Context, sui.Address, sui.CoinType, int) ([]sui.Coin, error) {
	return nil, l.answers()
}

func (l *ledger) Balance(context.Context, sui.Address, sui.CoinType) (sui.Balance, error) {
	return sui.Balance{}, l.answers()
}

func (l *ledger) Objects(context.Context, []sui.ObjectID) ([]sui.Object, error) {
	return nil, l.answers()
}

func (l *ledger) Execute(_ context.Context, b, _ []byte) (sui.Executed, error) {
	if err := l.answers(); err != nil {
		return sui.Executed{}, err
	}
	if l.refuses {
		return sui.Executed{}, fault.New(fault.ProviderRefused, "The Sui node refused the request.")
	}
	tx, err := sui.DecodeTransaction(b)
	if err != nil {
		return sui.Executed{}, err
	}
	d := sui.TransactionDigest(b)
	last := tx.Expiration.(sui.EpochExpiration).Epoch
	if !l.run(d, tx.Sender, tx.Gas.Payment[0], last, true) {
		return sui.Executed{}, fault.New(fault.ProviderRefused, "The Sui node refused the request.")
	}
	if l.drops {
		return sui.Executed{}, fault.New(fault.ProviderUnavailable, "The answer was lost.")
	}
	return l.executed[d], nil
}

func (l *ledger) Transaction(_ context.Context, d sui.Digest) (sui.Executed, bool, error) {
	if err := l.answers(); err != nil {
		return sui.Executed{}, false, err
	}
	e, ok := l.executed[d]
	return e, ok && !l.forgets, nil
}

func (l *ledger) KeepsEpoch(context.Context, uint64) (bool, error) { return true, l.answers() }

func (l *ledger) Object(_ context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error) {
	if err := l.answers(); err != nil {
		return sui.Object{}, false, err
	}
	versions := l.coins[id]
	for i, v := range versions {
		if v.ref.Version == version || (version == 0 && i == len(versions)-1) {
			return sui.Object{Ref: v.ref, Previous: v.by}, true, nil
		}
	}
	return sui.Object{}, false, nil
}
