package plans_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/store"
)

const (
	alice = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	bob   = "0x5afe0000000000000000000000000000000000000000000000000000000000bb"
)

// world is a complete back end with plans. The test plays the client, the user and the runner.
type world struct {
	*testkit.Harness
	t       testing.TB
	bundles *request.Service
	plans   *plans.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Harness: testkit.Start(t, time.Now, nil), t: t}
	w.Connect(sandbox.Account)
	w.bundles, w.plans = w.process(w.Store, w.Reviews, w.Hub)
	return w
}

// process is bundles and plans as one process has them.
func (w *world) process(db *store.DB, reviews *review.Service, hub *events.Hub) (*request.Service, *plans.Service) {
	bundles := request.New(request.Config{Store: db, Make: reviews, Active: w.active, Hub: hub, Now: w.Clock.Now,
		Rand: rand.Reader})
	plans := plans.New(plans.Config{Store: db, Requests: bundles, Make: reviews,
		Book: book.NewService(db, w.Clock.Now), Now: w.Clock.Now})
	w.t.Cleanup(plans.Close)
	return bundles, plans
}

// second is another process over the same data.
func (w *world) second() (*plans.Service, *store.DB) {
	w.t.Helper()
	hub := &events.Hub{}
	db, err := store.Open(context.Background(), store.Config{Dir: filepath.Join(w.Data, "sandbox"), Now: w.Clock.Now,
		Hub: hub})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = db.Close() })
	_, plans := w.process(db, w.Twin(), hub)
	return plans, db
}

func (w *world) active(ctx context.Context) (record.Account, bool, error) {
	a, ok, err := w.Accounts.Active(ctx)
	return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID}, ok, err
}

func pay(amount, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount}, Recipient: to}
}

// group returns a group of intents, as steps a, b, c and so on.
func group(id string, after []string, list ...plan.Intent) plans.Group {
	g := plans.Group{ID: id, Title: "Group " + id, DependsOn: after}
	for i, in := range list {
		g.Steps = append(g.Steps, request.Wanted{ID: string(rune('a' + i)), Sequence: int64(i), Chain: "Sui", Intent: in,
			Wait: true, Timeout: request.DefaultReceipt})
	}
	return g
}

// update is the event that answers a call.
type update struct {
	Type   string `json:"type"`
	Tool   string `json:"tool_name"`
	Call   string `json:"call_id"`
	Result struct {
		OK    bool            `json:"ok"`
		Value json.RawMessage `json:"value"`
	} `json:"result"`
	Notify bool `json:"llm_notify"`
}

// value has the fields of both tools' results that the tests read.
type value struct {
	Plan    plans.ID `json:"plan_id"`
	Order   []string `json:"order"`
	Status  string   `json:"status"`
	Console string   `json:"console_tool"`
	Code    string   `json:"code"`
	Groups  []struct {
		ID     string
		State  plans.State
		Bundle request.ID `json:"bundle_id"`
		Review record.ID  `json:"reviewSessionId"`
		Task   string     `json:"task_id"`

		Blockers []plans.Blocker
	}
	Unsupported []plans.Defect `json:"unsupported_steps"`
	Missing     []plans.Defect `json:"missing_facts"`
	Defects     []plans.Defect
	LeftOut     int `json:"left_out"`
	Held        *struct{ Reason string }
	Done, Ready []string
	Blocked     []string
	Waiting     []string
	Ended       []struct {
		ID    string
		State plans.State
		Why   string
		Again bool `json:"asked_again"`
	}
}

// answer waits for the event that answers a call, and returns it with its value. There is
// exactly one.
func (w *world) answer(c plans.Call) (u update, v value) {
	w.t.Helper()
	f := bus.Filter{Session: c.Session, Sees: bus.Agent, Subject: plans.Subject(c.Plan),
		Types: []bus.Type{bus.TypeAsyncUpdate}}
	// Another process may have written it, whose events wake nobody here.
	double.Until(w.t, "the call "+string(c.ID)+" is answered", func() bool {
		page, err := w.Store.Since(context.Background(), bus.Cursor{}, f, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		found := 0
		for _, e := range page.Events {
			var body struct{ Value update }
			if err := json.Unmarshal(e.Payload, &body); err != nil {
				w.t.Fatal(err)
			}
			if body.Value.Call == c.ID {
				u, found = body.Value, found+1
			}
		}
		if found > 1 {
			w.t.Fatalf("the call %s has %d answers", c.ID, found)
		}
		return found == 1
	})
	if err := json.Unmarshal(u.Result.Value, &v); err != nil {
		w.t.Fatal(err)
	}
	return u, v
}

func (w *world) set(groups ...plans.Group) (update, value) {
	w.t.Helper()
	c, err := w.plans.Set(context.Background(), groups)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.answer(c)
}

func (w *world) next(id plans.ID) (update, value) {
	w.t.Helper()
	c, err := w.plans.Next(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.answer(c)
}

func yes(context.Context) error { return nil }

func (w *world) get(id request.ID) request.Request {
	w.t.Helper()
	b, err := w.bundles.Get(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// present returns the review of the current step.
func (w *world) present(id request.ID) record.ID {
	w.t.Helper()
	b := w.get(id)
	if b.Present() == nil {
		w.t.Fatalf("no step waits: %s", b.State)
	}
	return b.Present().Review
}

func (w *world) shown(id request.ID) request.Answer {
	return request.Answer{Revision: w.get(id).Revision, Right: yes}
}

func (w *world) approve(id request.ID) {
	w.t.Helper()
	if _, err := w.bundles.Approve(context.Background(), id, w.shown(id), nil); err != nil {
		w.t.Fatal(err)
	}
	w.sweep()
}

func (w *world) sweep() {
	w.t.Helper()
	if _, err := w.bundles.Sweep(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// sign signs a review like the user and their wallet.
func (w *world) sign(id record.ID) {
	w.t.Helper()
	ctx := context.Background()
	r, err := w.Reviews.Opened(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	r = w.Compute(r)
	if r.Status != record.Ready {
		w.t.Fatalf("the review is %s (%s)", r.Status, r.Reason)
	}
	o, err := w.Reviews.HandoffTo(ctx, r.ID, func(ctx context.Context) error { return w.bundles.Handing(ctx, r.ID) },
		r.Revision, r.Commitment,
		testkit.Ticks(r)...)
	if err != nil {
		w.t.Fatal(err)
	}
	raw, signature := w.Sign(o)
	if _, err := w.Reviews.Signed(ctx, r.ID, o.Nonce, raw, signature); err != nil {
		w.t.Fatal(err)
	}
	w.Until(r.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
	w.sweep()
}

// carry approves a bundle and signs all its steps.
func (w *world) carry(id request.ID) {
	w.t.Helper()
	w.approve(id)
	for w.get(id).State == request.Running {
		w.sign(w.present(id))
	}
	if b := w.get(id); b.State != request.Completed {
		w.t.Fatalf("the bundle is %s: %s", b.State, b.Said())
	}
}
