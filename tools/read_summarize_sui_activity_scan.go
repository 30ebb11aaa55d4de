package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// readSummarizeSuiActivityScan scans like readScanSuiAccountActivity and adds an analysis of the
// rows.
func readSummarizeSuiActivityScan(d namedActivity, a accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[accountScanIn, analysedOut]{
		Name:      toolScanSummary,
		Title:     "Summarize Sui activity scan",
		Summary:   "Returns a bounded page of an account's past transactions with a summary.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    activityErrors(),
		Cases: scanCases(toolScanSummary, func(o analysedOut) scanOut { return o.scanOut },
			evidence.Claims{evidence.BoundedActivity, evidence.ActivityAnalysis}, nil, "analysis.overview", "analysis.protocols",
			"analysis.limitations"),
		Examples: scanExamples(""),
		Run: func(c tool.Call, in accountScanIn) (analysedOut, error) {
			s, out, err := scanAccount(c, d, a, network, in, summaryRows)
			return analysedOut{out, s.Analysis}, err
		},
	})
}
