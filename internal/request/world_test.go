package request_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

const (
	alice = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	bob   = "0x5afe0000000000000000000000000000000000000000000000000000000000bb"
)

// world is a complete back end with bundles. The test acts as the user and the runner.
type world struct {
	*testkit.Harness
	t   testing.TB
	svc *request.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Harness: testkit.Start(t, time.Now, nil), t: t}
	w.Connect(sandbox.Account)
	w.svc = w.service()
	return w
}

// service returns bundles over the current store and reviews, as in a process.
func (w *world) service() *request.Service {
	return request.New(request.Config{Store: w.Store, Make: w.Reviews, Active: w.active, Hub: w.Hub, Now: w.Clock.Now,
		Rand: rand.Reader})
}

func (w *world) active(ctx context.Context) (record.Account, bool, error) {
	a, ok, err := w.Accounts.Active(ctx)
	return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID}, ok, err
}

func pay(amount, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount}, Recipient: to}
}

// steps returns steps with these intents and the ids a, b, c and so on, each waiting for its
// receipt.
func steps(list ...plan.Intent) (out []request.Wanted) {
	for i, in := range list {
		out = append(out, request.Wanted{ID: string(rune('a' + i)), Sequence: int64(i), Chain: "Sui", Intent: in, Wait: true,
			Timeout: request.DefaultReceipt})
	}
	return out
}

func (w *world) ask(list ...plan.Intent) request.Request { return w.askOf("", false, steps(list...)) }

func (w *world) askOf(label string, skip bool, list []request.Wanted) request.Request {
	w.t.Helper()
	b, err := w.svc.Ask(context.Background(), label, skip, list)
	if err != nil {
		w.t.Fatalf("ask: %v", err)
	}
	return b
}

func yes(context.Context) error { return nil }

// shown returns an answer from a page that shows the bundle's current state.
func (w *world) shown(id request.ID) request.Answer {
	return request.Answer{Revision: w.get(id).Revision, Right: yes}
}

func (w *world) approve(id request.ID, repeats ...string) request.Request {
	w.t.Helper()
	b, err := w.svc.Approve(context.Background(), id, w.shown(id), repeats)
	if err != nil {
		w.t.Fatalf("approve: %v", err)
	}
	return b
}

// sweep advances all bundles, and returns this one.
func (w *world) sweep(id request.ID) request.Request {
	w.t.Helper()
	if _, err := w.svc.Sweep(context.Background()); err != nil {
		w.t.Fatalf("sweep: %v", err)
	}
	return w.get(id)
}

func (w *world) get(id request.ID) request.Request {
	w.t.Helper()
	b, err := w.svc.Get(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// ready opens a step's page and computes it.
func (w *world) ready(s request.Step) record.Session {
	w.t.Helper()
	r, err := w.Reviews.Opened(context.Background(), s.Review)
	if err != nil {
		w.t.Fatalf("open step %s: %v", s.ID, err)
	}
	if r.Status == record.WalletConnected {
		r = w.Compute(r)
	}
	return r
}

// hand releases a ready step like its page, so that the request is checked too.
func (w *world) hand(r record.Session) error {
	_, err := w.Reviews.HandoffTo(context.Background(), r.ID, func(ctx context.Context) error {
		return w.svc.Handing(ctx,
			r.ID)
	},
		r.Revision, r.Commitment, testkit.Ticks(r)...)
	return err
}

// sign signs the current step like the user and their wallet.
func (w *world) sign(b request.Request) record.Session {
	w.t.Helper()
	step := b.Present()
	if step == nil || step.State != request.Open {
		w.t.Fatalf("no step waits for the wallet: %s %+v", b.State, b.Steps)
	}
	r := w.ready(*step)
	if r.Status != record.Ready {
		w.t.Fatalf("step %s is %s (%s): %+v", step.ID, r.Status, r.Reason, r.State.Checks)
	}
	o, err := w.Reviews.HandoffTo(context.Background(), r.ID, func(ctx context.Context) error {
		return w.svc.Handing(ctx,
			r.ID)
	},
		r.Revision, r.Commitment, testkit.Ticks(r)...)
	if err != nil {
		w.t.Fatalf("hand out step %s: %v", step.ID, err)
	}
	raw, signature := w.Sign(o)
	if _, err := w.Reviews.Signed(context.Background(), r.ID, o.Nonce, raw, signature); err != nil {
		w.t.Fatalf("post the signature: %v", err)
	}
	return w.Until(r.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
}

func words(b request.Request) (out []string) {
	for _, s := range b.Steps {
		out = append(out, string(s.State))
	}
	return out
}
