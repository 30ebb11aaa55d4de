package review_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// histories returns the actions whose lives are played: with a coin that leaves, and with gas
// alone.
func histories() []string {
	return []string{"transfer of SUI", "transfer from several coins", "transfer of a coin named by its type",
		"deposit of SUI", "order to sell", "cancellation", "making a manager"}
}

// got returns what an address holds of a coin.
func got(t *testing.T, h *testkit.Harness, owner sui.Address, coin sui.CoinType) sui.Raw {
	t.Helper()
	b, err := h.Node.Balance(context.Background(), owner, coin)
	if err != nil {
		t.Fatal(err)
	}
	return b.Total
}

// once checks that a payment arrived one time and no more.
func once(t *testing.T, h *testkit.Harness, a testkit.Act, s record.Session) {
	t.Helper()
	if s.Status != record.Success || s.Execution.Receipt == nil {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
	for _, p := range s.Execution.Receipt.Promises {
		if !p.Kept {
			t.Errorf("%+v", p)
		}
	}
	if a.Intent.Recipient != "" {
		if paid := s.Facts.Promise().Amount(plan.RoleInput); got(t, h, testkit.Friend, paid.CoinType) != paid.Raw {
			t.Errorf("the recipient has %d after %s was sent", got(t, h, testkit.Friend, paid.CoinType), paid)
		}
	}
}

func TestEveryActionIsDoneOnce(t *testing.T) {
	long.Skip(t, "it takes every action through every end")
	t.Parallel()
	ctx := context.Background()
	begin := func(t *testing.T, name string) (*testkit.Harness, testkit.Act, record.Session) {
		h := testkit.Start(t, time.Now, nil)
		acts, _ := testkit.Stage(t, h)
		a := testkit.Named(t, acts, name)
		return h, a, h.Ready(a.Intent)
	}
	for _, name := range histories() {
		t.Run("ST-09 "+name+", killed after the release", func(t *testing.T) {
			h, a, s := begin(t, name)
			if said := killed(t, h, "released", order{ID: s.ID, Revision: s.Revision, Shown: s.Commitment,
				Accepted: testkit.Ticks(s)}); len(said) > 0 {
				t.Fatalf("something left: %v", said)
			}
			now := stored(t, h, s.ID).Session
			h.Restart()
			if _, err := h.Reviews.Handoff(ctx, s.ID, now.Revision, now.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
				t.Fatalf("it is handed out again: %v", err)
			}
			h.Send(h.Compute(now))
			assertOneGasCoin(t, h, s.ID)
			once(t, h, a, h.Until(s.ID, "final", final))
		})
		t.Run("ST-09 "+name+", killed after the signature", func(t *testing.T) {
			h, a, s := begin(t, name)
			o := h.HandOff(s)
			raw, signature := h.Sign(o)
			killed(t, h, "signed", order{ID: s.ID, Nonce: o.Nonce, Bytes: raw, Signed: signature})
			h.Restart()
			refusesAnother(t, h, stored(t, h, s.ID).Session)
			once(t, h, a, h.Until(s.ID, "final", final))
		})
		t.Run("ST-09 "+name+", killed before the receipt", func(t *testing.T) {
			h, a, s := begin(t, name)
			o := h.HandOff(s)
			raw, signature := h.Sign(o)
			killed(t, h, "effects", order{ID: s.ID, Nonce: o.Nonce, Bytes: raw, Signed: signature})
			h.Restart()
			once(t, h, a, h.Until(s.ID, "final", final))
		})
		t.Run("ST-03 "+name+", declined, built again, and both signed", func(t *testing.T) {
			h, _, s := begin(t, name)
			first := h.HandOff(s)
			if _, err := h.Reviews.Outcome(ctx, s.ID, first.Nonce, record.OutcomeRejected); err != nil {
				t.Fatal(err)
			}
			now, err := h.Reviews.Get(ctx, s.ID)
			if err != nil {
				t.Fatal(err)
			}
			now = h.Compute(now)
			if now.Status != record.Ready || now.Commitment == s.Commitment {
				t.Fatalf("%s %s", now.Status, now.Reason)
			}
			second := h.HandOff(now)
			assertOneGasCoin(t, h, s.ID)
			ran := 0
			for _, o := range []handoff.Handoff{second, first} {
				raw, signature := h.Sign(o)
				if e, err := h.Node.Execute(ctx, raw, signature); err == nil && e.Digest == o.Bytes.Digest() {
					ran++
				}
			}
			if ran != 1 {
				t.Errorf("%d of the two executed", ran)
			}
		})
		t.Run(name+", the node is down while it is computed", func(t *testing.T) {
			h, a, s := begin(t, name)
			h.Inject(sandbox.Fault{Kind: sandbox.Fail})
			if s = h.Compute(s); s.Status != record.RefreshRequired || s.Reason != plan.ProviderUnavailable {
				t.Errorf("%s %s", s.Status, s.Reason)
			}
			h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
			s = h.Compute(s)
			if s.Status != record.Ready {
				t.Fatalf("%s %s", s.Status, s.Reason)
			}
			once(t, h, a, h.Settle(s))
		})
		t.Run(name+", too long on the page", func(t *testing.T) {
			h, _, s := begin(t, name)
			h.Clock.Advance(61 * time.Second)
			if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); err == nil {
				t.Error("a build of more than a minute is handed out")
			}
		})
	}
}
