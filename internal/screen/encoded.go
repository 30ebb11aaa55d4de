package screen

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hexadecimal: the letters of entropy, of a key, of a key with its flag, and of
// key pairs with and without one. 40 letters are a commit's and stay.
var (
	hexEntropy = []int{32, 48, 56}
	hexLengths = []int{64, 66, 128, 130}
)

const hexKeyLength = 64

// baseLengths are the letters of 32, 33, 48, 64, 65 and 66 bytes in base64, and
// of 32, 33, 37, 38 and 64 in base58.
var baseLengths = []int{43, 44, 45, 46, 51, 52, 64, 86, 87, 88}

const (
	hexDistinct  = 6   // different digits
	leastPayload = 160 // letters
	shortPart    = 8   // letters of the shortest part of a key that is broken at any place
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
// lengths and that fits, until it says yes.
func (c chain) spans(cuts, lengths []int, fits, judge func(from, to int) bool) bool {
	cut := make([]bool, len(c.letters)+1)
	for _, at := range cuts {
		cut[at] = true
	}
	for _, from := range cuts {
		for _, n := range lengths {
			if from+n > len(c.letters) {
				break
			}
			if cut[from+n] && fits(from, from+n) && judge(from, from+n) {
				return true
			}
		}
	}
	return false
}

// regular reports that a piece is whole, or broken as people and programs break
// one value: in three at most, or into groups of one size but for the last.
// Words of a sentence are not.
func (c chain) regular(from, to int) bool {
	first, _ := slices.BinarySearch(c.cuts, from+1)
	last, _ := slices.BinarySearch(c.cuts, to)
	inner := c.cuts[first:last]
	if len(inner) <= 2 {
		at := from
		for _, cut := range inner {
			if cut-at < shortPart {
				return c.even(from, inner, to)
			}
			at = cut
		}
		return len(inner) == 0 || to-at >= shortPart || c.even(from, inner, to)
	}
	return c.even(from, inner, to)
}

// even reports pieces of one size but for a shorter last one.
func (c chain) even(from int, inner []int, to int) bool {
	for i, cut := range inner {
		if cut-from != (inner[0]-from)*(i+1) {
			return false
		}
	}
	return len(inner) == 0 || to-inner[len(inner)-1] <= inner[0]-from
}

// hexSeparator reports what may stand between groups: anything that is neither
// letter nor digit, and the x of 0x.
func hexSeparator(c byte) bool {
	return c == 'x' || !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf)
}

// hexKey finds keys in hexadecimal, however they are grouped. As many letters as
// a key has stand in no other number that a proposal needs.
func hexKey(text string) Class {
	text = strings.NewReplacer("0x", " ", "0X", " ").Replace(text)
	for _, c := range chains(text, hexLetter, hexSeparator, 6) {
		if len(c.letters) < hexEntropy[0] {
			continue
		}
		for i, from := range c.cuts[:len(c.cuts)-1] {
			token := c.letters[from:c.cuts[i+1]]
			if len(token) >= payloadHex && varied16(token) {
				return Payload
			}
			if (slices.Contains(hexEntropy, len(token)) || len(token) >= hexKeyLength) && varied16(token) {
				return RawKey
			}
		}
		if c.spans(c.cuts, hexLengths, c.regular, func(from, to int) bool { return grouped16(c.letters[from:to]) }) {
			return RawKey
		}
		if len(c.letters) >= payloadHex && c.even(0, c.cuts[1:len(c.cuts)-1], len(c.letters)) && grouped16(c.letters) {
			return Payload
		}
	}
	return ""
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

// baseKey finds keys in base64 and base58, also broken over lines: letters that
// stand together, as many as a key has, and that no language and no program
// would put so.
func (s *Secrets) baseKey(text string) Class {
	for _, c := range chains(text, base64Letter, space, 40) {
		if len(c.letters) < leastDrawn {
			continue
		}
		sums := s.likely.sums(c)
		for i, from := range c.cuts[:len(c.cuts)-1] {
			if drawn(sums, from, c.cuts[i+1]) {
				return RawKey
			}
		}
		// Signs are letters of base64 and of the text around it as well.
		cuts := slices.Clone(c.cuts)
		for i := range len(c.letters) {
			if sign(c.letters[i]) {
				cuts = append(cuts, i, i+1)
			}
		}
		slices.Sort(cuts)
		if c.spans(slices.Compact(cuts), baseLengths, c.regular, func(from, to int) bool { return drawn(sums, from, to) }) {
			return RawKey
		}
	}
	return ""
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

// bech32Letters is the alphabet of Bech32 (BIP-173), by value.
const bech32Letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

const (
	suiPart   = "suiprivkey"
	suiLength = 59 // letters after the separator: 33 bytes and six of checksum
)

// suiKey finds a Sui private key in letters and digits of lower case: its human
// part, or its data part alone, forwards or backwards, whatever stands between.
func suiKey(lower string) bool {
	letters := make([]byte, 0, len(lower))
	for i := range len(lower) {
		if c := lower[i]; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			letters = append(letters, c)
		}
	}
	if strings.Contains(string(letters), suiPart) {
		return true
	}
	if checked(letters) {
		return true
	}
	slices.Reverse(letters)
	return strings.Contains(string(letters), suiPart) || checked(letters)
}

// checked reports a piece whose Bech32 checksum verifies under the human part.
// The checksum is linear, so that a piece one letter further costs one step.
func checked(letters []byte) bool {
	var value [256]int8
	for i := range value {
		value[i] = int8(strings.IndexByte(bech32Letters, byte(i)))
	}
	state := uint32(1)
	for i := range len(suiPart) {
		state = polymod(state) ^ uint32(suiPart[i]>>5)
	}
	state = polymod(state)
	for i := range len(suiPart) {
		state = polymod(state) ^ uint32(suiPart[i]&31)
	}
	// What a letter still adds once it has left the piece, and what the human
	// part adds to every piece.
	var leaving [32]uint32
	for v := range leaving {
		leaving[v] = shifted(uint32(v))
	}
	want := shifted(state) ^ 1
	sum, run := uint32(0), 0
	for i, c := range letters {
		v := value[c]
		if v < 0 {
			sum, run = 0, 0
			continue
		}
		sum = polymod(sum) ^ uint32(v)
		if run++; run > suiLength {
			sum ^= leaving[value[letters[i-suiLength]]]
		}
		if run >= suiLength && sum == want {
			return true
		}
	}
	return false
}

// shifted takes a state over the letters of one piece that are all zero.
func shifted(state uint32) uint32 {
	for range suiLength {
		state = polymod(state)
	}
	return state
}

// polymod is one step of the Bech32 checksum, before the letter is added.
func polymod(state uint32) uint32 {
	top := state >> 25
	state = (state & 0x1ffffff) << 5
	for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
		if top>>i&1 == 1 {
			state ^= g
		}
	}
	return state
}
