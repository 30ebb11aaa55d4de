package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestBrowserName pays a SuiNS name, pays it again after its target changed, and deletes its record
// after it was registered again.
func TestBrowserName(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	moved := "0x" + strings.Repeat("e1", 32)
	set := func(target, holder string) {
		j.house.Sandbox.SetName("carol.sui", &ledger.Record{Holder: sui.MustAddress(holder), Target: sui.MustAddress(target),
			Expires: time.Now().AddDate(1, 0, 0)})
	}
	in := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: "5"}, RecipientName: "@Carol"}
	set(payee, "0xca401")
	j.show(b, dir, "name", in, "to somebody else", "Found under the name carol.sui (SuiNS).",
		"carol.sui")
	if got := b.address(`.deal .payee`); got != payee {
		t.Errorf("the page shows %q", got)
	}
	j.signed(b, dir, "name", "Sent 5 SUI", "Found under the name carol.sui (SuiNS). ")
	t.Run("another address than last time has to be accepted", func(t *testing.T) {
		b.t = t
		set(moved, "0xca401")
		_, link := j.prepare(in)
		b.open(link)
		b.waitStage("ready")
		b.says([]string{"Now it leads to another address.",
			"I know that carol.sui leads to another address than the one that I paid before."}, nil)
		b.pictures(dir, "name-moved")
		if got := b.eval(`document.querySelector('[data-part="sign"]').ariaDisabled`); got != "true" {
			t.Error("it can be signed without a tick")
		}
		if got := b.eval(`(() => { const at = document.querySelector('[data-part="sign"]'); at.focus();
		  return document.activeElement === at && Boolean(document.getElementById(at.getAttribute('aria-describedby')).textContent); })()`); got != "true" {
			t.Error("it cannot be focused, or does not say why it is unavailable")
		}
		b.click(`[data-accept="name"]`)
		b.wait(`document.querySelector('[data-part="sign"]').ariaDisabled === 'false'`)
	})
	t.Run("a name that was registered anew is not paid until the book forgets it", func(t *testing.T) {
		b.t = t
		set(payee, "0xb0b")
		_, link := j.prepare(in)
		b.open(link)
		b.waitStage("blocked")
		b.says([]string{"Since then the name was registered again, so somebody else may hold it.",
			"Do not sign. This name may be somebody else’s now."}, nil)
		b.pictures(dir, "name-anew")
		b.open(j.link(pagetoken.Book, pagetoken.BookSubject))
		b.waitText("SuiNS names you have paid")
		b.says([]string{"carol.sui", "paid"}, nil)
		b.pictures(dir, "book-paid-names")
		b.click(`[aria-labelledby="h-paid"] details.more > summary`)
		b.click(`[data-action="forget"]`)
		b.waitText("Forgotten. The next payment to carol.sui is compared with nothing.")
		b.wait(`!document.getElementById('h-paid')`)
		_, link = j.prepare(in)
		b.open(link)
		b.waitStage("ready")
	})
	token := j.token(pagetoken.Book, pagetoken.BookSubject)
	j.do("POST", bookPath+"/continue", token, fields{})
	if a := j.do("POST", bookPath+"/forget", token, fields{"name": "nobody.sui"}); a.status != http.StatusBadRequest {
		t.Errorf("a name that was never paid is forgotten: %d %s", a.status, a.body)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserConfirmsNames confirms entries of the address book with one signature of the wallet.
func TestBrowserConfirmsNames(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	names := book.NewService(j.db, time.Now)
	if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "Alice", Address: payee, Chain: "Sui"},
		{Title: "Bob", Address: bookAlice, Chain: "Sui"}}); err != nil {
		t.Fatal(err)
	}
	j.withWallet()
	b.open(j.link(pagetoken.Book, pagetoken.BookSubject))
	b.waitText("Confirm all 2 with one signature")
	b.pictures(dir, "book-unconfirmed")
	b.click(`[data-action="confirm"][aria-label^="Confirm Alice"]`)
	b.waitText("Confirmed: 1 name.")
	b.eval(`document.querySelectorAll('details.more').forEach((at) => { at.open = true; })`)
	b.says([]string{"Confirmed: your wallet signed that this name is of this address.",
		"Not confirmed: no payment to it was made from here."},
		[]string{"with one signature"})
	if list, err := names.List(t.Context(), "", "Alice"); err != nil || !list[0].Confirmed() {
		t.Errorf("%+v %v", list, err)
	}
	b.pictures(dir, "book-confirmed")
	t.Run("a change of the entry ends it", func(t *testing.T) {
		b.t = t
		const alice = `[data-form="correct"][data-title="Alice"] `
		b.fill(alice+`[name="title"]`, "Alicia")
		b.click(alice + `button`)
		b.waitText("Confirm all 2 with one signature")
		b.click(`[data-action="confirm"]:not([data-id])`)
		b.waitText("Confirmed: 2 names.")
	})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
	t.Run("where the wallet is not here, nothing is asked", func(t *testing.T) {
		j, b := newJob(t, nil), newBrowser(t)
		if _, err := book.NewService(j.db, time.Now).Add(t.Context(), book.Agent, []book.Target{{Title: "Carol",
			Address: bookAlice, Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		j.use(person, "Another wallet")
		b.open(j.link(pagetoken.Book, pagetoken.BookSubject))
		b.click(`[data-action="confirm"]`)
		b.says([]string{"Your connected wallet is not in this browser, or cannot sign messages."}, []string{"Confirmed:"})
	})
}
