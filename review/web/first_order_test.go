package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestFirstOrderInWords checks that the page of a first order says what happens to the new manager,
// and shows no id of an object that does not exist yet.
func TestFirstOrderInWords(t *testing.T) {
	j := newJob(t, nil)
	j.house.Connect(sandbox.Account)
	r, err := j.reviews.Prepare(t.Context(), plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{{Type: "manager-create"},
		{Type: "manager-deposit", ManagerOf: 1, From: plan.IntentSource{Symbol: "SUI", Amount: "5"}},
		{Type: "limit-order", ManagerOf: 1, Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5",
			Quantity: "3"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = j.reviews.Opened(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if r = j.house.Compute(r); r.Status != record.Ready {
		t.Fatalf("%s %s", r.Status, r.Reason)
	}
	see := func(says ...string) {
		t.Helper()
		raw := j.do("GET", "/api/review/"+string(r.ID)+"/view", j.token(pagetoken.Review, string(r.ID)), nil).body
		view := strings.ReplaceAll(plain(raw), "\u00a0", " ")
		for _, text := range says {
			if !strings.Contains(view, text) {
				t.Errorf("it does not say %q:\n%s", text, view)
			}
		}
		if strings.Contains(raw, plan.Made(1).String()[2:10]) {
			t.Errorf("it shows an id that no object has:\n%s", view)
		}
	}
	see("Create a DeepBook balance manager; Put 5 SUI into your new balance manager; Sell 3 SUI at 9.5 USDC per SUI "+
		"or better, out of your new balance manager ",
		"It is paid out of your new balance manager",
		"Exactly 5 SUI goes into your new balance manager, or the transaction fails",
		"Goes into your new balance manager exactly 5 SUI", "Free in your new balance manager Coin Now After SUI 0 5 +5 SUI",
		"Balance manager The new one")
	if r = j.house.Settle(r); r.Status != record.Success {
		t.Fatalf("%s %+v", r.Status, r.Execution)
	}
	see("Created a balance manager; Put 5 SUI into your new balance manager; Order placed: 3 SUI waits to be sold at "+
		"9.5 USDC per SUI",
		"It belongs to your account.", "Balance manager "+r.Execution.Receipt.Made[0].String())
}
