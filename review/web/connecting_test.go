package web_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// connectedPage is a connect page whose account is connected.
type connectedPage struct {
	*rig
	id, path, token string
}

// connectAs connects an account through a new page.
func (r *rig) connectAs(address, wallet string) connectedPage {
	r.t.Helper()
	id, token := r.connecting()
	p := connectedPage{r, id, "/api/wallet/" + id, token}
	for _, in := range []map[string]string{
		{"status": "connecting", "walletName": wallet, "walletId": wallet},
		{"status": "connected", "walletName": wallet, "walletId": wallet, "account": address, "chain": "sui:localnet"},
	} {
		if a := p.post("state", in); a.status != http.StatusOK {
			r.t.Fatalf("%d %s", a.status, a.body)
		}
	}
	return p
}

func (p connectedPage) post(step string, body any) answer {
	p.t.Helper()
	return p.do("POST", p.path+"/"+step, p.token, body)
}

func (p connectedPage) view() string {
	p.t.Helper()
	return p.do("GET", p.path+"/view", p.token, nil).body
}

// proof returns the body with a signed message.
func proof(message, signature string) map[string]any {
	return map[string]any{"status": "connected", "proof": map[string]string{"message": message, "signature": signature}}
}

// TestConnectProof proves an account through the page's API, signed by the sandbox's wallet as on a
// page.
func TestConnectProof(t *testing.T) {
	j := newJob(t, nil)
	p := j.connectAs(sandbox.Account.String(), "Sandbox test wallet")
	if view := p.view(); !strings.Contains(view, "Claimed by the wallet, not proven") || !strings.Contains(view,
		`data-action="prove"`) {
		t.Errorf("the page does not offer a proof:\n%s", view)
	}
	looker := j.token(pagetoken.Connect, p.id)
	if view := j.do("GET", p.path+"/view", looker, nil).body; strings.Contains(view, `data-action="prove"`) {
		t.Error("a page that looks on offers a proof")
	}
	if got := p.do("GET", p.path+"/state", p.token, nil); got.text("proven") != "false" || got.text("provenAt") != "" {
		t.Errorf("state %s", got.body)
	}
	message := p.post("challenge", map[string]string{}).text("message")
	sign := func(body map[string]string) answer { return j.do("POST", "/sandbox/wallet/sign", p.token, body) }
	a := sign(map[string]string{"personalMessage": base64.StdEncoding.EncodeToString([]byte(message))})
	signature := a.text("signature")
	if raw, _ := base64.StdEncoding.DecodeString(a.text("bytes")); string(raw) != message || signature == "" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	t.Run("what a proof must not be mixed with", func(t *testing.T) {
		mixed := proof(message, signature)
		mixed["account"] = person.String()
		other := proof(message, signature)
		other["status"] = "connecting"
		for _, body := range []map[string]any{mixed, other, proof(message, ""), proof(message+"x", signature)} {
			if a := p.post("state", body); a.status != http.StatusBadRequest || a.text("error.kind") != "input_invalid" {
				t.Errorf("%v: %d %s", body, a.status, a.body)
			}
		}
		if strings.Contains(p.view(), "Proven by a signature") {
			t.Error("the page says that the account is proven")
		}
	})
	got := p.post("state", proof(message, signature))
	if got.status != http.StatusOK || got.text("proven") != "true" || got.text("provenAt") == "" ||
		got.text("status") != "connected" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if view := p.view(); !strings.Contains(view, "Proven by a signature on ") || strings.Contains(view,
		`data-action="prove"`) ||
		strings.Contains(view, "laimed") && !strings.Contains(view, "data-in-use") {
		t.Errorf("the page after the proof:\n%s", view)
	}
	if a := p.post("state", proof(message, signature)); a.status != http.StatusConflict ||
		a.text("error.details.proof") != account.ProofUsed {
		t.Errorf("the same again: %d %s", a.status, a.body)
	}
	if a := p.post("challenge", map[string]string{}); a.status != http.StatusConflict {
		t.Errorf("another message for a proven account: %d %s", a.status, a.body)
	}
	t.Run("a page that looks on can ask for nothing", func(t *testing.T) {
		for _, step := range []string{"challenge", "use", "forget", "state"} {
			if a := j.do("POST", p.path+"/"+step, looker, map[string]string{}); a.status != http.StatusConflict {
				t.Errorf("%s: %d %s", step, a.status, a.body)
			}
		}
	})
}

// TestSandboxSignsByPage checks that the test wallet signs only messages for a connect page and
// only transactions for a review page.
func TestSandboxSignsByPage(t *testing.T) {
	j := newJob(t, nil)
	p := j.connectAs(sandbox.Account.String(), "Sandbox test wallet")
	tx := sampleTransaction(t)
	tx.Sender = sandbox.Account
	wallet, err := tx.WalletJSON()
	if err != nil {
		t.Fatal(err)
	}
	transaction := map[string]string{"transaction": string(wallet)}
	message := map[string]string{"personalMessage": "aGVsbG8gc3Vp"}
	both := map[string]string{"transaction": string(wallet), "personalMessage": "aGVsbG8gc3Vp"}
	id := j.put(sample(t, record.Ready))
	reviewToken := j.token(pagetoken.Review, id)
	home := j.token(pagetoken.Home, pagetoken.HomeSubject)
	for name, c := range map[string]struct {
		token string
		body  map[string]string
		want  int
	}{
		"connect, message":      {p.token, message, http.StatusOK},
		"connect, transaction":  {p.token, transaction, http.StatusBadRequest},
		"connect, both":         {p.token, both, http.StatusBadRequest},
		"connect, nothing":      {p.token, map[string]string{}, http.StatusBadRequest},
		"connect, other key":    {p.token, map[string]string{"Transaction": string(wallet)}, http.StatusBadRequest},
		"review, transaction":   {reviewToken, transaction, http.StatusOK},
		"review, message":       {reviewToken, message, http.StatusBadRequest},
		"review, both":          {reviewToken, both, http.StatusBadRequest},
		"home, message":         {home, message, http.StatusUnauthorized},
		"home, transaction":     {home, transaction, http.StatusUnauthorized},
		"no page, message":      {"", message, http.StatusUnauthorized},
		"a review, looking on":  {j.token(pagetoken.Review, id), transaction, http.StatusConflict},
		"a connect, looking on": {j.token(pagetoken.Connect, p.id), message, http.StatusConflict},
	} {
		a := j.do("POST", "/sandbox/wallet/sign", c.token, c.body)
		if a.status != c.want || (c.want != http.StatusOK) != (a.text("signature") == "") {
			t.Errorf("%s: %d %s, want %d", name, a.status, a.body, c.want)
		}
	}
}

// TestSandboxUnlocks checks that the test wallet signs the message that begins a browser session on
// a review page, and no other message.
func TestSandboxUnlocks(t *testing.T) {
	j := newJob(t, nil)
	j.house.Connect(sandbox.Account)
	_, home := j.browse()
	if a := j.do("POST", "/api/home/use", home, fields{"id": sandbox.Account.String()}); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	page := j.token(pagetoken.Review, j.put(sample(t, record.Ready)))
	ask := func(message string) answer {
		return j.do("POST", "/sandbox/wallet/sign", page,
			fields{"personalMessage": base64.StdEncoding.EncodeToString([]byte(message))})
	}
	message := j.do("POST", "/api/session/challenge", page, fields{}).text("message")
	if a := ask("another"); a.status != http.StatusBadRequest {
		t.Errorf("%d %s", a.status, a.body)
	}
	a := ask(message)
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	begun := j.do("POST", "/api/session/begin", page, fields{"message": message, "signature": a.text("signature")})
	if begun.text("session") == "" {
		t.Errorf("%d %s", begun.status, begun.body)
	}
	if a := ask(message); a.status != http.StatusBadRequest {
		t.Errorf("the message counts twice: %d %s", a.status, a.body)
	}
}

// TestConnectRemembers uses remembered accounts through the page's API.
func TestConnectRemembers(t *testing.T) {
	r := newRig(t, nil)
	first, second := "0x"+strings.Repeat("1", 64), "0x"+strings.Repeat("2", 64)
	r.connectAs(first, "One")
	p := r.connectAs(second, "Two <b>bold</b>\u202e")
	if view := p.view(); !strings.Contains(view, "Previously in use") ||
		!strings.Contains(view, "its reviews stay with it") {
		t.Error("the page does not say which account was replaced")
	}
	if got := p.do("GET", p.path+"/state", p.token, nil).text("replaced"); got != first {
		t.Errorf("replaced %q", got)
	}
	id, token := r.connecting()
	page := connectedPage{r, id, "/api/wallet/" + id, token}
	view := page.view()
	for _, want := range []string{"Used here before", "Two &lt;b&gt;bold&lt;/b&gt;", "in use now", "Claimed, not proven",
		`data-account="` + first + `"`, `data-account="` + second + `"`} {
		if !strings.Contains(view, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Count(view, "in use now") != 1 || strings.Index(view, "in use now") > strings.Index(view, `data-account="`+
		second) {
		t.Error("another account than the one in use is marked")
	}
	t.Run("what is not an address, or nobody gave", func(t *testing.T) {
		for _, body := range []map[string]string{{}, {"account": "me"}, {"account": "0x" + strings.Repeat("3", 64)}} {
			if a := page.post("use", body); a.status != http.StatusBadRequest {
				t.Errorf("%v: %d %s", body, a.status, a.body)
			}
		}
		if a := page.post("forget", map[string]string{"account": "me"}); a.status != http.StatusBadRequest {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	if a := page.post("use", map[string]string{"account": first}); a.text("status") != "connected" ||
		a.text("account") != first || a.text("replaced") != second {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if active, _, err := r.accounts.Active(context.Background()); err != nil || active.Account != sui.MustAddress(first) ||
		active.WalletName != "One" {
		t.Errorf("active %+v, %v", active, err)
	}
	if a := page.post("forget", map[string]string{"account": first}); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	if _, ok, err := r.accounts.Active(context.Background()); ok || err != nil {
		t.Errorf("a forgotten account is in use: %v, %v", ok, err)
	}
	next, nextToken := r.connecting()
	if view := r.do("GET", "/api/wallet/"+next+"/view", nextToken, nil).body; strings.Contains(view, first) ||
		!strings.Contains(view, second) {
		t.Error("the list has the wrong accounts")
	}
}

// TestConnectRefusalsAreSentences checks that each error of a proof has a different text.
func TestConnectRefusalsAreSentences(t *testing.T) {
	j := newJob(t, nil)
	p := j.connectAs("0x"+strings.Repeat("5", 64), "W") // not the sandbox's account
	early := p.post("state", proof("", "AA=="))
	message := p.post("challenge", map[string]string{}).text("message")
	signed, err := j.house.Sandbox.SignPersonalMessage([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for name, a := range map[string]answer{
		account.ProofNotAsked:       early,
		account.ProofOtherAddress:   p.post("state", proof(message, base64.StdEncoding.EncodeToString(signed))),
		account.ProofWrongSignature: p.post("state", proof(message, "AA==")),
		account.ProofOtherMessage:   p.post("state", proof("hello", base64.StdEncoding.EncodeToString(signed))),
	} {
		var v struct {
			Error struct {
				Message string
				Details map[string]string
			}
		}
		if err := json.Unmarshal([]byte(a.body), &v); err != nil || v.Error.Details["proof"] != name || a.status < 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
		if before := texts[v.Error.Message]; before != "" || !strings.HasSuffix(v.Error.Message, ".") {
			t.Errorf("%s and %q have one text: %s", name, before, v.Error.Message)
		}
		texts[v.Error.Message] = name
	}
	if len(texts) != 4 {
		t.Error(fmt.Sprint(texts))
	}
}

// TestConnectHostileNames remembers accounts of wallets with hostile names.
func TestConnectHostileNames(t *testing.T) {
	r := newRig(t, nil)
	for n, evil := range hostile {
		p := connectedPage{rig: r}
		p.id, p.token = r.connecting()
		p.path = "/api/wallet/" + p.id
		if p.post("state", map[string]string{"status": "connecting", "walletName": evil,
			"walletId": evil}).status != http.StatusOK {
			continue // a rejected name is never shown
		}
		p.post("state", map[string]string{"status": "connected", "walletName": evil, "walletId": evil,
			"account": fmt.Sprintf("0x%064x", n+1), "chain": "sui:localnet"})
		id, token := r.connecting()
		for page, view := range map[string]string{"connected": p.view(), "remembered": r.do("GET", "/api/wallet/"+id+"/view",
			token, nil).body} {
			for _, bad := range []string{"<script", "<img src", "<svg on", "<svg>", "<iframe", "\u202e", "\x00", "<style",
				`" on`} {
				if strings.Contains(view, bad) {
					t.Errorf("%s, %.40q: the view holds %q", page, evil, bad)
				}
			}
		}
	}
	if known, err := r.accounts.Known(t.Context()); err != nil || len(known) < len(hostile)/2 {
		t.Errorf("%d of %d hostile names were remembered, %v", len(known), len(hostile), err)
	}
}

// TestPostedBytes checks that bytes which a page received to sign are not accepted as the name of a
// wallet or in its texts, and appear on no page.
func TestPostedBytes(t *testing.T) {
	r := newRig(t, nil)
	_, materials := sample(t, record.Ready)
	bytes := base64.StdEncoding.EncodeToString(materials[0].Bytes.Bytes())
	id, token := r.connecting()
	p := connectedPage{r, id, "/api/wallet/" + id, token}
	for _, field := range []string{"walletName", "walletId"} {
		a := p.post("state", map[string]string{"status": "connecting", "walletName": "W", field: bytes})
		if a.status != http.StatusBadRequest || strings.Contains(a.body, bytes[:20]) {
			t.Errorf("%s: %d %s", field, a.status, a.body)
		}
	}
	p.post("state", map[string]string{"status": "connecting", "walletName": "W"})
	a := p.post("state", map[string]string{"status": "failed", "failureReason": account.WalletProviderError,
		"failureDetail": "no: " + bytes})
	if a.status != http.StatusOK {
		t.Errorf("a failure is not taken: %d %s", a.status, a.body)
	}
	i, err := r.accounts.Identity(t.Context(), id)
	if err != nil || i.WalletName != "W" || strings.Contains(i.FailureDetail, bytes[:20]) || strings.Contains(p.view(),
		bytes[:20]) {
		t.Errorf("it was kept: %+v, %v", i, err)
	}
}
