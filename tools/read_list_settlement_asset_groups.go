package tools

import (
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type groupsIn struct{}

type groupMember struct {
	coin
	Pools []string `json:"pools" description:"pinned pools that trade it"`
}

type groupExclusion struct {
	coin
	Reason string `json:"reason" description:"why it is not in the group"`
}

type settlementGroup struct {
	ID       string           `json:"assetGroupId" description:"id of the group"`
	Aliases  []string         `json:"aliases" description:"user words for it; use as denomination"`
	Included []groupMember    `json:"includedAssets" description:"assets that count one to one"`
	Excluded []groupExclusion `json:"excludedAssets" description:"the other registered coins"`
}

type groupsOut struct {
	Network     string            `json:"network" description:"network of this server"`
	Status      sourceStatus      `json:"answerSourceStatus" description:"whether this server can answer such questions"`
	Groups      []settlementGroup `json:"groups" description:"settlement asset groups"`
	Source      evidence.Source   `json:"sourceAuthority" description:"where membership comes from"`
	Limitations []string          `json:"limitations" description:"what membership does not say"`
}

// readListSettlementAssetGroups lists the coins that count as the same denomination. The list is
// fixed and does not describe prices or liquidity.
func readListSettlementAssetGroups(about About) tool.Tool {
	return tool.Declare(tool.Spec[groupsIn, groupsOut]{
		Name:    toolGroups,
		Title:   "List settlement asset groups",
		Summary: "Lists which registered coins count as a denomination such as the dollar, and which do not and why.",
		Effect:  tool.Static,
		Cases: []tool.Case[groupsOut]{{
			Name: "groups",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.SettlementGroups},
				Cannot: evidence.Claims{evidence.LiveLiquidity, evidence.FiatSupport, evidence.FiatCashOut,
					evidence.StablecoinPeg, evidence.SettlementChoice, evidence.PaymentExecution, evidence.RouteRecommendation,
					evidence.SigningReadiness},
				Answer: []string{"groups[].assetGroupId", "groups[].includedAssets", "groups[].excludedAssets",
					"groups[].aliases"},
				Precondition: []string{sourceStatusPath},
				Rules:        []string{"limitations"},
				Diagnostic:   []string{"sourceAuthority", "answerSourceStatus.requiredTools"},
				Next: evidence.Ask(toolPreview, "It returns whether an account covers an amount in the denomination.").
					Reading(evidence.PaymentField),
			},
		}},
		Examples: []tool.Example{{Name: "groups", Given: givenNothing, In: `{}`, Case: "groups"}},
		Run:      func(tool.Call, groupsIn) (groupsOut, error) { return settlementGroups(about) },
	})
}

func settlementGroups(about About) (groupsOut, error) {
	out := groupsOut{
		Network: about.Network, Status: sourceStatusOf(about, toolGroups), Source: registrySource(),
		Limitations: []string{"not_live_liquidity", "not_fiat_usd", "no_peg_is_assumed_or_checked", "not_payment_execution",
			"not_a_route", "not_signing_readiness"},
	}
	groups, err := assets.Groups()
	for _, g := range groups {
		shown := settlementGroup{ID: g.ID, Aliases: g.Aliases}
		for _, m := range g.Members {
			shown.Included = append(shown.Included, groupMember{coinOf(m.Coin), m.Pools})
		}
		for _, e := range g.Excluded {
			shown.Excluded = append(shown.Excluded, groupExclusion{coinOf(e.Coin), e.Reason})
		}
		out.Groups = append(out.Groups, shown)
	}
	return out, err
}
