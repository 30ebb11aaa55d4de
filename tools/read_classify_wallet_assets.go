package tools

import (
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// classification describes what a balance is and how it can be used.
type classification struct {
	AssetClass   string           `json:"assetClass" description:"always coin_balance"`
	Spendability string           `json:"spendability" description:"form of the balance; a review can spend both, and pays gas with a coin if available"`
	Roles        []assets.Role    `json:"roles" description:"possible uses, or the known kind of coin"`
	Receipt      *coinReceiptSaid `json:"receipt,omitempty" description:"for a coin that represents a claim on a protocol"`
}

type classified struct {
	Balance        walletBalance  `json:"balance" description:"the coin balance"`
	Classification classification `json:"classification" description:"what it is"`
}

// uninspected is a class of assets that an answer does not cover.
type uninspected struct {
	AssetClass string `json:"assetClass" description:"class of assets"`
	Inspected  bool   `json:"inspected" description:"always false: the amount is unknown"`
	Note       string `json:"note" description:"what belongs to it"`
}

type classifyOut struct {
	walletHead
	Assets      []classified  `json:"classifiedAssets" description:"coin balances, by coin type"`
	Uninspected []uninspected `json:"uninspectedAssetClasses" description:"classes that were not read; may be nonzero"`
}

// readClassifyWalletAssets returns one page of an account's coin balances, each with its
// classification. It does not plan how to use them.
func readClassifyWalletAssets(w wallet) tool.Tool {
	const name = "read.classify_wallet_assets"
	return tool.Declare(tool.Spec[walletIn, classifyOut]{
		Name:  name,
		Title: "Classify wallet assets",
		Summary: "Returns an account's current coin balances with spendability and roles, its stakes and known positions, and " +
			"names the asset classes not inspected.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    walletErrors(),
		Cases: walletCases(name, "classifiedAssets[].balance.", func(o classifyOut) listing { return o.listing },
			evidence.Claims{evidence.CoinClassification, evidence.UninspectedClasses},
			evidence.Claims{evidence.UninspectedIsZero, evidence.FundingSource, evidence.FundingPlan, evidence.RouteLiquidity,
				evidence.PaymentReadiness, evidence.GasReserve, evidence.RouteRecommendation, evidence.TransactionInput,
				evidence.SigningData},
			[]string{"classifiedAssets[].classification.spendability", "classifiedAssets[].classification.roles",
				"uninspectedAssetClasses[].assetClass"},
			[]string{"uninspectedAssetClasses[].inspected", "classifiedAssets[].classification.receipt"}),
		Examples: walletExamples(),
		Run: func(c tool.Call, in walletIn) (classifyOut, error) {
			head, list, err := w.read(c, in)
			out := classifyOut{head, make([]classified, len(list)), nil}
			for i, one := range list {
				out.Assets[i] = classified{balanceOf(one),
					classification{"coin_balance", string(one.Spendability()), one.Roles(),
						coinReceipt(one.Balance.Type)}}
			}
			out.Uninspected = uninspectedClasses()
			return out, err
		},
	})
}

// uninspectedClasses returns the classes of assets that a list of coins does not cover.
func uninspectedClasses() (list []uninspected) {
	for _, u := range assets.UninspectedClasses() {
		list = append(list, uninspected{AssetClass: u.Class, Note: u.Note})
	}
	return list
}
