// Package screen makes untrusted text, such as names from wallets, nodes and coin creators, safe to
// display. It also finds secrets that a user pasted by accident.
//
// It does not judge what a text says, and does not make it trustworthy.
package screen

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Maximum lengths in code points, by kind of text.
const (
	MostSymbol      = 64
	MostName        = 256
	MostDescription = 512
)

// mostMarks limits the combining marks on one character. No living language needs more, and many
// marks would cover the line above.
const mostMarks = 2

// Flag describes a problem found in a text.
type Flag string

// The flags.
const (
	Escaped     Flag = "escaped"      // characters were replaced by their code point
	Shortened   Flag = "shortened"    // the end was cut off
	MixedScript Flag = "mixed_script" // letters of several alphabets in one word
	Imitation   Flag = "imitation"    // resembles a known symbol but differs
)

// Shown is a text that is safe to display, with the problems that were found in it.
type Shown struct {
	Text  string
	Flags []Flag
}

// Name makes a name safe to display.
func Name(s string) Shown { return Text(s, MostName) }

// Line is like Text but returns a single line, in which line breaks and tabs are spaces. It does
// not shorten the text if most is zero or less.
func Line(s string, most int) string {
	if most <= 0 {
		most = math.MaxInt
	}
	return Text(lines.Replace(s), most).Text
}

var lines = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// Text makes a text safe to display and shortens it to most code points. It is idempotent.
func Text(s string, most int) Shown {
	var shown Shown
	var pieces []string
	count, marks := 0, mostMarks // as if after a full character, so that a leading mark is escaped
	for len(s) > 0 && count <= most {
		piece, size := visible(s, &marks)
		if piece != s[:size] && len(shown.Flags) == 0 {
			shown.Flags = append(shown.Flags, Escaped)
		}
		pieces = append(pieces, piece)
		count += utf8.RuneCountInString(piece)
		s = s[size:]
	}
	if count > most {
		for count >= most {
			last := len(pieces) - 1
			count -= utf8.RuneCountInString(pieces[last])
			pieces = pieces[:last]
		}
		pieces = append(pieces, "…")
		shown.Flags = append(shown.Flags, Shortened)
	}
	shown.Text = strings.Join(pieces, "")
	if mixed(shown.Text) {
		shown.Flags = append(shown.Flags, MixedScript)
	}
	return shown
}

// visible returns the displayed form of the first character of s, and its size in s. marks counts
// the combining marks since the last base character.
func visible(s string, marks *int) (piece string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("⟦0x%02X⟧", s[0]), 1
	case hidden(r):
		return fmt.Sprintf("⟦U+%04X⟧", r), size
	case !unicode.In(r, unicode.Mn, unicode.Me):
		*marks = 0
	case *marks >= mostMarks:
		return fmt.Sprintf("⟦U+%04X⟧", r), size
	default:
		*marks++
	}
	return s[:size], size
}

// hidden reports whether a character may not be displayed as itself. Such characters are control
// and format characters, line and paragraph separators, bidirectional controls, default-ignorable
// characters, variation selectors, tags, private use, surrogates and unassigned code points.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control)
}
