package screen

import (
	"crypto/sha256"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The starts of words by their length: three letters and more.
const (
	leastStart = 3
	starts     = 3
)

// word is a list word: its number among all, and the lists that have it, a bit each.
type word struct {
	id    int
	lists uint16
}

// dictionary is the ten lists of BIP-39, without accents and case. Starts has
// what people write of a word to be brief: its first three, four or five
// letters, or all where it has no more.
type dictionary struct {
	all         map[string]word
	starts      [starts]map[string]word
	slips       map[string]word // English words without one letter
	chinese     []map[rune]int  // of simplified and traditional: places
	chineseBits uint16
	heads       []bool // by the first two bytes, shifted into one number: some word begins so
	longest     [2]int // bytes of the longest word, in ASCII and in other letters
}

func newDictionary(lists [][]string) dictionary {
	d := dictionary{all: map[string]word{}, slips: map[string]word{}, heads: make([]bool, 1<<16)}
	for n := range d.starts {
		d.starts[n] = map[string]word{}
	}
	for i, list := range lists {
		places := map[rune]int{}
		for place, entry := range list {
			entry = bare(strings.ToLower(entry))
			d.all[entry] = joined(d.all, entry, i)
			d.heads[int(entry[0])<<8|int(entry[1])] = true
			switch {
			case i < latin: // Latin letters
				d.longest[0] = max(d.longest[0], len(entry))
				for n, cut := range d.starts {
					start := entry[:min(leastStart+n, len(entry))]
					cut[start] = joined(cut, start, i)
				}
				if i == 0 {
					d.slip(entry)
				}
			case i < 8:
				d.longest[1] = max(d.longest[1], len(entry))
			default:
				r, _ := utf8.DecodeRuneInString(entry)
				places[r] = place
			}
		}
		if len(places) > 0 {
			d.chinese = append(d.chinese, places)
			d.chineseBits |= 1 << i
		}
	}
	return d
}

func joined(m map[string]word, entry string, list int) word {
	w, ok := m[entry]
	if !ok {
		w.id = len(m)
	}
	w.lists |= 1 << list
	return w
}

// bare takes accents and other marks off letters.
func bare(s string) string {
	if ascii(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
}

// Thresholds in words. In ordinary prose the longest run of list words is ten.
const (
	leastRun   = 11
	fewInRun   = 7 // different ones: chance repeats more in one phrase of 10^11
	leastGlued = 33
)

// phrase finds the words of a recovery phrase in lower-case text: in a row with
// one wrong, between others, abbreviated, misspelt, glued, spelt out, backwards.
func (d dictionary) phrase(lower string) bool {
	lower = bare(lower)
	tokens := strings.FieldsFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) })
	whole := make([]word, len(tokens))
	var spelt strings.Builder
	for i, token := range tokens {
		whole[i] = missing
		if w, ok := d.all[token]; ok {
			whole[i] = w
		}
		if len(token) >= leastGlued && d.gluedAnyhow(token) {
			return true
		}
		if len(token) == 1 {
			spelt.WriteString(token)
			continue
		}
		if spelt.Len() >= leastGlued && d.gluedAnyhow(spelt.String()) {
			return true
		}
		spelt.Reset()
	}
	if spelt.Len() >= leastGlued && d.gluedAnyhow(spelt.String()) {
		return true
	}
	return rows(whole) || d.brief(tokens) || d.misspelt(tokens, whole) || d.mingled(tokens, whole) ||
		d.backwards(tokens) || d.ideographs(lower)
}

// missing is a token that is in no list.
var missing = word{id: -1}

// rows looks for a phrase in any of the ways in which its words stand apart.
func rows(tokens []word) bool {
	return row(tokens, 1, leastRun, leastRun, fewInRun) || row(tokens, 1, 12, 11, fewInRun) || row(tokens, 1, 16, 12, 12) ||
		row(tokens, 2, 12, 12, fewInRun) || row(tokens, 3, 12, 12, fewInRun) || row(tokens, 4, 12, 12, fewInRun)
}

// row reports a window of so many tokens, each so far from the one before, that
// has enough words of one list, and enough different ones.
func row(tokens []word, step, window, enough, different int) bool {
	var sums [16]int
	for _, t := range tokens {
		for left := t.lists; left != 0; left &= left - 1 {
			sums[bits.TrailingZeros16(left)]++
		}
	}
	for list, sum := range sums {
		if sum < enough {
			continue
		}
		bit := uint16(1) << list
		for offset := range step {
			known := 0
			for i := offset; i < len(tokens); i += step {
				if tokens[i].lists&bit != 0 {
					known++
				}
				if out := i - window*step; out >= 0 && tokens[out].lists&bit != 0 {
					known--
				}
				if known >= enough && varied(tokens, i, step, window, bit) >= different {
					return true
				}
			}
		}
	}
	return false
}

// varied counts the different words of the window that ends at a token.
func varied(tokens []word, end, step, window int, bit uint16) int {
	var seen [16]int
	n := 0
next:
	for i := end; i >= 0 && i > end-window*step; i -= step {
		if tokens[i].lists&bit == 0 {
			continue
		}
		for _, id := range seen[:n] {
			if id == tokens[i].id {
				continue next
			}
		}
		seen[n] = tokens[i].id
		n++
	}
	return n
}

// backwards finds words whose letters stand backwards.
func (d dictionary) backwards(tokens []string) bool {
	turned := make([]word, len(tokens))
	buffer := make([]rune, 0, 32)
	for i, token := range tokens {
		turned[i] = missing
		if len(token) < 3 || len(token) > 32 {
			continue
		}
		buffer = buffer[:0]
		for _, r := range token {
			buffer = append(buffer, r)
		}
		for a, b := 0, len(buffer)-1; a < b; a, b = a+1, b-1 {
			buffer[a], buffer[b] = buffer[b], buffer[a]
		}
		if w, ok := d.all[string(buffer)]; ok {
			turned[i] = w
		}
	}
	return row(turned, 1, leastRun, leastRun, fewInRun) || row(turned, 1, 12, 11, fewInRun)
}

// ideographs reports a text whose Chinese characters are exactly a phrase with
// its checksum: prose uses the same characters, so that nothing less counts.
func (d dictionary) ideographs(lower string) bool {
	var all []rune
	for _, r := range lower {
		if unicode.Is(unicode.Han, r) {
			all = append(all, r)
		}
		if len(all) > 24 {
			return false
		}
	}
	for _, places := range d.chinese {
		var numbers []int
		for _, r := range all {
			if place, ok := places[r]; ok {
				numbers = append(numbers, place)
			}
		}
		if len(numbers) == len(all) && checksum(numbers) {
			return true
		}
	}
	return false
}

// checksum reports whether the places of words in their list carry the checksum
// of BIP-39.
func checksum(numbers []int) bool {
	n := len(numbers)
	if n < 12 || n > 24 || n%3 != 0 {
		return false
	}
	packed := make([]byte, 33)
	for i, number := range numbers {
		if number < 0 || number > 2047 {
			return false
		}
		for b := range 11 {
			if number>>(10-b)&1 == 1 {
				at := i*11 + b
				packed[at/8] |= 0x80 >> (at % 8)
			}
		}
	}
	entropy := n * 4 / 3 // bytes
	sum := sha256.Sum256(packed[:entropy])
	have := packed[entropy]
	mask := byte(0xff) << (8 - n/3)
	return have&mask == sum[0]&mask
}
