package screen

import (
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// packedLists holds the ten word lists of BIP-39, one per line: English, Spanish, French, Italian,
// Portuguese, Czech, Japanese, Korean, and simplified and traditional Chinese, as in the BIPs
// repository. They are packed because a library would parse all of them at every start.
//
//go:embed lists.gz
var packedLists string

const (
	listCount = 10
	english   = 0
)

// place is the index of a word in one of the lists.
type place struct{ list, number int }

// places maps each folded word to its places in the lists.
var places = sync.OnceValue(func() map[string][]place {
	all := make(map[string][]place, listCount*2048)
	for list, line := range wordLists() {
		for number, entry := range line {
			entry = fold(entry)
			all[entry] = append(all[entry], place{list, number})
		}
	}
	return all
})

// wordLists returns the unpacked lists.
func wordLists() [][]string {
	r, err := gzip.NewReader(strings.NewReader(packedLists))
	if err != nil {
		panic(err) // the file is part of the program
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	var lists [][]string
	for line := range strings.Lines(string(text)) {
		lists = append(lists, strings.Fields(line))
	}
	return lists
}

// fold returns a word in lower case, without marks and hidden characters. Words of the same list
// stay distinct.
func fold(word string) string {
	return strings.Map(func(r rune) rune {
		//mutant:never `unicode.Is(unicode.Mn, r)` ./internal/screen TestPhraseWritings
		if unicode.Is(unicode.Mn, r) || hidden(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(word))
}
