package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// readSummarizeSuiFunctionActivityScan scans like readScanSuiFunctionActivity and adds an analysis
// of the rows.
func readSummarizeSuiFunctionActivityScan(d namedActivity, a accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[functionScanIn, analysedOut]{
		Name:      toolFunctionSummary,
		Title:     "Summarize Sui function activity scan",
		Summary:   "Returns a bounded page of an account's transactions that called one Move function, with a summary.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    activityErrors(),
		Cases: scanCases(toolFunctionSummary, func(o analysedOut) scanOut { return o.scanOut },
			evidence.Claims{evidence.FunctionActivity, evidence.ActivityAnalysis}, notFunction(),
			"analysis.overview", "analysis.protocols", "analysis.limitations"),
		Examples: functionExamples(),
		Run: func(c tool.Call, in functionScanIn) (analysedOut, error) {
			s, out, err := scanFunction(c, d, a, network, in, summaryRows)
			return analysedOut{out, s.Analysis}, err
		},
	})
}
