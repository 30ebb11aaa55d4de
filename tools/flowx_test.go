package tools_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const tenSUIOnFlowx = `{"sourceSymbol":"SUI","targetSymbol":"USDC","amountDisplay":"10"}`

func TestFlowxPools(t *testing.T) {
	w := build(t, nil)
	data := w.must("read.list_flowx_pools", `{}`)
	t.Run("R004-15 R004-95 every pool of the supported pair, one per fee tier", func(t *testing.T) {
		seen := map[float64]bool{}
		for _, row := range data["pools"].([]any) {
			p := row.(map[string]any)
			fee := p["feeRate"].(float64)
			if seen[fee] || p["xSymbol"] != "SUI" || p["ySymbol"] != "USDC" {
				t.Errorf("got %v", p)
			}
			seen[fee] = true
			for name := range p {
				if strings.Contains(name, "rank") || strings.Contains(name, "best") || strings.Contains(name, "liquidity") {
					t.Errorf("the list says %s", name)
				}
			}
		}
		if len(seen) != 7 || data["count"] != 7.0 || data["feeRateDenominator"] != 1e6 {
			t.Errorf("%d tiers, %v", len(seen), data)
		}
	})
	t.Run("R004-96 the pins are named", func(t *testing.T) {
		if data["currentPackageId"] != registry.Package.String() ||
			data["poolRegistryObjectId"] != registry.Object.String() ||
			at(data, "source.registry") != "pinned_flowx_clmm_mainnet_registry" {
			t.Errorf("got %v", data)
		}
	})
	t.Run("R004-97 no liquidity, ranking or route advice", func(t *testing.T) {
		refuses(t, data, "live_liquidity", "best_route", "route_recommendation", "venue_comparison")
		if text := strings.Join(texts(data["limitations"]), " "); !strings.Contains(text, "not_a_pool_ranking") ||
			!strings.Contains(text, "not_route_advice") {
			t.Error(text)
		}
	})
	t.Run("R004-97 the list is static", func(t *testing.T) {
		if effect := w.tool("read.list_flowx_pools").Effect; effect != tool.Static {
			t.Errorf("it %s", effect)
		}
	})
}

func texts(list any) []string {
	var out []string
	for _, v := range list.([]any) {
		out = append(out, v.(string))
	}
	return out
}

func TestFlowxQuote(t *testing.T) {
	w := build(t, nil)
	data := w.must("read.quote_flowx_swap", tenSUIOnFlowx)
	t.Run("R004-16 R004-98 R004-99 an exact display amount is asked for and answered", func(t *testing.T) {
		if at(data, "pair.sourceSymbol") != "SUI" || at(data, "amountIn.raw") != "10000000000" ||
			at(data, "amountIn.display") != "10" ||
			at(data, "amountOut.symbol") != "USDC" {
			t.Errorf("got %v", data)
		}
		raw, display := at(data, "amountOut.raw").(string), at(data, "amountOut.display").(string)
		whole, fraction, _ := strings.Cut(display, ".")
		if strings.TrimRight(raw, "0") != strings.TrimRight(whole+fraction, "0") || len(raw) != len(whole)+6 {
			t.Errorf("raw %s, display %s", raw, display)
		}
	})
	t.Run("R004-100 the route is the router's choice", func(t *testing.T) {
		pools := at(data, "routeEvidence.pools").([]any)
		if at(data, "routeEvidence.routeChosenBy") != "flowx_router_not_this_server" || len(pools) != 1 {
			t.Fatalf("got %v", data["routeEvidence"])
		}
		p := pools[0].(map[string]any)
		if !strings.HasPrefix(p["key"].(string), "SUI_USDC_") || p["amountOutRaw"] != at(data, "amountOut.raw") ||
			p["xForY"] != true {
			t.Errorf("got %v", p)
		}
		refuses(t, data, "pool_chosen_by_this_server", "best_route")
	})
	t.Run("R004-102 R004-106 what was judged is told", func(t *testing.T) {
		if at(data, "routeEvidence.singleHop") != true || at(data, "routeEvidence.protocolConfigPinMatch") != true {
			t.Errorf("got %v", data["routeEvidence"])
		}
	})
	t.Run("R004-107 nothing of it was read from the chain", func(t *testing.T) {
		if at(data, "source.chainVerified") != false || at(data, "quantitySemantics.chainVerified") != false {
			t.Errorf("got %v, %v", data["source"], data["quantitySemantics"])
		}
		refuses(t, data, "proof_from_chain")
	})
	t.Run("R004-108 the output is indicative", func(t *testing.T) {
		if at(data, "amountOut.indicative") != true {
			t.Errorf("got %v", data["amountOut"])
		}
		refuses(t, data, "minimum_output", "transaction_building_input")
	})
	t.Run("R004-110 no part of a payment answer", func(t *testing.T) {
		if at(data, "quantitySemantics.canUseForPaymentAnswer") != false ||
			at(data, "quantitySemantics.doNotCombineWithPaymentAnswer") != true ||
			at(data, "quantitySemantics.requiredPaymentAnswerTool") != "read.preview_intent_evidence" ||
			at(data, "quantitySemantics.requiredPaymentAnswerField") != "responseSummary" {
			t.Errorf("got %v", data["quantitySemantics"])
		}
		refuses(t, data, "payment_coverage", "shortfall_contribution")
	})
}

func TestFlowxAndDeepbookAgree(t *testing.T) {
	w := build(t, nil)
	flowx := at(w.must("read.quote_flowx_swap", tenSUIOnFlowx), "amountOut.display").(string)
	deepbook := at(w.must("read.quote_deepbook_display_amount",
		`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10","feeMode":"input"}`),
		"quote.quoteOut").(string)
	if flowx[:2] != deepbook[:2] {
		t.Errorf("10 SUI give %s on one, %s on the other", flowx, deepbook)
	}
}

// TestFlowxRefusalsNameTheRule checks one broken answer of each kind. The tests of the quoter check
// all of them.
func TestFlowxRefusalsNameTheRule(t *testing.T) {
	for name, c := range map[string]struct {
		edit func([]byte) []byte
		kind string
		rule string
	}{
		"R004-101 another source": {retold("source", "CETUS"), "quote_unavailable", "source"},
		"R004-102 two hops": {priced(`]],"protocol`, `,{"source":"FLOWX_CLMM"}]],"protocol`),
			"quote_unavailable", "single_hop"},
		"R004-103 an unknown pool":     {retold("poolId", "0x2"), "quote_unavailable", "pool_pinned"},
		"R004-103 another fee":         {priced(`"fee":`, `"fee":9`), "provider_mismatch", "fee_rate"},
		"R004-104 the other direction": {priced(`"swapXToY":true`, `"swapXToY":false`), "provider_mismatch", "direction"},
		"R004-105 another input": {priced(`"amountIn":"10000000000"`, `"amountIn":"10000000001"`),
			"provider_mismatch", "input_echoed"},
		"R004-106 another router":        {retold("wrappedRouterPackageId", "0x2"), "provider_mismatch", "protocol_config"},
		"R004-106 another versioned":     {retold("versionedObjectId", "0x2"), "provider_mismatch", "protocol_config"},
		"R004-106 another pool registry": {retold("poolRegistryObjectId", "0x2"), "provider_mismatch", "protocol_config"},
	} {
		t.Run(name, func(t *testing.T) {
			w := build(t, nil)
			w.otherQuoter(200, c.edit)
			answer, refusal := w.call("read.quote_flowx_swap", tenSUIOnFlowx)
			if answer.Fault == nil || refusal["kind"] != c.kind || at(refusal, "details.rule") != c.rule {
				t.Errorf("got %s", answer.Text)
			}
		})
	}
}
