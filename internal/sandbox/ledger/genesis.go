package ledger

import (
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// clockID is the shared clock; frameworkID holds coin and clock.
var (
	clockID     = sui.Clock
	frameworkID = sui.MustAddress("0x2")
)

// unknownSharedVersion is given to pools whose initial shared version is not in
// the registry; any reader has to ask for it.
const unknownSharedVersion = 700_000_001

// grant is a coin that an account gets, in whole units of the coin.
type grant struct {
	symbol string
	whole  uint64
}

// genesisHoldings: the largest SUI coin carries the main job; swaps above it
// need the others merged in, and so do large USDC and WAL swaps.
var genesisHoldings = []grant{
	{"SUI", 600}, {"SUI", 300}, {"SUI", 100},
	{"USDC", 2500}, {"USDC", 1500},
	{"DEEP", 10_000},
	{"WAL", 4000}, {"WAL", 1000},
}

var faucetHoldings = []grant{{"SUI", 1000}, {"SUI", 50}, {"USDC", 1000}, {"DEEP", 1000}, {"WAL", 1000}}

// populate fills an empty ledger with the clock, the pools, the name alice.sui and the
// account.
func (l *Ledger) populate(c Config, now time.Time) error {
	l.put(newClock(now))
	l.put(newRegistry())
	pools, err := allPools(c.Seed, c.Books, now)
	if err != nil {
		return err
	}
	for _, p := range pools {
		l.put(newPool(p))
	}
	if err := l.putFlowx(middlePrice(pools, now)); err != nil {
		return err
	}
	alice := bcs.Hash("say-ur-intent/sandbox/name", []byte("alice.sui"))
	l.setName("alice.sui", &Record{Holder: derivedID(alice, 0), Target: sui.Address(alice), Expires: now.AddDate(1, 0, 0)})
	l.chooseName(sui.Address(alice), "alice.sui")
	return l.endow(c.Account, genesisHoldings)
}

// allPools generates a book for every registered pool and lets recorded books
// take their places.
func allPools(seed int64, books io.Reader, now time.Time) ([]*clob.Pool, error) {
	pools := clob.Generate(seed, now)
	if books == nil {
		return pools, nil
	}
	recorded, err := clob.Load(books, now)
	if err != nil {
		return nil, fmt.Errorf("read the recorded books: %w", err)
	}
	for _, r := range recorded {
		for i := range pools {
			if pools[i].ID == r.ID {
				pools[i] = r
			}
		}
	}
	return pools, nil
}

// Endow hands an address the coins of the faucet: SUI, USDC, DEEP and WAL.
func (l *Ledger) Endow(owner sui.Address) error {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.endow(owner, faucetHoldings); err != nil {
		return err
	}
	l.appendCheckpoint(now, nil)
	return nil
}

// endow mints holdings for an owner.
func (l *Ledger) endow(owner sui.Address, list []grant) error {
	for _, h := range list {
		coin, ok := coins.BySymbol(h.symbol)
		if !ok {
			return fmt.Errorf("the registry has no coin %s", h.symbol)
		}
		amount := h.whole
		for range coin.Decimals {
			amount *= 10
		}
		l.mint(owner, coin.Type, amount)
	}
	return nil
}

// sharedOwner is nobody in particular: the object is shared since that version.
func sharedOwner(version uint64) sui.Owner {
	return sui.Owner{Kind: sui.OwnerShared, InitialVersion: version}
}

// newClock is the clock as of genesis. Its contents do not move on: functions read the
// time of the ledger's own clock.
func newClock(now time.Time) *Object {
	o := &Object{
		ID: clockID, Version: 1, Owner: sharedOwner(1), Type: sui.MustTypeTag("0x2::clock::Clock"),
		Contents: bcs.Bytes(nil).Raw(clockID[:]).U64(uint64(now.UnixMilli())),
	}
	return o.seal()
}

// newPool wraps a book as the shared Pool object: an id and a versioned inner
// value, whose own id is made up from the pool's.
func newPool(p *clob.Pool) *Object {
	initial := p.InitialSharedVersion
	if initial == 0 {
		initial = unknownSharedVersion
	}
	inner := blake2b.Sum256(append([]byte("say-ur-intent/sandbox/pool-inner"), p.ID[:]...))
	o := &Object{
		ID: p.ID, Version: initial, Owner: sharedOwner(initial), Type: poolType(p), Book: p, Vault: lockedIn(p),
		Contents: bcs.Bytes(nil).Raw(p.ID[:]).Raw(inner[:]).U64(1),
	}
	return o.seal()
}

// poolType is Pool<Base, Quote> under the package's original id.
func poolType(p *clob.Pool) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{
		Address: registry.OriginalPackage, Module: "pool", Name: "Pool",
		Params: []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()},
	}}
}
