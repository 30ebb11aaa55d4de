package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// The data of earlier versions must stay usable. testdata/earlier contains a store and a backup
// from the build of November 2026, and the answers of its tools. Later builds never regenerate it.
// SAY_UR_INTENT_EARLIER=dir creates another set in dir.
const (
	earlierDir   = "testdata/earlier"
	earlierPayee = "0x7d20dcdb2bca4f508ea9613994683eb4e76e9c4ed371169677c1be02aaf0b58e"
)

var (
	earlierGenesis = []byte("say-ur-intent/earlier")
	earlierTime    = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
)

// earlierAnswers returns the answers to compare, without the parts that may differ.
func earlierAnswers(w *world, ids map[string]string) map[string]any {
	out := map[string]any{}
	for name, id := range ids {
		args := `{"reviewSessionId":"` + id + `"}`
		for _, tool := range []string{"session.get_review_status", "session.get_execution_result",
			"read.get_review_session_detail"} {
			answer := w.must(tool, args)
			if tool != "session.get_execution_result" {
				answer = w.must(tool, strings.Replace(args, "}", `,"detail":"full"}`, 1))
			}
			delete(answer, "reviewUrl") // contains a random code
			out[name+" "+tool] = answer
		}
	}
	out["settings.get_local_settings"] = w.must("settings.get_local_settings", `{}`)
	out["account.get_active_account"] = w.must("account.get_active_account", `{}`)
	out["read.list_review_activity"] = w.must("read.list_review_activity", `{}`)
	for _, answer := range out {
		delete(answer.(map[string]any), "userAnswerUse") // guidance may change
	}
	return out
}

// resumed builds a world over a data directory shortly after it was created.
func resumed(t *testing.T, data string, now func() time.Time) *world {
	return &world{Harness: testkit.Resume(t, now, data, earlierGenesis, nil), t: t, pages: true,
		values: map[string]string{}}
}

// since returns a clock that shows begin now.
func since(begin time.Time) func() time.Time {
	start := time.Now()
	return func() time.Time { return begin.Add(time.Since(start)) }
}

func TestMakeEarlier(t *testing.T) {
	dir := os.Getenv("SAY_UR_INTENT_EARLIER")
	if dir == "" {
		t.Skip("not run: it makes a store for TestEarlierStore, once per format")
	}
	w := resumed(t, dir, since(earlierTime))
	w.serve()
	ctx := context.Background()
	ids := map[string]string{}
	usdc, _ := coins.BySymbol("USDC")
	_, err := w.settings().SetAllowance(ctx, policy.AllowanceText{
		PerTransaction: []policy.LimitText{{Coin: sui.SUI, Most: "500"}}, PerDay: []policy.LimitText{{Coin: usdc.Type,
			Most: "900"}},
		Recipients: []string{earlierPayee},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	swapped := w.Ready(tenSUI)
	w.Send(swapped)
	ids["swapped"] = string(swapped.ID)
	w.Until(swapped.ID, "the swap is on chain", func(s record.Session) bool { return s.Status == record.Success })
	blocked := w.Compute(w.Open(testkit.Swap("20000", "DEEP", "USDC")))
	ids["blocked"] = string(blocked.ID)
	declined, err := w.Reviews.Outcome(ctx, w.Ready(tenSUI).ID, "", record.OutcomeDeclined)
	if err != nil {
		t.Fatal(err)
	}
	ids["declined"] = string(declined.ID)
	// The chain was restarted, so later releases must match the new chain.
	w.OtherChain()
	paid := w.Ready(plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", Amount: "12.5"},
		Recipient: earlierPayee})
	handedOut := w.HandOff(paid)
	ids["handed out"] = string(paid.ID)
	prepared, err := w.Reviews.Prepare(ctx, testkit.Swap("30", "SUI", "USDC"))
	if err != nil {
		t.Fatal(err)
	}
	ids["prepared"] = string(prepared.ID)
	signed := w.Ready(testkit.Swap("40", "SUI", "USDC"))
	o := w.HandOff(signed)
	raw, signature := w.Sign(o)
	w.Inject(sandbox.Fault{Kind: sandbox.Fail})
	if _, err := w.Reviews.Signed(ctx, signed.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	ids["signed"] = string(signed.ID)
	w.Until(signed.ID, "sending it had no answer", func(s record.Session) bool { return s.Execution.Note != "" })
	w.Stop()
	file, err := w.backup().Export(ctx)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(map[string]any{"ids": ids,
		"handoff": map[string]string{"TransactionJSON": handedOut.TransactionJSON, "Nonce": handedOut.Nonce},
		"answers": earlierAnswers(w, ids)}, "", " ")
	if err == nil {
		err = w.Store.Close()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "answers.json"), text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "backup.json.gz"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestEarlierStore opens the store of the earlier build. The answers must be the same, and open
// work must complete.
func TestEarlierStore(t *testing.T) {
	long.Skip(t, "it works through a whole store")
	data := t.TempDir()
	err := os.CopyFS(data, os.DirFS(earlierDir))
	for _, path := range []string{"sandbox", "sandbox/log.json", "sandbox/say-ur-intent.db", "sandbox/use.lock"} {
		mode := os.FileMode(0o600) // checkouts do not preserve the mode
		if path == "sandbox" {
			mode = 0o700
		}
		if err == nil {
			err = os.Chmod(filepath.Join(data, path), mode)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	kept := struct {
		IDs     map[string]string
		Answers map[string]any
		Handoff struct{ TransactionJSON, Nonce string }
	}{}
	read(t, filepath.Join(data, "answers.json"), &kept)
	w := resumed(t, data, since(earlierTime.Add(20*time.Second)))
	w.Stop() // before it looks at what was signed
	w.serve()
	for name, want := range kept.Answers {
		t.Run(name+" answers the same", func(t *testing.T) {
			text, err := json.Marshal(earlierAnswers(w, kept.IDs)[name])
			var got any
			if err == nil {
				err = json.Unmarshal(text, &got)
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, "", want, got)
		})
	}
	t.Run("what was signed is sent and settles", func(t *testing.T) {
		w.Restart()
		s := w.Until(record.ID(kept.IDs["signed"]), "it settled",
			func(s record.Session) bool { return s.Status == record.Success })
		if len(s.Releases) != 1 || s.Execution.TxDigest == "" {
			t.Errorf("%+v", s)
		}
	})
	t.Run("what was handed out takes a late signature and settles", func(t *testing.T) {
		raw, signature := w.Sign(handoff.Handoff{TransactionJSON: kept.Handoff.TransactionJSON})
		id := record.ID(kept.IDs["handed out"])
		if _, err := w.Reviews.Signed(t.Context(), id, kept.Handoff.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		w.Until(id, "it settled", func(s record.Session) bool { return s.Status == record.Success })
	})
	t.Run("what was prepared is computed and signed", func(t *testing.T) {
		s, err := w.Reviews.Opened(t.Context(), record.ID(kept.IDs["prepared"]))
		if err != nil {
			t.Fatal(err)
		}
		if s = w.Settle(w.Compute(s)); s.Status != record.Success {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
}

// TestEarlierBackup restores the backup of the earlier build into a new store.
func TestEarlierBackup(t *testing.T) {
	w := resumed(t, t.TempDir(), since(earlierTime.Add(time.Hour)))
	w.serve()
	packed, err := os.ReadFile(earlierDir + "/backup.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	service := w.backup()
	p, err := service.Stage(t.Context(), "page", bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.Import(t.Context(), "page", backup.Choice{ID: p.ID, Limits: true, Accounts: true}); err != nil {
		t.Fatal(err)
	}
	kept := struct {
		IDs     map[string]string
		Answers map[string]any
	}{}
	read(t, earlierDir+"/answers.json", &kept)
	answers := earlierAnswers(w, nil)
	t.Run("the limits", func(t *testing.T) {
		got := answers["settings.get_local_settings"].(map[string]any)
		holds(t, "", kept.Answers["settings.get_local_settings"].(map[string]any)["spendingLimits"], got["spendingLimits"])
	})
	t.Run("the account, which is claimed", func(t *testing.T) {
		if text, err := json.Marshal(answers["account.get_active_account"]); err != nil || !strings.Contains(string(text),
			sandbox.Account.String()) {
			t.Errorf("%s, %v", text, err)
		}
	})
	t.Run("no review", func(t *testing.T) {
		if said := strings.Join(p.Notes, " "); !strings.Contains(said, "also contains 6 reviews. Reviews are not imported") {
			t.Errorf("it says %q", said)
		}
		if _, err := w.Store.Review(t.Context(), record.ID(kept.IDs["swapped"])); err == nil {
			t.Error("a review came in")
		}
	})
}

// read decodes a JSON file.
func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// holds returns the paths at which got lacks a part of want. A later build may return more.
func holds(t *testing.T, path string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		in, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, was an object", path, got)
			return
		}
		for name, v := range want {
			holds(t, path+"/"+name, v, in[name])
		}
	case []any:
		in, ok := got.([]any)
		if !ok || len(in) != len(want) {
			t.Errorf("%s: %v, was %v", path, got, want)
			return
		}
		for i, v := range want {
			holds(t, path+"/"+strconv.Itoa(i), v, in[i])
		}
	default:
		if got != want {
			t.Errorf("%s: %v, was %v", path, got, want)
		}
	}
}
