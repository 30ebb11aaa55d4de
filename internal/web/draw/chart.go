// Package draw draws transactions, order books and past prices as SVG.
package draw

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"
	"unicode"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Measures of a drawing in tenths of a pixel at its natural size. The page scales it.
const (
	pictureWidth  = 3400
	pictureHeight = 1700
	plotLeft      = 20
	plotRight     = pictureWidth - plotLeft
	plotTop       = 440
	plotFoot      = 1470
	firstLine     = 150 // baselines of the texts above the plot
	secondLine    = 340
	axisLine      = 1640 // baseline of the labels below the plot
	wordSize      = 125  // font size of the texts, as in the style sheet
	wordGap       = wordSize / 2
)

// picture is a drawing under construction. All styles are in the style sheet. Its parts are
// literals, numbers, and texts that its methods escape.
type picture struct {
	description string // description in one sentence, for users who cannot see the drawing
	b           strings.Builder
}

func (p *picture) path(class, d string) { fmt.Fprintf(&p.b, `<path class="%s" d="%s"/>`, class, d) }

// hill draws an outline that begins at the foot of the plot, and fills the area below it.
func (p *picture) hill(outline string) {
	p.path("p-fill", fmt.Sprintf("%sV%dZ", outline, plotFoot))
	p.path("p-line", outline)
}

// text writes a text element. anchor is start, middle or end.
func (p *picture) text(class, anchor string, x, y int, words string) {
	fmt.Fprintf(&p.b,
		`<text class="%s" text-anchor="%s" x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs">%s</text>`,
		class, anchor, x, y, widthOf(words), template.HTMLEscapeString(words))
}

// widthOf returns the width of words in a drawing. The browser scales them to it, so the width is
// the same with every font.
func widthOf(words string) int { return (emsOf(words)*wordSize + 999) / 1000 }

// emsOf returns the approximate width of words in thousandths of the font size: the mean of common
// sans-serif fonts on Linux, with enough room for letters of any script.
func emsOf(words string) (n int) {
	for _, r := range words {
		switch {
		case strings.ContainsRune(" '|.,:;!ijlI’·", r):
			n += 290
		case strings.ContainsRune(`-"/\frt()[]{}`, r):
			n += 360
		case unicode.Is(unicode.Mn, r):
		case strings.ContainsRune("mwMW%@", r) || r >= '\u2000':
			n += 900
		case r >= 'A' && r <= 'Z' || r == '&':
			n += 690
		default:
			n += 590
		}
	}
	return n
}

// near writes text as close to x as it fits. It omits text that is wider than the drawing. The
// description contains the text in any case.
func (p *picture) near(class string, x, y int, words string) {
	half := widthOf(words) / 2
	switch {
	case 2*half > plotRight-plotLeft:
	case x-half < plotLeft:
		p.text(class, "start", plotLeft, y, words)
	case x+half > plotRight:
		p.text(class, "end", plotRight, y, words)
	default:
		p.text(class, "middle", x, y, words)
	}
}

// ends writes texts at both ends of a line. class applies to the left one. If they would touch, it
// writes nothing and returns false.
func (p *picture) ends(class string, y int, left, right string) bool {
	if widthOf(left+right)+2*wordGap > plotRight-plotLeft {
		return false
	}
	if left != "" {
		p.text(class, "start", plotLeft, y, left)
	}
	p.text("p-words", "end", plotRight, y, right)
	return true
}

// axis writes three labels below the plot, or only the middle one if they would overlap.
func (p *picture) axis(left, middle, right string) {
	p.near("p-words", pictureWidth/2, axisLine, middle)
	if max(widthOf(left), widthOf(right))+widthOf(middle)/2+wordGap < (plotRight-plotLeft)/2 {
		p.ends("p-words", axisLine, left, right)
	}
}

// figure returns the drawing with its caption.
func (p *picture) figure(caption string) template.HTML {
	return template.HTML(fmt.Sprintf(`<figure><figcaption>%s</figcaption><svg viewBox="0 0 %d %d" role="img" aria-label="%s">%s</svg></figure>`,
		template.HTMLEscapeString(caption), pictureWidth, pictureHeight,
		template.HTMLEscapeString(p.description), p.b.String()))
}

// place converts part of whole to a coordinate between from and to. The result is an integer and is
// limited to that range.
func place(part, whole *big.Rat, from, to int) int {
	if whole.Sign() <= 0 || part.Sign() <= 0 {
		return from
	}
	if part.Cmp(whole) >= 0 {
		return to
	}
	q := new(big.Rat).Quo(part, whole)
	n := new(big.Int).Mul(q.Num(), big.NewInt(int64(to-from)))
	return from + int(n.Quo(n, q.Denom()).Int64())
}

// unitOf returns the unit of prices, such as "USDC per SUI".
func unitOf(base, quote plan.Asset) string {
	return words.Whole(quote.Symbol) + " per " + words.Whole(base.Symbol)
}
