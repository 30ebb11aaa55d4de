package screen

import (
	"encoding/base64"
	"math/bits"
	"slices"
	"strings"
)

// Hexadecimal: the letters of entropy, of a key, of a key with its flag, and of
// key pairs with and without one. 40 letters are a commit's and stay.
var (
	hexEntropy = []int{32, 48}
	hexLengths = []int{64, 66, 128, 130}
)

// leastHex is the least of one token: a key without its leading noughts.
const leastHex = 56

// baseLengths are the letters of 32, 33, 48, 64, 65 and 66 bytes in base64, of
// 32, 33, 37, 38 and 64 in base58, and of a Sui key in Bech32 without its head.
var baseLengths = []int{42, 43, 44, 45, 46, 51, 52, 59, 64, 86, 87, 88}

const (
	hexDistinct  = 6   // different digits
	leastPayload = 160 // letters
	shortPart    = 8   // letters of the shortest part of a key that is broken at any place
	mostParts    = 8   // of one key
	payloadHex   = 132
)

func hexLetter(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func base64Letter(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || sign(c)
}

func sign(c byte) bool { return c == '+' || c == '/' || c == '-' || c == '_' }

// chain is letters that stand together but for separators. Cuts are where a
// token of it begins or ends, in ascending order, 0 and the length among them.
type chain struct {
	letters string
	cuts    []int
}

// chains cuts a text into them. A gap of at most so many separators joins.
func chains(text string, letter, separator func(byte) bool, gap int) []chain {
	var all []chain
	var b strings.Builder
	var cuts []int
	flush := func() {
		if b.Len() > 0 {
			all = append(all, chain{b.String(), append(cuts, b.Len())})
		}
		b.Reset()
		cuts = nil
	}
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && letter(text[i]) {
			i++
		}
		if i > start {
			cuts = append(cuts, b.Len())
			b.WriteString(text[start:i])
		}
		start = i
		for i < len(text) && !letter(text[i]) && separator(text[i]) {
			i++
		}
		if i-start > gap || i < len(text) && !letter(text[i]) {
			flush()
			for i < len(text) && !letter(text[i]) {
				i++
			}
		}
	}
	flush()
	return all
}

// spans calls judge with every piece between two cuts that has one of the
// lengths, ascending, and whose inner cuts fit, until it says yes.
func (c chain) spans(lengths []int, fits func(from int, inner []int, to int) bool, judge func(from, to int) bool) bool {
	cut := make([]int32, len(c.letters)+1) // its number, plus one
	for i, at := range c.cuts {
		cut[at] = int32(i + 1)
	}
	for i, from := range c.cuts {
		for _, n := range lengths {
			if from+n > len(c.letters) {
				break
			}
			end := int(cut[from+n]) - 1
			if end > i && fits(from, c.cuts[i+1:end], from+n) && judge(from, from+n) {
				return true
			}
		}
	}
	return false
}

// regular reports that a piece is whole, or broken as people and programs break
// one value: in three at most, or into groups of one size but for the last.
// Words of a sentence are not.
func regular(from int, inner []int, to int) bool {
	if len(inner) > 2 {
		return even(from, inner, to)
	}
	at := from
	for _, cut := range inner {
		if cut-at < shortPart {
			return even(from, inner, to)
		}
		at = cut
	}
	return len(inner) == 0 || to-at >= shortPart || even(from, inner, to)
}

// paired reports that a piece is broken into groups of two, four or eight.
func paired(from int, inner []int, to int) bool {
	return len(inner) > 0 && slices.Contains([]int{2, 4, 8}, inner[0]-from) && even(from, inner, to)
}

// fair reports that a piece is broken once, at any place, or into groups of one
// size, of three and more: the names in a line of a program, and the figures of
// a table, are not.
func fair(from int, inner []int, to int) bool {
	if len(inner) == 1 && inner[0]-from >= shortPart && to-inner[0] >= shortPart {
		return true
	}
	const leastGroup = 3
	return len(inner) > 0 && inner[0]-from >= leastGroup && even(from, inner, to)
}

// even reports pieces of one size but for a shorter last one.
func even(from int, inner []int, to int) bool {
	for i, cut := range inner {
		if cut-from != (inner[0]-from)*(i+1) {
			return false
		}
	}
	return len(inner) == 0 || to-inner[len(inner)-1] <= inner[0]-from
}

// hexSeparator reports what may stand between groups: anything that is neither
// letter nor digit, and the x of 0x.
func hexSeparator(c byte) bool { return c == 'x' || !alphanumeric(c) }

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// hexKey finds keys in hexadecimal, however they are grouped. As many letters as
// a key has stand in no other number that a proposal needs.
func hexKey(text string) Class {
	text = strings.NewReplacer("0x", " ", "0X", " ", `\u00`, " ").Replace(text)
	for _, c := range chains(text, hexLetter, hexSeparator, 8) {
		if len(c.letters) < hexEntropy[0] || !varied16(c.letters) {
			continue
		}
		for i, from := range c.cuts[:len(c.cuts)-1] {
			token := c.letters[from:c.cuts[i+1]]
			if len(token) >= payloadHex && varied16(token) {
				return Payload
			}
			if slices.Contains(hexEntropy, len(token)) && varied16(token) || len(token) >= leastHex && grouped16(token) {
				return RawKey
			}
		}
		groups := func(from, to int) bool { return grouped16(c.letters[from:to]) }
		if c.spans(hexLengths, regular, groups) || c.spans(hexEntropy, paired, groups) {
			return RawKey
		}
		if len(c.letters) >= payloadHex && even(0, c.cuts[1:len(c.cuts)-1], len(c.letters)) && grouped16(c.letters) {
			return Payload
		}
	}
	var tokens []string
	var sizes []int
	for _, c := range chains(text, alphanumeric, func(byte) bool { return false }, 0) {
		if n := len(c.letters); n >= shortPart && n <= hexLengths[1] && strings.Trim(c.letters, "0123456789abcdefABCDEF") == "" {
			tokens, sizes = append(tokens, c.letters), append(sizes, n)
		}
	}
	if parts(sizes, hexLengths[:2], func(from, to int) bool { return grouped16(strings.Join(tokens[from:to], "")) }) {
		return RawKey
	}
	return ""
}

// parts calls judge with every row of pieces whose letters add up to one of the
// lengths, until it says yes: two of any size, or up to eight of one size but for
// the last. A key may be told so, with words between.
func parts(sizes, lengths []int, judge func(from, to int) bool) bool {
	for from, first := range sizes {
		sum := first
		for to := from + 1; to < min(len(sizes), from+mostParts); to++ {
			if sum += sizes[to]; sum > lengths[len(lengths)-1] {
				break
			}
			fair := to == from+1 || sizes[to] <= first
			if fair && slices.Contains(lengths, sum) && judge(from, to+1) {
				return true
			}
			if sizes[to] != first {
				break
			}
		}
	}
	return false
}

// varied16 reports digits as different as those of a key: one of 10^12 has fewer.
func varied16(piece string) bool { return distinct(piece) >= hexDistinct }

// grouped16 reports the same of digits in groups, not all decimal: figures in
// a column are no key. One key of 10^13 has no letter.
func grouped16(piece string) bool {
	return varied16(piece) && strings.ContainsAny(piece, "abcdefABCDEF")
}

func distinct(s string) int {
	var seen [4]uint64
	for i := range len(s) {
		seen[s[i]>>6] |= 1 << (s[i] & 63)
	}
	n := 0
	for _, word := range seen {
		n += bits.OnesCount64(word)
	}
	return n
}

func space(c byte) bool { return c <= ' ' }

func between(c byte) bool { return !base64Letter(c) }

// baseKey finds keys in base64 and base58, also broken over lines or told in
// parts: letters as many as a key has, that no language and no program would put
// so.
func (s *Secrets) baseKey(text string) Class {
	if paddedEntropy(text) {
		return RawKey
	}
	for _, c := range chains(text, base64Letter, between, 40) {
		if len(c.letters) < leastDrawn {
			continue
		}
		sums := s.likely.sums(c)
		var long, sizes []int
		for i, from := range c.cuts[:len(c.cuts)-1] {
			if drawn(sums, from, c.cuts[i+1]) {
				return RawKey
			}
			if n := c.cuts[i+1] - from; n >= shortPart {
				long, sizes = append(long, i), append(sizes, n)
			}
		}
		told := func(from, to int) bool {
			cost, n := int32(0), 0
			for i, token := range long[from:to] {
				cost += sums[c.cuts[token+1]] - sums[c.cuts[token]]
				n += sizes[from+i]
			}
			return int(cost)*leastDrawn > mostDrawn*n
		}
		if parts(sizes, baseLengths, told) {
			return RawKey
		}
		if c.spans(baseLengths, fair, func(from, to int) bool { return drawn(sums, from, to) }) {
			return RawKey
		}
	}
	return ""
}

// paddedEntropy reports 16 bytes in base64 with both of its padding signs, and no
// readable text.
func paddedEntropy(text string) bool {
	const letters = 22
	for at := 0; ; {
		next := strings.Index(text[at:], "==")
		if next < 0 {
			return false
		}
		end := at + next
		at = end + 2
		start := end
		for start > 0 && end-start <= letters && base64Letter(text[start-1]) {
			start--
		}
		if end-start != letters {
			continue
		}
		b, err := base64.RawStdEncoding.DecodeString(standard.Replace(text[start:end]))
		if err == nil && !readable(b) {
			return true
		}
	}
}

// payload finds long encoded texts: transactions, signatures, archives. Lines
// that were wrapped count together.
func payload(text string) Class {
	for _, c := range chains(text, base64Letter, space, 4) {
		if len(c.letters) < leastPayload {
			continue
		}
		for i := 0; i < len(c.cuts)-1; i++ {
			// A line of at least 40 letters goes on in the next one.
			end := i + 1
			for end < len(c.cuts)-1 && c.cuts[end]-c.cuts[end-1] >= 40 {
				end++
			}
			if piece := c.letters[c.cuts[i]:c.cuts[end]]; len(piece) >= leastPayload && dense(piece) {
				return Payload
			}
		}
	}
	return ""
}

// dense reports letters of an encoding, not a ruled line, a path or a sentence.
func dense(piece string) bool {
	signs := strings.Count(piece, "-") + strings.Count(piece, "_") + strings.Count(piece, "/")
	return distinct(piece) >= hexDistinct && signs*8 < len(piece)
}
