package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// unsent calls a tool like a client that cancels before the answer is written.
func (w *world) unsent(name, args string) tool.Answer {
	w.t.Helper()
	l := &line{}
	answer := w.tool(name).Call(tool.NewCall(context.Background(), l, tool.Client{}), json.RawMessage(args))
	for _, undo := range l.undo {
		undo()
	}
	return answer
}

func (w *world) links() int {
	w.t.Helper()
	n, err := w.Store.UnopenedLinks(context.Background(), time.Unix(0, 0), w.Clock.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestAnswersThatDoNotArrive checks that no session or link is left if the client did not get it.
func TestAnswersThatDoNotArrive(t *testing.T) {
	const swap = `{"intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}}`
	w := build(t, nil)
	w.Connect(sandbox.Account)
	made := func(answer tool.Answer, member string) string {
		t.Helper()
		var v struct{ Data map[string]any }
		if err := json.Unmarshal(answer.Text, &v); err != nil || answer.Fault != nil {
			t.Fatal(string(answer.Text), err)
		}
		return v.Data[member].(string)
	}
	t.Run("a review", func(t *testing.T) {
		id := made(w.unsent("action.prepare_sui_action_review", swap), "reviewSessionId")
		if _, err := w.Reviews.Get(t.Context(), record.ID(id)); !fault.Is(err, fault.SessionNotFound) || w.links() != 0 {
			t.Errorf("%v, %d links", err, w.links())
		}
	})
	t.Run("a proposal", func(t *testing.T) {
		all := tools.All(tools.Deps{})
		i := slices.IndexFunc(all, func(d tool.Tool) bool { return d.Name == "action.prepare_external_proposal_review" })
		id := made(w.unsent(all[i].Name, all[i].Examples[0].In), "reviewSessionId")
		if _, err := w.Reviews.Get(t.Context(), record.ID(id)); !fault.Is(err, fault.SessionNotFound) || w.links() != 0 {
			t.Errorf("%v, %d links", err, w.links())
		}
	})
	t.Run("a connect session", func(t *testing.T) {
		id := made(w.unsent("session.create_wallet_identity", `{}`), "walletSessionId")
		if _, err := w.Accounts.Identity(t.Context(), id); !fault.Is(err, fault.SessionNotFound) || w.links() != 0 {
			t.Errorf("%v, %d links", err, w.links())
		}
	})
	t.Run("a settings page", func(t *testing.T) {
		made(w.unsent("settings.create_local_settings_session", `{}`), "settingsSessionId")
		if w.links() != 0 {
			t.Errorf("%d links", w.links())
		}
	})
	t.Run("a session whose link cannot be made", func(t *testing.T) {
		w.pages = false
		defer func() { w.pages = true }()
		if answer := w.unsent("action.prepare_sui_action_review", swap); answer.Fault == nil ||
			answer.Fault.Code != fault.Blocked {
			t.Fatal(string(answer.Text))
		}
		if list, err := w.Store.WaitingReviews(t.Context(), w.Clock.Now(), 10); err != nil || len(list) != 0 {
			t.Errorf("%d reviews are left, %v", len(list), err)
		}
	})
	t.Run("a fresh link to a review that stays", func(t *testing.T) {
		id := w.must("action.prepare_sui_action_review", swap)["reviewSessionId"].(string)
		s, err := w.Reviews.Get(t.Context(), record.ID(id))
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute)
		made(w.unsent("session.get_review_status", `{"reviewSessionId":"`+id+`"}`), "reviewUrl")
		page := 0
		err = w.Store.ChangePage(t.Context(), pagetoken.Review, id, func(p *pagetoken.Page) (string,
			error) {
			page = len(p.Links)
			return "", nil
		})
		if err != nil || page != 1 {
			t.Errorf("%d links to the review, %v", page, err)
		}
		if after, err := w.Reviews.Get(t.Context(), s.ID); err != nil || after.Revision != s.Revision {
			t.Errorf("%+v, %v", after, err)
		}
	})
}
