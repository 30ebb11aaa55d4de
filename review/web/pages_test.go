package web_test

import (
	"context"
	"html"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// TestShells checks that what anyone may open contains no data.
func TestShells(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	for _, path := range []string{"/", "/review/" + id, "/connect/" + id, "/review/no-such-session", "/settings/" + id,
		"/receipt/" + id} {
		a := r.do("GET", path, "", nil)
		if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Fatalf("%s: %d %s", path, a.status, a.header.Get("Content-Type"))
		}
		for _, secret := range []string{id, s.Commitment, person.String(), "SUI", "USDC"} {
			if strings.Contains(a.body, secret) {
				t.Errorf("the shell of %s holds %q", path, secret)
			}
		}
	}
	if a, b := r.do("GET", "/review/"+id, "", nil), r.do("GET", "/review/other", "", nil); a.body != b.body {
		t.Error("the shell tells which sessions exist")
	}
	for path, kind := range map[string]string{"/favicon.ico": "image/svg+xml", "/assets/mark.svg": "image/svg+xml",
		"/assets/style.css": "text/css", "/assets/review.js": "text/javascript"} {
		if a := r.do("GET", path, "", nil); a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"),
			kind) {
			t.Errorf("%s: %d %s", path, a.status, a.header.Get("Content-Type"))
		}
	}
	// Indirect imports are listed too, so that the browser requests all modules at once.
	if body := r.do("GET", "/review/"+id, "", nil).body; !strings.Contains(body,
		`<link rel="modulepreload" href="/assets/digest.js">`) {
		t.Error("the shell does not name digest.js, which sign.js imports")
	}
	for _, path := range []string{"/nothing", "/assets/view.html", "/assets/server.go", "/nowhere/x"} {
		a := r.ask("GET", path, nil, func(h http.Header) { h.Set("Accept", "text/html") })
		if a.status != http.StatusNotFound || !strings.Contains(a.body, "There is no page at this address") {
			t.Errorf("%s: %d", path, a.status)
		}
		if a := r.do("GET", path, "", nil); a.status != http.StatusNotFound || a.text("error.kind") == "" {
			t.Errorf("%s for a program: %d %s", path, a.status, a.body)
		}
	}
}

// TestExchange checks that a link opens one page, once.
func TestExchange(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	open := func(kind, id, link string) answer {
		_, code, _ := strings.Cut(link, "#")
		return r.do("POST", "/api/exchange", "", map[string]string{"kind": kind, "id": id, "code": code})
	}
	link := r.link(pagetoken.Review, id)
	first := open("review", id, link)
	if first.status != http.StatusOK || first.text("access") != "active" || first.text("revision") != "3" ||
		len(first.text("token")) != 43 {
		t.Fatalf("%d %s", first.status, first.body)
	}
	view := func(token string) answer { return r.do("GET", "/api/review/"+id+"/view", token, nil) }
	if body := view(first.text("token")).body; strings.Contains(body, "opened twice") {
		t.Error("a link opened once is said to be opened twice")
	}
	again := open("review", id, link)
	if again.status != http.StatusConflict || !strings.Contains(again.text("error.message"), "opened twice") {
		t.Errorf("a second opening: %d %s", again.status, again.body)
	}
	if body := view(first.text("token")).body; !strings.Contains(body, "This link was opened twice.") {
		t.Error("the first page does not say that the link was opened twice")
	}
	if a := r.do("GET", "/api/review/"+id+"/state", first.text("token"), nil); a.text("openedTwice") != "true" {
		t.Errorf("the state does not say it: %s", a.body)
	}
	if kept, err := r.reviews.Get(context.Background(), record.ID(id)); err != nil || !kept.OpenedTwice {
		t.Errorf("the review itself does not record it: %v", err)
	}

	second := open("review", id, r.link(pagetoken.Review, id))
	if second.text("access") != "read_only" {
		t.Errorf("a second link: %s", second.body)
	}
	a := r.do("POST", "/api/review/"+id+"/continue", second.text("token"), map[string]int{"revision": 3})
	if a.status != http.StatusOK || a.text("revision") == "" {
		t.Errorf("continue: %d %s", a.status, a.body)
	}
	refused := r.do("POST", "/api/review/"+id+"/outcome", first.text("token"), map[string]string{"outcome": "declined"})
	if refused.status != http.StatusConflict {
		t.Errorf("the page that was left can still act: %d %s", refused.status, refused.body)
	}
	for name, a := range map[string]answer{
		"another id":   open("review", "other", r.link(pagetoken.Review, id)),
		"another kind": open("connect", id, r.link(pagetoken.Review, id)),
		"no code":      open("review", id, "x#"),
		"a made-up":    open("review", id, "x#"+strings.Repeat("A", 43)),
	} {
		if a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := open("receipt", id, r.link(pagetoken.Review, id)); a.status != http.StatusBadRequest {
		t.Errorf("a kind without a page: %d %s", a.status, a.body)
	}
}

// TestViewHoldsNoBytes checks that no response to a page contains the transaction or reveals its
// size.
func TestViewHoldsNoBytes(t *testing.T) {
	r := newRig(t, nil)
	for _, status := range record.Statuses() {
		if status == record.AwaitingWallet || status == record.Proposed {
			continue
		}
		s, materials := sample(t, status)
		id := r.put(s, materials)
		token := r.token(pagetoken.Review, id)
		view, state := r.do("GET", "/api/review/"+id+"/view", token, nil), r.do("GET", "/api/review/"+id+"/state", token, nil)
		if view.status != http.StatusOK || state.status != http.StatusOK {
			t.Fatalf("%s: %d %s", status, view.status, view.body)
		}
		if len(view.body) > 40<<10 {
			t.Errorf("%s: the view has %d bytes", status, len(view.body))
		}
		bytes, err := sampleTransaction(t).Encode()
		if err != nil {
			t.Fatal(err)
		}
		for name, body := range map[string]string{"view": view.body, "state": state.body} {
			if leaks(body, bytes) {
				t.Errorf("%s: the %s holds the transaction's bytes", status, name)
			}
			if digest := sampleDigest(t); status == record.Ready && strings.Contains(body, digest) {
				t.Errorf("%s: the %s tells the digest before a release", status, name)
			}
		}
		if state.text("status") != string(status) || state.text("revision") == "" {
			t.Errorf("%s: %s", status, state.body)
		}
	}
}

// TestHostileText puts hostile text wherever a page shows text by others.
func TestHostileText(t *testing.T) {
	const evil = "\u202eevil\u2066\x00<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\U000e0041"
	r := newRig(t, nil)
	s, materials := sample(t, record.Blocked)
	s.WalletName, s.WalletID = evil, evil
	s.Intent.From.Symbol, s.Intent.To.Symbol = evil, evil
	s.State.Checks = append([]plan.Check{plan.Fail("wallet", "x", evil, strings.Repeat(evil, 50), evil)},
		s.State.Checks...)
	blocked := r.put(s, materials)
	s, materials = sample(t, record.Failure)
	s.Execution.Receipt.FailureKind, s.Execution.Note = evil, evil
	step := &s.Facts.Steps[0]
	step.Commands, step.Function, step.Route = []string{evil}, evil, evil
	for _, id := range []string{blocked, r.put(s, materials)} {
		body := r.do("GET", "/api/review/"+id+"/view", r.token(pagetoken.Review, id), nil).body
		for _, bad := range []string{"\u202e", "\u2066", "\x00", "<script", "<img src=x", "\U000e0041"} {
			if strings.Contains(body, bad) {
				t.Errorf("the view holds %q", bad)
			}
		}
		if !strings.Contains(html.UnescapeString(body), "⟦U+202E⟧") {
			t.Error("the direction override is hidden instead of shown")
		}
	}
	if got := words.Shown(strings.Repeat("ab", 100), 3); got != "ab…" {
		t.Errorf("capped to %q", got)
	}
}

// TestAssets checks that the files of the pages are small, local, and do not use APIs that turn
// text into script.
func TestAssets(t *testing.T) {
	files := pageFiles(t)
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|` +
		`createContextualFragment|srcdoc|javascript:|\son[a-z]+=|\sstyle=|<style|@import|url\(|document\.cookie|[a-z]+\.postMessage\([^[]`)
	for name, text := range files {
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
		for _, address := range regexp.MustCompile(`https?://[^"' )]+`).FindAllString(text, -1) {
			if address != "http://www.w3.org/2000/svg" {
				t.Errorf("%s names %s", name, address)
			}
		}
		if strings.HasSuffix(name, ".js") {
			for _, from := range regexp.MustCompile(`from '([^']+)'`).FindAllStringSubmatch(text, -1) {
				if !regexp.MustCompile(`^\./[a-z]+\.js$`).MatchString(from[1]) {
					t.Errorf("%s imports %s", name, from[1])
				}
			}
		}
		if strings.HasSuffix(name, ".html") && regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(text) {
			t.Errorf("%s has an inline script", name)
		}
	}
}

// TestScriptsOfEachPage adds up the sizes of all scripts that each page loads: its own script,
// everything that it imports, and the sandbox's wallet.
func TestScriptsOfEachPage(t *testing.T) {
	r := newRig(t, func(c *config) { c.Sandbox = http.NotFoundHandler() })
	imported := regexp.MustCompile(`from '\./([a-z]+\.js)'`)
	for _, rt := range r.table() {
		if !rt.Open || strings.HasPrefix(rt.Path, "/assets") || rt.Path == "/favicon.ico" {
			continue
		}
		shell := r.do("GET", strings.Replace(rt.Path, "{id}", "x", 1), "", nil).body
		loaded, bytes := map[string]bool{}, 0
		var load func(name string)
		load = func(name string) {
			if loaded[name] {
				return
			}
			loaded[name] = true
			a := r.do("GET", "/assets/"+name, "", nil)
			if a.status != http.StatusOK {
				t.Fatalf("%s loads %s, which is not there", rt.Path, name)
			}
			bytes += len(a.body)
			for _, m := range imported.FindAllStringSubmatch(a.body, -1) {
				load(m[1])
			}
		}
		for _, m := range regexp.MustCompile(`src="/assets/([a-z]+\.js)"`).FindAllStringSubmatch(shell, -1) {
			load(m[1])
		}
		if len(loaded) < 5 || bytes > 45<<10 {
			t.Errorf("%s loads %d scripts of %d bytes", rt.Path, len(loaded), bytes)
		}
		t.Logf("%s: %d scripts, %d bytes", rt.Path, len(loaded), bytes)
	}
}

// TestContrast computes the WCAG contrast of every pair of colors used for text.
func TestContrast(t *testing.T) {
	light, dark, _ := strings.Cut(pageFiles(t)["style.css"], "prefers-color-scheme: dark")
	for theme, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			if _, ok := colours[m[1]]; !ok {
				colours[m[1]] = m[2]
			}
		}
		for _, pair := range [][2]string{{"ink", "canvas"}, {"ink", "surface"}, {"ink", "sunk"}, {"soft", "canvas"},
			{"soft", "surface"},
			{"soft", "sunk"}, {"accent", "surface"}, {"accent", "canvas"}, {"accent", "accent-wash"}, {"on-accent", "accent"},
			{"on-accent", "accent-hover"}, {"good", "canvas"}, {"good", "surface"}, {"good", "good-wash"}, {"warn", "canvas"},
			{"warn", "warn-wash"}, {"ink", "warn-wash"}, {"bad", "canvas"}, {"bad", "bad-wash"}, {"ink", "bad-wash"},
			{"bad", "surface"}, {"info", "info-wash"}, {"ink", "info-wash"}} {
			if colours[pair[0]] == "" || colours[pair[1]] == "" {
				t.Fatalf("%s: the sheet has no colour %v", theme, pair)
			}
			if got := contrast(t, colours[pair[0]], colours[pair[1]]); got < 5.5 {
				t.Errorf("%s: %s on %s has contrast %.2f", theme, pair[0], pair[1], got)
			}
		}
		if got := contrast(t, colours["bad-solid"], "#ffffff"); got < 5.5 {
			t.Errorf("%s: white on a warning has contrast %.2f", theme, got)
		}
		if got := contrast(t, colours["control"], colours["surface"]); got < 3 {
			t.Errorf("%s: the border of a field has contrast %.2f", theme, got)
		}
	}
}

// contrast returns the contrast ratio of WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(hex string) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// TestConnectPage uses the connect page's API.
func TestConnectPage(t *testing.T) {
	r := newRig(t, nil)
	id, token := r.connecting()
	path := "/api/wallet/" + id
	if a := r.do("GET", path+"/state", token, nil); a.text("status") != "opened" || a.text("access") != "active" {
		t.Errorf("%s", a.body)
	}
	if body := r.do("GET", path+"/view", token, nil).body; !strings.Contains(body, `data-part="wallets"`) {
		t.Error("there is no place for wallets")
	}
	report := func(body map[string]any) answer { return r.do("POST", path+"/state", token, body) }
	if a := report(map[string]any{"status": "connecting", "walletName": "W", "proof": map[string]string{"message": "a",
		"signature": "b"}}); a.status != http.StatusBadRequest {
		t.Errorf("an unasked proof: %d %s", a.status, a.body)
	}
	if a := report(map[string]any{"status": "connecting", "walletName": "W", "walletId": "w"}); a.status != http.StatusOK {
		t.Errorf("connecting: %d %s", a.status, a.body)
	}
	if a := report(map[string]any{"status": "connected", "account": "0x1",
		"chain": "sui:localnet"}); a.status != http.StatusBadRequest {
		t.Errorf("a short address: %d %s", a.status, a.body)
	}
	a := report(map[string]any{"status": "connected", "account": person.String(), "walletName": "W", "walletId": "w",
		"chain": "sui:mainnet"})
	if a.text("status") != "failed" || a.text("failureReason") != "unsupported_chain" {
		t.Errorf("another chain: %s", a.body)
	}
	if body := r.do("GET", path+"/view", token, nil).body; !strings.Contains(body, "another network") {
		t.Error("the page does not say that the wallet is on another network")
	}
	if _, ok, err := r.accounts.Active(context.Background()); ok || err != nil {
		t.Error("a failed connection made an account active")
	}
}

// pageFiles returns the files of all pages.
func pageFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, folder := range []string{"../../internal/web/assets", "../../internal/web/*", "assets"} {
		for _, kind := range []string{"html", "js", "css"} {
			found, err := filepath.Glob(folder + "/*." + kind)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range found {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				files[filepath.Base(path)] = string(b)
			}
		}
	}
	if len(files) < 40 {
		t.Fatalf("found %d files of pages", len(files))
	}
	return files
}
