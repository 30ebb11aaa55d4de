package workspace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Withheld is displayed in place of a line with a secret.
const Withheld = "[withheld: looks like a private key or a recovery phrase]"

// withheld returns which lines of a file contain a secret, or nil if none do. It must be given the
// whole file, because a part may not show that a line belongs to a key.
func withheld(data []byte) []bool {
	text := string(data)
	spans := screen.Keys(text)
	if len(spans) == 0 {
		return nil
	}
	starts := []int{0} // start of each line
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	held := make([]bool, len(starts))
	for _, s := range spans {
		for i := lineOf(starts, s.From); i < len(starts) && starts[i] < s.To; i++ {
			held[i] = true
		}
	}
	return held
}

// lineOf returns the index of the line that contains the position at.
func lineOf(starts []int, at int) int {
	i, _ := slices.BinarySearch(starts, at+1)
	return i - 1
}

// Secret reports whether a text contains a secret.
func Secret(text string) bool { return withheld([]byte(text)) != nil }

// masked returns a file in which withheld lines are overwritten by bytes that do not occur in text.
// Nothing matches them, and offsets stay the same.
func masked(data []byte) []byte {
	return replaced(data, func(line []byte) []byte { return bytes.Repeat([]byte{maskByte}, len(line)) })
}

const maskByte = 0xff

// commented returns a source in which withheld lines are comments.
func commented(source []byte) []byte {
	return replaced(source, func([]byte) []byte { return []byte("// " + Withheld) })
}

// replaced returns a file with withheld lines replaced. Their line ends are kept.
func replaced(data []byte, by func(line []byte) []byte) []byte {
	held := withheld(data)
	if held == nil {
		return data
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	var out []byte
	for i, line := range lines {
		if held[i] {
			bare := bytes.TrimRight(line, "\r\n")
			out = append(append(out, by(bare)...), line[len(bare):]...)
		} else {
			out = append(out, line...)
		}
	}
	return out
}

// document is a file for searching and display. Its lines have no line ends and no byte order mark,
// and lines with secrets are replaced by Withheld. Repaired is set if the file is not valid UTF-8
// and contains replacement characters.
type document struct {
	lines    []string
	held     []bool // nil if no line is withheld
	repaired bool
}

func readable(data []byte) (t document) {
	whole := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(whole) {
		whole, t.repaired = strings.ToValidUTF8(whole, "\uFFFD"), true
	}
	if whole == "" {
		return t
	}
	t.held = withheld([]byte(whole))
	t.lines = strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	for i, line := range t.lines {
		//mutant:never ./internal/workspace TestSecretsAreWithheld
		if t.isHeld(i) {
			t.lines[i] = Withheld
		} else {
			t.lines[i] = strings.TrimSuffix(line, "\r")
		}
	}
	return t
}

// isHeld reports whether the line with index i is withheld.
func (t document) isHeld(i int) bool { return t.held != nil && t.held[i] }

// count returns the number of withheld lines from index from up to but not including to.
func (t document) count(from, to int) (n int) {
	for i := from; i < to; i++ {
		if t.isHeld(i) {
			n++
		}
	}
	return n
}

// visible returns a line in which control characters, direction marks and other invisible
// characters are escaped. It keeps tabs.
func visible(line string) string {
	if !strings.ContainsFunc(line, unseen) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		if unseen(r) {
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	//mutant:never ./internal/workspace TestUnseenCharacters
	return r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
