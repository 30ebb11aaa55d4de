package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	reviewweb "github.com/sayurintent/sayurintent/review/web"
)

// TestUseInstead checks that only an active tab of a browser session can change a request, at the
// revision that it shows, and that a transaction of the earlier request is no longer released.
func TestUseInstead(t *testing.T) {
	j := newJob(t, nil)
	j.bundled()
	j.house.Connect(sandbox.Account)
	r, err := j.reviews.Prepare(t.Context(), testkit.Swap("10", "SUI", "USDC"))
	if err == nil {
		r, err = j.reviews.Opened(t.Context(), r.ID)
	}
	if err == nil {
		r, err = j.reviews.ComputeNow(t.Context(), r.ID, r.Revision)
	}
	if err != nil {
		t.Fatal(err)
	}
	api := "/api/review/" + string(r.ID)
	linked := j.token(pagetoken.Review, string(r.ID))
	change := func(more fields) fields {
		body := fields{"revision": r.Revision, "amount": "5"}
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	if a := j.do("POST", api+"/whatif", linked, change(nil)); a.status != http.StatusOK || !strings.Contains(a.body,
		"Unlock with your wallet") ||
		strings.Contains(a.body, `data-action="instead"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := j.do("POST", api+"/instead", linked, change(nil)); a.status < 400 {
		t.Errorf("a link that a client had changed it: %s", a.body)
	}
	session, _ := j.browse()
	open := func() string {
		t.Helper()
		a := j.do("POST", "/api/exchange", "", fields{"kind": "review", "id": string(r.ID), "session": session})
		if a.text("token") == "" {
			t.Fatal(a.body)
		}
		return a.text("token")
	}
	reader, leading := open(), open()
	if a := j.do("POST", api+"/continue", leading, fields{"revision": r.Revision}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	if a := j.do("POST", api+"/whatif", reader, change(nil)); a.status != http.StatusOK || !strings.Contains(a.body,
		"5 SUI") ||
		strings.Contains(a.body, `data-action="instead"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	for name, a := range map[string]answer{
		"a reader":         j.do("POST", api+"/instead", reader, change(nil)),
		"another revision": j.do("POST", api+"/instead", leading, change(fields{"revision": r.Revision + 1})),
		"no change":        j.do("POST", api+"/instead", leading, fields{"revision": r.Revision}),
		"no number":        j.do("POST", api+"/instead", leading, change(fields{"amount": "1,000"})),
		"too much":         j.do("POST", api+"/instead", leading, change(fields{"slippage": "11"})),
		"a price":          j.do("POST", api+"/instead", leading, change(fields{"price": "2"})),
	} {
		if a.status < 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for name, body := range map[string]fields{"1,000": {"amount": "1,000"}, "0": {"amount": "0"},
		"11": {"slippage": "11"}} {
		if a := j.do("POST", api+"/whatif", leading, change(body)); a.status != http.StatusOK || !strings.Contains(a.body,
			"caution") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := j.do("POST", api+"/whatif", leading, change(fields{"amount": "100000000"})); !strings.Contains(a.body,
		"caution") ||
		strings.Contains(a.body, `data-action="instead"`) {
		t.Errorf("more than there is: %s", a.body)
	}
	a := j.do("POST", api+"/instead", leading, change(nil))
	if a.status != http.StatusOK || !strings.Contains(a.text("url"), "/review/") || strings.Contains(a.text("url"),
		string(r.ID)) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := j.do("POST", api+"/handoff", leading, fields{"revision": r.Revision,
		"commitment": r.Commitment}); a.status < 400 {
		t.Errorf("the earlier transaction was handed out: %s", a.body)
	}
	if a := j.do("POST", api+"/instead", leading, change(fields{"amount": "6"})); a.status < 400 {
		t.Errorf("it was changed twice: %s", a.body)
	}
}

// TestWhatIfBounds checks that each browser has one comparison at a time, and a maximum number per
// minute.
func TestWhatIfBounds(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	begin := reviewweb.NewTrials()
	end, err := begin("one", now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin("one", now); err == nil {
		t.Error("two at a time")
	}
	other, err := begin("other", now)
	if err != nil {
		t.Fatal(err)
	}
	other()
	end()
	for range reviewweb.MaxTrials - 1 {
		end, err := begin("one", now)
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
	if _, err := begin("one", now); err == nil {
		t.Error("any number in a minute")
	}
	if _, err := begin("one", now.Add(time.Minute)); err != nil {
		t.Errorf("a minute later: %v", err)
	}
}
