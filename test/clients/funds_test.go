//go:build clients

package clients_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestAddressBalances lets the official client spend from address balances.
func TestAddressBalances(t *testing.T) {
	usdc, _ := coins.BySymbol("AUSD") // genesis holds no coin of it
	recipient := sui.MustAddress("0xb0b")
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			s, url := serve(t)
			s.Hold(sandbox.Account, usdc.Type, 0, 1_000_000)
			s.Hold(sandbox.Account, sui.SUI, 0, 1_000_000_000)
			type step struct {
				Status               string
				Payment, Withdrawals int
				Gas, Received        string
				Writes               int
			}
			var got struct{ Balance, Coin, Gasless step }
			node(t, &got, nil, "funds.mjs", url, format, string(usdc.Type), recipient.String())
			for name, c := range map[string]struct {
				step     step
				received string
				writes   int
				free     bool
			}{
				"balance": {got.Balance, "30000", 3, false}, "coin": {got.Coin, "40000", 2, false}, "gasless": {got.Gasless,
					"50000", 2, true},
			} {
				g := c.step
				if g.Status != "success" || g.Payment != 0 || g.Withdrawals != 1 || g.Received != c.received ||
					g.Writes != c.writes || (g.Gas == "0") != c.free {
					t.Errorf("%s: %+v", name, g)
				}
			}
			h := s.Holding(recipient, usdc.Type)
			if h.Coins != 40_000 || h.InAddress != 80_000 || s.Holding(sandbox.Account, usdc.Type).InAddress != 880_000 {
				t.Errorf("the recipient holds %+v", h)
			}
		})
	}
}
