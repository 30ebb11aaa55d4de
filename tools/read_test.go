package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/prompts"
	"github.com/sayurintent/sayurintent/resources"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// at returns the value at a path of an answer's data, or nil.
func at(data map[string]any, path string) any {
	var v any = data
	for step := range strings.SplitSeq(path, ".") {
		if list, ok := v.([]any); ok {
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(list) {
				return nil
			}
			v = list[i]
			continue
		}
		members, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = members[step]
	}
	return v
}

// same compares values at paths.
func same(t *testing.T, data map[string]any, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if diff := cmp.Diff(value, at(data, path)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// claims returns a list of userAnswerUse.
func claims(data map[string]any, list string) []string {
	var words []string
	values, _ := at(data, "userAnswerUse."+list).([]any)
	for _, v := range values {
		words = append(words, v.(string))
	}
	return words
}

// refuses checks that an answer refuses each of the conclusions.
func refuses(t *testing.T, data map[string]any, conclusions ...string) {
	t.Helper()
	for _, c := range conclusions {
		if !slices.Contains(claims(data, "cannotAnswer"), c) {
			t.Errorf("cannotAnswer lacks %s", c)
		}
	}
}

func TestServerStatus(t *testing.T) {
	served := prompts.Set{Surfaces: []prompts.Surface{prompts.Surface(swap.New(nil).Prompt())}}
	all := tools.All(tools.Deps{About: tools.About{Version: "v1.2.3-45-g0123456789ab-dirty", Network: "sui:mainnet",
		Prompts: served.Names(), Resources: resources.URIs(), Pages: tools.Pages{Origin: "http://127.0.0.1:65535"}}})
	answer := all[0].Call(tool.NewCall(context.Background(), nil, tool.Client{}), nil)
	if answer.Fault != nil {
		t.Fatal(answer.Fault)
	}
	t.Run("at most 3 KB", func(t *testing.T) {
		// There are six more tools that are served only if a project is registered, the two for
		// plans, and the one for validators.
		if more := len(`"workspace.index_project",`) * 9; len(answer.Text) > 3<<10+more {
			t.Errorf("%d bytes", len(answer.Text))
		}
	})
	var v struct{ Data map[string]any }
	if err := json.Unmarshal(answer.Text, &v); err != nil {
		t.Fatal(err)
	}
	t.Run("R004-6 version, policy, network, runtime, tools, resources, prompts", func(t *testing.T) {
		same(t, v.Data, map[string]any{
			"packageName": "say-ur-intent", "version": "v1.2.3-45-g0123456789ab-dirty", "network": "sui:mainnet",
			"runtime": "local_stdio", "implementedToolsCount": float64(len(all)), "resources.count": 7.0,
			"prompts.names": []any{"inspect-supported-sui-actions", "prepare-reviewable-sui-action", "swap-deep", "swap"},
			"reviewPages":   "served", "reviewPagesOrigin": "http://127.0.0.1:65535",
		})
		listed := 0
		for _, list := range []string{"implemented", "blockedSigning", "nonSignableReview", "planned"} {
			listed += len(at(v.Data, "tools."+list).([]any))
		}
		if listed != len(tools.Catalogue()) || at(v.Data, "evidencePolicy.version") == "" {
			t.Errorf("%d tools, %v", listed, v.Data["evidencePolicy"])
		}
	})
	t.Run("pages that are not served are told with the reason", func(t *testing.T) {
		away := tools.All(tools.Deps{About: tools.About{Pages: tools.Pages{Note: "Why."}}})
		var v struct{ Data map[string]any }
		if err := json.Unmarshal(away[0].Call(tool.NewCall(context.Background(), nil, tool.Client{}), nil).Text,
			&v); err != nil {
			t.Fatal(err)
		}
		same(t, v.Data, map[string]any{"reviewPages": "unavailable", "reviewPagesNote": "Why."})
	})
}

func TestProtocols(t *testing.T) {
	w := build(t, nil)
	data := w.must("read.list_supported_protocols", `{}`)
	t.Run("R004-7 the slug of a supported protocol is its adapter's", func(t *testing.T) {
		meta := swap.New(nil).Meta()
		first := data["protocols"].([]any)[0].(map[string]any)
		want := map[string]any{"id": "deepbook-v3", "name": meta.Protocol, "slug": meta.Slug,
			"support": "read_and_local_review",
			"actions": []any{meta.Action, "limit-order", "market-order", "modify-order", "cancel-order", "cancel-all-orders",
				"manager-create", "manager-deposit", "manager-withdraw", "manager-withdraw-all", "permission_revoke"},
			"tools": []any{"read.list_deepbook_pools", "read.list_deepbook_tokens",
				"read.inspect_deepbook_orderbook", "read.get_deepbook_mid_price", "read.quote_deepbook_action",
				"read.quote_deepbook_display_amount", "read.get_deepbook_price_history", "read.get_deepbook_price_at_time"}}
		if diff := cmp.Diff(want, first); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-7 and so is FlowX's", func(t *testing.T) {
		meta := flowxswap.New(nil, nil).Meta()
		want := map[string]any{"id": "flowx-clmm", "name": meta.Protocol, "slug": meta.Slug,
			"support": "read_and_local_review",
			"actions": []any{meta.Action}, "tools": []any{"read.list_flowx_pools", "read.quote_flowx_swap"}}
		if diff := cmp.Diff(want, data["protocols"].([]any)[1]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestReadsNeedNoAccount(t *testing.T) {
	w := build(t, nil)
	for _, d := range w.tools {
		if group, _, _ := strings.Cut(d.Name, "."); group != "read" || d.Name == "read.get_review_session_detail" ||
			d.Name == "read.summarize_deepbook_account_inventory" || d.Name == "read.list_deepbook_open_orders" {
			continue // a review, and a balance manager, belong to an account
		}
		t.Run("R004-34 R004-35 "+d.Name, func(t *testing.T) { w.must(d.Name, d.Examples[0].In) })
	}
}

func TestMidPrice(t *testing.T) {
	w := build(t, nil)
	before := w.Clock.Now().UTC().Truncate(time.Second)
	data := w.must("read.get_deepbook_mid_price", `{"poolKey":"SUI_USDC"}`)
	t.Run("R004-12 one pool, read by simulation; R004-35 without an account", func(t *testing.T) {
		same(t, data, map[string]any{"pool.key": "SUI_USDC", "pool.base.symbol": "SUI", "pool.quote.symbol": "USDC"})
	})
	t.Run("R004-64 quote coins per base coin", func(t *testing.T) {
		same(t, data, map[string]any{"priceDirection": "quote_per_base", "priceSemantics.unit": "USDC per SUI"})
	})
	t.Run("R004-65 the exact decimal of the pool's integer", func(t *testing.T) {
		raw, err := sui.ParseRaw(data["priceRaw"].(string))
		if err != nil || raw == 0 {
			t.Fatal(data["priceRaw"], err)
		}
		same(t, data, map[string]any{"price": string(raw.Decimal(6)), "source.precision": "exact_decimal_from_raw_u64"})
	})
	t.Run("R004-58 the source says how the node was asked", func(t *testing.T) {
		same(t, data, map[string]any{"source.simulation": "client.core.simulateTransaction",
			"source.packageId": registry.Packages()[0].ID.String()})
	})
	t.Run("R004-38 fetchedAt is ISO 8601 in UTC", func(t *testing.T) {
		at, err := time.Parse(time.RFC3339Nano, data["fetchedAt"].(string))
		if err != nil || !strings.HasSuffix(data["fetchedAt"].(string), "Z") || at.Before(before) ||
			at.After(w.Clock.Now()) {
			t.Errorf("%v, %v", data["fetchedAt"], err)
		}
	})
	t.Run("R004-39 nothing calls the price fresh", func(t *testing.T) {
		text, err := json.Marshal(data)
		if err != nil || strings.Contains(strings.ToLower(string(text)), "fresh") {
			t.Errorf("%s, %v", text, err)
		}
	})
	t.Run("R004-66 semantics and refused conclusions", func(t *testing.T) {
		same(t, data, map[string]any{"priceSemantics.kind": "deepbook_pool_mid_price_snapshot"})
		if len(claims(data, "cannotAnswer")) == 0 {
			t.Error("nothing is refused")
		}
	})
	t.Run("R004-67 a pool's snapshot and nothing more", func(t *testing.T) {
		refuses(t, data, "global_market_price", "fiat_usd_cash_out", "external_market_conversion", "usdc_usd_peg_assumption",
			"mid_price_slippage", "effective_price", "price_impact", "venue_comparison", "best_route", "route_recommendation",
			"transaction_building_input", "signing_data", "signing_readiness", "profit_and_loss", "cost_basis")
	})
	t.Run("R004-68 a price of zero fails closed", func(t *testing.T) {
		w.lie = func(s *sui.Simulation) { s.Returns[0][0].BCS = make([]byte, 8) }
		defer func() { w.lie = nil }()
		if answer, _ := w.call("read.get_deepbook_mid_price", `{"poolKey":"SUI_USDC"}`); answer.Fault == nil ||
			answer.Fault.Code != fault.QuoteUnavailable {
			t.Errorf("got %s", answer.Text)
		}
	})
	t.Run("an unknown pool names those that look alike", func(t *testing.T) {
		_, refusal := w.call("read.get_deepbook_mid_price", `{"poolKey":"SUI_USDD"}`)
		if near, _ := at(refusal, "details.near").([]any); !slices.Contains(near, any("SUI_USDC")) {
			t.Errorf("got %v", refusal)
		}
	})
}

func TestQuoteContract(t *testing.T) {
	w := build(t, nil)
	raw := w.must("read.quote_deepbook_action",
		`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"10000000000","feeMode":"deep"}`)
	display := w.must("read.quote_deepbook_display_amount",
		`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10","feeMode":"deep"}`)

	t.Run("R004-13 R004-69 the pinned package's quote function, asked with raw integers", func(t *testing.T) {
		same(t, raw, map[string]any{"inputAmount.raw": "10000000000", "source.moveFunction": "pool::get_quote_quantity_out",
			"source.packageId": registry.Packages()[0].ID.String(), "source.simulation": "client.core.simulateTransaction"})
	})
	t.Run("R004-14 R004-84 the amount of the coin that is paid, as a person writes it", func(t *testing.T) {
		same(t, display, map[string]any{"direction": "base_to_quote", "inputAmount.symbol": "SUI",
			"inputAmount.display": "10"})
		if display["quote"] == nil || display["rawQuote"] == nil {
			t.Error("display facts and raw evidence belong together")
		}
	})
	t.Run("R004-70 raw input", func(t *testing.T) {
		same(t, raw, map[string]any{"quantitySemantics.inputAmountKind": "raw_u64"})
	})
	t.Run("R004-71 R004-92 display input", func(t *testing.T) {
		same(t, display, map[string]any{
			"quantitySemantics.inputAmountKind": "display_source_amount_converted_to_raw_u64",
			"quantitySemantics.kind":            "deepbook_quote_display_amount",
		})
	})
	for name, data := range map[string]map[string]any{"raw": raw, "display": display} {
		t.Run(name, func(t *testing.T) { quoteContract(t, data) })
	}
	t.Run("R004-72 what the quantities are stands before them", func(t *testing.T) {
		answer, _ := w.call("read.quote_deepbook_action",
			`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"10000000000"}`)
		text := string(answer.Text)
		if s, q := strings.Index(text, `"quantitySemantics"`), strings.Index(text, `"quote":{"baseOut"`); s < 0 || q < s {
			t.Errorf("quantitySemantics at %d, quote at %d", s, q)
		}
	})
	t.Run("R004-89 both tools give the same quote", func(t *testing.T) {
		if diff := cmp.Diff(raw["rawQuote"], display["rawQuote"]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-90 the exact converted input", func(t *testing.T) {
		same(t, display, map[string]any{"inputAmount.raw": "10000000000", "inputAmount.display": "10",
			"inputAmount.symbol": "SUI"})
	})
}

// quoteContract is what every quote of SUI for USDC must contain.
func quoteContract(t *testing.T, data map[string]any) {
	t.Run("R004-73 R004-93 R004-94 refused conclusions", func(t *testing.T) {
		refuses(t, data, "payment_coverage", "shortfall_contribution", "route_dependent_payment_support", "fiat_usd_cash_out",
			"external_market_conversion", "external_market_lookup", "usdc_usd_peg_assumption", "profit_and_loss", "cost_basis",
			"price_impact", "mid_price_slippage", "venue_comparison", "route_recommendation", "minimum_output",
			"liquidity_verdict",
			"best_route", "effective_price", "funding_source", "transaction_building_input", "signing_data", "signing_readiness",
			"settlement_asset_choice")
	})
	t.Run("R004-74 R004-75 R004-77 no part of a payment answer", func(t *testing.T) {
		same(t, data, map[string]any{
			"quantitySemantics.canUseForPaymentAnswer":        false,
			"quantitySemantics.canUseForShortfallAnswer":      false,
			"quantitySemantics.doNotCombineWithPaymentAnswer": true,
			"quantitySemantics.paymentAnswerUseBlockedReason": "quote_is_a_price_estimate_not_a_payment_answer",
			"quantitySemantics.requiredPaymentAnswerTool":     "read.preview_intent_evidence",
			"quantitySemantics.requiredPaymentAnswerField":    "responseSummary",
		})
	})
	t.Run("R004-76 R004-78 the rule as a follow-up", func(t *testing.T) {
		same(t, data, map[string]any{"userAnswerUse.followUp.tool": "read.preview_intent_evidence",
			"userAnswerUse.followUp.answerFields": []any{"responseSummary"}})
		for _, rule := range []string{"quantitySemantics.doNotCombineWithPaymentAnswer",
			"quantitySemantics.canUseForPaymentAnswer"} {
			if !slices.Contains(claims(data, "conclusionRuleFields"), rule) {
				t.Errorf("conclusionRuleFields lacks %s", rule)
			}
		}
	})
	t.Run("R004-79 R004-81 R004-82 the functions and the order of their values", func(t *testing.T) {
		same(t, data, map[string]any{
			"rawQuote.sourceMoveFunction":            "pool::get_quote_quantity_out",
			"rawQuote.returnValueSourceMoveFunction": "pool::get_quantity_out",
			"rawQuote.returnValueOrder":              []any{"base_quantity_out", "quote_quantity_out", "deep_quantity_required"},
			"feeMode":                                "deep", "rawQuote.feeMode": "deep",
		})
	})
	t.Run("R004-83 evidence only", func(t *testing.T) {
		same(t, data, map[string]any{"rawQuote.boundary": "quote_evidence_only_not_minimum_output_not_transaction_input",
			"quantitySemantics.isMinimumOutput": false, "quantitySemantics.isTransactionBuildInput": false})
	})
	t.Run("R004-91 display amounts are the raw ones, exactly", func(t *testing.T) {
		for field, decimals := range map[string]uint8{"baseOut": 9, "quoteOut": 6, "deepRequired": 6} {
			n, err := strconv.ParseUint(at(data, "rawQuote."+field+".raw").(string), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			shown := string(sui.Raw(n).Decimal(decimals))
			same(t, data, map[string]any{"quote." + field: shown, "rawQuote." + field + ".display": shown,
				"rawQuote." + field + ".decimals": float64(decimals)})
		}
		if at(data, "quote.quoteOut") == "0" || at(data, "quote.deepRequired") == "0" {
			t.Errorf("the quote is empty: %v", data["quote"])
		}
	})
	t.Run("R004-55 facts stay beside the guidance", func(t *testing.T) {
		for _, field := range []string{"quantitySemantics", "rawQuote", "source", "pool", "userAnswerUse"} {
			if data[field] == nil {
				t.Errorf("%s is missing", field)
			}
		}
	})
}

func TestQuoteVariants(t *testing.T) {
	w := build(t, nil)
	quote := func(args string) map[string]any {
		return w.must("read.quote_deepbook_display_amount", `{"poolKey":"SUI_USDC",`+args+`}`)
	}
	t.Run("R004-80 quote to base", func(t *testing.T) {
		same(t, quote(`"direction":"quote_to_base","amountDisplay":"25.5","feeMode":"deep"`), map[string]any{
			"rawQuote.sourceMoveFunction":            "pool::get_base_quantity_out",
			"rawQuote.returnValueSourceMoveFunction": "pool::get_quantity_out",
			"inputAmount.symbol":                     "USDC", "inputAmount.raw": "25500000",
		})
	})
	t.Run("a quote that names no fee mode is the one that a swap without one gets, to the last unit", func(t *testing.T) {
		data := quote(`"direction":"base_to_quote","amountDisplay":"10"`)
		w.Connect(sandbox.Account)
		made := w.must("action.prepare_sui_action_review", tenSUIArgs)
		s := w.Compute(w.Open(tenSUI))
		same(t, data, map[string]any{"feeMode": "input", "quote.quoteOut": string(s.State.Quote.Expected.Display),
			"asReviewed": map[string]any{"swappable": true, "feeMode": "input", "arrives": at(made,
				"preflight.expected.arrives"),
				"unsold": at(made, "preflight.expected.unspent")}})
		if at(data, "asReviewed.arrives") != s.State.Quote.Expected.String() ||
			at(data, "asReviewed.unsold") != s.State.Quote.Unspent.String() {
			t.Errorf("quoted %v, reviewed %+v", data["asReviewed"], s.State.Quote)
		}
	})
	t.Run("what quotes in DEEP and cannot be swapped says so", func(t *testing.T) {
		data := quote(`"direction":"base_to_quote","amountDisplay":"1","feeMode":"deep"`)
		same(t, data, map[string]any{"asReviewed.swappable": false, "asReviewed.feeMode": "input"})
		if why := at(data, "asReviewed.reason").(string); !strings.Contains(why, "its minimum trade is 1 SUI after the fee") {
			t.Error(why)
		}
		w.Connect(sandbox.Account)
		if _, says := w.look(`{"type":"swap","from":{"symbol":"SUI","amount":"1"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}`); !strings.Contains(says, "would trade nothing") {
			t.Error(says)
		}
	})
	t.Run("fee mode input is displayed without DEEP, and names its function", func(t *testing.T) {
		same(t, quote(`"direction":"base_to_quote","amountDisplay":"10","feeMode":"input"`), map[string]any{
			"feeMode": "input", "quote.deepRequired": "0", "source.moveFunction": "pool::get_quote_quantity_out_input_fee",
		})
	})
	t.Run("R004-79 R004-80 R004-81 R004-82 rawQuote is of the plain functions in each fee mode", func(t *testing.T) {
		for args, function := range map[string]string{
			`"direction":"base_to_quote","amountDisplay":"10"`:   "get_quote_quantity_out",
			`"direction":"quote_to_base","amountDisplay":"25.5"`: "get_base_quantity_out",
		} {
			plain := quote(args + `,"feeMode":"deep"`)["rawQuote"]
			for _, mode := range []string{"", `,"feeMode":"input"`} {
				data := quote(args + mode)
				if diff := cmp.Diff(plain, data["rawQuote"]); diff != "" {
					t.Error(diff)
				}
				same(t, data, map[string]any{"feeMode": "input", "rawQuote.feeMode": "deep",
					"rawQuote.sourceMoveFunction":            "pool::" + function,
					"rawQuote.returnValueSourceMoveFunction": "pool::get_quantity_out"})
				if at(data, "rawQuote.deepRequired.raw") == "0" {
					t.Errorf("%s%s: no DEEP is required", args, mode)
				}
			}
		}
	})
	t.Run("R004-86 R004-87 the input coin and its decimals are the pool's", func(t *testing.T) {
		data := w.must("read.quote_deepbook_display_amount",
			`{"poolKey":"DEEP_SUI","direction":"base_to_quote","amountDisplay":"100"}`)
		same(t, data, map[string]any{"inputAmount.symbol": "DEEP", "inputAmount.decimals": 6.0,
			"inputAmount.raw": "100000000"})
	})
	t.Run("R004-85 a wanted output is no argument", func(t *testing.T) {
		_, refusal := w.call("read.quote_deepbook_display_amount",
			`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10","targetAmount":"30"}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "targetAmount",
			"details.reason": "unknown_argument"})
	})
	t.Run("R004-88 an amount that does not fit is refused by name", func(t *testing.T) {
		for _, amount := range []string{"0", "0.000", "18446744073.709551616", "0.0000000001"} {
			_, refusal := w.call("read.quote_deepbook_display_amount",
				`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"`+amount+`"}`)
			same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "amountDisplay"})
		}
	})
	t.Run("R004-57 no other form of a number", func(t *testing.T) {
		for _, amount := range []string{"-1", "+1", "1e3", "1,000", ".5", "5.", "0x10", " 1", "1 SUI", "٣", "01"} {
			answer, _ := w.call("read.quote_deepbook_display_amount",
				`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"`+amount+`"}`)
			if answer.Fault == nil || answer.Fault.Code != fault.InputInvalid {
				t.Errorf("%q: %s", amount, answer.Text)
			}
		}
	})
	t.Run("R004-56 raw input is a whole number in a string", func(t *testing.T) {
		for _, amount := range []string{`"1.5"`, `"-1"`, `"0"`, `"01"`, `10`, `"1e9"`, `"18446744073709551616"`} {
			answer, _ := w.call("read.quote_deepbook_action", `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":`+
				amount+`}`)
			if answer.Fault == nil || answer.Fault.Code != fault.InputInvalid {
				t.Errorf("%s: %s", amount, answer.Text)
			}
		}
	})
}
