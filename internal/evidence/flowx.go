package evidence

// Conclusions that answers about FlowX support.
const (
	PinnedFlowxPools Claim = "pinned_flowx_pools"
	FlowxQuote       Claim = "flowx_indicative_router_quote"
)

// ChosenPool is never supported: only the router reports which pool a route uses.
const ChosenPool Claim = "pool_chosen_by_this_server"
