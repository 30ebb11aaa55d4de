// Package amounts formats coin amounts and their changes for pages.
package amounts

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Amount is a formatted number and its unit. Pages show parts of the number in different sizes.
type Amount struct{ Number, Symbol string }

func (a Amount) String() string { return a.Number + " " + a.Symbol }

// Head returns the leading digits, which pages emphasize: those before the point and the first two
// after it.
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

// Rounded formats an amount for a headline, with two digits after the point. A smaller amount keeps
// its first two digits. Up rounds up, for amounts that leave the account; otherwise it rounds down.
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

// Size returns a CSS class, after a space, with which a long number fits on one line.
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

// Delta formats a change with its sign, including a plus sign for a gain.
func Delta(d sui.Delta, a plan.Asset) string {
	text := words.Spaced(d.Decimal(a.Decimals)) + " " + words.Whole(a.Symbol)
	if d.Negative || d.Amount == 0 {
		return text
	}
	return "+" + text
}

// SUI is the coin in which gas is paid.
var SUI = plan.Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

// Rate returns how much of get one unit of give buys, rounded down to six digits after the point.
// It uses exact integer arithmetic.
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

// Spent returns the part of the input that the swap uses. The rest is returned to the account.
func Spent(q *plan.QuoteEvidence) plan.Amount {
	return q.Input.Of(q.Input.Raw - min(q.Unspent.Raw, q.Input.Raw))
}

// Gas formats the cost of gas. If the storage rebate is larger than the cost, the text ends with
// "back".
func Gas(net sui.Delta) string {
	text := Of(SUI.Of(net.Amount)).String()
	if net.Negative {
		return text + " back"
	}
	return text
}

// Assets returns the coins of a review whose decimals are known, by type.
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

// Tail returns the name in a coin type, which is its last part.
func Tail(coin string) string {
	return words.Whole(coin[strings.LastIndex(coin, ":")+1:])
}

// WithoutGas returns a change of SUI without the gas that it includes.
func WithoutGas(change, gas sui.Delta) sui.Delta {
	n := change.Big()
	d, err := sui.ParseDelta(n.Add(n, gas.Big()).String())
	if err != nil {
		return change // cannot happen with a node's figures: the sum exceeds the supply
	}
	return d
}
