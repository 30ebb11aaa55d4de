package screen

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a part of a text, as byte offsets.
type Span struct{ From, To int }

var (
	numbering = pattern(`\b[0-9]{1,2}\s*[.):/-]?`)
	stops     = pattern(`[.:;!?()\[\]{}<>="]|\n\s*\n`)
	// markup matches tags, entities and the names of JSON members, any of which may separate the
	// words of a phrase.
	markup = pattern(`</?[a-zA-Z][^<>]{0,500}>|&(?:#[0-9]{1,6}|nbsp);|"[a-zA-Z_]{1,30}"\s*:`)
)

// markupMarks are signs of markup that are quick to find. They do not include a lone angle bracket,
// which is common in source code.
var markupMarks = []string{"</", "<td", "<li", "<br", "&nbsp;", "&#", `":`, `" :`}

// phrases returns the recovery phrases in a text. A phrase is 12, 15, 18, 21 or 24 consecutive
// words of one list with a valid checksum, separated by any punctuation, numbers and tags. In
// English, two other forms count: words without a valid checksum, if they fill the text between two
// stops, because some wallets create such phrases; and a phrase in which one word is misspelled by
// one letter, if the corrected word makes the checksum valid.
func phrases(text string) []Span {
	found := scanPhrases(text, true)
	//mutant:never ./internal/screen TestPhraseWritings
	if slices.ContainsFunc(markupMarks, func(mark string) bool { return strings.Contains(text, mark) }) {
		bare := markup().ReplaceAllStringFunc(text, func(tag string) string { return strings.Repeat(" ", len(tag)) })
		found = append(found, scanPhrases(bare, false)...)
	}
	return found
}

// word is a folded word and its position in the text.
type word struct {
	Span
	text string
}

// nextWord returns the first word of a text at or after from; ok is false at the end.
func nextWord(text string, from int) (w word, ok bool) {
	at, ascii := from, true
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsLetter(r) {
			break
		}
		at += size
	}
	w.From = at
	for at < len(text) {
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[at:])
			ascii = false
		}
		if !unicode.IsLetter(r) && !unicode.In(r, unicode.M, unicode.Cf) {
			break
		}
		at += size
	}
	w.To = at
	w.text = text[w.From:at]
	if ascii {
		w.text = strings.ToLower(w.text)
	} else {
		w.text = fold(w.text)
	}
	return w, w.From < w.To
}

// row is a sequence of words of one list, up to the current word.
type row struct {
	last    int // index of the last word in the text
	numbers []int
	from    []int
}

// scanPhrases finds phrases without regard to markup. If loose is set, it also finds English
// phrases without a valid checksum.
func scanPhrases(text string, loose bool) (found []Span) {
	var rows [listCount]row
	var between segment
	known := places()
	at := 0
	for n := 1; ; n++ {
		w, ok := nextWord(text, at)
		if loose && (!ok || between.ends(text[at:w.From])) {
			found = between.phrase(found)
		}
		if !ok {
			return found
		}
		number := -1
		for _, p := range known[w.text] {
			if p.list == english {
				number = p.number
			}
			r := &rows[p.list]
			if r.last != n-1 {
				r.numbers, r.from = r.numbers[:0], r.from[:0]
			}
			r.last, r.numbers, r.from = n, append(r.numbers, p.number), append(r.from, w.From)
			for size := 12; size <= 24 && size <= len(r.numbers); size += 3 {
				first := len(r.numbers) - size
				//mutant:never ./internal/screen TestPastes
				if checksum(r.numbers[first:]) {
					found = append(found, Span{r.from[first], w.To})
				}
			}
		}
		between.add(w, number)
		at = w.To
	}
}

// segment holds the words between two stops.
type segment struct {
	Span
	words   []string
	numbers []int
	unknown int
}

// ends reports whether the text between two words ends the segment. The dot of a numbered list does
// not.
func (s *segment) ends(gap string) bool {
	if len(s.words) == 0 {
		return false
	}
	if !strings.ContainsAny(gap, "0123456789") { // equivalent to the expressions but faster
		return strings.ContainsAny(gap, `.:;!?()[]{}<>="`) || strings.Count(gap, "\n") > 1 && stops().MatchString(gap)
	}
	return stops().MatchString(numbering().ReplaceAllString(gap, " "))
}

func (s *segment) add(w word, number int) {
	if len(s.words) == 0 {
		s.From = w.From
	}
	if number < 0 {
		s.unknown++
	}
	if s.unknown <= 1 || len(s.words) == 0 {
		s.words, s.numbers = append(s.words, w.text), append(s.numbers, number)
	}
	s.To = w.To
}

// phrase adds the segment to found if it is a phrase, and clears it.
func (s *segment) phrase(found []Span) []Span {
	//mutant:never ./internal/screen TestPhraseWithoutAChecksum
	if length(len(s.words)) && (s.unknown == 0 || s.unknown == 1 && s.slip()) {
		found = append(found, s.Span)
	}
	s.words, s.numbers, s.unknown = s.words[:0], s.numbers[:0], 0
	return found
}

// slip reports whether the segment is a phrase with one misspelled letter, according to the
// checksum.
func (s *segment) slip() bool {
	i := slices.Index(s.numbers, -1)
	for entry, all := range places() {
		if all[0].list != english || !near(s.words[i], entry) {
			continue
		}
		if s.numbers[i] = all[0].number; checksum(s.numbers) {
			return true
		}
	}
	return false
}

// near reports whether two words differ by one letter, or by two letters that are swapped.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) == len(a)+1:
		return a[i:] == b[i+1:]
	case len(a) != len(b) || i == len(a):
		return false
	}
	return a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// length reports whether n is a valid number of words.
func length(n int) bool { return n >= 12 && n <= 24 && n%3 == 0 }

// checksum verifies a phrase. Each word stands for 11 bits. The last bits of a phrase are the first
// bits of the hash of the others.
func checksum(places []int) bool {
	var packed [33]byte
	for i, place := range places {
		for bit := range 11 {
			if place>>(10-bit)&1 == 1 {
				at := i*11 + bit
				packed[at/8] |= 0x80 >> (at % 8)
			}
		}
	}
	size := len(places) * 4 / 3 // of the entropy, in bytes
	sum := sha256.Sum256(packed[:size])
	mask := byte(0xff) << (8 - len(places)/3)
	return packed[size]&mask == sum[0]&mask
}
