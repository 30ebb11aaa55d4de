package draw

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Limits of drawings of past prices.
const (
	mostPoints = 500
	longestDay = 25 * time.Hour // includes all of the current interval
)

// course is a series of past prices that is ready to be drawn. high and low are indexes in points.
type course struct {
	PastPrices
	prices          []*big.Rat
	high, low       int
	lowest, highest *big.Rat // prices at the foot and at the top of the plot
}

// courseOf validates past prices. It returns false if they are impossible or too few to draw.
func courseOf(p PastPrices) (c course, ok bool) {
	c.PastPrices = p
	if len(p.Points) < 2 || len(p.Points) > mostPoints || !p.From.Before(p.To) || p.To.Sub(p.From) > longestDay ||
		p.At.IsZero() {
		return c, false
	}
	for i, one := range p.Points {
		price, ok := positive(one.Price)
		if !ok || one.At.Before(p.From) || one.At.After(p.To) || i > 0 && !one.At.After(p.Points[i-1].At) {
			return c, false
		}
		c.prices = append(c.prices, price)
		if price.Cmp(c.prices[c.high]) > 0 {
			c.high = i
		}
		if price.Cmp(c.prices[c.low]) < 0 {
			c.low = i
		}
	}
	c.lowest, c.highest = c.prices[c.low], c.prices[c.high]
	return c, true
}

// reach extends the plot to include a price, if it is near. It reports whether the plot includes
// the price.
func (c *course) reach(price *big.Rat) bool {
	span := new(big.Rat).Sub(c.highest, c.lowest)
	switch {
	case price.Cmp(new(big.Rat).Sub(c.lowest, span)) < 0, price.Cmp(new(big.Rat).Add(c.highest, span)) > 0:
		return false
	case price.Cmp(c.lowest) < 0:
		c.lowest = price
	case price.Cmp(c.highest) > 0:
		c.highest = price
	}
	return true
}

func (c course) x(t time.Time) int {
	return place(big.NewRat(int64(t.Sub(c.From)), 1), big.NewRat(int64(c.To.Sub(c.From)), 1), plotLeft, plotRight)
}

func (c course) y(price *big.Rat) int {
	span := new(big.Rat).Sub(c.highest, c.lowest)
	if span.Sign() == 0 {
		return (plotTop + pastFoot) / 2
	}
	return place(new(big.Rat).Sub(price, c.lowest), span, pastFoot, plotTop)
}

// pastFoot leaves space below the line for the label of the lowest price.
const pastFoot = plotFoot - 190

// line returns the outline of the prices. It has a gap where prices are unknown. A price between
// two gaps is a dot.
func (c course) line() string {
	var b strings.Builder
	alone := false
	for i, one := range c.Points {
		letter := "L"
		if i == 0 || one.Apart {
			if letter = "M"; alone {
				b.WriteString("h0")
			}
		}
		alone = letter == "M"
		fmt.Fprintf(&b, "%s%d %d", letter, c.x(one.At), c.y(c.prices[i]))
	}
	if alone {
		b.WriteString("h0")
	}
	return b.String()
}

// PastChart draws past prices, with an order's limit if that is near them.
func PastChart(prices PastPrices, m Mark) template.HTML {
	c, ok := courseOf(prices)
	if !ok {
		return ""
	}
	own := m.limit != nil && c.reach(m.limit)
	last := len(c.Points) - 1
	high, low, latest := exactly(c.prices[c.high]), exactly(c.prices[c.low]), exactly(c.prices[last])
	p := picture{description: fmt.Sprintf("Prices of the 24 hours to %s, as %s reported them, not guaranteed: highest %s, "+
		"lowest %s, latest %s %s at %s.",
		words.At(c.At), words.Whole(c.Source), high, low, latest, unitOf(c.Base, c.Quote), words.At(c.Points[last].At))}
	p.path("p-axis", fmt.Sprintf("M%d %dH%d", plotLeft, plotFoot, plotRight))
	p.path("p-line p-course", c.line())
	fmt.Fprintf(&p.b, `<circle class="p-dot" cx="%d" cy="%d" r="32"/>`, c.x(c.Points[last].At), c.y(c.prices[last]))
	mine := ""
	if own {
		p.path("p-own", fmt.Sprintf("M%d %dH%d", plotLeft, c.y(m.limit), plotRight))
		mine = "your price " + exactly(m.limit)
	}
	if !p.ends("p-mine", firstLine, mine, "latest "+latest) {
		p.ends("p-mine", firstLine, "your price", "latest")
	}
	p.near("p-words", c.x(c.Points[c.high].At), secondLine+40, "highest "+high)
	if c.high != c.low {
		p.near("p-words", c.x(c.Points[c.low].At), pastFoot+150, "lowest "+low)
	}
	p.ends("p-words", axisLine, "24 hours ago", "now")
	return p.figure("Price over 24 hours, in " + unitOf(c.Base, c.Quote))
}
