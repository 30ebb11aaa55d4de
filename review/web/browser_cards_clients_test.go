//go:build clients

package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/testkit/built"
)

// cardAnswer is the real result of a tool, with the address of the card that shows it.
type cardAnswer struct {
	Tool, Card   string
	Args, Result json.RawMessage
}

// cardHost is the official host of cards in a browser, with the results of a real job.
type cardHost struct {
	*tab
	url     string
	answers []cardAnswer
}

// hostPage is the page around a card. It has text of its own because axe-core checks the page as
// well.
const hostPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title><meta name="color-scheme" content="light dark">
<style>body { margin: 0; padding: 12px; font: 16px sans-serif; } h1 { font-size: 14px; } iframe { display: block; width: 100%; height: 40px; border: 0; }</style></head>
<body><main><h1>Host</h1></main><script src="/cardhost.js"></script></body></html>`

// hostPolicy is the policy that a host applies to a card that names no addresses.
const hostPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'"

// startCards runs a job over stdio and opens the host.
func startCards(t *testing.T, b *tab) *cardHost {
	t.Helper()
	const clients = "../../test/clients"
	if _, err := os.Stat(filepath.Join(clients, "dist", "cardhost.js")); err != nil {
		t.Fatalf("%v\nmake setup bundles the host of cards", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "cards.mjs", built.Program(t), t.TempDir())
	cmd.Dir, cmd.Stderr = clients, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Shown map[string]struct {
			MIMEType, Text string
			Meta           struct {
				UI struct{ CSP map[string][]string }
			} `json:"_meta"`
		}
		Answers []cardAnswer
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Shown) != 3 {
		t.Fatalf("%d cards", len(got.Shown))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(hostPage)) })
	mux.HandleFunc("/cardhost.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(clients, "dist", "cardhost.js"))
	})
	for uri, card := range got.Shown {
		for _, domains := range card.Meta.UI.CSP {
			if card.MIMEType != "text/html;profile=mcp-app" || len(card.Meta.UI.CSP) != 4 || len(domains) > 0 {
				t.Errorf("%s: %s, %v", uri, card.MIMEType, card.Meta)
			}
		}
		mux.HandleFunc("/"+strings.TrimPrefix(uri, "ui://"), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Security-Policy", hostPolicy)
			_, _ = w.Write([]byte(card.Text))
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	b.open(s.URL)
	return &cardHost{tab: b, url: s.URL, answers: got.Answers}
}

// show passes a result to its card. As in real hosts, the card has another origin than its host,
// unless inside is set.
func (h *cardHost) show(a cardAnswer, inside bool, theme string) {
	h.t.Helper()
	sandbox := "allow-scripts"
	if inside {
		sandbox += " allow-same-origin"
	}
	h.promise(fmt.Sprintf(`host.show(%q, %q, %q, %s, %s).then(() => 'shown')`,
		h.url+"/"+strings.TrimPrefix(a.Card, "ui://"), sandbox, theme, a.Args, a.Result))
	h.wait(`host.ready > 0`)
	if inside {
		h.wait(`!host.frame.contentDocument.body.innerText.includes('Waiting for the answer')`)
	}
}

// words returns the text of the card.
func (h *cardHost) words() string {
	h.t.Helper()
	return h.eval(`host.frame.contentDocument.body.innerText.replace(/\s+/g, ' ')`)
}

// of returns the n-th result of a tool.
func (h *cardHost) of(tool string, n int) cardAnswer {
	h.t.Helper()
	for _, a := range h.answers {
		if a.Tool == tool {
			if n == 0 {
				return a
			}
			n--
		}
	}
	h.t.Fatalf("no answer of %s", tool)
	return cardAnswer{}
}

// edited returns a result with some texts replaced.
func (a cardAnswer) edited(pairs ...string) cardAnswer {
	a.Result = json.RawMessage(strings.NewReplacer(pairs...).Replace(string(a.Result)))
	return a
}

// picture takes a picture of the card.
func (h *cardHost) picture(name, theme string, width int64) {
	h.t.Helper()
	dir := screenshotDir(h.t)
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(h.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("card-%s-%s-%d.png", name, theme, width)), picture,
		0o644); err != nil {
		h.t.Fatal(err)
	}
}

// TestBrowserCards shows real results, obtained over stdio, in the official host. axe-core checks
// each card.
func TestBrowserCards(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	b.withAxe()
	h := startCards(t, b)
	hostile := `<img src=x onerror=\"document.title='pwned'\">`
	for _, c := range []struct {
		name   string
		answer cardAnswer
		says   []string
		link   string
	}{
		{"prepared", h.of("action_prepare_sui_action_review", 1), []string{"Swap 10 SUI to USDC", "You receive about",
			"+12.79674 USDC",
			"12.732756 USDC", "Practice coins", "Only you can sign, in your wallet."}, "Open the review"},
		{"refused", h.of("action_prepare_sui_action_review", 0), []string{"That did not work", "This needs 100,000 SUI"}, ""},
		{"ready", h.of("session_get_review_status", 0), []string{"Ready to read", "You pay at most", "at least",
			"+12.732756 USDC"}, "Open the review"},
		{"done", h.of("session_get_review_status", 1), []string{"Done", "Swap 10 SUI to USDC"}, "Open the review"},
		{"waiting", h.of("session_get_execution_result", 0), []string{"No result yet", "Not signed"}, "Open the review"},
		{"receipt", h.of("session_wait_execution_result", 0), []string{"Swapped 9.9012375 SUI for 12.79674 USDC",
			"arrived in your own account", "Left your account", "Signed by the validators"}, "Open the review"},
		{"failed", h.of("session_wait_execution_result", 0).edited(`"status":"success"`, `"status":"failure"`, `"kept":true`,
			`"kept":false`,
			`"txDigest"`, `"failureReason":"move_abort","txDigest"`), []string{"Failed", "It failed", "Not kept; promised"},
			"Open the review"},
		{"holdings", h.of("read_summarize_wallet_assets", 0), []string{"≈ 6,158.40 USDC", "1,000", "≈ 1,292.90 USDC",
			"Staked, not in the sum"}, "Open your holdings"},
		{"hostile", h.of("read_summarize_wallet_assets", 0).edited(`"registeredSymbol":"DEEP",`, ``, `"symbol":"DEEP"`,
			`"symbol":"`+hostile+`"`),
			[]string{"<img src=x onerror=\"document.title='pwned'\">", "its name proves nothing"}, "Open your holdings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.t = t
			for _, theme := range []string{"light", "dark"} {
				h.theme(theme)
				h.size(640, 200)
				h.show(c.answer, true, theme)
				h.judged(c.name, theme, c.says, c.link)
			}
		})
	}
}

// judged checks a card that is shown.
func (h *cardHost) judged(name, theme string, says []string, link string) {
	h.t.Helper()
	words := h.words()
	for _, want := range append(says, link) {
		if !strings.Contains(words, want) {
			h.t.Errorf("it does not say %q: %s", want, words)
		}
	}
	if strings.Contains(words, "undefined") || strings.Contains(words, "NaN") || strings.Contains(words, "[object") {
		h.t.Errorf("%s", words)
	}
	h.quietly()
	for _, width := range []int64{640, 344} {
		h.size(width, 200)
		h.promise(`new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done('drawn'))); })`)
		if over := h.eval(`host.frame.contentDocument.documentElement.scrollWidth - host.frame.clientWidth`); over != "0" {
			h.t.Errorf("%s at %d pixels: %s pixels too wide", theme, width, over)
		}
		h.picture(name, theme, width)
	}
	found := h.promise(`axe.run(document, { resultTypes: ['violations'], preload: false,
	  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations, passes }) => JSON.stringify(
	  [passes.some((p) => p.nodes.some((n) => n.target.length > 1)), ...violations.map((v) => v.id + ': ' + v.help + '\n  ' + v.nodes.map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary).join('\n  '))]))`)
	if found != "[true]" {
		h.t.Errorf("axe-core, %s: %s", theme, found)
	}
}

// quietly fails if the card requested anything or violated a policy.
func (h *cardHost) quietly() {
	h.t.Helper()
	if asked := h.eval(`JSON.stringify(host.asked)`); asked != "[]" {
		h.t.Errorf("it asked %s", asked)
	}
	if said := h.complaints(); len(said) > 0 {
		h.t.Errorf("the browser said %v", said)
	}
	if title := h.eval(`host.frame.contentDocument.title`); !strings.HasSuffix(title, "Say Ur Intent") {
		h.t.Errorf("its title is %q", title)
	}
}

// TestBrowserCardLinks checks that a card sends its host nothing but requests to open links to the
// pages, and uses a code once.
func TestBrowserCardLinks(t *testing.T) {
	inBrowser(t)
	h := startCards(t, newBrowser(t))
	asked := func(want string) {
		t.Helper()
		h.wait(`host.asked.length > 0`)
		if got := h.eval(`JSON.stringify(host.asked)`); got != want {
			t.Errorf("it asked %s, not %s", got, want)
		}
		h.eval(`host.asked.length = 0`)
	}
	press := func() { t.Helper(); h.eval(`host.frame.contentDocument.querySelector('footer a').click()`) }
	prepared := h.of("action_prepare_sui_action_review", 1)
	var answer struct {
		StructuredContent struct {
			Data struct{ ReviewURL, ReviewSessionID string }
		}
	}
	if err := json.Unmarshal(prepared.Result, &answer); err != nil {
		t.Fatal(err)
	}
	link := answer.StructuredContent.Data.ReviewURL
	bare, _, _ := strings.Cut(link, "#")

	t.Run("the link of the answer, its code once", func(t *testing.T) {
		h.show(prepared, true, "light")
		press()
		asked(`[["ui/open-link","` + link + `"]]`)
		press()
		asked(`[["ui/open-link","` + bare + `"]]`)
	})
	t.Run("a code that the browser was given already is not used again", func(t *testing.T) {
		h.show(prepared.edited(`"opening":"link_only"`, `"opening":"browser_started"`), true, "light")
		press()
		asked(`[["ui/open-link","` + bare + `"]]`)
	})
	t.Run("no other address", func(t *testing.T) {
		for _, bad := range []string{"https://evil.example/", "javascript:alert(1)", strings.Replace(bare, "/review",
			"@evil.example/review", 1)} {
			h.show(prepared.edited(link, bad), true, "light")
			press()
			asked(`[["ui/open-link","` + bare + `"]]`)
		}
	})
	t.Run("an id that is none makes no link", func(t *testing.T) {
		h.show(prepared.edited(link, "", `"`+answer.StructuredContent.Data.ReviewSessionID+`"`, `"../settings/x"`), true,
			"light")
		h.wait(`host.frame.contentDocument.querySelector('footer').hidden`)
	})
	t.Run("a host that opens no links", func(t *testing.T) {
		h.eval(`host.opens = false`)
		h.show(prepared, true, "light")
		press()
		h.wait(`host.frame.contentDocument.body.innerText.includes('Open this link in the browser that has your wallet')`)
		h.eval(`host.opens = true`)
	})
	t.Run("of another origin", func(t *testing.T) {
		h.show(prepared, false, "dark")
		if h.eval(`host.frame.contentDocument === null`) != "true" {
			t.Error("the card is of the host's origin")
		}
		if said := h.complaints(); len(said) > 0 {
			t.Errorf("the browser said %v", said)
		}
	})
	t.Run("it ends when the host asks", func(t *testing.T) {
		if got := h.promise(`host.bridge.teardownResource({}).then((r) => JSON.stringify(r))`); got != "{}" {
			t.Error(got)
		}
	})
}
