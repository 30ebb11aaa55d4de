package evidence

import "slices"

// Claims that answers about holdings and settlement assets support.
const (
	WalletSnapshot      Claim = "wallet_coin_balance_snapshot"
	WalletPart          Claim = "part_of_wallet_coin_balance_snapshot"
	StakeSnapshot       Claim = "staked_sui_with_estimates"
	CurrentValidators   Claim = "current_validators"
	CoinClassification  Claim = "coin_balance_classification"
	UninspectedClasses  Claim = "asset_classes_not_inspected"
	SettlementGroups    Claim = "settlement_asset_group_membership"
	SettlementParity    Claim = "settlement_asset_group_parity"
	ParityExtremes      Claim = "highest_and_lowest_settlement_asset"
	UnpricedAssets      Claim = "settlement_assets_without_a_price"
	SettlementTotal     Claim = "settlement_asset_balance_total"
	SettlementCoverage  Claim = "settlement_asset_payment_coverage"
	SettlementShortfall Claim = "settlement_asset_shortfall"
	TargetShortfall     Claim = "selected_target_shortfall"
	TargetQuote         Claim = "direct_pool_quote_evidence_for_user_selected_target"
)

// Claims that answers about holdings do not support.
const (
	ReceiptProof          Claim = "transaction_receipt_proof"
	BalanceDelta          Claim = "transaction_balance_delta"
	AcquisitionSource     Claim = "acquisition_source"
	ObjectProvenance      Claim = "object_provenance"
	PortfolioCompleteness Claim = "portfolio_completeness"
	FutureRewards         Claim = "future_staking_rewards"
	ValidatorAdvice       Claim = "validator_recommendation"
	UninspectedIsZero     Claim = "uninspected_assets_are_zero"
	FundingPlan           Claim = "funding_plan"
	PaymentExecution      Claim = "payment_execution"
	PaymentReadiness      Claim = "payment_readiness"
	FiatSupport           Claim = "fiat_usd_support"
	GasReserve            Claim = "gas_reserve"
	ConvertedCoverage     Claim = "coverage_including_conversions"
	OutsideGroupCoverage  Claim = "coverage_by_assets_outside_the_group"
	UnselectedTarget      Claim = "target_that_the_person_did_not_choose"
)

var notHistory = Claims{CompleteHistory, ReceiptProof, BalanceDelta, AcquisitionSource, ObjectProvenance}

// NotHistory returns claims about where holdings came from.
func NotHistory() Claims { return slices.Clone(notHistory) }

// WalletSemantics describes the quantities in a list of coin balances.
type WalletSemantics struct {
	Kind         string   `json:"kind" description:"kind of quantities"`
	AllowedUse   string   `json:"allowedUse" description:"only valid use"`
	NotAvailable []string `json:"notAvailable" description:"what balances do not show"`
}

// BalanceSnapshot returns the semantics of current coin balances.
func BalanceSnapshot() WalletSemantics {
	return WalletSemantics{
		Kind: "sui_wallet_balance_snapshot", AllowedUse: "present_coin_balances_of_one_address",
		NotAvailable: []string{"transaction_history", "transaction_receipt_proof", "transaction_balance_deltas",
			"acquisition_source",
			"object_provenance", "fiat_cash_out", "profit_and_loss", "cost_basis"},
	}
}

// ListMethod is the method that lists balances.
const ListMethod = "client.core.listBalances"
