package web

import (
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/review/record"
)

type exchangeIn struct {
	Kind pagetoken.Kind `json:"kind"`
	ID   string         `json:"id"`
	Code string         `json:"code"`
}

type exchangeOut struct {
	Token    string           `json:"token"`
	Revision int64            `json:"revision"`
	Access   pagetoken.Access `json:"access"`
}

// exchange trades the one-time code of a link for the token of this tab, and
// tells the subject that it was opened.
func (s *Server) exchange(c *call) error {
	in, err := body[exchangeIn](c)
	if err != nil {
		return err
	}
	switch in.Kind {
	case pagetoken.Review, pagetoken.Connect, pagetoken.Home, pagetoken.Account, pagetoken.Settings, pagetoken.Book,
		pagetoken.Console, pagetoken.Bundle:
	default:
		return refuse(http.StatusBadRequest, "kind", "A page is of kind review, connect, home, account, settings, book, console or bundle.")
	}
	token, p, err := s.Desk.Exchange(c.ctx(), in.Kind, in.ID, in.Code)
	if err != nil {
		return err
	}
	out := exchangeOut{Token: token.Reveal(), Access: p.Access}
	switch in.Kind {
	case pagetoken.Review:
		session, err := s.Reviews.Opened(c.ctx(), record.ID(in.ID))
		if err != nil {
			return err
		}
		out.Revision = session.Revision
	case pagetoken.Connect:
		if err := s.Accounts.Opened(c.ctx(), in.ID); err != nil && !fault.Is(err, fault.SessionExpired) {
			return err
		}
	}
	writeJSON(c.w, http.StatusOK, out)
	return nil
}
