package tools

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Examples of action.prepare_sui_action_review.

func prepareExamples() []tool.Example {
	return append(swapExamples(), otherExamples()...)
}

// exampleSwap returns the arguments of a swap of SUI. amount is JSON, and more holds further members.
func exampleSwap(amount, to, more string) string {
	return `{"intent":{"type":"swap","from":{"symbol":"SUI","amount":` + amount + `},"to":{"symbol":"` + to + `"},` +
		more + `}}`
}

func swapExamples() []tool.Example {
	return []tool.Example{
		examplePrepared("ten SUI to USDC", exampleSwap(`"10"`, "USDC", `"maxSlippageBps":50,"protocol":"deep"`)),
		examplePrepared("protocol named", exampleSwap(`"2.5"`, "USDC", `"maxSlippageBps":100,"protocol":"deep"`)),
		{Name: "no account", Given: givenNothing, In: exampleSwap(`"10"`, "USDC", `"maxSlippageBps":50`),
			Fault: fault.ActiveAccountNotSet},
		exampleRefused("unknown protocol", fault.InputInvalid,
			exampleSwap(`"10"`, "USDC", `"maxSlippageBps":50,"protocol":"other"`)),
		exampleRefused("unknown coin", fault.RegistryMiss, exampleSwap(`"10"`, "NOPE", `"maxSlippageBps":50`)),
		exampleRefused("zero", fault.InputInvalid, exampleSwap(`"0"`, "USDC", `"maxSlippageBps":50`)),
		exampleRefused("negative", fault.InputInvalid, exampleSwap(`"-5"`, "USDC", `"maxSlippageBps":50`)),
		exampleRefused("exponent", fault.InputInvalid, exampleSwap(`"1e3"`, "USDC", `"maxSlippageBps":50`)),
		exampleRefused("number, not text", fault.InputInvalid, exampleSwap(`10`, "USDC", `"maxSlippageBps":50`)),
		exampleRefused("too many decimals", fault.InputInvalid, exampleSwap(`"0.0000000001"`, "USDC", `"maxSlippageBps":50`)),
		exampleRefused("over 64 bits", fault.InputInvalid, exampleSwap(`"18446744074"`, "USDC", `"maxSlippageBps":50`)),
		exampleRefused("slippage of nothing", fault.InputInvalid, exampleSwap(`"10"`, "USDC", `"maxSlippageBps":0`)),
		exampleRefused("slippage over ten percent", fault.InputInvalid, exampleSwap(`"10"`, "USDC", `"maxSlippageBps":1001`)),
		exampleRefused("slippage left out", fault.InputInvalid, exampleSwap(`"10"`, "USDC", `"protocol":"deep"`)),
	}
}

func otherExamples() []tool.Example {
	const somebody = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	return []tool.Example{
		examplePrepared("a payment",
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","amount":"2.5"},"recipient":"`+somebody+`"}}`),
		examplePrepared("a limit order",
			`{"intent":{"type":"limit-order","order":{"pool":"SUI_USDC","side":"sell","price":"4.2","quantity":"10","postOnly":true}}}`),
		examplePrepared("a cancellation",
			`{"intent":{"type":"cancel-order","order":{"pool":"SUI_USDC"},"orderId":"23058430092136939520000000001"}}`),
		examplePrepared("all orders of a market", `{"intent":{"type":"cancel-all-orders","order":{"pool":"SUI_USDC"}}}`),
		examplePrepared("a sale at the market price",
			`{"intent":{"type":"market-order","order":{"pool":"SUI_USDC","side":"sell","quantity":"10"},"maxSlippageBps":50}}`),
		examplePrepared("a changed order",
			`{"intent":{"type":"modify-order","order":{"pool":"SUI_USDC","price":"4.3"},"orderId":"23058430092136939520000000001"}}`),
		examplePrepared("all of a coin", `{"intent":{"type":"manager-withdraw-all","to":{"symbol":"SUI"}}}`),
		{Name: "all of every coin", Given: givenConnected, In: `{"intent":{"type":"manager-withdraw-all"}}`,
			Case: "prepared"},
		examplePrepared("a balance manager", `{"intent":{"type":"manager-create"}}`),
		examplePrepared("a deposit", `{"intent":{"type":"manager-deposit","from":{"symbol":"SUI","amount":"10"}}}`),
		examplePrepared("a withdrawal", `{"intent":{"type":"manager-withdraw","to":{"symbol":"SUI","amount":"1"}}}`),
		examplePrepared("a stake",
			`{"intent":{"type":"stake","from":{"symbol":"SUI","amount":"10"},"validator":"`+somebody+`"}}`),
		exampleRefused("a stake with nobody", fault.InputInvalid,
			`{"intent":{"type":"stake","from":{"symbol":"SUI","amount":"10"}}}`),
		examplePrepared("the end of a stake",
			`{"intent":{"type":"unstake","stakedSuiId":"`+somebody+`","to":{"symbol":"SUI"}}}`),
		examplePrepared("liquid staking",
			`{"intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"sSUI"},"maxSlippageBps":10}}`),
		examplePrepared("a supply",
			`{"intent":{"type":"supply","from":{"symbol":"USDC","amount":"10"},"protocol":"navi"}}`),
		exampleRefused("a supply of a coin that nobody takes", fault.RegistryMiss,
			`{"intent":{"type":"supply","from":{"symbol":"DEEP","amount":"10"}}}`),
		examplePrepared("a withdrawal of everything supplied",
			`{"intent":{"type":"supply-withdraw","to":{"symbol":"USDC"},"protocol":"suilend"}}`),
		examplePrepared("the end of an allowance",
			`{"intent":{"type":"permission_revoke","permission":"`+somebody+`"}}`),
		exampleRefused("the end of a permission that is not named whole", fault.InputInvalid,
			`{"intent":{"type":"permission_revoke","permission":"0x12"}}`),
		examplePrepared("a payment to a name of SuiNS",
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","amount":"2.5"},"recipientName":"alice.sui"}}`),
		exampleRefused("a payment to nobody in the book", fault.InputInvalid,
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","amount":"2.5"},"recipientName":"Alice"}}`),
		exampleRefused("a coin that nobody described", fault.InputInvalid,
			`{"intent":{"type":"transfer","from":{"symbol":"0xfed::dust::DUST","amount":"7"},"recipient":"`+somebody+`"}}`),
		exampleRefused("raw units of a known coin", fault.InputInvalid,
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","amount":"7","raw":true},"recipient":"`+somebody+`"}}`),
		exampleRefused("a name in the place of an address", fault.InputInvalid,
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","amount":"2.5"},"recipient":"alice.sui"}}`),
		exampleRefused("a payment with slippage", fault.InputInvalid,
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","amount":"2.5"},"maxSlippageBps":50,"recipient":"`+somebody+
				`"}}`),
		exampleRefused("an order without a side", fault.InputInvalid,
			`{"intent":{"type":"limit-order","order":{"pool":"SUI_USDC","price":"4.2","quantity":"10"}}}`),
		examplePrepared("half of it",
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","share":"1/2"},"recipient":"`+somebody+`"}}`),
		exampleRefused("more than all of it", fault.InputInvalid,
			`{"intent":{"type":"transfer","from":{"symbol":"USDC","share":"101%"},"recipient":"`+somebody+`"}}`),
		{Name: "no pages", Given: givenNoPages, In: exampleSwap(`"10"`, "USDC", `"maxSlippageBps":50`),
			Fault: fault.Blocked},
	}
}

func examplePrepared(name, in string) tool.Example {
	return tool.Example{Name: name, Given: givenConnected, In: in, Case: "prepared"}
}

func exampleRefused(name string, word fault.Code, in string) tool.Example {
	return tool.Example{Name: name, Given: givenConnected, In: in, Fault: word}
}
