package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserConsoleCycle runs the whole cycle of a wallet from the console. A prepared review
// appears, is opened from there and is signed with the test wallet. Its result appears in two tabs
// of the console.
func TestBrowserConsoleCycle(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	console, second := b.another(), b.another()
	for _, tab := range []*tab{console, second} {
		tab.open(j.link(pagetoken.Console, j.db.Bus(t.Context())))
		tab.waitText("Nothing waits for you")
	}
	console.pictures(dir, "console-empty")

	id, _ := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	t.Run("R003-27 R003-33 what is prepared appears by itself, in both tabs", func(t *testing.T) {
		console.waitText("One thing waits for you")
		second.waitText("One thing waits for you")
	})
	console.reloadAndBack(j.origin+"/receipt/x", "One thing waits for you")
	// The link would open a new tab. The test opens its address in this one instead.
	console.eval(`window.open = (url) => { window.led = url; }`)
	console.click(`[data-action="open"]`)
	console.wait(`Boolean(window.led)`)
	b.open(console.eval(`window.led`))
	b.waitStage("ready")
	t.Run("R003-15 R003-73 progress shows",
		func(t *testing.T) { console.waitText("Ready to be read. Nothing has been signed.") })
	console.pictures(dir, "console-waiting")
	console.do(chromedp.Reload())
	console.waitText("Ready to be read. Nothing has been signed.")
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	t.Run("R003-74 R003-106 the outcome shows, and nothing waits any more", func(t *testing.T) {
		for _, tab := range []*tab{console, second} {
			tab.waitText("Swapped")
			tab.waitText("Nothing waits for you")
		}
	})
	console.do(chromedp.Reload())
	console.waitText("Swapped")
	console.waitText("Proved: signed by 3 of 4 validators")
	if s := j.session(id); s.Status != record.Success {
		t.Error(s.Status)
	}
	console.pictures(dir, "console-done")
	for _, tab := range []*tab{console, second} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// TestBrowserConsoleQuestions answers with the keyboard and by choice. Typed text survives a redraw
// of the page. The page reports a lost connection and its return.
func TestBrowserConsoleQuestions(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	token := consoleOf(r)
	until := time.Now().Add(10 * time.Minute)
	dir := screenshotDir(t)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Console, r.db.Bus(t.Context())))
	b.waitText("Nothing waits for you")
	free := r.question(r.db.Bus(t.Context()), until, bus.Question{Text: "How much of it, and why?"})
	b.waitText("How much of it, and why?")
	b.keyTo(`[data-draft]`)
	b.press("half of it")
	choice := r.question(r.db.Bus(t.Context()), until, bus.Question{Text: "Which pool?", Choices: []string{"SUI/USDC",
		"DEEP/SUI"}})
	b.waitText("Which pool?")
	if got := b.eval(`document.querySelector('[data-draft]').value + (document.activeElement.dataset.draft ? '' : ', unfocused')`); got != "half of it" {
		t.Errorf("drawn anew, the answer reads %q", got)
	}
	b.pictures(dir, "console-questions")
	b.enter(`[data-form="answer"] button`)
	b.waitText("You answered")
	b.clickText(`[data-action="choose"]`, "DEEP/SUI")
	b.wait(`!document.querySelector('[data-action="choose"]')`)
	for task, want := range map[string]string{free.ID: `{"answer":"half of it"}`, choice.ID: `{"answer":"DEEP/SUI"}`} {
		if got, err := r.db.Task(context.Background(), task); err != nil || string(got.Result) != want {
			t.Errorf("%s %v", got.Result, err)
		}
	}
	b.click(`[data-action="ask"]`)
	t.Run("R003-41 R003-43 R003-76 a button is answered without the AI client",
		func(t *testing.T) { b.waitText("The price of gas") })

	r.server.Shutdown(context.Background())
	b.waitText("lost its connection to Say Ur Intent at")
	b.waitText("shows what was true then")
	b.pictures(dir, "console-lost")
	r.serve(nil)
	b.wait(`document.getElementById('lost').hidden`)
	if _, err := r.db.Append(t.Context(), noticeOf(t, "It goes on.")); err != nil {
		t.Fatal(err)
	}
	b.waitText("It goes on.")
	if a := r.do("POST", "/api/freeze", token, fields{}); a.status != 200 {
		t.Fatal(a.body)
	}
	b.waitText("Everything is stopped.")
	b.pictures(dir, "console-stopped")
	if said := b.complaints(); len(said) > 0 && !strings.Contains(strings.Join(said, ""), "ERR_CONNECTION") {
		t.Error(said)
	}
}

func noticeOf(t *testing.T, words string) bus.Event {
	t.Helper()
	e, err := bus.NewEvent("", "", bus.SystemNotice{Message: words})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
