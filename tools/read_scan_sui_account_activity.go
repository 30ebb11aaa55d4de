package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// readScanSuiAccountActivity returns one page of an account's transactions.
func readScanSuiAccountActivity(d namedActivity, a accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[accountScanIn, scanOut]{
		Name:      toolScan,
		Title:     "Scan Sui account activity",
		Summary:   "Returns a bounded page of an account's past transactions.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    activityErrors(),
		Cases:     scanCases(toolScan, func(o scanOut) scanOut { return o }, evidence.Claims{evidence.BoundedActivity}, nil),
		Examples:  scanExamples(""),
		Run: func(c tool.Call, in accountScanIn) (scanOut, error) {
			_, out, err := scanAccount(c, d, a, network, in, mostListedRows)
			return out, err
		},
	})
}
