package tools

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type walletOut struct {
	walletHead
	Balances    []walletBalance `json:"balances" description:"coin balances, by coin type"`
	Worth       []worth         `json:"worthInUsdc" description:"pinned coins at the mid price of their USDC pool; neither quote nor dollars"`
	Uninspected []uninspected   `json:"uninspectedAssetClasses" description:"assets not included, such as funds in balance managers and open orders; may be nonzero"`
}

// worth is the value of a balance in USDC at one pool's mid price.
type worth struct {
	Symbol string      `json:"symbol" description:"coin"`
	USDC   sui.Decimal `json:"usdc" description:"rounded down"`
	Price  sui.Decimal `json:"midPrice" description:"USDC per coin"`
	Pool   string      `json:"poolKey" description:"pool of the price"`
	Basis  string      `json:"basis" description:"pool_middle_price_not_a_quote"`
}

const (
	middleBasis = "pool_middle_price_not_a_quote"
	valueTime   = 2 * time.Second // time limit for reading all prices
)

// valued returns the values of those balances whose price could be read in time.
func valued(ctx context.Context, b book, list []assets.Holding) []worth {
	ctx, stop := context.WithTimeout(ctx, valueTime)
	defer stop()
	found := make([]*worth, len(list))
	var reading sync.WaitGroup
	for i, h := range list {
		if h.Pinned == nil || h.Balance.Total == 0 {
			continue
		}
		reading.Go(func() {
			var panicked error
			defer fault.Recover(&panicked)
			found[i] = worthOf(ctx, b, *h.Pinned, h.Balance.Total)
		})
	}
	reading.Wait()
	out := []worth{}
	for _, w := range found {
		if w != nil {
			out = append(out, *w)
		}
	}
	return out
}

// worthOf returns the value of a balance, or nil if the coin has no pool or price.
func worthOf(ctx context.Context, b book, c coins.Coin, held sui.Raw) *worth {
	price, ok := assets.PriceInUSDC(ctx, b, c)
	if !ok {
		return nil
	}
	value, ok := price.Of(held)
	if !ok {
		return nil
	}
	return &worth{c.Symbol, value.Decimal(assets.ReferenceDecimals), price.USDC, price.Pool, middleBasis}
}

// readSummarizeWalletAssets returns one page of an account's coin balances, without a total. The
// values of pinned coins are estimates based on one pool's mid price.
func readSummarizeWalletAssets(w wallet, b book) tool.Tool {
	const name = "read.summarize_wallet_assets"
	return tool.Declare(tool.Spec[walletIn, walletOut]{
		Name:      name,
		Title:     "Summarize wallet assets",
		Summary:   "Returns an account's current coin balances, in verified units if available, and its staked SUI.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Card:      "holdings",
		Errors:    walletErrors(),
		Cases: walletCases(name, "balances[].", func(o walletOut) listing { return o.listing },
			evidence.Claims{evidence.UninspectedClasses}, nil, []string{"worthInUsdc", "uninspectedAssetClasses[].assetClass"},
			[]string{"worthInUsdc[].basis", "uninspectedAssetClasses[].inspected"}),
		Examples: walletExamples(),
		Run: func(c tool.Call, in walletIn) (walletOut, error) {
			head, list, err := w.read(c, in)
			if err != nil {
				return walletOut{}, err
			}
			out := walletOut{head, make([]walletBalance, len(list)), valued(c.Context(), b, list), uninspectedClasses()}
			for i := range list {
				out.Balances[i] = balanceOf(list[i])
			}
			return out, nil
		},
	})
}
