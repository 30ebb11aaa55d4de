package web_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserHomeDay follows the home page from the first start to the first finished requests:
// what needs the user and its state, an answer given on the page, the account's holdings, and the
// list of all reviews.
func TestBrowserHomeDay(t *testing.T) {
	inBrowser(t)
	j, b, other := newJob(t, nil), newBrowser(t), newBrowser(t)
	dir := screenshotDir(t)
	if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("Connect a wallet to start")
	b.wordBudget(t, "home before the first wallet", 150)
	b.pictures(dir, "home-first")

	j.withWallet()
	b.waitText("Nothing needs you")
	b.waitText("At DeepBook prices")
	b.waitText("USDC")
	b.pictures(dir, "home-nothing")

	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.waitText("1 thing needs you")
	b.waitText("New")
	other.open(link)
	other.waitStage("ready")
	b.waitText("Ready to sign")
	b.waitText("Price holds 0:")
	_, second := j.prepare(pay("250", "USDC", stranger.String()))
	page := other.another()
	page.open(second)
	page.waitStage("ready")
	b.waitText("Send 250 USDC to an unknown address")
	asked := j.question(j.db.Bus(t.Context()), time.Now().Add(10*time.Minute),
		bus.Question{Text: "Which venue should I use for WAL?"})
	b.waitText("3 things need you")
	b.waitText("claude-code has a question")
	b.wordBudget(t, "home", 150)
	b.pictures(dir, "home")

	b.click(`[data-part="unfold"]`)
	b.keyTo(`[data-draft]`)
	b.press("the cheaper one")
	b.pictures(dir, "home-answer")
	b.enter(`[data-form="answer"] button`)
	b.waitText("2 things need you")
	if got, err := j.db.Task(t.Context(), asked.ID); err != nil || string(got.Result) != `{"answer":"the cheaper one"}` {
		t.Errorf("%s %v", got.Result, err)
	}

	other.renewed()
	other.click(`[data-action="sign"]`)
	other.waitStage("success")
	b.waitText("1 thing needs you")
	b.waitText("Swapped ")
	b.waitText("proved")
	b.pictures(dir, "home-recent")
	b.click(`a[href="/reviews"].link`)
	b.waitText("Waiting 1")
	b.waitText("Ended")
	b.wordBudget(t, "reviews", 120)
	b.pictures(dir, "reviews")
	b.click(`.rows .go[href="/review/` + string(id) + `"]`)
	b.waitStage("success")
	if s := j.session(id); s.Status != record.Success {
		t.Error(s.Status)
	}
	for _, tab := range []*tab{b, other} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// TestBrowserReviewsEmpty opens the list of reviews when it is empty, and turns its pages.
func TestBrowserReviewsEmpty(t *testing.T) {
	inBrowser(t)
	r, b := newRig(t, nil), newBrowser(t)
	b.open(r.link(pagetoken.Reviews, pagetoken.ReviewsSubject))
	b.waitText("No reviews yet")
	b.pictures(screenshotDir(t), "reviews-empty")
	for range 21 {
		s, materials := sample(t, record.Expired)
		r.put(s, materials)
	}
	b.waitText("1 to 20")
	b.click(`[data-action="turn"]`)
	b.waitText("21 to 21")
	b.click(`[data-action="turn"]`)
	b.waitText("1 to 20")
}

// TestBrowserConnectWords counts the words on the connect page, with a wallet that was used before
// and one that is on another network.
func TestBrowserConnectWords(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.use(stranger, "Slush")
	j.useWallet(b, "far")
	i, err := j.accounts.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Connect, i.ID))
	b.says([]string{"Connect your wallet", "It cannot move anything.", "Used here before", "Slush",
		"Found in this browser",
		"Sandbox test wallet", "Never type a recovery phrase here."}, nil)
	b.wordBudget(t, "connect", 80)
	b.pictures(screenshotDir(t), "connect-choose")
}
