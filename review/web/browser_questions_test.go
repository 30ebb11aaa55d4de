package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// firstScreen returns the text on the first screen of a page. A word outside it or under a bar does
// not count.
const firstScreen = `(() => {
  const seen = [], range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest('option, template')) continue;
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const { left, top, width, height } = range.getBoundingClientRect();
      const at = width && document.elementFromPoint(left + width / 2, top + height / 2);
      if (at && (at.contains(node) || node.parentElement.contains(at))) seen.push((index && node.data[index - 1].trim() ? '' : ' ') + word);
    }
    seen.push(' ');
  }
  return seen.join('').replace(/\s+/g, ' ');
})()`

// tenSeconds takes pictures of the first screen of pages on a phone. Each answers the question that
// a user has there. They are saved to SAY_UR_INTENT_SCREENSHOTS, with a list.
type tenSeconds struct {
	dir  string
	list []string
}

// answered fails unless the first screen of the page contains all words.
func (q *tenSeconds) answered(b *tab, name, question string, words ...string) {
	b.t.Helper()
	b.media("prefers-color-scheme", "light", "prefers-reduced-motion", "reduce")
	b.phone()
	b.eval(`(() => { document.activeElement.blur(); scrollTo(0, 0); })()`)
	list, err := json.Marshal(words)
	if err != nil {
		b.t.Fatal(err)
	}
	missing := fmt.Sprintf("((seen) => %s.filter((words) => !seen.includes(words.replaceAll(' ', ''))))(%s.replaceAll(' ', ''))",
		list, firstScreen)
	for end := time.Now().Add(waitTime); b.eval(missing+".length") != "0" && time.Now().Before(end); {
		b.elapse(100)
	}
	if absent := b.eval(missing + ".join(' | ')"); absent != "" {
		b.t.Errorf("the first screen of %s lacks: %s\nIt reads: %s", name, absent, b.eval(firstScreen))
	}
	if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
		b.t.Errorf("%s is %s pixels too wide", name, over)
	}
	if q.dir != "" {
		q.list = append(q.list, fmt.Sprintf("- %s → %s.png → “%s”", question, name, strings.Join(words, "”, “")))
		for _, theme := range []string{"light", "dark"} {
			b.media("prefers-color-scheme", theme, "prefers-reduced-motion", "reduce")
			for _, width := range []int64{390, 1280} {
				if b.phone(); width != 390 {
					b.size(width, 900)
				}
				file := name
				if theme+fmt.Sprint(width) != "light390" {
					file += fmt.Sprintf("-%s-%d", theme, width)
				}
				picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
				if err == nil {
					err = os.WriteFile(filepath.Join(q.dir, file+".png"), picture, 0o644)
				}
				if err != nil {
					b.t.Fatal(err)
				}
			}
		}
	}
	b.theme("light")
	b.size(1280, 900)
}

// phone sets the size of a phone's screen, with two dots per pixel.
func (b *tab) phone() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: 390, Height: 844, DeviceScaleFactor: 2})
	if err != nil {
		b.t.Fatal(err)
	}
}

func newQuestions(t *testing.T) *tenSeconds {
	q := &tenSeconds{dir: screenshotDir(t)}
	t.Cleanup(func() {
		if q.dir == "" || t.Failed() {
			return
		}
		path := filepath.Join(q.dir, strings.ToLower(t.Name())+".md")
		if err := os.WriteFile(path, []byte(strings.Join(q.list, "\n")+"\n"), 0o644); err != nil {
			t.Error(err)
		}
	})
	return q
}

// client sets the name of the requesting AI client.
func (j *job) client(name string) {
	j.t.Helper()
	if err := j.db.Converse(j.t.Context(), name); err != nil {
		j.t.Fatal(err)
	}
}

// knownPayee adds an address to the book and pays it.
func (j *job) knownPayee(title, address string) {
	j.t.Helper()
	names := book.NewService(j.db, time.Now)
	if _, err := names.Add(j.t.Context(), book.Person, []book.Target{{Title: title, Address: address,
		Chain: "Sui"}}); err != nil {
		j.t.Fatal(err)
	}
	j.house.Settle(j.house.Ready(payOf("1.5", address)))
}

// TestBrowserTenSecondsOfReviews checks for each kind of review that the first screen of a phone
// answers what a user must know within ten seconds.
func TestBrowserTenSecondsOfReviews(t *testing.T) {
	inBrowser(t)
	j, b, q := newJob(t, nil), newBrowser(t), newQuestions(t)
	j.client("Claude Desktop")
	j.knownPayee("Alice", stepAlice)
	j.withWallet()
	ready := func(in plan.Intent) record.ID {
		t.Helper()
		id, link := j.prepare(in)
		b.open(link)
		b.waitStage("ready")
		b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
		return id
	}
	sign := func() {
		t.Helper()
		b.click(`[data-action="sign"]`)
		b.waitStage("success")
	}
	ready(testkit.Swap("10", "SUI", "USDC"))
	q.answered(b, "swap", "Most that leaves, least that arrives, is the price fair", "Swap up to 10 SUI",
		"You pay at most 10 SUI", "You get at least 12.732756 USDC", "No problems found",
		"The guaranteed price is 0.57% under the market.", "Decline", "Sign in")
	sign()
	b.wait(`document.body.innerText.includes('Proved by')`)
	q.answered(b, "receipt", "It happened, how much came, proved", "Swapped 9.91 SUI for 12.79 USDC",
		"0.06 USDC more than guaranteed", "+12.79674 USDC", "Proved")
	ready(pay("3", "USDC", stepAlice))
	q.answered(b, "payment", "Who, how much, met before", "Send 3 USDC to “Alice”", "You pay exactly 3 USDC", "Alice",
		"you paid it from here before", "Paid once, 1.5 SUI", "Decline", "Sign in")
	_, link := j.prepare(pay("250", "USDC", stepAlice[:10]+strings.Repeat("5e07", 12)+stepAlice[58:]))
	b.open(link)
	b.waitStage("blocked")
	q.answered(b, "do-not-sign", "That I must not, why, which button", "Do not sign.", "This address imitates “Alice”",
		"Scammers make addresses like this", "Compare all characters", "Decline")
	ready(plan.Intent{Type: "manager-create"})
	sign()
	ready(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "60"}})
	sign()
	order := func(price string) {
		_, link := j.prepare(plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell",
			Price: price, Quantity: "30"}})
		b.open(link)
		b.waitStage("ready")
		b.wait(`document.querySelector('.ladder .own')`)
	}
	order("1.35")
	q.answered(b, "order-waits", "Fills now or waits, how far off", "Sell 30 SUI at 1.35 USDC", "This order waits",
		"The market is at 1.2929", "4.41% above")
	b.wordBudget(t, "an order that waits", 150)
	order("1.25")
	q.answered(b, "order-fills", "Fills now or waits, how far off", "Sell 30 SUI at 1.25 USDC", "This order fills now",
		"3.32% below")
}

// TestBrowserTenSecondsOfBundles does the same for bundles, signed step by step and at once.
func TestBrowserTenSecondsOfBundles(t *testing.T) {
	inBrowser(t)
	j, b, q := newJob(t, nil), newBrowser(t), newQuestions(t)
	svc := j.bundled()
	j.client("Claude Desktop")
	j.knownPayee("Alice", stepAlice)
	j.withWallet()
	steps := stepsOf(testkit.Swap("10", "SUI", "USDC"), pay("3", "USDC", stepAlice), payOf("15", stepAlice))
	made, err := svc.Ask(t.Context(), "Weekly rebalance", false, steps)
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.click(`[data-mode="steps"]`)
	b.waitText(", in 3 steps")
	b.wordBudget(t, "a bundle to approve", 160)
	q.answered(b, "bundle-asked", "What it is in all, who gets what", "Spend up to 10 SUI and pay “Alice” 3 USDC and 15 SUI",
		"in 3 steps", "Nothing is signed yet.", "Swap 10 SUI")
	b.click(`[data-action="approve"]`)
	b.waitStep("ready")
	b.click(`[data-action="sign"]`)
	b.waitText("Step 2 of 3 needs you")
	b.waitStep("ready")
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	q.answered(b, "bundle", "Where it stands, who gets what, what one press signs", "pay “Alice” 3 USDC",
		"Step 2 of 3 needs you.", "Swapped 9.91 SUI for 12.79 USDC", "Send 3 USDC to “Alice”", "Stop here", "Sign step 2")
	b.click(`[data-action="decline"]`)
	b.waitText("Stopped at step 2 of 3")
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepAlice}
	made, err = svc.Ask(t.Context(), "Swap, then send it to Alice", false, stepsOf(testkit.Swap("11", "SUI", "USDC"), fed))
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.click(`[data-mode="atomic"]`)
	b.waitText("in one transaction of 2 steps")
	b.phone()
	b.wordBudget(t, "a bundle signed at once, to approve", 160)
	b.click(`[data-action="approve"]`)
	b.waitStep("ready")
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	q.answered(b, "bundle-at-once", "Where it stands, who gets what, what one press signs",
		"Spend up to 11 SUI and pay “Alice”", "Either all of it happens, or none.", "You pay at most 11 SUI", "Sign in")
	b.wordBudget(t, "a bundle signed at once", 160)
}

// TestBrowserTenSecondsOfPages does the same for the other pages.
func TestBrowserTenSecondsOfPages(t *testing.T) {
	inBrowser(t)
	j, b, other, q := newJob(t, nil), newBrowser(t), newBrowser(t), newQuestions(t)
	j.client("Claude Desktop")
	j.knownPayee("Alice", stepAlice)
	j.withWallet()
	imitation := stepAlice[:10] + strings.Repeat("5e07", 12) + stepAlice[58:]
	for _, in := range []plan.Intent{testkit.Swap("10", "SUI", "USDC"), pay("250", "USDC", imitation)} {
		_, link := j.prepare(in)
		page := other.another()
		page.open(link)
		page.wait(`['ready', 'blocked'].includes(document.getElementById('view')?.dataset.stage)`)
	}
	j.question(j.db.Bus(t.Context()), time.Now().Add(10*time.Minute),
		bus.Question{Text: "Which venue should I use for WAL?"})
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("At DeepBook prices")
	q.answered(b, "home", "How many things need me, which is dangerous, roughly what I have", "3 things need you",
		"Do not sign", "Imitates “Alice”", "Ready to sign", "has a question")
	b.click(`a[href="/reviews"]`)
	b.waitText("Waiting")
	q.answered(b, "reviews", "What waits, what runs, what ended", "Waiting 2", "Swap up to 10 SUI", "Do not sign")

	pool, _ := registry.PoolByKey("SUI_USDC")
	j.house.Sandbox.Hold(sandbox.Account, oddCoin, 1_000_000, 7)
	if _, err := j.house.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 40_000_000_000}, {Coin: pool.Quote.Type,
			Amount: 310_000_000}},
		Orders: []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 1_350_000, Quantity: 30_000_000_000}}}); err != nil {
		t.Fatal(err)
	}
	j.house.Sandbox.Permit(ledger.Allowance{Funder: sandbox.Account, Spender: stranger, Coin: pool.Base.Type,
		Cap: 5_000_000_000})
	b.open(j.link(pagetoken.Account, sandbox.Account.String()))
	b.waitText("Sell 30 SUI at 1.35 USDC")
	b.waitText("may take")
	q.answered(b, "holdings", "Total, what is tied up, who may take from me", "≈", "At DeepBook prices", "310",
		"Others may take: 1 permission")
	b.wordBudget(t, "holdings with an order and a permission", 140)

	i, err := j.accounts.Create(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Connect, i.ID))
	b.waitText("Used here before")
	q.answered(b, "connect", "What the AI sees, what it cannot do", "Connect your wallet",
		"Your AI will see this address and what it holds.", "It cannot move anything.", "Use")
}

// TestBrowserTenSecondsOfTheBook checks that the address book shows which entries need confirmation
// and who named them.
func TestBrowserTenSecondsOfTheBook(t *testing.T) {
	inBrowser(t)
	r, b, q := newRig(t, nil), newBrowser(t), newQuestions(t)
	r.use(person, "Slush")
	r.namesOf("Claude Desktop")
	b.open(r.link(pagetoken.Book, pagetoken.BookSubject))
	b.waitText("Needs you 2")
	q.answered(b, "book", "Who needs confirming, who named whom", "Needs you 2", "My Ledger", "Named by Claude Desktop",
		"Imitates Alice", "Confirm", "Remove")
}

// TestBrowserTenSecondsOfSettings checks that the settings show what is left of today's limits, and
// how to pause signing.
func TestBrowserTenSecondsOfSettings(t *testing.T) {
	inBrowser(t)
	pool, _ := registry.PoolByKey("SUI_USDC")
	r := newRig(t, func(c *config) {
		set := (&rig{db: c.DB}).settingsConfig()
		set.Released = func(context.Context) ([]policy.Release, time.Time, error) {
			now := time.Now()
			return []policy.Release{{At: now, Takes: policy.Takes{sui.SUI: {Leaves: 265_000_000_000},
				pool.Quote.Type: {Leaves: 62_400_000}}}}, now, nil
		}
		c.Settings = settings.New(set)
	})
	b, q := newBrowser(t), newQuestions(t)
	r.use(person, "Slush")
	b.open(r.link(pagetoken.Settings, settingsID))
	b.click(`[data-preset="Everyday"]`)
	b.click(`[data-form="limits"] button.main`)
	b.waitText("265 of 300")
	b.do(chromedp.Reload())
	b.waitText("265 of 300")
	q.answered(b, "settings", "What is left today, how to stop", "Stop everything", "265 of 300", "62.4 of 500")
}
