package prompts

// Surfaces lists the surfaces of all adapters.
func Surfaces() []Surface { return []Surface{swapDeep()} }

// swapDeep presents the DeepBook swap adapter.
func swapDeep() Surface {
	return Surface{
		Action: "swap", Slug: "deep", Protocol: "DeepBookV3",
		Title:       "Swap on DeepBook",
		Description: "Prepares a DeepBook swap for review from one line, for example: 10 sui to usdc.",
		Example:     "10 sui to usdc",
		Steps: []string{
			"Read from the words: the coin that leaves, how much of it, and the coin that arrives. If one is missing or unclear, ask; do not guess.",
			"maxSlippageBps is required: the most the price may slip before the swap does not happen, in hundredths of a percent, from 1 to 1000. " +
				"If the words do not give it, propose 50 (0.5 percent) and let the person confirm or change it.",
			"Call account.get_active_account. If none is set, call session.create_wallet_identity, give the person walletUrl, " +
				"and call session.wait_wallet_identity until it is connected.",
			"If they want to know the price before, call read.quote_deepbook_display_amount and say that it is an estimate of one pool.",
			"Call action.prepare_sui_action_review with intent {type: \"swap\", from: {symbol, amount}, to: {symbol}, maxSlippageBps, protocol: \"deep\"}; " +
				"amount is a decimal string.",
			"Give the person reviewUrl and say that it opens in the browser of this machine.",
			"Call session.wait_execution_result; on timed_out call it again. Tell the result from executionResult: " +
				"what arrived, what left, the gas, and whether each promise was kept.",
		},
	}
}
