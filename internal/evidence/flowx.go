package evidence

// What answers about FlowX can support.
const (
	PinnedFlowxPools Claim = "pinned_flowx_pools"
	FlowxQuote       Claim = "flowx_indicative_router_quote"
)

// ChosenPool is never supported: which pool a route takes is the router's word.
const ChosenPool Claim = "pool_chosen_by_this_server"
