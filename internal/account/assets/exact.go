package assets

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// number parses a decimal exactly. It returns zero if d is not a number.
func number(d sui.Decimal) *big.Rat {
	n, ok := new(big.Rat).SetString(string(d))
	if !ok {
		return new(big.Rat)
	}
	return n
}

// decimal formats a non-negative number with at most places decimals. It rounds half up and drops
// trailing zeros.
func decimal(n *big.Rat, places int) sui.Decimal {
	s := n.FloatString(places)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return sui.Decimal(s)
}

// lacking returns want minus have, or zero if that is negative.
func lacking(have, want *big.Rat) *big.Rat {
	if have.Cmp(want) >= 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Sub(want, have)
}
