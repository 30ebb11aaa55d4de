package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type flowxPoolsIn struct{}

type flowxPoolsOut struct {
	Network        string          `json:"network" description:"network of this server"`
	Protocol       string          `json:"protocolId" description:"id of the protocol"`
	Package        sui.ObjectID    `json:"currentPackageId" description:"package that is called"`
	Registry       sui.ObjectID    `json:"poolRegistryObjectId" description:"shared object that owns every pool"`
	FeeDenominator uint64          `json:"feeRateDenominator" description:"unit of feeRate"`
	Count          int             `json:"count" description:"how many pools are pinned"`
	Pools          []flowxPool     `json:"pools" description:"every pool of each supported pair, one per fee tier, not ranked"`
	Limitations    []string        `json:"limitations" description:"limits of the list"`
	Source         evidence.Source `json:"source" description:"where the list comes from"`
}

// readListFlowxPools lists the pinned pools. It does not query a node or the router.
func readListFlowxPools(network string) tool.Tool {
	return tool.Declare(tool.Spec[flowxPoolsIn, flowxPoolsOut]{
		Name:    toolFlowxPools,
		Title:   "List FlowX pools",
		Summary: "Lists the pinned FlowX CLMM pools: every fee tier of each supported pair, without ranking.",
		Effect:  tool.Static,
		Cases: []tool.Case[flowxPoolsOut]{{
			Name: "pools",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.PinnedFlowxPools},
				Cannot: evidence.Claims{evidence.LiveLiquidity, evidence.VenueComparison, evidence.BestRoute,
					evidence.RouteRecommendation},
				Answer: []string{"pools[].key", "pools[].xSymbol", "pools[].ySymbol", "pools[].feeRate", "feeRateDenominator",
					"count"},
				Rules:      []string{"limitations"},
				Diagnostic: []string{"source", "pools[].id", "currentPackageId", "poolRegistryObjectId"},
				Next: evidence.Ask(toolFlowxQuote,
					"It returns the FlowX router's quote for an amount.").Reading("amountOut"),
			},
		}},
		Examples: []tool.Example{{Name: "pools", Given: givenNothing, In: `{}`, Case: "pools"}},
		Run: func(tool.Call, flowxPoolsIn) (flowxPoolsOut, error) {
			return pinnedFlowxPools(network, registry.Check)
		},
	})
}

// pinnedFlowxPools returns the pools in the registry, or the error of check.
func pinnedFlowxPools(network string, check func() error) (flowxPoolsOut, error) {
	if err := check(); err != nil {
		return flowxPoolsOut{}, err
	}
	out := flowxPoolsOut{
		Network: network, Protocol: "flowx-clmm", Package: registry.Package, Registry: registry.Object,
		FeeDenominator: registry.FeeDenominator,
		Limitations: []string{"not_live_liquidity", "not_a_pool_ranking", "not_route_advice",
			"not_a_complete_list_of_flowx_pools"},
		Source: evidence.Source{Kind: "static_registry", Registry: flowxRegistry},
	}
	for _, p := range registry.Pools() {
		out.Pools = append(out.Pools, flowxPoolOf(p))
	}
	out.Count = len(out.Pools)
	return out, nil
}
