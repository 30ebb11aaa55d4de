package home

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
)

// maxConsoles is the maximum number of AI clients that the page lists.
const maxConsoles = 8

// clientLine is an AI client: its newest conversation, and its name for display.
type clientLine struct{ Session, Name string }

// ask is what an AI client asks the user: a question, or whether it may change a file.
type ask struct {
	Client, Session string
	Task            string
	Text            string // text of a question, in the client's words
	Choices         []choice
	Until           string
	Change          bool // it asks to change a file
}

// choice is one answer. Value is sent, Text is shown.
type choice struct{ Value, Text string }

// clients lists the AI clients, including those on other machines, whose consoles the page can
// open, and what they ask.
func (p *page) clients(ctx context.Context) (lines []clientLine, asks []ask, err error) {
	list, err := p.Bus.Clients(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range list[:min(len(list), maxConsoles)] {
		session, known, err := p.Bus.Conversation(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		if !known {
			continue
		}
		lines = append(lines, clientLine{session, screen.Line(id, screen.MostName)})
	}
	tasks, err := p.Bus.Asking(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range tasks {
		newest, client, err := p.Bus.Following(ctx, t.Session)
		if err != nil {
			return nil, nil, err
		}
		if a, ok := p.askOf(clientLine{newest, screen.Line(cmp.Or(client, "Your AI client"), screen.MostName)}, t); ok {
			asks = append(asks, a)
		}
	}
	return lines, asks, nil
}

func (p *page) askOf(client clientLine, t bus.Task) (ask, bool) {
	a := ask{Client: client.Name, Session: client.Session, Task: t.ID, Until: clock(t.DeadlineAt)}
	switch {
	case t.State.Ended() || t.Due(p.Lists.Now()) != "":
		return a, false
	case t.Question != nil:
		a.Text = screen.Text(t.Question.Text, bus.MostQuestion*8).Text
		for _, c := range t.Question.Choices {
			a.Choices = append(a.Choices, choice{c, screen.Line(c, 0)})
		}
		return a, true
	}
	a.Change = t.Kind == bus.KindEdit && t.Stage == bus.StageApproval
	return a, a.Change
}

func replyOf(in answerIn) (r bus.UserResponse, err error) {
	r = bus.UserResponse{RequestID: &in.ID, Kind: bus.PromptKind}
	if in.Declined {
		why := bus.ErrorDeclined
		r.Payload, r.Error = json.RawMessage("null"), &why
		return r, nil
	}
	r.Payload, err = json.Marshal(bus.Answer{Answer: in.Answer})
	return r, err
}

// connect creates a session of the page that connects a wallet, and responds with its address. No
// AI client is involved.
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

// use makes a remembered account the account in use.
func (p *page) use(c *web.Call, in useIn) error {
	_, err := p.Lists.Accounts.Use(c.Ctx(), in.ID)
	if err == nil && c.Wide() {
		err = p.Lists.Accounts.Choose(c.Ctx(), in.ID)
	}
	return web.Result(c, struct{}{}, err)
}
