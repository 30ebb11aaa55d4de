package ledger

import (
	"fmt"
	"io"
	"math/big"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/allowances"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// clockID is the shared clock. frameworkID is the package with coin and clock.
var (
	clockID     = sui.Clock
	frameworkID = sui.MustAddress("0x2")
)

// unknownSharedVersion is used for pools whose initial shared version is not in the registry.
// Clients must look it up.
const unknownSharedVersion = 700_000_001

// grant is an account's initial coin, in whole units.
type grant struct {
	symbol string
	whole  uint64
}

// genesisHoldings are the account's initial coins. The largest SUI coin is enough for the main use
// case. Larger swaps need the others merged in, as do large USDC and WAL swaps.
var genesisHoldings = []grant{
	{"SUI", 600}, {"SUI", 300}, {"SUI", 100},
	{"USDC", 2500}, {"USDC", 1500},
	{"DEEP", 10_000},
	{"WAL", 4000}, {"WAL", 1000},
}

var faucetHoldings = []grant{{"SUI", 1000}, {"SUI", 50}, {"USDC", 1000}, {"DEEP", 1000}, {"WAL", 1000}}

// makeGenesis fills an empty ledger with the clock, the pools, the name alice.sui and the account.
func makeGenesis(l *Ledger, c Config, now time.Time) error {
	l.put(newClock(now))
	l.put(newRegistry())
	pools, err := allPools(c.Seed, c.Books, now)
	if err != nil {
		return err
	}
	for _, p := range pools {
		l.put(newPool(p))
	}
	for _, p := range c.Programs {
		if err := p.Genesis(l, middlePrice(pools, now)); err != nil {
			return err
		}
	}
	alice := bcs.Hash("say-ur-intent/sandbox/name", []byte("alice.sui"))
	setName(l, "alice.sui", &Record{Holder: derivedID(alice, 0), Target: sui.Address(alice),
		Expires: now.AddDate(1, 0, 0)})
	chooseName(l, sui.Address(alice), "alice.sui")
	return giveObject(l, c.Account, genesisHoldings)
}

// allPools returns a book for every registered pool: the recorded one if there is one, and a
// generated one otherwise.
func allPools(seed int64, books io.Reader, now time.Time) ([]*clob.Pool, error) {
	if books == nil {
		return clob.Generate(seed, now), nil
	}
	recorded, err := clob.Load(books, now)
	if err != nil {
		return nil, fmt.Errorf("read the recorded books: %w", err)
	}
	return clob.Complete(recorded, seed, now), nil
}

// Endow gives an address the faucet's coins: SUI, USDC, DEEP and WAL.
func (l *Ledger) Endow(owner sui.Address) error {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := giveObject(l, owner, faucetHoldings); err != nil {
		return err
	}
	appendCheckpoint(l, now, nil)
	return nil
}

// giveObject mints holdings for an owner.
func giveObject(l *Ledger, owner sui.Address, list []grant) error {
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

// sharedOwner returns the owner of an object that has been shared since a version.
func sharedOwner(version uint64) sui.Owner {
	return sui.Owner{Kind: sui.OwnerShared, InitialVersion: version}
}

// newClock returns the clock as of genesis. Its contents do not change; functions use the ledger's
// own clock.
func newClock(now time.Time) *Object {
	o := &Object{
		ID: clockID, Version: 1, Owner: sharedOwner(1), Type: sui.MustTypeTag("0x2::clock::Clock"),
		Contents: bcs.Bytes(nil).Raw(clockID[:]).U64(uint64(now.UnixMilli())),
	}
	return o.seal()
}

// newPool wraps a book as the shared Pool object: an id and a versioned inner value, whose id is
// derived from the pool's.
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

// poolType returns Pool<Base, Quote> with the package's original id.
func poolType(p *clob.Pool) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{
		Address: registry.OriginalPackage, Module: "pool", Name: "Pool",
		Params: []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()},
	}}
}

// Allowance describes the allowance that Permit creates: Spender may take Coin from Funder's address
// balance. A zero limit means none. Times are milliseconds since 1970.
type Allowance struct {
	Funder, Spender sui.Address
	App             string // type name of the app whose code must approve
	Coin            sui.CoinType
	Cap, Taken      uint64 // raw units
	Start, End      uint64
	Name            string

	Limit, Spent  uint64 // of the rate, if any
	Anchor, Index uint64 // of its windows, as of the last spend
	PeriodMs      uint64 // or Months
	Months        uint8

	Package sui.ObjectID // package that declares its type; zero means the chain's own, and anything else is a fake
}

// inner returns the allowance as execution uses it.
func (a Allowance) inner() *allowances.Allowance {
	optional := func(n uint64) *uint64 {
		if n == 0 {
			return nil
		}
		return &n
	}
	in := &allowances.Allowance{Funder: a.Funder, Spender: a.Spender, App: a.App, Coin: a.Coin, Start: optional(a.Start),
		End:  optional(a.End),
		Name: a.Name, Taken: wideOf(a.Taken)}
	if a.Cap > 0 {
		in.Cap = wideOf(a.Cap)
	}
	if a.Limit > 0 {
		in.Rate = &allowances.Rate{Limit: wideOf(a.Limit), Spent: wideOf(a.Spent), Anchor: optional(a.Anchor), Index: a.Index,
			Period: a.PeriodMs, Months: a.Months}
	}
	return in
}

func wideOf(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// Permit creates an allowance on chain, with the cap with which its funder can revoke it.
func (l *Ledger) Permit(a Allowance) (id, funders sui.ObjectID) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	id, funders = permitMove(l, a, elsewhere(l, "permitted"), managerVersion+l.made)
	appendCheckpoint(l, now, nil)
	return id, funders
}

// permitVersion is the initial shared version of allowances made by PermitAtGenesis.
const permitVersion = 720_000_001

// PermitAtGenesis is like Permit, with ids derived only from a word, so that ids of later objects do
// not change.
func (l *Ledger) PermitAtGenesis(word string, a Allowance) (id, funders sui.ObjectID) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	id, funders = permitMove(l, a, bcs.Hash("say-ur-intent/sandbox/permission", []byte(word)), permitVersion)
	appendCheckpoint(l, now, nil)
	return id, funders
}

func permitMove(l *Ledger, a Allowance, source sui.Digest, version uint64) (id, funders sui.ObjectID) {
	id, funders = derivedID(source, 0), derivedID(source, 1)
	o := newAllowance(id, version, a.inner(), source)
	if !a.Package.IsZero() {
		look := *o.Type.Struct
		look.Address = a.Package
		o.Type, o.allowance = sui.TypeTag{Kind: sui.TypeStruct, Struct: &look}, nil
		o.seal()
	}
	l.put(o)
	l.put(newAllowanceCap(funders, 1, a.Funder, id, a.Coin, source))
	return id, funders
}

// newAllowance makes the shared object of an allowance.
func newAllowance(id sui.ObjectID, version uint64, in *allowances.Allowance, source sui.Digest) *Object {
	o := &Object{ID: id, Version: version, Owner: sharedOwner(version), Type: allowanceType("Allowance", in.Coin),
		Contents: in.Encode(id), Previous: source, allowance: in}
	return o.seal()
}

// newAllowanceCap creates the object with which a funder revokes an allowance. It cannot be
// transferred.
func newAllowanceCap(id sui.ObjectID, version uint64, funder sui.Address, of sui.ObjectID, coin sui.CoinType,
	source sui.Digest) *Object {
	o := &Object{ID: id, Version: version, Owner: addressOwner(funder), Type: allowanceType("AllowanceCap", coin),
		Contents: bcs.Bytes(nil).Raw(id[:]).Raw(of[:]), Previous: source}
	return o.seal()
}

func allowanceType(name string, coin sui.CoinType) sui.TypeTag {
	return sui.MustTypeTag("0x2::allowance::" + name + "<" + balanceType(coin).String() + ">")
}

// coinOfBalance returns the coin C of a type argument Balance<C>, or "" for any other type.
func coinOfBalance(t sui.CoinType) sui.CoinType {
	tag := sui.MustTypeTag(string(t))
	if s := tag.Struct; s == nil || s.Address != frameworkID || s.Module != "balance" || s.Name != "Balance" ||
		len(s.Params) != 1 {
		return ""
	}
	return sui.CoinType(tag.Struct.Params[0].String())
}
