package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestVerdictOfEveryMarket trades on each pinned market of DeepBook. The verdict is green only if
// another price was found and is close. It is never green if only this market has moved 40 percent
// against the user.
func TestVerdictOfEveryMarket(t *testing.T) {
	// About 20 dollars in the sandbox.
	amounts := map[string]string{
		"SUI": "15", "DEEP": "600", "WAL": "200", "NS": "500", "TYPUS": "1700", "DRF": "13000", "SEND": "100", "IKA": "5000",
		"ALKIMI": "1000", "BETH": "0.01", "XBTC": "0.0003", "LZWBTC": "0.0003", "USDC": "20", "USDT": "20", "WUSDT": "20",
		"WUSDC": "20", "AUSD": "20", "SUIUSDE": "20", "USDSUI": "20",
	}
	// Neither FlowX nor two other markets of DeepBook have a price for these pairs.
	alone := []string{"WUSDT_USDC", "WUSDC_USDC", "BETH_USDC", "TYPUS_SUI", "DRF_SUI", "SEND_USDC", "XBTC_USDC",
		"IKA_USDC", "ALKIMI_SUI", "LZWBTC_USDC", "USDT_USDC"}
	j := newJob(t, nil)
	j.house.Use(append(j.house.Adapters(), j.house.FlowX())...)
	j.house.Connect(sandbox.Account)
	const green, uncompared = "No problems found", "Price not compared: no other market found"
	pools := registry.Pools()
	if len(pools) != 24 {
		t.Errorf("%d markets", len(pools))
	}
	for _, p := range pools {
		single := slices.Contains(alone, p.Key)
		for _, side := range []struct {
			d     registry.Direction
			moved int // in basis points
		}{{registry.BaseToQuote, -4000}, {registry.QuoteToBase, 4000}} {
			if single && side.d == registry.QuoteToBase {
				continue // a price that is never compared is never green
			}
			t.Run(p.Key+" "+string(side.d), func(t *testing.T) {
				from, to, err := p.Sides(side.d)
				if err != nil {
					t.Fatal(err)
				}
				j.house.Sandbox.Hold(sandbox.Account, from.Type, 1_000_000_000_000_000, 0)
				in := testkit.Swap(amounts[from.Symbol], from.Symbol, to.Symbol)
				in.Protocol = "deep"
				s, err := j.reviews.Prepare(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				token := j.token(pagetoken.Review, string(s.ID))
				if s, err = j.reviews.Opened(t.Context(), s.ID); err != nil {
					t.Fatal(err)
				}
				page := func() string {
					if s = j.house.Compute(s); s.Status != record.Ready || s.State.Outlook[0].Market.Pool != p.Key {
						t.Fatalf("%s %s %+v", s.Status, s.Reason, s.State.Outlook)
					}
					return plain(j.do("GET", "/api/review/"+string(s.ID)+"/view", token, nil).body)
				}
				if side.d == registry.BaseToQuote {
					want := green
					if single {
						want = uncompared
					}
					if text := page(); !strings.Contains(text, want) || strings.Contains(text, green) == single {
						t.Errorf("the page does not say %q: %s", want, text)
					}
				}
				edit := func(book func(*clob.Pool)) {
					if err := j.house.Sandbox.EditPool(p.Key, func(p *clob.Pool, _ uint64) { book(p) }); err != nil {
						t.Fatal(err)
					}
				}
				var before *clob.Pool
				edit(func(p *clob.Pool) { before = p.Clone() })
				// Moving back would shift every price by a tick, so that bids could meet asks.
				defer edit(func(p *clob.Pool) { *p = *before })
				j.house.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: p.Key, BasisPoints: side.moved})
				if text := page(); strings.Contains(text, green) {
					t.Errorf("moved by 40%%: %s", text)
				}
			})
		}
	}
}
