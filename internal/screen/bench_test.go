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
	names := strings.Fields("Lisbon ledgers Thursday beneath harbours Rotterdam shipping tariffs paying suppliers")
	name := func() string { return names[d.IntN(len(names))] }
	return map[string]string{
		"prose":          repeat(func() string { return "the costs of " + name() + " were paid in March, " }),
		"words by three": repeat(func() string { return words[d.IntN(2048)] + words[d.IntN(2048)] + words[d.IntN(2048)] + " " }),
		"one letter":     strings.Repeat("q", 64<<10),
		"single letters": strings.Repeat("t h e r e i s t e a ", 64<<10/20),
		"numbers":        repeat(func() string { return "7, 1, 300, " }),
		"percent":        repeat(func() string { return "%41%42 " }),
		"short base64":   repeat(func() string { return "b3JkZXItbm8tMTIzNDU2 " }),
		"Cyrillic":       repeat(func() string { return "счёт за март, " }),
		"Chinese":        repeat(func() string { return "发票在三月支付" }),
		"signs":          repeat(func() string { return name() + "/the-" + name() + " of " }),
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

// TestCost: no text of 64 KiB costs more than forty times what is promised for an
// idle machine, and the largest texts of a document cost as one.
func TestCost(t *testing.T) {
	secrets := screen.NewSecrets()
	for name, text := range worst(newDraw(t)) {
		var class screen.Class
		least := time.Hour
		for range 3 { // others may use the machine meanwhile
			start := time.Now()
			class = secrets.Within(text)
			least = min(least, time.Since(start))
		}
		if least > 2*time.Second {
			t.Errorf("%s took %s", name, least)
		}
		if class != "" {
			t.Errorf("%s is %s: what is refused early shows no cost", name, class)
		}
	}
}
