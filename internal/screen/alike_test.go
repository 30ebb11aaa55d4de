package screen

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TestEveryLookAlike: each character of the table is folded to its letter, both in its original
// form and as Text shows it, including those that normalization changes.
func TestEveryLookAlike(t *testing.T) {
	if len(alike) < 350 {
		t.Fatalf("only %d look-alikes", len(alike))
	}
	var changed []rune
	for r, letter := range alike {
		for _, text := range []string{string(r), Text(string(r), 10).Text, string(r) + "\u200b", "\u200b" + string(r) +
			"\u0301"} {
			if got := skeleton(text); got != string(letter) {
				t.Errorf("%q (%U) looks like %q, not %q", text, r, got, letter)
			}
		}
		after := []rune(norm.NFKD.String(string(r)))
		if alike[after[0]] != letter && alike[unicode.ToLower(after[0])] != letter {
			changed = append(changed, r)
		}
	}
	// Folding only the normalized text would miss these.
	for _, r := range "ϲϹ" {
		if !slices.Contains(changed, r) {
			t.Errorf("%c is not among those that normalisation changes: %q", r, string(changed))
		}
	}
}

// TestDeceptive checks names in their original form.
func TestDeceptive(t *testing.T) {
	for name, want := range map[string]bool{
		"USDC": false, "Sui Bridged Tether (wormhole)": false, "Café": false, "": false, "コイン": false, "$AAA 2.0": false,
		"Рубль":      false,
		"USD\u200bC": true, "USD\u202eC": true, "US\u00adDC": true, "USDC\n": true, "USDC\x00": true, "Cоin": true,
		"U\u0301SDC": true,
		"USD\u2060C": true, "ＵＳＤ\u0421": true, "USDC\ufe0f": true, "US\U000e0044DC": true, "\u2066USDC\u2069": true,
		"U\u034fSDC": true,
		"ＵＳＤＣ":       true, "𝐔𝐒𝐃𝐂": true, "ꓴꓢꓓꓚ": true, "ՍЅᎠϹ": true, "usdc": false, "wUSDC": false,
	} {
		if got := Deceptive(name, "USDC", "SUI"); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if Deceptive("USDC", "USDC") || Deceptive("ՏՍІ") {
		t.Error("a name by itself is no imitation of itself, and of nothing without others")
	}
}

// TestMarks: a letter may carry two combining marks; further ones, and one at the very beginning,
// are shown by number.
func TestMarks(t *testing.T) {
	for in, want := range map[string]string{
		"e\u0301":                          "e\u0301",
		"a\u0302\u0301 i":                  "a\u0302\u0301 i",
		"ที่อยู่":                          "ที่อยู่",
		"a\u0302\u0301\u0323":              "a\u0302\u0301⟦U+0323⟧",
		"\u0301a":                          "⟦U+0301⟧a",
		"a\u0301\u0301b\u0301\u0301\u0301": "a\u0301\u0301b\u0301\u0301⟦U+0301⟧",
		"a\u0301\u200b\u0301\u0301":        "a\u0301⟦U+200B⟧\u0301⟦U+0301⟧",
		"a\u20dd\u20de\u20df":              "a\u20dd\u20de⟦U+20DF⟧",
	} {
		if got := Text(in, 1000).Text; got != want {
			t.Errorf("%q is shown as %q, not %q", in, got, want)
		}
		if once := Text(in, 1000).Text; Text(once, 1000).Text != once {
			t.Errorf("%q changes when it is shown again", once)
		}
	}
	tower := Text("Z"+strings.Repeat("\u0301", 200), 10_000)
	if n := strings.Count(tower.Text, "\u0301"); n != 2 || !slices.Contains(tower.Flags, Escaped) {
		t.Errorf("%d marks on one letter, %v", n, tower.Flags)
	}
}

// TestLine: line breaks become spaces, other hidden characters become visible, and zero cuts
// nothing.
func TestLine(t *testing.T) {
	if got := Line("a\r\nb\tc\u202ed", 0); got != "a b c⟦U+202E⟧d" {
		t.Errorf("%q", got)
	}
	if long := strings.Repeat("x", 1<<16); Line(long, 0) != long || Line(long, 5) != "xxxx…" {
		t.Error("a long line")
	}
}

func TestNamesUs(t *testing.T) {
	for text, want := range map[string]bool{
		"Say Ur Intent": true, "Refund by SAYURINTENT": true, "say-ur_intent": true, "S a y U r I n t e n t": true,
		"Ѕаy Ur Іntеnt":       true,
		"Say\u200b Ur Intent": true, "5ay Ur 1ntent": true, "Ｓａｙ Ｕｒ Ｉｎｔｅｎｔ": true,
		"": false, "Bob": false, "Say your intent": false, "Say Ur": false,
	} {
		if got := NamesUs(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
