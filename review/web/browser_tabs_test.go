package web_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

// shots takes pictures of a page in both themes, at the widths of a desktop and a phone.
func (b *tab) shots(dir, name string) {
	b.t.Helper()
	if dir == "" {
		return
	}
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		for _, width := range []int64{1280, 390} {
			b.size(width, 844)
			picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				b.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", name, theme, width)), picture,
				0o644); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.theme("light")
	b.size(1280, 900)
}

// show makes the page believe that it is visible or hidden.
func (b *tab) show(seen bool) {
	b.t.Helper()
	state := map[bool]string{true: "visible", false: "hidden"}[seen]
	b.eval(fmt.Sprintf(`(() => {
	  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => %q });
	  document.dispatchEvent(new Event('visibilitychange'));
	})()`, state))
}

// hurried shortens a minute to a moment for the page's scripts.
const hurried = `(() => {
  const real = window.setTimeout;
  window.setTimeout = (work, ms, ...rest) => real(work, ms === 60000 ? 200 : ms, ...rest);
})()`

// streamless prevents the page's stream from opening.
const streamless = `(() => {
  const real = window.fetch;
  window.fetch = (path, options) => (path !== '/api/stream' ? real(path, options)
    : new Promise((_, no) => options.signal.addEventListener('abort', () => no(options.signal.reason))));
})()`

// lasting makes built transactions valid for longer than a test takes.
func lasting(c *review.Config) {
	c.Limits = gate.DefaultLimits()
	c.Limits.BuildLife = 20 * time.Minute
}

// TestBrowserTwelveTabs opens twelve tabs at once, of the same and of different reviews, and signs
// in two of them.
func TestBrowserTwelveTabs(t *testing.T) {
	inBrowser(t)
	j, first := newJob(t, lasting), newBrowser(t)
	j.withWallet()
	var all []*tab
	var ids []record.ID
	for _, amount := range []string{"10", "11", "12", "13"} {
		id, link := j.prepare(testkit.Swap(amount, "SUI", "USDC"))
		ids = append(ids, id)
		for range 3 {
			b := first.another()
			b.open(link)
			b.waitStage("ready")
			all = append(all, b)
			link = j.link(pagetoken.Review, string(id))
		}
	}
	double.Until(t, "all tabs share three streams", func() bool {
		n := j.server.Connected()
		return 1 <= n && n <= 3
	})
	for i, b := range []*tab{all[0], all[3]} {
		if i > 0 { // the first transaction used the gas coin of this one
			old := b.eval(`document.getElementById('view').dataset.commitment`)
			b.click(`[data-action="refresh"]`)
			b.wait(fmt.Sprintf(`document.querySelector('#view[data-stage="ready"]') && document.getElementById('view').dataset.commitment !== %s`, quoted(old)))
			if b.visible(`[data-action="acknowledge"]`) {
				b.click(`[data-action="acknowledge"]`)
			}
		}
		b.click(`[data-part="sign"]`)
		b.waitStage("success")
		if s := j.session(ids[i]); s.Status != record.Success {
			t.Errorf("%s", s.Status)
		}
	}
	for _, b := range all[1:3] { // of the first review, with and without a stream
		b.waitStage("success")
	}
	for i, b := range all {
		if said := b.complaints(); len(said) > 0 {
			t.Errorf("tab %d: %s", i, said)
		}
	}
}

// TestBrowserSignsWithoutStream signs on a page whose stream never opens.
func TestBrowserSignsWithoutStream(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	b.inject(streamless)
	j, b, id := readyTab(t, b, "honest", lasting)
	b.click(`[data-part="sign"]`)
	b.waitStage("success")
	if s := j.session(id); s.Status != record.Success || j.server.Connected() != 0 {
		t.Errorf("%s, %d streams", s.Status, j.server.Connected())
	}
}

// takeOver makes another page of the review active, so that the first one is read-only.
func (r *rig) takeOver(id string) {
	r.t.Helper()
	if a := r.do("POST", "/api/review/"+id+"/continue", r.token(pagetoken.Review, id),
		map[string]int{"revision": 3}); a.status != http.StatusOK {
		r.t.Fatalf("%d %s", a.status, a.body)
	}
}

// TestBrowserStreams counts the streams of visible pages, hidden pages, and pages whose state can
// no longer change. All of them receive a change.
func TestBrowserStreams(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	browser := newBrowser(t)
	streams := func(t *testing.T, want int) {
		t.Helper()
		double.Until(t, fmt.Sprintf("%d streams are open", want), func() bool { return r.server.Connected() == want })
	}
	opened := func(t *testing.T, status record.Status, scripts ...string) (*tab, string) {
		b := browser.another()
		b.t = t
		for _, script := range scripts {
			b.inject(script)
		}
		s, materials := sample(t, status)
		id := r.put(s, materials)
		b.open(r.link(pagetoken.Review, id))
		b.wait(`document.getElementById('view')`)
		return b, id
	}
	const looksOn = "You use this in another tab."
	t.Run("a page that nobody looks at lets go, and resumes", func(t *testing.T) {
		b, id := opened(t, record.Ready)
		streams(t, 1)
		b.show(false)
		streams(t, 0)
		r.takeOver(id)
		b.show(true)
		b.waitText(looksOn)
		streams(t, 1)
		b.show(false)
		streams(t, 0)
	})
	t.Run("a page that nobody looks at looks now and then", func(t *testing.T) {
		b, id := opened(t, record.Ready, hurried)
		// Chromium can read for up to 5 s from a stream that was closed while opening.
		streams(t, 1)
		b.show(false)
		streams(t, 0)
		r.takeOver(id)
		b.waitText(looksOn)
		if n := r.server.Connected(); n != 0 {
			t.Errorf("%d streams", n)
		}
	})
	t.Run("a page whose stream does not open asks", func(t *testing.T) {
		b, id := opened(t, record.Ready, streamless)
		r.takeOver(id)
		b.waitText(looksOn)
		b.show(false)
	})
	t.Run("a final page holds none", func(t *testing.T) {
		b, _ := opened(t, record.Success)
		b.wait(`performance.getEntriesByType('resource').some((one) => one.name.endsWith('/state'))`)
		if n := r.server.Connected(); n != 0 {
			t.Errorf("%d streams", n)
		}
	})
	t.Run("every kind of page hears without a stream", func(t *testing.T) {
		b := browser.another()
		b.t = t
		b.inject(streamless)
		b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
		b.wait(`document.getElementById('view')`)
		before := b.eval(`document.getElementById('view').dataset.revision`)
		s, materials := sample(t, record.Blocked)
		r.put(s, materials)
		b.wait(fmt.Sprintf(`document.getElementById('view').dataset.revision !== %q`, before))
	})
}

// TestPageState requests the current state on pages of every kind, as a page does whose stream does
// not open.
func TestPageState(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	identity, connecting := r.connecting()
	for path, token := range map[string]string{
		"/api/review/" + id:                   r.token(pagetoken.Review, id),
		"/api/wallet/" + identity:             connecting,
		"/api/home":                           r.token(pagetoken.Home, pagetoken.HomeSubject),
		"/api/account/" + person.String():     r.token(pagetoken.Account, person.String()),
		"/api/settings/" + string(settingsID): r.token(pagetoken.Settings, settingsID),
	} {
		a := r.do("GET", path+"/state", token, nil)
		view := r.do("GET", path+"/view", token, nil).body
		if a.status != http.StatusOK || a.text("inUse") == "" || !strings.Contains(view, `data-in-use="`+a.text("inUse")+
			`"`) ||
			!strings.Contains(view, `data-opened-twice="`+a.text("openedTwice")+`"`) || !strings.Contains(view, `data-access="`+
			a.text("access")+`"`) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}
