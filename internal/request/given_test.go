package request_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestGiven lists what the other steps of a review's bundle transfer: their payments, and the
// proportional cost of results that are sent on.
func TestGiven(t *testing.T) {
	w := newWorld(t)
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1, Share: "1/4"},
		Recipient: alice}
	b := w.ask(testkit.Swap("10", "SUI", "USDC"), fed, pay("3", bob))
	w.approve(b.ID)
	b = w.sweep(b.ID)
	list, err := w.svc.Given(t.Context(), b.Steps[0].Review)
	if err != nil {
		t.Fatal(err)
	}
	sum := map[sui.Address]sui.Raw{}
	for _, g := range list {
		if !g.Elsewhere || g.Done || g.CoinType != sui.SUI {
			t.Errorf("%+v", g)
		}
		sum[g.To] += g.Raw
	}
	if sum[sui.MustAddress(alice)] != 2_500_000_000 || sum[sui.MustAddress(bob)] != 3_000_000_000 || len(sum) != 2 {
		t.Errorf("%+v", list)
	}
	if list, err = w.svc.Given(t.Context(), "nobody"); err != nil || len(list) != 0 {
		t.Errorf("a review of no bundle: %+v %v", list, err)
	}
	w.sign(b)
	b = w.sweep(b.ID)
	done, brought := 0, 0
	list, err = w.svc.Given(t.Context(), b.Steps[1].Review)
	for _, g := range list {
		if g.Done {
			done++
		}
		if g.Brought {
			brought++
		}
	}
	if err != nil || done != 1 || brought != 1 || len(list) != 3 {
		t.Errorf("after the swap: %+v %v", list, err)
	}
}
