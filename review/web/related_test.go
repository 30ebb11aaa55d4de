package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// openNext prepares another request of the same account and opens its page.
func (o *opened) openNext(in plan.Intent) *opened {
	o.t.Helper()
	id, link := o.prepare(in)
	_, code, _ := strings.Cut(link, "#")
	a := o.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": string(id), "code": code})
	if a.status != http.StatusOK {
		o.t.Fatalf("%d %s", a.status, a.body)
	}
	return &opened{o.job, id, "/api/review/" + string(id), a.text("token")}
}

// handoff requests the bytes in the same way as the page.
func (o *opened) handoff(accepted ...string) answer {
	o.t.Helper()
	s := o.session(o.id)
	body := map[string]any{"revision": s.Revision, "commitment": s.Commitment}
	if accepted != nil {
		body["accepted"] = accepted
	}
	return o.post("handoff", body)
}

func (o *opened) view() string { o.t.Helper(); return o.do("GET", o.path+"/view", o.token, nil).body }

// TestOpenReleaseOnThePage repeats a request while its first transaction has no result.
func TestOpenReleaseOnThePage(t *testing.T) {
	first := openReview(t)
	first.compute()
	if a := first.handoff(); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	second := first.openNext(testkit.Swap("10", "SUI", "USDC"))
	second.compute()
	replace, again := "replace:"+string(first.id), "again:"+string(first.id)
	shows := func(o *opened, words ...string) {
		t.Helper()
		view := o.view()
		for _, w := range words {
			if !strings.Contains(view, w) {
				t.Errorf("the page does not say %q", w)
			}
		}
	}
	t.Run("the page names the other one and asks for a press", func(t *testing.T) {
		shows(second, "Another transaction of this account is still open", "Swap 10 SUI to USDC", string(first.id),
			"It is not known whether it was signed.",
			"only one of them can execute", `data-accept="`+replace+`"`, "Replace it", `data-action="both"`)
	})
	t.Run("without it nothing is handed out, and the answer names the other review", func(t *testing.T) {
		for _, accepted := range [][]string{nil, {}, {again}, {"price:12.4", "venues", "opened_twice"}} {
			a := second.handoff(accepted...)
			second.refused(a, http.StatusConflict, "other_release_open")
			if a.text("error.details.reviewSessionId") != string(first.id) || a.text("error.details.reason") != "replace" {
				t.Errorf("%s", a.body)
			}
		}
	})
	t.Run("what no page offers is malformed", func(t *testing.T) {
		for _, id := range []string{"", "everything", "replace:", "replace:../..", "limits"} {
			second.refused(second.handoff(replace, id), http.StatusBadRequest, "input_invalid")
		}
		s := second.session(second.id)
		if a := second.post("handoff", map[string]any{"revision": s.Revision, "commitment": s.Commitment,
			"accepted": replace}); a.status != http.StatusBadRequest {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("I want both builds on other coins, and asks for a tick, after a reload too", func(t *testing.T) {
		gas := second.session(second.id).Facts.Gas.Payment[0]
		if a := second.post("compute", map[string]any{"revision": second.session(second.id).Revision,
			"again": true}); a.status != http.StatusAccepted {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if _, reached, err := second.reviews.Wait(t.Context(), second.id, waitTime,
			func(s record.Session) bool { return s.Again }); err != nil || !reached {
			t.Fatal("it was never computed again", err)
		}
		s := second.until(record.Ready)
		for s.text("computing") != "false" { // it is stored shortly before the computation ends
			s = second.until(record.Ready)
		}
		if got := second.session(second.id).Facts.Gas.Payment[0]; got.ID == gas.ID {
			t.Errorf("it uses the same gas coin: %s", s.body)
		}
		for range 2 {
			shows(second, `data-again="true"`, `data-accept="`+again+`"`, "do it a second time", "pay twice",
				`data-action="one"`)
		}
		second.refused(second.handoff(replace), http.StatusConflict, "other_release_open")
		if a := second.handoff(again); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("a page that only looks on is asked for nothing", func(t *testing.T) {
		third := first.openNext(testkit.Swap("10", "SUI", "USDC"))
		third.compute()
		onlooker := third.token
		third.token = third.rig.token("review", string(third.id))
		if view := third.view(); strings.Contains(view, "data-accept") || !strings.Contains(view, "still open") ||
			onlooker == third.token {
			t.Error("the page that looks on can answer, or is not told")
		}
	})
	t.Run("one that was done just now needs the tick, also for a part of something else", func(t *testing.T) {
		o := openReview(t)
		o.house.Settle(o.house.Compute(o.session(o.id)))
		again := "again:" + string(o.id)
		next := o.openNext(plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{pay("1", "SUI", payee), testkit.Swap("10",
			"SUI", "USDC")}})
		next.compute()
		shows(next, "You asked for the same before", "done less than 10 minutes ago", "it is step 2 here", string(o.id),
			`data-accept="`+again+`"`)
		if strings.Contains(next.view(), "still open") || strings.Contains(next.view(), `data-action="both"`) {
			t.Error("a transaction with a receipt is called open")
		}
		next.refused(next.handoff(), http.StatusConflict, "other_release_open")
		if a := next.handoff(again); a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
}

// TestBrowserOpenRelease does the same with the keyboard in a real browser.
func TestBrowserOpenRelease(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	out := func(in plan.Intent) record.Session {
		t.Helper()
		id, _ := j.prepare(in)
		s, err := j.reviews.Opened(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		s = j.house.Compute(s)
		j.house.HandOff(s)
		return s
	}
	first := out(pay("2.5", "USDC", payee))
	show := func(in plan.Intent) record.ID {
		t.Helper()
		id, link := j.prepare(in)
		b.open(link)
		b.waitStage("ready")
		return id
	}
	off := func(why string) {
		t.Helper()
		b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'true' && document.getElementById('view').classList.contains('unanswered')`)
		b.says([]string{"Answer the question first"}, nil)
		if got := b.eval(`document.querySelector('[data-action="sign"]').ariaDisabled`); got != "true" {
			t.Errorf("%s: sign is possible", why)
		}
	}
	const on = `document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`
	id := show(pay("2.50", "USDC", payee))
	off("nothing was accepted")
	b.says([]string{"Another transaction of this account is still open", "It is not known whether it was signed",
		"Replace it", "I want both", string(first.ID)}, nil)
	b.pictures(dir, "open-release-replace")
	b.size(390, 844)
	if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
		t.Errorf("at 390 pixels it is %s pixels too wide", over)
	}
	b.size(1280, 900)
	b.enter(`[data-accept^="replace:"]`)
	b.wait(on)
	if got := b.eval(`document.querySelector('[data-accept]').getAttribute('aria-pressed')`); got != "true" {
		t.Errorf("pressed is %s", got)
	}
	b.enter(`[data-accept^="replace:"]`)
	off("this program discarded it")

	b.enter(`[data-action="both"]`)
	b.waitText("do it a second time")
	if s := j.session(id); !s.Again || s.Facts.Gas.Payment[0].ID == first.Facts.Gas.Payment[0].ID {
		t.Errorf("again %t, gas %v", s.Again, s.Facts.Gas.Payment)
	}
	b.pictures(dir, "open-release-both")
	b.do(chromedp.Reload())
	b.waitText("do it a second time")
	off("after a reload nothing is accepted")
	b.keyTo(`[data-accept^="again:"]`)
	b.press(" ")
	b.wait(on)
	b.enter(`[data-action="sign"]`)
	b.waitStage("success")

	t.Run("and the one that is replaced can never happen", func(t *testing.T) {
		b.t = t
		replaced := out(pay("1.5", "SUI", payee))
		id := show(pay("1.5", "SUI", payee))
		off("nothing was accepted")
		b.enter(`[data-accept^="replace:"]`)
		b.wait(on)
		b.enter(`[data-action="sign"]`)
		b.waitStage("success")
		if s := j.session(id); s.Status != record.Success {
			t.Errorf("%s", s.Status)
		}
		if _, reached, err := j.reviews.Wait(t.Context(), replaced.ID, waitTime,
			func(s record.Session) bool { return s.Releases[0].Dead }); err != nil || !reached {
			t.Error("it is not proved that the other one never happens", err)
		}
	})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
