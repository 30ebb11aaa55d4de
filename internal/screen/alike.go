package screen

import (
	_ "embed" // for the table of look-alikes
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Known is a set of symbols that others must not imitate. It holds their skeletons, so build it
// once.
type Known struct{ looks map[string][]string }

// NewKnown returns a set of known symbols.
func NewKnown(symbols []string) Known {
	k := Known{map[string][]string{}}
	for _, s := range symbols {
		look := skeleton(s)
		k.looks[look] = append(k.looks[look], s)
	}
	return k
}

// Symbol makes a symbol safe to display. It adds the flag Imitation if the symbol looks like a
// known one but differs from it. It accepts an original text or the result of Text.
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

// Deceptive reports whether a name, in its original form, contains hidden characters, mixes the
// Latin alphabet with another one, or looks like one of the other names but is spelled differently.
func Deceptive(name string, others ...string) bool {
	latin, foreign, ascii := false, false, true
	for _, c := range name {
		switch {
		case hidden(c) || unicode.Is(unicode.Mn, c):
			return true
		case unicode.Is(unicode.Latin, c):
			latin = true
		case unicode.IsLetter(c):
			foreign = true
		}
		ascii = ascii && c <= unicode.MaxASCII
	}
	if latin && foreign {
		return true
	}
	for _, other := range others {
		if !ascii && name != other && skeleton(name) == skeleton(other) {
			return true
		}
	}
	return false
}

// scripts are the alphabets that have letters in common with each other.
var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian,
	unicode.Cherokee, unicode.Hebrew, unicode.Arabic, unicode.Lisu, unicode.Coptic, unicode.Canadian_Aboriginal}

// ours is the skeleton of this program's name.
var ours = plainLook("Say Ur Intent")

// NamesUs reports whether an untrusted text contains this program's name, in any spacing and case,
// and also if it is written with look-alike letters.
func NamesUs(text string) bool { return strings.Contains(plainLook(text), ours) }

// plainLook returns the skeleton of a text, without spaces and punctuation.
func plainLook(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, skeleton(text))
}

// mixed reports whether a word contains letters of more than one of the scripts.
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

// alikeTable has a line for each Latin letter, followed by the characters that look like it in
// common fonts.
//
//go:embed alike.txt
var alikeTable string

var alike = readAlike()

func readAlike() map[rune]rune {
	table := map[rune]rune{}
	for line := range strings.Lines(alikeTable) {
		letter, others, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, r := range strings.ReplaceAll(others, " ", "") {
			table[r] = rune(letter[0])
		}
	}
	return table
}

// skeleton maps symbols that look alike to the same text. It folds look-alikes, compatibility forms
// and case, and removes marks and hidden characters. Look-alikes are folded before and after
// normalization, because normalization turns some of them into other letters.
func skeleton(s string) string {
	var b strings.Builder
	fold := func(r rune) bool {
		letter, ok := alike[r]
		if ok {
			b.WriteRune(letter)
		}
		return ok
	}
	for _, r := range unescaped(s) {
		if fold(r) {
			continue
		}
		for _, part := range norm.NFKD.String(string(r)) {
			if hidden(part) || unicode.In(part, unicode.Mn, unicode.Me) || unicode.IsSpace(part) ||
				fold(part) || fold(unicode.ToLower(part)) || fold(unicode.ToUpper(part)) {
				continue
			}
			b.WriteRune(unicode.ToLower(part))
		}
	}
	return b.String()
}

var escape = regexp.MustCompile(`⟦U\+([0-9A-F]{4,6})⟧`)

// unescaped restores the hidden characters that Text escaped.
func unescaped(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseInt(escape.FindStringSubmatch(e)[1], 16, 32)
		if err != nil {
			return e
		}
		return string(rune(n))
	})
}
