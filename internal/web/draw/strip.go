package draw

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// priceDigits is the number of decimals of a calculated price.
const priceDigits = 6

// Price returns the price of one unit of the bought coin, rounded down.
func Price(paid, buys plan.Amount) sui.Decimal {
	if buys.Raw == 0 {
		return ""
	}
	n := new(big.Int).Mul(plan.BigInt(paid.Raw), ten(int(buys.Decimals)+priceDigits))
	n.Quo(n, new(big.Int).Mul(plan.BigInt(buys.Raw), ten(int(paid.Decimals))))
	text := new(big.Rat).SetFrac(n, ten(priceDigits)).FloatString(priceDigits)
	return sui.Decimal(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}

// Total returns the exact cost of an amount at a price. It returns false if a number is not
// positive or too long to show.
func Total(price, amount sui.Decimal) (string, bool) {
	p, ok := positive(price)
	n, fine := positive(amount)
	if !ok || !fine {
		return "", false
	}
	return exactly(new(big.Rat).Mul(p, n)), true
}

func ten(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// Positions of the lowest and the highest price on a strip, in tenths of a percent of its width.
const (
	stripLeft  = 60
	stripRight = 940
)

// Strip draws the guaranteed, the expected and the market price to scale on one line. The page
// states the prices as text. It returns false if a price is missing.
func Strip(guaranteed, likely, market sui.Decimal) (template.HTML, bool) {
	var prices [3]*big.Rat
	for i, d := range []sui.Decimal{guaranteed, likely, market} {
		var ok bool
		if prices[i], ok = positive(d); !ok {
			return "", false
		}
	}
	low, high := prices[0], prices[0]
	for _, p := range prices {
		if p.Cmp(low) < 0 {
			low = p
		}
		if p.Cmp(high) > 0 {
			high = p
		}
	}
	span := new(big.Rat).Sub(high, low)
	at := func(p *big.Rat) int {
		if span.Sign() == 0 {
			return (stripLeft + stripRight) / 2
		}
		return place(new(big.Rat).Sub(p, low), span, stripLeft, stripRight)
	}
	g, l, m := at(prices[0]), at(prices[1]), at(prices[2])
	from, to := min(g, l), max(g, l)
	return template.HTML(fmt.Sprintf(`<svg class="strip-drawn" aria-hidden="true"><rect class="s-line" x="0" y="10" width="100%%" height="4" rx="2"/>`+
		`<rect class="s-range" x="%s" y="10" width="%s" height="4"/><rect class="s-market" x="%s" y="3" width="3" height="18"/>`+
		`<circle class="s-dot" cx="%s" cy="12" r="6"/><circle class="s-dot s-likely" cx="%s" cy="12" r="6"/></svg>`,
		percentOf(from), percentOf(to-from), percentOf(m), percentOf(g), percentOf(l))), true
}

func percentOf(tenths int) string { return fmt.Sprintf("%d.%d%%", tenths/10, tenths%10) }
