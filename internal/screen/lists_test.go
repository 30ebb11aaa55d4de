package screen

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tyler-smith/go-bip39/wordlists"
)

//go:embed portuguese.txt
var portugueseList string

// TestWordLists holds what is packed against where it comes from, word by word;
// with -update it is packed anew.
func TestWordLists(t *testing.T) {
	want := [][]string{wordlists.English, wordlists.Spanish, wordlists.French, wordlists.Italian, strings.Fields(portugueseList),
		wordlists.Czech, wordlists.Japanese, wordlists.Korean, wordlists.ChineseSimplified, wordlists.ChineseTraditional}
	if *update {
		if err := os.WriteFile("lists.gz", packed(t, want), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("lists.gz is written; run again without -update")
	}
	got := wordLists()
	if len(got) != len(want) {
		t.Fatalf("%d lists", len(got))
	}
	for i := range want {
		if len(want[i]) != 2048 || !slices.Equal(got[i], want[i]) {
			t.Errorf("list %d differs from its source", i)
		}
	}
}

var update = flag.Bool("update", false, "write lists.gz anew")

func packed(t *testing.T, lists [][]string) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		if _, err := w.Write([]byte(strings.Join(list, " ") + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
