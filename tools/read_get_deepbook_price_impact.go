package tools

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const toolPriceImpact = "read.get_deepbook_price_impact"

// impactBook reads the data needed to estimate a trade's price impact.
type impactBook interface {
	Snapshot(ctx context.Context, r deepbook.Request) (deepbook.Snapshot, error)
	Depth(ctx context.Context, poolKey string, levels int) (deepbook.Book, error)
}

type impactIn struct {
	quoteSpot
	Amount displayAmount `json:"amountDisplay" description:"paid, such as 900"`
}

// bookShare states how much of one side of the order book a trade uses.
type bookShare struct {
	Percent sui.Decimal `json:"percent" description:"share of the listed quantity that the trade takes, rounded up"`
	Levels  int         `json:"levels" description:"number of price levels read"`
	Whole   bool        `json:"whole" description:"true: the book has no more levels; false: deeper ones were not read, and the share is of those that were"`
	ReadAt  time.Time   `json:"fetchedAt" description:"time the levels were read, shortly after the quote, UTC"`
}

type impactOut struct {
	Network   string          `json:"network" description:"network of this server"`
	Pool      pool            `json:"pool" description:"pool that was queried"`
	Direction quoteDirection  `json:"direction" description:"which coin is paid"`
	Semantics priceSemantics  `json:"priceSemantics" description:"meaning and limits of the prices"`
	Paid      amount          `json:"paid" description:"amount that the trade would use, including the fee"`
	Unsold    amount          `json:"unsold" description:"the part of the amount that would come back"`
	Arrives   amount          `json:"arrives" description:"what would arrive"`
	Fee       amount          `json:"fee" description:"the pool's fee, part of what is paid"`
	Mid       sui.Decimal     `json:"midPrice" description:"the pool's own mid price, of the same reading"`
	Bid       sui.Decimal     `json:"bestBid" description:"highest price that is bid"`
	Ask       sui.Decimal     `json:"bestAsk" description:"lowest price that is asked"`
	Average   sui.Decimal     `json:"averagePrice" description:"average price of the trade before the fee"`
	Impact    sui.Decimal     `json:"impactPercent" description:"average price worse than the mid price, rounded up"`
	WithFee   sui.Decimal     `json:"belowMidPercent" description:"shortfall against the mid price, including the fee, rounded up"`
	Share     *bookShare      `json:"shareOfBook,omitempty" description:"share of the book it takes; absent if the levels could not be read"`
	Source    evidence.Source `json:"source" description:"where the quote came from"`
	FetchedAt time.Time       `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readGetDeepbookPriceImpact compares the output for an amount, computed as in a review, with the
// mid price of the same reading.
func readGetDeepbookPriceImpact(b impactBook, network string) tool.Tool {
	given := func(name, situation, in string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: in, Fault: code}
	}
	const ten = `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10"}`
	return tool.Declare(tool.Spec[impactIn, impactOut]{
		Name:    toolPriceImpact,
		Toolset: toolsetPrices,
		Title:   "Get DeepBook price impact",
		Summary: "Estimates a trade's price impact in a DeepBook pool and its share of the book.",
		Effect:  tool.ReadsChain,
		Errors:  chainErrors(),
		Cases: []tool.Case[impactOut]{{
			Name: "impact",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.PriceImpact, evidence.EffectivePrice, evidence.PoolMidPrice},
				Cannot: evidence.Claims{evidence.MinimumOutput, evidence.GlobalPrice, evidence.VenueComparison,
					evidence.RouteRecommendation,
					evidence.PaymentCoverage, evidence.FiatCashOut},
				Answer: []string{"pool.key", "paid.display", "paid.symbol", "arrives.display", "arrives.symbol", "unsold.display",
					"fee.display",
					"averagePrice", "midPrice", "impactPercent", "belowMidPercent", "shareOfBook.percent", "shareOfBook.whole",
					"fetchedAt"},
				Rules:      []string{"priceSemantics.allowedUse", "priceSemantics.unit"},
				Diagnostic: []string{"source", "shareOfBook.levels", "shareOfBook.fetchedAt", "pool.id"},
				Next:       evidence.Ask(toolPrepare, "Only a review guarantees a minimum."),
			},
		}},
		Examples: []tool.Example{
			{Name: "sell 10 SUI", Given: givenNothing, In: ten, Case: "impact"},
			{Name: "buy SUI for 500 USDC", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"quote_to_base","amountDisplay":"500"}`, Case: "impact"},
			given("too little to trade", givenNothing,
				`{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"0.000001"}`, fault.QuoteUnavailable),
			given("no amount", givenNothing, `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"0"}`,
				fault.InputInvalid),
			given("unknown pool", givenNothing, `{"poolKey":"NOPE_USDC","direction":"base_to_quote","amountDisplay":"10"}`,
				fault.RegistryMiss),
			given("retired versions", givenNoVersion, ten, fault.QuoteUnavailable),
			given("node down", givenNodeDown, ten, fault.ProviderUnavailable),
			given("node refuses", givenNodeRefuses, ten, fault.ProviderRefused),
			given("node lies", givenNodeLies, ten, fault.ProviderMismatch),
		},
		Run: func(c tool.Call, in impactIn) (impactOut, error) { return impactOf(c.Context(), b, network, in) },
	})
}

func impactOf(ctx context.Context, b impactBook, network string, in impactIn) (impactOut, error) {
	raw, _, err := deepbook.InputAmount(string(in.Pool), registry.Direction(in.Direction), string(in.Amount))
	if err != nil {
		return impactOut{}, named("amountDisplay", err)
	}
	s, err := b.Snapshot(ctx, deepbook.Request{
		PoolKey: string(in.Pool), Direction: registry.Direction(in.Direction), Amount: raw, FeeMode: deepbook.FeeInput})
	if err != nil {
		return impactOut{}, err
	}
	q := s.Quote
	from, to, err := q.Pool.Sides(q.Direction)
	switch {
	case err != nil:
		return impactOut{}, err
	case !q.Tradable():
		return impactOut{}, fault.New(fault.QuoteUnavailable,
			"The pool %s would trade nothing for this amount: its minimum trade is %s %s, "+
				"or its book is too thin. Try a larger amount.", q.Pool.Key, s.Parameters.Min.Decimal(q.Pool.Base.Decimals),
			q.Pool.Base.Symbol)
	case s.Mid == 0:
		return impactOut{}, fault.New(fault.QuoteUnavailable,
			"One side of %s's book is empty, so there is no mid price to compare with.", q.Pool.Key)
	}
	return impactFrom(ctx, b, network, s, from, to)
}

// impactFrom returns the answer for a snapshot: its quote compared with its mid price.
func impactFrom(ctx context.Context, b impactBook, network string, s deepbook.Snapshot, from, to coins.Coin) (impactOut,
	error) {
	q, digits := s.Quote, s.Quote.Pool.PriceDecimals()
	asset := func(c coins.Coin) plan.Asset {
		return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	}
	fee := s.Parameters.InputFee(q.Used, q.Direction)
	market := plan.Market{Base: asset(q.Pool.Base), Quote: asset(q.Pool.Quote)}.Priced(digits, s.Mid, s.Bid, s.Ask)
	traded := plan.Traded{Paid: asset(from).Of(q.Used), Fee: asset(from).Of(fee), Arrives: asset(to).Of(q.Out)}
	trade, ok := market.Against(traded, traded)
	base, quote := q.Used-fee, q.Out
	if q.Direction == registry.QuoteToBase {
		base, quote = quote, base
	}
	average, has := plan.Average(market.Base.Of(base), market.Quote.Of(quote))
	if !ok || !has {
		return impactOut{}, fault.New(fault.ProviderMismatch, "The quote of the pool %s contradicts its mid price.",
			q.Pool.Key)
	}
	out := impactOut{
		Network: network, Pool: poolOf(q.Pool), Direction: quoteDirection(q.Direction),
		Semantics: priceSemantics{"deepbook_price_impact", q.Pool.Quote.Symbol + " per " + q.Pool.Base.Symbol,
			"one_amount_in_one_pool_at_one_moment"},
		Paid: amountOf(q.Used, from), Unsold: amountOf(q.Unspent, from), Arrives: amountOf(q.Out, to), Fee: amountOf(fee,
			from),
		Mid: market.Middle, Bid: market.Bid, Ask: market.Ask, Average: average, Impact: percentOf(trade.ImpactBps),
		WithFee: percentOf(trade.Expected.Bps),
		Source:  sourceOf(q.Source, q.Function), FetchedAt: readAt(q.At),
	}
	// The share is optional, so its error is ignored.
	if book, err := b.Depth(ctx, q.Pool.Key, deepbook.MostLevels); err == nil {
		out.Share = shareOf(book, q.Direction, base)
	}
	return out, nil
}

// percentOf formats basis points as a percentage. A negative value is better than the mid price.
func percentOf(bps int64) sui.Decimal {
	return sui.Decimal(new(big.Rat).SetFrac64(bps, 100).FloatString(2))
}

// shareOf returns the trade's share of the side of the book that it uses, as far as that side was
// read.
func shareOf(b deepbook.Book, d registry.Direction, taken sui.Raw) *bookShare {
	side := b.Bids
	if d == registry.QuoteToBase {
		side = b.Asks
	}
	listed := new(big.Int)
	for _, l := range side {
		listed.Add(listed, plan.BigInt(l.Quantity))
	}
	if listed.Sign() == 0 {
		return nil
	}
	n := new(big.Int).Mul(plan.BigInt(taken), big.NewInt(10_000))
	n.Add(n, new(big.Int).Sub(listed, big.NewInt(1))).Div(n, listed)
	if !n.IsInt64() {
		return nil
	}
	return &bookShare{Percent: percentOf(n.Int64()), Levels: len(side), Whole: len(side) < deepbook.MostLevels,
		ReadAt: b.At.UTC()}
}
