package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/sayurintent/sayurintent/internal/cosign"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/record"
)

// file writes what the members of a multisig account get.
func (p *Reviews) file(c *web.Call, members sui.MultiSig, tx sui.Material) (string, error) {
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return "", err
	}
	return cosign.Write(session.Network, session.ChainID, members, tx)
}

// export returns the file of the transaction that is collected once more, and what a member's wallet
// on this computer is asked to sign.
func (p *Reviews) export(c *web.Call) error {
	members, tx, err := p.Reviews.Exported(c.Ctx(), record.ID(c.ID))
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

// collect adds the signature of a member.
func (p *Reviews) collect(c *web.Call, in collectIn) error {
	signature, err := sui.ParseSignature(in.Signature)
	if err != nil {
		return err
	}
	session, err := p.Reviews.Collect(c.Ctx(), record.ID(c.ID), signature.Bytes())
	if err != nil {
		return err
	}
	return p.writeStatus(c, http.StatusAccepted, session)
}

// collectPanel is who signs for a multisig account. Have and Need are weights.
type collectPanel struct {
	Account    string
	Members    []memberLine
	Have, Need int
	Open       bool   // signatures are collected now
	Rule       string // in words
	Until      string
}

// memberLine is a member of a multisig account.
type memberLine struct {
	Address, Named string
	Weight         string // "" where all weigh 1
	Signed         bool
}

// collected returns who signs, nil where a wallet does.
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
		panel.Until = fmt.Sprintf("It can be signed until the end of epoch %s of the chain.", words.Spaced(fmt.Sprint(rel.LastEpoch)))
	}
	return panel
}

// actCollecting fills the panel of a transaction whose signatures are collected.
func (v *view) actCollecting(l look, again, decline button) {
	v.Commitment = l.Session.Commitment
	v.Collect = l.collected()
	decline.Label, decline.Class = "Stop collecting", "second"
	decline.Note = "Members who signed could still send it themselves, so a new transaction excludes this one."
	again.Label, again.Class = "Build it again", "quiet"
	v.Buttons = []button{decline, again}
}
