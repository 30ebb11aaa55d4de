package words

import (
	"regexp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// addressLength is the length of a full address in text.
const addressLength = len("0x") + 2*len(sui.Address{})

// Piece is a part of a sentence: words, a full address, which pages print in groups, or a time,
// which pages also print in the user's time zone.
type Piece struct {
	Text, Address string
	Moment        string // the time in RFC 3339
	Quoted        bool   // Text is in quotation marks, like a name
}

// quoted matches a quotation.
var quoted = regexp.MustCompile(`“[^“”]+”`)

// withQuotes splits a text without addresses and times at its quotations. Pages isolate quotations,
// so that a name in a right-to-left script does not reorder the numbers after it.
func withQuotes(s string) (out []Piece) {
	words := 0
	for _, at := range quoted.FindAllStringIndex(s, -1) {
		from, to := at[0]+len("“"), at[1]-len("”")
		out = append(out, Piece{Text: s[words:from]}, Piece{Text: s[from:to], Quoted: true})
		words = to
	}
	if words < len(s) {
		out = append(out, Piece{Text: s[words:]})
	}
	return out
}

// Prose splits a sentence into pieces. The concatenation of the pieces is the sentence.
func Prose(s string) []Piece {
	var out []Piece
	words := 0 // start of the words that are not in out yet
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
			out = append(out, withMoments(s[words:at])...)
		}
		words = at + addressLength
		out = append(out, Piece{Address: s[at:words]})
		at = words
	}
	if words < len(s) {
		out = append(out, withMoments(s[words:])...)
	}
	return out
}

// wholeAddress reports whether there is exactly an address at a position, and not part of a longer
// word.
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

// Figure groups the digits of a number before its unit, as in 12,000 SUI. It leaves other text,
// such as a date or a name, unchanged.
func Figure(s string) string {
	number, unit, ok := CutFigure(s)
	if !ok {
		return s
	}
	return number + " " + unit
}

// CutFigure splits s after a number and returns the number, with grouped digits, and its unit. If s
// does not begin with a number, it returns false and the part of s before the first space.
func CutFigure(s string) (number, unit string, ok bool) {
	number, unit, ok = strings.Cut(s, " ")
	bare := strings.TrimPrefix(number, "-")
	if _, err := sui.ParseDecimal(bare); !ok || err != nil {
		return number, unit, false
	}
	return Spaced(number), unit, true
}

// Grouped groups the digits of every number in a text that has at least five digits before its
// point, or four digits and a coin after it. It does not change years, dates, versions, names, or
// numbers that are longer than any amount, such as ids.
func Grouped(s string) string {
	var b strings.Builder
	rest := s
	for {
		from := strings.IndexAny(rest, "0123456789")
		if from < 0 {
			break
		}
		to := from
		for to < len(rest) && (isDigit(rest[to]) || rest[to] == '.' && to+1 < len(rest) && isDigit(rest[to+1])) {
			to++
		}
		number := rest[from:to]
		if standsAlone(s[:len(s)-len(rest)+from], rest[to:]) && groupable(number, rest[to:]) {
			number = Spaced(number)
		}
		b.WriteString(rest[:from] + number)
		rest = rest[to:]
	}
	return b.String() + rest
}

// groupable reports whether pages group the digits of a number. after is the text that follows it.
func groupable(number, after string) bool {
	const mostAmount = len("18446744073709551615")
	units, fraction, _ := strings.Cut(number, ".")
	switch n := len(units); {
	case strings.Contains(fraction, ".") || n > mostAmount || n < 4:
		return false
	case n > 4 || fraction != "":
		return true
	}
	return len(after) > 1 && after[0] == ' ' && 'A' <= after[1] && after[1] <= 'Z' && !strings.HasPrefix(after, " UTC")
}

// standsAlone reports whether a number is not part of a name, a date, a time or a grouped number.
// before and after are the texts around it.
func standsAlone(before, after string) bool {
	if n := len(before); n > 0 {
		if c := before[n-1]; isWord(c) || strings.IndexByte(".,:/#-", c) >= 0 && !(c == '-' && (n == 1 ||
			before[n-2] == ' ')) {
			return false
		}
	}
	if after == "" {
		return true
	}
	if isWord(after[0]) || strings.IndexByte("-:/", after[0]) >= 0 {
		return false
	}
	return after[0] != ',' || len(after) == 1 || !isDigit(after[1])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// Alike compares two addresses that look alike.
type Alike struct{ Given, Known []group }

// group is four digits of an address. Differs means that the other address has different digits
// there.
type group struct {
	Text    string
	Differs bool
}

// Other returns the known address.
func (a Alike) Other() string {
	var b strings.Builder
	for _, g := range a.Known {
		b.WriteString(g.Text)
	}
	return b.String()
}

// Compare returns the comparison of the two addresses in a sentence. It returns nil unless the
// sentence contains exactly two, the first of which is given.
func Compare(sentence, given string) *Alike {
	var found []string
	for _, p := range Prose(sentence) {
		if p.Address != "" {
			found = append(found, p.Address)
		}
	}
	if len(found) != 2 || found[0] != given {
		return nil
	}
	var out Alike
	known := Groups(found[1], len("0x1234"))
	for i, one := range Groups(given, len("0x1234")) {
		differs := one != known[i]
		out.Given, out.Known = append(out.Given, group{one, differs}), append(out.Known, group{known[i], differs})
	}
	return &out
}
