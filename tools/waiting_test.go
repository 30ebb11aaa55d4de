package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// patient is an account service whose waits end at once: with status or, for the first waits, with
// nothing new.
type patient struct {
	pending int
	waits   []time.Duration
	hang    bool
	fail    error
}

func (p *patient) identity(status account.IdentityStatus) account.Identity {
	return account.Identity{ID: "id", Status: status, WalletName: "A\u202e", WalletID: "B\n", FailureDetail: "C\u200b"}
}

func (p *patient) Create(context.Context) (account.Identity, error) {
	return p.identity(account.Pending), nil
}

func (p *patient) Identity(context.Context, string) (account.Identity, error) {
	return p.identity(account.Pending), nil
}

func (p *patient) Active(context.Context) (account.Active, bool, error) {
	return account.Active{WalletName: "A\u202e"}, true, nil
}

func (p *patient) Clear(context.Context) (account.Active, bool, error) {
	return account.Active{}, false, nil
}

func (p *patient) Wait(ctx context.Context, _ string, most time.Duration) (account.Identity, bool, error) {
	p.waits = append(p.waits, most)
	if p.hang && most > time.Second {
		<-ctx.Done()
		return account.Identity{}, false, fault.Wrap(ctx.Err(), fault.RequestAborted, "Stopped.")
	}
	if p.fail != nil {
		return account.Identity{}, false, p.fail
	}
	if len(p.waits) <= p.pending {
		return p.identity(account.Opened), false, nil
	}
	return p.identity(account.Connected), true, nil
}

// line records what a call reports to its transport.
type line struct {
	done, total     []int64
	parked, resumed int
	ended           chan struct{}
	undo            []func() // what must run if the answer does not arrive
}

func (l *line) Progress(done, total int64, _ string) bool {
	l.done, l.total = append(l.done, done), append(l.total, total)
	return true
}

func (l *line) Park() func() {
	l.parked++
	return func() { l.resumed++ }
}

func (l *line) InputEnded() <-chan struct{} { return l.ended }

func (l *line) Unsent(undo func()) { l.undo = append(l.undo, undo) }

func waiting(t *testing.T, deps tools.Deps, l *line, args string) (tool.Answer, map[string]any) {
	t.Helper()
	all := tools.All(deps)
	i := slices.IndexFunc(all, func(d tool.Tool) bool { return d.Name == "session.wait_wallet_identity" })
	answer := all[i].Call(tool.NewCall(t.Context(), l, tool.Client{}), json.RawMessage(args))
	var v struct{ Data map[string]any }
	if err := json.Unmarshal(answer.Text, &v); err != nil {
		t.Fatal(err)
	}
	return answer, v.Data
}

func TestForeignTextIsShownAsText(t *testing.T) {
	_, data := waiting(t, tools.Deps{Accounts: &patient{}}, &line{}, `{"walletSessionId":"id"}`)
	same(t, data, map[string]any{"walletName": "A⟦U+202E⟧", "walletId": "B⟦U+000A⟧", "failureDetail": "C⟦U+200B⟧"})
	all := tools.All(tools.Deps{Accounts: &patient{}})
	i := slices.IndexFunc(all, func(d tool.Tool) bool { return d.Name == "account.get_active_account" })
	answer := all[i].Call(tool.NewCall(t.Context(), nil, tool.Client{}), nil)
	if !strings.Contains(string(answer.Text), `"walletName":"A⟦U+202E⟧"`) {
		t.Errorf("got %s", answer.Text)
	}
}

func TestWaiting(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		name, args string
		pending    int
		waits      []time.Duration
		done       []int64
		want       map[string]any
	}{
		{"the default is 45 seconds, told every ten", `{"walletSessionId":"id"}`, 9,
			[]time.Duration{10 * s, 10 * s, 10 * s, 10 * s, 5 * s}, []int64{10, 20, 30, 40},
			map[string]any{"outcome": "timed_out", "timeoutMs": 45000.0, "timeoutNote": nil, "status": "opened"}},
		{"R004-430 longer waits are shortened, and it is said", `{"walletSessionId":"id","timeoutMs":600000}`, 9,
			[]time.Duration{10 * s, 10 * s, 10 * s, 10 * s, 5 * s}, []int64{10, 20, 30, 40},
			map[string]any{"outcome": "timed_out", "timeoutMs": 45000.0,
				"timeoutNote": "timeoutMs 600000 was shortened to 45000, the maximum for one call. Call again to continue waiting."}},
		{"shorter waits are kept", `{"walletSessionId":"id","timeoutMs":12500}`, 9,
			[]time.Duration{10 * s, 2500 * time.Millisecond}, []int64{10},
			map[string]any{"outcome": "timed_out", "timeoutMs": 12500.0, "timeoutNote": nil}},
		{"the end comes between", `{"walletSessionId":"id"}`, 2,
			[]time.Duration{10 * s, 10 * s, 10 * s}, []int64{10, 20},
			map[string]any{"outcome": "status_reached", "status": "connected"}},
		{"the end was there before", `{"walletSessionId":"id"}`, 0, []time.Duration{10 * s}, nil,
			map[string]any{"outcome": "status_reached"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, l := &patient{pending: c.pending}, &line{}
			answer, data := waiting(t, tools.Deps{Accounts: p}, l, c.args)
			if answer.Fault != nil {
				t.Fatal(answer.Fault)
			}
			same(t, data, c.want)
			if diff := cmp.Diff(c.waits, p.waits); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.done, l.done); diff != "" {
				t.Error(diff)
			}
			if l.parked != 1 || l.resumed != 1 {
				t.Errorf("parked %d times, resumed %d times", l.parked, l.resumed)
			}
		})
	}
	t.Run("a client that closed its side gets what is known, at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p, l := &patient{hang: true, pending: 9}, &line{ended: make(chan struct{})}
			const after = 3 * time.Second
			time.AfterFunc(after, func() { close(l.ended) })
			start := time.Now()
			answer, data := waiting(t, tools.Deps{Accounts: p}, l, `{"walletSessionId":"id"}`)
			if answer.Fault != nil || time.Since(start) != after {
				t.Fatalf("after %v: %s", time.Since(start), answer.Text)
			}
			same(t, data, map[string]any{"outcome": "timed_out", "status": "opened"})
		})
	})
	t.Run("a failure ends the wait", func(t *testing.T) {
		p := &patient{fail: fault.Wrap(errors.New("x"), fault.SessionNotFound, "There is no such session.")}
		answer, _ := waiting(t, tools.Deps{Accounts: p}, &line{}, `{"walletSessionId":"id"}`)
		if answer.Fault == nil || answer.Fault.Code != fault.SessionNotFound || len(p.waits) != 1 {
			t.Errorf("got %s after %d waits", answer.Text, len(p.waits))
		}
	})
}
