package ledger

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// AdvanceEpoch ends the current epoch.
func (l *Ledger) AdvanceEpoch() {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	advanceEpoch(l, now)
}

// Admit sets whether a pool, or every pool, accepts a version of DeepBook's package.
func (l *Ledger) Admit(pool string, version uint64, allowed bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := versionOf{version: version}
	if pool != "" {
		o, err := poolByKey(l, pool)
		if err != nil {
			return err
		}
		v.pool = o.ID
	}
	if allowed {
		delete(l.disabled, v)
	} else {
		l.disabled[v] = true
	}
	return nil
}

// AdmitAll makes every pool accept every version again.
func (l *Ledger) AdmitAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.disabled)
}

// Consume increases a coin's version, as a transaction elsewhere would.
func (l *Ledger) Consume(id sui.ObjectID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.objects[id]
	if o == nil || o.Coin == "" {
		return Refuse("no coin %s", id)
	}
	l.put(o.next(o.Version+1, elsewhere(l, "consumed"), nil))
	return nil
}

// elsewhere returns a digest for a change made without a transaction.
func elsewhere(l *Ledger, word string) sui.Digest {
	l.made++
	return bcs.Hash("say-ur-intent/sandbox/"+word, bcs.Bytes(nil).U64(l.made))
}

// EditPool replaces an order book with an edited copy.
func (l *Ledger) EditPool(key string, edit func(p *clob.Pool, nowMs uint64)) error {
	now := uint64(max(0, l.now().UnixMilli()))
	l.mu.Lock()
	defer l.mu.Unlock()
	o, err := poolByKey(l, key)
	if err != nil {
		return err
	}
	p := o.Book.Clone()
	edit(p, now)
	l.put(o.next(o.Version+1, elsewhere(l, "pool-changed"), func(n *Object) { n.Book = p }))
	return nil
}

// poolByKey finds an order book by its registry key, such as SUI_USDC.
func poolByKey(l *Ledger, key string) (*Object, error) {
	for _, o := range l.objects {
		if o.Book != nil && o.Book.Key == key {
			return o, nil
		}
	}
	return nil, Refuse("no pool %q", key)
}

// ShiftPrice moves the price of a program's market, or every order of a book, by basis points, as
// if the market had moved. Orders move by at least one tick, rounded down.
func (l *Ledger) ShiftPrice(key string, basisPoints int) error {
	if basisPoints <= -10_000 || basisPoints > 100_000 {
		return Refuse("basisPoints is out of range")
	}
	for _, p := range l.programs {
		if p.Shift != nil && p.Shift(l, key, basisPoints) {
			return nil
		}
	}
	return l.EditPool(key, func(p *clob.Pool, _ uint64) {
		for _, side := range [][]clob.Order{p.Bids, p.Asks} {
			for i := range side {
				price := shifted(side[i].Price(), basisPoints, p.Tick)
				moved := clob.NewOrderID(side[i].IsBid(), price, side[i].ID.Lo)
				p.Renamed(side[i].ID, moved)
				side[i].ID = moved
			}
		}
		p.Sort()
	})
}

// shifted returns a price moved by basis points: a multiple of the tick, neither zero nor above the
// maximum.
func shifted(price uint64, basisPoints int, tick uint64) uint64 {
	n := new(big.Int).SetUint64(price)
	n.Mul(n, big.NewInt(int64(10_000+basisPoints)))
	n.Div(n, big.NewInt(10_000))
	if !n.IsUint64() || n.Uint64() > clob.MaxPrice {
		return clob.MaxPrice - clob.MaxPrice%tick
	}
	moved := n.Uint64() - n.Uint64()%tick
	return max(moved, tick)
}

// Hold gives owner a coin of any type, and an amount in its address balance. Zero amounts do
// nothing.
func (l *Ledger) Hold(owner sui.Address, coin sui.CoinType, inCoins, inAddress uint64) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if inCoins > 0 {
		l.mint(owner, coin, inCoins)
	}
	if inAddress > 0 {
		if l.reserves[owner] == nil {
			l.reserves[owner] = map[sui.CoinType]uint64{}
		}
		l.reserves[owner][coin] += inAddress
	}
	appendCheckpoint(l, now, nil)
}

// Deposit moves all of an owner's coins into its address balance.
func (l *Ledger) Deposit(owner sui.Address) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	digest := elsewhere(l, "deposited")
	for _, h := range holdingsOf(l, owner) {
		for _, o := range l.coins(owner, h.Coin) {
			if l.reserves[owner] == nil {
				l.reserves[owner] = map[sui.CoinType]uint64{}
			}
			l.reserves[owner][h.Coin] += o.Balance
			l.put(o.next(o.Version+1, digest, func(n *Object) {
				n.Balance, n.Owner = 0, sui.Owner{Kind: sui.OwnerAddress, Address: accumulatorRoot}
			}))
		}
	}
	appendCheckpoint(l, now, nil)
}

// Empty removes an owner's coins and address balances.
func (l *Ledger) Empty(owner sui.Address) {
	l.Deposit(owner)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.reserves, owner)
}

// Describe sets a coin's metadata on chain, as its creator could. It overrides the pinned registry.
func (l *Ledger) Describe(m sui.Metadata) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.described[m.Type] = m
}

// Deny bars an address from a coin, as the issuer of a regulated coin can. The zero address pauses the
// coin for everybody.
func (l *Ledger) Deny(coin sui.CoinType, who sui.Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bans[ban{coin, who}] = true
}

// ban is an address barred from a coin.
type ban struct {
	coin sui.CoinType
	who  sui.Address
}

// banned fails a run that transfers a coin to a barred address.
func (r *run) banned() *Failure {
	for _, c := range r.coins {
		switch {
		case c.gone || !c.sent:
		case r.ledger.bans[ban{c.typ, sui.Address{}}]:
			return Fail(pb.ExecutionError_COIN_TYPE_GLOBAL_PAUSE, "the coin %s is paused", c.typ)
		case r.ledger.bans[ban{c.typ, c.holder}]:
			return Fail(pb.ExecutionError_ADDRESS_DENIED_FOR_COIN, "%s is barred from %s", c.holder, c.typ)
		}
	}
	for _, m := range r.moved {
		switch {
		case m.delta.Sign() < 0:
		case r.ledger.bans[ban{m.coin, sui.Address{}}]:
			return Fail(pb.ExecutionError_COIN_TYPE_GLOBAL_PAUSE, "the coin %s is paused", m.coin)
		case r.ledger.bans[ban{m.coin, m.owner}]:
			return Fail(pb.ExecutionError_ADDRESS_DENIED_FOR_COIN, "%s is barred from %s", m.owner, m.coin)
		}
	}
	return nil
}

// metadataOf returns the coin's name, symbol and decimals on chain.
func metadataOf(l *Ledger, coin sui.CoinType) (sui.Metadata, bool) {
	if m, ok := l.described[coin]; ok {
		return m, true
	}
	c, ok := coins.ByType(coin)
	return sui.Metadata{
		Type: coin, Decimals: c.Decimals, Name: c.Symbol, Symbol: c.Symbol,
		Description: "Test coin of the Say Ur Intent sandbox, worth nothing.",
	}, ok
}

// Holding is what an owner holds of one coin type.
type Holding struct {
	Coin             sui.CoinType
	Coins, InAddress uint64
}

// holdingsOf sums an owner's holdings by coin type, sorted by type.
func holdingsOf(l *Ledger, owner sui.Address) []Holding {
	var list []Holding
	for _, o := range l.coins(owner, "") {
		if n := len(list); n == 0 || list[n-1].Coin != o.Coin {
			list = append(list, Holding{Coin: o.Coin})
		}
		list[len(list)-1].Coins += o.Balance
	}
	for coin, amount := range l.reserves[owner] {
		i := slices.IndexFunc(list, func(h Holding) bool { return h.Coin == coin })
		if i < 0 {
			i = len(list)
			list = append(list, Holding{Coin: coin})
		}
		list[i].InAddress = amount
	}
	slices.SortFunc(list, func(a, b Holding) int { return cmp.Compare(a.Coin, b.Coin) })
	return list
}

// Record is a SuiNS record: the registration that owns the name, the target (zero for none), and the
// end (zero if the name expires with its parent).
type Record struct {
	Holder  sui.ObjectID
	Target  sui.Address
	Expires time.Time
}

// SetName writes a name's record, as its owner or a new registrant would. A nil record removes it.
func (l *Ledger) SetName(name suins.Name, r *Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	setName(l, name, r)
}

// ChooseName sets an address's default name. "" removes it.
func (l *Ledger) ChooseName(a sui.Address, name suins.Name) {
	l.mu.Lock()
	defer l.mu.Unlock()
	chooseName(l, a, name)
}

func chooseName(l *Ledger, a sui.Address, name suins.Name) {
	id := suins.Mainnet.ReverseID(a)
	if name == "" {
		l.remove(id)
		return
	}
	putField(l, &Object{
		ID: id, Owner: sui.Owner{Kind: sui.OwnerObject, Address: suins.Mainnet.Reverse}, Type: suins.Mainnet.ReverseType(),
		Contents: domain(bcs.Bytes(nil).Raw(id[:]).Raw(a[:]), name),
	})
}

// domain writes the labels of a name, last first.
func domain(b bcs.Bytes, name suins.Name) bcs.Bytes {
	labels := strings.Split(string(name), ".")
	slices.Reverse(labels)
	b = b.Uleb(len(labels))
	for _, label := range labels {
		b = b.Text(label)
	}
	return b
}

// putField replaces an object owned by a table. It does not count as a new object, so ids of later
// coins in a fixed genesis do not change.
func putField(l *Ledger, o *Object) {
	o.Version = 1
	if before := l.objects[o.ID]; before != nil {
		o.Version = before.Version + 1
	}
	o.Previous = bcs.Hash("say-ur-intent/sandbox/field", bcs.Bytes(nil).Raw(o.ID[:]).U64(o.Version))
	l.put(o.seal())
}

func setName(l *Ledger, name suins.Name, r *Record) {
	id := suins.Mainnet.RecordID(name)
	if r == nil {
		l.remove(id)
		return
	}
	b := domain(bcs.Bytes(nil).Raw(id[:]), name)
	expires := uint64(0)
	if !r.Expires.IsZero() {
		expires = uint64(r.Expires.UnixMilli())
	}
	b = b.Raw(r.Holder[:]).U64(expires).Bool(!r.Target.IsZero())
	if !r.Target.IsZero() {
		b = b.Raw(r.Target[:])
	}
	putField(l, &Object{
		ID: id, Owner: sui.Owner{Kind: sui.OwnerObject, Address: suins.Mainnet.Table},
		Type: suins.Mainnet.RecordType(), Contents: b.Uleb(1).Text("walrus_site_id").Text("0x1"),
	})
}

// Alias permits other keys to sign for an account.
func (l *Ledger) Alias(owner sui.Address, keys ...sui.Address) sui.ObjectID {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	source := elsewhere(l, "aliased")
	id := derivedID(source, 0)
	b := bcs.Bytes(nil).Raw(id[:]).Uleb(len(keys) + 1).Raw(owner[:])
	for _, key := range keys {
		b = b.Raw(key[:])
	}
	l.put((&Object{ID: id, Version: 1, Owner: addressOwner(owner),
		Type:     sui.MustTypeTag("0x2::address_alias::AddressAliases"),
		Contents: b, Previous: source}).seal())
	appendCheckpoint(l, now, nil)
	return id
}
