package tools

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// support is the level of support for a protocol.
type support string

const (
	readAndReview support = "read_and_local_review"
	notSupported  support = "not_supported"
)

// Values lists the levels.
func (support) Values() []string {
	return []string{string(readAndReview), string(notSupported)}
}

// protocol describes a supported or unsupported protocol.
type protocol struct {
	ID      string   `json:"id" description:"id of the protocol"`
	Name    string   `json:"name" description:"name of the protocol"`
	Slug    string   `json:"slug,omitempty" description:"word for intent.protocol and prompts"`
	Support support  `json:"support" description:"how far it is supported"`
	Actions []string `json:"actions" description:"actions that can be prepared for review"`
	Tools   []string `json:"tools" description:"tools that read it"`
}

type protocolsIn struct{}

type protocolsOut struct {
	Network   string     `json:"network" description:"network of this server"`
	Protocols []protocol `json:"protocols" description:"protocol surfaces with their support"`
}

// protocols returns all known protocols. Those with an adapter have the adapter's actions.
func protocols() []protocol {
	list := []protocol{
		{"deepbook-v3", "DeepBookV3", "deep", readAndReview, nil, []string{"read.list_deepbook_pools",
			"read.list_deepbook_tokens", toolOrderbook, "read.get_deepbook_mid_price",
			"read.quote_deepbook_action", "read.quote_deepbook_display_amount", toolPriceHistory, toolPriceAtTime}},
		{"flowx-clmm", "FlowXCLMM", "flowx", readAndReview, nil, []string{toolFlowxPools, toolFlowxQuote}},
		{"sui", "Sui", "sui", readAndReview, nil, []string{"read.list_standing_permissions", toolValidators}},
		{"deepbook-margin", "DeepBook Margin", "", notSupported, nil, nil},
	}
	for _, m := range adapters.Metas() {
		i := slices.IndexFunc(list, func(p protocol) bool { return p.Slug == m.Slug })
		if i < 0 {
			i, list = len(list), append(list, protocol{m.Slug, m.Protocol, m.Slug, readAndReview, nil, nil})
		}
		list[i].Actions = append(list[i].Actions, m.Action)
	}
	return list
}

// readListSupportedProtocols lists the protocols. The list is static.
func readListSupportedProtocols(network string) tool.Tool {
	return tool.Declare(tool.Spec[protocolsIn, protocolsOut]{
		Name:    "read.list_supported_protocols",
		Title:   "List supported protocols",
		Summary: "Lists the supported protocols, the extent of support, and the slug that names each in an intent.",
		Effect:  tool.Static,
		Cases: []tool.Case[protocolsOut]{{
			Name: "protocols",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.SupportedProtocols},
				Cannot: evidence.Claims{evidence.LiveLiquidity, evidence.VenueComparison, evidence.BestRoute,
					evidence.RouteRecommendation, evidence.SigningReadiness},
				Answer: []string{"protocols[].name", "protocols[].support", "protocols[].actions"},
			},
		}},
		Examples: []tool.Example{{Name: "protocols", Given: givenNothing, In: `{}`, Case: "protocols"}},
		Run: func(tool.Call, protocolsIn) (protocolsOut, error) {
			all := protocols()
			for i := range all {
				all[i].Actions = append([]string{}, all[i].Actions...)
				all[i].Tools = append([]string{}, all[i].Tools...)
			}
			return protocolsOut{network, all}, nil
		},
	})
}
