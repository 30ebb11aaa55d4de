// Package words formats text for pages: addresses in groups of four, amounts with grouped digits,
// times in UTC, and sanitized texts of unknown authors.
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
		"list": func(of ...any) []any { return of }, // passes several values to a template
	}
}

// Groups splits a long identifier into groups of four characters for display. head is the length of
// the first group.
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

// Shown sanitizes a text of an unknown author for display. The result is one line of at most most
// characters, without characters that reverse, hide or cover other text.
func Shown(s string, most int) string { return screen.Line(s, most) }

// Whole is like Shown, but without a limit on the length. Pages on which the user signs must not
// truncate text, because two coins or sentences might differ only at the end.
func Whole(s string) string { return screen.Line(s, 0) }

// fits reports whether a page shows a text in full. Longer texts are folded.
func fits(s string) bool { return utf8.RuneCountInString(s) <= mostUnfolded }

// ends returns the beginning and the end of a folded text.
func ends(s string) string {
	runes := []rune(s)
	return string(runes[:mostUnfolded/2]) + " … " + string(runes[len(runes)-mostUnfolded/4:])
}

const mostUnfolded = 160

// Spaced groups the digits before the point by threes. It does not change any digit.
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

// Clock formats a duration as minutes and seconds.
func Clock(d time.Duration) string {
	seconds := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// At formats a time in UTC, so that it can be compared with other sources. It returns "" for the
// zero time.
func At(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(momentForm)
}

// Sentence adds a period to a title that has none.
func Sentence(title string) string { return strings.TrimSuffix(title, ".") + "." }

// UpperFirst capitalizes the first letter of a text.
func UpperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// LowerFirst makes the first letter of a title lower case, for use in the middle of a sentence. It
// does not change a title that begins with a name in capitals.
func LowerFirst(s string) string {
	if len(s) < 2 || s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Line is a row in a list of facts: a name, with a text or an address.
type Line struct {
	Name, Value, Address, Note, Fact string
	Named                            string // name of Address in the address book
	Mono                             bool
	AtMost                           string // upper bound in smallest units, if a lower value is just as good
}

// Plural formats a number with the singular or plural of a word.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// brief returns the first and last groups of an address. That is enough for a user to distinguish
// their accounts in the header, but never enough where somebody signs.
func brief(address string) []string {
	const head, tail = len("0x") + 8, 8
	if _, err := sui.ParseAddress(address); err != nil || len(address) <= head+tail {
		return []string{address}
	}
	return append(append(Groups(address[:head], len("0x1234")), "…"), Groups(address[len(address)-tail:], 0)...)
}

// InShort returns the short form of an address: its first and last groups, joined by a no-break
// space. Use it only if the page shows the full address elsewhere.
func InShort(address string) string { return strings.Join(brief(address), "\u00a0") }

// ShortType shortens the address of a system package, such as 0x2, in a coin type. Other addresses
// keep all their digits.
func ShortType(t string) string {
	address, rest, ok := strings.Cut(t, "::")
	if a, err := sui.ParseAddress(address); ok && err == nil && len(a.Short()) <= mostSystem {
		return a.Short() + "::" + rest
	}
	return t
}

// mostSystem is the maximum length of a shortened address of a system package.
const mostSystem = len("0xdee9")
