package sandbox

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Manager says what balance manager OpenManager makes. The caps go to the
// addresses that are named; a zero address gets none. An ID that is in use is an
// error.
type Manager struct {
	ID                            sui.ObjectID // zero: made up
	InitialVersion                uint64       // as a shared object; 0: made up
	Owner                         sui.Address
	Maker                         sui.Address // sent the transaction that made it; zero: the owner
	Registered                    bool        // DeepBook's registry lists it under its owner
	Trader, Depositor, Withdrawer sui.Address
	Deposits                      []Deposit
	Orders                        []RestingOrder
}

// Deposit is an amount of a coin that goes into a manager, in raw units.
type Deposit struct {
	Coin   sui.CoinType
	Amount uint64
}

// RestingOrder is an order that a manager has in the book of a pool, paid out of
// its deposits. Price and Quantity are raw; Expire is in Unix milliseconds, 0
// for never.
type RestingOrder struct {
	Pool                              string
	IsBid                             bool
	Price, Quantity, Expire, ClientID uint64
}

// managerVersion is the initial shared version of the first manager.
const managerVersion = 710_000_001

// manager is the inside of a BalanceManager object.
type manager struct {
	owner    sui.Address
	balances map[sui.CoinType]uint64
	caps     []sui.ObjectID
}

// OpenManager makes a shared DeepBook balance manager with deposits and orders,
// outside of any transaction, and gives its id. Orders that the book does not
// take, or that the deposits do not cover, are an error, and nothing is made.
func (l *ledger) OpenManager(m Manager) (sui.ObjectID, error) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	source := hash("say-ur-intent/sandbox/manager", binary.LittleEndian.AppendUint64(l.genesis[:], l.made))
	id := derivedID(source, 0)
	if !m.ID.IsZero() {
		id = m.ID
	}
	if l.objects[id] != nil {
		return sui.ObjectID{}, fmt.Errorf("there is an object %s", id)
	}
	inner := &manager{owner: m.Owner, balances: map[sui.CoinType]uint64{}}
	for _, d := range m.Deposits {
		inner.balances[d.Coin] += d.Amount
	}
	pools, err := l.rest(id, inner, m.Orders, l.epoch(now).number, source)
	if err != nil {
		return sui.ObjectID{}, err
	}
	for i, c := range []struct {
		name   string
		holder sui.Address
	}{{"TradeCap", m.Trader}, {"DepositCap", m.Depositor}, {"WithdrawCap", m.Withdrawer}} {
		if c.holder.IsZero() {
			continue
		}
		held := newCap(derivedID(source, uint64(i+1)), c.name, c.holder, id, source)
		inner.caps = append(inner.caps, held.id)
		l.put(held)
	}
	for _, o := range pools {
		l.put(o)
	}
	initial := managerVersion + l.made
	if m.InitialVersion > 0 {
		initial = m.InitialVersion
	}
	l.put(newManager(id, initial, inner, source))
	if m.Registered {
		l.managers[m.Owner] = append(l.managers[m.Owner], id)
	}
	maker := m.Maker
	if maker.IsZero() {
		maker = m.Owner
	}
	l.note(l.appendCheckpoint(now, nil), source, event{
		pkg: registry.Packages()[0].ID, module: "balance_manager", sender: maker,
		typ: registry.EventType("balance_manager", "BalanceManagerEvent"), contents: bcsBytes(nil).raw(id[:]).raw(m.Owner[:]),
	})
	return id, nil
}

// rest puts orders into copies of the books, and takes what they lock out of the
// manager. It gives the new versions of the pools.
func (l *ledger) rest(id sui.ObjectID, m *manager, orders []RestingOrder, epoch uint64, source sui.Digest) (map[string]*object, error) {
	pools := map[string]*object{}
	for _, w := range orders {
		o := pools[w.Pool]
		if o == nil {
			before, err := l.poolByKey(w.Pool)
			if err != nil {
				return nil, err
			}
			o = before.next(before.version+1, source, func(n *object) { n.pool = n.pool.Clone() })
			pools[w.Pool] = o
		}
		if w.Expire == 0 {
			w.Expire = ^uint64(0)
		}
		locked, err := o.pool.Rest(id, clob.Wish{
			IsBid: w.IsBid, Price: w.Price, Quantity: w.Quantity, Expire: w.Expire, Client: w.ClientID}, epoch)
		if err != nil {
			return nil, err
		}
		coin, amount := o.pool.Base, locked.Base
		if w.IsBid {
			coin, amount = o.pool.Quote, locked.Quote
		}
		if m.balances[coin.Type] < amount {
			return nil, fmt.Errorf("the manager has %d raw %s, the order locks %d", m.balances[coin.Type], coin.Symbol, amount)
		}
		m.balances[coin.Type] -= amount
		o.vault.base += locked.Base
		o.vault.quote += locked.Quote
	}
	return pools, nil
}

// deepbookType names a type of DeepBook without parameters.
func deepbookType(module, name string) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{Address: registry.OriginalPackage, Module: module, Name: name}}
}

// newManager makes the shared BalanceManager object: id, owner, the bag of its
// balances, and the caps that are allowed.
func newManager(id sui.ObjectID, initial uint64, m *manager, source sui.Digest) *object {
	o := &object{
		id: id, version: initial, owner: sharedOwner(initial), typ: deepbookType("balance_manager", "BalanceManager"),
		transfers: true, contents: managerContents(id, m), previous: source, manager: m,
	}
	return o.seal()
}

// managerContents is the Move struct of a manager.
func managerContents(id sui.ObjectID, m *manager) []byte {
	bag := derivedID(hash("say-ur-intent/sandbox/bag", id[:]), 0)
	contents := bcsBytes(nil).raw(id[:]).raw(m.owner[:]).raw(bag[:]).u64(uint64(len(m.balances))).uleb(len(m.caps))
	for _, c := range m.caps {
		contents = contents.raw(c[:])
	}
	return contents
}

// newCap makes a TradeCap, DepositCap or WithdrawCap: its id and its manager's.
func newCap(id sui.ObjectID, name string, holder sui.Address, of sui.ObjectID, source sui.Digest) *object {
	o := &object{
		id: id, version: 1, owner: addressOwner(holder), typ: deepbookType("balance_manager", name), transfers: true,
		contents: bcsBytes(nil).raw(id[:]).raw(of[:]), previous: source,
	}
	return o.seal()
}

// newRegistry makes DeepBook's shared registry: an id and a versioned inner
// value.
func newRegistry() *object {
	inner := derivedID(hash("say-ur-intent/sandbox/registry-inner", registry.Object[:]), 0)
	o := &object{
		id: registry.Object, version: registry.ObjectVersion, owner: sharedOwner(registry.ObjectVersion),
		typ:      deepbookType("registry", "Registry"),
		contents: bcsBytes(nil).raw(registry.Object[:]).raw(inner[:]).u64(1),
	}
	return o.seal()
}

// owned lists what an address owns: coins as coins lists them, then what is no
// coin, by id.
func (l *ledger) owned(owner sui.Address) []*object {
	var rest []*object
	for _, o := range l.objects {
		if o.coin == "" && o.ownedBy(owner) {
			rest = append(rest, o)
		}
	}
	slices.SortFunc(rest, func(a, b *object) int { return compareText(string(a.id[:]), string(b.id[:])) })
	return append(l.coins(owner, ""), rest...)
}
