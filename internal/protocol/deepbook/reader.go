// Package deepbook reads DeepBook pools by simulation: mid prices, quotes and pool parameters, each
// from one consistent state of the chain.
//
// It trades nothing, caches no prices, and compares no venues. Its results describe the pool at the
// time of the read and promise nothing.
package deepbook

import (
	"context"
	"math/big"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain is the part of a node that the reader uses. Transport failures are fault.ProviderUnavailable. A
// simulation that aborts is a result, not an error.
type Chain interface {
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
}

// Config configures a Reader.
type Config struct {
	Chain Chain
	Now   func() time.Time
}

// Reader reads pools of the pinned registry. It is safe for concurrent use.
type Reader struct {
	chain Chain
	now   func() time.Time

	mu       sync.Mutex
	versions map[sui.ObjectID]uint64 // initial shared versions that the registry lacks
}

// New returns a Reader.
func New(cfg Config) *Reader {
	return &Reader{chain: cfg.Chain, now: cfg.Now, versions: map[sui.ObjectID]uint64{}}
}

// Source describes the origin of a result: the pool, the called package, the epoch as reported by the
// node, and when this machine received the result.
type Source struct {
	Pool    registry.Pool
	Package sui.ObjectID
	Epoch   uint64
	At      time.Time
}

// Mid is the average of a pool's best live ask and bid. Price is in quote coins per base coin and is
// the exact decimal form of Raw.
type Mid struct {
	Source
	Raw      sui.Raw
	Price    sui.Decimal
	Function string // module::name
}

// Parameters are a pool's parameters, set by an administrator. Tick is a raw price. Lot and Min are raw
// base quantities. Fees are billionths of the traded amount. StakeRequired is raw DEEP.
type Parameters struct {
	Source
	Tick, Lot, Min     sui.Raw
	TakerFee, MakerFee sui.Raw
	StakeRequired      sui.Raw
	Whitelisted        bool
}

// MidPrice reads a pool's mid price. It returns fault.QuoteUnavailable for a pool with an empty side or
// a price of zero, and fault.RegistryMiss for an unknown pool.
func (r *Reader) MidPrice(ctx context.Context, poolKey string) (Mid, error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return Mid{}, err
	}
	a, err := r.ask(ctx, pool, 0, midPrice)
	if err != nil {
		return Mid{}, err
	}
	raw := a.price(0, 0)
	if a.err != nil {
		return Mid{}, a.err
	}
	if raw == 0 {
		return Mid{}, fault.New(fault.QuoteUnavailable, "The pool %s has a price of zero.", pool.Key)
	}
	return Mid{Source: a.source, Raw: raw, Price: raw.Decimal(pool.PriceDecimals()), Function: midPrice.name()}, nil
}

// Parameters reads a pool's current parameters.
func (r *Reader) Parameters(ctx context.Context, poolKey string) (Parameters, error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return Parameters{}, err
	}
	a, err := r.ask(ctx, pool, 0, parameterReads[:]...)
	if err != nil {
		return Parameters{}, err
	}
	p := a.parameters(0)
	return p, a.err
}

// DeepPrice is the price of DEEP in a pool: raw DEEP per raw unit of one of its coins, times 10^9. In a
// whitelisted pool PerAsset is 0, and there is no fee.
type DeepPrice struct {
	Source
	AssetIsBase bool
	PerAsset    sui.Raw
}

// DeepPrice reads the price at which the pool takes fees in DEEP now. It returns fault.QuoteUnavailable
// for a pool without one.
func (r *Reader) DeepPrice(ctx context.Context, poolKey string) (DeepPrice, error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return DeepPrice{}, err
	}
	a, err := r.ask(ctx, pool, 0, read{function: "get_order_deep_price"})
	if err != nil {
		return DeepPrice{}, err
	}
	const size = 1 + 8
	b := a.bytes(0, 0, size)
	if b == nil {
		return DeepPrice{}, a.err
	}
	v := &values{rest: b}
	p := DeepPrice{Source: a.source, AssetIsBase: v.flag(), PerAsset: v.raw()}
	if p.PerAsset > mostPrice {
		return DeepPrice{}, a.source.impossible("its price of DEEP is above the maximum")
	}
	return p, v.end()
}

// Fee returns the fee in DEEP for trading base and quote raw units at a rate in billionths, as the pool
// computes it. It returns false if it does not fit.
func (p DeepPrice) Fee(base, quote, rate sui.Raw) (sui.Raw, bool) {
	const scale = 1_000_000_000
	n := new(big.Int).SetUint64(uint64(quote))
	if p.AssetIsBase {
		n.SetUint64(uint64(base))
	}
	for _, by := range []sui.Raw{p.PerAsset, rate} {
		n.Mul(n, new(big.Int).SetUint64(uint64(by))).Div(n, big.NewInt(scale))
	}
	return sui.Raw(n.Uint64()), n.IsUint64()
}

// SharedVersion returns the version at which a pool was shared, which transactions must state. It
// returns fault.RegistryMiss for an unknown pool.
func (r *Reader) SharedVersion(ctx context.Context, poolKey string) (uint64, error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return 0, err
	}
	return r.sharedVersion(ctx, pool)
}

// sharedVersion returns the pool's initial shared version. If it is not in the registry, it is read
// from the object's owner once.
func (r *Reader) sharedVersion(ctx context.Context, pool registry.Pool) (uint64, error) {
	if pool.InitialSharedVersion != 0 {
		return pool.InitialSharedVersion, nil
	}
	r.mu.Lock()
	version := r.versions[pool.ID]
	r.mu.Unlock()
	if version != 0 {
		return version, nil
	}
	objects, err := r.chain.Objects(ctx, []sui.ObjectID{pool.ID})
	if err != nil {
		return 0, err
	}
	if len(objects) != 1 || objects[0].Ref.ID != pool.ID || objects[0].Type != pool.Type() ||
		objects[0].Owner.Kind != sui.OwnerShared || objects[0].Owner.InitialVersion == 0 {
		return 0, fault.New(fault.ProviderMismatch,
			"The node's object for the pool %s is not the shared DeepBook pool that the registry names.", pool.Key)
	}
	version = objects[0].Owner.InitialVersion
	r.mu.Lock()
	r.versions[pool.ID] = version
	r.mu.Unlock()
	return version, nil
}
