package settings

import "testing"

func TestWorthOfAPreset(t *testing.T) {
	for _, c := range []struct {
		usdc, price float64
		decimals    uint8
		want        string
	}{
		{50, 1, 6, "50"}, {100, 4.2, 9, "20"}, {50, 104_000, 8, "0.0004"}, {50, 104_000, 2, ""},
		{200, 0.0007, 9, "200000"}, {50, 0, 9, ""}, {30, 0.1, 6, "300"},
	} {
		if got := worth(c.usdc, c.price, c.decimals); got != c.want {
			t.Errorf("%v USDC at %v: %q, want %q", c.usdc, c.price, got, c.want)
		}
	}
}
