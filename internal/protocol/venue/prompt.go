package venue

import "github.com/sayurintent/sayurintent/internal/plan"

// Prompt returns the prompt for a swap at the venue.
func (v Venue) Prompt() plan.Prompt {
	slug, name, quoteTool, besides := v.Slug, v.Label, v.QuoteTool, v.Besides
	if besides != "" {
		besides = " " + besides
	}
	p := plan.Prompt{
		Name:  "swap-" + slug,
		Title: "Swap on " + name,
		Description: "Prepare a " + name +
			" swap for review from one line in any language, for example: 10 sui to usdc.",
		Argument: "intent",
		ArgumentDescription: "What to swap, in one line and any language, for example: 10 sui to usdc, at most " +
			"0.5% slippage.",
		Text: "Prepare a swap on " + name + " (protocol slug: " + slug + ") for review.\n\n" +
			"1. Read the request below: the coin and exact amount that leave, the coin that shall arrive, and the " +
			"most slippage. " +
			"Ask the person for whatever is missing or ambiguous; never guess an amount or a coin. Without a wish " +
			"about slippage, " +
			"propose 50 basis points and say so.\n" +
			"2. Call account.get_active_account. Without an active account, call session.create_wallet_identity, " +
			"give the person " +
			"the link, and wait with session.wait_wallet_identity.\n" +
			"3. If the person wants to see a price first, call " + quoteTool + " and say that it is no promise.\n" +
			"4. Call action.prepare_sui_action_review with intent.type swap, intent.from.symbol, intent.from.amount as plain " +
			"decimal text, intent.to.symbol, intent.maxSlippageBps, and intent.protocol " + slug + "." + besides +
			"\n" +
			"5. Give the person the review link to open in the browser of the same machine. The page computes the " +
			"review, shows what " +
			"would be signed, and asks the wallet.\n" +
			"6. Call session.wait_execution_result and tell what it says: a receipt, a refusal, or that something " +
			"is still unknown. " +
			"Unknown is not failure.",
	}
	for _, c := range v.Coins {
		p.Symbols = append(p.Symbols, c.Symbol)
	}
	return p
}
