package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// BenchmarkCall measures a call without the tool's own work: checking arguments and answer, and
// adding guidance.
func BenchmarkCall(b *testing.B) {
	all := tools.All(tools.Deps{Accounts: &patient{}})
	for _, d := range all {
		args := map[string]string{
			"account.get_active_account":  `{}`,
			"session.get_wallet_identity": `{"walletSessionId":"id"}`,
		}[d.Name]
		if args == "" {
			continue
		}
		b.Run(d.Name, func(b *testing.B) {
			for b.Loop() {
				if answer := d.Call(tool.NewCall(b.Context(), nil, tool.Client{}), json.RawMessage(args)); answer.Fault != nil {
					b.Fatal(answer.Fault)
				}
			}
		})
	}
}

// BenchmarkDeclare measures how long declaring all tools takes at startup.
func BenchmarkDeclare(b *testing.B) {
	for b.Loop() {
		tools.All(tools.Deps{})
	}
}
