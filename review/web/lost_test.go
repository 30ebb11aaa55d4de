package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// wire sends a request unchanged and returns the whole response.
func (r *rig) wire(request string) answer {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.host)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(waitTime))
	if _, err := io.WriteString(conn, request); err != nil {
		r.t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		r.t.Fatalf("%.60q: %v", request, err)
	}
	defer resp.Body.Close()
	// A server that rejects a request may close the connection before all of it was sent.
	b, _ := io.ReadAll(resp.Body)
	return answer{r.t, resp.StatusCode, resp.Header, string(b)}
}

// navigate sends a request like a browser that navigates to an address.
func (r *rig) navigate(method, path, host, more string) answer {
	return r.wire(method + " " + path + " HTTP/1.1\r\nHost: " + host +
		"\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n" +
		"Sec-Fetch-Site: none\r\nAccept: text/html\r\nConnection: close\r\n" + more + "\r\n")
}

// TestLostWithoutCommand checks that the page suggests no command if none leads to these pages.
func TestLostWithoutCommand(t *testing.T) {
	r := newRig(t, func(c *config) { c.HomeCommand, c.HomeNote = "", "" })
	if a := r.navigate("GET", "/nothing", r.host, ""); a.status != http.StatusNotFound || strings.Contains(a.body,
		"terminal") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestErrorPages navigates to invalid addresses like a browser. Each page has its own text and
// status, repeats nothing of the address, and contains no data.
func TestErrorPages(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	const nowhere, unwritten, refused, notPage = "There is no page at this address.",
		"not written the way this program writes its links",
		"Another website asked for this page.", "shows nothing by itself"
	for _, c := range []struct {
		path, more string
		status     int
		words      string
	}{
		{"/nothing", "", 404, nowhere},
		{"/review", "", 404, nowhere},
		{"/account/" + strings.Repeat("f", 67), "", 404, nowhere},
		{"/review/" + strings.Repeat("f", 240), "", 404, nowhere},
		{"/review/" + strings.Repeat("f", 300), "", 400, unwritten},
		{"/review/" + id + "/", "", 400, unwritten},
		{"/review/" + id + "?token=marker-9c1", "", 400, unwritten},
		{"/../etc/passwd", "", 400, unwritten},
		{"/%2e%2e/etc/passwd", "", 400, unwritten},
		{"/%3Cscript%3Emarker-9c1%3C/script%3E", "", 400, unwritten},
		{"/<script>marker-9c1</script>", "", 404, nowhere},
		{"/\"onload=marker-9c1", "", 404, nowhere},
		{"/{{.Network}}", "", 404, nowhere},
		{"/api/exchange", "", 405, notPage},
		{"/api/review/" + id + "/view", "", 403, refused},
		{"/review/" + id, "Origin: https://evil.test\r\n", 403, refused},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := r.navigate(method, c.path, r.host, c.more)
			if c.status == 405 && method == "GET" {
				// Navigation to a route for pages is rejected before its method is checked.
				c.status, c.words = 403, refused
			}
			if a.status != c.status && !(c.status == 403 && a.status == 405) {
				t.Errorf("%s %.60s: %d, want %d", method, c.path, a.status, c.status)
			}
			r.hardened(a)
			if method == "HEAD" {
				if a.body != "" {
					t.Errorf("HEAD %.60s has a body", c.path)
				}
				continue
			}
			if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.Contains(a.body, c.words) ||
				!strings.Contains(a.body, "<code>say-ur-intent pages --network sandbox</code> in a terminal. Mind the place.") {
				t.Errorf("%.60s does not say %q:\n%s", c.path, c.words, a.body)
			}
			for _, data := range []string{"marker-9c1", "passwd", person.String(), "0881", id, s.Commitment, "<script"} {
				if strings.Contains(a.body, data) {
					t.Errorf("%.60s: the page holds %q", c.path, data)
				}
			}
		}
	}
	a := r.navigate("GET", "/", "localhost:"+strings.Split(r.host, ":")[1], "")
	if a.status != http.StatusMisdirectedRequest || a.body != "This server answers only to "+r.origin+".\n" ||
		strings.Contains(a.header.Get("Content-Type"), "html") {
		t.Errorf("another host name: %d %s %s", a.status, a.header.Get("Content-Type"), a.body)
	}
	for _, path := range []string{"/", "/review/" + id, "/account/" + person.String(), "/assets/style.css"} {
		get, head := r.navigate("GET", path, r.host, ""), r.navigate("HEAD", path, r.host, "")
		if head.status != http.StatusOK || head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) {
			t.Errorf("HEAD %s: %d, %d bytes, length %s", path, head.status, len(head.body), head.header.Get("Content-Length"))
		}
	}
	if a := r.do("HEAD", "/api/home/view", r.token(pagetoken.Home, pagetoken.HomeSubject),
		nil); a.status != http.StatusMethodNotAllowed {
		t.Errorf("HEAD of what needs a right: %d", a.status)
	}
}

// TestBrowserWithoutJavaScript opens every page in a browser without JavaScript. Each says what is
// missing and what to do, and the code of its link remains valid.
func TestBrowserWithoutJavaScript(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	s, materials := sample(t, record.Ready)
	i, err := r.accounts.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	scripts := func(off bool) {
		t.Helper()
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: off}); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ link, missing, after string }{
		"review": {r.link(pagetoken.Review, r.put(s, materials)),
			"the checks, and the button that asks your wallet are missing", "Swap up to 10 SUI"},
		"connect": {r.link(pagetoken.Connect, i.ID), "The wallets of this browser are missing", "No usable wallet found"},
		"home": {r.link(pagetoken.Home, pagetoken.HomeSubject),
			"The reviews that wait and the accounts you connected are missing", "1 thing needs you"},
		"account": {r.link(pagetoken.Account, person.String()), "what lies inside DeepBook and the reviews are missing",
			"No wallet gave this account here"},
	} {
		t.Run(name, func(t *testing.T) {
			b.t = t
			scripts(true)
			b.open(c.link)
			b.says([]string{"JavaScript is off in this browser", c.missing, "has not been used", "Allow JavaScript", "sui:sandbox"},
				[]string{"Opening…", c.after, "12.84573"})
			b.pictures(dir, "no-script-"+name)
			scripts(false)
			b.open("about:blank")
			b.open(c.link)
			b.says([]string{c.after}, []string{"JavaScript is off"})
		})
	}
}
