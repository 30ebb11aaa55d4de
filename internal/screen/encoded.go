package screen

import (
	"encoding/base64"
	"math/bits"
	"slices"
	"strings"

	"github.com/mr-tron/base58"
)

// Lengths of keys in letters: 16 bytes of entropy, a key, a key with its flag,
// key pairs with and without a flag.
const hexWhole = 32

var hexLengths = []int{64, 66, 128, 130}

// baseLengths are the letters of 32, 33, 48, 64, 65 and 66 bytes in base64, and
// of 32, 33, 37, 38 and 64 in base58.
var baseLengths = []int{43, 44, 45, 46, 51, 52, 64, 86, 87, 88}

// base58Sizes are how many bytes a key has in base58; 37 and 38 are WIF.
var base58Sizes = []int{32, 33, 37, 38, 64}

const (
	hexDistinct   = 8   // different digits
	leastDistinct = 22  // different bytes in the first 32
	leastCase     = 4   // capitals, and small letters
	longRun       = 4   // letters of one kind
	leastPayload  = 160 // letters
	shortPart     = 8   // letters of the shortest part of a key that is broken at any place
	payloadHex    = 132
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
func (c chain) spans(cuts, lengths []int, fits func(from, to int) bool, judge func(piece string) bool) bool {
	cut := make([]bool, len(c.letters)+1)
	for _, at := range cuts {
		cut[at] = true
	}
	for _, from := range cuts {
		for _, n := range lengths {
			if from+n > len(c.letters) {
				break
			}
			if cut[from+n] && fits(from, from+n) && judge(c.letters[from:from+n]) {
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

func hexSeparator(c byte) bool {
	return c <= ' ' || strings.IndexByte(`:,;-._'"|x`, c) >= 0
}

// hexKey finds keys in hexadecimal, however they are grouped.
func hexKey(text string) Class {
	text = strings.NewReplacer("0x", " ", "0X", " ").Replace(text)
	for _, c := range chains(text, hexLetter, hexSeparator, 6) {
		if len(c.letters) < hexWhole {
			continue
		}
		for i, from := range c.cuts[:len(c.cuts)-1] {
			if c.cuts[i+1]-from == hexWhole && distinct(c.letters[from:from+hexWhole]) >= hexDistinct {
				return RawKey
			}
		}
		if c.spans(c.cuts, hexLengths, c.regular, func(piece string) bool { return distinct(piece) >= hexDistinct }) {
			return RawKey
		}
		if len(c.letters) >= payloadHex && c.even(0, c.cuts[1:len(c.cuts)-1], len(c.letters)) && distinct(c.letters) >= hexDistinct {
			return Payload
		}
	}
	return ""
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

// baseKey finds keys in base64 and base58, also broken over lines.
func baseKey(text string) Class {
	for _, c := range chains(text, base64Letter, space, 40) {
		if len(c.letters) < baseLengths[0] {
			continue
		}
		// Signs are letters of base64 and of the text around it as well.
		cuts := slices.Clone(c.cuts)
		for i := range len(c.letters) {
			if sign(c.letters[i]) {
				cuts = append(cuts, i, i+1)
			}
		}
		slices.Sort(cuts)
		// How many capitals and small letters stand before each place.
		upper, lower := make([]int32, len(c.letters)+1), make([]int32, len(c.letters)+1)
		for i := range len(c.letters) {
			upper[i+1], lower[i+1] = upper[i], lower[i]
			switch l := c.letters[i]; {
			case 'A' <= l && l <= 'Z':
				upper[i+1]++
			case 'a' <= l && l <= 'z':
				lower[i+1]++
			}
		}
		mixed := func(from, to int) bool {
			return upper[to]-upper[from] >= leastCase && lower[to]-lower[from] >= leastCase && c.regular(from, to)
		}
		if c.spans(slices.Compact(cuts), baseLengths, mixed, key) {
			return RawKey
		}
	}
	return ""
}

// key reports whether a piece looks drawn at random and decodes to the size of
// a key.
func key(piece string) bool {
	if !random(piece) {
		return false
	}
	if b, err := base64.RawStdEncoding.Strict().DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(piece)); err == nil &&
		!slices.Contains([]int{45, 46, 51, 52}, len(piece)) && distinct(string(b[:32])) >= leastDistinct {
		return true
	}
	b, err := base58.Decode(piece)
	return err == nil && slices.Contains(base58Sizes, len(b)) && distinct(string(b[:32])) >= leastDistinct
}

// random reports letters of mixed kinds, in no order that names and paths have:
// of 150,000 keys none had fewer changes, more signs or more letters in long runs.
func random(piece string) bool {
	var other, signs, changes, shouted, run, long int
	last := 0
	if strings.ContainsAny(piece, "+/") && strings.ContainsAny(piece, "-_") {
		return false
	}
	for i := range len(piece) {
		kind := 0
		switch c := piece[i]; {
		case 'A' <= c && c <= 'Z':
			kind = 1
			if last == 1 {
				shouted++
			}
		case 'a' <= c && c <= 'z':
			kind = 2
		default:
			kind = 3
			other++
			if sign(c) {
				signs++
			}
		}
		if kind != last {
			changes, run = changes+1, 0
		}
		if run++; run == longRun {
			long += longRun
		} else if run > longRun {
			long++
		}
		last = kind
	}
	return changes*10 >= len(piece)*3 && (other > 0 || shouted >= 3) &&
		signs <= len(piece)/5+1 && long*4 <= len(piece)*3
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
