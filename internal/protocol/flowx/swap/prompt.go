package swap

import (
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/review/plan"
)

// PromptSurface returns the prompt for a swap on FlowX.
func PromptSurface() plan.Prompt {
	p := plan.SwapPrompt("flowx", "FlowX", "read.quote_flowx_swap",
		"FlowX has several pools of a pair; the review takes the one that gives most when it is computed.")
	for _, c := range registry.Coins() {
		p.Symbols = append(p.Symbols, c.Symbol)
	}
	return p
}
