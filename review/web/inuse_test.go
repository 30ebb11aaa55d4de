package web_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// stranger is an account other than that of the samples.
var stranger = sui.MustAddress("0x5712a6e8f3b94c07d1e2f30415263748596a7b8c9daebfc0d1e2f30415263748")

// use makes an account the account in use, as the connect page does.
func (r *rig) use(a sui.Address, wallet string) {
	r.t.Helper()
	id := wallet
	if wallet == "Sandbox test wallet" {
		id = "say-ur-intent-sandbox"
	}
	i, err := r.accounts.Create(context.Background())
	if err == nil {
		err = r.accounts.Opened(context.Background(), i.ID)
	}
	for _, report := range []account.Report{
		{Status: account.Connecting, WalletName: wallet, WalletID: id},
		{Status: account.Connected, WalletName: wallet, WalletID: id, Account: a.String(), Chain: "sui:localnet"},
	} {
		if err == nil {
			_, err = r.accounts.Report(context.Background(), i.ID, report)
		}
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// grouped returns a full address as pages show it.
func grouped(a sui.Address) string {
	return strings.TrimSpace(regexp.MustCompile("^0x....|....").ReplaceAllString(a.String(), "<span>$0</span><wbr>"))
}

// TestAccountInUse checks that every kind of page with a token shows the account in use, and that
// others do not.
func TestAccountInUse(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	connectID, connect := r.connecting()
	pages := map[string]string{
		"/api/review/" + id + "/view":        r.token(pagetoken.Review, id),
		"/api/home/view":                     r.token(pagetoken.Home, pagetoken.HomeSubject),
		"/api/wallet/" + connectID + "/view": connect,
	}
	each := func(must, never []string) {
		t.Helper()
		for path, token := range pages {
			body := r.do("GET", path, token, nil).body
			_, body, _ = strings.Cut(body, "data-in-use=")
			for _, words := range must {
				if !strings.Contains(body, words) {
					t.Errorf("%s does not say %q:\n%s", path, words, body)
				}
			}
			for _, words := range never {
				if strings.Contains(body, words) {
					t.Errorf("%s says %q", path, words)
				}
			}
		}
	}
	each([]string{"No account is connected"}, []string{"claimed", "Account in use"})
	r.use(stranger, "Wallet\u202e <b>x")
	each([]string{"Account in use", "<span>0x5712</span><span>a6e8</span><span>…</span><span>1526</span><span>3748</span>",
		"Wallet⟦U&#43;202E⟧ &lt;b&gt;x", "claimed"}, []string{"No account", "proven", "\u202e", "<b>x"})
	for _, path := range []string{"/", "/review/" + id, "/connect/" + connectID} {
		if a := r.do("GET", path, "", nil); strings.Contains(a.body, "5712") {
			t.Errorf("the shell of %s tells the account", path)
		}
	}
}

// TestReviewOfAnotherAccount opens reviews of an account that is not in use. The page names both
// accounts, and nothing can be released to a wallet.
func TestReviewOfAnotherAccount(t *testing.T) {
	r := newRig(t, nil)
	view := func(status record.Status) string {
		t.Helper()
		s, materials := sample(t, status)
		id := r.put(s, materials)
		return r.do("GET", "/api/review/"+id+"/view", r.token(pagetoken.Review, id), nil).body
	}
	const sign, another, none = `data-action="sign"`, "for another account than the one in use",
		"No account is connected now."
	says := func(body string, want map[string]bool) {
		t.Helper()
		for words, must := range want {
			if strings.Contains(body, words) != must {
				t.Errorf("%q: said %v", words, !must)
			}
		}
	}
	says(view(record.Ready), map[string]bool{none: true, sign: false, another: false})
	says(view(record.Success), map[string]bool{none: false, another: false})
	r.use(person, "Sandbox test wallet")
	says(view(record.Ready), map[string]bool{none: false, another: false, sign: true})
	r.use(stranger, "Other wallet")
	own, used := grouped(person), grouped(stranger)
	says(view(record.Ready), map[string]bool{another: true, sign: false, own: true, used: true, "Other wallet": true,
		"Nothing can be handed": true})
	says(view(record.Success), map[string]bool{another: true, used: true, "Nothing can be handed": false})
}

// TestBrowserAccountInUse changes the account while pages are open. Each page says so without a
// reload, and a review of another account removes its button.
func TestBrowserAccountInUse(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	r.use(person, "Sandbox test wallet")
	s, materials := sample(t, record.Ready)
	b.open(r.link(pagetoken.Review, r.put(s, materials)))
	b.waitStage("ready")
	b.says([]string{"Account in use 0x0881 c075 … 1cb2 e207 Sandbox test wallet · claimed", "You sign with Sandbox test wallet"},
		[]string{"another account"})
	home := b.another()
	home.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	home.waitText("Account in use 0x0881")
	r.use(stranger, "Other wallet")
	home.says([]string{"Account in use 0x5712 a6e8 … 1526 3748 Other wallet · claimed"}, []string{"0x0881 c075 …"})
	b.says([]string{"This review is for another account than the one in use.", "Account in use 0x5712"},
		[]string{"Sign in Sandbox test wallet"})
	b.pictures(dir, "another-account")
	if _, _, err := r.accounts.Clear(context.Background()); err != nil {
		t.Fatal(err)
	}
	home.says([]string{"No account is connected"}, []string{"Account in use"})
	b.says([]string{"No account is connected now."}, nil)
	b.pictures(dir, "no-account")
	if said := append(b.complaints(), home.complaints()...); len(said) > 0 {
		t.Error(said)
	}
}
