package sandbox

import (
	"encoding/binary"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clmm"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// flowxVersion is the constant of the newest FlowX package, which the Versioned
// object has to name.
const flowxVersion = 6

// flowxType names a type of FlowX's CLMM without parameters.
func flowxType(module, name string) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{Address: registry.OriginalPackage, Module: module, Name: name}}
}

// middlePrice is USDC per SUI in raw units, from the order book, so that the two
// venues agree.
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

// putFlowx puts FlowX's shared objects and pools into the ledger: each pool
// belongs to a dynamic field of the pool registry.
func (l *ledger) putFlowx(middle *big.Rat) error {
	pools := clmm.Generate(middle)
	table := derivedID(hash("say-ur-intent/sandbox/flowx-fees", registry.Object[:]), 0)
	l.put((&object{
		id: registry.Object, version: registry.ObjectVersion, owner: sharedOwner(registry.ObjectVersion), transfers: true,
		typ:      flowxType("pool_manager", "PoolRegistry"),
		contents: bcsBytes(nil).raw(registry.Object[:]).raw(table[:]).u64(uint64(len(pools))).u64(uint64(len(pools))),
	}).seal())
	l.put((&object{
		id: registry.Versioned, version: registry.VersionedVersion, owner: sharedOwner(registry.VersionedVersion), transfers: true,
		typ: flowxType("versioned", "Versioned"), contents: bcsBytes(nil).raw(registry.Versioned[:]).u64(flowxVersion),
	}).seal())
	for _, p := range pools {
		field, err := newFlowxField(p)
		if err != nil {
			return err
		}
		l.put(field)
		l.put(newFlowxPool(p))
	}
	return nil
}

// newFlowxField is the dynamic field that leads from the registry to a pool.
func newFlowxField(p *clmm.Pool) (*object, error) {
	typ, err := sui.ParseTypeTag("0x2::dynamic_field::Field<" + registry.KeyType().String() + ",0x2::object::ID>")
	if err != nil {
		return nil, err
	}
	o := &object{
		id: p.Field, version: registry.ObjectVersion, owner: sui.Owner{Kind: sui.OwnerObject, Address: registry.Object},
		typ: typ, contents: bcsBytes(nil).raw(p.Field[:]).raw(p.KeyBytes()).raw(p.ID[:]),
	}
	return o.seal(), nil
}

func newFlowxPool(p *clmm.Pool) *object {
	o := &object{
		id: p.ID, version: registry.ObjectVersion, owner: sui.Owner{Kind: sui.OwnerObject, Address: p.Field},
		typ: sui.MustTypeTag(p.Type()), transfers: true, clmm: p, contents: flowxContents(p),
	}
	return o.seal()
}

// flowxContents is a Pool's BCS: id, coin types, price, tick, oracle counters,
// tick spacing, fees and what follows. Fee growth, oracle and tables are empty.
func flowxContents(p *clmm.Pool) bcsBytes {
	zero := new(big.Int)
	ticks := derivedID(hash("say-ur-intent/sandbox/flowx-ticks", p.ID[:]), 0)
	words := derivedID(hash("say-ur-intent/sandbox/flowx-ticks", p.ID[:]), 1)
	b := bcsBytes(nil).raw(p.ID[:]).text(registry.TypeName(p.X.Type)).text(registry.TypeName(p.Y.Type)).u128(p.Price)
	b = b.u32(uint32(p.Tick)).u64(0).u64(1).u64(1).u32(p.TickSpacing).u128(zero).u64(0).u64(p.Fee)
	b = b.u128(zero).u128(zero).u64(0).u64(0).u128(p.Liquidity)
	b = b.raw(ticks[:]).u64(uint64(len(p.Ticks))).raw(words[:]).u64(0)
	return b.uleb(0).bool(false).uleb(0).u64(p.ReserveX).u64(p.ReserveY)
}

func (b bcsBytes) u32(n uint32) bcsBytes { return binary.LittleEndian.AppendUint32(b, n) }

func (b bcsBytes) u128(n *big.Int) bcsBytes {
	high := new(big.Int).Rsh(n, 64)
	return b.u64(new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64()).u64(high.Uint64())
}

// FlowxPools lists FlowX's pools as they are.
func (l *ledger) FlowxPools() []*clmm.Pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []*clmm.Pool{}
	for _, pinned := range registry.Pools() {
		if o := l.objects[pinned.ID]; o != nil && o.clmm != nil {
			list = append(list, o.clmm.Clone())
		}
	}
	return list
}

// shiftFlowx moves the price of the pool of that key; false means that there is
// none.
func (l *ledger) shiftFlowx(key string, basisPoints int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, pinned := range registry.Pools() {
		if o := l.objects[pinned.ID]; pinned.Key() == key && o != nil {
			source := l.elsewhere("shifted")
			// Whoever moved the price took the pool registry, which is never behind.
			shared := l.objects[registry.Object]
			l.put(shared.next(shared.version+1, source, nil))
			l.put(o.next(shared.version+1, source, func(n *object) {
				n.clmm = n.clmm.Shift(basisPoints)
				n.contents = flowxContents(n.clmm)
			}))
			return true
		}
	}
	return false
}
