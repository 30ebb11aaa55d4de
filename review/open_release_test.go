package review_test

import (
	"context"
	"slices"
	"strings"
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

var openPayee = "0x" + strings.Repeat("5a", 32)

// payment returns the wish that these tests do twice.
func payment(amount, symbol string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, Amount: amount}, Recipient: openPayee}
}

// still returns a house whose clock stands, so that no build grows old.
func still(t *testing.T) *testkit.Harness {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Second)
	return testkit.Start(t, func() time.Time { return now }, nil)
}

// refusedFor fails unless err is the refusal that names the other review.
func refusedFor(t *testing.T, err error, other record.ID, reason string) {
	t.Helper()
	f := fault.As(err)
	if !fault.Is(err, fault.OtherReleaseOpen) || f.Detail.Get("reviewSessionId") != string(other) ||
		f.Detail.Get("reason") != reason {
		t.Fatalf("got %v, details %v; want the review %s and the reason %s", err, f, other, reason)
	}
}

func handOff(h *testkit.Harness, s record.Session, accepted ...string) (handoff.Handoff, error) {
	return h.Reviews.Handoff(context.Background(), s.ID, s.Revision, s.Commitment, accepted...)
}

// gasOf returns what a transaction says of gas.
func gasOf(s record.Session) sui.ObjectRef { return s.Facts.Gas.Payment[0] }

func again(t *testing.T, h *testkit.Harness, s record.Session) record.Session {
	t.Helper()
	s, err := h.Reviews.ComputeAgainNow(context.Background(), s.ID, s.Revision)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A payment whose first transaction the wallet has not answered is prepared again.
func TestSameWishWhileOneIsOpen(t *testing.T) {
	ctx := context.Background()
	t.Run("it is built on the open one's gas coin, and waits for the person's press", func(t *testing.T) {
		h := still(t)
		first := h.Ready(payment("2.5", "USDC"))
		o := h.HandOff(first)
		second := h.Ready(payment("2.50", "USDC")) // written in another way
		if gasOf(second) != gasOf(first) || second.Commitment == first.Commitment {
			t.Fatalf("gas %v beside %v", gasOf(second), gasOf(first))
		}
		if c, ok := testkit.Check(second, "open_release"); !ok || !strings.Contains(c.Message, "only one of them can execute") ||
			!strings.Contains(c.Message, "not known whether it was signed") {
			t.Errorf("the checks say %+v", c)
		}
		for _, accepted := range [][]string{nil, {"again:" + string(first.ID)}, {"replace:" + string(second.ID)},
			{"price:12.4", "venues"}} {
			_, err := handOff(h, second, accepted...)
			refusedFor(t, err, first.ID, "replace")
		}
		o2, err := handOff(h, second, "replace:"+string(first.ID))
		if err != nil {
			t.Fatal(err)
		}
		for id, out := range map[record.ID]handoff.Handoff{first.ID: o, second.ID: o2} {
			raw, signature := h.Sign(out)
			if _, err := h.Reviews.Signed(ctx, id, out.Nonce, raw, signature); err != nil {
				t.Fatal(err)
			}
		}
		a, b := h.Until(first.ID, "final", final), h.Until(second.ID, "final", final)
		if b.Status == record.Success {
			a, b = b, a
		}
		if a.Status != record.Success || b.Status != record.Failure ||
			b.Execution.FailureReason != record.FailureCannotExecute {
			t.Errorf("%s %s, %+v", a.Status, b.Status, b.Execution)
		}
	})
	t.Run("I want both builds on other coins, is kept, and waits for the tick", func(t *testing.T) {
		h := still(t)
		first := h.Ready(payment("2.5", "SUI"))
		h.HandOff(first)
		second := again(t, h, h.Open(payment("2.5", "SUI")))
		if second.Status != record.Ready || gasOf(second).ID == gasOf(first).ID || !second.Again {
			t.Fatalf("%s %s, gas %v beside %v", second.Status, second.Reason, gasOf(second), gasOf(first))
		}
		h.Restart()
		twin := h.Twin()
		kept, err := twin.View(ctx, second.ID)
		if err != nil || !kept.Session.Again || len(kept.Related) != 1 ||
			kept.Related[0].Need() != "again:"+string(first.ID) {
			t.Fatalf("%v: another process sees %+v", err, kept.Related)
		}
		for _, accepted := range [][]string{nil, {"replace:" + string(first.ID)}} {
			_, err := twin.Handoff(ctx, second.ID, second.Revision, second.Commitment, accepted...)
			refusedFor(t, err, first.ID, "again")
		}
		if _, err := twin.Handoff(ctx, second.ID, second.Revision, second.Commitment, "again:"+string(first.ID)); err != nil {
			t.Error(err)
		}
		if one := h.Compute(h.Open(payment("2.5", "SUI"))); one.Again || one.Status != record.Ready {
			t.Errorf("a third one is %s, again %t", one.Status, one.Again)
		}
	})
	t.Run("where no other coins are left, both cannot be had, and it says so", func(t *testing.T) {
		h := still(t)
		h.HandOff(h.Ready(payment("2.5", "DEEP"))) // the one DEEP coin
		s := again(t, h, h.Open(payment("2.5", "DEEP")))
		if c := s.State.Checks[0]; s.Status != record.Blocked || c.ID != "open_release_uses_coins" {
			t.Errorf("%s %+v", s.Status, c)
		}
		if s = h.Compute(s); s.Status != record.Ready || s.Again {
			t.Errorf("the way back is %s %s", s.Status, s.Reason)
		}
	})
	t.Run("a gas coin that was used since blocks: it may have happened", func(t *testing.T) {
		h := still(t)
		first := h.Ready(payment("2.5", "SUI"))
		h.HandOff(first)
		h.Inject(sandbox.Fault{Kind: sandbox.ConsumeCoin, Object: gasOf(first).ID.String()})
		second := h.Compute(h.Open(payment("2.5", "SUI")))
		if c := second.State.Checks[0]; second.Status != record.Blocked || c.ID != "open_release_may_have_executed" {
			t.Fatalf("%s %+v", second.Status, c)
		}
		if second = again(t, h, second); second.Status != record.Ready {
			t.Errorf("both are wanted: %s %s", second.Status, second.Reason)
		}
	})
	t.Run("its receipt closes it for the others at once, and the same waits for the tick for ten minutes",
		func(t *testing.T) {
			h := still(t)
			first := h.Ready(payment("2.5", "SUI"))
			second := h.Ready(payment("2.5", "SUI"))
			if h.Settle(first).Status != record.Success {
				t.Fatal("the first one failed")
			}
			if v, err := h.Reviews.View(ctx, second.ID); err != nil || len(v.Related) != 1 ||
				v.Related[0].State != record.RelatedDone {
				t.Errorf("%v %+v", err, v.Related)
			}
			third := h.Ready(payment("2.5", "SUI"))
			if c, ok := testkit.Check(third, "open_release"); !ok || !strings.Contains(c.Message,
				"done less than 10 minutes ago") {
				t.Errorf("the checks say %+v", c)
			}
			_, err := handOff(h, third)
			refusedFor(t, err, first.ID, "again")
			h.Clock.Advance(record.Recent)
			if _, err := handOff(h, h.Ready(payment("2.5", "SUI"))); err != nil {
				t.Error(err)
			}
		})
}

func TestOtherWishWhileOneIsOpen(t *testing.T) {
	t.Run("it leaves the coins of the open one alone, and needs no word", func(t *testing.T) {
		h := still(t)
		first := h.Ready(payment("2.5", "SUI"))
		h.HandOff(first)
		second := h.Ready(payment("3", "SUI"))
		if gasOf(second).ID == gasOf(first).ID {
			t.Fatal("it uses the same gas coin")
		}
		if _, ok := testkit.Check(second, "open_release"); ok {
			t.Error("a check speaks of a transaction that does not matter")
		}
		if _, err := handOff(h, second); err != nil {
			t.Error(err)
		}
	})
	t.Run("where the rest does not suffice it shares, and waits for the press", func(t *testing.T) {
		h := still(t)
		first := h.Ready(payment("2.5", "DEEP"))
		h.HandOff(first)
		second := h.Ready(payment("3", "DEEP")) // there is one DEEP coin
		_, err := handOff(h, second)
		refusedFor(t, err, first.ID, "replace")
		if _, err = handOff(h, second, "replace:"+string(first.ID)); err != nil {
			t.Error(err)
		}
	})
	t.Run("no press is needed where the wallet answered that it was declined", func(t *testing.T) {
		for _, outcome := range []string{record.OutcomeDeclined, record.OutcomeRejected} {
			h := still(t)
			first := h.Ready(payment("2.5", "DEEP"))
			o := h.HandOff(first)
			second := h.Ready(payment("3", "DEEP"))
			if _, err := h.Reviews.Outcome(context.Background(), first.ID, o.Nonce, record.OutcomeProviderError); err != nil {
				t.Fatal(err)
			}
			_, err := handOff(h, second)
			refusedFor(t, err, first.ID, "replace")
			if _, err := h.Reviews.Outcome(context.Background(), first.ID, o.Nonce, outcome); err != nil {
				t.Fatal(err)
			}
			if _, err = handOff(h, second); err != nil {
				t.Errorf("%s: %v", outcome, err)
			}
		}
	})
}

// Two reviews of one wish that are built at once have the same bytes.
func TestSameBytesInTwoReviews(t *testing.T) {
	h := still(t)
	in := payment("2.5", "SUI")
	first, second := h.Ready(in), h.Ready(in)
	if first.Commitment != second.Commitment {
		t.Fatal("the two builds differ, so this test would see nothing")
	}
	h.HandOff(first)
	_, err := handOff(h, second, "replace:"+string(first.ID), "again:"+string(first.ID))
	refusedFor(t, err, first.ID, "same_transaction")
	if second = h.Compute(second); second.Status != record.Ready || second.Commitment == first.Commitment ||
		second.Facts.Gas.Budget != first.Facts.Gas.Budget+1 {
		t.Fatalf("built again: %s, budget %d after %d", second.Status, second.Facts.Gas.Budget, first.Facts.Gas.Budget)
	}
}

// A hundred reviews, of one wish and of others, are built over one version of one
// gas coin before any of them is handed out.
func TestHundredReviewsOverOneGasCoin(t *testing.T) {
	long.Skip(t, "it makes a hundred reviews")
	h := still(t)
	var all []record.Session
	for n := range 100 {
		in := payment("2.5", "SUI")
		if n%2 > 0 {
			in = payment("3."+strings.Repeat("1", n/2%8+1), "SUI")
		}
		all = append(all, h.Ready(in))
	}
	handed := 0
	for _, s := range all {
		if gasOf(s) != gasOf(all[0]) {
			t.Fatal("they are not over one gas coin")
		}
		if _, err := handOff(h, s); err == nil {
			handed++
		} else if !fault.Is(err, fault.OtherReleaseOpen) {
			t.Fatal(err)
		}
	}
	if handed != 1 {
		t.Errorf("%d of 100 were handed out without a press", handed)
	}
}

func TestAcceptedIDs(t *testing.T) {
	h := still(t)
	s := h.Ready(payment("2.5", "SUI"))
	for _, id := range []string{"", "all", "Price", "replace", "replace:", "again:", "again: x", "replace:../x", "again:" +
		strings.Repeat("a", 65), "other:abc",
		"price", "price:", "price:x", "price:1e3", "share:", "share:SUI:1", "share:0x2::sui::SUI:",
		"share:0x2::sui::SUI:-1"} {
		if _, err := handOff(h, s, "price:12.4", id); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := handOff(h, s, slices.Repeat([]string{"price:12.4"}, 65)...); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("too many: %v", err)
	}
	if _, err := handOff(h, s, "price:12.4", "venues", "opened_twice", "replace:"+string(s.ID), "again:"+
		string(s.ID)); err != nil {
		t.Error(err)
	}
}
