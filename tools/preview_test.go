package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const preview = "read.preview_intent_evidence"

// payer is an account that only these tests use.
var payer = sui.MustAddress("0x5e771e").String()

// pay gives the payer coins; amounts are in whole coins.
func (w *world) pay(amounts map[string]string) {
	w.t.Helper()
	for symbol, amount := range amounts {
		c, ok := coins.BySymbol(symbol)
		raw, err := sui.Decimal(amount).Raw(c.Decimals)
		if !ok || err != nil {
			w.t.Fatalf("%s %s: %v", amount, symbol, err)
		}
		w.Sandbox.Hold(sui.MustAddress(payer), c.Type, uint64(raw), 0)
	}
}

func covering(more string) string {
	return `{"account":"` + payer +
		`","intentKind":"cover_payment_like_amount","denomination":"달러","requiredDisplayAmount":"1000"` + more + `}`
}

func total() string {
	return `{"account":"` + payer + `","intentKind":"summarize_settlement_asset_group_balance","denomination":"달러"}`
}

const (
	chosenNow    = `,"targetAssetSymbol":"USDC","targetAssetSelectionSource":"user_explicit"`
	chosenBefore = `,"targetAssetSymbol":"USDC","targetAssetSelectionSource":"prior_user_explicit_context"`
)

// TestSettlementAnswers checks exact answers.
func TestSettlementAnswers(t *testing.T) {
	for _, c := range []struct {
		id      string
		amounts map[string]string
		args    string
		want    map[string]any
	}{
		{"R004-160 R004-161 R004-177 korean_dollar_payment_coverage", map[string]string{"USDC": "900.25", "AUSD": "599.75"},
			covering(""), map[string]any{
				"responseSummary.conclusionKind":       "covered_by_settlement_asset_balance",
				"responseSummary.currentDisplayAmount": "1500", "responseSummary.requiredDisplayAmount": "1000",
				"responseSummary.shortfallDisplayAmount": "0", "responseSummary.requiredUserChoices": []any{"settlement_asset"},
			}},
		{"R004-162 korean_dollar_balance_total", map[string]string{"USDC": "1000", "USDT": "500", "SUI": "77"}, total(),
			map[string]any{
				"responseSummary.conclusionKind": "balance_total_only", "responseSummary.currentDisplayAmount": "1500",
				"responseSummary.requiredDisplayAmount": nil, "responseSummary.shortfallDisplayAmount": nil,
				"responseSummary.requiredUserChoices": []any{}, "requiredUserChoices": []any{},
			}},
		{"R004-185 korean_dollar_shortfall_with_prior_target", map[string]string{"USDC": "400"}, covering(chosenBefore),
			map[string]any{
				"responseSummary.conclusionKind":         "shortfall_in_settlement_asset_balance",
				"responseSummary.shortfallDisplayAmount": "600",
				"selectedTarget.shortfallDisplayAmount":  "600", "selectedTarget.selectionSource": "prior_user_explicit_context",
			}},
		{"R004-193 quote_detour_shortfall_guard", map[string]string{"USDC": "278.890119", "SUI": "5000", "WAL": "5000",
			"DEEP": "5000"}, covering(""),
			map[string]any{"responseSummary.currentDisplayAmount": "278.890119",
				"responseSummary.shortfallDisplayAmount": "721.109881",
				"responseSummary.conclusionKind":         "shortfall_in_settlement_asset_balance"}},
		{"R004-184 R004-188 explicit_usdc_shortfall", map[string]string{"USDC": "278.890119", "USDT": "300"},
			covering(chosenNow), map[string]any{
				"responseEvidence.mode": "selected_target_context", "selectedTarget.symbol": "USDC",
				"selectedTarget.currentDisplayAmount": "278.890119", "selectedTarget.shortfallDisplayAmount": "721.109881",
				"selectedTarget.status":                  "shortfall_in_selected_target",
				"responseSummary.shortfallDisplayAmount": "421.109881", "responseSummary.currentDisplayAmount": "578.890119",
			}},
	} {
		t.Run(c.id, func(t *testing.T) {
			w := build(t, nil)
			w.pay(c.amounts)
			same(t, w.must(preview, c.args), c.want)
		})
	}
}

func TestPaymentCoverage(t *testing.T) {
	w := build(t, nil)
	w.pay(map[string]string{"USDC": "278.890119", "SUI": "5000"})
	quote := w.must("read.quote_deepbook_display_amount",
		`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"500"}`)
	data := w.must(preview, covering(""))
	t.Run("R004-24 R004-164 R004-165 payment_coverage_1000_usd: answered from the summary", func(t *testing.T) {
		if !slices.Contains(claims(data, "answerFields"), "responseSummary") ||
			!slices.Contains(claims(data, "canAnswer"), "settlement_asset_payment_coverage") {
			t.Errorf("answer with %v to %v", claims(data, "answerFields"), claims(data, "canAnswer"))
		}
	})
	t.Run("R004-166 R004-167 R004-173 what the answer is complete for, with which fields", func(t *testing.T) {
		same(t, data,
			map[string]any{"responseSummary.answerCompleteness.answerCompleteFor": "settlement_asset_payment_coverage"})
		for _, path := range words(t, data, "responseSummary.answerCompleteness.requiredAnswerFields") {
			if at(data, path) == nil {
				t.Errorf("the required field %s is missing", path)
			}
		}
	})
	t.Run("R004-171 R004-172 R004-175 R004-176 question, conclusion, basis, group", func(t *testing.T) {
		same(t, data, map[string]any{"responseSummary.questionKind": "settlement_asset_payment_coverage",
			"responseSummary.conclusionKind": "shortfall_in_settlement_asset_balance",
			"responseSummary.coverageBasis":  "settlement_asset_wallet_balance_only",
			"responseSummary.assetGroupId":   "SUI_USD_SETTLEMENT_ASSETS"})
	})
	t.Run("R004-168 R004-169 R004-174 no quote is needed for the answer", func(t *testing.T) {
		same(t, data, map[string]any{"responseSummary.doNotCallQuoteToolsForThisQuestion": true,
			"answerSourceStatus.canUseThisResponseForUserAnswer": true, "userAnswerUse.followUp": nil})
	})
	t.Run("R004-170 R004-179 a quote that was asked for anyway stays outside", func(t *testing.T) {
		text, err := json.Marshal(data)
		if out := at(quote, "quote.quoteOut").(string); err != nil || strings.Contains(string(text), out) {
			t.Errorf("the quote of %s stands in the answer", out)
		}
		same(t, data, map[string]any{"responseSummary.separateQuoteOutputs": "not_part_of_coverage_total_or_shortfall"})
	})
	t.Run("R004-178 R004-183 every amount of the conclusion is named", func(t *testing.T) {
		want := []string{"responseSummary.currentDisplayAmount", "responseSummary.requiredDisplayAmount",
			"responseSummary.shortfallDisplayAmount"}
		if diff := cmp.Diff(want, words(t, data, "responseSummary.amountsUsedForAnswer")); diff != "" {
			t.Error(diff)
		}
		for _, rule := range []string{"responseSummary.amountsUsedForAnswer", "responseSummary.doNotUseForConclusion",
			"responseSummary.excludedFromConclusion"} {
			if !slices.Contains(claims(data, "conclusionRuleFields"), rule) {
				t.Errorf("%s does not limit the conclusion", rule)
			}
		}
	})
	t.Run("R004-178 with a target its two amounts are named as well, and without an amount the sum alone",
		func(t *testing.T) {
			for args, want := range map[string][]string{
				covering(chosenNow): {"responseSummary.currentDisplayAmount", "responseSummary.requiredDisplayAmount",
					"responseSummary.shortfallDisplayAmount",
					"selectedTarget.currentDisplayAmount", "selectedTarget.shortfallDisplayAmount"},
				total(): {"responseSummary.currentDisplayAmount"},
			} {
				data := w.must(preview, args)
				if diff := cmp.Diff(want, words(t, data, "responseSummary.amountsUsedForAnswer")); diff != "" {
					t.Error(diff)
				}
				for _, path := range want {
					if text, ok := at(data, path).(string); !ok || text == "" {
						t.Errorf("%s is %v", path, at(data, path))
					}
				}
			}
		})
	t.Run("R004-181 R004-182 R004-196 what the conclusion leaves out", func(t *testing.T) {
		for path, word := range map[string]string{"responseSummary.doNotUseForConclusion": "candidateConversions",
			"responseSummary.excludedFromConclusion": "assets_outside_the_settlement_asset_group"} {
			if !slices.Contains(words(t, data, path), word) {
				t.Errorf("%s lacks %s", path, word)
			}
		}
		if !slices.Contains(words(t, data, "responseSummary.excludedFromConclusion"), "gas_reserve_not_evaluated") {
			t.Error("the gas reserve is not said to be left out")
		}
		refuses(t, data, "gas_reserve")
	})
	t.Run("R004-180 R004-194 the asset is the person's choice", func(t *testing.T) {
		choice := each(t, data, "requiredUserChoices")[0]
		same(t, choice, map[string]any{"choice": "settlement_asset",
			"options": []any{"USDC", "USDT", "WUSDC", "WUSDT", "AUSD", "USDSUI", "SUIUSDE"}})
		same(t, data, map[string]any{"selectedTarget": nil, "responseEvidence.mode": "settlement_assets_only"})
		for _, c := range each(t, data, "candidateConversions") {
			same(t, c, map[string]any{"status": "target_asset_not_selected", "quote": nil})
		}
		refuses(t, data, "settlement_asset_choice", "target_that_the_person_did_not_choose")
	})
	t.Run("R004-195 nothing beyond evidence", func(t *testing.T) {
		refuses(t, data, "venue_comparison", "route_recommendation", "payment_execution", "transaction_building_input",
			"signing_data",
			"signing_readiness", "fiat_usd_cash_out", "profit_and_loss", "coverage_including_conversions",
			"coverage_by_assets_outside_the_group")
	})
	t.Run("settlement_balance_total_check", func(t *testing.T) {
		sum := w.must(preview, total())
		same(t, sum, map[string]any{"responseSummary.questionKind": "settlement_asset_balance_total",
			"responseSummary.amountsUsedForAnswer": []any{"responseSummary.currentDisplayAmount"},
			"responseSummary.currentDisplayAmount": "278.890119"})
		if can := claims(sum, "canAnswer"); !slices.Equal(can, []string{"settlement_asset_balance_total"}) {
			t.Errorf("can answer %v", can)
		}
	})
	sourceStatus(t, data, "read.preview_intent_evidence", "read.list_settlement_asset_groups")
}

func TestChosenTarget(t *testing.T) {
	w := build(t, nil)
	w.pay(map[string]string{"USDC": "400", "USDT": "250", "AUSD": "100"})
	data := w.must(preview, covering(chosenNow))
	t.Run("R004-189 the summary alone is not the answer", func(t *testing.T) {
		for _, path := range []string{"responseSummary", "selectedTarget", "candidateConversions", "requiredUserChoices"} {
			if !slices.Contains(claims(data, "answerFields"), path) {
				t.Errorf("answerFields lacks %s", path)
			}
		}
		required := words(t, data, "responseSummary.answerCompleteness.requiredAnswerFields")
		for _, path := range []string{"selectedTarget.shortfallDisplayAmount", "candidateConversions",
			"requiredUserChoices"} {
			if !slices.Contains(required, path) {
				t.Errorf("requiredAnswerFields lacks %s", path)
			}
		}
	})
	t.Run("R004-190 quotes of direct pools are evidence, and say so twice", func(t *testing.T) {
		if !slices.Contains(words(t, data, "responseEvidence.supportedResponseClaims"), "direct_pool_quote_evidence") ||
			!slices.Contains(claims(data, "canAnswer"), "direct_pool_quote_evidence_for_user_selected_target") {
			t.Errorf("%v, %v", at(data, "responseEvidence"), claims(data, "canAnswer"))
		}
		quotes := byKey(each(t, data, "candidateConversions"), "sourceAssetSymbol")
		alone := w.must("read.quote_deepbook_display_amount",
			`{"poolKey":"USDT_USDC","direction":"base_to_quote","amountDisplay":"250","feeMode":"input"}`)
		same(t, quotes["USDT"], map[string]any{"status": "quoted", "quote.poolKey": "USDT_USDC",
			"quote.direction": "base_to_quote",
			"quote.feeMode":   "input", "quote.inputDisplayAmount": "250", "quote.outputDisplayAmount": at(alone,
				"quote.quoteOut"),
			"quote.unspentDisplayAmount": at(alone, "quote.baseOut")})
		same(t, data, map[string]any{"responseSummary.shortfallDisplayAmount": "250",
			"selectedTarget.shortfallDisplayAmount": "600"})
	})
	t.Run("R004-191 without a quote nothing is said of quotes", func(t *testing.T) {
		for _, p := range registry.Packages() {
			w.Inject(sandbox.Fault{Kind: sandbox.DisableVersion, Version: p.Version})
		}
		bare := w.must(preview, covering(chosenNow))
		same(t, byKey(each(t, bare, "candidateConversions"), "sourceAssetSymbol")["USDT"],
			map[string]any{"status": "quote_unavailable", "cause": "quote_unavailable", "quote": nil})
		if slices.Contains(words(t, bare, "responseEvidence.supportedResponseClaims"), "direct_pool_quote_evidence") ||
			slices.Contains(claims(bare, "answerFields"), "candidateConversions") {
			t.Errorf("%v, answer with %v", at(bare, "responseEvidence"), claims(bare, "answerFields"))
		}
		refuses(t, bare, "direct_pool_quote_evidence_for_user_selected_target")
		same(t, bare, map[string]any{"selectedTarget.shortfallDisplayAmount": "600", "requiredUserChoices": []any{}})
		w.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	})
	t.Run("R004-192 only assets of the group are accepted as sources", func(t *testing.T) {
		only := w.must(preview, covering(chosenNow+`,"acceptedSourceAssetSymbols":["AUSD"]`))
		got := byKey(each(t, only, "candidateConversions"), "sourceAssetSymbol")
		same(t, got["AUSD"], map[string]any{"status": "quoted"})
		same(t, got["USDT"], map[string]any{"status": "filtered_by_accepted_source_assets", "quote": nil})
		same(t, only, map[string]any{"responseSummary.currentDisplayAmount": "750"})
		_, refusal := w.call(preview, covering(chosenNow+`,"acceptedSourceAssetSymbols":["SUI"]`))
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "acceptedSourceAssetSymbols"})
	})
	t.Run("R004-186 R004-187 a target needs a person who chose it", func(t *testing.T) {
		for args, field := range map[string]string{
			`,"targetAssetSymbol":"USDC"`:                                               "targetAssetSelectionSource",
			`,"targetAssetSelectionSource":"user_explicit"`:                             "targetAssetSymbol",
			`,"targetAssetSymbol":"USDC","targetAssetSelectionSource":"agent_inferred"`: "targetAssetSelectionSource",
			`,"targetAssetSymbol":"SUI","targetAssetSelectionSource":"user_explicit"`:   "targetAssetSymbol",
		} {
			_, refusal := w.call(preview, covering(args))
			same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": field})
		}
	})
	t.Run("R004-163 the active account, or none is said", func(t *testing.T) {
		args := `{"intentKind":"summarize_settlement_asset_group_balance","denomination":"usd"}`
		if answer, _ := w.call(preview, args); answer.Fault == nil || answer.Fault.Code != fault.ActiveAccountNotSet {
			t.Errorf("got %s", answer.Text)
		}
		w.Connect(sandbox.Account)
		same(t, w.must(preview, args), map[string]any{"accountScope.source": "active_account",
			"responseSummary.currentDisplayAmount": "4000"})
	})
	t.Run("a list that does not advance is no sum", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.StuckBalances})
		_, refusal := w.call(preview, total())
		same(t, refusal, map[string]any{"kind": "blocked",
			"details.blockedReason": "wallet_balance_pagination_did_not_advance"})
	})
}
