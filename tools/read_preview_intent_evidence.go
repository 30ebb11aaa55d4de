package tools

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// intentKind is the kind of question to answer.
type intentKind string

// Values lists the kinds.
func (intentKind) Values() []string {
	return []string{string(assets.CoverPayment), string(assets.BalanceTotal)}
}

// selectionSource states who chose the target asset.
type selectionSource string

// Values lists the sources. An agent must not choose, so it is not among them.
func (selectionSource) Values() []string {
	return []string{string(assets.UserExplicit), string(assets.PriorExplicit)}
}

type previewIn struct {
	Kind         intentKind      `json:"intentKind" brief:"" description:"cover an amount, or add up the balances"`
	Denomination denomination    `json:"denomination" description:"the user's word, such as dollar"`
	Required     displayAmount   `json:"requiredDisplayAmount,omitempty" description:"to cover, such as 1000"`
	Target       assetSymbol     `json:"targetAssetSymbol,omitempty" description:"the user's choice"`
	TargetSource selectionSource `json:"targetAssetSelectionSource,omitempty" description:"when the user chose it"`
	Accepted     []assetSymbol   `json:"acceptedSourceAssetSymbols,omitempty" description:"default: all"`
	Account      publicAddress   `json:"account,omitempty" brief:"" description:"default: active account"`
}

func (in previewIn) question() assets.Question {
	q := assets.Question{
		Kind: assets.IntentKind(in.Kind), Denomination: string(in.Denomination), Required: string(in.Required),
		Target: string(in.Target), TargetSource: assets.SelectionSource(in.TargetSource),
	}
	if in.Accepted != nil {
		q.Accepted = []string{}
		for _, s := range in.Accepted {
			q.Accepted = append(q.Accepted, string(s))
		}
	}
	return q
}

// readPreviewIntentEvidence returns whether an account's settlement assets cover an amount. It does
// not choose an asset, add converted amounts to a balance, or pay.
func readPreviewIntentEvidence(h holdings, accounts accounts, about About) tool.Tool {
	return tool.Declare(tool.Spec[previewIn, previewOut]{
		Name:      toolPreview,
		Title:     "Preview intent evidence",
		Summary:   "Returns whether an account's settlement assets cover an amount, the shortfall, or their sum.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.ReadsChain,
		Errors: []fault.Code{fault.ActiveAccountNotSet, fault.Blocked, fault.ProviderUnavailable, fault.ProviderRefused,
			fault.ProviderMismatch},
		Cases:    previewCases(),
		Examples: previewExamples(),
		Run: func(c tool.Call, in previewIn) (previewOut, error) {
			scope, err := scopeOf(c, accounts, in.Account)
			if err != nil {
				return previewOut{}, err
			}
			q := in.question()
			p, err := h.Preview(c.Context(), scope.Account, q)
			if err != nil {
				return previewOut{}, err
			}
			return previewOf(p, q, scope, about), nil
		},
	})
}

// previewCases returns a case for each kind of answer: a total, coverage without a chosen asset,
// and coverage by a chosen asset with or without a quote.
func previewCases() []tool.Case[previewOut] {
	use := evidence.Use{
		Cannot: evidence.Claims{evidence.SettlementChoice, evidence.UnselectedTarget, evidence.ConvertedCoverage,
			evidence.OutsideGroupCoverage, evidence.VenueComparison, evidence.RouteRecommendation, evidence.GasReserve,
			evidence.PaymentExecution, evidence.TransactionInput, evidence.SigningData, evidence.SigningReadiness,
			evidence.FiatCashOut, evidence.StablecoinPeg, evidence.ProfitAndLoss},
		Answer:       []string{"responseSummary", "accountScope.account", "fetchedAt"},
		Precondition: []string{sourceStatusPath},
		Rules: []string{"responseSummary.amountsUsedForAnswer", "responseSummary.doNotUseForConclusion",
			"responseSummary.excludedFromConclusion", "responseSummary.doNotCallQuoteToolsForThisQuestion",
			"accountScope.boundary"},
		Diagnostic: []string{"source", "settlementAssets", "balancePagesRead", "quantitySemantics",
			"answerSourceStatus.requiredTools"},
	}
	total, coverage, target := use, use, use
	total.Can = evidence.Claims{evidence.SettlementTotal}
	coverage.Can = evidence.Claims{evidence.SettlementCoverage, evidence.SettlementShortfall}
	coverage.Answer = append(slices.Clone(use.Answer), "requiredUserChoices")
	target.Can = coverage.Can.And(evidence.Claims{evidence.TargetShortfall})
	target.Answer = []string{"responseSummary", "selectedTarget", "candidateConversions", "requiredUserChoices",
		"accountScope.account", "fetchedAt"}
	target.Rules = append(slices.Clone(use.Rules), "responseEvidence.mode", "responseEvidence.supportedResponseClaims")
	quoted := target
	quoted.Can = target.Can.And(evidence.Claims{evidence.TargetQuote})
	target.Answer = []string{"responseSummary", "selectedTarget", "requiredUserChoices", "accountScope.account",
		"fetchedAt"}
	target.Cannot = target.Cannot.And(evidence.Claims{evidence.TargetQuote})
	return []tool.Case[previewOut]{
		{Name: "total", When: func(o previewOut) bool { return o.Intent.Kind == assets.BalanceTotal }, Use: total},
		{Name: "coverage", When: func(o previewOut) bool { return o.Target == nil }, Use: coverage},
		{Name: "chosen asset with quotes", Use: quoted,
			When: func(o previewOut) bool { return slices.Contains(o.Evidence.Claims, claimDirectQuote) }},
		{Name: "chosen asset without quotes", Use: target},
	}
}

func previewExamples() []tool.Example {
	const cover = `"account":"` + exampleAccount +
		`","intentKind":"cover_payment_like_amount","denomination":"dollar","requiredDisplayAmount":`
	const total = `"account":"` + exampleAccount +
		`","intentKind":"summarize_settlement_asset_group_balance","denomination":"달러"`
	const invalid, nothing = fault.InputInvalid, givenNothing
	return []tool.Example{
		{Name: "covered", Given: nothing, In: `{` + cover + `"1000"}`, Case: "coverage"},
		{Name: "short", Given: nothing, In: `{` + cover + `"5000"}`, Case: "coverage"},
		{Name: "total", Given: nothing, In: `{` + total + `}`, Case: "total"},
		{Name: "total of the active account", Given: givenConnected,
			In: `{"intentKind":"summarize_settlement_asset_group_balance","denomination":"stablecoins"}`, Case: "total"},
		{Name: "shortfall in the asset that the user chose", Given: nothing,
			In:   `{` + cover + `"1000","targetAssetSymbol":"USDT","targetAssetSelectionSource":"user_explicit"}`,
			Case: "chosen asset with quotes"},
		{Name: "covered by the asset chosen earlier", Given: nothing,
			In:   `{` + cover + `"1000","targetAssetSymbol":"USDC","targetAssetSelectionSource":"prior_user_explicit_context"}`,
			Case: "chosen asset without quotes"},
		{Name: "quotes cannot be had", Given: givenNoVersion,
			In:   `{` + cover + `"1000","targetAssetSymbol":"USDT","targetAssetSelectionSource":"user_explicit","acceptedSourceAssetSymbols":["USDC"]}`,
			Case: "chosen asset without quotes"},
		{Name: "an asset that nobody chose", Given: nothing, In: `{` + cover + `"1000","targetAssetSymbol":"USDT"}`,
			Fault: invalid},
		{Name: "a source outside the group", Given: nothing, In: `{` + cover + `"1000","acceptedSourceAssetSymbols":["SUI"]}`,
			Fault: invalid},
		{Name: "no amount", Given: nothing,
			In:    `{"account":"` + exampleAccount + `","intentKind":"cover_payment_like_amount","denomination":"dollar"}`,
			Fault: invalid},
		{Name: "a total with an amount", Given: nothing, In: `{` + total + `,"requiredDisplayAmount":"1"}`, Fault: invalid},
		{Name: "no account", Given: nothing,
			In:    `{"intentKind":"summarize_settlement_asset_group_balance","denomination":"usd"}`,
			Fault: fault.ActiveAccountNotSet},
		{Name: "a list that never ends", Given: givenStuckList, In: `{` + total + `}`, Fault: fault.Blocked},
		{Name: "node down", Given: givenNodeDown, In: `{` + total + `}`, Fault: fault.ProviderUnavailable},
		{Name: "node refuses", Given: givenNoList, In: `{` + total + `}`, Fault: fault.ProviderRefused},
		{Name: "node lies", Given: givenTwiceListed, In: `{` + total + `}`, Fault: fault.ProviderMismatch},
	}
}
