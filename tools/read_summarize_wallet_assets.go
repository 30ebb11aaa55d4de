package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type walletOut struct {
	walletHead
	Balances []walletBalance `json:"balances" about:"coin balances, by coin type"`
}

// readSummarizeWalletAssets reads one page of an account's coin balances. It
// adds nothing up and values nothing.
func readSummarizeWalletAssets(h holdings, accounts accounts, network string) tool.Tool {
	const name = "read.summarize_wallet_assets"
	return tool.Declare(tool.Spec[walletIn, walletOut]{
		Name:    name,
		Title:   "Summarize wallet assets",
		Summary: "Reads an account's present coin balances, in verified units where there are any.",
		Effect:  tool.FillsCache,
		Errors:  walletErrors(),
		Cases: walletCases(name, "balances[].", func(o walletOut) listing { return o.listing },
			evidence.Claims{}, nil, nil),
		Examples: walletExamples(),
		Run: func(c tool.Call, in walletIn) (walletOut, error) {
			head, list, err := readWallet(c, h, accounts, network, in)
			out := walletOut{head, make([]walletBalance, len(list))}
			for i := range list {
				out.Balances[i] = balanceOf(list[i])
			}
			return out, err
		},
	})
}
