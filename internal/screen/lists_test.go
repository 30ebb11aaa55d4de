package screen

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/tyler-smith/go-bip39/wordlists"
)

// TestWordLists compares what is packed with the library, and the Portuguese list, which
// the library lacks, with the SHA-256 of the file in the repository of the BIPs.
func TestWordLists(t *testing.T) {
	const portuguese = "2685e9c194c82ae67e10ba59d9ea5345a23dc093e92276fc5361f6667d79cd3f"
	want := [][]string{wordlists.English, wordlists.Spanish, wordlists.French, wordlists.Italian, nil, wordlists.Czech,
		wordlists.Japanese, wordlists.Korean, wordlists.ChineseSimplified, wordlists.ChineseTraditional}
	got := wordLists()
	if len(got) != listCount {
		t.Fatalf("%d lists", len(got))
	}
	folded := 0
	for i := range want {
		sum := sha256.Sum256([]byte(strings.Join(got[i], "\n") + "\n"))
		if want[i] == nil && hex.EncodeToString(sum[:]) != portuguese || want[i] != nil && !slices.Equal(got[i], want[i]) {
			t.Errorf("list %d differs from its source", i)
		}
	}
	for _, all := range places() {
		folded += len(all)
	}
	if folded != listCount*2048 {
		t.Errorf("%d words have a place", folded)
	}
}

// TestPhraseWritings: a Portuguese phrase in several notations.
func TestPhraseWritings(t *testing.T) {
	list := wordLists()[4]
	words := strings.Join(slices.Repeat([]string{list[0]}, 11), " ")
	for i := range list { // one in 16 has the right checksum
		if checksum(append(make([]int, 11), i)) {
			words += " " + list[i]
			break
		}
	}
	for name, text := range map[string]string{"Portuguese": words, "upper": strings.ToUpper(words),
		"cells": "<tr><td>" + strings.ReplaceAll(words, " ", "</td><td>") + "</td></tr>",
		"csv":   `"` + strings.ReplaceAll(words, " ", `","`) + `"`,
		"marks": strings.ReplaceAll(words, "a", "a\u0301\u200d")} {
		if len(phrases(text)) != 1 {
			t.Errorf("%s: %v in %q", name, phrases(text), text)
		}
	}
	at := phrases("Alice <" + words + "> Bob")
	if len(at) != 1 || at[0] != (Span{7, 7 + len(words)}) {
		t.Errorf("%v", at)
	}
	for name, text := range map[string]string{"eleven": words[:strings.LastIndex(words, " ")], "a wrong checksum": words +
		"x",
		"letters in a row": strings.ReplaceAll(words, " ", "")} {
		if found := phrases(text); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	type item struct{ Word string }
	var items []item
	for _, w := range strings.Fields(words) {
		items = append(items, item{w})
	}
	if found, _ := Find("x", map[string]any{"list": items}, nil); found.Class != Phrase || found.Path != "x.list[].Word" {
		t.Errorf("%+v", found)
	}
}
