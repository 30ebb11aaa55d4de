package evidence

// Claims that answers about the registry and about order books support.
const (
	PinnedPools       Claim = "pinned_deepbook_pools"
	PinnedTokens      Claim = "pinned_deepbook_tokens"
	BookSnapshot      Claim = "deepbook_order_book_snapshot"
	CompleteTokenList Claim = "complete_list_of_sui_tokens" // not supported by any answer
)

// Claims about the reviews on this machine, supported and unsupported.
const (
	LocalReviews       Claim = "local_review_activity"
	LocalReviewFunnel  Claim = "local_review_funnel"
	LocalReviewDetail  Claim = "local_review_evidence"
	StoredExecution    Claim = "stored_review_execution_result"
	NoStoredExecution  Claim = "stored_review_execution_result_without_execution_field"
	PendingWork        Claim = "pending_local_interactions"
	NothingPending     Claim = "no_pending_local_interactions"
	BehaviorPattern    Claim = "behavior_pattern"
	GasHistory         Claim = "gas_history"
	ExternalActivity   Claim = "external_wallet_activity"
	PresentMarketFacts Claim = "present_market_facts"
)

// NotWalletHistory returns the claims about an account's history that local review records do not
// support.
func NotWalletHistory() Claims {
	return Claims{CompleteHistory, GasHistory, ExternalActivity, ProfitAndLoss, AccountOwnership}
}
