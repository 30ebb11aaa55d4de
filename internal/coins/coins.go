// Package coins is the pinned table of coins: type, symbol and decimals. Coins do not belong to
// protocols; protocols list the coins that they trade.
//
// It does not read the chain. A coin that is missing here may exist, and a listed coin may have no
// value.
package coins

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Coin is a pinned coin. Symbol is the key in the table: two coins may have the same economic name,
// so show the Type with it. Scalar is the number of raw units per whole coin, which determines
// Decimals.
type Coin struct {
	Symbol   string
	Type     sui.CoinType
	Scalar   uint64
	Decimals uint8
}

type row struct {
	symbol string
	kind   sui.CoinType
	scalar uint64
}

// pinned is empty if the rows violate an invariant. Then every lookup fails, and Check returns the
// reason.
var pinned, errPinned = build(rows)

// Check reports whether the pinned rows satisfy the invariants, in particular that each coin's
// scalar is a power of ten. Tools that show decimals call it and fail closed with its
// fault.InternalError.
func Check() error { return errPinned }

// Decimals returns the exponent of a scalar that is a power of ten. Any other
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

func build(rows []row) ([]Coin, error) {
	var list []Coin
	for _, r := range rows {
		decimals, err := Decimals(r.scalar)
		if err != nil {
			return nil, err
		}
		canonical, err := sui.ParseCoinType(string(r.kind))
		if err != nil || canonical != r.kind {
			return nil, fault.New(fault.InternalError, "The pinned type of %s is not in canonical form.", r.symbol)
		}
		list = append(list, Coin{r.symbol, r.kind, r.scalar, decimals})
	}
	return list, nil
}

// All lists the pinned coins in the order of the table.
func All() []Coin { return slices.Clone(pinned) }

// Symbols lists the symbols of the pinned coins in table order. Package screen checks names that
// resemble one of them.
func Symbols() []string {
	list := make([]string, len(pinned))
	for i, c := range pinned {
		list[i] = c.Symbol
	}
	return list
}

// BySymbol finds a coin by its symbol: exactly, or ignoring case if that is unambiguous.
func BySymbol(symbol string) (Coin, bool) {
	return Match(pinned, symbol, func(c Coin) string { return c.Symbol })
}

// ByType finds a coin by its canonical type.
func ByType(t sui.CoinType) (Coin, bool) {
	i := slices.IndexFunc(pinned, func(c Coin) bool { return c.Type == t })
	if i < 0 {
		return Coin{}, false
	}
	return pinned[i], true
}

// Name returns the symbol and decimals of a pinned coin. It is a sui.CoinNames.
func Name(t sui.CoinType) (symbol string, decimals uint8, ok bool) {
	c, ok := ByType(t)
	return c.Symbol, c.Decimals, ok
}

// Find finds a coin by symbol, or by type if the text contains "::". It returns fault.RegistryMiss
// for an unknown coin, naming similar symbols or, if there are none, all of them; and
// fault.InputInvalid for an invalid type.
func Find(name string) (Coin, error) {
	if err := Check(); err != nil {
		return Coin{}, err
	}
	if !strings.Contains(name, "::") {
		if c, ok := BySymbol(name); ok {
			return c, nil
		}
		return Coin{}, Miss("coin", name, Symbols())
	}
	t, err := sui.ParseCoinType(name)
	if err != nil {
		return Coin{}, err
	}
	if c, ok := ByType(t); ok {
		return c, nil
	}
	return Coin{}, Miss("coin", name, Symbols())
}
