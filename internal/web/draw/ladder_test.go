package draw

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// rungs formats a ladder as one line.
func rungs(l Ladder) string {
	var out []string
	for _, r := range l.Rungs {
		out = append(out, r.Kind+" "+r.Price)
	}
	return strings.Join(out, ", ")
}

// TestLadder checks where orders are placed among the offers of a book: waiting orders on their
// side of the market, one that fills beyond it, and the user's own last among equal prices.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     Mark
		rungs string
		away  string
		apart bool
	}{
		{"a sale that waits", orderOf(false, "3.55", "30"),
			"seller 3.6, own 3.55, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, buyer 3.4", "1.4% above",
			false},
		{"a sale at a seller's price", orderOf(false, "3.53", "30"),
			"seller 3.6, own 3.53, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, buyer 3.4", "0.9% above",
			false},
		{"a sale that fills", orderOf(false, "3.45", "30"),
			"seller 3.6, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, own 3.45, buyer 3.4", "1.4% below",
			false},
		{"a sale far away", orderOf(false, "25.725", "30"),
			"own 25.725, seller 3.6, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, buyer 3.4", "635.0% above",
			true},
		{"a purchase that waits", orderOf(true, "3.48", "30"),
			"seller 3.6, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, own 3.48, buyer 3.4", "0.6% below",
			false},
		{"a purchase that fills", orderOf(true, "3.55", "30"),
			"seller 3.6, own 3.55, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, buyer 3.4", "1.4% above",
			false},
		{"a purchase far away", orderOf(true, "1", "30"),
			"seller 3.6, seller 3.53, seller 3.51, market 3.5, buyer 3.49, buyer 3.48, buyer 3.4, own 1", "71.4% below", true},
		{"a purchase at the market", orderOf(true, "3.5", "30"),
			"seller 3.6, seller 3.53, seller 3.51, market 3.5, own 3.5, buyer 3.49, buyer 3.48, buyer 3.4", "at the market",
			false},
	} {
		l, ok := LadderOf(aBook(), c.m)
		if got := rungs(l); !ok || got != c.rungs {
			t.Errorf("%s: %v\n%s, not\n%s", c.name, ok, got, c.rungs)
		}
		for _, r := range l.Rungs {
			if r.Kind == "own" && (r.Amount != c.away || r.Apart != c.apart || !strings.HasSuffix(r.Words, "30 SUI")) {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
	}
}

// TestLadderOfMany checks that at most seven offers of each side are shown, three on a phone, and
// that the bars are to scale.
func TestLadderOfMany(t *testing.T) {
	b := aBook()
	for i := range 12 {
		b.Asks = append(b.Asks, Offer{sui.Decimal("3.6" + strings.Repeat("1", i+1)), "350"})
	}
	l, ok := LadderOf(b, orderOf(false, "3.52", "30"))
	shown, near := 0, 0
	for _, r := range l.Rungs {
		if r.Kind == "seller" {
			shown++
			if !r.Far {
				near++
			}
		}
		if r.Price == "3.4" && r.Bar != 100 || r.Price == "3.61" && r.Bar != 35 {
			t.Errorf("%+v", r)
		}
	}
	if !ok || shown != 7 || near != 3 {
		t.Errorf("%v: %d sellers, %d on a phone", ok, shown, near)
	}
	if _, ok := LadderOf(b, swapOf(drawnBase.CoinType, "1")); ok {
		t.Error("a swap has a ladder")
	}
	if _, ok := LadderOf(Book{}, orderOf(true, "3.5", "1")); ok {
		t.Error("no book has a ladder")
	}
}
