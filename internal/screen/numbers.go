package screen

import (
	"strconv"
	"strings"
)

// leastNumbers is the shortest row that can be a secret: the words of a phrase.
const leastNumbers = 12

// What numbers drawn at random have but for one row in 10^9 (TestChances).
const (
	byteRow       = 32 // bytes of a key
	leastDistinct = 20 // different ones among them
	leastUps      = 6  // that are larger than the one before
	mostUps       = 25 // of 31
	leastDecimals = 68 // digits of a key; half of all have 77
	mostDecimals  = 80 // and none has more, with its flag
	manyFigures   = 6  // different digits
	leastBits     = 128
	leastOnes     = 8 // one in so many of them is a one, and a nought
)

// numberRows gives the whole numbers of a text that stand together but for signs
// and a short word.
func numberRows(text string) [][]int {
	var rows [][]int
	var row []int
	gap := 0
	flush := func() {
		if len(row) >= leastNumbers {
			rows = append(rows, row)
		}
		row = nil
	}
	for i := 0; i < len(text); {
		start, base := i, 10
		if strings.HasPrefix(text[i:], "0x") || strings.HasPrefix(text[i:], "0X") {
			base, i = 16, i+2
		}
		digits := i
		for i < len(text) && (text[i] >= '0' && text[i] <= '9' || base == 16 && hexLetter(text[i])) {
			i++
		}
		if i == digits {
			i = start
			c := text[i]
			i++
			if gap++; c >= 0x80 || gap > 8 {
				flush()
			}
			continue
		}
		number, err := strconv.ParseUint(text[digits:i], base, 31)
		if err != nil {
			flush()
			continue
		}
		if i < len(text) && strings.HasPrefix(text[i:], "u8") {
			i += 2
		}
		row, gap = append(row, int(number)), 0
	}
	flush()
	return rows
}

// everySecond parts a row in which each number has another one to count it.
func everySecond(row []int) (halves [2][]int) {
	for i, n := range row {
		halves[i%2] = append(halves[i%2], n)
	}
	return halves
}

// numberKey finds a key as a list of bytes, one long number or bits.
func numberKey(text string) Class {
	for _, row := range numberRows(text) {
		halves := everySecond(row)
		if byteList(row) || byteList(halves[0]) || byteList(halves[1]) {
			return NumberKey
		}
	}
	if longNumber(text) {
		return NumberKey
	}
	return ""
}

// byteList reports 32 numbers in a row that could be bytes drawn at random.
func byteList(row []int) bool {
	run := 0
	for i, n := range row {
		if n > 255 {
			run = 0
			continue
		}
		if run++; run < byteRow {
			continue
		}
		var seen [256]bool
		different, ups := 0, 0
		for j := i - byteRow + 1; j <= i; j++ {
			if !seen[row[j]] {
				different, seen[row[j]] = different+1, true
			}
			if j > i-byteRow+1 && row[j] > row[j-1] {
				ups++
			}
		}
		if different >= leastDistinct && ups >= leastUps && ups <= mostUps {
			return true
		}
	}
	return false
}

func decimal(c byte) bool { return '0' <= c && c <= '9' }

func binary(c byte) bool { return c == '0' || c == '1' }

// numberSeparator reports what stands between the groups of one long number.
func numberSeparator(c byte) bool { return c <= ' ' || strings.IndexByte("_,.'-", c) >= 0 }

// longNumber reports 68 and more decimal digits, in groups 68 to 80, or 128 and
// more bits.
func longNumber(text string) bool {
	for _, c := range chains(text, decimal, numberSeparator, 2) {
		if len(c.letters) < leastDecimals {
			continue
		}
		for i, from := range c.cuts[:len(c.cuts)-1] {
			if token := c.letters[from:c.cuts[i+1]]; len(token) >= leastDecimals && distinct(token) >= manyFigures {
				return true
			}
		}
		if len(c.letters) <= mostDecimals && c.grouped() && distinct(c.letters) >= manyFigures {
			return true
		}
	}
	for _, c := range chains(text, binary, numberSeparator, 2) {
		ones := strings.Count(c.letters, "1")
		if n := len(c.letters); n >= leastBits && ones*leastOnes >= n && (n-ones)*leastOnes >= n {
			return true
		}
	}
	return false
}

// grouped reports a number written whole or in groups of one size, but for the
// first and the last.
func (c chain) grouped() bool {
	for i := 2; i < len(c.cuts)-1; i++ {
		if i > 1 && c.cuts[i]-c.cuts[i-1] != c.cuts[2]-c.cuts[1] {
			return false
		}
	}
	return true
}

// mostRow is the longest row in which the places of a phrase are looked for: 24,
// and two numbers beside them. Longer ones are tables.
const mostRow = 26

// indexPhrase finds a recovery phrase as the places of its words, counted from
// zero or from one, also with each one's number before or behind it.
func indexPhrase(text string) bool {
	for _, row := range numberRows(text) {
		halves := everySecond(row)
		if placesIn(row) || placesIn(halves[0]) || placesIn(halves[1]) {
			return true
		}
	}
	return false
}

// placesIn finds the places of 12, 15, 18, 21 or 24 words that are too unlikely
// for the numbers of a text.
func placesIn(row []int) bool {
	if len(row) > mostRow {
		return false
	}
	for n := leastNumbers; n <= min(len(row), 24); n += 3 {
		for from := 0; from+n <= len(row); from++ {
			window, less := row[from:from+n], make([]int, n)
			cost := 0
			for i, number := range window {
				cost += figureCost(number)
				less[i] = number - 1
			}
			if 4*cost > mostFigures*n && (checksum(window) || checksum(less)) {
				return true
			}
		}
	}
	return false
}

// mostFigures is what a number of a text costs on average, in quarters of a bit: as far from
// the eleven of a place as twelve of them need (TestChances).
const mostFigures = 35

// figureCost is the surprise of a whole number in a text, in bits: small ones,
// and years, are more usual than others.
func figureCost(n int) int {
	switch {
	case n < 10:
		return 5
	case n < 100:
		return 8
	case n < 1000, 1900 <= n && n < 2050:
		return 12
	}
	return 16
}
