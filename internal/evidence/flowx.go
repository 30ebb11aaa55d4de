package evidence

// Claims that answers about FlowX support.
const (
	PinnedFlowxPools Claim = "pinned_flowx_pools"
	FlowxQuote       Claim = "flowx_indicative_router_quote"
)

// ChosenPool is not supported by any answer, because the pools of a route are known only from the
// router.
const ChosenPool Claim = "pool_chosen_by_this_server"
