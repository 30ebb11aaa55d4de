package swap

import "github.com/sayurintent/sayurintent/review/plan"

// PromptSurface returns the prompt for a swap on DeepBook.
func PromptSurface() plan.Prompt {
	return plan.SwapPrompt("deep", "DeepBook", "read.quote_deepbook_display_amount",
		"The fee is taken from the coin that is paid; set intent.feeMode deep only if the person wants to pay it in DEEP and holds some.")
}
