package web_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// unharmed checks that no text ran, violated the page's policy, shifted the page, reversed a line,
// or added a field. asked are the fields that the page itself has.
func (b *tab) unharmed(what string, asked ...string) {
	b.t.Helper()
	if got := b.eval("window.owned"); got != "undefined" {
		b.t.Errorf("%s: a script ran", what)
	}
	if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
		b.t.Errorf("%s: the page is %s pixels too wide", what, over)
	}
	if got := b.eval(`/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u0000]/.test(document.body.textContent)`); got != "false" {
		b.t.Errorf("%s: text that turns a line around is in the page", what)
	}
	var own strings.Builder
	for _, accept := range asked {
		fmt.Fprintf(&own, `:not([data-accept="%s"])`, accept)
	}
	if got := b.eval(fmt.Sprintf(`document.querySelectorAll('main script, main iframe, main style, main form:not(.whatif, [data-form="multisig"]), main object, main embed, main base, main a:not([href^="/receipt/"], [href="/"], [href="#h-standing"], .button[href^="/review/"], .button[href^="/account/"], .link[href^="/account/"], .link[href="/settings"]), main link, main meta, main input:not([data-part^="receipts-"], .whatif input, [data-form="multisig"] input)%s').length`, &own)); got != "0" {
		b.t.Errorf("%s: %s elements came out of a text", what, got)
	}
	if said := b.complaints(); len(said) > 0 {
		b.t.Fatalf("%s: %s", what, said)
	}
}

// poisoned puts a text into every field of a session that can contain text by a client, a wallet, a
// node or the chain.
func poisoned(t *testing.T, status record.Status, evil string) (record.Session, []record.Material) {
	t.Helper()
	s, materials := sample(t, status)
	s.ID = record.ID(rand.Text())
	s.WalletName, s.WalletID = evil, evil
	s.Intent.From.Amount, s.Intent.From.Symbol, s.Intent.To.Symbol = evil, evil, evil
	s.State.Checks = append([]plan.Check{plan.Fail("wallet", "x", evil, evil, evil), plan.Pass("network", "y", evil,
		evil)}, s.State.Checks...)
	if s.Facts != nil {
		step := &s.Facts.Steps[0]
		step.Commands, step.Function, step.Route, step.TypeArgs = []string{evil}, evil, evil, []string{evil}
		step.Expected.Symbol = evil
		for i := range step.Promise.Outcomes[0].Bounds {
			step.Promise.Outcomes[0].Bounds[i].Coin.Symbol = evil
		}
	}
	for i := range s.Holdings {
		s.Holdings[i].Symbol = evil
	}
	if q := s.State.Quote; q != nil {
		q.Provider, q.Route, q.PriceUnit, q.Fee.Symbol, q.EffectivePrice = evil, evil, evil, evil, evil
	}
	if x := s.Execution; x != nil {
		x.Note = evil
		if x.Receipt != nil {
			x.Receipt.FailureKind = evil
			for i := range x.Receipt.Promises {
				x.Receipt.Promises[i].Label, x.Receipt.Promises[i].Promised, x.Receipt.Promises[i].Actual = evil, evil, "1 "+evil
			}
		}
	}
	return s, materials
}

// TestBrowserHostileReview shows every hostile text in every field of a review, at the width of a
// small phone.
func TestBrowserHostileReview(t *testing.T) {
	inBrowser(t)
	if len(hostile) < 60 {
		t.Fatalf("only %d texts", len(hostile))
	}
	r := newRig(t, nil)
	b := newBrowser(t)
	b.size(320, 640)
	statuses := []record.Status{record.Ready, record.Blocked, record.Failure, record.Success, record.SignedPendingResult}
	var again []string // recent requests, each of which the page asks about
	for i, evil := range hostile {
		status := statuses[i%len(statuses)]
		s, materials := poisoned(t, status, evil)
		id := r.put(s, materials)
		if status == record.Success {
			again = append(again, record.AcceptAgain+string(id))
		}
		b.open(r.link(pagetoken.Review, id))
		what := fmt.Sprintf("%s with text %d, %.40q", status, i, evil)
		b.wait("document.getElementById('view')?.dataset.stage")
		b.unharmed(what, again...)
		if got := b.eval(`document.querySelectorAll('main input:not(.whatif input, [data-form="multisig"] input)').length`); status == record.Ready && got != fmt.Sprint(len(again)) {
			t.Errorf("%s: %s fields, %d are asked for", what, got, len(again))
		}
		shown := strings.Join(strings.Fields(strings.TrimSuffix(words.Shown(evil, 16), "…")), " ")
		if got := strings.Join(strings.Fields(b.eval("document.body.textContent")), " "); shown != "" &&
			!strings.Contains(got, shown) {
			t.Errorf("%s: %q cannot be read", what, shown)
		}
	}
}

// TestBrowserHostileViews parses the fragments of all texts in all states in a browser, and
// compares their structure with that of a harmless text. An address in a sentence is printed in
// groups, whoever wrote it.
func TestBrowserHostileViews(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	b.open(r.origin + "/nothing")
	// shapes returns the elements in the views of texts, in one state.
	shapes := func(status record.Status, texts ...string) []string {
		var views []string
		for _, text := range texts {
			s, materials := poisoned(t, status, text)
			id := r.put(s, materials)
			a := r.do("GET", "/api/review/"+id+"/view", r.token(pagetoken.Review, id), nil)
			if a.status != http.StatusOK {
				t.Fatalf("%s, %q: %d %s", status, text, a.status, a.body)
			}
			if len(a.body) > 52<<10 {
				t.Errorf("%s, %.40q: %d bytes", status, text, len(a.body))
			}
			views = append(views, a.body)
		}
		all, err := json.Marshal(views)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		if err := json.Unmarshal([]byte(b.promise(fmt.Sprintf(`Promise.all(%s.map((view) => new Promise((done) => {
		  const call = new XMLHttpRequest();
		  call.open('GET', URL.createObjectURL(new Blob([view], { type: 'text/html' })));
		  call.responseType = 'document';
		  call.onload = () => done([...call.response.body.querySelectorAll('*')].filter((at) => !at.closest('svg, .run'))
		    .map((at) => at.tagName + [...at.attributes].map((one) => '.' + one.name).sort().join('')).join(' '));
		  call.onerror = () => done('unread');
		  call.send();
		}))).then(JSON.stringify)`, all))), &out); err != nil || len(out) != len(texts) {
			t.Fatalf("%d shapes of %d texts, %v", len(out), len(texts), err)
		}
		return out
	}
	b.open("about:blank") // the page's policy does not allow reading a blob
	for _, status := range []record.Status{record.Ready, record.Blocked, record.Failure, record.Success,
		record.SignedPendingResult} {
		want := shapes(status, "harmless words")[0]
		if want == "unread" || len(want) < 200 {
			t.Fatalf("%s: %s", status, want)
		}
		for i, got := range shapes(status, hostile...) {
			if got != want {
				t.Errorf("%s, %.40q changes the page's elements:\n%s\n%s", status, hostile[i], got, want)
			}
		}
	}
}

// TestBrowserHostileWallets announces wallets with hostile names, accounts with hostile labels, and
// errors with hostile texts.
func TestBrowserHostileWallets(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	b.size(320, 640)
	texts, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	b.inject(fmt.Sprintf(`(() => {
	  window.texts = %s;
	  const make = (text, chains) => ({
	    version: '1.0.0', id: text, name: text, icon: text, chains, accounts: [],
	    features: { 'sui:signTransaction': {}, 'standard:connect': { connect: async () => ({ accounts: texts.map((label, i) => (
	      { address: '0x' + String(i).padStart(64, '0'), chains: ['sui:localnet'], features: [], label })) }) } },
	  });
	  addEventListener('wallet-standard:app-ready', ({ detail }) => {
	    for (const text of texts) { detail.register(make(text, ['sui:localnet'])); detail.register(make(text, ['sui:mainnet'])); }
	  });
	})()`, texts))
	i, err := r.accounts.Create(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.open(r.link(pagetoken.Connect, i.ID))
	count := fmt.Sprint(len(hostile))
	b.wait(`document.querySelectorAll('[data-part="wallets"] li').length === ` + count)
	b.unharmed("wallets")
	if empty := b.eval(`[...document.querySelectorAll('[data-part="wallets"] [data-part="name"]')].filter((at) => !at.textContent.trim()).length`); empty != "0" {
		t.Errorf("%s wallets have no name that can be read", empty)
	}
	b.click(`[data-part="wallets"] li button`)
	b.wait(`document.querySelectorAll('[data-part="accounts"] li').length === ` + count)
	b.unharmed("accounts")
	t.Run("errors of wallets and of the server", func(t *testing.T) {
		s, materials := sample(t, record.Ready)
		b.open(r.link(pagetoken.Review, r.put(s, materials)))
		b.waitStage("ready")
		for n, evil := range hostile {
			b.promise(fmt.Sprintf(`import('/assets/page.js').then(({ problem }) => { problem(%q, %s); return ''; })`,
				[]string{"wallet-error", "server", "changed"}[n%3], quoted(evil)))
			b.unharmed(fmt.Sprintf("the error %.40q", evil))
		}
	})
	t.Run("what a connection failed of", func(t *testing.T) {
		for _, evil := range hostile {
			i, err := r.accounts.Create(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if err := r.accounts.Opened(context.Background(), i.ID); err != nil {
				t.Fatal(err)
			}
			token := r.token(pagetoken.Connect, i.ID)
			post := func(body map[string]string) int {
				return r.do("POST", "/api/wallet/"+i.ID+"/state", token, body).status
			}
			// A name or detail that the program rejects is never shown.
			if post(map[string]string{"status": string(account.Connecting), "walletName": evil,
				"walletId": evil}) != http.StatusOK {
				post(map[string]string{"status": string(account.Connecting), "walletName": "W", "walletId": "w"})
			}
			status := post(map[string]string{"status": string(account.Failed), "walletName": "W", "walletId": "w",
				"failureReason": account.WalletProviderError, "failureDetail": evil})
			if status != http.StatusOK && status != http.StatusBadRequest {
				t.Fatalf("%q: %d", evil, status)
			}
			body := r.do("GET", "/api/wallet/"+i.ID+"/view", token, nil).body
			for _, bad := range []string{"<script", "<img src", "<svg on", "<svg>", "<iframe", "\u202e", "\x00", "<style"} {
				if strings.Contains(body, bad) {
					t.Errorf("%q: the view holds %q", evil, bad)
				}
			}
		}
	})
}
