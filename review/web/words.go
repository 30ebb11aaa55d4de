package web

import (
	"fmt"
	"html/template"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// pageWords are the functions that templates may use.
func pageWords() template.FuncMap {
	return template.FuncMap{
		"groups":  func(a string) []string { return groups(a, len("0x1234")) },
		"hexes":   func(s string) []string { return groups(s, 0) },
		"brief":   brief,
		"prose":   prose,
		"short":   inShort,
		"figures": grouped,
		"fits":    fits,
		"ends":    ends,
	}
}

// groups cuts a long name into pieces of four for the eye; copied, it is whole.
func groups(s string, head int) []string {
	head = min(head, len(s))
	out := []string{}
	if head > 0 {
		out = append(out, s[:head])
	}
	for rest := s[head:]; rest != ""; {
		n := min(4, len(rest))
		out, rest = append(out, rest[:n]), rest[n:]
	}
	return out
}

// shown makes text of an unknown author fit to be read, on one line and cut to
// most characters: nothing in it can turn the line around, hide, paint over
// other lines, or push the rest of the page away.
func shown(s string, most int) string { return screen.Line(s, most) }

// whole is shown without a cut. On a page that can sign nothing is cut: two
// coins or sentences that differ only in their ends would look the same.
func whole(s string) string { return screen.Line(s, 0) }

// fits reports whether a text can stand on a page as it is; a longer one is
// folded to its ends and opens on demand.
func fits(s string) bool { return utf8.RuneCountInString(s) <= mostUnfolded }

// ends is the beginning and the end of a text that is folded.
func ends(s string) string {
	runes := []rune(s)
	return string(runes[:mostUnfolded/2]) + " … " + string(runes[len(runes)-mostUnfolded/4:])
}

const mostUnfolded = 160

// spaced groups the digits before the point by threes. It changes no digit.
func spaced(decimal string) string {
	sign := ""
	if strings.HasPrefix(decimal, "-") {
		sign, decimal = "−", decimal[1:]
	}
	whole, fraction, point := strings.Cut(decimal, ".")
	var b strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if point {
		b.WriteString("." + fraction)
	}
	return sign + b.String()
}

// amount is a number and its unit, for print in different sizes.
type amount struct{ Number, Symbol string }

func (a amount) String() string { return a.Number + " " + a.Symbol }

// Size is the class, after a space, that keeps a long number in one line.
func (a amount) Size() string {
	switch n := len(a.Number); {
	case n > 14:
		return " longest"
	case n > 10:
		return " long"
	}
	return ""
}

func amountOf(a plan.Amount) amount {
	return amount{spaced(string(a.Raw.Decimal(a.Decimals))), whole(a.Symbol)}
}

// deltaOf returns a signed change, with a plus sign where something arrives.
func deltaOf(d sui.Delta, a plan.Asset) string {
	text := spaced(d.Decimal(a.Decimals)) + " " + whole(a.Symbol)
	if d.Negative || d.Amount == 0 {
		return text
	}
	return "+" + text
}

// suiAsset is what gas is paid in.
var suiAsset = plan.Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

// rate returns how much of one asset there is for one unit of another, rounded
// down at six digits after the point. It is exact integer arithmetic.
func rate(get, give plan.Amount) string {
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
	return spaced(units) + " " + whole(get.Symbol) + " per " + whole(give.Symbol)
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// clock writes a duration as minutes and seconds.
func clock(d time.Duration) string {
	seconds := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// moment in words, in UTC so that it can be compared with anything.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(momentForm)
}

// asked is the wish in one line, as its adapter put it; a review of an older
// version has no such line and was a swap.
func asked(in plan.Intent) string {
	if in.Asked != "" {
		return whole(in.Asked)
	}
	return fmt.Sprintf("swap %s %s to %s, at most %s below the quote", spaced(whole(in.From.Amount)),
		whole(in.From.Symbol), whole(in.To.Symbol), plan.Percent(in.MaxSlippageBps))
}

// sentence ends a title with a full stop, where it has none.
func sentence(title string) string { return strings.TrimSuffix(title, ".") + "." }

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lowerFirst makes a title the second half of a sentence. A name in capitals
// stays as it is.
func lowerFirst(s string) string {
	if len(s) < 2 || s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
