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
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestBundlePage calls the routes of a bundle's page as its script does, and in ways in which it
// never would.
func TestBundlePage(t *testing.T) {
	j := newJob(t, nil)
	svc := j.bundled()
	j.house.Connect(sandbox.Account)
	made, err := svc.Ask(t.Context(), `<b>"Pay"</b>`, false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	api := "/api/bundle/" + string(made.ID)
	first, second := j.token(pagetoken.Bundle, string(made.ID)), j.token(pagetoken.Bundle, string(made.ID))
	view := j.do("GET", api+"/view", second, nil)
	if view.status != http.StatusOK || strings.Contains(view.body, "<b>") || !strings.Contains(view.body, "Use it here") ||
		strings.Contains(view.body, `data-action="approve"`) {
		t.Errorf("what a tab that looks on sees: %d %s", view.status, view.body)
	}
	shown := fields{"revision": made.Revision}
	home := j.token(pagetoken.Home, pagetoken.HomeSubject)
	t.Run("a tab that looks on, another page and an outdated one answer nothing", func(t *testing.T) {
		for name, a := range map[string]answer{
			"looks on": j.do("POST", api+"/approve", second, shown), "another page": j.do("POST", api+"/approve", home, shown),
			"outdated": j.do("POST", api+"/approve", first, fields{"revision": made.Revision + 1}), "no token": j.do("POST", api+
				"/approve", "", shown),
			"of another bundle": j.do("POST", "/api/bundle/other/approve", first, shown),
			"with a password":   j.do("POST", api+"/approve", first, fields{"revision": made.Revision, "password": "secret"}),
		} {
			if a.status < 400 {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		if b, err := svc.Get(t.Context(), made.ID); err != nil || b.State != request.Asked {
			t.Errorf("%v %s", err, b.State)
		}
	})
	t.Run("the page of what waits lists it, whoever asked for it, and opens it", func(t *testing.T) {
		v := j.do("GET", "/api/home/view", home, nil)
		if !strings.Contains(v.body, `href="/bundle/`+string(made.ID)+`"`) || !strings.Contains(v.body, "1 thing needs you") {
			t.Error(v.body)
		}
	})
	if a := j.do("POST", api+"/approve", first, shown); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	open := j.until(svc, made.ID, func(b request.Request) bool {
		return b.Present() != nil &&
			b.Present().State == request.Open
	})
	if a := j.do("POST", api+"/open", first, fields{}); a.status != http.StatusOK || !strings.Contains(a.text("url"),
		"/review/"+string(open.Steps[0].Review)+"#") {
		t.Error(a.body)
	}
	t.Run("R000-33 the review of a step says that it is one, and is not handed out once the bundle has ended",
		func(t *testing.T) {
			r, err := j.reviews.Opened(t.Context(), open.Steps[0].Review)
			if err != nil {
				t.Fatal(err)
			}
			r = j.house.Compute(r)
			token := j.token(pagetoken.Review, string(r.ID))
			if v := j.do("GET", "/api/review/"+string(r.ID)+"/view", token, nil); !strings.Contains(v.body,
				"<strong>Step 1 of 2</strong>") {
				t.Error(v.body)
			}
			if a := j.do("POST", "/api/review/"+string(r.ID)+"/bundle", token, fields{}); !strings.Contains(a.text("url"),
				"/bundle/"+string(made.ID)+"#") {
				t.Error(a.body)
			}
			if a := j.do("POST", api+"/stop", first, fields{}); a.status != http.StatusOK {
				t.Error(a.body)
			}
			a := j.do("POST", "/api/review/"+string(r.ID)+"/handoff", token, fields{"revision": r.Revision,
				"commitment": r.Commitment, "accepted": testkit.Ticks(r)})
			if a.status != http.StatusConflict || !strings.Contains(a.body, "a bundle that has ended") {
				t.Errorf("%d %s", a.status, a.body)
			}
			if v := j.do("GET", "/api/review/"+string(r.ID)+"/view", token, nil); !strings.Contains(v.body,
				"a bundle that has ended") {
				t.Error("the page of the review does not say so")
			}
		})
	t.Run("one that is over is listed no more", func(t *testing.T) {
		if v := j.do("GET", "/api/home/view", home, nil); strings.Contains(v.body, string(made.ID)) {
			t.Error(v.body)
		}
	})
	t.Run("a console opens bundles of its own client alone", func(t *testing.T) {
		if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
			t.Fatal(err)
		}
		own := j.token(pagetoken.Console, j.db.Bus(t.Context()))
		if a := j.do("POST", "/api/console/"+j.db.Bus(t.Context())+"/bundle", own,
			fields{"id": made.ID}); a.status != http.StatusOK {
			t.Error(a.body)
		}
		foreign := j.token(pagetoken.Console, "another")
		if a := j.do("POST", "/api/console/another/bundle", foreign, fields{"id": made.ID}); a.status != http.StatusNotFound {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// until waits until a bundle is as wanted.
func (j *job) until(svc *request.Service, id request.ID, want func(request.Request) bool) request.Request {
	j.t.Helper()
	var b request.Request
	double.Until(j.t, "the bundle comes so far", func() bool {
		var err error
		if b, err = svc.Get(j.t.Context(), id); err != nil {
			j.t.Fatal(err)
		}
		return want(b)
	})
	return b
}

// BenchmarkSixteenSteps measures validating, storing and showing a bundle of sixteen steps.
func BenchmarkSixteenSteps(b *testing.B) {
	n := newBench(b)
	n.house.Connect(sandbox.Account)
	for b.Loop() {
		b.StopTimer()
		var list []plan.Intent
		for i := range 16 {
			list = append(list, payOf("1."+strings.Repeat("1", i%8+1), stepAlice))
		}
		list[0], list[1] = testkit.Swap("10", "SUI", "USDC"), plan.Intent{Type: "transfer",
			From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepBob}
		b.StartTimer()
		made, err := n.bundles.Ask(b.Context(), "Sixteen", false, stepsOf(list...))
		if err != nil {
			b.Fatal(err)
		}
		n.ask("GET", "/api/bundle/"+string(made.ID)+"/view", n.open(pagetoken.Bundle, string(made.ID)), nil)
		b.StopTimer()
		if _, err := n.bundles.Reject(b.Context(), made.ID, request.Answer{Revision: made.Revision,
			Right: func(context.Context) error { return nil }}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// TestBundleShares checks that the approval page shows each amount as a share of the account's
// balance, and says so if no node reports the balance.
func TestBundleShares(t *testing.T) {
	j := newJob(t, nil)
	svc := j.bundled()
	j.house.Connect(sandbox.Account)
	held, err := j.house.Node.Balance(t.Context(), sandbox.Account, sui.SUI)
	if err != nil {
		t.Fatal(err)
	}
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("1", stepAlice),
		payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	view := func(id request.ID) string {
		v := j.do("GET", "/api/bundle/"+string(id)+"/view", j.token(pagetoken.Bundle, string(id)), nil)
		if v.status != http.StatusOK {
			t.Fatal(v.body)
		}
		return v.body
	}
	of := func(raw sui.Raw) string {
		return plan.PercentOf(plan.ShareBps(raw, held.Total)) + " of your SUI"
	}
	body := view(made.ID)
	for _, want := range []string{of(1_000_000_000) + ", each</bdi>", of(2_000_000_000) + "</bdi></p>", of(4_000_000_000) +
		"</bdi></small>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	j.house.Inject(sandbox.Fault{Kind: sandbox.Fail})
	if body := view(made.ID); !strings.Contains(body, "How much SUI your account has is not known.") ||
		strings.Contains(body, "% of the SUI") {
		t.Error(body)
	}
	j.house.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	if _, err := svc.Stop(t.Context(), made.ID, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if made, err = svc.Ask(t.Context(), "", false, stepsOf(payOf("9000000", stepAlice))); err != nil {
		t.Fatal(err)
	}
	if body := view(made.ID); !strings.Contains(body, "More than the ") {
		t.Error(body)
	}
}

// TestEqualStepsTakeOneTick checks that equal steps that repeat the same request are one line with
// one "Yes, again", which names that request.
func TestEqualStepsTakeOneTick(t *testing.T) {
	j := newJob(t, nil)
	svc := j.bundled()
	j.house.Connect(sandbox.Account)
	r, err := j.reviews.Prepare(t.Context(), payOf("1", stepAlice))
	if err != nil {
		t.Fatal(err)
	}
	if r, err = j.reviews.Opened(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	j.house.HandOff(j.house.Compute(r))
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("1", stepAlice),
		payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	token, api := j.token(pagetoken.Bundle, string(made.ID)), "/api/bundle/"+string(made.ID)
	view := j.do("GET", api+"/view", token, nil).body
	accept := "again:" + string(r.ID)
	if strings.Count(view, `data-accept="`+accept+`"`) != 1 || strings.Count(view, "data-accept=") != 1 ||
		!strings.Contains(view, "3 ×") {
		t.Error(view)
	}
	if a := j.do("POST", api+"/approve", token, fields{"revision": made.Revision}); a.status < 400 {
		t.Error("approved without the tick")
	}
	if a := j.do("POST", api+"/approve", token, fields{"revision": made.Revision,
		"accepted": []string{accept}}); a.status != http.StatusOK {
		t.Error(a.body)
	}
}

// TestLinksOfASession checks that a tab of a browser session gets plain addresses and is active on
// the pages to which they lead. Any other tab gets a code for the one page that belongs to its own,
// and does not become active there.
func TestLinksOfASession(t *testing.T) {
	j := newJob(t, nil)
	svc := j.bundled()
	j.house.Connect(sandbox.Account)
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	api := "/api/bundle/" + string(made.ID)
	first, second := j.token(pagetoken.Bundle, string(made.ID)), j.wide(pagetoken.Bundle, string(made.ID))
	looksOn := func(token string) bool {
		t.Helper()
		return strings.Contains(j.do("GET", api+"/view", token, nil).body, "Use it here")
	}
	if !looksOn(first) || looksOn(second) {
		t.Error("the tab of the session does not lead")
	}
	if a := j.do("POST", api+"/approve", second, fields{"revision": made.Revision}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	j.until(svc, made.ID, func(b request.Request) bool { return b.Present() != nil && b.Present().State == request.Open })
	if url := j.do("POST", api+"/open", second, fields{}).text("url"); !strings.Contains(url, "/review/") ||
		strings.Contains(url, "#") {
		t.Errorf("in a session: %s", url)
	}
	if a := j.do("POST", api+"/continue", first, fields{}); a.status != http.StatusConflict {
		t.Errorf("a tab outside of the session took the lead: %d %s", a.status, a.body)
	}
}
