package web

import (
	"context"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// mostConsoles is how many AI clients the home page leads to.
const mostConsoles = 8

// clientLine is an AI client: as it names itself, and as that is shown.
type clientLine struct{ ID, Name string }

// clients lists the AI clients whose consoles the home page opens: those on other machines
// among them, which can give nobody a link.
func (s *Server) clients(ctx context.Context) (lines []clientLine, err error) {
	if s.Bus == nil {
		return nil, nil
	}
	list, err := s.Bus.Clients(ctx)
	for _, name := range list[:min(len(list), mostConsoles)] {
		lines = append(lines, clientLine{name, screen.Line(name, screen.MostName)})
	}
	return lines, err
}

type consoleIn struct {
	Client string `json:"id"`
}

// homeConsole returns a link to the console of an AI client that home lists.
func (s *Server) homeConsole(c *call) error {
	in, err := body[consoleIn](c)
	if err != nil {
		return err
	}
	var session string
	known := false
	if s.Bus != nil {
		if session, known, err = s.Bus.Conversation(c.ctx(), in.Client); err != nil {
			return err
		}
	}
	if !known {
		return fault.New(fault.SessionNotFound, "This AI client is not remembered any more. Reload the page.")
	}
	return s.giveLink(c, pagetoken.Console, session)
}

// homeConnect returns a link to a page on which the person connects a wallet, without an AI
// client having asked.
func (s *Server) homeConnect(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	i, err := s.Accounts.Create(c.ctx())
	if err != nil {
		return err
	}
	return s.giveLink(c, pagetoken.Connect, i.ID)
}

func (s *Server) giveLink(c *call, kind pagetoken.Kind, subject string) error {
	url, err := s.freshLink(c, kind, subject)
	if err == nil {
		writeJSON(c.w, http.StatusOK, openOut{url})
	}
	return err
}
