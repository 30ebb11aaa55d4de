// Package screen makes text of unknown authors (wallets, nodes, coin creators,
// clients) fit to be shown: nothing invisible, nothing that reorders a line,
// bounded, and marked where it imitates a known symbol.
//
// It does not judge meaning and does not make text trustworthy.
package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The most code points of a text, by what it is.
const (
	MostSymbol      = 64
	MostName        = 256
	MostDescription = 512
)

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

// Known are symbols that others must not be mistaken for. It is made once: what
// each of them looks like is computed then.
type Known struct{ looks map[string][]string }

// NewKnown makes a set of known symbols.
func NewKnown(symbols []string) Known {
	k := Known{map[string][]string{}}
	for _, s := range symbols {
		look := skeleton(s)
		k.looks[look] = append(k.looks[look], s)
	}
	return k
}

// Symbol makes a symbol fit to be shown and compares it with the known ones: a
// text that looks like one of them without being it is an Imitation.
func (k Known) Symbol(s string) Shown {
	shown := Text(s, MostSymbol)
	for _, alike := range k.looks[skeleton(s)] {
		if alike != s {
			shown.Flags = append(shown.Flags, Imitation)
			break
		}
	}
	return shown
}

// Text makes a text of at most so many code points fit to be shown. Doing it
// twice changes nothing.
func Text(s string, most int) Shown {
	var shown Shown
	var pieces []string
	count := 0
	for len(s) > 0 && count <= most {
		piece, size := visible(s)
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

// visible gives the first character of s as it is shown, and its size in s.
func visible(s string) (piece string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("⟦0x%02X⟧", s[0]), 1
	case hidden(r):
		return fmt.Sprintf("⟦U+%04X⟧", r), size
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

// scripts are the alphabets whose letters imitate each other.
var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian,
	unicode.Cherokee, unicode.Hebrew, unicode.Arabic}

// mixed reports letters of more than one of those alphabets in one word.
func mixed(s string) bool {
	for word := range strings.FieldsSeq(s) {
		seen := 0
		for _, table := range scripts {
			if strings.IndexFunc(word, func(r rune) bool { return unicode.Is(table, r) }) >= 0 {
				seen++
			}
		}
		if seen > 1 {
			return true
		}
	}
	return false
}

// lookalikes fold letters of other alphabets, and digits, to the Latin letter
// that they look like in common fonts.
var lookalikes = strings.NewReplacer(
	"а", "a", "в", "b", "е", "e", "ѕ", "s", "і", "l", "ј", "j", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p",
	"с", "c", "т", "t", "у", "y", "х", "x", "ԁ", "d", "һ", "h", "ӏ", "l", "ԛ", "q", "ԝ", "w", "ѵ", "v", "ь", "b",
	"α", "a", "β", "b", "ε", "e", "ζ", "z", "η", "h", "ι", "l", "κ", "k", "μ", "m", "ν", "v", "ο", "o", "ρ", "p",
	"τ", "t", "υ", "u", "χ", "x", "ϲ", "c", "ѡ", "w", "օ", "o", "ս", "u", "ո", "n", "հ", "h", "ց", "g",
	"0", "o", "1", "l", "i", "l", "|", "l", "5", "s", "ø", "o", "đ", "d", "ı", "l", "ƽ", "s",
)

// skeleton is what a symbol looks like: compatibility forms, case, marks and
// hidden characters removed, look-alikes folded.
func skeleton(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if !hidden(r) && !unicode.Is(unicode.Mn, r) && !unicode.IsSpace(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return lookalikes.Replace(b.String())
}
