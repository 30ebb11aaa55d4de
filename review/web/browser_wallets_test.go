package web_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
)

// readyPage connects a wallet that behaves as manners says, prepares a swap, and opens its review
// until it can be signed.
func readyPage(t *testing.T, manners string, edit func(*review.Config)) (*job, *tab, record.ID) {
	t.Helper()
	return readyTab(t, newBrowser(t), manners, edit)
}

// readyTab is readyPage in an existing tab.
func readyTab(t *testing.T, b *tab, manners string, edit func(*review.Config)) (*job, *tab, record.ID) {
	t.Helper()
	j := newJob(t, edit)
	j.useWallet(b, manners)
	j.connect(b, "", "Test wallet")
	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	return j, b, id
}

// misbehaviour is a way in which a wallet misbehaves, and its permitted consequences.
type misbehaviour struct {
	manners, words string
	never          string // what the page must not say
	status         record.Status
	asked          string // how often the wallet was asked
	releases       int
	outcome        string
	sent           bool // a transaction was sent to the chain
}

// The page never claims more than is known. After the release of bytes, only the user can say that
// nothing was signed, and only the chain can say that something was executed.
var misbehaviours = []misbehaviour{
	{"late", "Swapped 9.91 SUI for", "not known", record.Success, "1", 1, "", true},
	{"twice", "Swapped 9.91 SUI for", "not known", record.Success, "1", 1, "", true},
	{"executes", "by your wallet", "not known", record.Success, "0", 1, "", true},
	{"bytes", changedLead, "You declined", record.Ready, "1", 1, record.OutcomeChanged, false},
	{"gas", changedLead, "You declined", record.Ready, "1", 1, record.OutcomeChanged, false},
	{"signer", "The signature is from", "You declined", record.Ready, "1", 1, record.OutcomeSignerMismatch, false},
	{"hangs", "Confirm in your wallet.", "You declined", record.Ready, "1", 1, "", false},
	{"breaks", "Your wallet reported an error.", "Nothing was signed", record.Ready, "1", 1, record.OutcomeProviderError,
		false},
	{"garbage", "Your wallet reported an error.", "Nothing was signed", record.Ready, "1", 1, record.OutcomeProviderError,
		false},
	{"disconnects", "Your wallet reported an error.", "Nothing was signed", record.Ready, "1", 1,
		record.OutcomeProviderError, false},
	{"refuses", "Your wallet reports that you declined.", "do not know whether it signed", record.RefreshRequired, "1", 1,
		record.OutcomeRejected, false},
	{"account", "Your wallet does not offer this account.", "not known", record.Ready, "0", 0, "", false},
	{"accountchain", "Your wallet does not offer this account.", "not known", record.Ready, "0", 0, "", false},
	{"chain", "is not in this browser.", "not known", record.Ready, "0", 0, "", false},
	{"connect", "Your wallet does not offer this account.", "not known", record.Ready, "0", 0, "", false},
}

// TestBrowserWalletsThatMisbehave lets wallets misbehave. The page must describe each case
// correctly, lose nothing, and send nothing that was not reviewed.
func TestBrowserWalletsThatMisbehave(t *testing.T) {
	inBrowser(t)
	browser := newBrowser(t)
	for _, c := range misbehaviours {
		t.Run(c.manners, func(t *testing.T) {
			browser.t = t
			j, b, id := readyTab(t, browser.another(), c.manners, nil)
			shown := j.session(id).Commitment
			b.click(`[data-action="sign"]`)
			if c.manners == "late" {
				b.waitText("Confirm in your wallet.")
				b.wait("typeof answerNow === 'function'")
				b.eval("answerNow()")
			}
			b.waitText(c.words)
			if got := b.eval("document.body.innerText"); strings.Contains(got, c.never) {
				t.Errorf("the page says %q:\n%s", c.never, got)
			}
			double.Until(t, "the review is "+string(c.status), func() bool { return j.session(id).Status == c.status })
			s := j.session(id)
			if len(s.Releases) != c.releases || (s.Execution != nil) != c.sent {
				t.Fatalf("status %s, %d releases, execution %+v", s.Status, len(s.Releases), s.Execution)
			}
			if c.releases > 0 && (s.Releases[0].Outcome != c.outcome || s.Releases[0].Commitment != shown) {
				t.Errorf("outcome %q, released %s, shown %s", s.Releases[0].Outcome, s.Releases[0].Commitment, shown)
			}
			if c.sent && s.Execution.TxDigest != s.Releases[0].Digest.String() {
				t.Errorf("executed %s, reviewed %s", s.Execution.TxDigest, s.Releases[0].Digest)
			}
			if asked := b.eval("window.asked"); asked != c.asked {
				t.Errorf("the wallet was asked %s times", asked)
			}
			if said := b.complaints(); len(said) > 0 {
				t.Error(said)
			}
			j.afterwards(b, c, s)
		})
	}
}

// afterwards reloads the page and continues. Released bytes are named, and the next transaction
// excludes them.
func (j *job) afterwards(b *tab, c misbehaviour, s record.Session) {
	t := b.t
	t.Helper()
	b.open(b.eval("location.href"))
	switch {
	case c.sent:
		b.waitStage("success")
		return
	case c.releases == 0:
		b.waitStage("ready")
		return
	case c.status == record.Ready:
		b.waitStage("released")
		lead := map[string]string{record.OutcomeChanged: changedLead, record.OutcomeSignerMismatch: anotherSigned,
			record.OutcomeProviderError: "Your wallet reported an error. Not known whether it was signed"}[c.outcome]
		b.waitHeading(cmp.Or(lead, "Not known whether it was signed"))
		if b.eval(`document.querySelector('[data-action="sign"]')`) != "null" {
			t.Error("a transaction that went out can be asked for again")
		}
	default:
		b.waitHeading(walletDeclined)
		b.waitStage("refresh")
	}
	b.click(`[data-action="refresh"]`)
	b.waitStage("ready")
	again := j.session(s.ID)
	if again.Commitment == s.Releases[0].Commitment || again.Facts.Gas.Payment[0].ID != s.Releases[0].GasCoin.ID ||
		again.Facts.Gas.Payment[0].Version != s.Releases[0].GasCoin.Version {
		t.Error("the new transaction does not exclude the released one")
	}
}

// TestBrowserWalletThatHangs reloads the page while the wallet does not respond. The result remains
// unknown, and nothing is released twice.
func TestBrowserWalletThatHangs(t *testing.T) {
	inBrowser(t)
	j, b, id := readyPage(t, "hangs", nil)
	dir := screenshotDir(t)
	b.click(`[data-action="sign"]`)
	b.waitText("Confirm in your wallet.")
	s := j.session(id)
	if got := b.eval(`document.querySelector('[data-part="digest-text"]').textContent`); got != s.Releases[0].Digest.String() {
		t.Errorf("the page computed digest %s, the released bytes have %s", got, s.Releases[0].Digest)
	}
	b.pictures(dir, "signing")
	b.open(b.eval("location.href"))
	b.waitStage("released")
	b.pictures(dir, "released")
	b.waitText("Not known whether it was signed")
	if b.eval(`document.querySelector('[data-action="sign"]')`) != "null" {
		t.Error("a transaction that went out can be asked for again")
	}
}

// TestBrowserOtherBytesArrive replaces the bytes on their way to the page. The wallet is not asked.
func TestBrowserOtherBytesArrive(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.useWallet(b, "honest")
	b.inject(`(() => {
	  const real = window.fetch;
	  window.fetch = async (path, options) => {
	    const answer = await real(path, options);
	    if (!String(path).endsWith('/handoff')) return answer;
	    const body = await answer.json();
	    const bytes = atob(body.bytes);
	    body.bytes = btoa(bytes.slice(0, -1) + String.fromCharCode(bytes.charCodeAt(bytes.length - 1) ^ 1));
	    return new Response(JSON.stringify(body), { status: 200 });
	  };
	})()`)
	j.connect(b, "", "Test wallet")
	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	b.click(`[data-action="sign"]`)
	b.waitText("This is not the transaction that you read.")
	if asked := b.eval("window.asked"); asked != "0" {
		t.Error("the wallet was asked to sign bytes that nobody reviewed")
	}
	if s := j.session(id); s.Status != record.RefreshRequired || s.Releases[0].Outcome != record.OutcomeDeclined {
		t.Errorf("status %s, outcome %s", s.Status, s.Releases[0].Outcome)
	}
}

// TestBrowserRightEnds leaves a page idle for longer than its token is valid.
func TestBrowserRightEnds(t *testing.T) {
	inBrowser(t)
	j, b, id := readyPage(t, "honest", nil)
	j.house.Clock.Advance(31 * time.Minute)
	// The page may notice first, and then has no button.
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	_ = chromedp.Do(ctx, chromedp.Click(chromedp.CSS(`[data-action="decline"]`)))
	b.waitText("can no longer act")
	b.reloadAndBack(j.origin+"/connect/none", "can no longer act")
	if s := j.session(id); s.Status == record.Failure {
		t.Error("a page without its right declined a review")
	}
}

// TestBrowserLateSignature shuts the server down while the wallet is asked. The page says so, keeps
// the signature, and submits it when the server is back.
func TestBrowserLateSignature(t *testing.T) {
	inBrowser(t)
	j, b, id := readyPage(t, "late", nil)
	b.click(`[data-action="sign"]`)
	b.waitText("Confirm in your wallet.")
	b.wait("typeof answerNow === 'function'")
	j.server.Shutdown(context.Background())
	b.wait(`!document.getElementById('lost').hidden`)
	b.eval("answerNow()")
	b.waitText("Signed, but this page cannot reach Say Ur Intent.")
	j.serve(j.sandboxed)
	b.waitStage("success")
	b.wait(`document.getElementById('lost').hidden`)
	if s := j.session(id); s.Status != record.Success {
		t.Errorf("status %s", s.Status)
	}
}

// TestBrowserServerGone stops the server of a page that is ready to sign.
func TestBrowserServerGone(t *testing.T) {
	inBrowser(t)
	j, b, _ := readyPage(t, "honest", nil)
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	j.server.Shutdown(context.Background())
	b.waitText("Say Ur Intent is not running. Nothing can be signed.")
	b.pictures(screenshotDir(t), "lost")
	if b.eval(`document.querySelector('[data-action="sign"]').ariaDisabled`) != "true" {
		t.Error("a page without its server lets the person sign")
	}
	j.serve(j.sandboxed)
	b.wait(`document.getElementById('lost').hidden && document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	b.reloadAndBack(j.origin+"/connect/none", "You get at least")
}

// TestBrowserSecondTab opens a second link to the same review.
func TestBrowserSecondTab(t *testing.T) {
	inBrowser(t)
	j, first, id := readyPage(t, "honest", nil)
	second := first.another()
	j.useWallet(second, "honest")
	link := j.link("review", string(id))
	second.open(link)
	second.waitText("You use this in another tab.")
	if second.eval(`document.querySelector('[data-action="sign"], [data-action="decline"], [data-action="refresh"]')`) != "null" {
		t.Error("a page that looks on has something to act with")
	}
	second.click(`[data-action="continue"]`)
	second.waitStage("ready")
	second.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	first.waitText("You use this in another tab.")

	third := first.another()
	third.open(link)
	third.waitText("opened twice")
	second.waitText("This link was opened twice.")
	third.open(j.origin + "/review/" + string(id))
	third.waitText("needs the whole link")
}

// TestBrowserArming checks the delay before signing, and that only a user's own click counts.
func TestBrowserArming(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	calls := j.useWallet(b, "honest")
	j.connect(b, "", "Test wallet")
	_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.inject(`new MutationObserver(() => {
	  const button = document.querySelector('[data-action="sign"]');
	  if (button) window.shownAt ??= performance.now();
	  if (button?.ariaDisabled === "false") window.armedAt ??= performance.now();
	}).observe(document, { childList: true, subtree: true, attributes: true })`)
	b.open(link)
	b.wait("window.armedAt > 0")
	if b.eval("armedAt - shownAt >= 790") != "true" {
		t.Errorf("armed %s ms after it was shown", b.eval("armedAt - shownAt"))
	}
	// An accepted click disables the button before anything else.
	if b.eval(`(() => { const at = document.querySelector('[data-action="sign"]'); at.click(); return at.ariaDisabled; })()`) != "false" {
		t.Error("a click that no person made is taken")
	}
	if calls.Load() != 0 || b.eval("window.asked") != "0" {
		t.Error("a click that no person made asked the wallet")
	}
}

// TestBrowserChangedSinceYouLooked changes the market while a page is open.
func TestBrowserChangedSinceYouLooked(t *testing.T) {
	inBrowser(t)
	j, b, id := readyPage(t, "honest", nil)
	before := j.session(id)
	b.click(`[data-part="technical"] > summary`)
	j.house.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -300})
	b.click(`[data-action="refresh"]`)
	b.waitText("Changed figures")
	if !b.visible(`[data-part="technical"][open] dl`) {
		t.Error("what was unfolded is folded again")
	}
	after := j.session(id)
	b.waitText(fmt.Sprintf("Guaranteed: was %s, is now %s", before.Facts.Promise().Amount(plan.RoleOutput),
		after.Facts.Promise().Amount(plan.RoleOutput)))
	b.elapse(1000) // longer than values must be shown before signing
	if b.eval(`document.querySelector('[data-action="sign"]').ariaDisabled`) != "true" {
		t.Error("new figures can be signed without the person's word")
	}
	b.says([]string{"Read the new figures first"}, []string{"once these figures have stood still"})
	b.pictures(screenshotDir(t), "changed")
	b.enter(`[data-action="acknowledge"]`)
	b.wait(`!document.body.innerText.includes('Read the new figures first')`)
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	if s := j.session(id); s.Releases[0].Commitment != after.Commitment {
		t.Error("what was signed is not what was acknowledged")
	}
}

// TestBrowserBuildTooOld lets the values expire while they are shown.
func TestBrowserBuildTooOld(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	b.inject(skipping)
	j, b, id := readyTab(t, b, "honest", nil)
	var s record.Session
	stays := func() bool {
		b.ages(true)
		j.house.Clock.Advance(61 * time.Second)
		double.Until(t, "the review says so too", func() bool { return j.session(id).Status == record.RefreshRequired })
		if s = j.session(id); s.Reason != plan.QuoteStale {
			t.Errorf("reason %s", s.Reason)
		}
		b.elapse(1000) // the page is notified, and does not change what the user is reading
		return b.visible(`#view.stale[data-stage="ready"] [data-fact="Guaranteed"]`)
	}
	// A view that was still on its way replaces the old values, so try again.
	for tries := 1; !stays(); tries++ {
		if tries == 3 {
			t.Fatalf("old figures went away: %s", b.main())
		}
		b.click(`[data-action="refresh"]`)
		b.waitStage("ready")
	}
	if b.eval(`document.querySelector('[data-part="sign"]').ariaDisabled`) != "true" {
		t.Errorf("old figures can be signed: %s", b.main())
	}
	if b.visible(`[data-part="verdict"]`) {
		t.Error("figures that are too old still have a verdict")
	}
	if now := j.session(id); now.Revision != s.Revision {
		t.Errorf("the page computed by itself: revision %d after %d", now.Revision, s.Revision)
	}
	b.shots(screenshotDir(t), "stale")
	b.click(`[data-action="update"]`)
	// The chain did not change, so the same transaction may be built from new values.
	b.wait(fmt.Sprintf(`Number(document.querySelector('#view[data-stage="ready"]')?.dataset.revision) > %d`, s.Revision))
	b.click(`[data-action="decline"]`)
	b.waitText("You declined. Nothing was signed")
}

// TestBrowserDigest compares the page's hash with that of the chain.
func TestBrowserDigest(t *testing.T) {
	inBrowser(t)
	r, b := newRig(t, nil), newBrowser(t)
	b.open(r.origin + "/connect/none")
	for _, v := range digestVectors(t) {
		got := b.promise(fmt.Sprintf(`import('/assets/digest.js').then((m) => {
		  const raw = m.digestOf(m.fromBase64(%s));
		  return m.base58(raw) + ' ' + m.commitmentOf(raw);
		})`, quoted(v.bytes)))
		if want := v.digest + " " + v.commitment; got != want {
			t.Fatalf("%s: the page says %s, want %s", v.name, got, want)
		}
	}
	if got := b.promise(`import('/assets/digest.js').then((m) => m.base58(Uint8Array.of(0, 0, 1)))`); got != "112" {
		t.Errorf("base58 of 0, 0, 1 is %s", got)
	}
}

// TestBrowserChoosesNoAccount opens a review whose wallet or account is not available, while
// another wallet has the same account.
func TestBrowserChoosesNoAccount(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.useWallet(b, "honest")
	j.connect(b, "", "Test wallet")
	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	t.Run("R004-339 another wallet with the same account is not used", func(t *testing.T) {
		alone := newBrowser(t)
		alone.open(link)
		alone.waitStage("ready")
		alone.click(`[data-action="sign"]`)
		alone.waitText("is not in this browser.")
	})
	t.Run("R004-339 another account of the wallet is not used", func(t *testing.T) {
		other := newBrowser(t)
		other.inject(fmt.Sprintf(walletScript, "0x"+strings.Repeat("9", 64), "honest"))
		other.open(j.link("review", string(id)))
		other.click(`[data-action="continue"]`)
		other.click(`[data-action="sign"]`)
		other.waitText("Your wallet does not offer this account.")
		if asked := other.eval("window.asked"); asked != "0" {
			t.Errorf("the wallet was asked %s times", asked)
		}
	})
	if s := j.session(id); len(s.Releases) != 0 {
		t.Error("bytes went out without a wallet to take them")
	}
}
