package evidence

// Claims about past prices, supported and unsupported.
const (
	PastCandles  Claim = "deepbook_pool_past_candles_from_indexer"
	PastPrice    Claim = "deepbook_pool_price_at_a_past_time_from_indexer"
	EarlierPrice Claim = "deepbook_pool_last_final_price_before_a_time_from_indexer"
	NoPastPrice  Claim = "no_indexed_price_at_or_before_a_time"
	ChainProof   Claim = "proof_from_chain"
)
