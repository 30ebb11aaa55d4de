package web_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// proverScript is a Wallet Standard wallet. The test chooses how it signs messages.
const proverScript = `(() => {
  const account = { address: '%[1]s', publicKey: new Uint8Array(32), chains: ['sui:localnet'],
    features: ['sui:signTransaction', 'sui:signPersonalMessage'], label: 'First' };
  const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
  const manners = {
    honest: (message) => goMessage(base64(message)),
    other: () => goMessage(btoa('Send everything to 0x2')),
    refuses: async () => { throw Object.assign(new Error('User rejected the request'), { code: 4001 }); },
    breaks: async () => { throw new Error('bridge \u202Ebroke <img src=x onerror=alert(1)>'); },
    garbage: async () => ({ bytes: '', signature: '?' }),
    nothing: async () => undefined,
  };
  window.asked = [];
  const wallet = {
    version: '1.0.0', id: 'prover', name: 'Prover', chains: ['sui:localnet'], accounts: [account], icon: '',
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'sui:signTransaction': { version: '2.0.0', signTransaction: async () => { window.asked.push('transaction'); } },
      'sui:signPersonalMessage': { version: '1.1.0', signPersonalMessage: async ({ message, account: by, chain }) => {
        window.asked.push(new TextDecoder().decode(message) + by.address + chain);
        return manners['%[2]s'](message);
      } },
    },
  };
  addEventListener('wallet-standard:app-ready', ({ detail }) => detail.register(wallet));
})()`

// useProver adds such a wallet to the tab. Its key is the sandbox's.
func (j *job) useProver(b *tab, address, manners string) {
	j.t.Helper()
	b.do(chromedp.ExposeFunc("goMessage", func(_ context.Context, text string) (signAnswer, error) {
		message, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return signAnswer{}, err
		}
		signature, err := j.house.Sandbox.SignPersonalMessage(message)
		return signAnswer{text, base64.StdEncoding.EncodeToString(signature)}, err
	}))
	b.inject(fmt.Sprintf(proverScript, address, manners))
}

// inUse returns the account in use.
func (j *job) inUse() account.Active {
	j.t.Helper()
	a, ok, err := j.accounts.Active(context.Background())
	if err != nil || !ok {
		j.t.Fatalf("active: %v, %v", ok, err)
	}
	return a
}

const proveButton = `[data-action="prove"]`

// TestBrowserProves connects the built-in test wallet and proves the account with it, using only
// the keyboard.
func TestBrowserProves(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	dir := screenshotDir(t)
	j.connect(b, "", "Sandbox test wallet")
	b.says([]string{"Claimed by the wallet, not proven", "Prove that it is yours (optional)"},
		[]string{"cannot sign messages"})
	b.pictures(dir, "connect-prove")
	b.size(320, 640)
	b.unharmed("the offer at 320 pixels")
	if j.inUse().Proven {
		t.Fatal("the account is proven before anything was signed")
	}
	b.do(chromedp.Reload()) // the offer does not depend on the script's memory
	b.waitText("Prove it with a signature")
	b.enter(proveButton)
	b.waitText("Proven by a signature on")
	b.says([]string{"A signature proved that the wallet holds this address’s key"}, []string{"Prove it with a signature",
		"Claimed by the wallet"})
	if a := j.inUse(); !a.Proven || a.ProvenAt.IsZero() || a.Account != sandbox.Account {
		t.Errorf("in use: %+v", a)
	}
	b.size(1280, 900)
	b.pictures(dir, "connect-proven")
	b.reloadAndBack(j.origin+"/review/none", "Proven by a signature on")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserProofFails tries every way in which a wallet can fail to prove an account. The account
// remains connected and unproven.
func TestBrowserProofFails(t *testing.T) {
	inBrowser(t)
	stranger := "0x" + strings.Repeat("7", 64)
	for _, c := range []struct{ name, address, manners, words, never string }{
		{"declined", sandbox.Account.String(), "refuses", "You declined in your wallet.", "did not sign"},
		{"broken", sandbox.Account.String(), "breaks", "Your wallet did not sign.", "You declined"},
		{"another text", sandbox.Account.String(), "other", "The signature does not fit the message", "declined"},
		{"no signature", sandbox.Account.String(), "garbage", "The signature does not fit the message", "declined"},
		{"nothing at all", sandbox.Account.String(), "nothing", "Your wallet did not sign.", "You declined"},
		{"another key", stranger, "honest", "The message was signed by 0x0881", "declined"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, b := newJob(t, nil), newBrowser(t)
			j.useProver(b, c.address, c.manners)
			j.connect(b, "", "Prover")
			b.click(proveButton)
			b.says([]string{c.words, "Claimed by the wallet, not proven"}, []string{c.never, "Proven by a signature"})
			b.unharmed(c.name)
			b.wait(`document.querySelector('[data-action="prove"]')?.disabled === false`) // the user can retry
			if a := j.inUse(); a.Proven || a.Account.String() != c.address {
				t.Errorf("in use: %+v", a)
			}
			asked := b.eval("window.asked.join('|')")
			for _, want := range []string{"Say Ur Intent asks you to show", "Address: " + c.address, c.address +
				"sui:localnet"} {
				if !strings.Contains(asked, want) {
					t.Errorf("the wallet was not shown %q: %s", want, asked)
				}
			}
			if c.name == "declined" {
				b.pictures(screenshotDir(t), "connect-unsigned")
			}
		})
	}
	t.Run("a wallet that cannot sign messages", func(t *testing.T) {
		j, b := newJob(t, nil), newBrowser(t)
		j.useWallet(b, "honest")
		j.connect(b, "", "Test wallet")
		b.says([]string{"cannot sign messages, so the account stays unproven"}, []string{"Prove it with a signature"})
	})
	t.Run("a wallet that is gone", func(t *testing.T) {
		j, b := newJob(t, nil), newBrowser(t)
		i, err := j.accounts.Create(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b.open(j.link(pagetoken.Connect, i.ID))
		b.waitText("Sandbox test wallet")
		j.connectState(i.ID, account.Report{Status: account.Connected, Account: person.String(), Chain: "sui:localnet"})
		b.says([]string{"The wallet is not in this browser", "the account stays unproven"}, []string{"Prove it with a signature"})
	})
}

// TestBrowserRemembers chooses remembered accounts on the connect page.
func TestBrowserRemembers(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	dir := screenshotDir(t)
	first, second := "0x"+strings.Repeat("1a2b", 16), "0x"+strings.Repeat("9f8e", 16)
	j.connectAs(first, "Slush")
	j.connectAs(second, "A wallet whose name is really quite long and has no end in sight at all")
	fresh := func() string {
		t.Helper()
		i, err := j.accounts.Create(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b.open(j.link(pagetoken.Connect, i.ID))
		b.waitText("Used here before")
		return i.ID
	}
	id := fresh()
	b.says([]string{"in use now", "Found in this browser", "Sandbox test wallet", "Claimed, not proven"}, nil)
	b.pictures(dir, "connect-remembered")
	b.size(320, 640)
	b.unharmed("the list at 320 pixels")
	b.keyTo(fmt.Sprintf(`[data-action="use"][data-account=%q]`, first))
	b.press(" ")
	b.says([]string{"Connected", "Slush", "Previously in use", "its reviews stay with it"}, []string{"Used here before"})
	if a := j.inUse(); a.Account != sui.MustAddress(first) || a.WalletName != "Slush" {
		t.Errorf("in use: %+v", a)
	}
	t.Run("R004-422 the client's wait ends", func(t *testing.T) {
		i, terminal, err := j.accounts.Wait(context.Background(), id, 1)
		if err != nil || !terminal || i.Status != account.Connected {
			t.Errorf("%+v, %v, %v", i, terminal, err)
		}
	})
	b.size(1280, 900)
	b.pictures(dir, "connect-replaced")
	fresh()
	const unfold = `[...document.querySelectorAll('main details')].map((at) => { at.open = true; })`
	b.eval(unfold)
	b.click(fmt.Sprintf(`[data-action="forget"][data-account=%q]`, second))
	b.wait(fmt.Sprintf(`!document.querySelector('[data-account=%q]')`, second))
	b.says([]string{"Used here before", "Slush"}, []string{"9f8e"})
	b.eval(unfold)
	b.click(`[data-action="forget"]`)
	b.says([]string{"Connect your wallet", "No account is connected"}, []string{"Used here before"})
	b.clickText(".wallet", "Sandbox test wallet")
	b.click(`[data-part="accounts"] button`)
	b.says([]string{"Connected"}, []string{"Previously in use"})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
