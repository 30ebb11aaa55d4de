package home

import (
	"context"

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

// clientLine is an AI client: its newest conversation, and its name as it is shown.
type clientLine struct{ Session, Name string }

// clients lists the AI clients whose consoles the home page opens: those on other machines
// among them, which can give nobody a link.
func (p *page) clients(ctx context.Context) (lines []clientLine, err error) {
	list, err := p.Clients.Clients(ctx)
	for _, name := range list[:min(len(list), mostConsoles)] {
		session, known, err := p.Clients.Conversation(ctx, name)
		if err != nil {
			return nil, err
		}
		if known {
			lines = append(lines, clientLine{session, screen.Line(name, screen.MostName)})
		}
	}
	return lines, err
}

// connect makes a page on which the person connects a wallet, without an AI
// client having asked, and returns its address.
func (p *page) connect(c *web.Call) error {
	if err := c.RequireWide(); err != nil {
		return err
	}
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
	if err == nil && c.Wide() {
		err = p.Lists.Accounts.Choose(c.Ctx(), in.ID)
	}
	return web.Result(c, struct{}{}, err)
}
