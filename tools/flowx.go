package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Shared code of the FlowX tools.

// router gets quotes from FlowX's router.
type router interface {
	Quote(ctx context.Context, r quoter.Request) (quoter.Quote, error)
}

const (
	toolFlowxPools = "read.list_flowx_pools"
	toolFlowxQuote = "read.quote_flowx_swap"
)

// flowxRegistry is the name of the table of pinned pools in answers.
const flowxRegistry = "pinned_flowx_clmm_mainnet_registry"

// flowxPool is a pinned pool.
type flowxPool struct {
	Key         string       `json:"key" description:"name of the pool: pair and fee"`
	ID          sui.ObjectID `json:"id" description:"object id of the pool"`
	X           string       `json:"xSymbol" description:"symbol of coin X"`
	Y           string       `json:"ySymbol" description:"symbol of coin Y"`
	Fee         uint64       `json:"feeRate" description:"fee in parts of feeRateDenominator"`
	TickSpacing uint32       `json:"tickSpacing" description:"grid of its liquidity ranges"`
}

func flowxPoolOf(p registry.Pool) flowxPool {
	return flowxPool{p.Key(), p.ID, p.X.Symbol, p.Y.Symbol, p.Fee, p.TickSpacing}
}

func flowxAmount(raw sui.Raw, c coins.Coin) amount {
	return amount{raw, raw.Decimal(c.Decimals), coin{c.Symbol, c.Type, c.Decimals}}
}

// toldSource describes a source that is not the chain.
type toldSource struct {
	evidence.Source
	ChainVerified bool `json:"chainVerified" description:"false: reported by a server, not read from the chain"`
}

// toldSemantics describes quantities that do not come from the chain.
type toldSemantics struct {
	evidence.QuantitySemantics
	ChainVerified bool `json:"chainVerified" description:"false: reported by a server, not read from the chain"`
}

// indicative is an amount that is not guaranteed.
type indicative struct {
	amount
	Indicative bool `json:"indicative" description:"true: the router's estimate, not guaranteed"`
}

// routedPool is a pool on the router's route.
type routedPool struct {
	Key  string       `json:"key" description:"name of the pool in the pinned registry"`
	ID   sui.ObjectID `json:"id" description:"object id of the pool"`
	Fee  uint64       `json:"feeRate" description:"its fee, equal to the pinned one"`
	XToY bool         `json:"xForY" description:"X of the pool is paid"`
	In   sui.Raw      `json:"amountInRaw" description:"part of the input, in raw units"`
	Out  sui.Raw      `json:"amountOutRaw" description:"part of the output, in raw units"`
}

// routeEvidence describes the router's route and the result of checking it.
type routeEvidence struct {
	ChosenBy  string       `json:"routeChosenBy" description:"who chose the route"`
	SingleHop bool         `json:"singleHop" description:"true: each part goes through one pool"`
	Pools     []routedPool `json:"pools" description:"pools the router chose, all pinned"`
	PinMatch  bool         `json:"protocolConfigPinMatch" description:"true: the router's package and object ids are the pinned ones"`
}

// flowxErrors returns the error codes of a quote.
func flowxErrors() []fault.Code {
	return []fault.Code{fault.RegistryMiss, fault.QuoteUnavailable, fault.ProviderUnavailable, fault.ProviderRefused,
		fault.ProviderMismatch}
}

// Situations of the quoter.
const (
	givenQuoterDown     = "the FlowX quoter cannot be reached"
	givenQuoterRefuses  = "the FlowX quoter refuses"
	givenQuoterNonsense = "the FlowX quoter names other objects than the pinned ones"
	givenQuoterElse     = "the FlowX quoter chooses another venue"
)
