package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// coinDecimals is the number of decimals of a coin.
type coinDecimals int64

// Shape implements tool.Shaped.
func (coinDecimals) Shape() tool.Shape { return tool.Between(0, 255) }

type addToken struct {
	Chain    bookText     `json:"chain" description:"Sui"`
	Ticker   bookText     `json:"ticker" brief:"" description:"symbol to show"`
	Contract bookText     `json:"contract_address,omitempty" description:"coin type, unless is_native"`
	Decimals coinDecimals `json:"decimals" brief:"" description:"compared with the chain"`
	Logo     bookText     `json:"logo,omitempty" brief:"" description:"kept, never fetched"`
	PriceID  bookText     `json:"price_provider_id,omitempty" brief:"" description:"kept"`
	Native   bool         `json:"is_native" default:"false" brief:"" description:"the coin that pays fees"`
}

type addTokenIn struct {
	Tokens []addToken `json:"tokens" description:"1 to 32"`
}

// agentAddToken adds coins to the active account's watch list.
func agentAddToken(e executor, w watchList, network string) tool.Tool {
	return tool.Declare(tool.Spec[addTokenIn, coinsOut]{
		Name:      "agent.add_token",
		Title:     "Watch coins",
		Summary:   "Shows coins among the active account's holdings, even at zero. Moves nothing.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetActions,
		Cases:     []tool.Case[coinsOut]{{Name: "results", Use: watchUse("results")}},
		Examples: []tool.Example{
			{Name: "another chain", Given: givenNothing, Case: "results",
				In: `{"tokens":[{"chain":"Ethereum","ticker":"USDC","contract_address":"0xA0b8","decimals":6}]}`},
		},
		Run: func(c tool.Call, in addTokenIn) (coinsOut, error) {
			if err := fewEnough(len(in.Tokens)); err != nil {
				return coinsOut{}, err
			}
			data, id, err := act[actions.CoinData](c.Context(), e, actions.AddToken, in)
			return coinsOf(network, id, data), err
		},
		Undo: func(ctx context.Context, out *coinsOut) { out.undo(ctx, w) },
	})
}

// undo removes what a call added, including a coin's chain if the call added it.
func (o coinsOut) undo(ctx context.Context, w watchList) {
	for _, r := range o.Results {
		account, err := sui.ParseAccount(r.Address)
		if !r.Success || err != nil {
			continue
		}
		types := []sui.CoinType{}
		if t, err := sui.ParseCoinType(r.Contract); err == nil {
			types = append(types, t)
		}
		if r.Contract == "" || r.Added {
			types = append(types, sui.SUI)
		}
		_ = w.Drop(ctx, account, types...) // an entry that remains only affects what is displayed
	}
}
