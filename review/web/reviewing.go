package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// look reads all data for a review's page.
func (p *Reviews) look(c *web.Call) (look, error) {
	l := look{access: c.Pass.Access, settable: c.Wide(), command: c.HomeCommand(),
		source: p.sourceOf(c.Ctx()), nodes: p.nodes(), now: p.Now()}
	var err error
	if l.View, err = p.Reviews.View(c.Ctx(), record.ID(c.ID)); err != nil {
		return look{}, err
	}
	head, err := c.Head()
	if err != nil {
		return look{}, err
	}
	l.twice = head.OpenedTwice
	if l.nth, err = p.Nth.words(c.Ctx(), l.Session.Account, l.Session.CreatedAt); err != nil {
		return look{}, err
	}
	if l.client, err = p.Client(c.Ctx(), record.Subject(l.Session.ID)); err != nil {
		return look{}, err
	}
	if l.marked, err = p.Settings.SignsOnDevice(c.Ctx(), l.Session.Account); err != nil {
		return look{}, err
	}
	p.nameHeadline(c.Ctx(), &l)
	l.used, err = c.Used()
	return l, err
}

// nodes lists the full nodes in use, and who chose them.
func (p *Reviews) nodes() (out []words.Line) {
	for _, w := range []settings.Which{settings.GRPC, settings.Second} {
		if used := p.Settings.InForce(w); used.URL != "" {
			out = append(out, words.Line{Name: w.Info().Title, Value: settings.Shown(used.URL), Mono: true,
				Note: used.Source.Words()})
		}
	}
	return out
}

func (p *Reviews) view(c *web.Call) error {
	v, err := p.render(c)
	if err != nil {
		return err
	}
	return web.Fragment(c, "view.html", v)
}

// step responds with the view of a review for the page of its bundle.
func (p *Reviews) step(c *web.Call) error {
	v, err := p.render(c)
	if err == nil && v.Bundle == nil {
		err = fault.New(fault.SessionNotFound, "This review is a step of no bundle.")
	}
	if err != nil {
		return err
	}
	v.within(*v.Bundle)
	return web.Fragment(c, "view.html", v)
}

// render returns the view of the review of a call.
func (p *Reviews) render(c *web.Call) (*view, error) {
	l, err := p.look(c)
	if err != nil {
		return nil, err
	}
	v := l.render()
	if v.Bundle, err = p.bundled(c.Ctx(), l.Session); err != nil {
		return nil, err
	}
	key, err := p.Requests.Key(c.Ctx(), l.Session.ID)
	if err != nil {
		return nil, err
	}
	v.Key = keyWords(key)
	v.Parts = v.Bundle == nil && len(l.Session.Intent.Steps) > 0 && !l.Session.Status.Terminal() &&
		len(l.Session.Releases) == 0
	if v.WhatIf, err = p.whatIf(c, l.Session); err != nil {
		return nil, err
	}
	if err := p.changed(c, v, l.Session); err != nil {
		return nil, err
	}
	p.nameReview(c.Ctx(), v, l.Session.Intent)
	if err := p.met(c.Ctx(), v); err != nil {
		return nil, err
	}
	return v, nil
}

// reviewOut is the state of a review in JSON. It contains no bytes and, before a signature, no
// digest.
type reviewOut struct {
	ID          record.ID         `json:"reviewSessionId"`
	Revision    int64             `json:"revision"`
	Status      record.Status     `json:"status"`
	Category    string            `json:"category"`
	Reason      plan.Reason       `json:"reason,omitempty"`
	Commitment  string            `json:"commitment,omitempty"`
	Access      string            `json:"access"`
	OpenedTwice bool              `json:"openedTwice"`
	Computing   bool              `json:"computing"`
	InUse       string            `json:"inUse"`
	Progress    []web.Mark        `json:"progress,omitempty"`
	Released    bool              `json:"released"`
	Account     sui.Address       `json:"account"`
	WalletName  string            `json:"walletName,omitempty"`
	WalletID    string            `json:"walletId,omitempty"`
	Network     string            `json:"network"`
	ReviewState record.State      `json:"reviewState"`
	Facts       *plan.Facts       `json:"facts,omitempty"`
	Holdings    []record.Holding  `json:"holdings,omitempty"`
	Execution   *record.Execution `json:"execution,omitempty"`
}

func (p *Reviews) state(c *web.Call) error {
	l, err := p.look(c)
	if err != nil {
		return err
	}
	r := l.Session
	return web.JSON(c, http.StatusOK, reviewOut{
		ID: r.ID, Revision: r.Revision, Status: r.Status, Category: r.Status.Category(), Reason: r.Reason,
		Commitment: r.Commitment, Access: string(l.access), OpenedTwice: l.twice || r.OpenedTwice,
		Computing: l.Computing, Released: l.Released, Account: r.Account, WalletName: r.WalletName,
		WalletID: r.WalletID, Network: r.Network, ReviewState: r.State, Facts: r.Facts, Holdings: r.Holdings,
		Execution: r.Execution, InUse: l.used.Mark, Progress: p.marks(c.ID),
	})
}

type revisionBody struct {
	Revision int64 `json:"revision"`
}

// computeIn requests a computation. If Again is set, the user wants the request executed in
// addition to an earlier one whose release is still open.
type computeIn struct {
	Revision int64 `json:"revision"`
	Again    bool  `json:"again,omitempty"`
}

func (p *Reviews) compute(c *web.Call, in computeIn) error {
	compute := p.Reviews.Compute
	if in.Again {
		compute = p.Reviews.ComputeAgain
	}
	if err := compute(c.Ctx(), record.ID(c.ID), in.Revision); err != nil {
		return err
	}
	return web.JSON(c, http.StatusAccepted, revisionBody{in.Revision})
}

// takeOver makes this tab the active one. It responds with the current revision, so that the tab
// can check whether it shows the current state.
func (p *Reviews) takeOver(c *web.Call) error {
	if _, err := web.Body[revisionBody](c); err != nil {
		return err
	}
	if err := c.TakeOver(); err != nil {
		return err
	}
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	return web.JSON(c, http.StatusOK, revisionBody{session.Revision})
}

// handoffIn identifies what the page showed, and what the user accepted there.
type handoffIn struct {
	Revision   int64    `json:"revision"`
	Commitment string   `json:"commitment"`
	Accepted   []string `json:"accepted,omitempty"`
}

type handoffOut struct {
	TransactionJSON string `json:"transactionJson"`
	Bytes           string `json:"bytes"` // base64
	ReleaseNonce    string `json:"releaseNonce,omitempty"`
	// File is for the members of a multisig account.
	File string `json:"file,omitempty"`
}

// handoff responds with the bytes of the transaction that the page showed. In this program, only
// handoff and export, which is for multisig accounts, respond with bytes. The age of the build is
// checked last, after the response has been encoded and just before it is sent.
func (p *Reviews) handoff(c *web.Call, in handoffIn) error {
	c.Unhurried() // leaves enough time for the node after a slow request
	id := record.ID(c.ID)
	h, err := p.Reviews.HandoffTo(c.Ctx(), id, p.handing(c, id), in.Revision, in.Commitment, in.Accepted...)
	if err != nil {
		return err
	}
	out := handoffOut{
		TransactionJSON: h.TransactionJSON, Bytes: base64.StdEncoding.EncodeToString(h.Bytes.Bytes()), ReleaseNonce: h.Nonce,
	}
	if h.MultiSig != nil {
		if out.File, err = p.file(c, *h.MultiSig, h.Bytes); err != nil {
			return err
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestBytesTooOldAreNotSent
	if err := p.Reviews.Deliverable(c.Ctx(), id, h); err != nil {
		return err
	}
	if err := c.Bytes("application/json", b); err != nil {
		return err
	}
	_ = http.NewResponseController(c.W).Flush()
	return nil
}

type signedIn struct {
	ReleaseNonce string     `json:"releaseNonce"`
	Bytes        string     `json:"bytes,omitempty"`     // base64
	Signature    string     `json:"signature,omitempty"` // base64
	Digest       sui.Digest `json:"digest,omitempty"`    // from a wallet that submits transactions itself
}

type statusOut struct {
	Revision int64         `json:"revision"`
	Status   record.Status `json:"status"`
}

func (p *Reviews) writeStatus(c *web.Call, status int, r record.Session) error {
	return web.JSON(c, status, statusOut{r.Revision, r.Status})
}

// signed accepts the wallet's signature.
func (p *Reviews) signed(c *web.Call, in signedIn) error {
	var err error
	executed, id := !in.Digest.IsZero(), record.ID(c.ID)
	var session record.Session
	switch {
	case executed && in.Bytes == "" && in.Signature == "":
		session, err = p.Reviews.SignedElsewhere(c.Ctx(), id, in.ReleaseNonce, in.Digest)
	case executed || in.Bytes == "" || in.Signature == "":
		return fault.New(fault.InputInvalid, "Send bytes and signature, or, from a wallet that can only sign and execute, "+
			"the digest.")
	default:
		signed, errBytes := base64.StdEncoding.Strict().DecodeString(in.Bytes)
		signature, errSignature := base64.StdEncoding.Strict().DecodeString(in.Signature)
		if errBytes != nil || errSignature != nil {
			return fault.New(fault.InputInvalid, "Bytes and signature are base64 with padding, as wallets give them.")
		}
		session, err = p.Reviews.Signed(c.Ctx(), id, in.ReleaseNonce, signed, signature)
	}
	if err != nil {
		return err
	}
	return p.writeStatus(c, http.StatusAccepted, session)
}

type nonceBody struct {
	ReleaseNonce string `json:"releaseNonce"`
}

// submit submits the same signed bytes again.
func (p *Reviews) submit(c *web.Call, in nonceBody) error {
	session, err := p.Reviews.Submit(c.Ctx(), record.ID(c.ID), in.ReleaseNonce)
	if err != nil {
		return err
	}
	return p.writeStatus(c, http.StatusAccepted, session)
}

type outcomeIn struct {
	ReleaseNonce string `json:"releaseNonce,omitempty"`
	Outcome      string `json:"outcome"`
}

// outcome records the result of a wallet that returned no signature.
func (p *Reviews) outcome(c *web.Call, in outcomeIn) error {
	session, err := p.Reviews.Outcome(c.Ctx(), record.ID(c.ID), in.ReleaseNonce, in.Outcome)
	if err != nil {
		return err
	}
	return p.writeStatus(c, http.StatusOK, session)
}

// ProofFile returns the proof of a transaction as a file that anyone can verify.
type ProofFile func(ctx context.Context, digest sui.Digest) ([]byte, error)

// proofOut is a proof file as text.
type proofOut struct {
	File string `json:"file"`
	Name string `json:"name"`
}

// proof responds with the proof of the review's own transaction, and of no other.
func (p *Reviews) proof(c *web.Call) error {
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	x := session.Execution
	if x == nil || x.Receipt == nil || x.Proof().State != record.Proved {
		return fault.New(fault.UnsupportedAction, "There is no proof of this result that could be saved.")
	}
	digest, err := sui.ParseDigest(x.TxDigest)
	if err != nil {
		return err
	}
	b, err := p.ProofFile(c.Ctx(), digest)
	if err != nil {
		return fault.Wrap(err, fault.ProviderUnavailable, "The proof could not be put together now: %s", err)
	}
	c.Unhurried()
	return web.JSON(c, http.StatusOK, proofOut{File: string(b), Name: "proof-" + x.TxDigest + ".json"})
}
