package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestActivityNames checks that recipients are named by the address book.
func TestActivityNames(t *testing.T) {
	const alice = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	w := build(t, nil)
	w.Connect(sandbox.Account)
	s := w.Settle(w.Ready(plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: "5"},
		Recipient: alice}))
	if s.Status != record.Success {
		t.Fatal(s.Status)
	}
	own := book.NewService(w.Store, time.Now)
	calls := map[string]string{"read.scan_sui_account_activity": `{}`,
		"read.inspect_sui_transaction": `{"digest":"` + s.Execution.TxDigest + `"}`}
	says := func(want string) {
		t.Helper()
		for name, in := range calls {
			data := w.must(name, in)
			what := at(data, "what")
			if what == nil {
				what = at(data, "transactions.0.what")
			}
			if what != want {
				t.Errorf("%s: %v", name, what)
			}
			if first := at(data, "requestedAccountTransactionFacts.0.what"); first != nil && first != want {
				t.Errorf("%s: %v", name, first)
			}
		}
	}
	says("sent 5 SUI to " + alice)
	if _, err := own.Add(t.Context(), book.Agent, []book.Target{{Title: "Alice", Address: alice,
		Chain: "Sui"}}); err != nil {
		t.Fatal(err)
	}
	says("sent 5 SUI to “Alice” (named by your AI client)")
	t.Run("the other side reads who paid it", func(t *testing.T) {
		if err := own.NameOwn(t.Context(), sandbox.Account.String(), "Till"); err != nil {
			t.Fatal(err)
		}
		data := w.must("read.inspect_sui_transaction", strings.TrimSuffix(calls["read.inspect_sui_transaction"], "}")+
			`,"account":"`+alice+`"}`)
		same(t, data, map[string]any{"what": "received 5 SUI from “Till”"})
	})
	t.Run("what arrived in the address balance is told as that", func(t *testing.T) {
		usdc, _ := coins.BySymbol("USDC")
		w.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 7_000_000)
		paid := w.Settle(w.Ready(plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", Amount: "5"},
			Recipient: alice}))
		if !paid.Facts.Gas.Free() {
			t.Fatalf("%+v", paid.Facts.Gas)
		}
		const want = "received 5 USDC in the address balance from “Till”"
		data := w.must("read.inspect_sui_transaction", `{"digest":"`+paid.Execution.TxDigest+`","account":"`+alice+`"}`)
		same(t, data, map[string]any{"what": want})
		data = w.must("read.scan_sui_account_activity", `{"account":"`+alice+`"}`)
		same(t, data, map[string]any{"transactions.0.what": want})
	})
	t.Run("several who got something are listed with their amounts", func(t *testing.T) {
		bundle := plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{{Type: "transfer",
			From: plan.IntentSource{Symbol: "SUI", Amount: "1"}, Recipient: alice},
			{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: "1"}, Recipient: "0x" + strings.Repeat("7", 64)}}}
		paid := w.Settle(w.Ready(bundle))
		same(t, w.must("read.inspect_sui_transaction", `{"digest":"`+paid.Execution.TxDigest+`"}`),
			map[string]any{"what": "sent 2 SUI: 1 SUI to “Alice” (named by your AI client) and 1 SUI to 0x" + strings.Repeat("7",
				64)})
	})
	t.Run("a book that is kept from AI clients names nobody", func(t *testing.T) {
		if err := own.LetRead(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		same(t, w.must("read.inspect_sui_transaction", calls["read.inspect_sui_transaction"]),
			map[string]any{"what": "sent 5 SUI to " + alice})
	})
}
