package web

import (
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
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

// exchange trades the one-time code of a link for the token of the tab, and calls the page's
// Opened.
func (s *Server) exchange(c *Call) error {
	in, err := Body[exchangeIn](c)
	if err != nil {
		return err
	}
	page := s.kinds[in.Kind]
	if page == nil {
		return Refuse(http.StatusBadRequest, "kind", "A page is of kind %s.", s.kindWords())
	}
	token, p, err := s.Desk.Exchange(c.Ctx(), in.Kind, in.ID, in.Code)
	if err != nil {
		return err
	}
	out := exchangeOut{Token: token.Reveal(), Access: p.Access}
	if page.Opened != nil {
		if out.Revision, err = page.Opened(c.Ctx(), in.ID); err != nil {
			return err
		}
	}
	return JSON(c, http.StatusOK, out)
}

// kindWords lists the kinds of pages for an error.
func (s *Server) kindWords() string {
	var kinds []string
	for _, p := range s.pages {
		if p.Kind != "" {
			kinds = append(kinds, string(p.Kind))
		}
	}
	last := len(kinds) - 1
	if last < 1 {
		return strings.Join(kinds, "")
	}
	return strings.Join(kinds[:last], ", ") + " or " + kinds[last]
}
