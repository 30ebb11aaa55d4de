package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Parts of the answer of read.preview_intent_evidence.

type previewIntent struct {
	Kind         assets.IntentKind `json:"intentKind" description:"kind of question"`
	Denomination denomination      `json:"denomination" description:"the requested word"`
	Required     sui.Decimal       `json:"requiredDisplayAmount,omitempty" description:"amount to cover"`
}

type completeness struct {
	For    string   `json:"answerCompleteFor" description:"class of questions that is answered"`
	Fields []string `json:"requiredAnswerFields" description:"fields that such an answer needs"`
}

// previewSummary holds the values for answers about coverage, shortfalls and totals.
type previewSummary struct {
	Question     string            `json:"questionKind" description:"kind of question"`
	Conclusion   assets.Conclusion `json:"conclusionKind" description:"conclusion from the balances"`
	Completeness completeness      `json:"answerCompleteness" description:"scope for which the answer is complete"`
	NoQuotes     bool              `json:"doNotCallQuoteToolsForThisQuestion" description:"quotes add nothing to this answer"`
	Basis        string            `json:"coverageBasis" description:"basis of the conclusion"`
	Group        string            `json:"assetGroupId" description:"group whose assets were added one to one"`
	Current      sui.Decimal       `json:"currentDisplayAmount" description:"sum of the group's balances"`
	Required     sui.Decimal       `json:"requiredDisplayAmount,omitempty" description:"amount to cover"`
	Short        sui.Decimal       `json:"shortfallDisplayAmount,omitempty" description:"what is lacking, 0 when covered"`
	Used         []string          `json:"amountsUsedForAnswer" description:"the only fields with amounts for the conclusion"`
	Quotes       string            `json:"separateQuoteOutputs" description:"relation of quotes to the conclusion"`
	Choices      []string          `json:"requiredUserChoices" description:"ids of what only the user can decide"`
	DoNotUse     []string          `json:"doNotUseForConclusion" description:"fields and tools that the conclusion must not use"`
	Excluded     []string          `json:"excludedFromConclusion" description:"what the conclusion leaves out"`
}

type previewEvidence struct {
	Mode   string   `json:"mode" description:"settlement_assets_only or selected_target_context"`
	Claims []string `json:"supportedResponseClaims" description:"subjects for which this answer has evidence"`
}

type selectedTarget struct {
	coin
	Selection assets.SelectionSource `json:"selectionSource" description:"who chose it"`
	Current   sui.Decimal            `json:"currentDisplayAmount" description:"balance of this asset only"`
	Required  sui.Decimal            `json:"requiredDisplayAmount" description:"amount to cover"`
	Short     sui.Decimal            `json:"shortfallDisplayAmount" description:"what this asset lacks"`
	Status    string                 `json:"status" description:"covered_by_selected_target or shortfall_in_selected_target"`
}

type conversionQuote struct {
	Pool      string       `json:"poolKey" description:"direct pool that was queried"`
	Direction string       `json:"direction" description:"which coin is paid"`
	FeeMode   string       `json:"feeMode" description:"input: the fee is taken from the coin paid"`
	Input     sui.Decimal  `json:"inputDisplayAmount" description:"amount that would be paid: the full balance"`
	Out       sui.Decimal  `json:"outputDisplayAmount" description:"target asset that would come out; no part of coverage"`
	Unspent   sui.Decimal  `json:"unspentDisplayAmount" description:"input that would come back"`
	Package   sui.ObjectID `json:"packageId" description:"package that was called"`
	FetchedAt time.Time    `json:"fetchedAt" description:"time this machine received the response, UTC"`
}

type candidateConversion struct {
	Source  string           `json:"sourceAssetSymbol" description:"asset of the group that is held"`
	Current sui.Decimal      `json:"currentDisplayAmount" description:"its balance"`
	Status  string           `json:"status" description:"quoted, or why there is no quote"`
	Cause   fault.Code       `json:"cause,omitempty" description:"why the pool gave no quote"`
	Quote   *conversionQuote `json:"quote,omitempty" description:"the direct pool's answer"`
}

type userChoice struct {
	ID      string   `json:"choice" description:"decision for the user"`
	Options []string `json:"options" description:"what can be chosen"`
}

type previewOut struct {
	Network     string                   `json:"network" description:"network of this server"`
	Status      sourceStatus             `json:"answerSourceStatus" description:"whether this server can answer such questions"`
	Intent      previewIntent            `json:"intent" description:"the question as understood"`
	Scope       accountScope             `json:"accountScope" description:"account of the balances"`
	Summary     previewSummary           `json:"responseSummary" description:"what to answer from"`
	Evidence    previewEvidence          `json:"responseEvidence" description:"subjects for which the answer has evidence"`
	Target      *selectedTarget          `json:"selectedTarget,omitempty" description:"the asset that the user chose"`
	Conversions []candidateConversion    `json:"candidateConversions" description:"value of the group's other assets; context only"`
	Choices     []userChoice             `json:"requiredUserChoices" description:"decisions that only the user can make"`
	Held        []heldAsset              `json:"settlementAssets" description:"balance of each asset of the group"`
	Semantics   evidence.WalletSemantics `json:"quantitySemantics" description:"meaning and limits of the balances"`
	Pages       int                      `json:"balancePagesRead" description:"coin type pages read; always complete"`
	Source      evidence.Source          `json:"source" description:"where the balances came from"`
	FetchedAt   time.Time                `json:"fetchedAt" description:"time this machine received the balances, UTC; does not prove freshness"`
}

// Modes of an answer.
const (
	modeAssetsOnly = "settlement_assets_only"
	modeTarget     = "selected_target_context"
)

// claimDirectQuote claims that the answer contains a quote from a direct pool.
const claimDirectQuote = "direct_pool_quote_evidence"

func previewOf(p assets.Preview, q assets.Question, scope accountScope, about About) previewOut {
	out := previewOut{
		Network: about.Network, Status: sourceStatusOf(about, toolPreview, toolGroups), Scope: scope,
		Intent:  previewIntent{p.Kind, denomination(q.Denomination), p.Required},
		Summary: previewSummaryOf(p), Evidence: previewEvidenceOf(p),
		Semantics: evidence.BalanceSnapshot(), Pages: p.Pages, FetchedAt: readAt(p.At),
		Source: evidence.Source{Kind: "sui_grpc_read", Registry: registrySource().Registry, Method: evidence.ListMethod,
			Precision: evidence.ExactFromRaw},
	}
	for _, h := range p.Held {
		out.Held = append(out.Held, heldOf(h))
	}
	for _, c := range p.Choices {
		out.Choices = append(out.Choices, userChoice{c.ID, c.Options})
	}
	if t := p.Target; t != nil {
		status := "shortfall_in_selected_target"
		if t.Covered() {
			status = "covered_by_selected_target"
		}
		out.Target = &selectedTarget{coinOf(t.Coin), t.Source, t.Amount, p.Required, t.Short, status}
	}
	for _, c := range p.Conversions {
		out.Conversions = append(out.Conversions, conversionOf(c))
	}
	return out
}

func conversionOf(c assets.Conversion) candidateConversion {
	shown := candidateConversion{Source: c.From.Coin.Symbol, Current: c.From.Amount, Status: string(c.Status),
		Cause: c.Cause}
	if q := c.Quote; q != nil {
		in, out, err := q.Pool.Sides(q.Direction)
		if err != nil {
			return shown // unreachable: the direction of a quote is valid
		}
		shown.Quote = &conversionQuote{
			Pool: c.Pool, Direction: string(q.Direction), FeeMode: string(q.FeeMode), Input: q.Input.Decimal(in.Decimals),
			Out: q.Out.Decimal(out.Decimals), Unspent: q.Unspent.Decimal(in.Decimals), Package: q.Package,
			FetchedAt: readAt(q.At),
		}
	}
	return shown
}

// Paths of the amounts that support conclusions.
const (
	pathCurrent  = "responseSummary.currentDisplayAmount"
	pathRequired = "responseSummary.requiredDisplayAmount"
	pathShort    = "responseSummary.shortfallDisplayAmount"
)

func previewSummaryOf(p assets.Preview) previewSummary {
	s := previewSummary{
		Question: "settlement_asset_payment_coverage", Conclusion: p.Conclusion, NoQuotes: true,
		Basis: "settlement_asset_wallet_balance_only", Group: p.Group.ID,
		Current: p.Total, Required: p.Required, Short: p.Short,
		Used:    []string{pathCurrent, pathRequired, pathShort},
		Quotes:  "not_part_of_coverage_total_or_shortfall",
		Choices: []string{},
		DoNotUse: []string{"candidateConversions", "read.quote_deepbook_display_amount", "read.quote_deepbook_action",
			"read.get_deepbook_mid_price"},
		Excluded: []string{"separate_quote_results", "assets_outside_the_settlement_asset_group", "gas_reserve_not_evaluated",
			"deepbook_account_inventory", "assets_that_are_no_coins"},
	}
	for _, c := range p.Choices {
		s.Choices = append(s.Choices, c.ID)
	}
	switch {
	case p.Kind == assets.BalanceTotal:
		s.Question = "settlement_asset_balance_total"
		s.Used = s.Used[:1]
		s.Completeness = completeness{string(evidence.SettlementTotal), []string{pathCurrent, "responseSummary.assetGroupId"}}
	case p.Target != nil:
		s.Completeness = completeness{string(evidence.TargetShortfall), []string{"responseSummary.conclusionKind",
			pathCurrent, pathRequired,
			pathShort, "selectedTarget.shortfallDisplayAmount", "candidateConversions", "requiredUserChoices"}}
		s.Used = append(s.Used, "selectedTarget.currentDisplayAmount", "selectedTarget.shortfallDisplayAmount")
	default:
		s.Completeness = completeness{string(evidence.SettlementCoverage), []string{"responseSummary.conclusionKind",
			pathCurrent,
			pathRequired, pathShort, "requiredUserChoices"}}
	}
	return s
}

func previewEvidenceOf(p assets.Preview) previewEvidence {
	if p.Kind == assets.BalanceTotal {
		return previewEvidence{modeAssetsOnly, []string{string(evidence.SettlementTotal)}}
	}
	e := previewEvidence{modeAssetsOnly, []string{string(evidence.SettlementCoverage),
		string(evidence.SettlementShortfall)}}
	if p.Target != nil {
		e.Mode = modeTarget
		e.Claims = append(e.Claims, string(evidence.TargetShortfall))
	}
	if p.Quoted() {
		e.Claims = append(e.Claims, claimDirectQuote)
	}
	return e
}
