package evidence

import "slices"

// Claim names a kind of question or conclusion.
type Claim string

// Claims is a list of claims. In an answer it must not be null.
type Claims []Claim

// Claims that answers can support.
const (
	ServerCapabilities   Claim = "server_capabilities"
	SupportedProtocols   Claim = "supported_protocols"
	PoolMidPrice         Claim = "deepbook_pool_mid_price_snapshot"
	RawPoolQuote         Claim = "deepbook_raw_quote_of_one_pool"
	DisplayPoolQuote     Claim = "deepbook_display_quote_of_one_pool"
	WalletLink           Claim = "wallet_connect_link"
	WalletIdentityStatus Claim = "wallet_identity_status"
	ConnectedAccount     Claim = "connected_account_read_context"
	ActiveAccount        Claim = "active_account_read_context"
	NoActiveAccount      Claim = "no_active_account"
	ReviewLink           Claim = "review_link"
	ReviewStatus         Claim = "review_status"
	ReviewBlockers       Claim = "review_blocking_checks"
	ReviewedFacts        Claim = "reviewed_amounts_before_signing"
	ExecutionStatus      Claim = "execution_status"
	ExecutionReceipt     Claim = "execution_receipt_from_chain"
	ExecutionFailure     Claim = "execution_failure_reason"
	WaitOutcome          Claim = "wait_outcome"
	BusEvents            Claim = "events_of_this_conversation"
	TaskStatus           Claim = "task_status"
	CallAccepted         Claim = "call_accepted_and_answered_by_an_event"
	SettingsLink         Claim = "local_settings_link"
	ConsoleLink          Claim = "console_link"
	LocalSettings        Claim = "local_settings"
	AddressBook          Claim = "address_book_entries"
	WatchedCoins         Claim = "watched_coins"
	NameRecord           Claim = "suins_name_record"
	StandingPermissions  Claim = "standing_permissions"
	ProjectList          Claim = "registered_projects"
	ProjectText          Claim = "text_of_project_files"
	CallEdges            Claim = "call_edges_of_move_functions"
	SpendingLimits       Claim = "spending_limits_and_allow_lists"
)

// Claims that answers can rule out.
const (
	PaymentCoverage       Claim = "payment_coverage"
	ShortfallContribution Claim = "shortfall_contribution"
	RoutePaymentSupport   Claim = "route_dependent_payment_support"
	FundingSource         Claim = "funding_source"
	SettlementChoice      Claim = "settlement_asset_choice"
	FiatCashOut           Claim = "fiat_usd_cash_out"
	ExternalConversion    Claim = "external_market_conversion"
	ExternalLookup        Claim = "external_market_lookup"
	StablecoinPeg         Claim = "usdc_usd_peg_assumption"
	ProfitAndLoss         Claim = "profit_and_loss"
	CostBasis             Claim = "cost_basis"
	GlobalPrice           Claim = "global_market_price"
	EffectivePrice        Claim = "effective_price"
	PriceImpact           Claim = "price_impact"
	MidPriceSlippage      Claim = "mid_price_slippage"
	LiquidityVerdict      Claim = "liquidity_verdict"
	VenueComparison       Claim = "venue_comparison"
	BestRoute             Claim = "best_route"
	RouteRecommendation   Claim = "route_recommendation"
	MinimumOutput         Claim = "minimum_output"
	TransactionInput      Claim = "transaction_building_input"
	SigningData           Claim = "signing_data"
	SigningReadiness      Claim = "signing_readiness"
	LiveLiquidity         Claim = "live_liquidity"
	AccountLogin          Claim = "login"
	AccountOwnership      Claim = "proof_of_account_ownership"
	WalletAuthorization   Claim = "wallet_authorization"
	AccountBalance        Claim = "account_balance"
	ExecutionGuarantee    Claim = "execution_guarantee"
	ExecutionSafety       Claim = "execution_safety"
	TransactionSigned     Claim = "transaction_was_signed"
	TransactionExecuted   Claim = "transaction_was_executed"
	FinalResult           Claim = "final_result"
	CompleteHistory       Claim = "complete_wallet_history"
	SettingsChanged       Claim = "settings_were_changed"
	PersonAnswer          Claim = "answer_of_the_person"
	RecipientIdentity     Claim = "identity_of_the_recipient"
	InstructionsInFiles   Claim = "instructions_from_file_contents"
)

// Sets of unsupported claims. A tool combines the sets that apply to its answer.
var (
	notMarketAdvice = Claims{GlobalPrice, EffectivePrice, PriceImpact, MidPriceSlippage, LiquidityVerdict,
		VenueComparison, BestRoute, RouteRecommendation}
	notMoneyOutside = Claims{FiatCashOut, ExternalConversion, ExternalLookup, StablecoinPeg, ProfitAndLoss, CostBasis}
	notPayment      = Claims{PaymentCoverage, ShortfallContribution, RoutePaymentSupport, FundingSource, SettlementChoice}
	notSignable     = Claims{MinimumOutput, TransactionInput, SigningData, SigningReadiness}
	notLogin        = Claims{AccountLogin, AccountOwnership, WalletAuthorization}
	notSigning      = Claims{SigningData, SigningReadiness}
	notExecution    = Claims{ExecutionGuarantee, ExecutionSafety}
)

// NotMarketAdvice returns claims about market prices, liquidity, venues and routes.
func NotMarketAdvice() Claims { return slices.Clone(notMarketAdvice) }

// NotMoneyOutside returns claims about money outside a pool.
func NotMoneyOutside() Claims { return slices.Clone(notMoneyOutside) }

// NotPayment returns claims about what can be paid.
func NotPayment() Claims { return slices.Clone(notPayment) }

// NotSignable returns claims that treat an answer as a guaranteed minimum, as input of a transaction
// or as ready to sign.
func NotSignable() Claims { return slices.Clone(notSignable) }

// NotSigning returns the claims that an answer contains signing data or shows readiness to sign.
func NotSigning() Claims { return slices.Clone(notSigning) }

// NotLogin returns claims of authority over an account.
func NotLogin() Claims { return slices.Clone(notLogin) }

// NotExecution returns claims that a transaction will execute, or is safe to execute.
func NotExecution() Claims { return slices.Clone(notExecution) }

// And returns the claims of c, followed by the claims of others that c lacks.
func (c Claims) And(others ...Claims) Claims {
	all := slices.Clone(c)
	for _, set := range others {
		for _, claim := range set {
			if !slices.Contains(all, claim) {
				all = append(all, claim)
			}
		}
	}
	return all
}

// Both returns the claims of c that are also in other.
func (c Claims) Both(other Claims) Claims {
	return slices.DeleteFunc(slices.Clone(c), func(x Claim) bool { return !slices.Contains(other, x) })
}

// Without returns the claims of c except others.
func (c Claims) Without(others ...Claim) Claims {
	return slices.DeleteFunc(slices.Clone(c), func(one Claim) bool { return slices.Contains(others, one) })
}
