package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// watchList stores the coins and chains that users watch for an account.
type watchList interface {
	List(ctx context.Context, account sui.Address) ([]watch.Coin, error)
	Drop(ctx context.Context, account sui.Address, types ...sui.CoinType) error
}

// coinResult is the result for one coin or chain in a call.
type coinResult struct {
	Chain    string  `json:"chain" description:"its chain"`
	Ticker   string  `json:"ticker" description:"its symbol"`
	Address  string  `json:"address" description:"the account's address; empty if none"`
	Contract string  `json:"contract_address,omitempty" description:"as given"`
	Success  bool    `json:"success" description:"whether it was done"`
	Error    *string `json:"error" null:"" description:"why not"`
	Added    bool    `json:"chain_added,omitempty" description:"its chain was new to the list"`
	Source   string  `json:"decimals_source,omitempty" description:"chain, registry, or unverified"`
}

type coinsOut struct {
	Network string       `json:"network" description:"network of this server"`
	Action  string       `json:"action_id" description:"id of this call among actions"`
	Results []coinResult `json:"results" description:"one per entry, in the same order"`
}

func coinsOf(network, id string, data actions.CoinData) coinsOut {
	out := coinsOut{Network: network, Action: id, Results: []coinResult{}}
	for _, r := range data.Results {
		one := coinResult{Chain: r.Chain, Ticker: r.Ticker, Address: r.Address, Success: r.Success, Error: r.Error,
			Source: r.Source}
		if r.Contract != nil {
			one.Contract = *r.Contract
		}
		if r.Added != nil {
			one.Added = *r.Added
		}
		out.Results = append(out.Results, one)
	}
	return out
}

func watchUse(fields ...string) evidence.Use {
	return evidence.Use{Can: evidence.Claims{evidence.WatchedCoins}, Cannot: evidence.Claims{evidence.AccountBalance,
		evidence.SigningData}, Answer: fields}
}

type watchedCoin struct {
	Chain    string       `json:"chain" description:"its chain"`
	CoinType sui.CoinType `json:"contract_address" description:"type of the coin; it identifies the coin"`
	Ticker   string       `json:"ticker" description:"as it was given; data"`
	Decimals uint8        `json:"decimals" description:"places"`
	Source   string       `json:"decimals_source" description:"chain, registry, or unverified: then for no arithmetic"`
	Native   bool         `json:"is_native" description:"it pays the fees"`
	AddedAt  time.Time    `json:"added_at" description:"UTC"`
}

type listWatchIn struct {
	Account publicAddress `json:"account,omitempty" brief:"" description:"default: active account"`
}

type listWatchOut struct {
	Network string        `json:"network" description:"network of this server"`
	Account sui.Address   `json:"account" description:"account of the list"`
	Coins   []watchedCoin `json:"coins" description:"the native one first; without it the chain is not watched"`
}

// agentListWatch lists the coins and chains watched for an account, without balances.
func agentListWatch(w watchList, accounts accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[listWatchIn, listWatchOut]{
		Name:      "agent.list_watch",
		Title:     "List watched coins",
		Summary:   "Lists the coins that an account watches. read.summarize_wallet_assets returns their balances.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.ReadsLocal,
		Toolset:   toolsetActions,
		Cases:     []tool.Case[listWatchOut]{{Name: "coins", Use: watchUse("coins")}},
		Examples: []tool.Example{
			{Name: "nothing is watched", Given: givenConnected, In: `{}`, Case: "coins"},
		},
		Run: func(c tool.Call, in listWatchIn) (listWatchOut, error) {
			scope, err := scopeOf(c, accounts, in.Account)
			if err != nil {
				return listWatchOut{}, err
			}
			out := listWatchOut{Network: network, Account: scope.Account, Coins: []watchedCoin{}}
			list, err := w.List(c.Context(), scope.Account)
			for _, w := range list {
				out.Coins = append(out.Coins, watchedCoin{"Sui", w.Type, w.Ticker, w.Decimals, string(w.Source), w.Native(),
					w.AddedAt.UTC()})
			}
			return out, err
		},
	})
}
