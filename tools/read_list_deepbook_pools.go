package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type poolsIn struct {
	Offset listOffset  `json:"offset" default:"0" brief:"" description:"how many to skip"`
	Detail detailLevel `json:"detail" default:"summary" brief:"" description:"full: with object ids"`
}

// pinnedPool is a pool in the registry. The types of its coins are in the list of tokens.
type pinnedPool struct {
	Key   string       `json:"key" description:"key of the pool; use as poolKey"`
	ID    sui.ObjectID `json:"id,omitzero" description:"object id of the pool; detail full"`
	Base  string       `json:"baseSymbol" description:"symbol of the base coin"`
	Quote string       `json:"quoteSymbol" description:"symbol of the quote coin"`
}

type poolsOut struct {
	Network     string          `json:"network" description:"network of this server"`
	Count       int             `json:"count" description:"how many pools are pinned"`
	Pools       []pinnedPool    `json:"pools" description:"the pinned pools"`
	Next        *int            `json:"nextOffset,omitempty" description:"offset of the next page"`
	Limitations []string        `json:"limitations" description:"limits of the list"`
	Source      evidence.Source `json:"source" description:"where the list comes from"`
}

// readListDeepbookPools lists the pinned pools. It does not query a node.
func readListDeepbookPools(network string) tool.Tool {
	return tool.Declare(tool.Spec[poolsIn, poolsOut]{
		Name:    "read.list_deepbook_pools",
		Title:   "List DeepBook pools",
		Summary: "Lists the pinned DeepBook pools with their coins.",
		Effect:  tool.ReadsLocal,
		Cases: []tool.Case[poolsOut]{{
			Name: "pools",
			Use: evidence.Use{
				Can:        evidence.Claims{evidence.PinnedPools},
				Cannot:     notALiveList(),
				Answer:     []string{"pools[].key", "pools[].baseSymbol", "pools[].quoteSymbol", "count"},
				Rules:      []string{"limitations", "nextOffset"},
				Diagnostic: []string{"source", "pools[].id"},
				Next: evidence.Ask(toolOrderbook, "It returns a pool's current book.").Reading("bestBid",
					"bestAsk"),
			},
		}},
		Examples: []tool.Example{
			{Name: "pools", Given: givenNothing, In: `{}`, Case: "pools"},
			{Name: "a page", Given: givenNothing, In: `{"offset":20}`, Case: "pools"},
			{Name: "a negative offset", Given: givenNothing, In: `{"offset":-1}`, Fault: fault.InputInvalid},
		},
		Run: func(_ tool.Call, in poolsIn) (poolsOut, error) {
			out, err := pinnedPools(network, registry.Check)
			out.Pools, out.Next = pageOf(out.Pools, in.Offset, mostPinned)
			if in.Detail != detailFull {
				for i := range out.Pools {
					out.Pools[i].ID = sui.ObjectID{}
				}
			}
			return out, err
		},
	})
}

// pinnedPools returns the pools in the registry, or the error of check.
func pinnedPools(network string, check func() error) (poolsOut, error) {
	if err := check(); err != nil {
		return poolsOut{}, err
	}
	out := poolsOut{Network: network, Limitations: listLimits(), Source: registrySource()}
	for _, p := range registry.Pools() {
		out.Pools = append(out.Pools, pinnedPool{p.Key, p.ID, p.Base.Symbol, p.Quote.Symbol})
	}
	out.Count = len(out.Pools)
	return out, nil
}
