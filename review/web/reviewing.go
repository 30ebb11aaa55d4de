package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// look reads all that the page of a review is made of.
func (s *Server) look(c *call) (look, error) {
	l := look{access: c.pass.Access, told: s.Receipts != nil, settable: s.Settings != nil, command: s.HomeCommand, source: s.sourceOf(c.ctx()), nodes: s.nodes()}
	var err error
	if l.View, err = s.Reviews.View(c.ctx(), record.ID(c.id)); err != nil {
		return look{}, err
	}
	if l.twice, err = s.Desk.OpenedTwice(c.ctx(), c.pass.Kind, c.pass.Subject); err != nil {
		return look{}, err
	}
	if l.nth, err = s.nthRequest(c.ctx(), l.Session.Account, l.Session.CreatedAt); err != nil {
		return look{}, err
	}
	l.used, err = s.accountInUse(c.ctx())
	return l, err
}

// nodes says which full nodes are asked, and who chose them.
func (s *Server) nodes() (out []line) {
	if s.Settings == nil {
		return nil
	}
	for _, w := range []settings.Which{settings.GRPC, settings.Second} {
		if used := s.Settings.InForce(w); used.URL != "" {
			out = append(out, line{Name: w.Info().Title, Value: settings.Shown(used.URL), Mono: true, Note: sourceWords(used.Source)})
		}
	}
	return out
}

func (s *Server) reviewView(c *call) error {
	l, err := s.look(c)
	if err != nil {
		return err
	}
	v := l.render()
	if v.Bundle, err = s.bundled(c.ctx(), l.Session); err != nil {
		return err
	}
	if s.Bundles != nil {
		key, err := s.Bundles.Key(c.ctx(), l.Session.ID)
		if err != nil {
			return err
		}
		v.Key = keyWords(key)
	}
	v.Parts = s.Bundles != nil && v.Bundle == nil && len(l.Session.Intent.Steps) > 0 && !l.Session.Status.Terminal() &&
		len(l.Session.Releases) == 0
	s.nameReview(c.ctx(), v, l.Session.Intent)
	return s.fragment(c, "view.html", v)
}

// reviewOut is the state of a review for those who read no HTML. It holds
// neither bytes nor, before a signature, the digest.
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
	Progress    []stageMark       `json:"progress,omitempty"`
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

func (s *Server) reviewState(c *call) error {
	l, err := s.look(c)
	if err != nil {
		return err
	}
	r := l.Session
	writeJSON(c.w, http.StatusOK, reviewOut{
		ID: r.ID, Revision: r.Revision, Status: r.Status, Category: r.Status.Category(), Reason: r.Reason,
		Commitment: r.Commitment, Access: string(l.access), OpenedTwice: l.twice || r.OpenedTwice,
		Computing: l.Computing, Released: l.Released, Account: r.Account, WalletName: r.WalletName,
		WalletID: r.WalletID, Network: r.Network, ReviewState: r.State, Facts: r.Facts, Holdings: r.Holdings,
		Execution: r.Execution, InUse: l.used.Mark, Progress: s.marks(c),
	})
	return nil
}

type revisionBody struct {
	Revision int64 `json:"revision"`
}

// computeIn asks for a computation; Again is the person's word that the wish
// shall be done besides an open release of it.
type computeIn struct {
	Revision int64 `json:"revision"`
	Again    bool  `json:"again,omitempty"`
}

func (s *Server) reviewCompute(c *call) error {
	in, err := body[computeIn](c)
	if err != nil {
		return err
	}
	compute := s.Reviews.Compute
	if in.Again {
		compute = s.Reviews.ComputeAgain
	}
	if err := compute(c.ctx(), record.ID(c.id), in.Revision); err != nil {
		return err
	}
	writeJSON(c.w, http.StatusAccepted, revisionBody{in.Revision})
	return nil
}

// reviewContinue makes this tab the one that acts. It answers with the present
// revision, so that a tab that looked on knows whether it saw the present state.
func (s *Server) reviewContinue(c *call) error {
	if _, err := body[revisionBody](c); err != nil {
		return err
	}
	if err := s.Desk.Continue(c.ctx(), c.pass); err != nil {
		return err
	}
	session, err := s.Reviews.Get(c.ctx(), record.ID(c.id))
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, revisionBody{session.Revision})
	return nil
}

// handoffIn is what the page showed, and what the person accepted there.
type handoffIn struct {
	Revision   int64    `json:"revision"`
	Commitment string   `json:"commitment"`
	Accepted   []string `json:"accepted,omitempty"`
}

type handoffOut struct {
	TransactionJSON string `json:"transactionJson"`
	Bytes           string `json:"bytes"` // base64
	ReleaseNonce    string `json:"releaseNonce"`
}

// reviewHandoff returns out the bytes of the transaction that this page showed.
// It is the only answer of the whole program that holds them. The age of the build
// is judged last, when the answer is written down and nothing but sending is left.
func (s *Server) reviewHandoff(c *call) error {
	in, err := body[handoffIn](c)
	if err != nil {
		return err
	}
	s.unhurried(c) // a body that took its time leaves enough for the node
	id := record.ID(c.id)
	h, err := s.Reviews.HandoffTo(c.ctx(), id, s.handing(c, id), in.Revision, in.Commitment, in.Accepted...)
	if err != nil {
		return err
	}
	b, err := json.Marshal(handoffOut{
		TransactionJSON: h.TransactionJSON, Bytes: base64.StdEncoding.EncodeToString(h.Bytes.Bytes()), ReleaseNonce: h.Nonce,
	})
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestBytesTooOldAreNotSent
	if err := s.Reviews.Deliverable(c.ctx(), id, h); err != nil {
		return err
	}
	write(c.w, http.StatusOK, "application/json", b)
	_ = http.NewResponseController(c.w).Flush()
	return nil
}

type signedIn struct {
	ReleaseNonce string     `json:"releaseNonce"`
	Bytes        string     `json:"bytes,omitempty"`     // base64
	Signature    string     `json:"signature,omitempty"` // base64
	Digest       sui.Digest `json:"digest,omitempty"`    // of a wallet that sends by itself
}

type statusOut struct {
	Revision int64         `json:"revision"`
	Status   record.Status `json:"status"`
}

func (s *Server) writeStatus(c *call, status int, r record.Session) error {
	writeJSON(c.w, status, statusOut{r.Revision, r.Status})
	return nil
}

// reviewSigned takes what the wallet gave back.
func (s *Server) reviewSigned(c *call) error {
	in, err := body[signedIn](c)
	if err != nil {
		return err
	}
	told, id := !in.Digest.IsZero(), record.ID(c.id)
	var session record.Session
	switch {
	case told && in.Bytes == "" && in.Signature == "":
		session, err = s.Reviews.SignedElsewhere(c.ctx(), id, in.ReleaseNonce, in.Digest)
	case told || in.Bytes == "" || in.Signature == "":
		return fault.New(fault.InputInvalid, "Send bytes and signature, or, from a wallet that can only sign and execute, the digest.")
	default:
		signed, errBytes := base64.StdEncoding.Strict().DecodeString(in.Bytes)
		signature, errSignature := base64.StdEncoding.Strict().DecodeString(in.Signature)
		if errBytes != nil || errSignature != nil {
			return fault.New(fault.InputInvalid, "Bytes and signature are base64 with padding, as wallets give them.")
		}
		session, err = s.Reviews.Signed(c.ctx(), id, in.ReleaseNonce, signed, signature)
	}
	if err != nil {
		return err
	}
	return s.writeStatus(c, http.StatusAccepted, session)
}

type nonceBody struct {
	ReleaseNonce string `json:"releaseNonce"`
}

// reviewSubmit sends the same signed bytes again.
func (s *Server) reviewSubmit(c *call) error {
	in, err := body[nonceBody](c)
	if err != nil {
		return err
	}
	session, err := s.Reviews.Submit(c.ctx(), record.ID(c.id), in.ReleaseNonce)
	if err != nil {
		return err
	}
	return s.writeStatus(c, http.StatusAccepted, session)
}

type outcomeIn struct {
	ReleaseNonce string `json:"releaseNonce,omitempty"`
	Outcome      string `json:"outcome"`
}

// reviewOutcome takes how it went without a signature.
func (s *Server) reviewOutcome(c *call) error {
	in, err := body[outcomeIn](c)
	if err != nil {
		return err
	}
	session, err := s.Reviews.Outcome(c.ctx(), record.ID(c.id), in.ReleaseNonce, in.Outcome)
	if err != nil {
		return err
	}
	return s.writeStatus(c, http.StatusOK, session)
}
