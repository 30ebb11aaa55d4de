package review_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"google.golang.org/grpc/codes"
)

// failing is a node whose every call, or every call of one kind, fails.
type failing struct {
	*ledger
	on  string // "", or the one call that fails
	err error
}

func (f *failing) fails(call string) error {
	if f.err != nil && (f.on == "" || f.on == call) {
		return f.err
	}
	return nil
}

func (f *failing) ChainIdentifier(ctx context.Context) (sui.Digest, error) {
	if err := f.fails("chain"); err != nil {
		return sui.Digest{}, err
	}
	return f.ledger.ChainIdentifier(ctx)
}

func (f *failing) Epoch(ctx context.Context) (sui.Epoch, error) {
	if err := f.fails("epoch"); err != nil {
		return sui.Epoch{}, err
	}
	return f.ledger.Epoch(ctx)
}

func (f *failing) Execute(ctx context.Context, b, signature []byte) (sui.Executed, error) {
	if err := f.fails("execute"); err != nil {
		return sui.Executed{}, err
	}
	return f.ledger.Execute(ctx, b, signature)
}

func (f *failing) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	if err := f.fails("transaction"); err != nil {
		return sui.Executed{}, false, err
	}
	return f.ledger.Transaction(ctx, d)
}

func (f *failing) Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error) {
	if err := f.fails("object"); err != nil {
		return sui.Object{}, false, err
	}
	return f.ledger.Object(ctx, id, version)
}

// hundred returns a hundred kinds of trouble: every fault there is, bare and with
// a cause of the wire, every code of the wire, and errors of no kind.
func hundred() map[string]error {
	kinds := map[string]error{
		"no kind": errors.New("something"), "deadline": context.DeadlineExceeded, "cancelled": context.Canceled,
		"joined": errors.Join(errors.New("one"), context.DeadlineExceeded),
	}
	for _, i := range fault.All() {
		kinds["fault "+string(i.Code)] = fault.New(i.Code, "Something of this kind.")
		kinds["wrapped "+string(i.Code)] = fmt.Errorf("around: %w", fault.New(i.Code, "Something of this kind."))
	}
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		for _, c := range []fault.Code{fault.ProviderUnavailable, fault.ProviderRefused, fault.ProviderMismatch} {
			kinds[fmt.Sprintf("%s by %s", c, code)] = fault.New(c, "The node: %s.", code).With("code", code.String())
		}
	}
	return kinds
}

// signedWorld returns a world with one signed transaction that no node has yet.
func signedWorld(t *testing.T, f *failing) (*world, *item) {
	t.Helper()
	w := newWorld(&rows{}, "errors")
	f.ledger = w.chain
	w.use(f, f)
	for _, o := range []op{{Kind: "open", A: 1}, {Kind: "see"}, {Kind: "compute", B: 3}, {Kind: "see"}, {Kind: "handoff",
		B: 3}} {
		if trouble := w.take(o); trouble != "" {
			t.Fatal(trouble)
		}
	}
	return w, w.want.handed[0]
}

// No trouble with the node ends a signed transaction; when the trouble is over,
// the result is found.
func TestHundredKindsOfTrouble(t *testing.T) {
	ctx := context.Background()
	kinds := hundred()
	if len(kinds) < 100 {
		t.Fatalf("only %d kinds", len(kinds))
	}
	for _, on := range []string{"", "chain", "epoch", "execute", "transaction", "object"} {
		ended := 0
		for name, err := range kinds {
			f := &failing{on: on}
			w, i := signedWorld(t, f)
			f.err = err
			raw := w.bytes[i].Bytes()
			if _, err := w.service.Signed(ctx, w.id, w.nonces[i], raw, w.sign(raw)); err != nil {
				t.Fatalf("%s: the signature is not taken: %v", name, err)
			}
			w.service.Idle()
			for range 4 {
				w.watcher.Look(ctx)
				w.service.Idle()
			}
			w.now = w.now.Add(48 * time.Hour)
			for range 4 {
				w.watcher.Look(ctx)
			}
			s, err := w.service.Get(ctx, w.id)
			if err != nil {
				t.Fatal(err)
			}
			executed := len(w.chain.executed) > 0
			if s.Status != record.SignedPendingResult && !(executed && s.Status == record.Success) {
				ended++
				t.Errorf("%s on %q: %s %+v", name, on, s.Status, s.Execution)
			}
			if f.err = nil; s.Status == record.SignedPendingResult {
				_, _ = w.service.Submit(ctx, w.id, w.nonces[i])
				w.service.Idle()
				w.watcher.Look(ctx)
				if s, err = w.service.Get(ctx, w.id); err != nil || s.Status != record.Success {
					t.Errorf("%s on %q: afterwards %v %s", name, on, err, s.Status)
				}
			}
		}
		t.Run(fmt.Sprintf("ST-04 of %d kinds of trouble with %q none ends what is signed", len(kinds), on),
			func(t *testing.T) {
				if ended > 0 {
					t.Errorf("%d did", ended)
				}
			})
	}
}

func TestNoteOfAnotherChain(t *testing.T) {
	ctx := context.Background()
	f := &failing{on: "chain", err: nil}
	w, i := signedWorld(t, f)
	f.err = fault.New(fault.NetworkMismatch, "This node is another chain.")
	w.chain.refuses = true
	raw := w.bytes[i].Bytes()
	if _, err := w.service.Signed(ctx, w.id, w.nonces[i], raw, w.sign(raw)); err != nil {
		t.Fatal(err)
	}
	w.service.Idle()
	w.watcher.Look(ctx)
	s, err := w.service.Get(ctx, w.id)
	if err != nil || !strings.Contains(s.Execution.Note, "another chain") {
		t.Errorf("%v %+v", err, s.Execution)
	}
}

// What interrupts a proof makes it begin again.
func TestInterruptedProof(t *testing.T) {
	ctx := context.Background()
	for _, on := range []string{"chain", "transaction"} {
		t.Run("ST-06 an outage of "+on+" between two confirmations", func(t *testing.T) {
			f := &failing{on: on}
			w, i := signedWorld(t, f)
			w.chain.refuses = true
			raw := w.bytes[i].Bytes()
			if _, err := w.service.Signed(ctx, w.id, w.nonces[i], raw, w.sign(raw)); err != nil {
				t.Fatal(err)
			}
			w.service.Idle()
			w.chain.epoch += 2
			status := func() record.Status {
				w.watcher.Look(ctx)
				s, err := w.service.Get(ctx, w.id)
				if err != nil {
					t.Fatal(err)
				}
				return s.Status
			}
			once := status()
			f.err = fault.New(fault.ProviderUnavailable, "Gone.")
			during := status()
			f.err = nil
			again, twice := status(), status()
			want := record.SignedPendingResult
			if once != want || during != want || again != want || twice != record.Failure {
				t.Errorf("%s, %s, %s, %s", once, during, again, twice)
			}
		})
	}
}

// Whatever a page claims, in whatever state: only what the chain says ends a
// review well, and what is forged changes no state.
func TestForgedResults(t *testing.T) {
	ctx := context.Background()
	forged := map[string]func(w *world, nonce string, i *item) error{
		"success": func(w *world, nonce string, _ *item) error {
			_, err := w.service.Outcome(ctx, w.id, nonce, "success")
			return err
		},
		"chain failure": func(w *world, nonce string, _ *item) error {
			_, err := w.service.Outcome(ctx, w.id, nonce, string(record.FailureChainExecution))
			return err
		},
		"a digest of another transaction": func(w *world, nonce string, _ *item) error {
			_, err := w.service.SignedElsewhere(ctx, w.id, nonce, sui.Digest{4})
			return err
		},
		"its digest without the nonce": func(w *world, _ string, i *item) error {
			_, err := w.service.SignedElsewhere(ctx, w.id, "", i.digest)
			return err
		},
		"its digest with a made-up nonce": func(w *world, _ string, i *item) error {
			_, err := w.service.SignedElsewhere(ctx, w.id, "made up", i.digest)
			return err
		},
		"a signature with a made-up nonce": func(w *world, _ string, i *item) error {
			raw := w.bytes[i].Bytes()
			_, err := w.service.Signed(ctx, w.id, "made up", raw, w.sign(raw))
			return err
		},
		"a signature over other bytes": func(w *world, nonce string, i *item) error {
			raw := append(w.bytes[i].Bytes(), 1)
			_, err := w.service.Signed(ctx, w.id, nonce, raw, w.sign(raw))
			return err
		},
		"sending with a made-up nonce": func(w *world, _ string, _ *item) error {
			_, err := w.service.Submit(ctx, w.id, "made up")
			return err
		},
		"a refusal with a made-up nonce": func(w *world, _ string, _ *item) error {
			_, err := w.service.Outcome(ctx, w.id, "made up", record.OutcomeRejected)
			return err
		},
	}
	othersBytes := map[string]bool{"a digest of another transaction": true, "a signature over other bytes": true}
	sign := op{Kind: "signed", B: 5}
	states := map[string][]op{
		"handed out":      nil,
		"refused":         {{Kind: "outcome", A: 1, B: 1}},
		"rebuilt":         {{Kind: "outcome", A: 1, B: 1}, {Kind: "see"}, {Kind: "compute", B: 3}},
		"signed":          {{Kind: "node", A: 2, B: 1}, sign},
		"succeeded":       {sign, {Kind: "look"}},
		"failed on chain": {{Kind: "wallet", B: 0}, {Kind: "look"}},
		"proved dead": {{Kind: "node", A: 2, B: 1}, sign, {Kind: "epoch"}, {Kind: "epoch"}, {Kind: "look"},
			{Kind: "look"}},
		"silent, unsigned": {{Kind: "outcome", A: 1, B: 3}},
	}
	for state, ops := range states {
		for name, forge := range forged {
			t.Run("ST-07 "+state+": "+name, func(t *testing.T) {
				w, i := signedWorld(t, &failing{})
				for _, o := range ops {
					if trouble := w.take(o); trouble != "" {
						t.Fatal(trouble)
					}
				}
				before, err := w.store.Review(ctx, w.id)
				if err != nil {
					t.Fatal(err)
				}
				if err := forge(w, w.nonces[i], i); err == nil {
					t.Error("it is taken")
				}
				w.service.Idle()
				after, err := w.store.Review(ctx, w.id)
				if err != nil || after.Status != before.Status || !cmp.Equal(after.Execution, before.Execution) {
					t.Errorf("%v: %s became %s", err, before.Status, after.Status)
				}
				// Other bytes from the page that holds the nonce are remembered, and nothing else.
				kept := othersBytes[name] && !before.Status.Terminal()
				if changed := after.Revision != before.Revision; changed != kept || kept &&
					after.Releases[0].Outcome != record.OutcomeChanged {
					t.Errorf("changed %t, outcome %q", changed, after.Releases[0].Outcome)
				}
			})
		}
	}
}
