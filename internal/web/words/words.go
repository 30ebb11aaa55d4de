// Package words writes what pages show: addresses in groups of four, amounts with their
// digits grouped, times in UTC, and texts of unknown authors made harmless.
package words

import (
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Functions returns the functions that templates may use.
func Functions() template.FuncMap {
	return template.FuncMap{
		"groups":  func(a string) []string { return Groups(a, len("0x1234")) },
		"hexes":   func(s string) []string { return Groups(s, 0) },
		"brief":   brief,
		"prose":   Prose,
		"short":   InShort,
		"figures": Grouped,
		"spaced":  Spaced,
		"json": func(v any) (string, error) {
			b, err := json.Marshal(v)
			return string(b), err
		},
		"fits": fits,
		"ends": ends,
		"list": func(of ...any) []any { return of }, // several values for one template
	}
}

// Groups cuts a long name into pieces of four for the eye; copied, it is whole.
func Groups(s string, head int) []string {
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

// Shown makes text of an unknown author fit to be read, on one line and cut to
// most characters: nothing in it can turn the line around, hide, paint over
// other lines, or push the rest of the page away.
func Shown(s string, most int) string { return screen.Line(s, most) }

// Whole is Shown without a cut. On a page that can sign nothing is cut: two
// coins or sentences that differ only in their ends would look the same.
func Whole(s string) string { return screen.Line(s, 0) }

// fits reports whether a page can show a text in full. A longer text is shortened and opens on
// demand.
func fits(s string) bool { return utf8.RuneCountInString(s) <= mostUnfolded }

// ends returns the beginning and the end of a text that is folded.
func ends(s string) string {
	runes := []rune(s)
	return string(runes[:mostUnfolded/2]) + " … " + string(runes[len(runes)-mostUnfolded/4:])
}

const mostUnfolded = 160

// Spaced groups the digits before the point by threes. It changes no digit.
func Spaced(decimal string) string {
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

// Clock writes a duration as minutes and seconds.
func Clock(d time.Duration) string {
	seconds := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// At writes a time, in UTC so that it can be compared with anything; "" for none.
func At(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(momentForm)
}

// Sentence ends a title with a full stop, if it has none.
func Sentence(title string) string { return strings.TrimSuffix(title, ".") + "." }

// UpperFirst makes a text the beginning of a sentence.
func UpperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// LowerFirst makes a title the second half of a sentence. A name in capitals
// stays as it is.
func LowerFirst(s string) string {
	if len(s) < 2 || s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Line is a row of a list of facts: a name with a text or an address.
type Line struct {
	Name, Value, Address, Note, Fact string
	Named                            string // what the address book says of Address
	Mono                             bool
	AtMost                           string // a bound in smallest units: less is as good
}

// Plural counts things, with the word for one or for many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// brief cuts an address down for the header: enough to tell accounts of one
// person apart, and never all that is shown where somebody signs.
func brief(address string) []string {
	const head, tail = len("0x") + 8, 8
	if _, err := sui.ParseAddress(address); err != nil || len(address) <= head+tail {
		return []string{address}
	}
	return append(append(Groups(address[:head], len("0x1234")), "…"), Groups(address[len(address)-tail:], 0)...)
}

// InShort returns the short form of an address: its first and last groups. Use it only if the page
// shows the whole address elsewhere. It never breaks across lines.
func InShort(address string) string { return strings.Join(brief(address), "\u00a0") }

// ShortType writes a coin type with the address of a package of the chain itself, such
// as 0x2, as everybody writes it; every other address keeps all its digits.
func ShortType(t string) string {
	address, rest, ok := strings.Cut(t, "::")
	if a, err := sui.ParseAddress(address); ok && err == nil && len(a.Short()) <= mostSystem {
		return a.Short() + "::" + rest
	}
	return t
}

// mostSystem is how long an address of the chain itself is, written in short.
const mostSystem = len("0xdee9")
