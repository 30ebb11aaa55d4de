package web_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/cosign"
	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/gate"
)

// multiMember is a member of a multisig account with its key.
type multiMember struct{ key ed25519.PrivateKey }

func newMember(n byte) multiMember {
	return multiMember{ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(n)), ed25519.SeedSize)))}
}

func (m multiMember) public() []byte {
	return append([]byte{sui.SchemeEd25519}, m.key.Public().(ed25519.PublicKey)...)
}

func (m multiMember) address() sui.Address {
	return sui.PublicKeyAddress(sui.SchemeEd25519, m.public()[1:])
}

func (m multiMember) line() string { return base64.StdEncoding.EncodeToString(m.public()) + " 1" }

func (m multiMember) sign(raw []byte) []byte {
	message := blake2b.Sum256(append([]byte{0, 0, 0}, raw...))
	return slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(m.key, message[:]), m.public()[1:])
}

// accountOf returns the account for which any two of the members can sign.
func accountOf(members ...multiMember) sui.MultiSig {
	m := sui.MultiSig{Threshold: 2}
	for _, one := range members {
		m.Members = append(m.Members, sui.MultiSigMember{Key: one.public(), Weight: 1})
	}
	return m
}

// memberWallet is a wallet with the account of one member.
const memberWallet = `(() => {
  const account = { address: '%[1]s', publicKey: new Uint8Array(32), chains: ['sui:localnet'], features: ['sui:signTransaction'], label: 'Mine' };
  const wallet = { version: '1.0.0', id: 'member.wallet', name: 'Member wallet', chains: ['sui:localnet'], accounts: [account],
    icon: 'data:image/svg+xml,%%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"%%3E%%3Cpath fill="%%23444" d="M0 0h4v4H0z"/%%3E%%3C/svg%%3E',
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'sui:signTransaction': { version: '2.0.0', signTransaction: async ({ transaction }) => goMember(await transaction.toJSON()) },
    } };
  addEventListener('wallet-standard:app-ready', ({ detail }) => detail.register(wallet));
  const make = URL.createObjectURL;
  window.saved = '';
  URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make.call(URL, blob); };
})()`

// give adds a member's wallet to the tab.
func (m multiMember) give(b *tab) {
	b.t.Helper()
	b.do(chromedp.ExposeFunc("goMember", func(_ context.Context, text string) (signAnswer, error) {
		tx, err := sui.ParseWalletJSON([]byte(text))
		if err != nil {
			return signAnswer{}, err
		}
		raw, err := tx.Encode()
		return signAnswer{base64.StdEncoding.EncodeToString(raw), base64.StdEncoding.EncodeToString(m.sign(raw))}, err
	}))
	b.inject(fmt.Sprintf(memberWallet, m.address()))
}

// savedFile returns the file that the page saved.
func (b *tab) savedFile(name string) (path, text string) {
	b.t.Helper()
	b.wait("window.saved")
	text = b.eval("window.saved")
	b.eval("window.saved = ''")
	path = filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path, text
}

// memberRig serves the pages of another user, with a separate store, on the same chain.
func memberRig(t *testing.T, j *job) *rig {
	reader := material.New(material.Config{Chain: j.house.Node, Adapters: j.house.Adapters(), Network: "sui:sandbox",
		Called: func(sui.ObjectID) bool { return true }, MostGas: gate.DefaultLimits().MostGasBudget})
	return newRig(t, func(c *config) { c.Reading, c.Held = reader.Read, j.reviews.Held })
}

// connectMultiSig enters the account on the connect page.
func (j *job) connectMultiSig(b *tab, dir string, m sui.MultiSig, members ...multiMember) {
	j.t.Helper()
	identity, err := j.accounts.Create(context.Background())
	if err != nil {
		j.t.Fatal(err)
	}
	b.open(j.link(pagetoken.Connect, identity.ID))
	b.clickText("summary", "Multisig account")
	fill := func(lines string) {
		b.eval(fmt.Sprintf(`(({ account, members, threshold }) => { account.value = %q; members.value = %q; threshold.value = 2; })(document.querySelector('[data-form="multisig"]').elements)`,
			m.Address(), lines))
		b.click(`[data-form="multisig"] button`)
	}
	fill(members[1].line() + "\n" + members[0].line())
	b.waitText("These members make the account")
	b.pictures(dir, "multisig-connect")
	var lines []string
	for _, one := range members {
		lines = append(lines, one.line())
	}
	fill(strings.Join(lines, "\n"))
	b.waitText("Return to your AI client")
	b.pictures(dir, "multisig-connected")
}

// TestBrowserMultiSig follows a transaction of an account with two of three members. It is
// reviewed, saved as a file, read and signed by a member on another computer, and sent when it is
// complete.
func TestBrowserMultiSig(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	dir := screenshotDir(t)
	one, two, three, stranger := newMember(21), newMember(22), newMember(23), newMember(24)
	m := accountOf(one, two, three)
	j.fund(m.Address())

	a := newBrowser(t)
	one.give(a)
	j.connectMultiSig(a, dir, m, one, two, three)
	id, link := j.prepare(pay("1.5", "SUI", payee))
	a.open(link)
	a.waitStage("ready")
	a.waitText("2 of 3 members sign")
	a.pictures(dir, "multisig-ready")
	a.click(`[data-action="collect"]`)
	a.waitText("Signatures: 0 of 2")
	file, text := a.savedFile("to-sign.json")
	a.pictures(dir, "multisig-collecting")

	// The other user reads it on separate pages.
	other := memberRig(t, j)
	b := newBrowser(t)
	two.give(b)
	b.open(other.link(pagetoken.Home, pagetoken.HomeSubject))
	b.wait(`document.body.dataset.session === 'wide'`)
	b.open(other.origin + "/sign")
	b.waitText("Open the file that another member sent you")
	b.pictures(dir, "multisig-open")
	b.do(chromedp.SetUploadFiles(chromedp.CSS(`[data-part="file"]`), []string{file}))
	b.waitText("Read from the bytes of this file")
	for _, must := range []string{"1.5 SUI", "2 of 3 members sign"} {
		b.waitText(must)
	}
	b.pictures(dir, "multisig-member")
	b.click(`[data-action="cosign"]`)
	b.waitText("Send this back")
	b.pictures(dir, "multisig-signed")
	b.click(`[data-action="save"]`)
	signature, back := b.savedFile("signature.txt")

	// Signatures that do not belong to it are rejected with a reason.
	raw := transactionOf(t, text)
	a.add(stranger.sign(raw))
	a.waitText("which is not a member of this account")
	a.pictures(dir, "multisig-foreign")
	a.add(three.sign(append(slices.Clone(raw), 0)))
	a.waitText("signed another transaction, not this one")

	a.wait(`document.querySelector('[data-action="add"]')?.disabled === false`) // the page was redrawn after the error
	a.do(chromedp.SetUploadFiles(chromedp.CSS(`[data-part="signature-file"]`), []string{signature}))
	a.wait(fmt.Sprintf(`document.querySelector('[data-part="signature"]').value === %q`, back))
	a.click(`[data-action="add"]`)
	a.waitText("Signatures: 1 of 2")
	a.add(two.sign(raw))
	a.waitText("signed already")
	a.do(chromedp.Reload())
	a.waitText("Signatures: 1 of 2")
	a.pictures(dir, "multisig-one")

	// The user who started it also signs, which completes the set.
	a.click(`[data-action="cosign"]`)
	a.waitStage("success")
	a.pictures(dir, "multisig-sent")
	if said := append(a.complaints(), b.complaints()...); len(said) > 0 {
		t.Error(said)
	}
	done := j.session(id)
	if done.Status != record.Success || done.Execution.Receipt.Sender != m.Address() {
		t.Errorf("%s %+v", done.Status, done.Execution)
	}
}

// add pastes a member's signature.
func (b *tab) add(signature []byte) {
	b.t.Helper()
	b.wait(`document.querySelector('[data-part="signature"]')`)
	b.eval(fmt.Sprintf(`(() => { const at = document.querySelector('[data-part="signature"]'); at.value = %q; at.dispatchEvent(new Event('input', { bubbles: true })); })()`,
		base64.StdEncoding.EncodeToString(signature)))
	b.click(`[data-action="add"]`)
}

// TestBrowserMultiSigStep lets the members sign a step of a bundle. The bundle's page links to the
// one that collects signatures, and continues when the set is complete.
func TestBrowserMultiSigStep(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	dir := screenshotDir(t)
	one, two := newMember(21), newMember(22)
	m := accountOf(one, two)
	j.fund(m.Address())
	b := newBrowser(t)
	one.give(b)
	j.connectMultiSig(b, "", m, one, two)
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.click(`[data-action="approve"]`)
	b.waitStep("ready")
	b.waitText("Signatures are collected on a separate page")
	if b.visible(`[data-action="sign"]`) || b.visible(`[data-action="collect"]`) {
		t.Error("the page of a bundle hands out what is collected elsewhere")
	}
	b.pictures(dir, "multisig-step")
	b.click(`[data-action="apart"]`)
	b.waitStage("ready")
	b.click(`[data-action="collect"]`)
	b.waitText("Signatures: 0 of 2")
	_, text := b.savedFile("to-sign.json")

	b.click(`[data-action="bundle"]`)
	b.waitStep("released")
	b.pictures(dir, "multisig-step-collecting")
	b.click(`[data-action="apart"]`)
	b.waitText("Signatures: 0 of 2")
	b.click(`[data-action="cosign"]`)
	b.waitText("Signatures: 1 of 2")
	b.add(two.sign(transactionOf(t, text)))
	b.waitStage("success")
	b.click(`[data-action="bundle"]`)
	b.waitText("Step 2 of 2 needs you")
	b.waitStep("ready")
	b.click(`#main [data-part="act"] [data-action="decline"]`)
	b.waitText("Stopped at step 2 of 2")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// transactionOf returns the bytes in a file for members.
func transactionOf(t *testing.T, text string) []byte {
	t.Helper()
	f, _, err := cosign.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f.Transaction
}
