package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

type exchangeIn struct {
	Kind    pagetoken.Kind `json:"kind"`
	ID      string         `json:"id"`
	Code    string         `json:"code,omitempty"`
	Session string         `json:"session,omitempty"` // token of the browser session, if any
	Token   string         `json:"token,omitempty"`   // the tab's earlier token for this page, if any
}

type exchangeOut struct {
	Token    string           `json:"token"`
	Session  string           `json:"session,omitempty"` // token of the browser session that the link began, if any
	Wide     bool             `json:"wide"`              // whether the tab belongs to a session
	Pass     string           `json:"pass"`              // identifies the tab in a stream
	Revision int64            `json:"revision"`
	Access   pagetoken.Access `json:"access"`
}

// exchange opens a page. It trades the one-time code of a link, or the token of a browser session,
// for a token of the tab, and calls the page's Opened.
func (s *Server) exchange(c *Call) error {
	in, err := Body[exchangeIn](c)
	if err != nil {
		return err
	}
	page := s.kinds[in.Kind]
	if page == nil {
		return Refuse(http.StatusBadRequest, "kind", "A page is of kind %s.", s.kindWords())
	}
	if err := s.exists(c.Ctx(), page, in); err != nil {
		return err
	}
	opened, err := s.Desk.Exchange(c.Ctx(), in.Kind, in.ID, in.Code, in.Session)
	if err != nil {
		return err
	}
	if err := s.keepLead(c.Ctx(), in, &opened.Pass); err != nil {
		return err
	}
	out := exchangeOut{Token: opened.Token.Reveal(), Session: opened.Session.Reveal(), Wide: opened.Pass.Wide(),
		Pass: opened.Pass.ID, Access: opened.Pass.Access}
	if page.Opened != nil {
		if out.Revision, err = page.Opened(c.Ctx(), in.ID); err != nil {
			return err
		}
	}
	s.Hub.Changed(browsers)
	return JSON(c, http.StatusOK, out)
}

// exists returns an error if a browser session tries to open a page whose subject does not exist.
// Links need no check, because they are created only for existing subjects.
func (s *Server) exists(ctx context.Context, page *Page, in exchangeIn) error {
	if in.Code != "" {
		return nil
	}
	if p, err := s.Desk.Check(ctx, in.Session); err != nil || p.Kind != pagetoken.Session {
		return nil // the exchange rejects it
	}
	switch {
	//mutant:never `in.ID != string(page.Kind)` ./review/web TestSessionOfNothing
	case !strings.Contains(page.Path, "{id}") && in.ID != string(page.Kind):
		return fault.New(fault.SessionNotFound, "This page does not exist.")
	case page.Known != nil:
		return page.Known(ctx, in.ID)
	case page.Live != nil:
		_, err := page.Live.State(ctx, in.ID)
		return err
	}
	return nil
}

// keepLead keeps a tab active when it opens another link to its own page, as happens between the
// steps of a bundle.
func (s *Server) keepLead(ctx context.Context, in exchangeIn, fresh *pagetoken.Pass) error {
	if in.Token == "" || fresh.Access == pagetoken.Active {
		return nil
	}
	earlier, err := s.Desk.Check(ctx, in.Token)
	if err != nil || earlier.Kind != in.Kind || earlier.Subject != in.ID || earlier.Wide() ||
		earlier.Access != pagetoken.Active {
		return nil // the earlier token was not active
	}
	if err := s.Desk.Continue(ctx, *fresh); err != nil {
		return err
	}
	fresh.Access = pagetoken.Active
	return nil
}

// leave revokes the token of a closing tab that belongs to a browser session. A tab that was opened
// by a link keeps its token, because a reload needs it.
func (s *Server) leave(c *Call) error {
	if !c.Pass.Wide() {
		return JSON(c, http.StatusOK, struct{}{})
	}
	err := s.Desk.Leave(c.Ctx(), c.Pass)
	s.Hub.Changed(browsers)
	return Result(c, struct{}{}, err)
}

// kindWords lists the kinds of pages for an error message.
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
