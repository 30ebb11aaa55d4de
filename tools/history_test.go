package tools_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

var lookingBack = []string{"read.list_review_activity", "read.summarize_review_funnel"}

func TestReviewHistory(t *testing.T) {
	w := build(t, nil)
	situations["the user signed, and the swap is on chain"](w)
	swapped := w.values["reviewSessionId"]
	blocked := w.Compute(w.Open(testkit.Swap("20000", "DEEP", "USDC")))
	list := w.must("read.list_review_activity", `{}`)
	t.Run("R004-25 R004-197 the stored reviews of one account, latest first", func(t *testing.T) {
		items := each(t, list, "activities")
		if len(items) != 2 || items[0]["reviewSessionId"] != string(blocked.ID) || items[1]["reviewSessionId"] != swapped {
			t.Fatalf("got %v", items)
		}
		same(t, items[1], map[string]any{"currentStatus": "success", "statusCategory": "final", "executionStatus": "success",
			"actionKind": "swap", "protocol": "deep", "intent.from.amount": "10"})
		same(t, items[0], map[string]any{"currentStatus": "blocked", "txDigest": nil, "executionStatus": nil})
		if digest, _ := items[1]["txDigest"].(string); len(digest) < 40 {
			t.Errorf("digest %q", digest)
		}
	})
	t.Run("R004-197 with the node gone every answer is the same", func(t *testing.T) {
		w.Inject(sandbox.Fault{Kind: sandbox.Fail})
		defer w.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		if diff := cmp.Diff(list, w.must("read.list_review_activity", `{}`)); diff != "" {
			t.Error(diff)
		}
		w.must("read.summarize_review_funnel", `{}`)
		w.must("read.get_review_session_detail", `{"reviewSessionId":"`+swapped+`"}`)
	})
	for _, name := range lookingBack {
		data := w.must(name, `{}`)
		t.Run("R004-198 no history of a wallet: "+name, func(t *testing.T) {
			refuses(t, data, "complete_wallet_history", "gas_history", "profit_and_loss", "external_wallet_activity")
		})
		t.Run("R004-200 R004-201 scope, source and the warning: "+name, func(t *testing.T) {
			same(t, data, map[string]any{"dataScope.kind": "local_review_records", "dataScope.account": sandbox.Account.String(),
				"dataScope.recordCount": 2.0, "accountSource": "active_account", "lowSampleWarning": true,
				"lowSampleThreshold": 5.0})
		})
		t.Run("R004-202 few records make no pattern: "+name, func(t *testing.T) { refuses(t, data, "behavior_pattern") })
		t.Run("R004-199 R004-205 another account is looked at, and the active one stays: "+name, func(t *testing.T) {
			other := sui.MustAddress("0xa11ce").String()
			data := w.must(name, `{"account":"`+other+`"}`)
			same(t, data, map[string]any{"dataScope.account": other, "dataScope.recordCount": 0.0,
				"accountSource": "explicit_public_address"})
			same(t, w.must("account.get_active_account", `{}`), map[string]any{"account": sandbox.Account.String()})
			refuses(t, data, "proof_of_account_ownership")
		})
	}
	t.Run("R004-26 R004-211 the funnel counts reviews, not steps", func(t *testing.T) {
		w.Compute(blocked)
		same(t, w.must("read.summarize_review_funnel", `{}`), map[string]any{
			"summary.total": 2.0, "summary.opened": 2.0, "summary.walletConnected": 2.0, "summary.stateComputed": 2.0,
			"summary.everReady": 1.0, "summary.everBlocked": 1.0, "summary.signed": 1.0, "summary.success": 1.0,
			"summary.failure":                 0.0,
			"summary.createdToSigned.reviews": 1.0, "summary.expiredBeforeResult": 0.0,
			"summary.currentStatusCounts": []any{
				map[string]any{"status": "blocked", "count": 1.0}, map[string]any{"status": "success", "count": 1.0},
			},
		})
	})
	t.Run("by status and time", func(t *testing.T) {
		only := w.must("read.list_review_activity", `{"status":"success"}`)
		same(t, only, map[string]any{"dataScope.recordCount": 1.0, "dataScope.status": "success"})
		after := time.Now().UTC().Add(time.Hour).Format(time.RFC3339)
		same(t, w.must("read.list_review_activity", `{"from":"`+after+`"}`), map[string]any{"dataScope.recordCount": 0.0})
		_, refusal := w.call("read.list_review_activity", `{"from":"yesterday, at about noon"}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "from"})
	})
}

func TestManyReviews(t *testing.T) {
	w := build(t, nil)
	situations["six reviews were prepared"](w)
	data := w.must("read.list_review_activity", `{"limit":4}`)
	t.Run("R004-203 R004-204 the count is of all, the list is cut and says so", func(t *testing.T) {
		same(t, data, map[string]any{"dataScope.recordCount": 6.0, "truncated.activities": true, "lowSampleWarning": false})
		if n := len(each(t, data, "activities")); n != 4 {
			t.Errorf("%d listed", n)
		}
		same(t, w.must("read.list_review_activity", `{}`), map[string]any{"truncated.activities": false})
	})
	t.Run("R004-201 from five records on nothing is warned of", func(t *testing.T) {
		if slices.Contains(claims(data, "cannotAnswer"), "behavior_pattern") {
			t.Error("the pattern is still refused")
		}
	})
	t.Run("what ran out counts as expired, though nobody looked", func(t *testing.T) {
		w.Clock.Advance(2 * time.Hour)
		same(t, w.must("read.summarize_review_funnel", `{}`), map[string]any{"summary.expiredBeforeResult": 6.0,
			"summary.opened": 0.0})
	})
	status := w.must("session.get_interaction_status", `{}`)
	t.Run("R004-436 what is over waits for nobody", func(t *testing.T) {
		same(t, status, map[string]any{"pendingReviewSessions.items": []any{}})
	})
}

func TestFewReviews(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	for n := range 7 {
		for _, name := range lookingBack {
			t.Run(fmt.Sprintf("R004-201 fewer than five records are warned of: %s with %d", name, n), func(t *testing.T) {
				data := w.must(name, `{}`)
				same(t, data, map[string]any{"dataScope.recordCount": float64(n), "lowSampleWarning": n < 5,
					"lowSampleThreshold": 5.0})
				if refused := slices.Contains(claims(data, "cannotAnswer"), "behavior_pattern"); refused != (n < 5) {
					t.Errorf("a pattern is refused: %v", refused)
				}
			})
		}
		if _, err := w.Reviews.Prepare(t.Context(), tenSUI); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReviewDetail(t *testing.T) {
	w := build(t, nil)
	s := w.Ready(tenSUI)
	args := `{"reviewSessionId":"` + string(s.ID) + `"}`
	data := w.must("read.get_review_session_detail", args)
	t.Run("R004-27 what is stored of one review", func(t *testing.T) {
		same(t, data, map[string]any{"session.currentStatus": "ready_for_wallet_review", "intent.from.symbol": "SUI",
			"session.releaseCount": 0.0, "reviewState.status": "ready_for_wallet_review",
			"dataScope.kind": "local_review_records",
			"accountSource":  "active_account", "lowSampleThreshold": 5.0})
	})
	t.Run("R004-209 R004-210 without an execution there is no such answer", func(t *testing.T) {
		refuses(t, data, "stored_review_execution_result_without_execution_field")
		if slices.Contains(claims(data, "answerFields"), "execution") || data["execution"] != nil {
			t.Error("execution is offered")
		}
	})
	t.Run("R004-207 R004-208 a computation that found the same is a recorded step without a move", func(t *testing.T) {
		w.Compute(s)
		var seen []string
		for _, e := range each(t, w.must("read.get_review_session_detail", args), "transitions") {
			seen = append(seen, fmt.Sprint(e["what"], " ", e["toStatus"], " ", e["isNoOp"]))
		}
		want := []string{"prepared proposed false", "opened wallet_connected false", "computed ready_for_wallet_review false",
			"computed ready_for_wallet_review true"}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Error(diff)
		}
	})
	situations["the user signed, and the swap is on chain"](w)
	data = w.must("read.get_review_session_detail", `{"reviewSessionId":"`+w.values["reviewSessionId"]+`"}`)
	t.Run("R004-209 with an execution it is what to answer with", func(t *testing.T) {
		if !slices.Contains(claims(data, "answerFields"), "execution") ||
			slices.Contains(claims(data, "cannotAnswer"), "stored_review_execution_result_without_execution_field") {
			t.Errorf("%v", claims(data, "answerFields"))
		}
		same(t, data, map[string]any{"execution.status": "success", "execution.receipt.success": true})
	})
	t.Run("R004-199 a review of another account is not shown", func(t *testing.T) {
		_, refusal := w.call("read.get_review_session_detail",
			`{"reviewSessionId":"`+string(s.ID)+`","account":"`+sui.MustAddress("0xa11ce").String()+`"}`)
		same(t, refusal, map[string]any{"kind": "session_not_found"})
	})
}

func TestRefusalsAreTextAlone(t *testing.T) {
	w := build(t, nil)
	server := tool.NewServer(tool.Identity{Name: "n", Version: "v"})
	tool.Register(server, w.tools, slog.New(slog.DiscardHandler))
	answer, err := json.Marshal(server.HandleMessage(t.Context(), json.RawMessage(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read.list_review_activity","arguments":{}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-206 a refusal has no structured content; its payload is the text", func(t *testing.T) {
		var v struct {
			Result struct {
				IsError           bool
				StructuredContent json.RawMessage
				Content           []struct{ Text string }
			}
		}
		if err := json.Unmarshal(answer, &v); err != nil || !v.Result.IsError || v.Result.StructuredContent != nil ||
			len(v.Result.Content) != 1 {
			t.Fatalf("%s, %v", answer, err)
		}
		var payload struct{ Error struct{ Kind string } }
		if err := json.Unmarshal([]byte(v.Result.Content[0].Text), &payload); err != nil ||
			payload.Error.Kind != "active_account_not_set" {
			t.Errorf("%s", v.Result.Content[0].Text)
		}
	})
}

func TestInteractionStatus(t *testing.T) {
	w := build(t, nil)
	ask := func() map[string]any { return w.must("session.get_interaction_status", `{}`) }
	t.Run("R004-423 without an account and without sessions", func(t *testing.T) {
		same(t, ask(), map[string]any{"activeAccount.status": "none", "pendingWalletIdentitySessions.items": []any{},
			"pendingReviewSessions.items": []any{}})
	})
	for range 6 {
		w.identity()
		w.Clock.Advance(time.Second)
	}
	w.identity(connecting, connected)
	ready := w.Ready(tenSUI)
	w.Clock.Advance(time.Second)
	blocked := w.Compute(w.Open(testkit.Swap("20000", "DEEP", "USDC")))
	data := ask()
	t.Run("R004-423 R004-435 the account, and what is not over", func(t *testing.T) {
		same(t, data, map[string]any{"activeAccount.status": "set", "activeAccount.account": sandbox.Account.String()})
		items := each(t, data, "pendingReviewSessions.items")
		if len(items) != 2 || items[0]["reviewSessionId"] != string(blocked.ID) ||
			items[1]["reviewSessionId"] != string(ready.ID) {
			t.Errorf("got %v", items)
		}
	})
	t.Run("R004-423 each wallet session and each review by itself", func(t *testing.T) {
		w := build(t, nil)
		ids := func(data map[string]any, list, id string) (all []string) {
			for _, item := range each(t, data, list+".items") {
				all = append(all, item[id].(string))
			}
			return all
		}
		first := w.must("session.create_wallet_identity", `{}`)["walletSessionId"].(string)
		w.Clock.Advance(time.Second)
		second := w.must("session.create_wallet_identity", `{}`)["walletSessionId"].(string)
		data := w.must("session.get_interaction_status", `{}`)
		if got := ids(data, "pendingWalletIdentitySessions", "walletSessionId"); !slices.Equal(got, []string{second, first}) {
			t.Errorf("%v wait, %s and %s were made", got, second, first)
		}
		same(t, each(t, data, "pendingWalletIdentitySessions.items")[0], map[string]any{"status": "pending"})
		same(t, data, map[string]any{"activeAccount.status": "none", "pendingReviewSessions.items": []any{}})
		w.Connect(sandbox.Account)
		s, err := w.Reviews.Prepare(t.Context(), tenSUI)
		if err != nil {
			t.Fatal(err)
		}
		data = w.must("session.get_interaction_status", `{}`)
		if got := ids(data, "pendingReviewSessions", "reviewSessionId"); !slices.Equal(got, []string{string(s.ID)}) {
			t.Errorf("%v wait, %s was made", got, s.ID)
		}
		same(t, data, map[string]any{"activeAccount.status": "set", "activeAccount.account": sandbox.Account.String()})
	})
	t.Run("R004-434 the latest five of each, and whether there are more", func(t *testing.T) {
		same(t, data, map[string]any{"pendingWalletIdentitySessions.limit": 5.0,
			"pendingWalletIdentitySessions.truncated": true,
			"pendingReviewSessions.limit":             5.0, "pendingReviewSessions.truncated": false})
		items := each(t, data, "pendingWalletIdentitySessions.items")
		if len(items) != 5 || !slices.IsSortedFunc(items, func(a, b map[string]any) int {
			return -cmpText(a["lastActivityAt"], b["lastActivityAt"])
		}) {
			t.Errorf("got %v", items)
		}
	})
	t.Run("R004-436 categories of what waits", func(t *testing.T) {
		items := each(t, data, "pendingReviewSessions.items")
		same(t, items[0], map[string]any{"statusCategory": "user_action_required", "internalStatus": "blocked"})
		same(t, items[1], map[string]any{"statusCategory": "non_terminal", "pollingStatus": "awaiting_signature"})
	})
	t.Run("a build that waited too long is told as taken back", func(t *testing.T) {
		w.Clock.Advance(2 * time.Minute)
		items := byKey(each(t, ask(), "pendingReviewSessions.items"), "reviewSessionId")
		same(t, items[string(ready.ID)], map[string]any{"internalStatus": "refresh_required", "reason": "quote_stale"})
	})
	t.Run("R004-436 signed waits for the chain", func(t *testing.T) {
		situations["the user signed, and the node has not reported the result"](w)
		items := byKey(each(t, ask(), "pendingReviewSessions.items"), "reviewSessionId")
		same(t, items[w.values["reviewSessionId"]], map[string]any{"statusCategory": "awaiting_chain_result"})
	})
}

// cmpText compares two times as the answers write them.
func cmpText(a, b any) int {
	x, _ := time.Parse(time.RFC3339Nano, a.(string))
	y, _ := time.Parse(time.RFC3339Nano, b.(string))
	return x.Compare(y)
}

// BenchmarkInteractionStatus measures a complete call with 5,000 waiting stored reviews and as many
// wallet identities.
func BenchmarkInteractionStatus(b *testing.B) {
	h := testkit.Start(b, time.Now, nil)
	now := h.Clock.Now().UTC()
	for n := range 5000 {
		err := h.Store.CreateReview(b.Context(), record.Session{
			ID: record.ID(fmt.Sprint("review", n)), Network: testkit.Network, Account: sandbox.Account, Protocol: "deep",
			Action: "swap",
			Status: record.Blocked, Revision: 1, CreatedAt: now, UpdatedAt: now.Add(time.Duration(n)),
			ExpiresAt: now.Add(time.Hour),
		})
		if err == nil {
			err = h.Store.CreateIdentity(b.Context(), account.Identity{ID: fmt.Sprint("identity", n), Status: account.Pending,
				CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour)})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, d := range tools.All(tools.Deps{Accounts: h.Accounts, Reviews: h.Reviews, History: h.Store}) {
		if d.Name != "session.get_interaction_status" {
			continue
		}
		for b.Loop() {
			if answer := d.Call(tool.NewCall(b.Context(), nil, tool.Client{}), nil); answer.Fault != nil {
				b.Fatal(answer.Fault)
			}
		}
	}
}
