// Package registry is the pinned table of DeepBook's mainnet packages and pools, with lookups. Its
// coins are those of package coins.
//
// It reads nothing from the chain. The table does not list all DeepBook pools, and implies nothing
// about liquidity.
package registry

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Pool is one pinned pool. If InitialSharedVersion is 0, the table does not contain it, and it must be
// read from the object's owner.
type Pool struct {
	Key                  string
	ID                   sui.ObjectID
	Base, Quote          coins.Coin
	InitialSharedVersion uint64
	Observed             Observed
}

// Observed holds a pool's book parameters at a past checkpoint, in raw units. An administrator can
// change them, so use them only to build test books. The zero value means that they are unknown.
type Observed struct {
	Checkpoint, Tick, Lot, Min uint64
}

// PriceDecimals is the number of decimals of a raw price: raw / 10^(9 - base decimals + quote
// decimals) is the price in quote coins per base coin.
func (p Pool) PriceDecimals() uint8 { return 9 + p.Quote.Decimals - p.Base.Decimals }

// Type returns the canonical type of the pool object.
func (p Pool) Type() string {
	return sui.StructTag{
		Address: OriginalPackage, Module: "pool", Name: "Pool",
		Params: []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()},
	}.String()
}

// Has reports whether the pool trades the coin.
func (p Pool) Has(t sui.CoinType) bool { return p.Base.Type == t || p.Quote.Type == t }

// Package is one published package of DeepBook. Number is its position in the publication history.
// Version is the constant that must be among a pool's allowed versions. The two differ for package 7.
type Package struct {
	Number  uint64
	Version uint64
	ID      sui.ObjectID
}

// Direction determines which coin of a pool is paid.
type Direction string

// The two directions.
const (
	BaseToQuote Direction = "base_to_quote"
	QuoteToBase Direction = "quote_to_base"
)

// Sides returns the coin paid and the coin received in direction d. It returns fault.InputInvalid for
// an unknown direction.
func (p Pool) Sides(d Direction) (in, out coins.Coin, err error) {
	switch d {
	case BaseToQuote:
		return p.Base, p.Quote, nil
	case QuoteToBase:
		return p.Quote, p.Base, nil
	}
	return coins.Coin{}, coins.Coin{}, fault.New(fault.InputInvalid,
		"The direction must be %s or %s.", BaseToQuote, QuoteToBase)
}

type packageRow struct {
	number, version uint64
	id              string
}

type poolRow struct {
	key, id, base, quote string
	version              uint64
	observed             Observed
}

// table is the validated form of the rows.
type table struct {
	packages []Package
	pools    []Pool
}

// pinned is empty if the rows violate an invariant. Then every lookup misses, and Check returns the
// reason.
var pinned, errPinned = build(packageRows, coins.BySymbol, poolRows)

// Check returns fault.InternalError if the pinned rows, including those of the coins, violate an
// invariant. Tools call it before they answer.
func Check() error { return errPinned }

func build(packages []packageRow, coin func(symbol string) (coins.Coin, bool), pools []poolRow) (table, error) {
	var t table
	if err := coins.Check(); err != nil {
		return t, err
	}
	for _, r := range packages {
		id, err := sui.ParseAddress(r.id)
		if err != nil {
			return table{}, err
		}
		t.packages = append(t.packages, Package{r.number, r.version, id})
	}
	for _, r := range pools {
		id, err := sui.ParseAddress(r.id)
		if err != nil {
			return table{}, err
		}
		base, known := coin(r.base)
		quote, both := coin(r.quote)
		if !known || !both || base.Decimals > 9+quote.Decimals {
			return table{}, fault.New(fault.InternalError, "The pinned pool %s has coins with too many decimals for the "+
				"table.", r.key)
		}
		t.pools = append(t.pools, Pool{r.key, id, base, quote, r.version, r.observed})
	}
	return t, nil
}

// Packages lists the published packages, newest first.
func Packages() []Package { return slices.Clone(pinned.packages) }

// Pools lists the pinned pools, in the order of the npm package.
func Pools() []Pool { return slices.Clone(pinned.pools) }

// PoolByKey finds a pool by its key, for example SUI_USDC. If there is no exact match, case is ignored,
// provided that the result is unambiguous.
func PoolByKey(key string) (Pool, bool) {
	return coins.Match(pinned.pools, key, func(p Pool) string { return p.Key })
}

// PoolByID finds a pool by its object id.
func PoolByID(id sui.ObjectID) (Pool, bool) {
	i := slices.IndexFunc(pinned.pools, func(p Pool) bool { return p.ID == id })
	if i < 0 {
		return Pool{}, false
	}
	return pinned.pools[i], true
}

// PoolsOf lists the pools that trade the coin, in table order.
func PoolsOf(t sui.CoinType) []Pool {
	var out []Pool
	for _, p := range pinned.pools {
		if p.Has(t) {
			out = append(out, p)
		}
	}
	return out
}
