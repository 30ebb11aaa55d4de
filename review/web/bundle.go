package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/review/record"
)

// bundleRoutes are the page on which the person approves several transactions that are
// carried out one after another, and follows them. It hands out no bytes: each step is
// signed on the page of its own review.
func bundleRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/bundle/{id}", open, "", false, (*Server).bundleShell},
		{get, "/api/bundle/{id}/view", withToken, pagetoken.Bundle, false, (*Server).bundleView},
		{get, "/api/bundle/{id}/state", withToken, pagetoken.Bundle, false, (*Server).pageState},
		{post, "/api/bundle/{id}/approve", withActive, pagetoken.Bundle, true, (*Server).bundleApprove},
		{post, "/api/bundle/{id}/reject", withActive, pagetoken.Bundle, true, (*Server).bundleReject},
		{post, "/api/bundle/{id}/mode", withActive, pagetoken.Bundle, true, (*Server).bundleMode},
		{post, "/api/bundle/{id}/later", withActive, pagetoken.Bundle, true, (*Server).bundleLater},
		{post, "/api/bundle/{id}/stop", withActive, pagetoken.Bundle, true, (*Server).bundleStop},
		{post, "/api/bundle/{id}/open", withActive, pagetoken.Bundle, true, (*Server).bundleOpen},
		{post, "/api/bundle/{id}/continue", withContinue, pagetoken.Bundle, true, (*Server).tabContinue},
		{post, "/api/review/{id}/steps", withActive, pagetoken.Review, true, (*Server).reviewSteps},
		{post, "/api/review/{id}/bundle", withToken, pagetoken.Review, true, (*Server).reviewBundle},
		{post, "/api/console/{id}/bundle", withToken, pagetoken.Console, true, (*Server).consoleBundle},
		{post, "/api/home/bundle", withActive, pagetoken.Home, true, (*Server).homeBundle},
	}
}

// bundlePage is the page in words.
type bundlePage struct {
	Status, Access, Title, Text, Tone, Label, Note string
	ReadOnly, OpenedTwice, Asked, Runs, Stopping   bool
	Over                                           bool
	Approved                                       bool
	Frozen                                         bool
	Revision                                       int64
	Account                                        string
	AccountNamed                                   string
	Until                                          string
	Steps                                          []bundleLine
	Limits                                         []outflowLine
	Payees                                         []payeeLine
	Next                                           *bundleLine // the step that waits for the wallet
	Count                                          string
	Repeats, Later                                 bool
	NotHonoured                                    string
	Nth                                            string // which request in ten minutes it is
	Atomic, Switches                               bool   // one signature for all of it; it can be chosen
	Apart                                          string // why it cannot be chosen, by a trial
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

func (s *Server) bundleShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("bundle", "Several transactions"))
}

func (s *Server) bundleView(c *call) error {
	b, err := s.Bundles.Get(c.ctx(), request.ID(c.id))
	if err != nil {
		return err
	}
	v := bundlePage{Status: string(b.State), Access: string(c.pass.Access), ReadOnly: c.pass.Access != pagetoken.Active, Revision: b.Revision,
		Over: b.State.Over(), Asked: b.State == request.Asked, Runs: b.State == request.Running, Stopping: b.Stopping != "" ||
			b.CancelRequested,
		Approved: b.Approval != "", Label: b.Label, Account: b.Account.String(), Until: at(b.ApproveBy), Limits: outflowLines(b), Count: strconv.Itoa(len(b.Steps))}
	if v.OpenedTwice, err = s.Desk.OpenedTwice(c.ctx(), pagetoken.Bundle, c.id); err != nil {
		return err
	}
	if v.Frozen, err = s.frozen(c.ctx()); err != nil {
		return err
	}
	if v.Nth, err = s.nthRequest(c.ctx(), b.Account, b.CreatedAt); err != nil {
		return err
	}
	twins := map[int][]twinLine{}
	if v.Asked {
		list, err := s.Bundles.Twins(c.ctx(), b)
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
	if v.Apart = whole(s.Bundles.Apart(b.ID)); !v.Asked || v.Atomic {
		v.Apart = ""
	}
	v.Switches = v.Asked && apart == nil && v.Apart == ""
	if b.NotHonoured != "" && v.Asked {
		v.NotHonoured = "Your AI client asked to go on without this page. Only an approval of exactly these steps that you gave before allows that."
	}
	v.Steps = bundleLines(b, twins)
	if v.Asked {
		v.shares(b, s.holdingsOf(c.ctx(), b))
	}
	v.words(b)
	if err := s.bundleResults(c.ctx(), b, v.Steps); err != nil {
		return err
	}
	if p := b.Present(); p != nil && p.State == request.Open && !v.Stopping {
		i := slices.IndexFunc(v.Steps, func(l bundleLine) bool { return l.ID == p.ID })
		v.Next = &v.Steps[i]
	}
	s.nameBundle(c.ctx(), &v)
	return s.fragment(c, "bundle.html", v)
}

// bundleResults says what each confirmed step did, by its receipt.
func (s *Server) bundleResults(ctx context.Context, b request.Request, lines []bundleLine) error {
	for i := range lines {
		step := b.Steps[lines[i].Place-1]
		if step.State != request.Confirmed {
			continue
		}
		r, err := s.Reviews.Get(ctx, step.Review)
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
func (s *Server) nameBundle(ctx context.Context, v *bundlePage) {
	marks := []namedAt{{v.Account, &v.AccountNamed}}
	for i := range v.Steps {
		if v.Steps[i].Payee != "" {
			marks = append(marks, namedAt{v.Steps[i].Payee, &v.Steps[i].Named})
		}
	}
	s.name(ctx, marks)
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

// bundleIn is what the person answers: the revision that the page showed, and the steps
// that they ticked.
type bundleIn struct {
	Revision int64        `json:"revision"`
	Accepted []string     `json:"accepted,omitempty"` // again:<id> of other requests
	Mode     request.Mode `json:"mode,omitempty"`     // to choose
}

// bundleAnswer reads an answer to what the page showed.
func (s *Server) bundleAnswer(c *call, take func(id request.ID, in bundleIn, a request.Answer) error) error {
	in, err := body[bundleIn](c)
	if err == nil {
		err = take(request.ID(c.id), in, request.Answer{Revision: in.Revision, Right: c.right})
	}
	if err == nil {
		writeJSON(c.w, http.StatusOK, struct{}{})
	}
	return err
}

func (s *Server) bundleApprove(c *call) error {
	return s.bundleAnswer(c, func(id request.ID, in bundleIn, a request.Answer) error {
		_, err := s.Bundles.Approve(c.ctx(), id, a, in.Accepted)
		return err
	})
}

// bundleMode changes how the steps are signed.
func (s *Server) bundleMode(c *call) error {
	return s.bundleAnswer(c, func(id request.ID, in bundleIn, a request.Answer) error {
		_, err := s.Bundles.Choose(c.ctx(), id, a, in.Mode)
		return err
	})
}

func (s *Server) bundleReject(c *call) error {
	return s.bundleAnswer(c, func(id request.ID, _ bundleIn, a request.Answer) error {
		_, err := s.Bundles.Reject(c.ctx(), id, a)
		return err
	})
}

func (s *Server) bundleLater(c *call) error {
	return s.bundleAnswer(c, func(id request.ID, _ bundleIn, a request.Answer) error {
		return s.Bundles.Later(c.ctx(), id, a, c.pass.ID)
	})
}

// bundleStop ends the bundle. It takes no revision: a person who wants it to stop means it
// whatever has come meanwhile.
func (s *Server) bundleStop(c *call) error {
	if _, err := body[bundleIn](c); err != nil {
		return err
	}
	if _, err := s.Bundles.Stop(c.ctx(), request.ID(c.id), c.right); err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, struct{}{})
	return nil
}

// bundleOpen returns a fresh link to the review of the present step.
func (s *Server) bundleOpen(c *call) error {
	if _, err := body[bundleIn](c); err != nil {
		return err
	}
	review, err := s.presentReview(c.ctx(), request.ID(c.id), "")
	if err != nil {
		return err
	}
	if review == "" {
		return fault.New(fault.InvalidSessionTransition, "No step waits for you at present.")
	}
	return s.giveLink(c, pagetoken.Review, string(review))
}

// nextPatience is how long a page waits for the review of the next step to be made.
const nextPatience = 3 * time.Second

// presentReview returns the review of the step whose turn it is, after a review that is
// over. It waits a little while that is being made, and is "" where there is none.
func (s *Server) presentReview(ctx context.Context, id request.ID, after record.ID) (review record.ID, err error) {
	ctx, stop := context.WithTimeout(ctx, nextPatience)
	defer stop()
	err = s.Hub.Until(ctx, func() (bool, time.Duration, error) {
		b, err := s.Bundles.Get(ctx, id)
		if err != nil {
			return false, 0, err
		}
		step := b.Present()
		if step == nil || b.Stopping != "" {
			return true, 0, nil
		}
		if step.State != request.Waiting && step.Review != after {
			review = step.Review
		}
		return review != "", 0, nil
	}, events.Subject{Kind: events.Bundle, ID: string(id)})
	if ctx.Err() != nil {
		return "", nil
	}
	return review, err
}

// reviewBundle returns a fresh link to the bundle that a review is a step of, or to the next
// step where this one is over.
func (s *Server) reviewBundle(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	id := record.ID(c.id)
	b, ok, err := s.Bundles.Of(c.ctx(), id)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.SessionNotFound, "This review is a step of no bundle.")
	}
	r, err := s.Reviews.Get(c.ctx(), id)
	if err != nil {
		return err
	}
	if r.Status == record.Success && b.State == request.Running {
		if next, err := s.presentReview(c.ctx(), b.ID, id); err != nil || next != "" {
			if err == nil {
				err = s.giveLink(c, pagetoken.Review, string(next))
			}
			return err
		}
	}
	return s.giveLink(c, pagetoken.Bundle, string(b.ID))
}

// reviewSteps has the steps of one transaction signed one by one, and leads to their page.
func (s *Server) reviewSteps(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	b, err := s.Bundles.Part(c.ctx(), record.ID(c.id), c.right)
	if err != nil {
		return err
	}
	return s.giveLink(c, pagetoken.Bundle, string(b.ID))
}

// consoleBundle returns a fresh link to a bundle of the same client that is not over.
func (s *Server) consoleBundle(c *call) error {
	in, err := body[cancelIn](c)
	if err != nil {
		return err
	}
	newest, _, err := s.Bus.Following(c.ctx(), c.pass.Subject)
	if err != nil {
		return err
	}
	b, err := s.Bundles.Get(c.ctx(), request.ID(in.Task))
	if err != nil {
		return err
	}
	own, err := s.sameClient(c.ctx(), newest, b.Session)
	//mutant:never `!own` ./review/web TestBundlePage
	if err == nil && !own {
		err = fault.New(fault.SessionNotFound, "This bundle is of another AI client.")
	}
	if err != nil {
		return err
	}
	return s.giveLink(c, pagetoken.Bundle, string(b.ID))
}

// bundleCard is a bundle on the console.
type bundleCard struct {
	ID                                  request.ID
	Task, Title, Label, State, Tone, At string
	Done, Steps                         int
	Lines                               []bundleLine // of one that runs
	Cancelling, Runs                    bool
}

// consoleBundleCard adds the bundle of a task to the console.
func (s *Server) consoleBundleCard(ctx context.Context, v *consolePage, t bus.Task) error {
	if s.Bundles == nil {
		return nil
	}
	_, id, _ := strings.Cut(t.Subject, "/")
	b, err := s.Bundles.Get(ctx, request.ID(id))
	if err != nil || b.State.Over() {
		return err
	}
	card := bundleCardOf(b)
	card.Cancelling = t.CancelRequested
	v.Bundles = append(v.Bundles, card)
	return nil
}

// bundleCardOf words a bundle that is not over.
func bundleCardOf(b request.Request) bundleCard {
	var p bundlePage
	p.words(b)
	card := bundleCard{ID: b.ID, Task: b.Task, Title: p.Title, Label: b.Label, State: "Nothing is signed by opening it.", Tone: p.Tone, At: at(b.CreatedAt),
		Steps: len(b.Steps)}
	for _, step := range b.Steps {
		if step.State.Ended() {
			card.Done++
		}
	}
	if b.State == request.Running {
		card.Runs, card.Lines = true, bundleLines(b, nil)
		card.State = fmt.Sprintf("%d of %d done", card.Done, card.Steps)
	}
	return card
}

// homeBundles lists the bundles that are not over, whoever asked for them.
func (s *Server) homeBundles(ctx context.Context) (list []bundleCard, err error) {
	if s.Bundles == nil {
		return nil, nil
	}
	live, err := s.Bundles.Live(ctx)
	for _, b := range live {
		list = append(list, bundleCardOf(b))
	}
	return list, err
}

// homeBundle returns a fresh link to a bundle that is not over.
func (s *Server) homeBundle(c *call) error {
	in, err := body[openIn](c)
	if err != nil {
		return err
	}
	b, err := s.Bundles.Get(c.ctx(), request.ID(in.ID))
	if err == nil && b.State.Over() {
		err = fault.New(fault.InvalidSessionTransition, "This bundle is over. Reload the list.")
	}
	if err != nil {
		return err
	}
	return s.giveLink(c, pagetoken.Bundle, string(b.ID))
}

// bundledStep says on the page of a review that it is a step of a bundle.
type bundledStep struct {
	Place, Of int // Place is 0 where all steps are this one transaction
	Label     string
	Stop      string // why it cannot be signed now, "" where it can
	Over      bool   // this step is over: the bundle goes on on its own page
	Parted    bool   // it was one transaction, and its steps are signed one by one
}

// bundled returns what the page of a review says of its bundle, nil where it has none.
func (s *Server) bundled(ctx context.Context, r record.Session) (*bundledStep, error) {
	if s.Bundles == nil {
		return nil, nil
	}
	b, ok, err := s.Bundles.Of(ctx, r.ID)
	if err != nil || !ok {
		return nil, err
	}
	v := &bundledStep{Place: b.Place(r.ID) + 1, Of: len(b.Steps), Label: b.Label, Over: r.Status.Terminal(),
		Parted: b.Review == r.ID}
	if b.Mode == request.Atomic {
		v.Place = 0
	}
	if no := b.Handing(r); no != nil && !v.Over && len(r.Releases) == 0 {
		v.Stop = fault.As(no).Text
	}
	return v, nil
}

// handing adds to the right of a page what bundles say of its review.
func (s *Server) handing(c *call, id record.ID) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := c.right(ctx); err != nil {
			return err
		}
		//mutant:never ./review/web TestBundlePage
		if s.Bundles != nil {
			return s.Bundles.Handing(ctx, id)
		}
		return nil
	}
}
