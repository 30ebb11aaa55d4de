package review_test

import (
	"context"
	"crypto/ed25519"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// memberKey is the key of a member of a multisig account.
func memberKey(n byte) (public []byte, sign func(raw []byte) []byte) {
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(n)), ed25519.SeedSize)))
	public = append([]byte{sui.SchemeEd25519}, private.Public().(ed25519.PublicKey)...)
	return public, func(raw []byte) []byte {
		message := blake2b.Sum256(append([]byte{0, 0, 0}, raw...))
		return slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(private, message[:]), public[1:])
	}
}

// collecting is a payment of a multisig account of three members, of whom two sign, after its bytes were
// released; sign signs them as a member.
func collecting(t *testing.T) (h *testkit.Harness, s record.Session, sign func(n byte) []byte) {
	t.Helper()
	h = testkit.Start(t, time.Now, nil)
	s, sign = collectingIn(t, h)
	return h, s, sign
}

// anybody is the right of a caller within the program.
func anybody(context.Context) error { return nil }

// collectingIn is collecting in a back end that exists.
func collectingIn(t *testing.T, h *testkit.Harness) (s record.Session, sign func(n byte) []byte) {
	t.Helper()
	ctx := context.Background()
	m := sui.MultiSig{Threshold: 2}
	for n := byte(1); n <= 3; n++ {
		key, _ := memberKey(n)
		m.Members = append(m.Members, sui.MultiSigMember{Key: key, Weight: 1})
	}
	h.Sandbox.Hold(m.Address(), sui.SUI, 10_000_000_000, 0)
	i, err := h.Accounts.Create(ctx)
	if err == nil {
		err = h.Accounts.Opened(ctx, i.ID)
	}
	if err == nil {
		_, err = h.Accounts.ConnectMultiSig(ctx, i.ID, m.Address(), m)
	}
	if err == nil {
		s, err = h.Reviews.Prepare(ctx, payment("2.5", "SUI"))
	}
	if err == nil {
		s, err = h.Reviews.Opened(ctx, s.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	s = h.Compute(s)
	o, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment)
	if err != nil || o.MultiSig == nil {
		t.Fatalf("%v, %+v", err, o.MultiSig)
	}
	raw := o.Bytes.Bytes()
	return s, func(n byte) []byte { _, sign := memberKey(n); return sign(raw) }
}

// What was collected outlives the process, the file can be saved again, and two members who come at once are
// both counted; the transaction is sent once, as the account's.
func TestCollecting(t *testing.T) {
	ctx := context.Background()
	h, s, sign := collecting(t)
	if _, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(3)); err != nil {
		t.Fatal(err)
	}
	h.Restart()
	v, err := h.Reviews.View(ctx, s.ID)
	if err != nil || !slices.Equal(v.Signed, []int{2}) || !v.Released {
		t.Fatalf("%v %v", v.Signed, err)
	}
	members, tx, err := h.Reviews.Exported(ctx, s.ID, anybody)
	if err != nil || members.Address() != s.Account || sui.Commitment(tx.Digest()) != s.Commitment {
		t.Fatalf("saved again: %v", err)
	}
	if _, err := h.Reviews.Handoff(ctx, s.ID, v.Session.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
		t.Errorf("it is released twice: %v", err)
	}
	// A member's own signature is no signature of the account, wherever it comes from.
	if got, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(9)); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("a stranger: %v, %s", err, got.Status)
	}
	var all sync.WaitGroup
	var added atomic.Int32
	for range 4 {
		for _, n := range []byte{1, 3} { // the third signed already
			all.Go(func() {
				if _, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(n)); err == nil {
					added.Add(1)
				} else if !fault.Is(err, fault.InvalidSessionTransition) {
					t.Errorf("%d: %v", n, err)
				}
			})
		}
	}
	all.Wait()
	if added.Load() != 1 {
		t.Errorf("%d of the same signatures were added", added.Load())
	}
	done := h.Until(s.ID, "success", func(s record.Session) bool { return s.Status == record.Success })
	if r := done.Execution.Receipt; r.Sender != s.Account || done.Releases[0].Collected != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(2)); fault.As(err).Detail.Get("reason") != "not_collecting" {
		t.Errorf("late: %v", err)
	}
}

// Who stops collecting can build again; what was signed for the earlier transaction is not used for the new one.
func TestCollectingStopped(t *testing.T) {
	ctx := context.Background()
	h, s, sign := collecting(t)
	if _, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(1)); err != nil {
		t.Fatal(err)
	}
	stopped, err := h.Reviews.Outcome(ctx, s.ID, "", record.OutcomeDeclined)
	if err != nil || stopped.Status != record.RefreshRequired {
		t.Fatalf("%s %v", stopped.Status, err)
	}
	if _, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(2)); fault.As(err).Detail.Get("reason") != "not_collecting" {
		t.Errorf("after it was stopped: %v", err)
	}
	again := h.Compute(stopped)
	if again.Status != record.Ready || again.Facts.Gas.Coin() != s.Facts.Gas.Coin() {
		t.Fatalf("%s: %+v", again.Status, again.State.Checks[0])
	}
	o, err := h.Reviews.Handoff(ctx, s.ID, again.Revision, again.Commitment)
	if err != nil || o.MultiSig == nil {
		t.Fatal(err)
	}
	_, err = h.Reviews.Collect(ctx, s.ID, anybody, sign(2))
	if fault.As(err).Detail.Get("reason") != sui.OtherTransaction {
		t.Errorf("for the earlier transaction: %v", err)
	}
}

// On another chain no signature is added, and nothing is sent.
func TestCollectingOnAnotherChain(t *testing.T) {
	ctx := context.Background()
	h, s, sign := collecting(t)
	h.OtherChain()
	for n := byte(1); n <= 2; n++ {
		if _, err := h.Reviews.Collect(ctx, s.ID, anybody, sign(n)); !fault.Is(err, fault.NetworkMismatch) {
			t.Errorf("%v", err)
		}
	}
	if now, err := h.Reviews.Get(ctx, s.ID); err != nil || now.Status != record.Ready || now.Current().Collected != 0 {
		t.Errorf("%s %v", now.Status, err)
	}
}

// meanwhile is what another process does between the request of a page and its transaction of the store.
var meanwhile = map[string]struct {
	take func(*testing.T, process, record.ID)
	want fault.Code
}{
	"nothing": {func(*testing.T, process, record.ID) {}, ""},
	"another page became the active one": {func(t *testing.T, p process, id record.ID) {
		_, second := opened(t, p.desk, id)
		if err := p.desk.Continue(context.Background(), second); err != nil {
			t.Error(err)
		}
	}, fault.InvalidSessionTransition},
	"everything was stopped": {func(t *testing.T, p process, _ record.ID) {
		if out, err := p.settings.Freeze(context.Background()); err != nil || !out.Done {
			t.Error(out, err)
		}
	}, fault.Blocked},
}

// The bytes do not leave again, once what their release rested on was taken away, even in the moment
// before the store's transaction.
func TestExportRestsOnThePresent(t *testing.T) {
	ctx := context.Background()
	cases := maps.Clone(meanwhile)
	cases["the account was cleared"] = struct {
		take func(*testing.T, process, record.ID)
		want fault.Code
	}{func(t *testing.T, p process, _ record.ID) {
		if _, ok, err := p.accounts.Clear(ctx); err != nil || !ok {
			t.Error(ok, err)
		}
	}, fault.HandoffUnavailable}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h, busy := busyHouse(t)
			s, _ := collectingIn(t, h)
			token, _ := opened(t, h.Passes, s.ID)
			other := otherProcess(t, h)
			busy.members = func() { c.take(t, other, s.ID) }
			_, tx, err := h.Reviews.Exported(ctx, s.ID, h.Passes.Right(token, true))
			if c.want == "" && err != nil || c.want != "" && !fault.Is(err, c.want) || (tx.Size() > 0) != (c.want == "") {
				t.Errorf("%v, want %q; %d bytes", err, c.want, tx.Size())
			}
		})
	}
}

// A signature is not added once everything was stopped, even in the moment before the store's
// transaction.
func TestCollectRestsOnThePresent(t *testing.T) {
	ctx := context.Background()
	for name, c := range meanwhile {
		t.Run(name, func(t *testing.T) {
			h, busy := busyHouse(t)
			s, sign := collectingIn(t, h)
			token, _ := opened(t, h.Passes, s.ID)
			other := otherProcess(t, h)
			busy.members = func() { c.take(t, other, s.ID) }
			_, err := h.Reviews.Collect(ctx, s.ID, h.Passes.Right(token, true), sign(1))
			if c.want == "" && err != nil || c.want != "" && !fault.Is(err, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			v, err := h.Reviews.View(ctx, s.ID)
			if err != nil || (len(v.Signed) > 0) != (c.want == "") {
				t.Errorf("signed: %v, %v", v.Signed, err)
			}
		})
	}
}
