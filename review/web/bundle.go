package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review"
)

// BundleConfig configures Bundles. All fields are required.
type BundleConfig struct {
	Requests *request.Service
	Reviews  *review.Service
	Bus      bus.Conversations
	Hub      *events.Hub
	Lists    *listing.Lists
	Nth      Nth
}

// Bundles is the page on which the user approves and follows several transactions. It releases
// no bytes: each step is signed on its own review page.
type Bundles struct{ BundleConfig }

// NewBundles returns it.
func NewBundles(c BundleConfig) *Bundles { return &Bundles{c} }

// Page returns the page, with the routes by which other pages link to it.
func (p *Bundles) Page() web.Page {
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/bundle/{id}/"+path, web.WithActive, pagetoken.Bundle, run)
	}
	return web.Page{
		Kind: pagetoken.Bundle, Name: "bundle", Entry: "reviews", Title: "Several transactions", Path: "/bundle/{id}",
		API:  "/api/bundle/{id}",
		View: p.view,
		Live: &web.Live{
			Subject: func(id string) events.Subject { return events.Subject{Kind: events.Bundle, ID: id} },
			State: func(ctx context.Context, id string) (web.State, error) {
				b, err := p.Requests.Get(ctx, request.ID(id))
				return web.State{Revision: b.Revision, Status: string(b.State)}, err
			},
		},
		Routes: []web.Route{
			active("approve", p.approve), active("reject", p.reject), active("mode", p.mode), active("later", p.later),
			active("stop", p.stop), active("open", p.open),
			web.Post("/api/review/{id}/steps", web.WithActive, pagetoken.Review, web.Empty(p.part)),
			web.Post("/api/review/{id}/bundle", web.WithToken, pagetoken.Review, web.Empty(p.fromReview)),
			web.Post("/api/console/{id}/bundle", web.WithToken, pagetoken.Console, web.Reads(p.fromConsole)),
		},
	}
}

// bundlePage is the page in words.
type bundlePage struct {
	web.Head
	Title, Text, Tone, Label, Note string
	Asked, Runs, Stopping          bool
	Over                           bool
	Approved                       bool
	Frozen                         bool
	Account                        string
	AccountNamed                   string
	Until                          string
	Steps                          []bundleLine
	Limits                         []outflowLine
	Payees                         []payeeLine
	Next                           *bundleLine // the step that waits for the wallet
	Count                          string
	Repeats, Later                 bool
	NotHonoured                    string
	Nth                            string // which request in ten minutes it is
	Atomic, Switches               bool   // one signature for all of it; it can be chosen
	Apart                          string // why it cannot be chosen, by a trial
}

// bundleLine is one step, or several equal ones that nobody has begun.
type bundleLine struct {
	Place, Times           int // from 1
	Places                 string
	ID, Asked, Label, Tone string
	State, Why, Digest     string
	Payee, Named           string
	Fed                    string // what it waits for
	Key                    string // that was named for its signature
	Share                  string // of what the account has
	Twins                  []twinLine
	Done                   bool
}

// twinLine is another request that asks for the same as a step: it needs "Yes, again".
type twinLine struct{ Says, Accept string }

// outflowLine is what may leave of one coin; payeeLine is who is paid.
type (
	outflowLine struct{ Amount, Symbol, Besides, Share string }
	payeeLine   struct{ Address, Named, For string }
)

func (p *Bundles) view(c *web.Call) error {
	b, err := p.Requests.Get(c.Ctx(), request.ID(c.ID))
	if err != nil {
		return err
	}
	v := bundlePage{
		Over: b.State.Over(), Asked: b.State == request.Asked, Runs: b.State == request.Running, Stopping: b.Stopping != "" ||
			b.CancelRequested,
		Approved: b.Approval != "", Label: b.Label, Account: b.Account.String(), Until: words.At(b.ApproveBy), Limits: outflowLines(b), Count: strconv.Itoa(len(b.Steps))}
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	v.Status, v.Revision = string(b.State), b.Revision
	if v.Frozen, err = c.Frozen(); err != nil {
		return err
	}
	if v.Nth, err = p.Nth.words(c.Ctx(), b.Account, b.CreatedAt); err != nil {
		return err
	}
	twins := map[int][]twinLine{}
	if v.Asked {
		list, err := p.Requests.Twins(c.Ctx(), b)
		if err != nil {
			return err
		}
		for _, t := range list {
			for _, p := range t.Equal {
				says := fmt.Sprintf("%s asks for the same in step %d; %s.", t.Named(), p.Other, t.Known())
				twins[p.Own-1] = append(twins[p.Own-1], twinLine{says, t.Need()})
			}
		}
	}
	v.Atomic = b.Mode == request.Atomic
	v.Repeats, v.Later = len(twins) > 0, len(twins) == 0 && !v.Atomic
	_, apart := b.Whole()
	if v.Apart = words.Whole(p.Requests.Apart(b.ID)); !v.Asked || v.Atomic {
		v.Apart = ""
	}
	v.Switches = v.Asked && apart == nil && v.Apart == ""
	if b.NotHonoured != "" && v.Asked {
		v.NotHonoured = "Your AI client asked to go on without this page. Only an approval of exactly these steps that you " +
			"gave before allows that."
	}
	v.Steps = bundleLines(b, twins)
	if v.Asked {
		v.shares(b, p.holdingsOf(c.Ctx(), b))
	}
	v.words(b)
	if err := p.results(c.Ctx(), b, v.Steps); err != nil {
		return err
	}
	if p := b.Present(); p != nil && p.State == request.Open && !v.Stopping {
		i := slices.IndexFunc(v.Steps, func(l bundleLine) bool { return l.ID == p.ID })
		v.Next = &v.Steps[i]
	}
	p.nameBundle(c.Ctx(), &v)
	return web.Fragment(c, "bundle.html", v)
}

// results says what each confirmed step did, by its receipt.
func (p *Bundles) results(ctx context.Context, b request.Request, lines []bundleLine) error {
	for i := range lines {
		step := b.Steps[lines[i].Place-1]
		if step.State != request.Confirmed {
			continue
		}
		r, err := p.Reviews.Get(ctx, step.Review)
		if fault.Is(err, fault.SessionNotFound) {
			continue // forgotten, or of before a copy was taken in
		}
		if err != nil {
			return err
		}
		place := 0
		if b.Mode == request.Atomic {
			place = lines[i].Place - 1
		}
		if did := r.Did(place); did != nil {
			lines[i].Why = did.What
		}
	}
	return nil
}

// nameBundle adds what the address book says of the addresses.
func (p *Bundles) nameBundle(ctx context.Context, v *bundlePage) {
	marks := []listing.Mark{{Address: v.Account, Words: &v.AccountNamed}}
	for i := range v.Steps {
		if v.Steps[i].Payee != "" {
			marks = append(marks, listing.Mark{Address: v.Steps[i].Payee, Words: &v.Steps[i].Named})
		}
	}
	p.Lists.Name(ctx, marks)
	for _, l := range v.Steps {
		if l.Payee == "" {
			continue
		}
		i := slices.IndexFunc(v.Payees, func(p payeeLine) bool { return p.Address == l.Payee })
		if i < 0 {
			v.Payees = append(v.Payees, payeeLine{l.Payee, l.Named, ""})
			i = len(v.Payees) - 1
		}
		step := " and step "
		if l.Times > 1 {
			step = " and steps "
		}
		v.Payees[i].For = strings.TrimPrefix(v.Payees[i].For+step+l.Places, " and ")
	}
}

// OfTask returns the bundle of a task, and false if it has ended.
func (p *Bundles) OfTask(ctx context.Context, t bus.Task) (listing.Bundle, bool, error) {
	_, id, _ := strings.Cut(t.Subject, "/")
	b, err := p.Requests.Get(ctx, request.ID(id))
	if err != nil || b.State.Over() {
		return listing.Bundle{}, false, err
	}
	card := cardOf(b)
	card.Cancelling = t.CancelRequested
	return card, true, nil
}

// cardOf words a bundle that is not over.
func cardOf(b request.Request) listing.Bundle {
	var p bundlePage
	p.words(b)
	card := listing.Bundle{ID: string(b.ID), Task: b.Task, Title: p.Title, Label: b.Label,
		State: "Nothing is signed by opening it.", Tone: p.Tone, At: words.At(b.CreatedAt),
		Steps: len(b.Steps), Needs: b.State == request.Asked}
	if next := b.Present(); next != nil && next.State == request.Open && b.Stopping == "" {
		card.Needs = true
	}
	for _, step := range b.Steps {
		if step.Review != "" {
			card.Reviews = append(card.Reviews, string(step.Review))
		}
		if step.State.Ended() {
			card.Done++
		}
	}
	if b.State == request.Running {
		card.Runs = true
		for _, l := range bundleLines(b, nil) {
			card.Lines = append(card.Lines, listing.Step{Places: l.Places, Asked: l.Asked, State: l.State})
		}
		card.State = fmt.Sprintf("%d of %d done", card.Done, card.Steps)
	}
	return card
}

// Live lists the bundles that are not over, whoever asked for them.
func (p *Bundles) Live(ctx context.Context) (list []listing.Bundle, err error) {
	live, err := p.Requests.Live(ctx)
	for _, b := range live {
		list = append(list, cardOf(b))
	}
	return list, err
}
