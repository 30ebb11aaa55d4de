package ledger

import (
	"math/big"
	"net/http"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Program is the simulation of one protocol. The protocol's own directory declares it.
type Program struct {
	Package, Original sui.ObjectID
	Version           uint64         // of Package
	Known             []sui.ObjectID // other existing packages, which cannot be called
	Functions         []Function
	// Genesis places the protocol's objects on a new chain. middle is USDC per SUI in raw units, so
	// that all markets agree.
	Genesis func(l *Ledger, middle *big.Rat) error
	Turn    func(e *Edit)                      // called at the end of an epoch; may be nil
	System  func(l *Ledger, w *pb.SystemState) // adds its part of the system state; may be nil
	// Shift moves the price of the market with that key; it returns false if there is none. It may
	// be nil.
	Shift func(l *Ledger, key string, basisPoints int) bool
	Serve func(mux *http.ServeMux, l *Ledger) // serves the protocol's own servers; may be nil
}

// State is the state of a program's object in addition to its bytes.
type State interface {
	Clone() State
	Contents() bcs.Bytes
}

// NewFunction returns a function that run implements.
func NewFunction(module, name string, types int, params, returns []Param, run func(*Call) *Failure) Function {
	return Function{module: module, Name: name, TypeParams: types, Params: params, Returns: returns, run: run}
}

// from sets the number of the first DeepBook package that has the function.
func (f Function) from(since uint64) Function {
	f.since = since
	return f
}

// AsEntry returns the function as an entry function.
func (f Function) AsEntry() Function {
	f.Entry = true
	return f
}

// Call is a call of a program's function, with its arguments read and checked.
type Call = call

// Types returns the call's type arguments.
func (k *call) Types() []sui.CoinType { return k.types }

// Sender returns the transaction's sender.
func (k *call) Sender() sui.Address { return k.run.tx.Sender }

// NowMs returns the clock's time in milliseconds.
func (k *call) NowMs() uint64 { return uint64(k.run.now.UnixMilli()) }

// Epoch returns the number of the current epoch.
func (k *call) Epoch() uint64 { return k.run.ledger.epoch(k.run.now).Number }

// Give adds a new coin to the results.
func (k *call) Give(t sui.CoinType, balance uint64) {
	k.out = append(k.out, coinResult(k.run.newCoin(t, balance)))
}

// GiveBalance adds a Balance to the results.
func (k *call) GiveBalance(t sui.CoinType, balance uint64) { k.fund(t, balance, false) }

// GivePure adds an encoded value to the results.
func (k *call) GivePure(typ string, b bcs.Bytes) { k.out = append(k.out, &slot{pure: b, typ: typ}) }

// GiveU64 adds a number to the results.
func (k *call) GiveU64(n uint64) { k.GivePure("u64", bcs.Bytes(nil).U64(n)) }

// NewID returns the id of the next object that the transaction creates.
func (k *call) NewID() sui.ObjectID { return k.run.newID() }

// GiveReceipt adds a value with data to the results. Another function must take it, unless drop is
// set.
func (k *call) GiveReceipt(typ string, data any, drop bool) {
	k.out = append(k.out, &slot{typ: sui.MustTypeTag(typ).String(), value: &value{data: data, drop: drop}})
}

// GiveObject adds a new object to the results: its id and the bytes that follow. Any address may
// transfer it.
func (k *call) GiveObject(typ string, rest bcs.Bytes) {
	t := k.run.newThing(sui.MustTypeTag(typ), rest, true)
	k.out = append(k.out, &slot{thing: t, typ: t.typ.String()})
}

// Send sends a new coin to an address.
func (k *call) Send(t sui.CoinType, balance uint64, to sui.Address) {
	c := k.run.newCoin(t, balance)
	c.sent, c.holder = true, to
}

// SendObject sends a new object to an address.
func (k *call) SendObject(typ string, rest bcs.Bytes, to sui.Address) {
	t := k.run.newThing(sui.MustTypeTag(typ), rest, true)
	t.sent, t.holder = true, to
}

// Traded counts the computation of a trade with the given number of orders or ranges.
func (k *call) Traded(fills uint64) { k.run.units += swapUnits + fillUnits*fills }

// Abort returns an abort of the called package.
func (k *call) Abort(module, function string, code uint64) *Failure {
	return MoveAbort(k.pkg, module, function, code)
}

// Broken returns an arithmetic error inside a module.
func (k *call) Broken(module, function string) *Failure {
	return Fail(pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR, "arithmetic error in %s::%s", module, function)
}

// Emit emits an event of the called package.
func (k *call) Emit(module, typ string, contents bcs.Bytes) {
	k.run.events = append(k.run.events, Event{Package: k.pkg, Module: module, Sender: k.Sender(), Type: typ,
		Contents: contents})
}

// State returns the state of a program's object after the commands so far, for modification. It returns
// nil if the object does not exist.
func (k *call) State(id sui.ObjectID) State {
	if k.run.states[id] == nil {
		o := k.run.ledger.objects[id]
		if o == nil || o.state == nil {
			return nil
		}
		k.run.states[id] = o.state.Clone()
	}
	return k.run.states[id]
}

// stateChanges returns programs' objects that a run wrote and that are not inputs.
func (r *run) stateChanges(version uint64) []Change {
	var list []Change
	for id, s := range r.states {
		if slices.ContainsFunc(r.inputs, func(in *slot) bool { return in.shared != nil && in.shared.ID == id }) {
			continue
		}
		before := r.ledger.objects[id]
		list = append(list, Change{id, before, before.next(version, r.digest, func(o *Object) { o.hold(s) })})
	}
	return list
}

// hold sets the object's state.
func (o *Object) hold(s State) { o.state, o.Contents = s, s.Contents() }

// Place puts a program's object on a new chain. s is its state, nil for bytes only.
func (l *Ledger) Place(o Object, s State) {
	if s != nil {
		o.hold(s)
	}
	if o.Previous.IsZero() { // it existed from the beginning
		o.Previous = bcs.Hash("say-ur-intent/sandbox/placed", o.ID[:])
	}
	l.put(o.seal())
}

// Shared returns the owner of an object that has been shared since a version.
func Shared(version uint64) sui.Owner { return sharedOwner(version) }

// DerivedID returns the nth id derived from a word and an object.
func DerivedID(word string, of sui.ObjectID, n uint64) sui.ObjectID {
	return derivedID(bcs.Hash("say-ur-intent/sandbox/"+word, of[:]), n)
}

// Edit is a change of the chain without a transaction: genesis, or the end of an epoch.
type Edit struct {
	ledger *Ledger
	source sui.Digest
	Epoch  uint64 // the new epoch, or the current one
	NowMs  uint64
}

// Edit makes a change whose ids are derived only from a word, so that the ids of objects created
// later do not change.
func (l *Ledger) Edit(word string, change func(*Edit)) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l.edit(word, l.epoch(now).Number, now))
	appendCheckpoint(l, now, nil)
}

func (l *Ledger) edit(word string, epoch uint64, now time.Time) *Edit {
	return &Edit{ledger: l, source: bcs.Hash("say-ur-intent/sandbox/"+word, bcs.Bytes(nil).U64(epoch)), Epoch: epoch,
		NowMs: uint64(max(0, now.UnixMilli()))}
}

// State returns the state of a program's object for modification, or nil if it does not exist.
func (e *Edit) State(id sui.ObjectID) State {
	if o := e.ledger.objects[id]; o != nil && o.state != nil {
		return o.state.Clone()
	}
	return nil
}

// Put sets the state of a program's object. over is the shared object that a transaction would take
// as input to do the same.
func (e *Edit) Put(id, over sui.ObjectID, s State) {
	o, shared := e.ledger.objects[id], e.ledger.objects[over]
	version := max(o.Version, shared.Version) + 1
	if id != over {
		e.ledger.put(shared.next(version, e.source, nil))
	}
	e.ledger.put(o.next(version, e.source, func(n *Object) { n.hold(s) }))
}

// Place puts a new object on the chain.
func (e *Edit) Place(o Object) {
	o.Previous = e.source
	e.ledger.Place(o, nil)
}

// ID returns the nth id derived from the change.
func (e *Edit) ID(n uint64) sui.ObjectID { return derivedID(e.source, n) }

// System lets every program add its part of the system state.
func (l *Ledger) System(w *pb.SystemState) {
	for _, p := range l.programs {
		if p.System != nil {
			p.System(l, w)
		}
	}
}

// State returns a copy of the state of a program's object, or nil if it does not exist.
func (l *Ledger) State(id sui.ObjectID) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.objects[id]; o != nil && o.state != nil {
		return o.state.Clone()
	}
	return nil
}

// Move edits the state of a program's object, as another account's transaction would. over is the
// shared object that such a transaction takes as input.
func (l *Ledger) Move(id, over sui.ObjectID, edit func(State) State) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, e := l.objects[id], Edit{ledger: l, source: elsewhere(l, "shifted")}
	if o == nil || o.state == nil {
		return false
	}
	e.Put(id, over, edit(o.state.Clone()))
	return true
}

// program returns the program of a package, or nil.
func (l *Ledger) program(pkg sui.ObjectID) *Program {
	i := slices.IndexFunc(l.programs, func(p Program) bool { return p.Package == pkg })
	if i < 0 {
		return nil
	}
	return &l.programs[i]
}

// Package returns the first version of a simulated package, and the number of the upgrade with that id.
// ok is false for any other package.
func (l *Ledger) Package(id sui.ObjectID) (original sui.ObjectID, version uint64, ok bool) {
	if p, ok := DeepbookPackage(id); ok {
		return registry.OriginalPackage, p.Number, true
	}
	for _, p := range l.programs {
		switch {
		case p.Package == id:
			return p.Original, p.Version, true
		case p.Original == id, slices.Contains(p.Known, id):
			return id, 1, true
		}
	}
	return id, 1, len(l.Modules(id)) > 0
}

// middlePrice returns USDC per SUI in raw units from the order book, so that all markets agree.
func middlePrice(books []*clob.Pool, now time.Time) *big.Rat {
	for _, b := range books {
		if b.Key != "SUI_USDC" {
			continue
		}
		if mid, stopped := b.MidPrice(uint64(max(0, now.UnixMilli()))); stopped == nil {
			return new(big.Rat).SetFrac(new(big.Int).SetUint64(mid), big.NewInt(priceScale))
		}
	}
	return big.NewRat(12_929, 10_000_000)
}
