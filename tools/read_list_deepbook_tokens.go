package tools

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type tokensIn struct {
	Offset listOffset `json:"offset" default:"0" brief:"" description:"how many to skip"`
}

// pinnedToken is a coin in the registry with the pools that trade it.
type pinnedToken struct {
	coin
	Pools []string `json:"poolKeys" description:"keys of the pinned pools that trade it"`
}

type tokensOut struct {
	Network     string          `json:"network" description:"network of this server"`
	Count       int             `json:"count" description:"how many coins are pinned"`
	Tokens      []pinnedToken   `json:"tokens" description:"the pinned coins by symbol"`
	Next        *int            `json:"nextOffset,omitempty" description:"offset of the next page"`
	UnitSource  string          `json:"unitSource" description:"where the decimals come from"`
	Limitations []string        `json:"limitations" description:"limits of the list"`
	Source      evidence.Source `json:"source" description:"where the list comes from"`
}

// readListDeepbookTokens lists the pinned coins. It does not query a node.
func readListDeepbookTokens(network string) tool.Tool {
	return tool.Declare(tool.Spec[tokensIn, tokensOut]{
		Name:    "read.list_deepbook_tokens",
		Title:   "List DeepBook tokens",
		Summary: "Lists the pinned DeepBook coins with their types, decimals and pools.",
		Effect:  tool.ReadsLocal,
		Cases: []tool.Case[tokensOut]{{
			Name: "tokens",
			Use: evidence.Use{
				Can:        evidence.Claims{evidence.PinnedTokens},
				Cannot:     notALiveList(),
				Answer:     []string{"tokens[].symbol", "tokens[].decimals", "tokens[].poolKeys", "count"},
				Rules:      []string{"limitations", "unitSource", "nextOffset"},
				Diagnostic: []string{"source", "tokens[].coinType"},
			},
		}},
		Examples: []tool.Example{
			{Name: "tokens", Given: givenNothing, In: `{}`, Case: "tokens"},
			{Name: "a page", Given: givenNothing, In: `{"offset":20}`, Case: "tokens"},
			{Name: "a negative offset", Given: givenNothing, In: `{"offset":-1}`, Fault: fault.InputInvalid},
		},
		Run: func(_ tool.Call, in tokensIn) (tokensOut, error) {
			out, err := pinnedTokens(network, registry.Check)
			out.Tokens, out.Next = pageOf(out.Tokens, in.Offset, mostPinned)
			return out, err
		},
	})
}

// pinnedTokens returns the coins in the registry. If check fails, it returns the error and no
// coins, because decimals must not be guessed.
func pinnedTokens(network string, check func() error) (tokensOut, error) {
	if err := check(); err != nil {
		return tokensOut{}, err
	}
	out := tokensOut{Network: network, UnitSource: "pinned_scalar_power_of_ten", Limitations: listLimits(),
		Source: registrySource()}
	for _, c := range coins.All() {
		t := pinnedToken{coin: coinOf(c), Pools: []string{}}
		for _, p := range registry.PoolsOf(c.Type) {
			t.Pools = append(t.Pools, p.Key)
		}
		out.Tokens = append(out.Tokens, t)
	}
	out.Count = len(out.Tokens)
	return out, nil
}
