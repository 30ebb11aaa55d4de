package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools that read DeepBook pools.

// book reads the pinned pools of DeepBook.
type book interface {
	MidPrice(ctx context.Context, poolKey string) (deepbook.Mid, error)
	OrderBook(ctx context.Context, poolKey string, levels int) (deepbook.Book, error)
	Quotes(ctx context.Context, r deepbook.Request) (deep, input deepbook.Quote, err error)
	Refusal(ctx context.Context, q deepbook.Quote) error
	impactBook
}

// poolKey is the key of a pinned pool.
type poolKey string

// Shape implements tool.Shaped.
func (poolKey) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_]+$`, Rule: "a pool key such as SUI_USDC", MinLength: 1, MaxLength: 40}
}

// quoteDirection states which of a pool's coins is paid.
type quoteDirection string

// Values lists the directions.
func (quoteDirection) Values() []string {
	return []string{string(registry.BaseToQuote), string(registry.QuoteToBase)}
}

// quoteFeeMode is the coin in which the fee is counted.
type quoteFeeMode string

// Values lists the modes.
func (quoteFeeMode) Values() []string {
	return []string{string(deepbook.FeeDeep), string(deepbook.FeeInput)}
}

// coin is a coin of the pinned registry.
type coin struct {
	Symbol   string       `json:"symbol" description:"key of the coin in the registry"`
	CoinType sui.CoinType `json:"coinType" description:"its type on chain"`
	Decimals uint8        `json:"decimals" description:"decimals of its display amounts"`
}

func coinOf(c coins.Coin) coin { return coin{c.Symbol, c.Type, c.Decimals} }

// pool is a pool of the pinned registry.
type pool struct {
	Key   string       `json:"key" description:"key of the pool in the registry"`
	ID    sui.ObjectID `json:"id" description:"object id of the pool"`
	Base  coin         `json:"base" description:"base coin"`
	Quote coin         `json:"quote" description:"quote coin"`
}

func poolOf(p registry.Pool) pool { return pool{p.Key, p.ID, coinOf(p.Base), coinOf(p.Quote)} }

// amount is a quantity in the smallest unit, with its exact display form.
type amount struct {
	Raw     sui.Raw     `json:"raw" description:"in the smallest unit"`
	Display sui.Decimal `json:"display" description:"the same, with the point moved by the decimals"`
	coin
}

func amountOf(raw sui.Raw, c coins.Coin) amount {
	return amount{raw, raw.Decimal(c.Decimals), coinOf(c)}
}

// sourceOf describes the source of data about a pool.
func sourceOf(s deepbook.Source, function string) evidence.Source {
	return evidence.Source{
		Kind: evidence.SimulatedRead, Registry: "pinned_deepbook_v3_mainnet_registry", Package: s.Package.String(),
		Function: function, Simulation: evidence.SimulationMethod, Precision: evidence.ExactFromRaw,
	}
}

// chainErrors returns the error codes of reading a pool.
func chainErrors() []fault.Code {
	return []fault.Code{fault.RegistryMiss, fault.QuoteUnavailable, fault.ProviderUnavailable,
		fault.ProviderRefused, fault.ProviderMismatch}
}

// notMoreThanAPrice lists conclusions that one pool's order book and mid price do not support.
func notMoreThanAPrice() evidence.Claims {
	return evidence.Claims{evidence.GlobalPrice, evidence.FiatCashOut, evidence.ExternalConversion,
		evidence.StablecoinPeg, evidence.MidPriceSlippage, evidence.EffectivePrice, evidence.PriceImpact,
		evidence.VenueComparison, evidence.BestRoute, evidence.RouteRecommendation, evidence.TransactionInput,
		evidence.SigningData, evidence.SigningReadiness, evidence.ProfitAndLoss, evidence.CostBasis}
}

// notMoreThanAQuote lists conclusions that a quote from one pool does not support.
func notMoreThanAQuote() evidence.Claims {
	return evidence.NotPayment().And(evidence.NotMoneyOutside(),
		evidence.NotMarketAdvice().Without(evidence.GlobalPrice), evidence.NotSignable())
}

type quoteSpot struct {
	Pool      poolKey        `json:"poolKey" description:"such as SUI_USDC"`
	Direction quoteDirection `json:"direction" description:"which coin is paid"`
}

// display holds the amounts of a quote in display form.
type display struct {
	BaseOut      sui.Decimal `json:"baseOut" description:"base coin returned, including unspent input"`
	QuoteOut     sui.Decimal `json:"quoteOut" description:"quote coin returned, including unspent input"`
	DeepRequired sui.Decimal `json:"deepRequired" description:"DEEP that the fee would take; 0 in fee mode input"`
}

// rawQuote holds the values that a quote is based on.
type rawQuote struct {
	Function       string   `json:"sourceMoveFunction" description:"function that was called"`
	ReturnFunction string   `json:"returnValueSourceMoveFunction" description:"function that computes the values"`
	Order          []string `json:"returnValueOrder" description:"order of the returned values"`
	FeeMode        string   `json:"feeMode" description:"how the fee was counted"`
	Input          amount   `json:"inputAmount" description:"what would be paid"`
	BaseOut        amount   `json:"baseOut" description:"first returned value"`
	QuoteOut       amount   `json:"quoteOut" description:"second returned value"`
	DeepRequired   amount   `json:"deepRequired" description:"third returned value"`
	Boundary       string   `json:"boundary" description:"possible uses of the values"`
}

// quoteOut is the answer of both quote tools.
type quoteOut struct {
	Network   string                     `json:"network" description:"network of this server"`
	Pool      pool                       `json:"pool" description:"pool that was queried"`
	Direction quoteDirection             `json:"direction" description:"which coin is paid"`
	FeeMode   quoteFeeMode               `json:"feeMode" description:"deep: fee counted in DEEP; input: taken from the coin paid"`
	Semantics evidence.QuantitySemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	Input     amount                     `json:"inputAmount" description:"exact input of the quote"`
	Quote     display                    `json:"quote" description:"the quote as exact display amounts"`
	Reviewed  asReviewed                 `json:"asReviewed" description:"output of a swap of this amount with the current book"`
	Raw       rawQuote                   `json:"rawQuote" description:"the quote as returned, in raw units"`
	Source    evidence.Source            `json:"source" description:"where the quote came from"`
	FetchedAt time.Time                  `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// asReviewed is the result that a review of a swap of the same amount would display. Swaps take the
// fee from the coin paid unless the intent asks for DEEP, so this result is computed with that fee
// mode even if the quote has another.
type asReviewed struct {
	Swappable bool         `json:"swappable" description:"false if a swap of this amount would be refused"`
	FeeMode   quoteFeeMode `json:"feeMode" description:"how the fee is paid unless the intent has another feeMode"`
	Arrives   string       `json:"arrives,omitempty" description:"by the quote, as in 12.8 USDC; the review shows the guaranteed minimum"`
	Unsold    string       `json:"unsold,omitempty" description:"untraded part of the amount, which is returned"`
	Why       string       `json:"reason,omitempty" description:"why it cannot be swapped"`
}

// reviewed returns the result of a quote in the input fee mode as a review would display it.
func reviewed(ctx context.Context, b book, q deepbook.Quote) (asReviewed, error) {
	out := asReviewed{FeeMode: quoteFeeMode(deepbook.FeeInput)}
	switch err := b.Refusal(ctx, q); {
	case fault.Is(err, fault.QuoteUnavailable):
		out.Why = fault.As(err).Text
		return out, nil
	case err != nil:
		return out, err
	}
	in, arrives, err := q.Pool.Sides(q.Direction)
	if err != nil {
		return out, err
	}
	out.Swappable, out.Arrives = true, string(q.Out.Decimal(arrives.Decimals))+" "+arrives.Symbol
	if q.Unspent > 0 {
		out.Unsold = string(q.Unspent.Decimal(in.Decimals)) + " " + in.Symbol
	}
	return out, nil
}

// Kinds of quotes and of their inputs, and the limits of a quote.
const (
	rawQuoteKind     = "deepbook_quote_raw_amount"
	displayQuoteKind = "deepbook_quote_display_amount"
	rawInput         = "raw_u64"
	displayInput     = "display_source_amount_converted_to_raw_u64"
	quoteBoundary    = "quote_evidence_only_not_minimum_output_not_transaction_input"
)

// quote queries the pool and returns the answer.
func quote(c tool.Call, b book, network string, r deepbook.Request, s evidence.QuantitySemantics) (quoteOut, error) {
	plain, input, err := b.Quotes(c.Context(), r)
	if err != nil {
		return quoteOut{}, err
	}
	q := plain
	if r.FeeMode == deepbook.FeeInput {
		q = input
	}
	if err := b.Refusal(c.Context(), q); err != nil {
		return quoteOut{}, err
	}
	in, _, err := q.Pool.Sides(q.Direction)
	if err != nil {
		return quoteOut{}, err
	}
	deep, err := coins.Find("DEEP")
	if err != nil {
		return quoteOut{}, err
	}
	same, err := reviewed(c.Context(), b, input)
	if err != nil {
		return quoteOut{}, err
	}
	raw := rawQuote{
		Function: plain.Function, ReturnFunction: plain.ReturnFunction, FeeMode: string(plain.FeeMode),
		Order: []string{"base_quantity_out", "quote_quantity_out", "deep_quantity_required"},
		Input: amountOf(q.Input, in), BaseOut: amountOf(plain.BaseOut, q.Pool.Base),
		QuoteOut: amountOf(plain.QuoteOut, q.Pool.Quote), DeepRequired: amountOf(plain.DeepRequired, deep),
		Boundary: quoteBoundary,
	}
	return quoteOut{
		Network: network, Pool: poolOf(q.Pool), Direction: quoteDirection(q.Direction), FeeMode: quoteFeeMode(q.FeeMode),
		Semantics: s, Input: raw.Input, Raw: raw, Source: sourceOf(q.Source, q.Function), FetchedAt: readAt(q.At),
		Reviewed: same,
		Quote: display{q.BaseOut.Decimal(q.Pool.Base.Decimals), q.QuoteOut.Decimal(q.Pool.Quote.Decimals),
			q.DeepRequired.Decimal(deep.Decimals)},
	}, nil
}

// quoteUse returns the guidance for a quote, which supports claim.
func quoteUse(claim evidence.Claim) evidence.Use {
	return evidence.Use{
		Can:    evidence.Claims{claim},
		Cannot: notMoreThanAQuote(),
		Answer: []string{"pool.key", "direction", "inputAmount.display", "inputAmount.symbol", "quote.baseOut",
			"quote.quoteOut",
			"quote.deepRequired", "asReviewed", "feeMode", "fetchedAt"},
		Rules: []string{"quantitySemantics.canUseForPaymentAnswer", "quantitySemantics.canUseForShortfallAnswer",
			"quantitySemantics.doNotCombineWithPaymentAnswer", "quantitySemantics.paymentAnswerUseBlockedReason",
			"quantitySemantics.requiredPaymentAnswerTool", "quantitySemantics.requiredPaymentAnswerField"},
		Diagnostic: []string{"source", "rawQuote.sourceMoveFunction", "rawQuote.returnValueOrder", "rawQuote.boundary"},
		Next: evidence.Ask(evidence.PaymentTool,
			"It returns coverage and shortfall; a quote is not part of a payment answer.").
			Reading(evidence.PaymentField),
	}
}

// quoteExamples returns the error examples of both quote tools. amount is the member with the
// amount.
func quoteExamples(amount string) []tool.Example {
	args := func(pool, direction string) string {
		return `{"poolKey":"` + pool + `","direction":"` + direction + `",` + amount + `}`
	}
	return []tool.Example{
		{Name: "unknown pool", Given: givenNothing, In: args("NOPE_USDC", "base_to_quote"), Fault: fault.RegistryMiss},
		{Name: "unknown direction", Given: givenNothing, In: args("SUI_USDC", "up"), Fault: fault.InputInvalid},
		{Name: "retired versions", Given: givenNoVersion, In: args("SUI_USDC", "base_to_quote"),
			Fault: fault.QuoteUnavailable},
		{Name: "node down", Given: givenNodeDown, In: args("SUI_USDC", "base_to_quote"), Fault: fault.ProviderUnavailable},
		{Name: "node refuses", Given: givenNodeRefuses, In: args("SUI_USDC", "base_to_quote"), Fault: fault.ProviderRefused},
		{Name: "node lies", Given: givenNodeLies, In: args("SUI_USDC", "base_to_quote"), Fault: fault.ProviderMismatch},
	}
}

// named adds the argument's name to an error about an argument.
func named(field string, err error) error {
	if refusal := fault.As(err); refusal.Code == fault.InputInvalid {
		return refusal.With("field", field)
	}
	return err
}

// readAt returns a time in UTC with millisecond precision, as answers show it.
func readAt(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
