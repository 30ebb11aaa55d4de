// Package registry is the pinned table of FlowX's CLMM on mainnet, with lookups: its packages and
// shared objects, and every pool of each supported pair.
//
// It reads nothing from the chain. The table does not rank pools, and implies nothing about liquidity.
package registry

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// FeeDenominator is the unit of fees: a fee of 500 means 500/FeeDenominator of the amount.
const FeeDenominator uint64 = 1_000_000

// maxNamed limits how much of an unknown name an error repeats.
const maxNamed = 60

// Pool is one pinned pool. X and Y are in the chain's order, by type name. Fee is in units of
// 1/FeeDenominator. Field is the dynamic field of Object that owns the pool; the pool itself is not a
// shared object.
type Pool struct {
	X, Y        coins.Coin
	Fee         uint64
	TickSpacing uint32
	ID          sui.ObjectID
	Field       sui.ObjectID
}

// Key returns the pool's name for display, such as SUI_USDC_500.
func (p Pool) Key() string {
	return p.X.Symbol + "_" + p.Y.Symbol + "_" + strconv.FormatUint(p.Fee, 10)
}

// Sells reports the direction of a swap that pays the coin in: true means that X is paid for Y.
func (p Pool) Sells(in coins.Coin) bool { return p.X.Type == in.Type }

// Type returns the canonical type of the pool object.
func (p Pool) Type() string {
	return sui.StructTag{
		Address: OriginalPackage, Module: "pool", Name: "Pool", Params: []sui.TypeTag{p.X.Type.Tag(), p.Y.Type.Tag()},
	}.String()
}

// KeyType returns the type of the keys of Object's dynamic fields, which contain the pools.
func KeyType() sui.TypeTag {
	return sui.MustTypeTag("0x2::dynamic_object_field::Wrapper<" + OriginalPackage.String() + "::pool_manager::PoolDfKey>")
}

// KeyBytes returns the BCS of the dynamic field's key: both type names without 0x, then the fee.
func (p Pool) KeyBytes() []byte {
	var out []byte
	for _, t := range []sui.CoinType{p.X.Type, p.Y.Type} {
		name := TypeName(t)
		out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
	}
	return binary.LittleEndian.AppendUint64(out, p.Fee)
}

// TypeName returns a coin type as Move's type_name formats it, with 64-digit addresses without 0x.
func TypeName(t sui.CoinType) string { return strings.TrimPrefix(string(t), "0x") }

type poolRow struct {
	x, y      string
	fee       uint64
	spacing   uint32
	id, field string
}

type table struct {
	coins []coins.Coin // those in at least one pool
	pools []Pool
}

// pinned is empty if the rows violate an invariant. Then every lookup misses, and Check returns the
// reason.
var pinned, errPinned = build(coins.BySymbol, poolRows)

// Check returns fault.InternalError if the pinned rows violate an invariant: types are canonical, X
// sorts before Y, and each pool's field is derived from its key. Tools call it before they answer.
func Check() error { return errPinned }

func build(coin func(symbol string) (coins.Coin, bool), pools []poolRow) (table, error) {
	var t table
	for _, r := range pools {
		p := Pool{Fee: r.fee, TickSpacing: r.spacing}
		var xOK, yOK bool
		p.X, xOK = coin(r.x)
		p.Y, yOK = coin(r.y)
		var err error
		if p.ID, err = sui.ParseAddress(r.id); err != nil {
			return table{}, err
		}
		if p.Field, err = sui.ParseAddress(r.field); err != nil {
			return table{}, err
		}
		derived, err := sui.DynamicFieldID(Object, KeyType(), p.KeyBytes())
		if err != nil {
			return table{}, err
		}
		if !xOK || !yOK || TypeName(p.X.Type) >= TypeName(p.Y.Type) || p.Fee >= FeeDenominator || derived != p.Field ||
			t.has(p) {
			return table{}, broken("pool", p.Key())
		}
		t.pools = append(t.pools, p)
		for _, c := range []coins.Coin{p.X, p.Y} {
			if !slices.Contains(t.coins, c) {
				t.coins = append(t.coins, c)
			}
		}
	}
	return t, nil
}

func broken(what, name string) error {
	return fault.New(fault.InternalError, "The pinned %s %s of FlowX contradicts the rest of the table.", what, name)
}

func (t table) has(p Pool) bool {
	return slices.ContainsFunc(t.pools, func(q Pool) bool { return q.ID == p.ID || q.Field == p.Field })
}

// Coins lists the pinned coins that at least one pool trades.
func Coins() []coins.Coin { return slices.Clone(pinned.coins) }

// Pools lists the pinned pools, grouped by pair and sorted by fee within a pair. The order is not a
// ranking.
func Pools() []Pool { return slices.Clone(pinned.pools) }

// PoolByID finds a pool by its object id.
func PoolByID(id sui.ObjectID) (Pool, bool) {
	i := slices.IndexFunc(pinned.pools, func(p Pool) bool { return p.ID == id })
	if i < 0 {
		return Pool{}, false
	}
	return pinned.pools[i], true
}

// FindCoin finds a coin that a pool trades, by symbol in any case, or by type if the name contains
// "::". It returns fault.RegistryMiss with a list of the symbols for an unknown coin, and
// fault.InputInvalid for an invalid type.
func FindCoin(name string) (coins.Coin, error) {
	if err := Check(); err != nil {
		return coins.Coin{}, err
	}
	c, err := coins.Find(name)
	switch {
	case err == nil && slices.Contains(pinned.coins, c):
		return c, nil
	case err != nil && !fault.Is(err, fault.RegistryMiss):
		return coins.Coin{}, err
	}
	symbols := []string{}
	for _, c := range pinned.coins {
		symbols = append(symbols, c.Symbol)
	}
	return coins.Coin{}, fault.New(fault.RegistryMiss, "There is no pinned FlowX coin %q. Available: %s.",
		fault.Clip(name, maxNamed), strings.Join(symbols, ", ")).WithList("available", symbols)
}

// Between finds every pool that trades from against to. It returns fault.InputInvalid for two equal
// coins, and fault.RegistryMiss for a pair without a pinned pool.
func Between(from, to coins.Coin) ([]Pool, error) {
	if err := Check(); err != nil {
		return nil, err
	}
	if from.Type == to.Type {
		return nil, fault.New(fault.InputInvalid, "A swap needs two different coins; both are %s.", from.Symbol)
	}
	var list []Pool
	for _, p := range pinned.pools {
		if (p.X.Type == from.Type && p.Y.Type == to.Type) || (p.Y.Type == from.Type && p.X.Type == to.Type) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, fault.New(fault.RegistryMiss, "No pinned FlowX pool trades %s directly against %s. Choose another pair.",
			from.Symbol, to.Symbol)
	}
	return list, nil
}

// PoolAt finds the pool of a pair with a fee. The coins may be in either order.
func PoolAt(a, b sui.CoinType, fee uint64) (Pool, bool) {
	i := slices.IndexFunc(pinned.pools, func(p Pool) bool {
		return p.Fee == fee && (p.X.Type == a && p.Y.Type == b || p.X.Type == b && p.Y.Type == a)
	})
	if i < 0 {
		return Pool{}, false
	}
	return pinned.pools[i], true
}

// VersionedInput returns the transaction input for the Versioned object.
func VersionedInput() sui.SharedInput {
	return sui.SharedInput{ID: Versioned, InitialVersion: VersionedVersion}
}
