package plans_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestTakes: a step pays with the result, or a share of the result, of a step in a group that its
// own depends on, even if that group was one transaction.
func TestTakes(t *testing.T) {
	spend := func(symbol string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol}, Recipient: alice}
	}
	for name, c := range map[string]struct {
		atomic bool
		share  string
		pays   string
	}{
		"all of a bundle's step":            {false, "", "12.79674"},
		"half of a bundle's step":           {false, "1/2", "6.39837"},
		"half of a step of one transaction": {true, "1/2", "6.39837"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			first := group("swap", nil, testkit.Swap("10", "SUI", "USDC"), pay("1", bob))
			first.Atomic = c.atomic
			then := group("pay", []string{"swap"}, spend("USDC"))
			then.Takes = []plans.Taken{{Step: 0, Group: "swap", Of: first.Steps[0].ID, Share: c.share}}
			u, v := w.set(first, then)
			if !u.Result.OK {
				t.Fatalf("%s", u.Result.Value)
			}
			_, open := w.next(v.Plan)
			if c.atomic {
				w.sign(open.Groups[0].Review)
			} else {
				w.carry(open.Groups[0].Bundle)
			}
			u, open = w.next(v.Plan)
			if len(open.Groups) != 1 {
				t.Fatalf("%s", u.Result.Value)
			}
			b := w.get(open.Groups[0].Bundle)
			if got := b.Steps[0].Intent.From.Amount; got != c.pays {
				t.Errorf("pays %s", got)
			}
			w.carry(b.ID)
		})
	}
	t.Run("another coin than the result has is a defect", func(t *testing.T) {
		w := newWorld(t)
		then := group("pay", []string{"swap"}, spend("DEEP"))
		then.Takes = []plans.Taken{{Group: "swap", Of: "a"}}
		first := group("swap", nil, testkit.Swap("10", "SUI", "USDC"))
		then.Takes[0].Of = first.Steps[0].ID
		_, v := w.set(first, then)
		_, open := w.next(v.Plan)
		w.carry(open.Groups[0].Bundle)
		if u, _ := w.next(v.Plan); u.Result.OK || !strings.Contains(string(u.Result.Value), "no known result in DEEP") {
			t.Errorf("%s", u.Result.Value)
		}
	})
	for name, taken := range map[string]plans.Taken{"a group it does not wait for": {Group: "other", Of: "a"},
		"no such step": {Group: "swap", Of: "nobody"}} {
		t.Run(name, func(t *testing.T) {
			then := group("pay", []string{"swap"}, spend("USDC"))
			then.Takes = []plans.Taken{taken}
			groups := []plans.Group{group("swap", nil, testkit.Swap("10", "SUI", "USDC")), group("other", nil, pay("1", bob)),
				then}
			if err := plans.Check(groups); err == nil {
				t.Error("it is taken")
			}
		})
	}
}
