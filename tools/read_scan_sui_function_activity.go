package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// exampleFunction is the function that swaps call in the current DeepBook package.
const exampleFunction = `"function":"0x0e735f8c93a95722efd73521aca7a7652c0bb71ed1daf41b26dfd7d1ff71f748::pool::swap_exact_base_for_quote"`

// notFunction lists conclusions that one account's calls do not support.
func notFunction() evidence.Claims {
	return evidence.Claims{evidence.GlobalFunction, evidence.CompleteDappHistory}
}

// functionExamples returns the examples of a function scan, including other spellings of functions.
func functionExamples() []tool.Example {
	list := scanExamples(exampleFunction)
	for _, f := range [][2]string{{"a package alone", "0x2"}, {"a module", "0x2::coin"}, {"type arguments",
		"0x2::coin::split<0x2::sui::SUI>"}} {
		list = append(list, tool.Example{Name: f[0], Given: givenConnected, In: `{"function":"` + f[1] + `"}`,
			Fault: fault.InputInvalid})
	}
	return list
}

// readScanSuiFunctionActivity returns one page of an account's transactions that call a function.
func readScanSuiFunctionActivity(d namedActivity, a accounts, network string) tool.Tool {
	return tool.Declare(tool.Spec[functionScanIn, scanOut]{
		Name:      toolFunctionScan,
		Title:     "Scan Sui function activity",
		Summary:   "Returns a bounded page of an account's transactions that called one Move function.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    activityErrors(),
		Cases: scanCases(toolFunctionScan, func(o scanOut) scanOut { return o },
			evidence.Claims{evidence.FunctionActivity}, notFunction()),
		Examples: functionExamples(),
		Run: func(c tool.Call, in functionScanIn) (scanOut, error) {
			_, out, err := scanFunction(c, d, a, network, in, mostListedRows)
			return out, err
		},
	})
}
