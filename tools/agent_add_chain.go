package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type addChain struct {
	Chain bookText `json:"chain" description:"Sui"`
}

type addChainIn struct {
	Chains []addChain `json:"chains" description:"1 to 32"`
}

// agentAddChain adds chains to the active account's watch list.
func agentAddChain(e executor, w watchList, network string) tool.Tool {
	return tool.Declare(tool.Spec[addChainIn, coinsOut]{
		Name:      "agent.add_chain",
		Title:     "Watch chains",
		Summary:   "Adds chains with their native coins to the active account's watch list.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetActions,
		Cases:     []tool.Case[coinsOut]{{Name: "results", Use: watchUse("results")}},
		Examples: []tool.Example{
			{Name: "another chain", Given: givenNothing, In: `{"chains":[{"chain":"Solana"}]}`, Case: "results"},
		},
		Run: func(c tool.Call, in addChainIn) (coinsOut, error) {
			if err := fewEnough(len(in.Chains)); err != nil {
				return coinsOut{}, err
			}
			data, id, err := act[actions.CoinData](c.Context(), e, actions.AddChain, in)
			return coinsOf(network, id, data), err
		},
		Undo: func(ctx context.Context, out *coinsOut) { out.undo(ctx, w) },
	})
}
