package tools_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const payStep = `{"id":"ID","sequence":N,"chain":"Sui","action":"Send","intent":{"type":"transfer","from":{"symbol":"SUI","amount":"N.5"},"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"},"wait_for_receipt":true}`

func paySteps(n int) string {
	var list []string
	for i := range n {
		list = append(list, strings.NewReplacer("ID", "s"+string(rune('a'+i)), "N", string("123456789"[i%9])+
			strings.Repeat("0", i/9)).Replace(payStep))
	}
	return `{"transactions":[` + strings.Join(list, ",") + `]}`
}

// TestBundleSteps requests bundles of steps through the tool.
func TestBundleSteps(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	call := func(args string) (a tool.Answer) {
		for _, d := range w.tools {
			if d.Name == "agent.sign_transaction_bundle" {
				return d.Call(tool.NewCall(t.Context(), nil, tool.Client{}), []byte(args))
			}
		}
		t.Fatal("there is no such tool")
		return tool.Answer{}
	}
	refused := func(name, args, words string) {
		t.Helper()
		a := call(args)
		if a.Fault == nil || !strings.Contains(a.Fault.Text, words) {
			t.Errorf("%s: %s", name, a.Text)
		}
	}
	t.Run("R000-18 R000-21 one to sixteen steps, which are answered at once with a task", func(t *testing.T) {
		a := call(paySteps(16))
		if a.Fault != nil || !strings.Contains(string(a.Text), "task_") || !strings.Contains(string(a.Text), "/bundle/") ||
			strings.Contains(string(a.Text), "advice") {
			t.Error(a.Text)
		}
		refused("seventeen", paySteps(17), "1 to 16 steps")
		refused("none", `{"transactions":[]}`, "1 to 16 steps")
	})
	t.Run("two steps that could be one transaction are said to be", func(t *testing.T) {
		if a := call(paySteps(2)); a.Fault != nil || !strings.Contains(string(a.Text), "mode atomic") {
			t.Error(a.Text)
		}
	})
	one := strings.TrimSuffix(strings.TrimPrefix(paySteps(1), `{"transactions":[`), `]}`)
	refused("neither intent nor review", `{"transactions":[{"id":"a","sequence":0,"chain":"Sui"}]}`,
		"one of intent and reviewSessionId")
	refused("both", `{"transactions":[`+strings.Replace(one, `"action"`, `"reviewSessionId":"x","action"`, 1)+`]}`,
		"one of intent and reviewSessionId")
	refused("a review of nobody", `{"transactions":[{"id":"a","sequence":0,"chain":"Sui","reviewSessionId":"nobody"}]}`,
		"Step 1 (a)")
	refused("a short wait", strings.Replace(paySteps(1), `"wait_for_receipt":true`, `"receipt_timeout_seconds":4`, 1),
		"receipt_timeout_seconds")
	t.Run("R000-148 R000-149 the chain is echoed as it was spelled", func(t *testing.T) {
		if a := call(strings.Replace(paySteps(1), `"Sui"`, `"sUI"`, 1)); a.Fault != nil || !strings.Contains(string(a.Text),
			`"sUI"`) {
			t.Error(a.Text)
		}
	})
	t.Run("R000-28 R004-370 nothing of a bundle is bytes, and a failed call leaves nothing", func(t *testing.T) {
		w.pages = false
		defer func() { w.pages = true }()
		before, err := w.Store.LiveRequests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a := call(strings.Replace(paySteps(1), "1.5", "1.75", 1)); a.Fault == nil {
			t.Error(a.Text)
		}
		if after, err := w.Store.LiveRequests(t.Context()); err != nil || len(after) != len(before) {
			t.Errorf("%d bundles, %d before: %v", len(after), len(before), err)
		}
	})
}
