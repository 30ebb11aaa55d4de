package web

import (
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pass"
	"github.com/sayurintent/sayurintent/review/record"
)

type exchangeIn struct {
	Kind pass.Kind `json:"kind"`
	ID   string    `json:"id"`
	Code string    `json:"code"`
}

type exchangeOut struct {
	Token    string      `json:"token"`
	Revision int64       `json:"revision"`
	Access   pass.Access `json:"access"`
}

// exchange trades the one-time code of a link for the token of this tab, and
// tells the subject that it was opened.
func (s *Server) exchange(c *call) error {
	in, err := body[exchangeIn](c)
	if err != nil {
		return err
	}
	switch in.Kind {
	case pass.Review, pass.Connect, pass.Home, pass.Account, pass.Settings:
	default:
		return refuse(http.StatusBadRequest, "kind", "A page is of kind review, connect, home, account or settings.")
	}
	token, p, err := s.Desk.Exchange(c.ctx(), in.Kind, in.ID, in.Code)
	if err != nil {
		return err
	}
	out := exchangeOut{Token: token.Reveal(), Access: p.Access}
	switch in.Kind {
	case pass.Review:
		session, err := s.Reviews.Opened(c.ctx(), record.ID(in.ID))
		if err != nil {
			return err
		}
		out.Revision = session.Revision
	case pass.Connect:
		if err := s.Accounts.Opened(c.ctx(), in.ID); err != nil && !fault.Is(err, fault.SessionExpired) {
			return err
		}
	}
	writeJSON(c.w, http.StatusOK, out)
	return nil
}
