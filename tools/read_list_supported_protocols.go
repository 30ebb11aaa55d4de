package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// support is how far a protocol is supported.
type support string

const (
	readAndReview support = "read_and_local_review"
	notSupported  support = "not_supported"
)

// Values lists the levels.
func (support) Values() []string {
	return []string{string(readAndReview), string(notSupported)}
}

// protocol is one protocol surface.
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

// protocols lists what is supported. A slug here is one that the review
// service's adapters know.
func protocols() []protocol {
	list := []protocol{
		{"deepbook-v3", "DeepBookV3", "deep", readAndReview,
			[]string{"swap", "limit-order", "market-order", "modify-order", "cancel-order", "cancel-all-orders",
				"manager-create", "manager-deposit", "manager-withdraw", "manager-withdraw-all", string(revokeAction)},
			[]string{"read.list_deepbook_pools",
				"read.list_deepbook_tokens", toolOrderbook, "read.get_deepbook_mid_price",
				"read.quote_deepbook_action", "read.quote_deepbook_display_amount", toolPriceHistory, toolPriceAtTime}},
		{"flowx-clmm", "FlowXCLMM", "flowx", readAndReview, []string{"swap"}, []string{toolFlowxPools, toolFlowxQuote}},
		{"sui", "Sui", "sui", readAndReview, []string{"transfer", "stake", "unstake", string(revokeAction)},
			[]string{"read.list_standing_permissions", toolValidators}},
		{"deepbook-margin", "DeepBook Margin", "", notSupported, nil, nil},
	}
	for _, p := range floor.Known().Protocols {
		if actions := p.Actions(); len(actions) > 0 {
			list = append(list, protocol{p.Slug, p.Name, p.Slug, readAndReview, actions, nil})
		}
	}
	return list
}

// Offers returns the actions that can be prepared, by protocol slug, as the answers
// name them; an intent's type is one of them.
func Offers() map[string][]string {
	offers := map[string][]string{}
	for _, p := range protocols() {
		if len(p.Actions) > 0 {
			offers[p.Slug] = p.Actions
		}
	}
	return offers
}

// readListSupportedProtocols lists the protocol surfaces. The list is static.
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
