package web

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
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
	Lists    *listing.Lists
	Nth      Nth
	// Client returns the name of the client that asked for a bundle, as the client gives it, or "".
	Client func(ctx context.Context, subject string) (string, error)
	Now    func() time.Time
}

// Bundles is the page on which the user approves several transactions, then reviews and signs each
// one in order. It releases no bytes: its script opens the review of the current step.
type Bundles struct{ BundleConfig }

// NewBundles returns the pages of bundles.
func NewBundles(c BundleConfig) *Bundles { return &Bundles{c} }

// Page returns the page, with the routes through which other pages link to it.
func (p *Bundles) Page() web.Page {
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/bundle/{id}/"+path, web.WithActive, pagetoken.Bundle, run)
	}
	return web.Page{
		Kind: pagetoken.Bundle, Name: "bundle", Entry: "reviews", Title: "Several transactions", Path: "/bundle/{id}",
		API:  "/api/bundle/{id}",
		View: p.view, Signs: web.SignsTransactions, Styles: []string{"picture.css"},
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

// bundlePage is the page as text.
type bundlePage struct {
	web.Head
	Asker                          *asker
	Title, Text, Tone, Label, Note string
	bundleState
	Account          string
	AccountNamed     string
	Until            string
	Hand             record.ID // the review that is open on the page; "" for none
	Steps            []bundleLine
	Limits           []outflowLine
	Payees           []payeeLine
	Count            int
	Repeats, Later   bool
	NotHonoured      string
	Nth              string // how many requests came in ten minutes, if that is worth a notice
	Atomic, Switches bool   // Atomic: one signature for all steps; Switches: the user can choose
	Apart            string // why the steps cannot be signed together, found by a trial
}

// bundleState is how far a request has progressed.
type bundleState struct {
	Asked, Runs, Stopping, Over bool
	Frozen                      bool
}

// bundleLine is one step, or several equal steps that have not started.
type bundleLine struct {
	Place, Times           int // Place counts from 1
	Places                 string
	ID, Asked, Label, Tone string
	State, Why, Digest     string
	Payee, Named           string
	Fed                    string // the earlier result that it needs
	Key                    string // the key named for its signature
	Share                  string // its share of the account's balance
	Twins                  []twinLine
	Hand                   bool         // its review is open on the page
	Receipt                *receiptView // its receipt, if its review is not open
	Proved                 bool
}

// Icon returns the name of the icon of a step that has ended, or "".
func (l bundleLine) Icon() string {
	switch l.Tone {
	case "good":
		return "check"
	case "bad", "ended":
		return "cross"
	}
	return ""
}

// twinLine is another request that asks for the same as a step. The user must confirm the
// repetition.
type twinLine struct{ Says, Accept string }

// outflowLine is the maximum that can leave of one coin. payeeLine is a recipient.
type (
	outflowLine struct{ Amount, Symbol, Besides, Share string }
	payeeLine   struct{ Address, Called, Named, Book, For string }
)

func (p *Bundles) view(c *web.Call) error {
	b, err := p.Requests.Get(c.Ctx(), request.ID(c.ID))
	if err != nil {
		return err
	}
	v := bundlePage{bundleState: bundleState{Over: b.State.Over(), Asked: b.State == request.Asked,
		Runs: b.State == request.Running, Stopping: b.Stopping != "" || b.CancelRequested},
		Label: b.Label, Account: b.Account.String(), Until: words.At(b.ApproveBy), Limits: outflowLines(b),
		Count: len(b.Steps), Atomic: b.Mode == request.Atomic}
	if err := p.head(c, b, &v); err != nil {
		return err
	}
	twins, err := p.twins(c.Ctx(), b)
	if err != nil {
		return err
	}
	v.Repeats, v.Later = len(twins) > 0, len(twins) == 0 && !v.Atomic
	v.choice(b, words.Whole(p.Requests.Apart(b.ID)))
	v.Steps = bundleLines(b, twins)
	if v.Asked {
		v.shares(b, p.holdingsOf(c.Ctx(), b))
	}
	if err := p.results(c.Ctx(), b, &v); err != nil {
		return err
	}
	v.words(b, p.nameBundle(c.Ctx(), &v))
	return web.Fragment(c, "bundle.html", v)
}

// head fills in who asked for the bundle, and what this tab may do.
func (p *Bundles) head(c *web.Call, b request.Request, v *bundlePage) (err error) {
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
	client, err := p.Client(c.Ctx(), request.Subject(b.ID))
	v.Asker = askerOf(client, p.Now(), b.CreatedAt)
	return err
}

// twins returns the requests that ask for the same as a step, by the step's index.
func (p *Bundles) twins(ctx context.Context, b request.Request) (map[int][]twinLine, error) {
	twins := map[int][]twinLine{}
	if b.State != request.Asked {
		return twins, nil
	}
	list, err := p.Requests.Twins(ctx, b)
	for _, t := range list {
		for _, p := range t.Equal {
			says := fmt.Sprintf("%s asks for the same in step %d; %s.", t.Named(), p.Other, t.Known())
			twins[p.Own-1] = append(twins[p.Own-1], twinLine{says, t.Need()})
		}
	}
	return twins, err
}

// choice fills in whether the user can choose how the steps are signed. apart is the reason why
// they cannot be signed together, found by a trial.
func (v *bundlePage) choice(b request.Request, apart string) {
	if !v.Asked {
		return
	}
	if !v.Atomic {
		v.Apart = apart
	}
	_, no := b.Whole()
	v.Switches = no == nil && v.Apart == ""
	if b.NotHonoured != "" {
		v.NotHonoured = "Your AI client asked to go on without this page. Only an approval of exactly these steps that you " +
			"gave before allows that."
	}
}

// results fills in what each confirmed step did, from its receipt, and which review is open on the
// page.
func (p *Bundles) results(ctx context.Context, b request.Request, v *bundlePage) error {
	v.Hand = atHand(b)
	for i := range v.Steps {
		line := &v.Steps[i]
		step := b.Steps[line.Place-1]
		line.Hand = !v.Atomic && v.Hand != "" && step.Review == v.Hand
		if step.State != request.Confirmed {
			continue
		}
		r, err := p.Reviews.Get(ctx, step.Review)
		if fault.Is(err, fault.SessionNotFound) {
			continue // the review was deleted, or is not in the imported backup
		}
		if err != nil {
			return err
		}
		line.did(b, r)
	}
	return nil
}

// did fills in what a confirmed step did, from its review's receipt.
func (line *bundleLine) did(b request.Request, r record.Session) {
	place := 0
	if b.Mode == request.Atomic {
		place = line.Place - 1
	}
	if did := r.Did(place); did != nil {
		line.Why = did.What
	}
	l := look{View: review.View{Session: r}}
	if b.Mode == request.Atomic || line.Hand || r.Execution == nil || r.Execution.Receipt == nil {
		return
	}
	line.Receipt, line.Proved = l.receipt(r.Execution), r.Execution.Proof().State == record.Proved
	line.State = ""
	if to, sent := strings.CutPrefix(line.Asked, "Send "+strings.TrimPrefix(line.Why, "Sent ")+" "); sent {
		line.Asked, line.Why = line.Why+" "+to, ""
	}
	if title, more := l.swapped(r.Headline().Title); title != "" {
		line.Asked, line.Why = title, more
	}
}

// nameBundle fills in the names of addresses, and returns a function that names the recipients.
func (p *Bundles) nameBundle(ctx context.Context, v *bundlePage) func(address string) string {
	marks := []listing.Mark{{Address: v.Account, Words: &v.AccountNamed}}
	var short []listing.Mark
	for _, l := range v.Steps {
		if l.Payee == "" {
			continue
		}
		i := slices.IndexFunc(v.Payees, func(p payeeLine) bool { return p.Address == l.Payee })
		if i < 0 {
			v.Payees = append(v.Payees, payeeLine{Address: l.Payee})
			i = len(v.Payees) - 1
		}
		step := " and step "
		if l.Times > 1 {
			step = " and steps "
		}
		v.Payees[i].For = strings.TrimPrefix(v.Payees[i].For+step+l.Places, " and ")
	}
	for i := range v.Payees {
		to := &v.Payees[i]
		marks = append(marks, listing.Mark{Address: to.Address, Words: &to.Named})
		short = append(short, listing.Mark{Address: to.Address, Words: &to.Called})
	}
	p.Lists.Name(ctx, marks)
	p.Lists.NameBy(ctx, short, book.Name.Called)
	called := map[string]string{}
	for i := range v.Payees {
		to := &v.Payees[i]
		if to.Called == "" {
			to.Called = words.InShort(to.Address)
		}
		called[to.Address] = to.Called
		if strings.HasPrefix(to.Named, "“") { // the name is already there, and is not that of an imitation
			to.Named, to.Book = "", to.Named
		}
	}
	for i, l := range v.Steps {
		if l.Payee != "" {
			v.Steps[i].Asked = strings.ReplaceAll(l.Asked, l.Payee, called[l.Payee])
		}
	}
	return func(address string) string { return called[address] }
}

// OfTask returns the bundle of a task. It returns false if the bundle has ended.
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

// cardOf describes a pending bundle.
func cardOf(b request.Request) listing.Bundle {
	var p bundlePage
	p.words(b, words.InShort)
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

// Live lists the pending bundles of all clients.
func (p *Bundles) Live(ctx context.Context) (list []listing.Bundle, err error) {
	live, err := p.Requests.Live(ctx)
	for _, b := range live {
		list = append(list, cardOf(b))
	}
	return list, err
}
