package web_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// browse begins a browser session with the user's own link.
func (r *rig) browse() (session, home string) {
	r.t.Helper()
	_, code, _ := strings.Cut(r.link(pagetoken.Home, pagetoken.HomeSubject), "#")
	a := r.do("POST", "/api/exchange", "", fields{"kind": "home", "id": "home", "code": code})
	if a.text("session") == "" || a.text("wide") != "true" {
		r.t.Fatalf("%d %s", a.status, a.body)
	}
	return a.text("session"), a.text("token")
}

// TestLinkOfAnAIClientOpensOnePage checks that neither its token nor its code opens, reads or
// changes anything else, except that it can pause signing.
func TestLinkOfAnAIClientOpensOnePage(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	token := r.token(pagetoken.Review, id)
	_, code, _ := strings.Cut(r.link(pagetoken.Review, id), "#")
	for kind, subject := range map[string]string{"home": "home", "book": "book", "settings": "settings",
		"account": person.String()} {
		for name, in := range map[string]fields{"the page's token": {"session": token}, "a code": {"code": code},
			"nothing": {}} {
			in["kind"], in["id"] = kind, subject
			if a := r.do("POST", "/api/exchange", token, in); a.status != http.StatusUnauthorized {
				t.Errorf("%s opens %s: %d %s", name, kind, a.status, a.body)
			}
		}
	}
	if a := r.do("POST", "/api/session/end", token, fields{}); a.status != http.StatusConflict {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := r.do("POST", "/api/freeze", token, fields{}); a.text("done") != "true" {
		t.Errorf("it does not stop everything: %d %s", a.status, a.body)
	}
	if a := r.do("POST", "/api/settings/settings/lift", token, fields{}); a.status != http.StatusUnauthorized {
		t.Errorf("it lifts: %d %s", a.status, a.body)
	}
}

// TestSessionOfNothing checks that a session opens no page whose subject does not exist.
func TestSessionOfNothing(t *testing.T) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	session, _ := r.browse()
	open := func(kind, id string) answer {
		return r.do("POST", "/api/exchange", "", fields{"kind": kind, "id": id, "session": session})
	}
	for kind, id := range map[string]string{"review": "nothing", "bundle": "nothing", "connect": "nothing",
		"console": "nothing",
		"account": "nothing", "book": "another", "home": "another", "reviews": "another"} {
		if a := open(kind, id); a.status < 400 || a.text("token") != "" {
			t.Errorf("%s: %d %s", kind, a.status, a.body)
		}
	}
	for kind, id := range map[string]string{"review": id, "account": person.String(), "book": "book", "home": "home",
		"reviews":  "reviews",
		"settings": "settings"} {
		if a := open(kind, id); a.text("token") == "" {
			t.Errorf("%s: %d %s", kind, a.status, a.body)
		}
	}
}

// TestKeepLead checks that an active tab of a link stays active when it opens another link to its
// page, and that no other tab can take over this way.
func TestKeepLead(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	another, materials := sample(t, record.Blocked)
	another.ID = "another"
	r.put(another, materials)
	open := func(id, earlier string) answer {
		t.Helper()
		_, code, _ := strings.Cut(r.link(pagetoken.Review, id), "#")
		in := fields{"kind": "review", "id": id, "code": code}
		if earlier != "" {
			in["token"] = earlier
		}
		return r.do("POST", "/api/exchange", "", in)
	}
	first := open(id, "")
	if first.text("access") != "active" {
		t.Fatal(first.body)
	}
	elsewhere := open("another", "").text("token")
	looker := open(id, "")
	for name, token := range map[string]string{"no token": "", "a tab that looks on": looker.text("token"),
		"another page":  elsewhere,
		"no such token": "x"} {
		if a := open(id, token); a.text("access") != "read_only" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	next := open(id, first.text("token"))
	if next.text("access") != "active" {
		t.Fatalf("the tab that acts: %d %s", next.status, next.body)
	}
	path := "/api/review/" + id + "/outcome"
	if a := r.do("POST", path, first.text("token"), fields{"outcome": "declined"}); a.status != http.StatusConflict {
		t.Errorf("its earlier token acts, too: %d %s", a.status, a.body)
	}
	if a := r.do("POST", path, next.text("token"), fields{"outcome": "declined"}); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestSessionFromElsewhere checks that another origin, another port and a rebound name get nothing,
// even with the session's token, and that there is no cookie that a browser would add.
func TestSessionFromElsewhere(t *testing.T) {
	r := newRig(t, nil)
	session, home := r.browse()
	in := fields{"kind": "book", "id": "book", "session": session}
	for name, c := range map[string]struct {
		header, value string
		status        int
	}{
		"another origin": {"Origin", "https://evil.example", http.StatusForbidden},
		"another port":   {"Origin", "http://127.0.0.1:1", http.StatusForbidden},
		"same site":      {"Sec-Fetch-Site", "same-site", http.StatusForbidden},
		"cross-site":     {"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		"no origin":      {"Origin", "null", http.StatusForbidden},
	} {
		for _, path := range []string{"/api/exchange", "/api/freeze", "/api/session/challenge"} {
			a := r.ask("POST", path, in, func(h http.Header) {
				h.Set("Authorization", "Bearer "+home)
				h.Set(c.header, c.value)
			})
			if a.status != c.status || a.header.Get("Set-Cookie") != "" || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s, %s: %d %s", name, path, a.status, a.body)
			}
		}
	}
	if a := r.navigate("GET", "/book", "evil.example", ""); a.status != http.StatusMisdirectedRequest {
		t.Errorf("a rebound name: %d", a.status)
	}
	if a := r.ask("GET", "/api/home/view", nil, func(h http.Header) {
		h.Set("Cookie", "token="+
			home)
	}); a.status != http.StatusUnauthorized {
		t.Errorf("a cookie: %d", a.status)
	}
}

// TestSessionIsOver checks that a session's tokens are invalid after its end, and that a restart of
// the server does not end it.
func TestSessionIsOver(t *testing.T) {
	r := newRig(t, nil)
	session, home := r.browse()
	in := fields{"kind": "book", "id": "book", "session": session}
	r.server.Shutdown(t.Context())
	r.serve(nil)
	book := r.do("POST", "/api/exchange", "", in)
	if book.status != http.StatusOK {
		t.Fatalf("after a restart: %d %s", book.status, book.body)
	}
	if a := r.do("POST", "/api/session/end", book.text("token"), fields{}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for _, a := range []answer{r.do("POST", "/api/exchange", "", in), r.do("GET", "/api/home/view", home, nil),
		r.do("POST", "/api/book/book/view", book.text("token"), fields{}), r.do("GET", "/api/stream", session, nil)} {
		if a.status != http.StatusUnauthorized {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

// TestSessionStream checks that one stream covers all pages of a session and the number of pending
// requests.
func TestSessionStream(t *testing.T) {
	r := newRig(t, nil)
	session, _ := r.browse()
	stream := r.listen(session, "")
	defer stream.close()
	if e := stream.until("changed"); !strings.Contains(e.data, `"session":"wide"`) {
		t.Errorf("%s", e.data)
	}
	// A tab whose subject does not exist does not affect the others.
	r.do("POST", "/api/exchange", "", fields{"kind": "connect", "id": "none", "session": session})
	book := r.do("POST", "/api/exchange", "", fields{"kind": "book", "id": "book", "session": session})
	if e := stream.until("changed"); !strings.Contains(e.data, book.text("pass")) {
		t.Errorf("%s, not of %s", e.data, book.text("pass"))
	}
}

// TestSessionBySignature checks that the wallet of the account in use begins a session, once, by
// signing the message that the page received, and only if the user chose the account in an earlier
// session.
func TestSessionBySignature(t *testing.T) {
	j := newJob(t, nil)
	j.house.Connect(sandbox.Account)
	s, materials := sample(t, record.Ready)
	token := j.token(pagetoken.Review, j.put(s, materials))
	if a := j.do("POST", "/api/session/challenge", token, fields{}); a.status != http.StatusConflict {
		t.Fatalf("an account that an AI client may have named: %d %s", a.status, a.body)
	}
	_, home := j.browse()
	if a := j.do("POST", "/api/home/use", home, fields{"id": sandbox.Account.String()}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	sign := func() fields {
		t.Helper()
		message := j.do("POST", "/api/session/challenge", token, fields{}).text("message")
		signature, err := j.house.Sandbox.SignPersonalMessage([]byte(message))
		if err != nil {
			t.Fatal(err)
		}
		return fields{"message": message, "signature": base64.StdEncoding.EncodeToString(signature)}
	}
	earlier, proof := sign(), sign()
	_, other := j.connecting()
	for name, a := range map[string]answer{"an earlier message": j.do("POST", "/api/session/begin", token, earlier),
		"on another page": j.do("POST", "/api/session/begin", other, proof)} {
		if a.status < 400 || a.text("session") != "" || !strings.Contains(a.body, "did not ask") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	proof = sign()
	begun := j.do("POST", "/api/session/begin", token, proof)
	if begun.status != http.StatusOK {
		t.Fatalf("%d %s", begun.status, begun.body)
	}
	if a := j.do("POST", "/api/session/begin", token, proof); a.status < 400 {
		t.Errorf("the signature counts twice: %s", a.body)
	}
	if a := j.do("POST", "/api/exchange", "", fields{"kind": "book", "id": "book",
		"session": begun.text("session")}); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
}
