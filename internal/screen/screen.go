// Package screen makes text of unknown authors (wallets, nodes, coin creators,
// clients) fit to be shown, and finds secrets that somebody pasted into it.
//
// It does not judge meaning and does not make text trustworthy.
package screen

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The most code points of a text, by what it is.
const (
	MostSymbol      = 64
	MostName        = 256
	MostDescription = 512
)

// mostMarks is how many combining marks a letter may carry. No living
// orthography needs more, and a pile of them paints over the line above.
const mostMarks = 2

// Flag says what was noticed in a text.
type Flag string

// The flags.
const (
	Escaped     Flag = "escaped"      // characters were replaced by their visible number
	Shortened   Flag = "shortened"    // the end was cut off
	MixedScript Flag = "mixed_script" // letters of several alphabets
	Imitation   Flag = "imitation"    // looks like a known symbol and is not it
)

// Shown is a text that can be shown. Flags is empty for an ordinary one.
type Shown struct {
	Text  string
	Flags []Flag
}

// Name makes a name fit to be shown.
func Name(s string) Shown { return Text(s, MostName) }

// Line is Text for one line: line breaks and tabs become spaces. A most of zero
// or less cuts nothing.
func Line(s string, most int) string {
	if most <= 0 {
		most = math.MaxInt
	}
	return Text(lines.Replace(s), most).Text
}

var lines = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// Text makes a text of at most so many code points fit to be shown. Doing it
// twice changes nothing.
func Text(s string, most int) Shown {
	var shown Shown
	var pieces []string
	count, marks := 0, mostMarks // a mark in front would sit on what stands before the text
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

// visible returns the first character of s as it is shown, and its size in s.
// marks counts the combining marks since the last base character.
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

// hidden reports characters that are not shown as themselves: control and
// format characters, line and paragraph separators, bidirectional controls,
// default-ignorable characters, variation selectors, tags, private use,
// surrogates and unassigned code points.
func hidden(r rune) bool {
	return !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control)
}
