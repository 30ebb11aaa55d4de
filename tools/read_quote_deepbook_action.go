package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// rawAmount is a positive amount in the smallest unit of a coin.
type rawAmount string

// Shape implements tool.Shaped. The format is digits without a sign or leading zeros.
func (rawAmount) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[1-9][0-9]*$`, MinLength: 1, MaxLength: 20,
		Rule: "a positive whole number in a string, without sign, point or leading zero"}
}

type quoteActionIn struct {
	quoteSpot
	Amount  rawAmount    `json:"amountRaw" description:"paid, in its smallest unit"`
	FeeMode quoteFeeMode `json:"feeMode" default:"input" brief:"" description:"how the fee is paid"`
}

// readQuoteDeepbookAction returns one pool's quote for an amount in the smallest unit.
func readQuoteDeepbookAction(b book, network string) tool.Tool {
	return tool.Declare(tool.Spec[quoteActionIn, quoteOut]{
		Name:    "read.quote_deepbook_action",
		Title:   "Quote DeepBook raw amount",
		Summary: "Quotes a swap in a DeepBook pool for an input amount in raw integer units.",
		Effect:  tool.ReadsChain,
		Errors:  chainErrors(),
		Cases:   []tool.Case[quoteOut]{{Name: "quote", Use: quoteUse(evidence.RawPoolQuote)}},
		Examples: append([]tool.Example{
			{Name: "sell 10 SUI", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"10000000000"}`, Case: "quote"},
			{Name: "buy SUI for 25 USDC", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"quote_to_base","amountRaw":"25000000"}`, Case: "quote"},
			{Name: "fee in DEEP", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"10000000000","feeMode":"deep"}`, Case: "quote"},
			{Name: "too little to trade", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"1"}`, Fault: fault.QuoteUnavailable},
			{Name: "zero", Given: givenNothing, In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"0"}`,
				Fault: fault.InputInvalid},
			{Name: "a display amount", Given: givenNothing,
				In: `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"1.5"}`, Fault: fault.InputInvalid},
			{Name: "over 64 bits", Given: givenNothing,
				In:    `{"poolKey":"SUI_USDC","direction":"base_to_quote","amountRaw":"18446744073709551616"}`,
				Fault: fault.InputInvalid},
		}, quoteExamples(`"amountRaw":"10000000000"`)...),
		Run: func(c tool.Call, in quoteActionIn) (quoteOut, error) {
			raw, err := sui.ParseRaw(string(in.Amount))
			if err != nil {
				return quoteOut{}, named("amountRaw", err)
			}
			return quote(c, b, network, deepbook.Request{
				PoolKey: string(in.Pool), Direction: registry.Direction(in.Direction), Amount: raw,
				FeeMode: deepbook.FeeMode(in.FeeMode),
			}, evidence.PriceEstimate(rawQuoteKind, rawInput))
		},
	})
}
