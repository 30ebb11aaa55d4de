package screen

import (
	"slices"
	"strings"
)

// leastCodes is the shortest row of character codes that is read as text.
const leastCodes = 16

// codes reads rows of decimal or hexadecimal numbers as characters of ASCII.
func codes(text string) string {
	var b strings.Builder
	for _, row := range numberRows(text) {
		if len(row) < leastCodes || slices.ContainsFunc(row, func(n int) bool { return n > '~' || n < ' ' && n != '\n' && n != '\t' && n != '\r' }) {
			continue
		}
		for _, n := range row {
			b.WriteByte(byte(n))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// alphabet are the words that spell a digit or a letter.
var alphabet = func() map[string]byte {
	all := map[string]byte{"oh": '0', "alpha": 'a', "juliet": 'j', "niner": '9', "x-ray": 'x'}
	for i, word := range strings.Fields("zero one two three four five six seven eight nine") {
		all[word] = byte('0' + i)
	}
	for i, word := range strings.Fields("alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november " +
		"oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu") {
		all[word] = byte('a' + i)
	}
	return all
}()

// leastSpelled is the shortest row of spelled letters that is read as one.
const leastSpelled = 24

// spelled reads rows of digits and letters that are told one by one, most of
// them by words such as "seven" or "foxtrot".
func spelled(text string) string {
	var b strings.Builder
	var row []byte
	byWord := 0
	flush := func() {
		if len(row) >= leastSpelled && byWord*4 >= len(row) {
			b.Write(row)
			b.WriteByte('\n')
		}
		row, byWord = row[:0], 0
	}
	for token := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < '0' || r > 'z' || r > '9' && r < 'A' || r > 'Z' && r < 'a' }) {
		if len(token) == 1 {
			row = append(row, token[0])
			continue
		}
		letter, ok := byte(0), false
		if len(token) <= 8 {
			letter, ok = alphabet[strings.ToLower(token)]
		}
		if !ok {
			flush()
			continue
		}
		row, byWord = append(row, letter), byWord+1
	}
	flush()
	return b.String()
}

// leastLeet is how many digits stand for letters in a text that writes so.
const leastLeet = 6

// unleet reads digits inside words as the letters that they look like; a one as
// the letter given. It is empty where hardly any stand there.
func unleet(text string, one byte) string {
	b := []byte(text)
	changed := 0
	for start := 0; start < len(b); {
		end, lettered := start, false
		for end < len(b) && alphanumeric(b[end]) {
			lettered = lettered || !decimal(b[end])
			end++
		}
		for i := start; lettered && i < end; i++ {
			if at := strings.IndexByte("013457", b[i]); at >= 0 {
				changed++
				b[i] = []byte{'o', one, 'e', 'a', 's', 't'}[at]
			}
		}
		start = end + 1
	}
	if changed < leastLeet {
		return ""
	}
	return string(b)
}
