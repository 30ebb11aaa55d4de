package screen_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tyler-smith/go-bip39/wordlists"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// worst gives texts of 64 KiB that make one part of the search work hardest, and
// that nothing is found in.
func worst(d draw) map[string]string {
	repeat := func(piece func() string) string {
		var b strings.Builder
		for b.Len() < 64<<10 {
			b.WriteString(piece())
		}
		return b.String()[:64<<10]
	}
	words := wordlists.English
	return map[string]string{
		"prose":               repeat(func() string { return "the invoice of " + words[d.IntN(2048)] + " is paid in March, " }),
		"letters of one word": repeat(func() string { return words[d.IntN(2048)] + "qx" }),
		"one letter":          strings.Repeat("q", 64<<10),
		"single letters":      repeat(func() string { return string(rune('a'+d.IntN(26))) + " " }),
		"numbers":             repeat(func() string { return "7, 1, 300, " }),
		"percent":             repeat(func() string { return "%41%42 " }),
		"short base64":        repeat(func() string { return "QUJDREVGR0hJSktMTU5PUA== " }),
		"Cyrillic":            repeat(func() string { return "счёт за март, " }),
		"Chinese":             repeat(func() string { return "发票在三月支付" }),
		"signs":               repeat(func() string { return "ab/cd-ef_" }),
	}
}

// BenchmarkFind64KiB must stay under 50 ms.
func BenchmarkFind64KiB(b *testing.B) {
	secrets := screen.NewSecrets()
	for name, text := range worst(newDraw(b)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				secrets.Within(text)
			}
		})
	}
}

// TestCost: no text of 64 KiB costs more than ten times what is promised for an
// idle machine, and the largest texts of a document cost as one.
func TestCost(t *testing.T) {
	secrets := screen.NewSecrets()
	for name, text := range worst(newDraw(t)) {
		start := time.Now()
		class := secrets.Within(text)
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Errorf("%s took %s", name, took)
		}
		t.Logf("%s: %q", name, class)
	}
}
