package tools_test

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestPinnedLists(t *testing.T) {
	w := build(t, nil)
	pools := w.must("read.list_deepbook_pools", `{"detail":"full"}`)
	t.Run("R004-8 R004-59 every pinned pool, and nothing is asked of a node", func(t *testing.T) {
		var want []map[string]any
		for _, p := range registry.Pools() {
			want = append(want, map[string]any{"key": p.Key, "id": p.ID.String(), "baseSymbol": p.Base.Symbol,
				"quoteSymbol": p.Quote.Symbol})
		}
		if diff := cmp.Diff(want, each(t, pools, "pools")); diff != "" {
			t.Error(diff)
		}
		same(t, pools, map[string]any{"source.kind": "static_registry", "count": float64(len(want))})
	})
	tokens := w.must("read.list_deepbook_tokens", `{}`)
	bySymbol := byKey(each(t, tokens, "tokens"), "symbol")
	t.Run("R004-9 R004-59 every pinned coin by its symbol", func(t *testing.T) {
		if len(bySymbol) != len(coins.All()) {
			t.Errorf("%d symbols for %d coins", len(bySymbol), len(coins.All()))
		}
		same(t, tokens, map[string]any{"source.kind": "static_registry", "count": float64(len(bySymbol))})
	})
	t.Run("R004-61 R004-62 each with its pools, and decimals from the pinned scalar", func(t *testing.T) {
		for _, c := range coins.All() {
			token := bySymbol[c.Symbol]
			scalar := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(token["decimals"].(float64))), nil)
			if scalar.Uint64() != c.Scalar || token["coinType"] != string(c.Type) {
				t.Errorf("%s: %v", c.Symbol, token)
			}
			keys := []any{}
			for _, p := range registry.Pools() {
				if p.Base.Symbol == c.Symbol || p.Quote.Symbol == c.Symbol {
					keys = append(keys, p.Key)
				}
			}
			if diff := cmp.Diff(keys, token["poolKeys"]); diff != "" {
				t.Errorf("%s: %s", c.Symbol, diff)
			}
		}
		same(t, tokens, map[string]any{"unitSource": "pinned_scalar_power_of_ten"})
	})
	t.Run("R004-60 neither liquidity, nor discovery, nor complete", func(t *testing.T) {
		for _, list := range []map[string]any{pools, tokens} {
			refuses(t, list, "live_liquidity", "complete_list_of_sui_tokens", "route_recommendation")
			same(t, list, map[string]any{"limitations": []any{"not_live_liquidity", "not_live_token_discovery",
				"not_a_complete_list_of_sui_tokens", "not_a_recommendation"}})
		}
	})
}

// digits reads an exact decimal of an answer.
func digits(t *testing.T, v any) *big.Rat {
	t.Helper()
	text, _ := v.(string)
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%v is no number", v)
	}
	return n
}

func TestOrderbook(t *testing.T) {
	w := build(t, nil)
	data := w.must("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC","ticks":20}`)
	t.Run("R004-10 R004-58 read by simulation of the pinned package, without an account", func(t *testing.T) {
		same(t, data, map[string]any{"source.simulation": "client.core.simulateTransaction", "oneState": true,
			"source.moveFunction": "pool::get_level2_ticks_from_mid", "source.packageId": registry.Packages()[0].ID.String(),
			"source.precision": "exact_decimal_from_raw_u64", "pool.key": "SUI_USDC", "priceSemantics.unit": "USDC per SUI"})
	})
	t.Run("best prices, spread and middle agree to the digit", func(t *testing.T) {
		bid, ask := digits(t, at(data, "bestBid.price")), digits(t, at(data, "bestAsk.price"))
		if spread := new(big.Rat).Sub(ask, bid); spread.Cmp(digits(t, data["spread"])) != 0 || spread.Sign() <= 0 {
			t.Errorf("%v between %v and %v", data["spread"], bid, ask)
		}
		price := w.must("read.get_deepbook_mid_price", `{"poolKey":"SUI_USDC"}`)
		same(t, data, map[string]any{"midPrice": price["price"]})
	})
	for side, sum := range map[string]string{"bids": "bidDepth", "asks": "askDepth"} {
		t.Run("the depth is the exact sum of the listed "+side, func(t *testing.T) {
			levels := each(t, data, side)
			base, quote := new(big.Rat), new(big.Rat)
			for _, l := range levels {
				q := digits(t, l["quantity"])
				base.Add(base, q)
				quote.Add(quote, new(big.Rat).Mul(q, digits(t, l["price"])))
			}
			if base.Cmp(digits(t, at(data, sum+".base"))) != 0 || quote.Cmp(digits(t, at(data, sum+".quote"))) != 0 {
				t.Errorf("%v, want %v and %v", data[sum], base, quote)
			}
			same(t, data, map[string]any{sum + ".levels": float64(len(levels))})
			if len(levels) == 0 || len(levels) > 20 {
				t.Errorf("%d levels", len(levels))
			}
		})
	}
	t.Run("the parameters of the pool, exact", func(t *testing.T) {
		parameters, err := w.Pools.Parameters(t.Context(), "SUI_USDC")
		if err != nil {
			t.Fatal(err)
		}
		same(t, data, map[string]any{"poolBookParams.tickSize": string(parameters.Tick.Decimal(6)),
			"poolBookParams.lotSize":  string(parameters.Lot.Decimal(9)),
			"poolBookParams.takerFee": string(parameters.TakerFee.Decimal(9))})
	})
	t.Run("R004-11 at most 50 levels, five unless asked", func(t *testing.T) {
		_, refusal := w.call("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC","ticks":51}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "ticks", "details.reason": "out_of_range"})
		if five := w.must("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC"}`); len(each(t, five, "bids")) != 5 {
			t.Errorf("%d levels", len(each(t, five, "bids")))
		}
		w.must("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC","ticks":50}`)
	})
	t.Run("R004-68 a mid price of zero fails closed", func(t *testing.T) {
		w.lie = func(s *sui.Simulation) { s.Returns[len(s.Returns)-1][0].BCS = make([]byte, 8) }
		defer func() { w.lie = nil }()
		answer, _ := w.call("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC"}`)
		if answer.Fault == nil || answer.Fault.Code != fault.QuoteUnavailable {
			t.Errorf("got %s", answer.Text)
		}
	})
	t.Run("a book that crosses itself is the node's mistake", func(t *testing.T) {
		w.lie = func(s *sui.Simulation) {
			bids := slices.Clone(s.Returns[0][0].BCS)
			binary.LittleEndian.PutUint64(bids[1:], 1<<62)
			s.Returns[0][0].BCS = bids
		}
		defer func() { w.lie = nil }()
		answer, _ := w.call("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC"}`)
		if answer.Fault == nil || answer.Fault.Code != fault.ProviderMismatch {
			t.Errorf("got %s", answer.Text)
		}
	})
	t.Run("R004-67 a snapshot and no verdict", func(t *testing.T) {
		refuses(t, data, "price_impact", "effective_price", "best_route", "signing_data")
		answer, _ := w.call("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC"}`)
		if strings.Contains(strings.ToLower(string(answer.Text)), "fresh") {
			t.Error("R004-39 it is called fresh")
		}
	})
}

func TestUnknownArguments(t *testing.T) {
	w := build(t, nil)
	t.Run("an unknown argument is refused by name, with the nearest that is known", func(t *testing.T) {
		_, refusal := w.call("read.inspect_deepbook_orderbook", `{"poolKey":"SUI_USDC","tick":5}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "tick",
			"details.reason":  "unknown_argument",
			"details.nearest": "ticks", "message": `"tick" is unknown; this tool takes poolKey, ticks. Did you mean "ticks"?`})
		_, refusal = w.call("read.list_deepbook_pools", `{"extra":1}`)
		same(t, refusal, map[string]any{"details.reason": "unknown_argument", "details.nearest": nil})
	})
}
