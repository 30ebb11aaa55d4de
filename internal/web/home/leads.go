package home

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// mostConsoles is how many AI clients the home page leads to.
const mostConsoles = 8

// Clients lists AI clients and their conversations.
type Clients interface {
	Clients(ctx context.Context) ([]string, error)
	// Conversation returns the newest conversation of a client.
	Conversation(ctx context.Context, client string) (session string, ok bool, err error)
}

// clientLine is an AI client: as it names itself, and as that is shown.
type clientLine struct{ ID, Name string }

// clients lists the AI clients whose consoles the home page opens: those on other machines
// among them, which can give nobody a link.
func (p *page) clients(ctx context.Context) (lines []clientLine, err error) {
	list, err := p.Clients.Clients(ctx)
	for _, name := range list[:min(len(list), mostConsoles)] {
		lines = append(lines, clientLine{name, screen.Line(name, screen.MostName)})
	}
	return lines, err
}

type consoleIn struct {
	Client string `json:"id"`
}

// openConsole returns a link to the console of an AI client that home lists.
func (p *page) openConsole(c *web.Call, in consoleIn) error {
	session, known, err := p.Clients.Conversation(c.Ctx(), in.Client)
	if err != nil {
		return err
	}
	if !known {
		return fault.New(fault.SessionNotFound, "This AI client is not remembered any more. Reload the page.")
	}
	return c.LeadTo(pagetoken.Console, session)
}

// connect returns a link to a page on which the person connects a wallet, without an AI
// client having asked.
func (p *page) connect(c *web.Call) error {
	i, err := p.Lists.Accounts.Create(c.Ctx())
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Connect, i.ID)
}

type useIn struct {
	ID sui.Address `json:"id"`
}

// use makes a remembered account the one in use again.
func (p *page) use(c *web.Call, in useIn) error {
	_, err := p.Lists.Accounts.Use(c.Ctx(), in.ID)
	return web.Result(c, struct{}{}, err)
}
