package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// stageWords are what the page must say in each stage, and what would be wrong there.
var stageWords = []struct {
	status record.Status
	stage  string
	must   []string
	never  []string
}{
	{record.Ready, "ready", []string{"You get at least 12.84573 USDC", "asks you once more before anything happens",
		"Likely 12.975485 USDC", "Technical details"}, []string{"was sent", "Signed,", "Done", "Transaction digest"}},
	{record.RefreshRequired, "refresh", []string{"The figures are too old.", "so this program discarded it", "Get a new price"},
		[]string{"Sign in", "Signed,", "tx verify"}},
	{record.Blocked, "blocked", []string{"There is not enough in your account.", "Add SUI", "Check again"},
		[]string{"You get at least", "Sign in", "tx verify"}},
	{record.SignedPendingResult, "pending", []string{"Signed, and not known whether it arrived",
		"It may have been executed",
		"cannot be executed twice", "Transaction digest"}, []string{"It did not happen", "expired", "Sign in",
		"Nothing was sent", "Done"}},
	{record.Success, "success", []string{"Swapped 10 SUI for 12.97 USDC", "Arrived in your account", "Kept",
		"Gas paid"}, []string{"not known", "Not kept", "Sign in", "expected"}},
	{record.Failure, "failure", []string{"The chain ran it, and it failed", "Only gas was spent", "MOVE_ABORT"},
		[]string{"arrived", "Nothing was sent", "Sign in", "Done"}},
	{record.Expired, "expired", []string{"This review has expired", "Nothing was signed and nothing was sent"},
		[]string{"You get at least", "Sign in", "failed"}},
}

// says checks that the page contains all of must and none of never.
func (b *tab) says(must, never []string) {
	b.t.Helper()
	// Folded text counts as shown. The folds are closed again at once, because a page that is
	// redrawn in between keeps them open.
	const unfolded = `(() => {
		const folds = [...document.querySelectorAll('#view .folds details:not([open])')];
		folds.forEach((at) => { at.open = true; });
		const text = document.body.innerText.replace(/\s+/g, ' ');
		folds.forEach((at) => { at.open = false; });
		return text;
	})()`
	for _, words := range must {
		b.wait(fmt.Sprintf("%s.includes(%q)", unfolded, words))
	}
	text := strings.Join(strings.Fields(b.eval("document.body.innerText")), " ")
	for _, words := range never {
		if strings.Contains(text, words) {
			b.t.Errorf("the page says %q:\n%s", words, text)
		}
	}
}

// TestBrowserShowsEveryStatus opens the review page in every status of a review, reloads it,
// returns to it, and checks it in both themes and widths.
func TestBrowserShowsEveryStatus(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	dir := screenshotDir(t)
	for _, c := range stageWords {
		t.Run(string(c.status), func(t *testing.T) {
			s, materials := sample(t, c.status)
			b.t = t
			id := r.put(s, materials)
			b.open(r.link(pagetoken.Review, id))
			b.waitStage(c.stage)
			b.says(c.must, c.never)
			b.pictures(dir, "status-"+string(c.status))
			b.reloadAndBack(r.origin+"/connect/none", c.must[0])
			b.waitStage(c.stage)
			b.says(c.must, c.never)
		})
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserShowsRights opens pages with a read-only token, and without a valid one.
func TestBrowserShowsRights(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	dir := screenshotDir(t)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	elsewhere := r.origin + "/connect/none"
	b.open(r.link(pagetoken.Review, id))
	b.waitStage("ready")
	t.Run("read-only", func(t *testing.T) {
		second := b.another()
		second.t = t
		second.open(r.link(pagetoken.Review, id))
		words := "You use this in another tab."
		second.says([]string{words, "Use it here"}, []string{"Get a new price", "Sign in Sandbox"})
		second.pictures(dir, "read-only")
		second.reloadAndBack(elsewhere, words)
		second.click(`[data-action="continue"]`)
		second.says([]string{"Sign in Sandbox"}, []string{words})
		b.t = t
		b.reloadAndBack(elsewhere, words)
	})
	t.Run("opened twice", func(t *testing.T) {
		b.t = t
		other, otherMaterials := sample(t, record.Ready)
		otherID := r.put(other, otherMaterials)
		link := r.link(pagetoken.Review, otherID)
		b.open(link)
		b.waitStage("ready")
		_, code, _ := strings.Cut(link, "#")
		again := r.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": otherID, "code": code})
		if again.status != http.StatusConflict {
			t.Fatalf("%d", again.status)
		}
		b.says([]string{"This link was opened twice.", "do not sign on either page"}, nil)
		b.pictures(dir, "opened-twice")
		b.reloadAndBack(elsewhere, "This link was opened twice.")
	})
	t.Run("no right", func(t *testing.T) {
		b.t = t
		b.open(r.origin + "/review/somebody-elses")
		b.says([]string{"needs the whole link"}, []string{"Guaranteed", "USDC"})
		b.pictures(dir, "no-right")
		b.reloadAndBack(elsewhere, "needs the whole link")
	})
	t.Run("opening", func(t *testing.T) {
		slow := b.another()
		slow.t = t
		slow.inject(`(() => { const real = window.fetch; window.fetch = async (...all) => {
		  await new Promise((go) => { window.goOn = go; }); return real(...all); }; })()`)
		slow.open(r.link(pagetoken.Review, id))
		slow.says([]string{"Opening…"}, []string{"Guaranteed", "Sign in", "failed"})
		slow.pictures(dir, "opening")
	})
	t.Run("nothing here", func(t *testing.T) {
		b.t = t
		b.open(r.origin + "/nothing")
		b.says([]string{"There is no page at this address"}, nil)
		b.pictures(dir, "nothing-here")
	})
}

// TestBrowserShowsWork checks a page while its review is computed.
func TestBrowserShowsWork(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.house.Connect(sandbox.Account)
	j.house.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "SimulateTransaction", Milliseconds: 4000})
	_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	must := []string{"Preparing your review", "Nothing is signed by this", "Asking for a quote"}
	never := []string{"You get at least", "Sign in", "Ready"}
	b.waitStage("work")
	b.says(must, never)
	b.pictures(screenshotDir(t), "work")
	b.reloadAndBack(j.origin+"/connect/none", must[0])
	b.says(must[:1], never)
	j.house.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	b.waitStage("ready")
}

// connectWords are what the connect page says at each end.
var connectWords = []struct {
	name   string
	report account.Report
	must   []string
	never  []string
}{
	{"connected", account.Report{Status: account.Connected, Account: person.String(), Chain: "sui:localnet"},
		[]string{"Connected", "no signature has proved it", "Return to your AI client"}, []string{"Nothing was connected",
			"Which account"}},
	{"rejected", account.Report{Status: account.Rejected, FailureReason: account.UserRejected},
		[]string{"You declined in your wallet", "Nothing was connected"}, []string{"Return to your AI client. It knows"}},
	{"none", account.Report{Status: account.Failed, FailureReason: account.NoCompatibleWallet},
		[]string{"No usable wallet", "Install or switch on"}, []string{"Connected"}},
	{"accounts", account.Report{Status: account.Failed, FailureReason: account.NoAccountsAuthorized},
		[]string{"The wallet offered no account", "Unlock it"}, []string{"Connected"}},
	{"chain", account.Report{Status: account.Failed, FailureReason: account.UnsupportedChain},
		[]string{"The wallet is on another network", "Change the network"}, []string{"Connected"}},
	{"error", account.Report{Status: account.Failed, FailureReason: account.WalletProviderError,
		FailureDetail: "bridge \u202Ebroke"},
		[]string{"The wallet reported an error", "It said: bridge"}, []string{"Connected", "\u202E"}},
}

// connectState brings a connect session with an open page to one of its ends.
func (r *rig) connectState(id string, end account.Report) {
	r.t.Helper()
	for _, report := range []account.Report{{Status: account.Connecting, WalletName: "Test wallet", WalletID: "test"},
		end} {
		report.WalletName, report.WalletID = "Test wallet", "test"
		if _, err := r.accounts.Report(context.Background(), id, report); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestBrowserShowsEveryConnectState brings the open connect page to each of its ends, reloads it
// and returns to it.
func TestBrowserShowsEveryConnectState(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	for _, c := range connectWords {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			i, err := r.accounts.Create(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			b.open(r.link(pagetoken.Connect, i.ID))
			b.says([]string{"Connect your wallet", "No usable wallet found in this browser"}, []string{"Connected"})
			r.connectState(i.ID, c.report)
			b.says(c.must, c.never)
			b.pictures(dir, "connect-"+c.name)
			b.reloadAndBack(r.origin+"/review/none", c.must[0])
			b.says(c.must, c.never)
		})
	}
	t.Run("read-only and opened twice", func(t *testing.T) {
		b.t = t
		i, err := r.accounts.Create(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		r.token(pagetoken.Connect, i.ID)
		link := r.link(pagetoken.Connect, i.ID)
		b.open(link)
		b.says([]string{"Another tab works on this", "Use it here"}, []string{"No usable wallet"})
		b.reloadAndBack(r.origin+"/review/none", "Another tab works on this")
		b.click(`[data-action="continue"]`)
		b.says([]string{"No usable wallet found"}, []string{"Another tab works on this"})
		third := b.another()
		third.t = t
		third.open(link)
		third.says([]string{"opened twice"}, []string{"Connect your wallet Your AI"})
		b.says([]string{"This link was opened twice."}, nil)
		b.pictures(dir, "connect-twice")
	})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserHome opens the list of pending requests, opens a review from it, and returns.
func TestBrowserHome(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.says([]string{"Connect a wallet to start"}, nil)
	b.pictures(dir, "home-empty")
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	b.says([]string{"1 thing needs you", "Swap up to 10 SUI for at least 12.84 USDC", "Ready to sign"}, nil)
	for _, status := range []record.Status{record.Blocked, record.RefreshRequired, record.SignedPendingResult} {
		more, moreMaterials := sample(t, status)
		r.put(more, moreMaterials)
	}
	b.says([]string{"3 things need you", "Running", "Signed"}, nil)
	b.pictures(dir, "home-many")
	b.click(fmt.Sprintf(`[href="/review/%s"]`, id))
	b.waitStage("ready")
	if at := b.eval("location.href"); strings.Contains(at, "#") || !strings.HasSuffix(at, "/review/"+id) {
		t.Errorf("the address bar reads %s", at)
	}
	b.do(chromedp.NavigateBack())
	b.says([]string{"3 things need you"}, nil)
	b.reloadAndBack(r.origin+"/connect/none", "3 things need you")
	second := b.another()
	second.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.says([]string{"You use this in another tab."}, []string{"Review:"})
	if b.eval(`document.querySelector('main a[href^="/review/"]')`) != "null" {
		t.Error("a list that looks on can open reviews")
	}
	b.pictures(dir, "home-read-only")
	b.click(`[data-action="continue"]`)
	b.wait(`document.querySelector('main a[href^="/review/"]')`)
	second.waitText("You use this in another tab.")
	if said := append(b.complaints(), second.complaints()...); len(said) > 0 {
		t.Error(said)
	}
}
