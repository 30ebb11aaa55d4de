// Package registry is the pinned table of DeepBook's mainnet packages, coins
// and pools: pure data and lookups.
//
// It reads nothing from the chain. The table is no list of all coins or pools
// of Sui, and says nothing about liquidity.
package registry

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Coin is one pinned coin. Symbol is the pinned package's key: two coins may
// have the same economic name, so show the Type beside it. Scalar is the
// number of raw units of one whole coin, and Decimals follows from it.
type Coin struct {
	Symbol   string
	Type     sui.CoinType
	Scalar   uint64
	Decimals uint8
}

// Pool is one pinned pool. InitialSharedVersion is 0 where the table does not
// know it: then the object's owner must be read once.
type Pool struct {
	Key                  string
	ID                   sui.ObjectID
	Base, Quote          Coin
	InitialSharedVersion uint64
	Observed             Observed
}

// Observed is what a past checkpoint showed of a pool's book, in raw units.
// An administrator can change it: it is good for shaping test books, not for
// answers. The zero value means that no checkpoint showed it.
type Observed struct {
	Checkpoint, Tick, Lot, Min uint64
}

// PriceDecimals is by how many places the point of a raw price moves to give
// quote coins per base coin: raw / 10^(9 - base decimals + quote decimals).
func (p Pool) PriceDecimals() uint8 { return 9 + p.Quote.Decimals - p.Base.Decimals }

// Type gives the canonical type text of the pool object.
func (p Pool) Type() string {
	return sui.StructTag{
		Address: OriginalPackage, Module: "pool", Name: "Pool",
		Params: []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()},
	}.String()
}

// Has reports whether the coin type is one of the pool's two.
func (p Pool) Has(t sui.CoinType) bool { return p.Base.Type == t || p.Quote.Type == t }

// Package is one published package of DeepBook. Number is its place in the
// history, Version the constant that a pool's allowed versions are compared
// with: the two differ for package 7.
type Package struct {
	Number  uint64
	Version uint64
	ID      sui.ObjectID
}

// Direction says which coin of a pool is paid.
type Direction string

// The two directions.
const (
	BaseToQuote Direction = "base_to_quote"
	QuoteToBase Direction = "quote_to_base"
)

// Sides gives the coin paid and the coin received in direction d. A direction
// that is neither is fault.InputInvalid.
func (p Pool) Sides(d Direction) (in, out Coin, err error) {
	switch d {
	case BaseToQuote:
		return p.Base, p.Quote, nil
	case QuoteToBase:
		return p.Quote, p.Base, nil
	}
	return Coin{}, Coin{}, fault.New(fault.InputInvalid,
		"The direction is %s or %s.", BaseToQuote, QuoteToBase)
}

type packageRow struct {
	number, version uint64
	id              string
}

type coinRow struct {
	symbol string
	kind   sui.CoinType
	scalar uint64
}

type poolRow struct {
	key, id, base, quote string
	version              uint64
	observed             Observed
}

// table is the checked form of the rows.
type table struct {
	packages []Package
	coins    []Coin
	pools    []Pool
}

// pinned is empty when the rows break an invariant: then every lookup misses
// and Check says why.
var pinned, errPinned = build(packageRows, coinRows, poolRows)

// Check reports whether the pinned rows hold what every answer rests on; above
// all, that each coin's scalar is a power of ten. Tools that show decimals call
// it and fail closed with its fault.InternalError.
func Check() error { return errPinned }

// Decimals gives the exponent of a scalar that is a power of ten. Any other
// scalar is an error: decimals are never guessed.
func Decimals(scalar uint64) (uint8, error) {
	n := uint8(0)
	for s := scalar; s != 1; s /= 10 {
		if s == 0 || s%10 != 0 {
			return 0, fault.New(fault.InternalError,
				"The pinned unit scalar %d is not a power of ten, so no decimals can be derived from it.", scalar)
		}
		n++
	}
	return n, nil
}

func build(packages []packageRow, coins []coinRow, pools []poolRow) (table, error) {
	var t table
	for _, r := range packages {
		id, err := sui.ParseAddress(r.id)
		if err != nil {
			return table{}, err
		}
		t.packages = append(t.packages, Package{r.number, r.version, id})
	}
	for _, r := range coins {
		decimals, err := Decimals(r.scalar)
		if err != nil {
			return table{}, err
		}
		canonical, err := sui.ParseCoinType(string(r.kind))
		if err != nil || canonical != r.kind {
			return table{}, fault.New(fault.InternalError, "The pinned type of %s is not in canonical form.", r.symbol)
		}
		t.coins = append(t.coins, Coin{r.symbol, r.kind, r.scalar, decimals})
	}
	for _, r := range pools {
		id, err := sui.ParseAddress(r.id)
		if err != nil {
			return table{}, err
		}
		base, quote := t.coinAt(r.base), t.coinAt(r.quote)
		if base < 0 || quote < 0 || t.coins[base].Decimals > 9+t.coins[quote].Decimals {
			return table{}, fault.New(fault.InternalError, "The pinned pool %s names coins that the table cannot carry.", r.key)
		}
		t.pools = append(t.pools, Pool{r.key, id, t.coins[base], t.coins[quote], r.version, r.observed})
	}
	return t, nil
}

func (t table) coinAt(symbol string) int {
	return slices.IndexFunc(t.coins, func(c Coin) bool { return c.Symbol == symbol })
}

// Packages lists the published packages, newest first.
func Packages() []Package { return slices.Clone(pinned.packages) }

// Coins lists the pinned coins in the order of the pinned package.
func Coins() []Coin { return slices.Clone(pinned.coins) }

// Pools lists the pinned pools in the order of the pinned package.
func Pools() []Pool { return slices.Clone(pinned.pools) }

// PoolByKey finds a pool by its key, for example SUI_USDC: exactly, else
// without regard to case where that is unambiguous.
func PoolByKey(key string) (Pool, bool) {
	return match(pinned.pools, key, func(p Pool) string { return p.Key })
}

// PoolByID finds a pool by its object id.
func PoolByID(id sui.ObjectID) (Pool, bool) {
	i := slices.IndexFunc(pinned.pools, func(p Pool) bool { return p.ID == id })
	if i < 0 {
		return Pool{}, false
	}
	return pinned.pools[i], true
}

// CoinBySymbol finds a coin by its symbol: exactly, else without regard to case
// where that is unambiguous.
func CoinBySymbol(symbol string) (Coin, bool) {
	return match(pinned.coins, symbol, func(c Coin) string { return c.Symbol })
}

// CoinByType finds a coin by its canonical type.
func CoinByType(t sui.CoinType) (Coin, bool) {
	i := slices.IndexFunc(pinned.coins, func(c Coin) bool { return c.Type == t })
	if i < 0 {
		return Coin{}, false
	}
	return pinned.coins[i], true
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

// match prefers the exact name and takes another spelling only when it is the
// sole candidate.
func match[T any](rows []T, name string, of func(T) string) (T, bool) {
	var found T
	hits := 0
	for _, r := range rows {
		if of(r) == name {
			return r, true
		}
		if strings.EqualFold(of(r), name) {
			found = r
			hits++
		}
	}
	if hits != 1 {
		var none T
		return none, false
	}
	return found, true
}
