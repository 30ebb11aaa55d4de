package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// Waits end as soon as their condition is true. These limits are for busy machines.
const (
	waitTime = slower * 90 * time.Second
	tabTime  = slower * 15 * time.Minute
)

// tab is a tab of a browser. It keeps all errors of its pages.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	said []string
}

// judgedTests is the prefix of tests in which axe-core checks every page of which they take
// pictures.
const judgedTests = "TestBrowserAxe"

// inBrowser begins a test that uses a browser, in parallel with other such tests.
func inBrowser(t *testing.T) {
	t.Helper()
	long.Skip(t, "it drives a browser")
	t.Parallel()
}

// newBrowser returns the first tab of a separate browser context, with a new profile that is
// deleted after the test.
func newBrowser(t *testing.T) *tab {
	t.Helper()
	return openTab(t, theChromium.context(t), chromedp.WithNewBrowserContext())
}

// another opens a second tab of the same browser.
func (b *tab) another() *tab {
	b.t.Helper()
	return openTab(b.t, b.ctx)
}

func openTab(t *testing.T, parent context.Context, how ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, how...)
	t.Cleanup(cancel)
	timed, stop := context.WithTimeout(ctx, tabTime)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: timed}
	messages := chromedp.Console(timed)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.said = append(b.said, fmt.Sprintf("%s: %s", m.Type, m.Text))
			b.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if t.Failed() && len(b.said) > 0 {
			t.Log("the browser said:\n" + strings.Join(b.said, "\n"))
		}
	})
	b.quiet()
	b.inject(sampleWallet)
	if strings.HasPrefix(t.Name(), judgedTests) {
		b.withAxe()
	}
	b.size(1280, 900)
	return b
}

// sampleWallet is the wallet of the samples, for pages whose server has no sandbox. Without it,
// such a page says after a moment that the wallet is missing, so that a test would depend on when
// it reads the page.
const sampleWallet = `addEventListener('wallet-standard:app-ready', ({ detail }) => {
  if (!document.body || document.querySelector('script[src$="/sandbox.js"]')) return; // a kit in the page, or the sandbox
  if (!/^\/(review|bundle)\//.test(location.pathname)) return;
  const chains = [document.body.dataset.chain];
  const accounts = () => [...document.querySelectorAll('[data-account]')]
    .map((at) => ({ address: at.dataset.account, chains, publicKey: new Uint8Array(32), features: ['sui:signTransaction'] }));
  detail.register({
    version: '1.0.0', id: 'say-ur-intent-sandbox', name: 'Sandbox test wallet', icon: '', chains,
    get accounts() { return accounts(); },
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: accounts() }) },
      'sui:signTransaction': { version: '2.0.0', signTransaction: () => new Promise(() => {}) },
    },
  });
})`

// quiet stops the browser from reporting requests and style sheets. No test reads these reports,
// which are two thirds of all reports.
func (b *tab) quiet() {
	b.t.Helper()
	for _, off := range []cdp.Command[cdp.Empty, cdp.Empty]{network.Disable, css.Disable} {
		if _, err := chromedp.Call(b.ctx, off, cdp.Empty{}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// complaints returns exceptions in the page's scripts and violations of its policy.
func (b *tab) complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, m := range b.said {
		if strings.HasPrefix(m, "exception") || strings.Contains(m, "Content Security Policy") || strings.Contains(m,
			"Uncaught") {
			out = append(out, m)
		}
	}
	return out
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%v\n%s", err, b.main())
	}
}

// inject runs a script before any other script in every document of the tab.
func (b *tab) inject(script string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	if err != nil {
		b.t.Fatal(err)
	}
}

// open opens a page. If only the code of the link differs from the open page, the page reloads
// itself, and open waits for the new document, which removes the code.
func (b *tab) open(url string) {
	b.t.Helper()
	to, code, _ := strings.Cut(url, "#")
	reloads := code != "" && b.eval("location.origin + location.pathname") == to
	b.do(chromedp.Navigate(url))
	if reloads {
		b.wait("location.hash === ''")
	}
}

// wait waits until a JavaScript expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	end := time.Now().Add(waitTime)
	ctx, stop := context.WithDeadline(b.ctx, end.Add(time.Second)) // also where there is no page to poll
	defer stop()
	// What the expression needs may be missing in a new document.
	expression = "(() => { try { return (" + expression + "); } catch { return false; } })()"
	poll := func() error {
		_, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](expression,
			chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(time.Until(end))))
		return err
	}
	err := poll()
	// If the page navigates, the poll fails with the old document, so poll again in the new one.
	for err != nil && time.Now().Before(end) && b.ctx.Err() == nil && strings.Contains(err.Error(), "-32000") {
		err = poll()
	}
	if err != nil {
		b.t.Fatalf("waiting for %s: %v\n%s", expression, err, b.main())
	}
}

// elapse returns when every timer of the page that was due within the given time has run. Timers
// run in the order in which they are due.
func (b *tab) elapse(milliseconds int) {
	b.t.Helper()
	b.promise(fmt.Sprintf(`new Promise((next) => { setTimeout(() => next('over'), %d); })`, milliseconds))
}

// waitText waits until the page contains words.
func (b *tab) waitText(words string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.body.innerText.replace(/\\s+/g, ' ').includes(%q)", words))
}

// reloadAndBack reloads the page, then leaves it and returns with the back button. The page must
// contain words each time.
func (b *tab) reloadAndBack(elsewhere, words string) {
	b.t.Helper()
	b.do(chromedp.Reload())
	b.waitText(words)
	b.open(elsewhere)
	b.do(chromedp.NavigateBack())
	b.waitText(words)
}

// waitStage waits until the review page is in a stage.
func (b *tab) waitStage(stage string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.getElementById('view')?.dataset.stage === %q", stage))
}

// click clicks the first visible element of a selector with the mouse.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.act(selector, func() {
		// If the element is replaced before the click, act finds the new one.
		err := chromedp.Do(b.ctx, chromedp.Click(chromedp.CSS(selector)))
		if err != nil && !strings.Contains(err.Error(), "-32000") {
			b.t.Fatalf("%v\n%s", err, b.main())
		}
	})
}

// enter moves the focus to an element with the Tab key and presses Enter.
func (b *tab) enter(selector string) {
	b.t.Helper()
	b.act(selector, func() { b.keyTo(selector); b.press("\r") })
}

// act repeats try until an element receives its event, because the page may be redrawn in that
// moment, which replaces the element. A user who sees no effect also tries again. A disabled
// element receives no event.
func (b *tab) act(selector string, try func()) {
	b.t.Helper()
	for end := time.Now().Add(waitTime); ; {
		b.wait(fmt.Sprintf("(at => at && !at.disabled && at.ariaDisabled !== 'true' && at.checkVisibility())(document.querySelector(%q))", selector))
		_, err := chromedp.Run(b.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { window.heard = false;
		  addEventListener('click', ({ target, isTrusted }) => {
		    const at = isTrusted && target.closest(%q);
		    window.heard ||= Boolean(at && !at.disabled && at.ariaDisabled !== 'true');
		  }, { capture: true, once: true }); })()`, selector)))
		if err != nil && strings.Contains(err.Error(), "-32000") {
			continue // a new document
		}
		if err != nil {
			b.t.Fatal(err)
		}
		try()
		// If the click led to another document, the question is answered there or fails with the
		// old document.
		heard, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String(window.heard)"))
		if err != nil && !strings.Contains(err.Error(), "-32000") {
			b.t.Fatal(err)
		}
		if err != nil || heard != "false" {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s never hears of a click\n%s", selector, b.main())
		}
	}
}

// clickText clicks the element of a selector that contains words. It tries again if the page is
// redrawn before the click.
func (b *tab) clickText(selector, words string) {
	b.t.Helper()
	b.waitText(words)
	b.eval(fmt.Sprintf(`(() => {
	  window.marking?.disconnect();
	  const mark = () => {
	    document.querySelectorAll('[data-test]').forEach((at) => at.removeAttribute('data-test'));
	    [...document.querySelectorAll(%q)].find((at) => at.innerText.includes(%q))?.setAttribute('data-test', 'this');
	  };
	  mark();
	  window.marking = new MutationObserver(mark);
	  window.marking.observe(document.body, { childList: true, subtree: true });
	})()`, selector, words))
	b.click(`[data-test="this"]`)
}

// press types keys into the focused element.
func (b *tab) press(keys string) { b.t.Helper(); b.do(chromedp.KeyEvent(keys)) }

// keyTo moves the focus to an element with the Tab key.
func (b *tab) keyTo(selector string) {
	b.t.Helper()
	for range 40 {
		if b.eval(fmt.Sprintf("document.activeElement?.matches(%q)", selector)) == "true" {
			return
		}
		b.press("\t")
	}
	b.t.Fatalf("the Tab key never reaches %s", selector)
}

// eval returns the value of an expression as text.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// promise returns the result of a promise as text.
func (b *tab) promise(expression string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// main returns the text of the page for error messages.
func (b *tab) main() string {
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](
		"[...document.querySelectorAll('.banner, .problem, .verdict, .lead, .empty, .connect, .sign')].filter(at => at.checkVisibility()).map(at => at.innerText).join(' | ')"))
	if err != nil {
		return err.Error()
	}
	return v
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// theme sets the preferred color scheme of the browser.
func (b *tab) theme(name string) {
	b.t.Helper()
	b.media("prefers-color-scheme", name)
}

// media sets media features of the browser. pairs are names and values.
func (b *tab) media(pairs ...string) {
	b.t.Helper()
	var features []*emulation.MediaFeature
	for i := 0; i+1 < len(pairs); i += 2 {
		features = append(features, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	if err != nil {
		b.t.Fatal(err)
	}
}

// screenshotDir returns the directory for pictures, from SAY_UR_INTENT_SCREENSHOTS, or "".
func screenshotDir(t *testing.T) string {
	dir := os.Getenv("SAY_UR_INTENT_SCREENSHOTS")
	if dir == "" {
		return ""
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// renewed gets a new price if the one shown expired while axe-core checked the page.
func (b *tab) renewed() {
	b.t.Helper()
	if !b.visible(`[data-part="update"]`) {
		return
	}
	b.click(`[data-part="update"]`)
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false' ||
		document.querySelector('[data-action="acknowledge"]')?.checkVisibility()`)
	if b.visible(`[data-action="acknowledge"]`) {
		b.click(`[data-action="acknowledge"]`)
	}
}

// pictures fails if the page can be scrolled sideways at either width. It takes pictures of the
// whole page in both themes if there is a directory for them.
func (b *tab) pictures(dir, name string) {
	b.t.Helper()
	if strings.HasPrefix(b.t.Name(), judgedTests) {
		b.accessible()
		b.renewed()
	}
	for _, theme := range []string{"light", "dark"} {
		if dir == "" && theme == "dark" {
			break // themes do not affect widths
		}
		b.theme(theme)
		for _, width := range []int64{1280, 768, 390, 320} {
			if dir == "" && width == 390 {
				continue // what fits 320 pixels also fits a phone
			}
			b.size(width, 900)
			if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
				b.t.Errorf("%s at %d pixels is %s pixels too wide", name, width, over)
			}
			if tall := b.eval("document.querySelector('.brand').offsetHeight > 48"); tall == "true" {
				b.t.Errorf("%s at %d pixels breaks the brand into lines", name, width)
			}
			if dir == "" {
				continue
			}
			picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				b.t.Fatal(err)
			}
			path := filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", name, theme, width))
			if err := os.WriteFile(path, picture, 0o644); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.theme("light")
	b.size(1280, 900)
}
