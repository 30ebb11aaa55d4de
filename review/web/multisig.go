package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/cosign"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review"
)

// file returns the file for the members of a multisig account.
func (p *Reviews) file(c *web.Call, members sui.MultiSig, tx sui.Material) (string, error) {
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return "", err
	}
	return cosign.Write(session.Network, session.ChainID, members, tx)
}

// export responds with the file of the transaction whose signatures are collected, and with what a
// member's wallet on this computer is asked to sign.
func (p *Reviews) export(c *web.Call) error {
	id := record.ID(c.ID)
	members, tx, err := p.Reviews.Exported(c.Ctx(), id, p.handing(c, id))
	if err != nil {
		return err
	}
	decoded, err := tx.Transaction()
	if err != nil {
		return err
	}
	text, err := decoded.WalletJSON()
	if err != nil {
		return err
	}
	out := handoffOut{TransactionJSON: string(text), Bytes: base64.StdEncoding.EncodeToString(tx.Bytes())}
	if out.File, err = p.file(c, members, tx); err != nil {
		return err
	}
	b, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return c.Bytes("application/json", b)
}

type collectIn struct {
	Signature string `json:"signature"` // base64
}

// collect adds a member's signature.
func (p *Reviews) collect(c *web.Call, in collectIn) error {
	signature, err := sui.ParseSignature(in.Signature)
	if err != nil {
		return err
	}
	session, err := p.Reviews.Collect(c.Ctx(), record.ID(c.ID), c.Right, signature.Bytes())
	if err != nil {
		return err
	}
	return p.writeStatus(c, http.StatusAccepted, session)
}

// collectPanel shows who has signed for a multisig account. Have and Need are weights.
type collectPanel struct {
	Account    string
	Members    []memberLine
	Have, Need int
	Open       bool   // signatures are being collected
	Rule       string // threshold in words
	Until      string
}

// memberLine is a member of a multisig account.
type memberLine struct {
	Address, Named string
	Weight         string // "" if all members have weight 1
	Signed         bool
}

// collected returns the panel of a multisig account, or nil for other accounts.
func (l look) collected() *collectPanel {
	m := l.MultiSig
	if m == nil {
		return nil
	}
	panel := &collectPanel{Account: l.Session.Account.String(), Need: int(m.Threshold)}
	plain := !slices.ContainsFunc(m.Members, func(o sui.MultiSigMember) bool { return o.Weight != 1 })
	for i, one := range m.Members {
		line := memberLine{Address: one.Address().String(), Signed: slices.Contains(l.Signed, i)}
		if !plain {
			line.Weight = fmt.Sprint(one.Weight)
		}
		if line.Signed {
			panel.Have += int(one.Weight)
		}
		panel.Members = append(panel.Members, line)
	}
	panel.Rule = fmt.Sprintf("%d of %d members", m.Threshold, len(m.Members))
	if !plain {
		panel.Rule = fmt.Sprintf("Members with a weight of %d", m.Threshold)
	}
	if rel := l.Session.Current(); rel != nil {
		panel.Open = true
		panel.Until = fmt.Sprintf("It can be signed until the end of epoch %s of the chain.",
			words.Spaced(fmt.Sprint(rel.LastEpoch)))
	}
	return panel
}

// actCollecting fills in the panel of a transaction whose signatures are being collected.
func (v *view) actCollecting(l look, again, decline button) {
	v.Commitment = l.Session.Commitment
	v.Collect = l.collected()
	decline.Label, decline.Class = "Stop collecting", "second"
	decline.Note = "Members who signed could still send it themselves, so a new transaction excludes this one."
	again.Label, again.Class = "Build it again", "quiet"
	v.Buttons = []button{decline, again}
}

// CosignConfig configures the page on which a member of a multisig account signs. All fields are
// required.
type CosignConfig struct {
	// Read decodes and simulates the transaction of a file.
	Read func(ctx context.Context, account sui.Address, chainID string, tx *sui.Transaction,
		raw []byte) (material.Reading, error)
	// Held returns an account's balance of a coin.
	Held  func(ctx context.Context, account sui.Address, coin sui.CoinType) (sui.Raw, error)
	Lists *listing.Lists
	Now   func() time.Time
}

type cosigning struct{ CosignConfig }

// NewCosign returns the page. It stores nothing: each request contains the file.
func NewCosign(c CosignConfig) web.Page {
	p := &cosigning{c}
	post := func(path string, run web.Handler) web.Route {
		return web.Post("/api/sign/{id}/"+path, web.WithToken, pagetoken.Sign, run)
	}
	return web.Page{
		Kind: pagetoken.Sign, Name: "cosign", Entry: "reviews", Title: "Sign for a multisig account", Path: "/sign",
		API: "/api/sign/{id}", Styles: []string{"collect.css"}, View: web.Reads(p.view), Asks: true,
		Routes: []web.Route{post("bytes", web.Reads(p.bytes)), post("check", web.Reads(p.check))},
	}
}

// cosignIn is the text of a file; "" before the user chose one.
type cosignIn struct {
	File string `json:"file"`
}

// cosignView is the page as text. It shows the transaction of the file like a review.
type cosignView struct {
	web.Head
	Review *view // nil if no file is open
}

func (p *cosigning) view(c *web.Call, in cosignIn) error {
	var v cosignView
	var err error
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	if in.File != "" {
		if v.Review, err = p.read(c, in.File); err != nil {
			return err
		}
	}
	return web.Fragment(c, "cosign.html", v)
}

// read decodes a file, simulates its transaction, and returns the view of a review of it.
func (p *cosigning) read(c *web.Call, file string) (*view, error) {
	f, tx, err := cosign.Parse(file)
	if err != nil {
		return nil, err
	}
	r, err := p.Read(c.Ctx(), f.Account, f.ChainID, tx, f.Transaction)
	if refused := (*material.Refused)(nil); errors.As(err, &refused) {
		return nil, fault.New(fault.InputInvalid, "%s", refused.Text).With("reason", refused.Word)
	} else if err != nil {
		return nil, err
	}
	//mutant:never ./review/web TestCosignLookalike
	if to := r.Facts.Promise().Payee(); to != f.Account && to.LooksLike(f.Account) {
		return nil, fault.New(fault.InputInvalid, "It pays %s, which only resembles your own account. "+
			"It is not signed here.", to)
	}
	m := sui.NewMaterial(f.Transaction)
	meta := r.Adapters[0].Meta()
	session := record.Session{Network: c.Network(), ChainID: f.ChainID, Account: f.Account, Protocol: meta.Slug,
		Action: meta.Action, Status: record.Ready, Facts: &r.Facts, Commitment: sui.Commitment(m.Digest()),
		State: record.State{Status: record.Ready, Checks: cosignChecks, HumanReview: &record.HumanReview{}}}
	if !r.Facts.Promise().Payee().IsZero() {
		session.State.Checks = append([]plan.Check{cosignPayee}, cosignChecks...)
	}
	session.State.HumanReview.ProposedAction.Title = strings.Join(r.Facts.Commands(), "; ")
	if session.Holdings, err = p.holdings(c.Ctx(), f.Account, r); err != nil {
		return nil, err
	}
	l := look{View: review.View{Session: session, Transaction: tx, SigningHash: m.SigningHash(), MultiSig: &f.Members},
		access: pagetoken.Active, now: p.Now()}
	namer := &Reviews{ReviewConfig: ReviewConfig{Lists: p.Lists}}
	namer.nameHeadline(c.Ctx(), &l)
	v := l.render()
	if v.Frozen, err = c.Frozen(); err != nil {
		return nil, err
	}
	v.Verdict = &verdict{"", "Read from the bytes of this file", []string{
		"Whoever sent it to you asked for this. Compare it with what you agreed on: prices and your own limits are not " +
			"checked here."}}
	if v.Frozen {
		v.Verdict = &verdict{"bad", "Everything is stopped.", []string{"You can lift it in Settings. Your AI cannot."}}
	}
	v.Picture, v.Progress, v.Asker = "", nil, nil
	namer.nameReview(c.Ctx(), v, plan.Intent{})
	return v, nil
}

// cosignPayee is the caution for every payment.
var cosignPayee = plan.Warn(plan.SourceAdapter, "cosign_payee", "Recipient", "The file names the recipient.",
	"Compare the complete address with the one that you agreed on. A payment cannot be taken back.")

// cosignChecks are checks that every displayed file has passed.
var cosignChecks = []plan.Check{
	plan.Pass(plan.SourceAdapter, "cosign_bytes", "Bytes",
		"Every byte of the transaction was decoded. The sender is the account that follows from the members."),
	plan.Pass(plan.SourceWallet, "cosign_ownership", "Ownership",
		"Every coin and object that it uses belongs to the account, at this version."),
	plan.Pass(plan.SourceSimulation, "cosign_simulation", "Simulation",
		"A node simulated these exact bytes, and the changes match this page."),
}

// holdings returns the balances of the coins that change in the simulation, before and after.
func (p *cosigning) holdings(ctx context.Context, account sui.Address, r material.Reading) (out []record.Holding,
	err error) {
	for _, b := range r.Facts.Promise().Bounds() {
		for _, change := range r.Simulation.Balances {
			if change.Owner != account || change.Coin != b.Coin.CoinType || !b.Party.IsAccount() {
				continue
			}
			h := record.Holding{Asset: b.Coin}
			if h.Before, err = p.Held(ctx, account, change.Coin); err != nil {
				return nil, err
			}
			after := plan.BigInt(h.Before)
			if after.Add(after, change.Amount.Big()); !after.IsUint64() {
				continue
			}
			h.After = sui.Raw(after.Uint64())
			out = append(out, h)
		}
	}
	return out, nil
}

// bytes responds with what the member's wallet is asked to sign, after reading the file again. It
// stores nothing. Whether signing is paused is checked last, because reading takes a while.
func (p *cosigning) bytes(c *web.Call, in cosignIn) error {
	v, err := p.read(c, in.File)
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestCosignFrozen
	if v.Frozen {
		return record.Stopped()
	}
	f, tx, err := cosign.Parse(in.File)
	if err != nil {
		return err
	}
	text, err := tx.WalletJSON()
	if err != nil {
		return err
	}
	return web.JSON(c, http.StatusOK, handoffOut{TransactionJSON: string(text),
		Bytes: base64.StdEncoding.EncodeToString(f.Transaction)})
}

type cosignedIn struct {
	File      string `json:"file"`
	Signature string `json:"signature"`
}

type cosignedOut struct {
	Member sui.Address `json:"member"`
}

// check verifies the wallet's signature, so that a member does not send one that will be rejected.
func (p *cosigning) check(c *web.Call, in cosignedIn) error {
	f, _, err := cosign.Parse(in.File)
	if err != nil {
		return err
	}
	signature, err := sui.ParseSignature(in.Signature)
	if err != nil {
		return err
	}
	n, err := f.Members.Signed(f.Transaction, signature.Bytes())
	if err != nil {
		return err
	}
	return web.JSON(c, http.StatusOK, cosignedOut{f.Members.Members[n].Address()})
}
