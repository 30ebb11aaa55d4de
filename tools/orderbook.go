package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools about pinned lists and order books.

const toolOrderbook = "read.inspect_deepbook_orderbook"

// registrySource describes the source of a pinned list.
func registrySource() evidence.Source {
	return evidence.Source{Kind: "static_registry", Registry: "pinned_deepbook_v3_mainnet_registry"}
}

// listLimits returns what a pinned list does not prove.
func listLimits() []string {
	return []string{"not_live_liquidity", "not_live_token_discovery", "not_a_complete_list_of_sui_tokens",
		"not_a_recommendation"}
}

func notALiveList() evidence.Claims {
	return evidence.Claims{evidence.LiveLiquidity, evidence.CompleteTokenList, evidence.RouteRecommendation}
}

// levelCount is the number of price levels per side.
type levelCount int64

// Shape implements tool.Shaped.
func (levelCount) Shape() tool.Shape { return tool.Between(1, deepbook.MostLevels) }

// level is a price in an order book with the quantity open at that price.
type level struct {
	Price    sui.Decimal `json:"price" description:"quote coins per base coin"`
	Quantity sui.Decimal `json:"quantity" description:"open base coins at this price"`
}

// depth is the sum of the listed levels on one side.
type depth struct {
	Levels int         `json:"levels" description:"how many levels are summed"`
	Base   sui.Decimal `json:"base" description:"base coins, exact sum"`
	Quote  sui.Decimal `json:"quote" description:"quote coins at the levels' own prices, exact sum, no fee"`
}

// bookParameters holds parameters that the pool's administrator sets.
type bookParameters struct {
	Tick        sui.Decimal `json:"tickSize" description:"step of prices, in quote coins per base coin"`
	Lot         sui.Decimal `json:"lotSize" description:"step of quantities, in base coins"`
	Min         sui.Decimal `json:"minSize" description:"minimum quantity, in base coins"`
	TakerFee    sui.Decimal `json:"takerFee" description:"part of the traded amount, as a fraction of 1"`
	MakerFee    sui.Decimal `json:"makerFee" description:"part of the traded amount, as a fraction of 1"`
	Whitelisted bool        `json:"whitelisted" description:"true: no fees"`
}

func levelsOf(b deepbook.Book, side []deepbook.Level) []level {
	list := make([]level, len(side))
	for i, l := range side {
		list[i] = level{l.Price.Decimal(b.Pool.PriceDecimals()), l.Quantity.Decimal(b.Pool.Base.Decimals)}
	}
	return list
}

func depthOf(b deepbook.Book, side []deepbook.Level) depth {
	d := b.Sum(side)
	return depth{len(side), d.Base, d.Quote}
}

// feeDecimals is the number of decimals of fees, which are in billionths.
const feeDecimals = 9

func parametersOf(b deepbook.Book) bookParameters {
	p, base, price := b.Parameters, b.Pool.Base.Decimals, b.Pool.PriceDecimals()
	return bookParameters{
		Tick: p.Tick.Decimal(price), Lot: p.Lot.Decimal(base), Min: p.Min.Decimal(base),
		TakerFee: p.TakerFee.Decimal(feeDecimals), MakerFee: p.MakerFee.Decimal(feeDecimals), Whitelisted: p.Whitelisted,
	}
}
