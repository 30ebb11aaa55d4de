package ledger

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Manager describes a balance manager for OpenManager. Caps go to the given addresses. A zero address
// gets none. An ID in use is an error.
type Manager struct {
	ID                            sui.ObjectID // zero means generated
	InitialVersion                uint64       // as a shared object; 0 means generated
	Owner                         sui.Address
	Maker                         sui.Address // sender of the creating transaction; zero means the owner
	Registered                    bool        // listed in DeepBook's registry under its owner
	Trader, Depositor, Withdrawer sui.Address
	Deposits                      []Deposit
	Orders                        []RestingOrder
}

// Deposit is an amount of a coin for a manager, in raw units.
type Deposit struct {
	Coin   sui.CoinType
	Amount uint64
}

// RestingOrder is a manager's order in a pool's book, paid from its deposits. Price and Quantity
// are raw; Expire is in Unix milliseconds, 0 for never.
type RestingOrder struct {
	Pool                              string
	IsBid                             bool
	Price, Quantity, Expire, ClientID uint64
}

// managerVersion is the initial shared version of the first manager.
const managerVersion = 710_000_001

// manager is the state of a BalanceManager object.
type manager struct {
	owner    sui.Address
	balances map[sui.CoinType]uint64
	caps     []sui.ObjectID
}

// OpenManager creates a shared DeepBook balance manager with deposits and orders outside of any
// transaction, and returns its id. If the book rejects an order or the deposits do not cover it, it
// returns an error and creates nothing.
func (l *Ledger) OpenManager(m Manager) (sui.ObjectID, error) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	source := bcs.Hash("say-ur-intent/sandbox/manager", binary.LittleEndian.AppendUint64(l.genesis[:], l.made))
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
	pools, err := restOrder(l, id, inner, m.Orders, l.epoch(now).Number, source)
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
		inner.caps = append(inner.caps, held.ID)
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
	l.record(appendCheckpoint(l, now, nil), source, Event{
		Package: registry.Packages()[0].ID, Module: "balance_manager", Sender: maker,
		Type:     registry.EventType("balance_manager", "BalanceManagerEvent"),
		Contents: bcs.Bytes(nil).Raw(id[:]).Raw(m.Owner[:]),
	})
	return id, nil
}

// restOrder puts orders into copies of the books and deducts what they lock from the manager. It returns
// the new versions of the pools.
func restOrder(l *Ledger, id sui.ObjectID, m *manager, orders []RestingOrder, epoch uint64,
	source sui.Digest) (map[string]*Object, error) {
	pools := map[string]*Object{}
	for _, w := range orders {
		o := pools[w.Pool]
		if o == nil {
			before, err := poolByKey(l, w.Pool)
			if err != nil {
				return nil, err
			}
			o = before.next(before.Version+1, source, func(n *Object) { n.Book = n.Book.Clone() })
			pools[w.Pool] = o
		}
		if w.Expire == 0 {
			w.Expire = ^uint64(0)
		}
		locked, err := o.Book.Rest(id, clob.LimitOrder{
			IsBid: w.IsBid, Price: w.Price, Quantity: w.Quantity, Expire: w.Expire, Client: w.ClientID}, epoch)
		if err != nil {
			return nil, err
		}
		coin, amount := o.Book.Base, locked.Base
		if w.IsBid {
			coin, amount = o.Book.Quote, locked.Quote
		}
		if m.balances[coin.Type] < amount {
			return nil, fmt.Errorf("the manager has %d raw %s, the order locks %d", m.balances[coin.Type], coin.Symbol, amount)
		}
		m.balances[coin.Type] -= amount
		o.Vault.Base += locked.Base
		o.Vault.Quote += locked.Quote
	}
	return pools, nil
}

// deepbookType names a type of DeepBook without parameters.
func deepbookType(module, name string) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{Address: registry.OriginalPackage, Module: module,
		Name: name}}
}

// newManager makes the shared BalanceManager object: id, owner, the bag of its balances, and the
// allowed caps.
func newManager(id sui.ObjectID, initial uint64, m *manager, source sui.Digest) *Object {
	o := &Object{
		ID: id, Version: initial, Owner: sharedOwner(initial), Type: deepbookType("balance_manager", "BalanceManager"),
		Transfers: true, Contents: managerContents(id, m), Previous: source, manager: m,
	}
	return o.seal()
}

// managerContents encodes the Move struct of a manager.
func managerContents(id sui.ObjectID, m *manager) []byte {
	bag := bagOf(id)
	contents := bcs.Bytes(nil).Raw(id[:]).Raw(m.owner[:]).Raw(bag[:]).U64(uint64(len(m.balances))).Uleb(len(m.caps))
	for _, c := range m.caps {
		contents = contents.Raw(c[:])
	}
	return contents
}

// newCap makes a TradeCap, DepositCap or WithdrawCap: its id and its manager's id.
func newCap(id sui.ObjectID, name string, holder sui.Address, of sui.ObjectID, source sui.Digest) *Object {
	o := &Object{
		ID: id, Version: 1, Owner: addressOwner(holder), Type: deepbookType("balance_manager", name), Transfers: true,
		Contents: bcs.Bytes(nil).Raw(id[:]).Raw(of[:]), Previous: source,
	}
	return o.seal()
}

// newRegistry makes DeepBook's shared registry: an id and a versioned inner value.
func newRegistry() *Object {
	inner := derivedID(bcs.Hash("say-ur-intent/sandbox/registry-inner", registry.Object[:]), 0)
	o := &Object{
		ID: registry.Object, Version: registry.ObjectVersion, Owner: sharedOwner(registry.ObjectVersion),
		Type:     deepbookType("registry", "Registry"),
		Contents: bcs.Bytes(nil).Raw(registry.Object[:]).Raw(inner[:]).U64(1),
	}
	return o.seal()
}

// owned lists an address's objects: coins in the order of coins, then others by id.
func (l *Ledger) owned(owner sui.Address) []*Object {
	var rest []*Object
	for _, o := range l.objects {
		if o.Coin == "" && o.ownedBy(owner) {
			rest = append(rest, o)
		}
	}
	slices.SortFunc(rest, func(a, b *Object) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return append(l.coins(owner, ""), rest...)
}

// Abort codes of a balance manager's caps, and their maximum number.
const (
	abortTooManyCaps  = 4
	abortCapNotInList = 5
	mostCaps          = 1000
)

// capFunctions returns the functions that create and revoke caps of a balance manager.
func capFunctions() []Function {
	mint := func(name, cap string) Function {
		return NewFunction("balance_manager", name, 0, []Param{managerMut},
			[]Param{Param(deepbook + "balance_manager::" + cap)},
			func(k *call) *Failure { return mintCap(k, cap) }).from(1)
	}
	return []Function{
		mint("mint_trade_cap", "TradeCap"), mint("mint_deposit_cap", "DepositCap"),
		mint("mint_withdraw_cap", "WithdrawCap"),
		NewFunction("balance_manager", "revoke_trade_cap", 0, []Param{managerMut, "&" + idValue}, nil, revokeCap).from(1),
	}
}

// mintCap creates a cap of the owner's manager and adds it to the manager's list.
func mintCap(k *call, name string) *Failure {
	if f := k.owned(); f != nil {
		return f
	}
	m := k.change()
	if len(m.caps) >= mostCaps {
		return MoveAbort(k.pkg, "balance_manager", k.function.Name, abortTooManyCaps)
	}
	t := k.run.newThing(deepbookType("balance_manager", name), k.manager.ID[:], true)
	m.caps = append(slices.Clone(m.caps), t.id)
	k.out = append(k.out, &slot{thing: t, typ: t.typ.String()})
	return nil
}

// revokeCap removes a cap of any kind from the list. The holder keeps the object.
func revokeCap(k *call) *Failure {
	if f := k.owned(); f != nil {
		return f
	}
	m := k.change()
	i := slices.Index(m.caps, k.Address(1))
	//mutant:never ./internal/sandbox TestCapsMintedAndRevoked
	if i < 0 {
		return MoveAbort(k.pkg, "balance_manager", k.function.Name, abortCapNotInList)
	}
	m.caps = slices.Delete(slices.Clone(m.caps), i, i+1)
	return nil
}
