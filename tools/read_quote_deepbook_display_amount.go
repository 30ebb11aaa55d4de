package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type quoteDisplayIn struct {
	quoteSpot
	Amount  displayAmount `json:"amountDisplay" description:"paid, such as 10 or 0.25"`
	FeeMode quoteFeeMode  `json:"feeMode" default:"input" brief:"" description:"how the fee is paid"`
}

// readQuoteDeepbookDisplayAmount returns one pool's quote for an amount to pay, in whole coins. It
// does not quote amounts to receive.
func readQuoteDeepbookDisplayAmount(b book, network string) tool.Tool {
	return tool.Declare(tool.Spec[quoteDisplayIn, quoteOut]{
		Name:    "read.quote_deepbook_display_amount",
		Title:   "Quote DeepBook display amount",
		Summary: "Quotes a swap in a DeepBook pool for an input amount such as 10 SUI.",
		Effect:  tool.ReadsChain,
		Errors:  chainErrors(),
		Cases:   []tool.Case[quoteOut]{{Name: "quote", Use: quoteUse(evidence.DisplayPoolQuote)}},
		Examples: append([]tool.Example{
			{Name: "sell 10 SUI", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10"}`, Case: "quote"},
			{Name: "buy SUI for 25.5 USDC", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"quote_to_base","amountDisplay":"25.5"}`, Case: "quote"},
			{Name: "fee in DEEP", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10","feeMode":"deep"}`, Case: "quote"},
			{Name: "too little to trade", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"0.000001"}`, Fault: fault.QuoteUnavailable},
			{Name: "zero", Given: givenNothing, In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"0.0"}`,
				Fault: fault.InputInvalid},
			{Name: "negative", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"-1"}`, Fault: fault.InputInvalid},
			{Name: "exponent", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"1e3"}`, Fault: fault.InputInvalid},
			{Name: "too many decimals", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"quote_to_base","amountDisplay":"1.0000001"}`, Fault: fault.InputInvalid},
			{Name: "over 64 bits", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"18446744074"}`, Fault: fault.InputInvalid},
			{Name: "a wanted output", Given: givenNothing,
				In:    `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountDisplay":"10","quoteOut":"25"}`,
				Fault: fault.InputInvalid},
		}, quoteExamples(`"amountDisplay":"10"`)...),
		Run: func(c tool.Call, in quoteDisplayIn) (quoteOut, error) {
			raw, _, err := deepbook.InputAmount(string(in.Pool), registry.Direction(in.Direction), string(in.Amount))
			if err != nil {
				return quoteOut{}, named("amountDisplay", err)
			}
			return quote(c, b, network, deepbook.Request{
				PoolKey: string(in.Pool), Direction: registry.Direction(in.Direction), Amount: raw,
				FeeMode: deepbook.FeeMode(in.FeeMode),
			}, evidence.PriceEstimate(displayQuoteKind, displayInput))
		},
	})
}
