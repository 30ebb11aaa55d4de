package tools_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestWaitSaysWhy checks that a wait's answer contains what is needed to continue.
func TestWaitSaysWhy(t *testing.T) {
	w := build(t, nil)
	situations["the review is blocked: the account holds too little"](w)
	data := w.must("session.wait_execution_result", `{"reviewSessionId":"`+w.values["reviewSessionId"]+`"}`)
	problem := each(t, data, "problems")[0]
	if !strings.Contains(problem["message"].(string), "needs 20000 DEEP") || problem["do"] == "" ||
		problem["check"] == "" {
		t.Errorf("%v", problem)
	}
	if got := at(data, "userAnswerUse.followUp.answerFields"); len(got.([]any)) != 1 || got.([]any)[0] != "reviewUrl" {
		t.Errorf("the follow-up repeats what was just told: %v", got)
	}
}

// TestReceiptInPeoplesAmounts checks that a receipt has the amounts that users ask for and, with
// full detail, those of the chain.
func TestReceiptInPeoplesAmounts(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	args := `{"reviewSessionId":"` + w.values["reviewSessionId"] + `"}`
	short, full := w.must("session.wait_execution_result", args), w.must("session.get_execution_result", args)
	s, err := w.Reviews.Get(t.Context(), record.ID(w.values["reviewSessionId"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []map[string]any{short, full} {
		same(t, data, map[string]any{
			"executionResult.receipt.marketFee": s.State.Quote.Fee.String(), "executionResult.receipt.marketFeeSource": "chain",
			"executionResult.receipt.unspent": "0.0987625 SUI", "executionResult.receipt.gas": "0.006686396 SUI",
			"executionResult.receipt.accountChanges": []any{"-9.907923896 SUI", "12.79674 USDC"},
			"executionResult.receipt.whereMoneyLies": "The 12.79674 USDC arrived in your own account.",
		})
		if !covered("executionResult.receipt.marketFee", claims(data, "answerFields")) {
			t.Error("the fee is no answer field")
		}
	}
	same(t, short, map[string]any{"pollingHint": nil, "executionResult.receipt.gasCostSummary": nil,
		"executionResult.receipt.accountBalanceChanges": nil})
	same(t, full, map[string]any{"executionResult.receipt.gasNetRaw": "6686396", "executionResult.receipt.epoch": "1000"})
	if list := at(full,
		"executionResult.receipt.accountBalanceChanges").([]any); list[0].(map[string]any)["display"] != "-9.907923896 SUI" {
		t.Errorf("%v", list)
	}
	t.Run("the status of a final review is short, and in full what it was", func(t *testing.T) {
		short, full := w.must("session.get_review_status", args), w.must("session.get_review_status", strings.Replace(args,
			"}", `,"detail":"full"}`, 1))
		same(t, short, map[string]any{"reviewState.simulation": nil, "reviewState.adapterLifecycle.missingStages": []any{}})
		if at(full, "reviewState.simulation") == nil || at(full, "reviewState.walletReviewAdapterContract") == nil {
			t.Error("the evidence is gone")
		}
	})
	t.Run("an order's receipt has its number", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		w.open(sandbox.Manager{Owner: sandbox.Account, Registered: true, Deposits: []sandbox.Deposit{{Coin: sui.SUI,
			Amount: 40_000_000_000}}})
		w.walk(sellOrder("9.5", "10"))
		id := each(t, w.must("read.list_review_activity", `{}`), "activities")[0]["reviewSessionId"].(string)
		data := w.must("session.wait_execution_result", `{"reviewSessionId":"`+id+`"}`)
		orders := each(t, w.must("read.list_deepbook_open_orders", `{}`), "orders")
		same(t, data, map[string]any{"executionResult.receipt.orderNumber": orders[0]["orderId"]})
	})
}

func TestPendingHasLinks(t *testing.T) {
	w := build(t, nil)
	w.reviewing(w.Ready(tenSUI))
	item := each(t, w.must("session.get_interaction_status", `{}`)["pendingReviewSessions"].(map[string]any), "items")[0]
	if url, _ := item["reviewUrl"].(string); !strings.Contains(url, w.values["reviewSessionId"]) || item["asked"] == "" {
		t.Errorf("%v", item)
	}
	t.Run("a call whose answer nobody gets leaves no link", func(t *testing.T) {
		before := w.links()
		w.unsent("session.get_interaction_status", `{}`)
		if after := w.links(); after != before {
			t.Errorf("%d links, then %d", before, after)
		}
	})
}

// TestShares checks that a share is an exact part of the balance and leaves enough gas.
func TestShares(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	pay := func(coin, share string) string {
		return `{"intent":{"type":"transfer","from":{"symbol":"` + coin + `","share":"` + share + `"},"recipient":"0x` +
			strings.Repeat("5a", 32) + `"}}`
	}
	held := func(coin sui.CoinType) sui.Raw {
		b, err := w.Node.Balance(t.Context(), sandbox.Account, coin)
		if err != nil {
			t.Fatal(err)
		}
		return b.Coins
	}
	amount := func(data map[string]any) any {
		return data["plans"].([]any)[0].(map[string]any)["assetFlowPreview"].([]any)[0].(map[string]any)["amount"]
	}
	usdc := registryUSDC(t)
	for share, want := range map[string]sui.Raw{"all": held(usdc), "1/2": held(usdc) / 2, "25%": held(usdc) / 4,
		"0.5%": held(usdc) / 200} {
		if got := amount(w.must("action.prepare_sui_action_review", pay("USDC", share))); got != string(want.Decimal(6)) {
			t.Errorf("%s is %v, want %s", share, got, want.Decimal(6))
		}
	}
	data := w.must("action.prepare_sui_action_review", pay("SUI", "all"))
	if got := amount(data); got != string((held(sui.SUI) - 50_000_000).Decimal(9)) {
		t.Errorf("all SUI is %v of %s", got, held(sui.SUI).Decimal(9))
	}
	same(t, data, map[string]any{"preflight.status": "clear"})
	for _, share := range []string{"0/1", "3/2", "0%", "101%", "half", "1/0"} {
		if answer, _ := w.call("action.prepare_sui_action_review", pay("USDC", share)); answer.Fault == nil ||
			answer.Fault.Code != fault.InputInvalid {
			t.Errorf("%s: %s", share, answer.Text)
		}
	}
	both := strings.Replace(pay("USDC", "all"), `"share"`, `"amount":"1","share"`, 1)
	if answer, _ := w.call("action.prepare_sui_action_review", both); answer.Fault == nil {
		t.Error("an amount and a share")
	}
}

func registryUSDC(t *testing.T) sui.CoinType {
	t.Helper()
	return sui.CoinType("0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC")
}

// TestHoldingsSayWhatTheyLeaveOut checks that answers about holdings name what they omit, and give
// values at mid prices.
func TestHoldingsSayWhatTheyLeaveOut(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	data := w.must("read.summarize_wallet_assets", `{}`)
	if list := byKey(each(t, data, "uninspectedAssetClasses"),
		"assetClass"); list["deepbook_balance_manager_or_open_orders"]["inspected"] != false {
		t.Errorf("%v", list)
	}
	mid := w.must("read.get_deepbook_mid_price", `{"poolKey":"SUI_USDC"}`)
	for _, row := range each(t, data, "worthInUsdc") {
		if row["basis"] != "pool_middle_price_not_a_quote" || row["symbol"] == "USDC" {
			t.Errorf("%v", row)
		}
		if row["symbol"] == "SUI" && (row["midPrice"] != at(mid, "price") || row["poolKey"] != "SUI_USDC") {
			t.Errorf("%v, the pool says %v", row, mid)
		}
	}
	if len(each(t, data, "worthInUsdc")) == 0 {
		t.Error("nothing is worth anything")
	}
	t.Run("without prices the balances stay", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "SimulateTransaction"})
		data := w.must("read.summarize_wallet_assets", `{}`)
		if len(each(t, data, "balances")) == 0 || len(each(t, data, "worthInUsdc")) != 0 {
			t.Errorf("%v", data["worthInUsdc"])
		}
	})
}

func TestMissingSlippageIsAsked(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	_, e := w.call("action.prepare_sui_action_review",
		`{"intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"protocol":"deep"}}`)
	if text, _ := e["message"].(string); !strings.Contains(text, "Ask the user") {
		t.Errorf("%v", e)
	}
}

// TestProtocolIsAskedOnlyAmongSeveral checks that a protocol is required only if several can
// execute the intent.
func TestProtocolIsAskedOnlyAmongSeveral(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	swap := func(from, to string) string {
		return `{"intent":{"type":"swap","from":{"symbol":"` + from + `","amount":"10"},"to":{"symbol":"` + to +
			`"},"maxSlippageBps":50}}`
	}
	data := w.must("action.prepare_sui_action_review", swap("DEEP", "SUI"))
	same(t, data, map[string]any{"protocol.slug": "deep"})
	if _, e := w.call("action.prepare_sui_action_review", swap("SUI", "SUI")); at(e,
		"details.reason") == "protocol_choice_required" {
		t.Errorf("%v", e)
	}
}
