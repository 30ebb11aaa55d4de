package tools_test

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// provenIdentity connects the sandbox's account through a link and proves it with
// a signature of its wallet.
func (w *world) provenIdentity() {
	w.t.Helper()
	w.identity(connecting, connected)
	ctx, id := context.Background(), w.values["walletSessionId"]
	c, err := w.Accounts.Challenge(ctx, id)
	if err == nil {
		var signature []byte
		if signature, err = w.Sandbox.SignPersonalMessage([]byte(c.Message)); err == nil {
			_, err = w.Accounts.Prove(ctx, id, c.Message, base64.StdEncoding.EncodeToString(signature))
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// openedTwice connects through a link whose code was used a second time.
func (w *world) openedTwice() {
	w.t.Helper()
	w.identity(connecting, connected)
	ctx, id := context.Background(), w.values["walletSessionId"]
	code, err := w.Passes.Link(ctx, pagetoken.Connect, id, 0)
	if err == nil {
		_, err = w.Passes.Exchange(ctx, pagetoken.Connect, id, code.Reveal(), "")
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.Passes.Exchange(ctx, pagetoken.Connect, id, code.Reveal(), ""); err == nil {
		w.t.Fatal("the code works twice")
	}
}

func TestClearActiveAccount(t *testing.T) {
	const name = "account.clear_active_account"
	w := build(t, nil)
	t.Run("R004-457 clearing nothing is fine and is said", func(t *testing.T) {
		same(t, w.must(name, `{}`), map[string]any{"status": "cleared", "wasSet": false, "clearedAccount": nil,
			"boundReviews": nil})
	})
	w.Connect(sandbox.Account)
	t.Run("R004-457 the active account is cleared and named", func(t *testing.T) {
		same(t, w.must(name, `{}`), map[string]any{"status": "cleared", "wasSet": true,
			"clearedAccount": sandbox.Account.String(),
			"walletName":     testkit.WalletName, "boundReviews": 0.0})
		same(t, w.must("account.get_active_account", `{}`), map[string]any{"status": "none", "account": nil,
			"ownership": nil})
		if known, err := w.Accounts.Known(context.Background()); err != nil || len(known) != 1 {
			t.Errorf("remembered %+v, %v", known, err)
		}
	})
	t.Run("R004-457 unfinished reviews stay bound, and are counted", func(t *testing.T) {
		ready := w.Ready(tenSUI)
		if _, err := w.Reviews.Outcome(context.Background(), w.Ready(tenSUI).ID, "", record.OutcomeDeclined); err != nil {
			t.Fatal(err) // declining ends a second review
		}
		data := w.must(name, `{}`)
		same(t, data, map[string]any{"wasSet": true, "boundReviews": 1.0,
			"userAnswerUse.followUp.tool": "session.get_interaction_status"})
		s, err := w.Reviews.Get(context.Background(), ready.ID)
		if err != nil || s.Account != sandbox.Account {
			t.Errorf("the review has account %s, %v", s.Account, err)
		}
		if _, err := w.Reviews.Handoff(context.Background(), s.ID, s.Revision, s.Commitment); err == nil {
			t.Error("a review without its account in use was handed out")
		}
		w.Connect(sui.MustAddress("0xa11ce"))
		same(t, w.must(name, `{}`), map[string]any{"boundReviews": 0.0}) // the other account has none
	})
	t.Run("R004-457 it is no reading, may be repeated, and takes no argument", func(t *testing.T) {
		if d := w.tool(name); d.Effect != tool.ClearsLocal {
			t.Errorf("effect %s", d.Effect)
		}
		if answer, _ := w.call(name, `{"account":"0x2"}`); answer.Fault == nil || answer.Fault.Code != fault.InputInvalid {
			t.Errorf("got %s", answer.Text)
		}
	})
}

// blindPast fails to count reviews.
type blindPast struct{ *world }

func (blindPast) ReviewActivity(context.Context, history.Scope, int) ([]history.Activity, int, error) {
	return nil, 0, nil
}
func (blindPast) ReviewDetail(context.Context, record.ID, int) (history.Detail, error) {
	return history.Detail{}, nil
}
func (blindPast) Pending(context.Context, int) (history.Pending, error) {
	return history.Pending{}, nil
}
func (blindPast) ReviewFunnel(context.Context, history.Scope) (history.Funnel, error) {
	return history.Funnel{}, fault.New(fault.InternalError, "The disk is gone.")
}

func TestClearIsAllOrNothing(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	w.tools = tools.All(tools.Deps{Accounts: w.Accounts, History: blindPast{w}})
	if answer, _ := w.call("account.clear_active_account", `{}`); answer.Fault == nil {
		t.Fatalf("got %s", answer.Text)
	}
	if _, ok, err := w.Accounts.Active(context.Background()); err != nil || !ok {
		t.Errorf("the account was cleared all the same: %v, %v", ok, err)
	}
}

// TestOwnershipIsSaid checks that every answer with the active account states whether ownership is
// claimed or proven.
func TestOwnershipIsSaid(t *testing.T) {
	w := build(t, nil)
	w.identity(connecting, connected)
	session := `{"walletSessionId":"` + w.values["walletSessionId"] + `"}`
	places := []struct{ name, args, path string }{
		{"account.get_active_account", `{}`, "ownership"},
		{"session.get_wallet_identity", session, "ownership"},
		{"session.wait_wallet_identity", session, "ownership"},
		{"session.get_interaction_status", `{}`, "activeAccount.ownership"},
		{"read.summarize_wallet_assets", `{}`, "accountScope.ownership"},
		{"read.classify_wallet_assets", `{}`, "accountScope.ownership"},
		{"read.summarize_deepbook_account_inventory", `{}`, "accountScope.ownership"},
		{"read.list_review_activity", `{}`, "accountOwnership"},
		{"read.summarize_review_funnel", `{}`, "accountOwnership"},
	}
	for _, p := range places {
		t.Run("R004-421 claimed "+p.name, func(t *testing.T) {
			same(t, w.must(p.name, p.args), map[string]any{p.path: "claimed_by_wallet_not_proven"})
		})
	}
	data := w.must("account.get_active_account", `{}`)
	same(t, data, map[string]any{"ownershipProven": false, "provenAt": nil})
	refuses(t, data, "login", "proof_of_account_ownership")

	at := w.Clock.Now()
	w.provenIdentity()
	session = `{"walletSessionId":"` + w.values["walletSessionId"] + `"}`
	for i, p := range places {
		if i == 1 || i == 2 {
			p.args = session
		}
		t.Run("R004-421 proven "+p.name, func(t *testing.T) {
			same(t, w.must(p.name, p.args), map[string]any{p.path: "proven_by_wallet_signature"})
		})
	}
	for _, p := range []struct{ name, args string }{{"account.get_active_account", `{}`}, {"session.get_wallet_identity",
		session}} {
		data = w.must(p.name, p.args)
		same(t, data, map[string]any{"ownershipProven": true})
		when, err := time.Parse(time.RFC3339, data["provenAt"].(string))
		if err != nil || when.Before(at.Add(-time.Second)) || when.After(at.Add(time.Minute)) {
			t.Errorf("%s: proven at %v, %v", p.name, data["provenAt"], err)
		}
		refuses(t, data, "login", "wallet_authorization", "signing_readiness")
		if slices.Contains(claims(data, "cannotAnswer"), "proof_of_account_ownership") {
			t.Errorf("%s refuses what was shown", p.name)
		}
	}
	t.Run("an address that was only named has no label", func(t *testing.T) {
		args := `{"account":"` + sandbox.Account.String() + `"}`
		same(t, w.must("read.summarize_wallet_assets", args), map[string]any{"accountScope.ownership": nil})
		same(t, w.must("read.list_review_activity", args), map[string]any{"accountOwnership": nil})
	})
}

func TestIdentityTellsMore(t *testing.T) {
	w := build(t, nil)
	both := []string{"session.get_wallet_identity", "session.wait_wallet_identity"}
	t.Run("R004-421 which account was replaced", func(t *testing.T) {
		w.Connect(sui.MustAddress("0xa11ce"))
		w.identity(connecting, connected)
		for _, name := range both {
			same(t, w.must(name, `{"walletSessionId":"`+w.values["walletSessionId"]+`"}`),
				map[string]any{"replacedAccount": sui.MustAddress("0xa11ce").String(), "account": sandbox.Account.String()})
		}
		w.identity(connecting, connected)
		same(t, w.must(both[0], `{"walletSessionId":"`+w.values["walletSessionId"]+`"}`),
			map[string]any{"replacedAccount": nil})
	})
	t.Run("R004-427 that a link was opened twice, and not to trust it", func(t *testing.T) {
		w.openedTwice()
		for _, name := range both {
			data := w.must(name, `{"walletSessionId":"`+w.values["walletSessionId"]+`"}`)
			same(t, data, map[string]any{"openedTwice": true, "userAnswerUse.followUp.tool": "account.clear_active_account"})
			refuses(t, data, "connected_account_read_context", "login")
			if rule, _ := data["openedTwiceRule"].(string); !strings.Contains(rule, "do not rely on") {
				t.Errorf("%s: the rule is %q", name, rule)
			}
			if !slices.Contains(claims(data, "conclusionRuleFields"), "openedTwiceRule") {
				t.Errorf("%s does not name the rule", name)
			}
		}
	})
	t.Run("a link that was opened once says nothing of it", func(t *testing.T) {
		w.identity(connecting, connected)
		same(t, w.must(both[0], `{"walletSessionId":"`+w.values["walletSessionId"]+`"}`), map[string]any{"openedTwice": nil,
			"openedTwiceRule": nil})
	})
	t.Run("R004-422 a remembered account ends a wait as a wallet does", func(t *testing.T) {
		w.identity()
		id := w.values["walletSessionId"]
		time.AfterFunc(30*time.Millisecond, func() {
			if err := w.Accounts.Opened(context.Background(), id); err != nil {
				t.Error(err)
			}
			if _, err := w.Accounts.UseIn(context.Background(), id, sandbox.Account); err != nil {
				t.Error(err)
			}
		})
		same(t, w.must(both[1], `{"walletSessionId":"`+id+`"}`), map[string]any{"outcome": "status_reached",
			"status":  "connected",
			"account": sandbox.Account.String()})
	})
	t.Run("R004-421 every reason of a failure", func(t *testing.T) {
		for _, reason := range []string{account.NoCompatibleWallet, account.NoAccountsAuthorized, account.UnsupportedChain,
			account.WalletProviderError} {
			w.identity(connecting, account.Report{Status: account.Failed, FailureReason: reason})
			same(t, w.must(both[1], `{"walletSessionId":"`+w.values["walletSessionId"]+`"}`),
				map[string]any{"status": "failed", "failureReason": reason, "outcome": "status_reached", "ownership": nil})
		}
	})
}
