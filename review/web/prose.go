package web

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// addressLength is that of a whole address in text.
const addressLength = len("0x") + 2*len(sui.Address{})

// piece is a part of a sentence: words, or one whole address, which pages print
// in groups.
type piece struct{ Text, Address string }

// prose cuts a sentence at the whole addresses in it. Put together, the pieces
// are the sentence again.
func prose(s string) []piece {
	var out []piece
	words := 0 // where the words begin that are not in out yet
	for at := 0; at < len(s); {
		next := strings.Index(s[at:], "0x")
		if next < 0 {
			break
		}
		at += next
		if !wholeAddress(s, at) {
			at += len("0x")
			continue
		}
		if words < at {
			out = append(out, piece{Text: s[words:at]})
		}
		words = at + addressLength
		out = append(out, piece{Address: s[at:words]})
		at = words
	}
	if words < len(s) {
		out = append(out, piece{Text: s[words:]})
	}
	return out
}

// wholeAddress reports whether an address, and nothing longer, is at a place.
func wholeAddress(s string, at int) bool {
	end := at + addressLength
	if end > len(s) || at > 0 && hexDigit(s[at-1]) || end < len(s) && hexDigit(s[end]) {
		return false
	}
	for i := at + len("0x"); i < end; i++ {
		if !hexDigit(s[i]) {
			return false
		}
	}
	return true
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
}

// figure groups the digits of a number before its unit, as in 12,000 SUI. What
// is no number with a unit, such as a date or a name, stays as it is.
func figure(s string) string {
	number, unit, ok := cutFigure(s)
	if !ok {
		return s
	}
	return number + " " + unit
}

// cutFigure gives a number, grouped, and its unit; false with all of s before the
// first space where it does not begin with a number.
func cutFigure(s string) (number, unit string, ok bool) {
	number, unit, ok = strings.Cut(s, " ")
	bare := strings.TrimPrefix(number, "-")
	if _, err := sui.ParseDecimal(bare); !ok || err != nil {
		return number, unit, false
	}
	return spaced(number), unit, true
}

// alike sets two addresses that are made to be mistaken for each other beside
// each other.
type alike struct{ Given, Known []group }

// group is four digits of an address, and whether the other one has others there.
type group struct {
	Text    string
	Differs bool
}

// compare gives nil for a sentence that does not name both addresses, the given
// one first.
func compare(sentence, given string) *alike {
	var found []string
	for _, p := range prose(sentence) {
		if p.Address != "" {
			found = append(found, p.Address)
		}
	}
	if len(found) != 2 || found[0] != given {
		return nil
	}
	var out alike
	known := groups(found[1], len("0x1234"))
	for i, one := range groups(given, len("0x1234")) {
		differs := one != known[i]
		out.Given, out.Known = append(out.Given, group{one, differs}), append(out.Known, group{known[i], differs})
	}
	return &out
}
