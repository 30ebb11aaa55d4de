package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	orders "github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// homeWords are the texts for a review in each state on the home page.
var homeWords = map[record.Status]string{
	record.Proposed:            "New",
	record.Ready:               "Ready to sign",
	record.RefreshRequired:     "Needs a new price",
	record.Blocked:             "Nothing to sign",
	record.SignedPendingResult: "The result on chain is not known yet",
	record.Success:             "Swapped 10 SUI for 12.975485 USDC",
	record.Failure:             "Failed: swap",
	record.Expired:             "nothing was signed",
}

// TestHomeLists checks that the lists describe what waits, runs or has ended, and count what needs
// the user. They contain no full addresses, balances or commitments.
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
	if body := view(); !strings.Contains(body, "Connect a wallet to start") {
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
		if words := homeWords[status]; words == "" || !strings.Contains(body, id) || !strings.Contains(body, words) {
			t.Errorf("%s: %q is not shown", status, words)
		}
	}
	if !strings.Contains(body, "4 things need you") || !strings.Contains(body, "Swap 10 SUI to USDC") ||
		!strings.Contains(body, `id="h-running"`) {
		t.Error("the list does not count, or does not say what was asked")
	}
	for _, private := range []string{person.String(), "12.84573 USDC. ", "989.99624188"} {
		if strings.Contains(body, private) {
			t.Errorf("the list tells %s", private)
		}
	}
}

// TestHomeOpens opens what the lists name, by plain links with the browser session.
func TestHomeOpens(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	if err := r.db.Converse(t.Context(), "cloud <b>client"); err != nil {
		t.Fatal(err)
	}
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	view := r.do("GET", "/api/home/view", token, nil).body
	for _, words := range []string{`href="/review/` + id + `"`, `href="/console/`, "cloud &lt;b&gt;client",
		`data-action="connect"`,
		`href="/settings"`} {
		if !strings.Contains(view, words) {
			t.Errorf("the list lacks %s", words)
		}
	}
	review := r.wide(pagetoken.Review, id)
	if a := r.do("GET", "/api/review/"+id+"/state", review, nil); a.text("access") != "active" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := r.do("POST", "/api/reviews/reviews/view", r.wide(pagetoken.Reviews, pagetoken.ReviewsSubject),
		fields{}); !strings.Contains(a.body, "A tab has it open") {
		t.Error("the list does not say that a tab has the review")
	}
	if a := r.do("GET", "/api/review/"+id+"/view", token, nil); a.status != http.StatusUnauthorized {
		t.Errorf("the list's token reads a review: %d", a.status)
	}
	home := r.wide(pagetoken.Home, pagetoken.HomeSubject)
	if url := r.do("POST", "/api/home/connect", home, fields{}).text("url"); !strings.HasPrefix(url, r.origin+
		"/connect/") || strings.Contains(url, "#") {
		t.Errorf("the link is %s", url)
	}
}

// TestHomeLeadsToSettings opens the settings with the browser session.
func TestHomeLeadsToSettings(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	t.Run("R004-461 home gives a link to a settings page", func(t *testing.T) {
		if view := r.do("GET", "/api/home/view", token, nil); !strings.Contains(view.body, `href="/settings"`) {
			t.Error(view.body)
		}
		settings := r.wide(pagetoken.Settings, pagetoken.SettingsSubject)
		if view := r.do("GET", "/api/settings/settings/view", settings, nil); view.status != http.StatusOK {
			t.Error(view.status)
		}
	})
	t.Run("who only looks on gets none", func(t *testing.T) {
		r.token(pagetoken.Home, pagetoken.HomeSubject)
		if view := r.do("GET", "/api/home/view", token, nil); strings.Contains(view.body, `href="/settings"`) {
			t.Error("the way is there")
		}
	})
}

// TestHomeRuns lists waiting orders, and answers an AI client's question once.
func TestHomeRuns(t *testing.T) {
	r := newRig(t, nil)
	if err := r.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	r.use(person, "Sandbox test wallet")
	order := orders.Order{Account: person, Manager: sui.MustAddress("0x33"), Pool: "SUI_USDC", ID: "1", Price: 1_350_000,
		Quantity: 30_000_000_000, Remaining: 30_000_000_000, SeenAt: time.Now()}
	if _, err := r.db.KeepResting(t.Context(), person, nil, []orders.Order{order}, nil); err != nil {
		t.Fatal(err)
	}
	asked := r.question(r.db.Bus(t.Context()), time.Now().Add(time.Minute), bus.Question{Text: "Which <b>pool</b>?",
		Choices: []string{"A", "B"}})
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	view := r.do("GET", "/api/home/view", token, nil).body
	mustSay(t, view, []string{"1 thing needs you", "claude-code</bdi> has a question", "Which &lt;b&gt;pool",
		"Sell 30 SUI at 1.35 USDC",
		"Waits for the market", "/account/" + person.String(), `aria-label="Cancel: Sell 30 SUI at 1.35 USDC"`}, nil)
	if a := r.do("POST", "/api/home/prepare", token, fields{"do": "cancel", "account": stranger.String(),
		"order": "1"}); a.status != http.StatusConflict {
		t.Errorf("of an account that is not in use: %d %s", a.status, a.body)
	}
	for _, in := range []fields{{"id": asked.ID, "answer": "C"}, {"id": "nothing", "answer": "A"}} {
		if a := r.do("POST", "/api/home/answer", token, in); a.status < 400 {
			t.Errorf("%v: %d %s", in, a.status, a.body)
		}
	}
	if a := r.do("POST", "/api/home/answer", token, fields{"id": asked.ID, "declined": true}); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	if got, err := r.db.Task(t.Context(), asked.ID); err != nil || got.Error != bus.ErrorDeclined {
		t.Errorf("%+v %v", got, err)
	}
	if view = r.do("GET", "/api/home/view", token, nil).body; !strings.Contains(view, "Nothing needs you") {
		t.Error(view)
	}
	r.question("an earlier conversation", time.Now().Add(time.Minute), bus.Question{Text: "Still there?"})
	if view = r.do("GET", "/api/home/view", token, nil).body; !strings.Contains(view, "1 thing needs you") ||
		!strings.Contains(view, "Your AI client</bdi> has a question") {
		t.Error(view)
	}
}
