package screen

import (
	"math"
	"strings"
)

// A key of 32 bytes is one of 2^256 texts, all as likely as each other. Names,
// paths and words are few in comparison: likely tells how few. It gives every
// text of letters, digits and signs a probability, and these add up to one; so
// at most 2^218 texts of 42 letters have as much as 2^-218, and the letters of a
// fresh key, which hold 252 bits in base64, are one of those with a probability
// of at most 2^-34. That holds whatever the probabilities are; the better they
// know language, the fewer names are refused. (TestChances has the probability
// itself, which is far smaller.)
const (
	// leastDrawn is how many letters are judged together. A key has 43 in base64,
	// and no fewer than 42 in base58 but for one in 2^32.
	leastDrawn   = 42
	languageBits = 235
)

// bit is the unit in which costs are counted: a cost is -log2 of a probability.
const bit = 64

const mostDrawn = languageBits * bit

// The letters by number: 26 small ones, 26 capitals, ten digits, four signs.
const (
	firstUpper = 26
	firstDigit = 52
	firstSign  = 62
	symbols    = 66
)

// kind is what a letter is: small, a capital, a digit or a sign.
type kind int

const (
	small kind = iota
	capital
	digit
	signs // and gaps
	kinds
)

// likely holds the costs of a letter after another one, and after a gap (the
// last row), among those of its kind; and of a kind after two others.
type likely struct {
	letters [symbols + 1][symbols]int32
	kinds   [kinds][kinds][kinds]int32
}

// after is how often a kind follows two others in names, paths and prose with
// code: small letters, capitals, digits, signs.
var after = [kinds][kinds][kinds]float64{
	small:   {{.88, .04, .03, .05}, {.75, .15, .05, .05}, {.15, .10, .50, .25}, {.60, .20, .12, .08}},
	capital: {{.88, .04, .03, .05}, {.08, .78, .04, .10}, {.10, .20, .45, .25}, {.25, .55, .12, .08}},
	digit:   {{.70, .05, .10, .15}, {.40, .35, .15, .10}, {.06, .04, .75, .15}, {.35, .15, .42, .08}},
	signs:   {{.82, .05, .05, .08}, {.50, .38, .05, .07}, {.08, .07, .60, .25}, {.45, .20, .10, .25}},
}

// newLikely counts which letters follow each other in the Latin lists.
func newLikely(lists [][]string) likely {
	var pairs [27][26]float64 // the last row begins a word
	for i, list := range lists[:latin] {
		weight := 1.0
		if i == 0 {
			weight = 3 // names in programs are English
		}
		for _, entry := range list {
			last := byte(26)
			for _, c := range []byte(bare(strings.ToLower(entry))) {
				if c -= 'a'; c < 26 {
					pairs[last][c] += weight
					last = c
				}
			}
		}
	}
	for i := range pairs {
		sum := 0.0
		for _, n := range pairs[i] {
			sum += n
		}
		for j := range pairs[i] {
			const unknown = .08 // of letters follow no pattern of a list
			pairs[i][j] = (1-unknown)*pairs[i][j]/sum + unknown/26
		}
	}
	var l likely
	for from := range l.letters {
		for to := range l.letters[from] {
			l.letters[from][to] = cost(chance(&pairs, from, to))
		}
	}
	for a := range kinds {
		for b := range kinds {
			for c := range kinds {
				l.kinds[a][b][c] = cost(after[a][b][c])
			}
		}
	}
	return l
}

func cost(probability float64) int32 { return int32(math.Ceil(-math.Log2(probability) * bit)) }

// chance is the probability of a letter after another, among those of its kind.
func chance(pairs *[27][26]float64, from, to int) float64 {
	before, now := kindOf(from), kindOf(to)
	switch {
	case now == digit:
		return 1. / 10
	case now == signs:
		return 1. / 4
	case before == digit || before == signs || before == small && now == capital:
		return pairs[26][to%26]
	}
	return pairs[from%26][to%26]
}

// kindOf gives the kind of a letter by its number; a gap counts as a sign.
func kindOf(n int) kind {
	switch {
	case n < firstUpper:
		return small
	case n < firstDigit:
		return capital
	case n < firstSign:
		return digit
	}
	return signs
}

// numberOf gives the number of a letter of base64, in either alphabet.
func numberOf(c byte) int {
	switch {
	case 'a' <= c && c <= 'z':
		return int(c - 'a')
	case 'A' <= c && c <= 'Z':
		return firstUpper + int(c-'A')
	case '0' <= c && c <= '9':
		return firstDigit + int(c-'0')
	}
	return firstSign + strings.IndexByte("+/-_", c)
}

// sums gives the costs of a chain up to every place. What stands between two
// signs or gaps counts as words or as hexadecimal, whichever is likelier: a
// commit, a UUID and the like are no keys of base64.
func (l *likely) sums(c chain) []int32 {
	all := make([]int32, len(c.letters)+1)
	for i := range len(c.cuts) - 1 {
		for at := c.cuts[i]; at < c.cuts[i+1]; {
			end := at
			for end < c.cuts[i+1] && !sign(c.letters[end]) {
				end++
			}
			if end == at {
				end++
			}
			l.add(all, c.letters, c.cuts[i], at, end)
			at = end
		}
	}
	return all
}

// The costs of the choice between words and hexadecimal, and of a letter of it.
const (
	asWords = 21  // 80 of 100
	asHex   = 213 // 10 of 100 for each case
	hexCost = 262 // one of 16, and one in 16 is the last
)

// add fills the sums of one stretch of a token that begins at start.
func (l *likely) add(all []int32, letters string, start, from, to int) {
	low, high := true, true
	for i := from; i < to; i++ {
		c := letters[i]
		figure := '0' <= c && c <= '9'
		low, high = low && (figure || 'a' <= c && c <= 'f'), high && (figure || 'A' <= c && c <= 'F')
		all[i+1] = all[i] + l.cost(letters, start, i)
		if i == from {
			all[i+1] += asWords
		}
	}
	if (low || high) && asHex+hexCost*int32(to-from) < all[to]-all[from] {
		for i := from; i < to; i++ {
			all[i+1] = all[from] + asHex + hexCost*int32(i+1-from)
		}
	}
}

// cost is what a letter costs after those before it in its token. After two
// equal letters, or two in the order of the alphabet, every second one goes on so.
func (l *likely) cost(letters string, start, i int) int32 {
	n, one, two := numberOf(letters[i]), symbols, symbols
	if i > start {
		one = numberOf(letters[i-1])
	}
	if i > start+1 {
		two = numberOf(letters[i-2])
	}
	cost := l.letters[one][n] + l.kinds[kindOf(two)][kindOf(one)][kindOf(n)]
	if step := one - two; two < symbols && (step == 0 || step == 1) {
		if n == one+step {
			return min(cost, bit)
		}
		return cost + bit
	}
	return cost
}

// drawn reports that letters from one place to another were drawn at random:
// 42 of them in a row are too unlikely for words.
func drawn(sums []int32, from, to int) bool {
	for i := from; i+leastDrawn <= to; i++ {
		if sums[i+leastDrawn]-sums[i] > mostDrawn {
			return true
		}
	}
	return false
}
