package screen

import (
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
)

// packedLists are the ten lists of BIP-39, one a line, its words in their order
// with a blank between. Nine are those of github.com/tyler-smith/go-bip39, which
// reads them at every start; Portuguese is of the repository of the BIPs. A test
// holds them against both.
//
//go:embed lists.gz
var packedLists string

// latin is how many lists have Latin letters; they come first: English, Spanish,
// French, Italian, Portuguese, Czech. Then Japanese and Korean, and simplified
// and traditional Chinese.
const latin = 6

// wordLists unpacks the lists.
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
