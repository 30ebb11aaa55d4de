package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type flowxQuoteIn struct {
	Source coinSymbol    `json:"sourceSymbol" description:"such as SUI"`
	Target coinSymbol    `json:"targetSymbol" description:"such as USDC"`
	Amount displayAmount `json:"amountDisplay" description:"paid, such as 10 or 0.25"`
}

// flowxPair is the requested pair of coins.
type flowxPair struct {
	Source string `json:"sourceSymbol" description:"coin that is paid"`
	Target string `json:"targetSymbol" description:"coin that is wanted"`
}

type flowxQuoteOut struct {
	Network   string        `json:"network" description:"network of this server"`
	Pair      flowxPair     `json:"pair" description:"requested pair"`
	Semantics toldSemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	In        amount        `json:"amountIn" description:"exact input of the quote"`
	Out       indicative    `json:"amountOut" description:"output according to the router"`
	Route     routeEvidence `json:"routeEvidence" description:"the router's route, and how it was judged"`
	Source    toldSource    `json:"source" description:"where the quote came from"`
	FetchedAt time.Time     `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readQuoteFlowxSwap returns a quote from FlowX's router. The quote is reported by the router and
// checked against pinned pools.
func readQuoteFlowxSwap(r router, network string) tool.Tool {
	args := func(from, to, amount string) string {
		return `{"sourceSymbol":"` + from + `","targetSymbol":"` + to + `","amountDisplay":"` + amount + `"}`
	}
	tenSUI := args("SUI", "USDC", "10")
	return tool.Declare(tool.Spec[flowxQuoteIn, flowxQuoteOut]{
		Name:    toolFlowxQuote,
		Title:   "Quote FlowX swap",
		Summary: "Returns the FlowX router's quote for an input amount through FlowX's own pools, not verified on chain.",
		Effect:  tool.ReadsChain,
		Errors:  flowxErrors(),
		Cases:   []tool.Case[flowxQuoteOut]{{Name: "quote", Use: flowxQuoteUse()}},
		Examples: []tool.Example{
			{Name: "10 SUI", Given: givenNothing, In: tenSUI, Case: "quote"},
			{Name: "25.5 USDC", Given: givenNothing, In: args("usdc", "sui", "25.5"), Case: "quote"},
			{Name: "unknown coin", Given: givenNothing, In: args("DEEP", "USDC", "10"), Fault: fault.RegistryMiss},
			{Name: "one coin", Given: givenNothing, In: args("SUI", "SUI", "10"), Fault: fault.InputInvalid},
			{Name: "zero", Given: givenNothing, In: args("SUI", "USDC", "0"), Fault: fault.InputInvalid},
			{Name: "negative", Given: givenNothing, In: args("SUI", "USDC", "-1"), Fault: fault.InputInvalid},
			{Name: "exponent", Given: givenNothing, In: args("SUI", "USDC", "1e3"), Fault: fault.InputInvalid},
			{Name: "too many decimals", Given: givenNothing, In: args("USDC", "SUI", "1.0000001"), Fault: fault.InputInvalid},
			{Name: "over 64 bits", Given: givenNothing, In: args("SUI", "USDC", "18446744074"), Fault: fault.InputInvalid},
			{Name: "more than the pools hold", Given: givenNothing, In: args("SUI", "USDC", "9000000000"),
				Fault: fault.QuoteUnavailable},
			{Name: "another venue", Given: givenQuoterElse, In: tenSUI, Fault: fault.QuoteUnavailable},
			{Name: "quoter down", Given: givenQuoterDown, In: tenSUI, Fault: fault.ProviderUnavailable},
			{Name: "quoter refuses", Given: givenQuoterRefuses, In: tenSUI, Fault: fault.ProviderRefused},
			{Name: "quoter contradicts the pins", Given: givenQuoterNonsense, In: tenSUI, Fault: fault.ProviderMismatch},
		},
		Run: func(c tool.Call, in flowxQuoteIn) (flowxQuoteOut, error) {
			request, err := flowxRequest(in)
			if err != nil {
				return flowxQuoteOut{}, err
			}
			q, err := r.Quote(c.Context(), request)
			if err != nil {
				return flowxQuoteOut{}, err
			}
			return flowxQuote(network, q), nil
		},
	})
}

// flowxRequest converts the arguments to a request to the router.
func flowxRequest(in flowxQuoteIn) (quoter.Request, error) {
	from, err := registry.FindCoin(string(in.Source))
	if err != nil {
		return quoter.Request{}, named("sourceSymbol", err)
	}
	to, err := registry.FindCoin(string(in.Target))
	if err != nil {
		return quoter.Request{}, named("targetSymbol", err)
	}
	raw, err := sui.Decimal(in.Amount).Raw(from.Decimals)
	if err == nil && raw == 0 {
		err = fault.New(fault.InputInvalid, "The amount must be more than zero.")
	}
	if err != nil {
		return quoter.Request{}, named("amountDisplay", err)
	}
	return quoter.Request{From: from, To: to, Amount: raw}, nil
}

// flowxQuote converts the router's quote to an answer.
func flowxQuote(network string, q quoter.Quote) flowxQuoteOut {
	semantics := evidence.PriceEstimate("flowx_indicative_route_quote", displayInput)
	semantics.AllowedUse, semantics.RawEvidenceField = "indicative_quote_of_one_router", "routeEvidence.pools"
	out := flowxQuoteOut{
		Network: network, Pair: flowxPair{q.From.Symbol, q.To.Symbol}, FetchedAt: readAt(q.At),
		Semantics: toldSemantics{QuantitySemantics: semantics},
		In:        flowxAmount(q.Amount, q.From),
		Out:       indicative{flowxAmount(q.Out, q.To), true},
		Route:     routeEvidence{ChosenBy: "flowx_router_not_this_server", SingleHop: true, PinMatch: true},
		Source: toldSource{Source: evidence.Source{
			Kind: "flowx_aggregator_quoter_api", Registry: flowxRegistry, Precision: "exact_decimal_from_raw_amounts_as_told",
			Method: "GET " + quoter.Path,
		}},
	}
	for _, leg := range q.Legs {
		out.Route.Pools = append(out.Route.Pools, routedPool{leg.Pool.Key(), leg.Pool.ID, leg.Pool.Fee, leg.XForY, leg.In,
			leg.Out})
	}
	return out
}

func flowxQuoteUse() evidence.Use {
	return evidence.Use{
		Can: evidence.Claims{evidence.FlowxQuote},
		Cannot: evidence.Claims{evidence.PaymentCoverage, evidence.ShortfallContribution, evidence.RoutePaymentSupport,
			evidence.MinimumOutput, evidence.TransactionInput, evidence.VenueComparison, evidence.BestRoute,
			evidence.RouteRecommendation, evidence.ChainProof, evidence.ChosenPool},
		Answer: []string{"amountIn.display", "amountIn.symbol", "amountOut.display", "amountOut.symbol",
			"amountOut.indicative",
			"routeEvidence.routeChosenBy", "routeEvidence.pools[].key", "fetchedAt"},
		Rules: []string{"source.chainVerified", "quantitySemantics.chainVerified", "quantitySemantics.canUseForPaymentAnswer",
			"quantitySemantics.doNotCombineWithPaymentAnswer", "quantitySemantics.requiredPaymentAnswerTool",
			"quantitySemantics.requiredPaymentAnswerField"},
		Diagnostic: []string{"source", "routeEvidence.protocolConfigPinMatch", "routeEvidence.singleHop"},
		Next: evidence.Ask(evidence.PaymentTool,
			"It returns coverage and shortfall; a quote is not part of a payment answer.").
			Reading(evidence.PaymentField),
	}
}
