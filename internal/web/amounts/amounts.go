// Package amounts writes amounts of coins and their changes for pages.
package amounts

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Amount is a number and its unit, for print in different sizes.
type Amount struct{ Number, Symbol string }

func (a Amount) String() string { return a.Number + " " + a.Symbol }

// Head returns the digits that stand out: those before the point and the first two after it.
func (a Amount) Head() string { return a.Number[:a.cut()] }

// Rest returns the digits after Head.
func (a Amount) Rest() string { return a.Number[a.cut():] }

func (a Amount) cut() int {
	const shown = 2
	if point := strings.IndexByte(a.Number, '.'); point >= 0 {
		return min(point+1+shown, len(a.Number))
	}
	return len(a.Number)
}

// Rounded writes an amount with two digits after the point, for headlines; a smaller one keeps
// its first two digits. Up rounds what leaves, so that no headline promises too much.
func Rounded(a plan.Amount, up bool) string {
	const shown = 2
	n, drop := plan.BigInt(a.Raw), int(a.Decimals)-shown
	if digits := len(n.String()); digits <= drop {
		drop = max(digits-shown, 0)
	}
	if drop > 0 {
		unit := power(drop)
		rest := new(big.Int)
		n.QuoRem(n, unit, rest)
		if up && rest.Sign() > 0 {
			n.Add(n, big.NewInt(1))
		}
		n.Mul(n, unit)
	}
	if !n.IsUint64() {
		return Of(a).String()
	}
	return Of(a.Of(sui.Raw(n.Uint64()))).String()
}

// Size returns the class, after a space, that keeps a long number in one line.
func (a Amount) Size() string {
	switch n := len(a.Number); {
	case n > 14:
		return " longest"
	case n > 10:
		return " long"
	}
	return ""
}

// Of returns an amount with its digits grouped.
func Of(a plan.Amount) Amount {
	return Amount{words.Spaced(string(a.Raw.Decimal(a.Decimals))), words.Whole(a.Symbol)}
}

// Delta returns a signed change, with a plus sign for a gain.
func Delta(d sui.Delta, a plan.Asset) string {
	text := words.Spaced(d.Decimal(a.Decimals)) + " " + words.Whole(a.Symbol)
	if d.Negative || d.Amount == 0 {
		return text
	}
	return "+" + text
}

// SUI is what gas is paid in.
var SUI = plan.Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

// Rate returns how much of one asset there is for one unit of another, rounded
// down at six digits after the point. It is exact integer arithmetic.
func Rate(get, give plan.Amount) string {
	if give.Raw == 0 {
		return ""
	}
	const digits = 6
	n := new(big.Int).SetUint64(uint64(get.Raw))
	n.Mul(n, power(digits+int(give.Decimals)))
	n.Quo(n, new(big.Int).Mul(new(big.Int).SetUint64(uint64(give.Raw)), power(int(get.Decimals))))
	text := n.String()
	if len(text) <= digits {
		text = strings.Repeat("0", digits-len(text)+1) + text
	}
	units, fraction := text[:len(text)-digits], strings.TrimRight(text[len(text)-digits:], "0")
	if fraction != "" {
		units += "." + fraction
	}
	return words.Spaced(units) + " " + words.Whole(get.Symbol) + " per " + words.Whole(give.Symbol)
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// Spent returns what would be used of the input: the rest comes back.
func Spent(q *plan.QuoteEvidence) plan.Amount {
	return q.Input.Of(q.Input.Raw - min(q.Unspent.Raw, q.Input.Raw))
}

// Gas prints what gas costs; a rebate that is larger is money back.
func Gas(net sui.Delta) string {
	text := Of(SUI.Of(net.Amount)).String()
	if net.Negative {
		return text + " back"
	}
	return text
}

// Assets returns the coins whose decimals this review knows.
func Assets(s record.Session) map[sui.CoinType]plan.Asset {
	known := map[sui.CoinType]plan.Asset{sui.SUI: SUI}
	for _, h := range s.Holdings {
		known[h.CoinType] = h.Asset
	}
	if f := s.Facts; f != nil {
		for _, b := range f.Promise().Bounds() {
			known[b.Coin.CoinType] = b.Coin
		}
	}
	return known
}

// Tail returns the last part of a coin type, its name.
func Tail(coin string) string {
	return words.Whole(coin[strings.LastIndex(coin, ":")+1:])
}

// WithoutGas returns a change of SUI without what the gas was of it.
func WithoutGas(change, gas sui.Delta) sui.Delta {
	n := change.Big()
	d, err := sui.ParseDelta(n.Add(n, gas.Big()).String())
	if err != nil {
		return change // a sum beyond what coins can hold is none that a node can report
	}
	return d
}
