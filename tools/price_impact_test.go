package tools_test

import (
	"math/big"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestPriceImpact compares the answer with the order book of the other tool, level by level.
func TestPriceImpact(t *testing.T) {
	w := build(t, nil)
	book := w.must("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC","ticks":50}`)
	hundredth := big.NewRat(1, 100)
	for _, c := range []struct{ name, direction, amount, side string }{
		{"a small sale", "base_to_quote", "10", "bids"},
		{"a large sale", "base_to_quote", "20000", "bids"},
		{"a purchase", "quote_to_base", "5000", "asks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.must("read.get_deepbook_price_impact", `{"poolKey":"SUI_USDC","direction":"`+c.direction+
				`","amountDisplay":"`+c.amount+`"}`)
			paid, fee, arrives := digits(t, at(got, "paid.display")), digits(t, at(got, "fee.display")),
				digits(t, at(got, "arrives.display"))
			base, quote := new(big.Rat).Sub(paid, fee), arrives
			if c.side == "asks" {
				base, quote = quote, base
			}
			left, cost, listed := new(big.Rat).Set(base), new(big.Rat), new(big.Rat)
			for _, l := range each(t, book, c.side) {
				q := digits(t, l["quantity"])
				listed.Add(listed, q)
				if q.Cmp(left) > 0 {
					q = left
				}
				left = new(big.Rat).Sub(left, q)
				cost.Add(cost, new(big.Rat).Mul(q, digits(t, l["price"])))
			}
			// Amounts are whole raw units, so the fee is exact only to a few of them.
			if off := new(big.Rat).Sub(cost, quote); left.Sign() != 0 || off.Abs(off).Cmp(big.NewRat(1, 10_000)) > 0 {
				t.Fatalf("%s of %s for %s; the book has it for %s", c.direction, base.FloatString(9), quote.FloatString(6),
					cost.FloatString(6))
			}
			mid := digits(t, got["midPrice"])
			same(t, got, map[string]any{"midPrice": book["midPrice"], "bestBid": at(book, "bestBid.price"), "bestAsk": at(book,
				"bestAsk.price")})
			average := new(big.Rat).Quo(cost, base)
			impact := new(big.Rat).Sub(mid, average)
			impact.Quo(impact, mid)
			if c.side == "asks" { // for a purchase, the value of what is paid at the mid price
				impact.Sub(average, mid).Quo(impact, average)
			}
			impact.Mul(impact, big.NewRat(100, 1))
			if off := new(big.Rat).Sub(digits(t, got["impactPercent"]), impact); off.Abs(off).Cmp(hundredth) > 0 {
				t.Errorf("an impact of %v %%, the book says %s %%", got["impactPercent"], impact.FloatString(4))
			}
			share := new(big.Rat).Mul(new(big.Rat).Quo(base, listed), big.NewRat(100, 1))
			if off := new(big.Rat).Sub(digits(t, at(got, "shareOfBook.percent")), share); off.Abs(off).Cmp(hundredth) > 0 {
				t.Errorf("%v %% of the book, it is %s %%", at(got, "shareOfBook.percent"), share.FloatString(4))
			}
			same(t, got, map[string]any{"shareOfBook.levels": float64(len(each(t, book, c.side))),
				"shareOfBook.whole": len(each(t, book, c.side)) < 50})
		})
	}
	t.Run("an empty book is no price", func(t *testing.T) {
		w := build(t, nil)
		w.Inject(sandbox.Fault{Kind: sandbox.ThinBook, Pool: "SUI_USDC", Number: 0})
		answer, _ := w.call("read.get_deepbook_price_impact",
			`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10"}`)
		if answer.Fault == nil || answer.Fault.Code != "quote_unavailable" {
			t.Errorf("%s", answer.Text)
		}
	})
}
