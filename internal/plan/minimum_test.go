package plan

import (
	"math"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestMinimumOut(t *testing.T) {
	cases := []struct {
		out  sui.Raw
		bps  int
		want sui.Raw
	}{
		{1_000_000, 50, 995_000}, {1_000_001, 50, 995_000}, {199, 50, 198}, {1, 1, 0}, {0, 50, 0}, {10_000, 1, 9_999},
		{10_000, 1000, 9_000}, {math.MaxUint64, 1, 18444899399302180659}, {math.MaxUint64, 1000, 16602069666338596453},
		{100, 10_000, 0}, {100, -1, 0}, {100, 10_001, 0},
	}
	for _, c := range cases {
		if got := MinimumOut(c.out, c.bps); got != c.want {
			t.Errorf("MinimumOut(%d, %d) = %d, want %d", c.out, c.bps, got, c.want)
		}
	}
}
