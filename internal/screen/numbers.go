package screen

import (
	"strconv"
	"strings"
)

// leastNumbers is the shortest row that can be a secret: the words of a phrase.
const leastNumbers = 12

// numberRows gives the whole numbers of a text that stand together but for signs.
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
			if gap++; c >= 0x80 || gap > 8 || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
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

// numberKey finds a key as a list of bytes, one long number or bits.
func numberKey(text string) Class {
	for _, row := range numberRows(text) {
		if byteList(row) {
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
	const size = 32
	small := 0
	for i, n := range row {
		if n > 255 {
			small = 0
			continue
		}
		if small++; small < size {
			continue
		}
		var seen [256]bool
		different, ups := 0, 0
		for j := i - size + 1; j <= i; j++ {
			if !seen[row[j]] {
				different, seen[row[j]] = different+1, true
			}
			if j > i-size+1 && row[j] > row[j-1] {
				ups++
			}
		}
		if different >= leastDistinct && ups >= 8 && ups <= 24 {
			return true
		}
	}
	return false
}

// longNumber reports 70 to 78 decimal digits, or 128 to 264 bits, also in groups.
func longNumber(text string) bool {
	separator := func(c byte) bool { return c <= ' ' || c == '_' || c == ',' || c == '\'' }
	for _, c := range chains(text, func(c byte) bool { return '0' <= c && c <= '9' }, separator, 2) {
		n := len(c.letters)
		ones := strings.Count(c.letters, "1")
		if ones+strings.Count(c.letters, "0") == n {
			if n >= 128 && n <= 264 && ones*4 >= n && ones*4 <= 3*n {
				return true
			}
			continue
		}
		if n >= 70 && c.grouped() && distinct(c.letters) >= 6 {
			for i, from := range c.cuts[:len(c.cuts)-1] {
				if len(c.cuts) > 2 && n <= 78 || c.cuts[i+1]-from >= 70 && c.cuts[i+1]-from <= 78 {
					return true
				}
			}
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

// indexPhrase finds a recovery phrase as the places of its words, counted from
// zero or from one. Small numbers, as in dates and lists, do not count.
func indexPhrase(text string) bool {
	for _, row := range numberRows(text) {
		if len(row) > 24 {
			continue
		}
		large := 0
		less := make([]int, len(row))
		for i, n := range row {
			less[i] = n - 1
			if n >= 256 {
				large++
			}
		}
		if large*2 >= len(row) && (checksum(row) || checksum(less)) {
			return true
		}
	}
	return false
}
