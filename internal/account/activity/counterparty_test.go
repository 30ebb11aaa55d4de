package activity_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestCounterparty: a payment to one other address has a counterparty; one to several has
// none, nor has one whose changes are not all known.
func TestCounterparty(t *testing.T) {
	me, alice, bob := sui.MustAddress("0x1"), sui.MustAddress("0xa"), sui.MustAddress("0xb")
	change := func(owner *sui.Address, raw uint64, negative bool) activity.Balance {
		return activity.Balance{Owner: owner, Coin: sui.SUI, Amount: sui.Delta{Negative: negative, Amount: sui.Raw(raw)}}
	}
	for name, c := range map[string]struct {
		sender   *sui.Address
		complete activity.Completeness
		changes  []activity.Balance
		want     *sui.Address
	}{
		"one": {&me, activity.Complete, []activity.Balance{change(&me, 5, true), change(&alice, 4, false)},
			&alice},
		"one, two coins": {&me, activity.Complete, []activity.Balance{change(&alice, 1, false), change(&alice, 2,
			false)}, &alice},
		"two": {&me, activity.Complete, []activity.Balance{change(&alice, 1, false), change(&bob, 2,
			false)}, nil},
		"an owner is not named": {&me, activity.Complete, []activity.Balance{change(&alice, 1, false), change(nil, 2, false)},
			nil},
		"a part is missing": {&me, activity.Truncated, []activity.Balance{change(&alice, 4, false)}, nil},
		"from another":      {&bob, activity.Complete, []activity.Balance{change(&me, 4, false)}, &bob},
		"of the system":     {nil, activity.Complete, []activity.Balance{change(&alice, 4, false)}, nil},
	} {
		tx := activity.Transaction{Sender: c.sender, Detail: &activity.Detail{Balances: c.changes,
			Lists: activity.Lists{Balances: c.complete}}}
		got := tx.Counterparty(me)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
