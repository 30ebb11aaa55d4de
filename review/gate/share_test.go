package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

func sending(amount, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", Amount: amount}, Recipient: "0x" +
		strings.Repeat(to, 32)}
}

// The share of the account's balance, over the whole request, decides what the user must do.
func TestShareOfWhatLeaves(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	held := h.Ready(sending("1", "5f")).Holdings[0]
	of := func(percent uint64) string {
		return string(sui.Raw(uint64(held.Before) / 100 * percent).Decimal(held.Decimals))
	}
	together := func(steps ...plan.Intent) plan.Intent { return plan.Intent{Type: plan.Bundle, Steps: steps} }
	for name, c := range map[string]struct {
		in    plan.Intent
		class plan.CheckClass
		typed string
	}{
		"a tip":                {sending(of(1), "5f"), plan.ClassPass, ""},
		"a half":               {sending(of(50), "5f"), plan.ClassCaution, ""},
		"under three quarters": {sending(of(74), "5f"), plan.ClassCaution, ""},
		"three quarters":       {sending(of(75), "5f"), plan.ClassCaution, of(75)},
		"all but a hundredth":  {sending(of(99), "5f"), plan.ClassCaution, of(99)},
		"two steps are judged together": {together(sending(of(40), "5f"), sending(of(40), "5d")), plan.ClassCaution,
			of(80)},
		"three small steps of one request": {together(sending(of(5), "5f"), sending(of(5), "5d"), sending(of(5), "5e")),
			plan.ClassPass, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.Ready(c.in)
			got, ok := testkit.Check(s, "share_of_holding")
			if !ok || got.Class() != c.class || got.Typed() != c.typed {
				t.Fatalf("%+v", got)
			}
			if c.typed == "" {
				return
			}
			id := "share:" + string(held.CoinType) + ":" + c.typed
			if got.Accept != id {
				t.Errorf("%s, not %s", got.Accept, id)
			}
			for _, wrong := range [][]string{nil, {"share:" + string(held.CoinType) + ":1"}} {
				if _, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment, wrong...); !fault.Is(err,
					fault.HandoffUnavailable) {
					t.Errorf("handed out with %v: %v", wrong, err)
				}
			}
			if _, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment, "share:5c:x"); !fault.Is(err,
				fault.InputInvalid) {
				t.Errorf("an id of no coin: %v", err)
			}
		})
	}
	t.Run("a swap goes to nobody else", func(t *testing.T) {
		s := h.Ready(testkit.Swap(of(99), "USDC", "SUI"))
		if c, ok := testkit.Check(s, "share_of_holding"); ok {
			t.Errorf("%+v", c)
		}
	})
	t.Run("what a swap brings and is sent on counts as what was swapped", func(t *testing.T) {
		sends := sending("", "5f")
		sends.From = plan.IntentSource{Symbol: "SUI", ResultOf: 1}
		s := h.Ready(plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{testkit.Swap(of(90), "USDC", "SUI"), sends}})
		typed := false
		for _, c := range s.State.Checks {
			typed = typed || c.ID == "share_of_holding" && c.Accept == "share:"+string(held.CoinType)+":"+of(90)
		}
		if !typed {
			t.Errorf("%+v", s.State.Checks)
		}
	})
}

// Other transactions of the same request count, and a recipient that one of them paid is
// still new.
func TestShareOfARequest(t *testing.T) {
	eve := sui.MustAddress("0x" + strings.Repeat("5f", 32))
	var more []plan.Given
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		c.Request = func(context.Context, record.ID) ([]plan.Given, error) { return more, nil }
	})
	s := h.Ready(sending("1", "5f"))
	held := s.Holdings[0]
	h.Settle(s)
	left := held.Of(held.Before - 1_000_000)
	more = []plan.Given{{Amount: left.Of(left.Raw * 3), To: eve, Elsewhere: true, Done: true}}
	s = h.Ready(sending("2", "5f"))
	got, _ := testkit.Check(s, "share_of_holding")
	if got.Typed() != "2" {
		t.Errorf("%+v", got)
	}
	more = nil
	s = h.Ready(sending(string(left.Of(left.Raw/10*9).Display), "5f"))
	if got, _ = testkit.Check(s, "share_of_holding"); got.Class() != plan.ClassCaution || got.Typed() != "" {
		t.Errorf("nine tenths to somebody who was paid before: %+v", got)
	}
}
