package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/review/record"
)

// homeWords says how the home page speaks of a review in each state.
var homeWords = map[record.Status]string{
	record.Proposed:            "Not opened yet. Nothing is signed.",
	record.Ready:               "Ready to be read. Nothing is signed.",
	record.RefreshRequired:     "Needs fresh figures before it can be signed.",
	record.Blocked:             "Nothing to sign: there is not enough in your account.",
	record.SignedPendingResult: "Signed. The result on chain is not known yet.",
}

// TestHomeLists looks at the list: what waits is there, in words, and what is
// over is not; no figure, address or commitment is on it.
func TestHomeLists(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	view := func() string {
		t.Helper()
		a := r.do("GET", "/api/home/view", token, nil)
		if a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return a.body
	}
	if body := view(); !strings.Contains(body, "Nothing waits for you") {
		t.Error("an empty list does not say so")
	}
	ids := map[record.Status]string{}
	for _, status := range record.Statuses() {
		if status == record.AwaitingWallet || status == record.WalletConnected {
			continue
		}
		s, materials := sample(t, status)
		ids[status] = r.put(s, materials)
	}
	body := view()
	for status, id := range ids {
		words, waits := homeWords[status]
		if strings.Contains(body, id) != waits || waits && !strings.Contains(body, words) {
			t.Errorf("%s: %q is not told, or the review is listed although it is over", status, words)
		}
	}
	if !strings.Contains(body, "5 reviews wait") || !strings.Contains(body, "Swap 10 SUI to USDC") {
		t.Error("the list does not count, or does not say what was asked")
	}
	for _, private := range []string{person.String(), "12.84573", "12.975485"} {
		if strings.Contains(body, private) {
			t.Errorf("the list tells %s", private)
		}
	}
}

// TestHomeOpens takes a fresh link from the list: it is the review's own, works once, and
// takes the lead over from a tab that has the review.
func TestHomeOpens(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	open := func(id string) answer {
		return r.do("POST", "/api/home/open", token, map[string]string{"id": id})
	}
	exchange := func(url string) answer {
		_, code, _ := strings.Cut(url, "#")
		return r.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": id, "code": code})
	}
	first := open(id).text("url")
	if !strings.HasPrefix(first, r.origin+"/review/"+id+"#") {
		t.Fatalf("the link is %s", first)
	}
	if a := exchange(first); a.text("access") != "active" {
		t.Errorf("the first tab: %s", a.body)
	}
	if a := r.do("GET", "/api/home/view", token, nil); !strings.Contains(a.body, "A tab has it open") {
		t.Error("the list does not say that a tab has the review")
	}
	if a := exchange(open(id).text("url")); a.text("access") != "active" {
		t.Errorf("a second tab: %s", a.body)
	}
	if a := exchange(first); a.status != http.StatusConflict {
		t.Errorf("a link that was used: %d %s", a.status, a.body)
	}
	over, _ := sample(t, record.Expired)
	for name, a := range map[string]answer{"over": open(r.put(over, nil)), "unknown": open("nobody"), "none": open("")} {
		if a.status < 400 || a.text("url") != "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := r.do("GET", "/api/review/"+id+"/view", token, nil); a.status != http.StatusUnauthorized {
		t.Errorf("the list's token reads a review: %d", a.status)
	}
}

// TestHomeLeads takes links to what an AI client on another machine can give no link to.
func TestHomeLeads(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	if err := r.db.Converse(t.Context(), "cloud <b>client"); err != nil {
		t.Fatal(err)
	}
	view := r.do("GET", "/api/home/view", token, nil).body
	if !strings.Contains(view, `data-action="console" data-id="cloud &lt;b&gt;client"`) || !strings.Contains(view, `data-action="connect"`) {
		t.Error(view)
	}
	opens := func(path string, in fields, kind pagetoken.Kind) {
		t.Helper()
		url := r.do("POST", path, token, in).text("url")
		at, code, _ := strings.Cut(url, "#")
		id, ok := strings.CutPrefix(at, r.origin+"/"+string(kind)+"/")
		if !ok {
			t.Fatalf("the link is %s", url)
		}
		if a := r.do("POST", "/api/exchange", "", fields{"kind": string(kind), "id": id,
			"code": code}); a.text("access") != "active" {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	opens("/api/home/console", fields{"id": "cloud <b>client"}, pagetoken.Console)
	opens("/api/home/connect", fields{}, pagetoken.Connect)
	if a := r.do("POST", "/api/home/console", token, fields{"id": "another"}); a.status != http.StatusNotFound {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestHomeLeadsToSettings takes a link from the list: it opens a settings page
// of its own, once; without a settings page there is none.
func TestHomeLeadsToSettings(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	t.Run("R004-461 home gives a link to a settings page", func(t *testing.T) {
		if view := r.do("GET", "/api/home/view", token, nil); !strings.Contains(view.body, `data-action="settings"`) {
			t.Error(view.body)
		}
		first, second := r.do("POST", "/api/home/settings", token, fields{}).text("url"), r.do("POST", "/api/home/settings", token, fields{}).text("url")
		path, code, _ := strings.Cut(first, "#")
		id, ok := strings.CutPrefix(path, r.origin+"/settings/")
		if !ok || strings.HasPrefix(second, path) {
			t.Fatalf("%s, then %s", first, second)
		}
		a := r.do("POST", "/api/exchange", "", fields{"kind": "settings", "id": id, "code": code})
		if a.text("access") != "active" {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if view := r.do("GET", "/api/settings/"+id+"/view", a.text("token"), nil); view.status != http.StatusOK {
			t.Error(view.status)
		}
	})
	t.Run("who only looks on gets none", func(t *testing.T) {
		looking := r.token(pagetoken.Home, pagetoken.HomeSubject)
		if a := r.do("POST", "/api/home/settings", looking, fields{}); a.status != http.StatusConflict {
			t.Errorf("%d %s", a.status, a.body)
		}
		if view := r.do("GET", "/api/home/view", looking, nil); strings.Contains(view.body, `data-action="settings"`) {
			t.Error("the button is there")
		}
	})
	t.Run("where there is no settings page", func(t *testing.T) {
		r := newRig(t, func(c *config) { c.Settings = nil })
		token := r.token(pagetoken.Home, pagetoken.HomeSubject)
		if a := r.do("POST", "/api/home/settings", token, fields{}); a.status != http.StatusNotFound {
			t.Errorf("%d %s", a.status, a.body)
		}
		if view := r.do("GET", "/api/home/view", token, nil); strings.Contains(view.body, `data-action="settings"`) {
			t.Error("the button is there")
		}
	})
}
