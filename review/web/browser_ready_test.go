package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/draw"
)

// readyCase is a page before a signature: how to create it, what it must say, and what would be
// wrong.
type readyCase struct {
	name   string
	status record.Status
	change func(*record.Session)
	must   []string
	never  []string
}

// managerID is the balance manager in the samples.
var managerID = sui.MustAddress("0x" + strings.Repeat("0a1b", 16))

// readyCases returns the pages before a signature.
func readyCases() []readyCase {
	return []readyCase{
		{"clean-swap", record.Ready, func(*record.Session) {},
			[]string{"Swap up to 10 SUI for at least 12.84 USDC No problems found", "Guaranteed −1.14% −0.14727",
				"Expected −0.14% −0.017515",
				"On FlowX 1.3012 0.15% apart", "not guaranteed"},
			[]string{"I accept", "Look at", "Do not sign"}},
		{"bad-price", record.Ready, func(s *record.Session) {
			s.State.Outlook[0].Trade = &plan.Trade{Guaranteed: plan.Shortfall{Bps: 4060, Amount: usdcCoin.Of(8_775_000)},
				Expected: plan.Shortfall{Bps: 4000, Amount: usdcCoin.Of(8_645_000)}, ImpactBps: 3}
			s.State.Outlook[0].Other.Middle, s.State.Outlook[0].Other.ApartBps = "2.1655", 4000
			s.State.Checks = plan.WorstFirst(append(s.State.Checks,
				plan.Warn(plan.SourceQuote, "price", "Price",
					"The guaranteed price is 1.14% under the mid price of this market.", "").
					MustAccept("price", "I accept to get 1.14% less than the mid price"),
				plan.Warn(plan.SourceQuote, "venues", "Other venue", "FlowX has a mid price that is 40% away from this one.",
					"Ask for a review there.").
					MustAccept("venues", "I accept a market that is 40% away from FlowX")))
		}, []string{"Look at 2 things", "I accept a market that is 40% away from FlowX", "Guaranteed −40.6% −8.775",
			"40% apart",
			"Answer the question first"}, []string{"No problems found"}},
		{"thin-book", record.Ready, func(s *record.Session) {
			s.State.Outlook[0].Trade = &plan.Trade{Guaranteed: plan.Shortfall{Bps: 1840, Amount: usdcCoin.Of(215_000_000)},
				Expected: plan.Shortfall{Bps: 920, Amount: usdcCoin.Of(107_500_000)}, ImpactBps: 905}
			s.State.Checks = plan.WorstFirst(append(s.State.Checks, plan.Warn(plan.SourceQuote, "price", "Price",
				"The guaranteed price is 18.4% under the mid price of this market: 215 USDC less.",
				"Take a smaller amount, or less slippage.").
				MustAccept("price", "I accept to get up to 18.4% less than the mid price")))
		}, []string{"Look at 1 thing", "I accept to get up to 18.4% less", "Price impact 9.05%"},
			[]string{"No problems found"}},
		{"order-fills", record.Ready, func(s *record.Session) {
			order(s, "1.2", plan.OrderOutlook{DistanceBps: -764, Fills: suiCoin.Of(9_900_000_000),
				FillsFor: usdcCoin.Of(12_857_000), Average: "1.2987",
				Rests: suiCoin.Of(100_000_000)})
		}, []string{"Sell 10 SUI at 1.2 USDC per SUI or better", "Buyers pay at most 1.2991 USDC per SUI",
			"7.64% below the mid price",
			"It fills now: about 9.9 SUI at about 1.2987 USDC per SUI, about 12.857 USDC in all. The rest, 0.1 SUI, waits.",
			"Free in your balance manager", "12,030"}, []string{"It waits"}},
		{"order-waits", record.Ready, func(s *record.Session) {
			order(s, "1.32", plan.OrderOutlook{DistanceBps: 160, Rests: suiCoin.Of(10_000_000_000)})
		}, []string{"Sell 10 SUI at 1.32 USDC per SUI or better", "1.6% above the mid price",
			"It waits: nobody pays this price now."},
			[]string{"It fills now", plan.TermAtOnce}},
		{"order-far", record.Ready, func(s *record.Session) {
			order(s, "9.1", plan.OrderOutlook{DistanceBps: 60038, Rests: suiCoin.Of(10_000_000_000)})
		}, []string{"Sell 10 SUI at 9.1 USDC per SUI or better", "600.38% above the mid price",
			"It waits: nobody pays this price now."},
			[]string{"It fills now"}},
		{"cancel", record.Ready, cancellation, []string{"Cancel an order in SUI_USDC: sell SUI for USDC at 9.1 USDC per SUI",
			"This frees 10 SUI there."}, nil},
		{"payment", record.Ready, payment, []string{"Send 12,345.5 SUI to an unknown address", "Look at 1 thing",
			"You never paid this address from here.", "to somebody else"}, []string{"No problems found"}},
		{"opened-twice", record.Ready, func(s *record.Session) { s.OpenedTwice = true }, []string{"Look at 1 thing",
			"I opened it myself"}, nil},
		{"stale", record.RefreshRequired, func(*record.Session) {}, []string{"The figures are too old.",
			"You get at least 12.84573 USDC", "Get a new price"}, []string{"Sign in Sandbox"}},
		{"blocked-limit", record.Blocked, func(s *record.Session) {
			s.Reason, s.Facts, s.State.HumanReview = plan.AllowlistViolation, nil, nil
			s.State.Checks[0] = plan.Fail(plan.SourceAdapter, "allowance_per_day", "Limit of a day",
				"Up to 12000 SUI would leave. Your limit of 24 hours is 7.5 SUI.",
				"Only you can change this, on the settings page of this program; no AI client can. Then check again, or ask for a smaller amount.")
		}, []string{"Swap 10 SUI to USDC", "Over your limit (limit of a day).", "Up to 12,000 SUI would leave",
			"a link to the settings page", "Check again"}, []string{"Sign in Sandbox"}},
		{"blocked-funds", record.Blocked, func(*record.Session) {}, []string{"There is not enough in your account.",
			"The account holds 4.2 SUI in coins", "Check again"}, []string{"Sign in Sandbox", "Open the settings"}},
		{"blocked-for-good", record.Blocked, func(s *record.Session) {
			s.Reason = plan.UnsupportedAction
			s.State.Checks[0] = plan.Fail(plan.SourceAdapter, "unsupported", "Action", "This cannot be done here.",
				"Ask for something else.")
		}, []string{"This action is not supported.", "Ask for something else."}, []string{"Check again"}},
	}
}

// order changes a sample to a limit order that sells 10 SUI at a price.
func order(s *record.Session, price string, o plan.OrderOutlook) {
	o.Fills, o.FillsFor, o.Rests = suiCoin.Of(o.Fills.Raw), usdcCoin.Of(o.FillsFor.Raw), suiCoin.Of(o.Rests.Raw)
	offer := plan.Leaves(plan.RoleOffer, suiCoin.Of(10_000_000_000))
	offer.Party = plan.ObjectParty(managerID)
	held(s, plan.Promise{Outcomes: []plan.Outcome{{Name: "done", Bounds: []plan.Bound{offer}}}},
		"It is paid out of your own balance manager",
		&plan.Headline{Label: "Sell SUI for USDC", What: "10 SUI", Price: "at " + price + " USDC per SUI or better",
			Amount: true,
			Terms:  []string{"Order", "Quantity", "Price"}},
		plan.Term{Name: "Order", Value: "Sell SUI for USDC"}, plan.Term{Name: "Quantity", Value: "10 SUI"},
		plan.Term{Name: "Price", Value: price + " USDC per SUI"},
		plan.Term{Name: "Ends", Value: "When you cancel it"}, plan.Term{Name: plan.TermAtOnce,
			Value: "Yes, at this price or better"})
	s.Intent.Asked = "place an order to sell 10 SUI at " + price + " USDC per SUI"
	look := &s.State.Outlook[0]
	look.Order, look.Trade = &o, nil
	look.Holder = []plan.HolderBalance{{Asset: suiCoin, Before: 12_030_000_000_000, After: 12_020_000_000_000}}
	if o.Fills.Raw > 0 {
		look.Trade = &plan.Trade{Guaranteed: plan.Shortfall{Bps: 764, Amount: usdcCoin.Of(993_000)},
			Expected: plan.Shortfall{Bps: 5, Amount: usdcCoin.Of(5_940)}, ImpactBps: 5}
	}
}

// cancellation changes a sample to the cancellation of an order.
func cancellation(s *record.Session) {
	held(s, plan.Promise{Outcomes: []plan.Outcome{{Name: "done"}}},
		"What it tied up comes free in your own balance manager",
		&plan.Headline{Label: "Takes your order out of the book", What: "Sell SUI for USDC", Price: "at 9.1 USDC per SUI",
			Terms: []string{"Cancels", "Price"}},
		plan.Term{Name: "Cancels", Value: "Sell SUI for USDC"}, plan.Term{Name: "Price", Value: "9.1 USDC per SUI"})
	s.State.HumanReview.ProposedAction.Title = "Cancel an order in SUI_USDC"
	s.State.Outlook[0].Trade, s.State.Outlook[0].Market = nil, nil
	s.State.Outlook[0].Frees = []plan.Amount{suiCoin.Of(10_000_000_000)}
	s.State.Outlook[0].Holder = []plan.HolderBalance{{Asset: suiCoin, Before: 20_000_000_000, After: 30_000_000_000}}
}

// held changes a sample to an action on a balance manager.
func held(s *record.Session, p plan.Promise, part string, h *plan.Headline, terms ...plan.Term) {
	step := &s.Facts.Steps[0]
	step.Promise, step.Sends, step.Expected, step.Headline = p, sui.Address{}, plan.Amount{}, h
	step.Holder = &plan.Holder{ID: managerID, Part: part, Term: "Balance manager"}
	step.Terms = append(terms, plan.Term{Name: "Balance manager", Value: managerID.String()})
	s.State.Quote, s.State.HumanReview.Guarantee = nil, "Nothing but gas leaves your account."
	s.Holdings = s.Holdings[:1]
}

// payment changes a sample to a payment to an address that was never paid.
func payment(s *record.Session) {
	to, amount := sui.MustAddress(payee), suiCoin.Of(12_345_500_000_000)
	step := &s.Facts.Steps[0]
	step.Promise = plan.Promise{Outcomes: []plan.Outcome{{Name: "sent", Bounds: []plan.Bound{
		plan.Moves(plan.RoleInput, plan.Party{}, amount, true), plan.Moves(plan.RolePayment, plan.AddressParty(to), amount,
			false)}}}}
	step.Sends, step.Expected = to, plan.Amount{}
	step.Commands = []string{"Take 12345.5 SUI out of the SUI coin that pays for gas.", "Send them to " + payee + "."}
	s.Intent.Asked = "send 12345.5 SUI to " + payee
	s.State.Quote, s.State.Outlook = nil, nil
	s.State.HumanReview.Guarantee = "Exactly 12345.5 SUI leaves, and " + payee +
		" gets exactly that. A payment cannot be taken back."
	s.State.Checks = plan.WorstFirst(append(s.State.Checks,
		plan.Warn(plan.SourceWallet, "payment_recipient", "Recipient", "You never paid this address from here.",
			"Compare all of it with the one that you were given. A payment cannot be taken back."),
		plan.Pass(plan.SourceAdapter, "recipient_read", "Recipient", "The coins go to "+payee+".")))
}

// TestBrowserBeforeASignature checks the page in every state before a signature, also after a
// reload: the headline states the action, one line states the verdict, and Sign is enabled only
// after every tick.
func TestBrowserBeforeASignature(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	dir := screenshotDir(t)
	for _, c := range readyCases() {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			s, materials := sample(t, c.status)
			c.change(&s)
			b.open(r.link(pagetoken.Review, r.putOpened(s, materials)))
			b.wait(`document.getElementById('view')`)
			b.says(c.must, append(c.never, "<no value>", "of 19", "intent.", "wallet_"))
			b.portraits(dir, "before-"+c.name)
			head := b.eval(`(document.querySelector('h1').innerText + document.querySelector('[data-part="verdict"]').innerText).replace(/\s+/g, ' ')`)
			b.do(chromedp.Reload())
			b.says(c.must, c.never)
			if again := b.eval(`(document.querySelector('h1').innerText + document.querySelector('[data-part="verdict"]').innerText).replace(/\s+/g, ' ')`); again != head {
				t.Errorf("after a reload the headline reads %q, before %q", again, head)
			}
			if n := b.eval(`document.querySelectorAll('[data-part="sign"]').length`); c.status == record.Ready && n != "1" ||
				c.status != record.Ready && n != "0" {
				t.Errorf("%s buttons sign", n)
			}
		})
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// portraits takes pictures of the page in both themes, at the widths of a desktop and a phone, if
// there is a directory for them. It fails if the page is too wide.
func (b *tab) portraits(dir, name string) {
	b.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		b.media("prefers-color-scheme", theme, "prefers-reduced-motion", "reduce")
		for _, width := range []int64{1280, 390} {
			b.size(width, 844)
			if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
				b.t.Errorf("%s at %d pixels is %s pixels too wide", name, width, over)
			}
			if dir == "" {
				continue
			}
			for kind, how := range map[string]func() ([]byte, error){
				"":      func() ([]byte, error) { return chromedp.Run(b.ctx, chromedp.FullScreenshot(100)) },
				"-seen": func() ([]byte, error) { return chromedp.Run(b.ctx, chromedp.CaptureScreenshot()) },
			} {
				picture, err := how()
				if err != nil {
					b.t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d%s.png", name, theme, width, kind)), picture,
					0o644); err != nil {
					b.t.Fatal(err)
				}
			}
		}
	}
	b.theme("light")
	b.size(1280, 900)
}

// putOpened stores a session like put. If the session is one that was opened twice, it opens the
// link twice.
func (r *rig) putOpened(s record.Session, materials []record.Material) string {
	r.t.Helper()
	twice := s.OpenedTwice
	s.OpenedTwice = false
	id := r.put(s, materials)
	if twice {
		if _, err := r.db.Change(context.Background(), s.ID, "opened twice", func(row *record.Row) error {
			row.Session.OpenedTwice = true
			row.Touch(s.UpdatedAt)
			return nil
		}); err != nil {
			r.t.Fatal(err)
		}
	}
	return id
}

// TestBrowserReading measures how much a user has to read on a clean swap, and the order in which
// keys and screen readers reach it.
func TestBrowserReading(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	s, materials := sample(t, record.Ready)
	b.open(r.link(pagetoken.Review, r.put(s, materials)))
	b.waitStage("ready")
	b.wait(`document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false'`)
	b.size(1280, 900)
	for _, pair := range [][2]string{{"h1", ".verdict"}, {".verdict", `[data-part="sign"]`}, {".verdict", ".deal"},
		{".deal", `[data-part="sign"]`}, {`[data-part="sign"]`, ".folds"}} {
		if b.eval(fmt.Sprintf(`document.querySelector(%q).compareDocumentPosition(document.querySelector(%q)) & Node.DOCUMENT_POSITION_FOLLOWING`, pair[0], pair[1])) == "0" {
			t.Errorf("%s does not follow %s", pair[1], pair[0])
		}
	}
	for _, width := range []int64{1280, 390} {
		b.size(width, 844)
		b.eval(`document.querySelector('h1').focus()`)
		for range 3 {
			if b.eval(`document.activeElement.matches('[data-part="sign"]')`) == "true" {
				break
			}
			b.press("\t")
		}
		if b.eval(`document.activeElement.matches('[data-part="sign"]')`) != "true" {
			t.Errorf("at %d pixels the keys do not come from the headline to Sign", width)
		}
	}
	t.Run("on a telephone Sign is in reach wherever the page is", func(t *testing.T) {
		b.t = t
		b.size(390, 844)
		for _, at := range []string{"0", "document.body.scrollHeight / 2", "document.body.scrollHeight"} {
			b.eval(`scrollTo(0, ` + at + `)`)
			if b.eval(`(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector('[data-part="sign"]').getBoundingClientRect())`) != "true" {
				t.Errorf("scrolled to %s, Sign is out of sight", at)
			}
			if got := b.eval(`document.querySelector('.short').innerText`); got != "Get at least 12.84 USDC" {
				t.Errorf("beside it stands %q", got)
			}
		}
		last := `(({ bottom }) => bottom <= document.querySelector('.reach').getBoundingClientRect().top)(document.getElementById('main').getBoundingClientRect())`
		if b.eval(last) != "true" {
			t.Error("the bar lies on the end of the page")
		}
		if small, large := b.eval(`parseFloat(getComputedStyle(document.querySelector('[data-fact="Expected"]')).fontSize)`),
			b.eval(`parseFloat(getComputedStyle(document.querySelector('[data-fact="Guaranteed"]')).fontSize)`); len(large) < len(small) || large <= small {
			t.Errorf("the hoped-for amount is %s pixels tall, the guaranteed one %s", small, large)
		}
	})
}

// TestBrowserWords checks that the text before and after a signature can be read within ten
// seconds.
func TestBrowserWords(t *testing.T) {
	inBrowser(t)
	r := newRig(t, func(c *config) {
		c.Pictures = &pictures{book: func(context.Context) (draw.Book, error) {
			return draw.Book{Source: "a market", Base: suiCoin, Quote: usdcCoin, Middle: "1.2991", At: time.Now(),
				Bids: []draw.Offer{{Price: "1.299", Amount: "1442"}, {Price: "1.298", Amount: "533"}, {Price: "1.29",
					Amount: "2726"}, {Price: "1.28", Amount: "20"}},
				Asks: []draw.Offer{{Price: "1.2992", Amount: "1969"}, {Price: "1.3", Amount: "2603"}, {Price: "1.31",
					Amount: "672"}, {Price: "1.33", Amount: "9"}}}, nil
		}}
	})
	r.use(person, "Slush")
	b := newBrowser(t)
	for _, c := range []struct {
		name   string
		status record.Status
		most   int
		change func(*record.Session)
	}{
		{"a swap", record.Ready, 120, func(*record.Session) {}},
		{"a payment", record.Ready, 100, func(s *record.Session) {
			payment(s)
			s.State.Checks = append(s.State.Checks[1:], plan.Pass(plan.SourceWallet, "payment_recipient", "Recipient",
				"You paid this address before."))
		}},
		{"an order", record.Ready, 150, func(s *record.Session) {
			order(s, "1.32", plan.OrderOutlook{DistanceBps: 160, Rests: suiCoin.Of(10_000_000_000)})
			s.Intent.Order = &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "1.32", Quantity: "10"}
		}},
		{"do not sign", record.Blocked, 100, func(s *record.Session) {
			s.Reason, s.Facts = plan.AmountMismatch, nil
			s.State.Checks[0] = plan.Fail(plan.SourceQuote, "price", "Price", "It is far off.", "Prepare another.")
		}},
		{"a receipt", record.Success, 110, resting(record.Proof{State: record.Proved, Checkpoint: 20_958_462, Signers: 63,
			Members: 106})},
	} {
		s, materials := sample(t, c.status)
		s.WalletName = "Slush"
		c.change(&s)
		b.open(r.link(pagetoken.Review, r.put(s, materials)))
		b.wait(`document.getElementById('view')`)
		if s.Intent.Order != nil {
			b.wait(`document.querySelector('.ladder .own')`)
		}
		b.eval(`document.querySelectorAll('[data-problem]').forEach((at) => at.remove())`)
		b.wordBudget(t, c.name, c.most)
	}
}

// TestBrowserAccepts checks that Sign is disabled until everything is ticked, and again if a tick
// is removed.
func TestBrowserAccepts(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	s, materials := sample(t, record.Ready)
	s.OpenedTwice = true
	s.State.Checks = plan.WorstFirst(append(s.State.Checks, plan.Warn(plan.SourceQuote, "price", "Price",
		"It is 12% under the mid price.", "").
		MustAccept("price", "I accept to get 12% less")))
	b.open(r.link(pagetoken.Review, r.putOpened(s, materials)))
	b.waitText("Look at 2 things")
	const armed = `document.querySelector('[data-part="sign"]').ariaDisabled === 'false'`
	// If something is missing, the button says so. Otherwise it is enabled within a moment.
	held := func(when string) {
		t.Helper()
		b.promise(`new Promise((go) => { setTimeout(() => go(''), 1200); })`)
		if b.eval(armed) == "true" {
			t.Errorf("Sign is on %s", when)
		}
	}
	held("before anything was ticked")
	b.click(`[data-accept="price"]`)
	held("with one tick of two")
	b.click(`[data-accept="opened_twice"]`)
	b.wait(armed)
	b.click(`[data-accept="price"]`)
	held("after a tick was taken back")
}

// TestBrowserAddresses checks that every address of a payment is shown once in full, in groups, and
// can be copied with one click.
func TestBrowserAddresses(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	b.inject(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })`)
	s, materials := sample(t, record.Ready)
	payment(&s)
	b.open(r.link(pagetoken.Review, r.put(s, materials)))
	b.waitText("Look at 1 thing")
	b.eval(`document.querySelectorAll('details').forEach((at) => { at.open = true; })`)
	text := b.eval(`document.getElementById('main').textContent`)
	if n := strings.Count(text, payee); n != 1 {
		t.Errorf("the recipient stands %d times in full:\n%s", n, text)
	}
	if strings.Contains(text, "12345.5") {
		t.Error("a number is not grouped")
	}
	b.click(`.payee + .copy`)
	b.wait(`window.copied`)
	if got := b.eval(`window.copied`); got != payee {
		t.Errorf("copied was %s", got)
	}
	b.wait(`document.getElementById('status').textContent === 'Copied.'`)
}

// TestBrowserToTheSettings goes from a review that was blocked by a limit to the settings and back.
// The review still belongs to the user.
func TestBrowserToTheSettings(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	s, materials := sample(t, record.Blocked)
	s.Reason, s.Facts = plan.AllowlistViolation, nil
	s.State.Checks[0] = plan.Fail(plan.SourceAdapter, "allowance_per_day", "Limit of a day", "Up to 10 SUI would leave.",
		"Only you can change this.")
	id := r.put(s, materials)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.wait(`document.getElementById('view')`)
	b.open(r.link(pagetoken.Review, id))
	b.waitText("Over your limit")
	b.click(`[data-action="settings"]`)
	b.waitText("Spending limits")
	b.do(chromedp.NavigateBack())
	b.waitText("Open the settings")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
