package web_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBundleMode chooses how the steps are signed on the page of a bundle, in two tabs.
func TestBundleMode(t *testing.T) {
	j := newJob(t, nil)
	svc := j.bundled()
	j.house.Connect(sandbox.Account)
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepAlice}
	made, err := svc.Ask(t.Context(), "", false, stepsOf(testkit.Swap("10", "SUI", "USDC"), fed))
	if err != nil {
		t.Fatal(err)
	}
	api := "/api/bundle/" + string(made.ID)
	first := j.token(pagetoken.Bundle, string(made.ID))
	says := func(words ...string) {
		t.Helper()
		view := j.do("GET", api+"/view", first, nil)
		for _, w := range words {
			if !strings.Contains(view.body, w) {
				t.Errorf("the page does not say %q: %s", w, view.body)
			}
		}
	}
	says("Spend up to 10 SUI and pay 0x5afe\u00a00000\u00a0…\u00a00000\u00a000aa the USDC of step 1, in 2 steps",
		`data-mode="steps" aria-pressed="true"`, `data-mode="atomic" aria-pressed="false"`, "Approve for later")
	shown := fields{"revision": made.Revision, "mode": "atomic"}
	if a := j.do("POST", api+"/mode", first, shown); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	says(", in one transaction of 2 steps", `data-mode="atomic" aria-pressed="true"`, "Either all of it happens, or none",
		"Prepare the transaction", "inside the transaction")
	if view := j.do("GET", api+"/view", first, nil); strings.Contains(view.body, "Approve for later") {
		t.Error("one transaction is approved by signing it, and is offered for later")
	}
	for name, a := range map[string]answer{
		"pressed twice": j.do("POST", api+"/mode", first, shown), "a late approval": j.do("POST", api+"/approve", first,
			fields{"revision": made.Revision}),
		"no such mode": j.do("POST", api+"/mode", first, fields{"revision": made.Revision + 1, "mode": "both"}),
		"no mode":      j.do("POST", api+"/mode", first, fields{"revision": made.Revision + 1}),
	} {
		if a.status < 400 || a.text("message") == "" && !strings.Contains(a.body, "message") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := j.do("POST", api+"/approve", first, fields{"revision": made.Revision + 1}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	b := j.until(svc, made.ID, func(b request.Request) bool {
		return b.Present() != nil &&
			b.Present().State == request.Open
	})
	says("The transaction needs you", `data-step="review/`+string(b.Steps[1].Review)+`"`)
	r := string(b.Steps[1].Review)
	if v := j.do("GET", "/api/review/"+r+"/view", j.token(pagetoken.Review, r), nil); !strings.Contains(v.body,
		"<strong>All 2 steps</strong>") {
		t.Error(v.body)
	}
	t.Run("what cannot be one transaction is offered as no choice", func(t *testing.T) {
		if _, err := svc.Stop(t.Context(), made.ID, func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		one, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepBob)))
		if err != nil {
			t.Fatal(err)
		}
		view := j.do("GET", "/api/bundle/"+string(one.ID)+"/view", j.token(pagetoken.Bundle, string(one.ID)), nil)
		if view.status != http.StatusOK || strings.Contains(view.body, "data-mode") {
			t.Error(view.body)
		}
		made, err := svc.Ask(t.Context(), "", false, stepsOf(plan.Intent{Type: "manager-create"},
			plan.Intent{Type: "cancel-all-orders"}))
		if err != nil || svc.Atomic(t.Context(), made) {
			t.Fatalf("%v, or they can be one transaction", err)
		}
		view = j.do("GET", "/api/bundle/"+string(made.ID)+"/view", j.token(pagetoken.Bundle, string(made.ID)), nil)
		if strings.Contains(view.body, "data-mode") || !strings.Contains(view.body,
			"A single transaction is not possible now: Step 2: This step needs a balance manager that is on chain") {
			t.Error(view.body)
		}
		made, err = svc.Ask(t.Context(), "", false, stepsOf(plan.Intent{Type: "manager-create"},
			plan.Intent{Type: "manager-deposit", ManagerOf: 1, From: plan.IntentSource{Symbol: "SUI", Amount: "3"}}))
		if err != nil || !svc.Atomic(t.Context(), made) {
			t.Fatalf("%v, or they cannot be one transaction", err)
		}
		view = j.do("GET", "/api/bundle/"+string(made.ID)+"/view", j.token(pagetoken.Bundle, string(made.ID)), nil)
		if !strings.Contains(view.body, "data-mode") || !strings.Contains(plain(view.body),
			"3 SUI into your new DeepBook balance manager") {
			t.Error(plain(view.body))
		}
	})
}

// TestReviewParted splits one transaction on its page, so that its steps are signed one by one.
func TestReviewParted(t *testing.T) {
	j := newJob(t, nil)
	j.bundled()
	j.house.Connect(sandbox.Account)
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepAlice}
	r, err := j.reviews.Prepare(t.Context(), plan.Intent{Type: plan.Bundle,
		Steps: []plan.Intent{testkit.Swap("10", "SUI", "USDC"), fed}})
	if err != nil {
		t.Fatal(err)
	}
	api, token := "/api/review/"+string(r.ID), j.token(pagetoken.Review, string(r.ID))
	if v := j.do("GET", api+"/view", token, nil); !strings.Contains(v.body, `data-action="steps"`) {
		t.Fatal(v.body)
	}
	if a := j.do("POST", api+"/steps", j.token(pagetoken.Review, string(r.ID)), fields{}); a.status < 400 {
		t.Error("a tab that looks on chose")
	}
	if a := j.do("POST", api+"/steps", token, fields{}); a.status != http.StatusOK ||
		!strings.Contains(a.text("url"), "/bundle/") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	v := j.do("GET", api+"/view", token, nil)
	for _, words := range []string{"You chose one signature per step", "Nothing was handed to a wallet", "Continue"} {
		if !strings.Contains(v.body, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if strings.Contains(v.body, `data-action="steps"`) || strings.Contains(v.body, `data-action="sign"`) {
		t.Error("it is offered once more")
	}
	if a := j.do("POST", api+"/bundle", token, fields{}); a.status != http.StatusOK {
		t.Error(a.body)
	}
}
