package screen_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		flags          []screen.Flag
	}{
		{"ordinary", "Slush – a Sui wallet", "Slush – a Sui wallet", nil},
		{"other alphabets", "지갑 кошелёк 財布", "지갑 кошелёк 財布", nil},
		{"emoji", "wallet 🦊", "wallet 🦊", nil},
		{"empty", "", "", nil},
		{"line break", "a\nb", "a⟦U+000A⟧b", []screen.Flag{screen.Escaped}},
		{"line separator", "a\u2028b", "a⟦U+2028⟧b", []screen.Flag{screen.Escaped}},
		{"right-to-left override", "pay \u202eCDSU", "pay ⟦U+202E⟧CDSU", []screen.Flag{screen.Escaped}},
		{"isolate", "\u2066x\u2069", "⟦U+2066⟧x⟦U+2069⟧", []screen.Flag{screen.Escaped}},
		{"zero width", "U\u200bSDC", "U⟦U+200B⟧SDC", []screen.Flag{screen.Escaped}},
		{"grapheme joiner", "U\u034fSDC", "U⟦U+034F⟧SDC", []screen.Flag{screen.Escaped}},
		{"hangul filler", "\u3164", "⟦U+3164⟧", []screen.Flag{screen.Escaped}},
		{"variation selector", "a\ufe0f", "a⟦U+FE0F⟧", []screen.Flag{screen.Escaped}},
		{"tag", "\U000e0041", "⟦U+E0041⟧", []screen.Flag{screen.Escaped}},
		{"private use", "\ue000", "⟦U+E000⟧", []screen.Flag{screen.Escaped}},
		{"unassigned", "\u0378", "⟦U+0378⟧", []screen.Flag{screen.Escaped}},
		{"broken UTF-8", "a\xffb", "a⟦0xFF⟧b", []screen.Flag{screen.Escaped}},
		{"mixed alphabets", "USDС", "USDС", []screen.Flag{screen.MixedScript}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := screen.Name(c.in)
			if got.Text != c.want || !slices.Equal(got.Flags, c.flags) {
				t.Errorf("got %q %v, want %q %v", got.Text, got.Flags, c.want, c.flags)
			}
		})
	}
}

func TestLength(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"12345", "12345"},
		{"123456", "1234…"},
		{"ab\u202ecd", "ab…"}, // an escape is never cut in two
	} {
		if got := screen.Text(c.in, 5); got.Text != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got.Text, c.want)
		}
	}
	if got := screen.Name(strings.Repeat("x", 1<<20)); utf8.RuneCountInString(got.Text) != screen.MostName ||
		!slices.Contains(got.Flags, screen.Shortened) {
		t.Errorf("a long name became %d code points, %v", utf8.RuneCountInString(got.Text), got.Flags)
	}
}

func TestSymbol(t *testing.T) {
	known := screen.NewKnown([]string{"USDC", "SUI", "DEEP"})
	for _, c := range []struct {
		in        string
		imitation bool
	}{
		{"USDC", false}, {"SUI", false}, {"WAL", false}, {"USDT", false},
		{"usdc", true}, {"USDС", true}, {"ＵＳＤＣ", true}, {"SUІ", true}, {"5UI", true}, {"SU1", true},
		{"U\u200bSDC", true}, {"DЕЕР", true}, {"UŠDC", true},
	} {
		if got := slices.Contains(known.Symbol(c.in).Flags, screen.Imitation); got != c.imitation {
			t.Errorf("%q: imitation %v, want %v", c.in, got, c.imitation)
		}
	}
}

// TestEveryCodePoint: displayed text contains nothing hidden, and displaying it again changes
// nothing.
func TestEveryCodePoint(t *testing.T) {
	long.Skip(t, "it screens every code point")
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		once := screen.Name(string(r)).Text
		if twice := screen.Name(once).Text; twice != once {
			t.Fatalf("%U: %q, shown again %q", r, once, twice)
		}
		for _, shown := range once {
			if !unicode.IsGraphic(shown) || unicode.Is(unicode.Variation_Selector, shown) ||
				unicode.Is(unicode.Other_Default_Ignorable_Code_Point, shown) {
				t.Fatalf("%U: shown as %q with the hidden %U", r, once, shown)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\u202eb\xff", 5)
	f.Add("plain", 3)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 1 || most > 1000 {
			return
		}
		once := screen.Text(s, most)
		if !utf8.ValidString(once.Text) || utf8.RuneCountInString(once.Text) > most {
			t.Fatalf("%q is not valid text of at most %d", once.Text, most)
		}
		if twice := screen.Text(once.Text, most); twice.Text != once.Text {
			t.Fatalf("%q became %q", once.Text, twice.Text)
		}
	})
}
