package web

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/review/record"
)

// maxWaiting is how many reviews the home page lists.
const maxWaiting = 50

// homeView is the home page in words. Revision changes with the list.
type homeView struct {
	Status, Access, Title, Text, More string
	ReadOnly, OpenedTwice, Settings   bool // Settings: there is a page of them
	Receipts                          bool // a table of receipts is offered
	Book                              bool // there is a page of the address book
	Revision                          int64
	Reviews                           []homeLine
	Bundles                           []bundleCard
	Accounts                          []accountCard
	Clients                           []clientLine // that have a console
	Used                              inUse
}

// homeLine is one review that waits. It says where things stand and nothing
// that a person could sign by: figures are on the review's own page.
type homeLine struct{ ID, Asked, Named, State, Link, At, Tone, Class, Receipt string }

func (s *Server) homeShell(c *call) error {
	return s.page(c.w, http.StatusOK, s.shell("home", "What waits for you"))
}

// homeFacts is what the home page is made of; revision is its fingerprint.
type homeFacts struct {
	waiting  []record.Waiting
	bundles  []bundleCard
	accounts []accountCard
	clients  []clientLine
	revision int64
}

func (s *Server) homeFacts(ctx context.Context) (homeFacts, error) {
	var f homeFacts
	var err error
	if f.waiting, err = s.Waiting(ctx, s.Now(), maxWaiting+1); err != nil {
		return f, err
	}
	if f.bundles, err = s.homeBundles(ctx); err != nil {
		return f, err
	}
	if f.accounts, err = s.cards(ctx); err != nil {
		return f, err
	}
	if f.clients, err = s.clients(ctx); err != nil {
		return f, err
	}
	hash := fnv.New32a()
	for _, w := range f.waiting {
		fmt.Fprintln(hash, w.ID, s.stateOf(w), linkWords(w))
	}
	fmt.Fprintln(hash, f.bundles, f.accounts, f.clients)
	f.revision = int64(hash.Sum32())
	return f, nil
}

func (s *Server) homeView(c *call) error {
	facts, err := s.homeFacts(c.ctx())
	if err != nil {
		return err
	}
	twice, err := s.Desk.OpenedTwice(c.ctx(), pagetoken.Home, pagetoken.HomeSubject)
	if err != nil {
		return err
	}
	v := homeView{Access: string(c.pass.Access), ReadOnly: c.pass.Access != pagetoken.Active, OpenedTwice: twice, Revision: facts.revision,
		Accounts: facts.accounts, Clients: facts.clients, Settings: s.Settings != nil, Receipts: s.Booked != nil, Book: s.Names != nil,
		Title: "Nothing waits for you",
		Text:  "Ask your AI client to prepare something; it appears here by itself. Reviews that are over are not listed."}
	if v.Used, err = s.accountInUse(c.ctx()); err != nil {
		return err
	}
	list := facts.waiting
	if len(list) > 0 {
		v.Title = fmt.Sprintf("%d reviews wait", len(list))
		v.Text = "A review opens on a page of its own. Nothing is signed by opening it."
	}
	if len(list) == 1 {
		v.Title = "One review waits"
	}
	if v.Bundles = facts.bundles; len(v.Bundles) > 0 {
		v.Title = fmt.Sprintf("%d things wait", len(list)+len(v.Bundles))
		v.Text = "Each opens on a page of its own. Nothing is signed by opening it."
	}
	if len(v.Bundles) == 1 && len(list) == 0 {
		v.Title = "Several transactions wait"
	}
	if len(list) > maxWaiting {
		list = list[:maxWaiting]
		v.Title = fmt.Sprintf("More than %d reviews wait", maxWaiting)
		v.More = "Older ones are not listed. They appear when these are over."
	}
	for _, w := range list {
		state := s.stateOf(w)
		v.Reviews = append(v.Reviews, homeLine{
			ID: string(w.ID), Tone: state.tone, State: state.words, Link: linkWords(w), At: at(w.CreatedAt), Class: state.button,
			Asked: upperFirst(asked(w.Intent)),
		})
	}
	var marks []namedAt
	for i, w := range list {
		if w.Intent.Recipient != "" {
			marks = append(marks, namedAt{w.Intent.Recipient, &v.Reviews[i].Named})
		}
	}
	s.name(c.ctx(), marks)
	return s.fragment(c, "home.html", v)
}

// homeState is where a review stands, in words.
type homeState struct{ words, tone, button string }

// stateOf says where a review stands at present. A transaction that was built
// too long ago is not called ready: opening it takes it back.
func (s *Server) stateOf(w record.Waiting) homeState {
	const act, look = "main", "second"
	switch {
	case w.Status == record.SignedPendingResult:
		return homeState{"Signed. The result on chain is not known yet.", "warn", look}
	case w.Released:
		return homeState{"Handed to your wallet. It is not known whether it was signed.", "warn", act}
	case w.Status == record.Ready && !s.Now().Before(w.BuildExpiresAt), w.Status == record.RefreshRequired:
		return homeState{"Needs fresh figures before it can be signed.", "", act}
	case w.Status == record.Ready:
		return homeState{"Ready to be read. Nothing is signed.", "", act}
	case w.Status == record.Blocked:
		return homeState{"Nothing to sign: " + lowerFirst(record.ReasonTitle(w.Reason)) + ".", "bad", look}
	}
	return homeState{"Not opened yet. Nothing is signed.", "", act}
}

// linkWords says who has the way to a review.
func linkWords(w record.Waiting) string {
	switch {
	case w.Open:
		return "A tab has it open"
	case w.Linked:
		return "A link to it was given out and is not opened"
	}
	return "No tab has it open"
}

type openIn struct {
	ID record.ID `json:"id"`
}

type openOut struct {
	URL string `json:"url"`
}

// homeOpen returns a fresh link to a review that waits. The page that opens it
// reads along while another tab has the review.
func (s *Server) homeOpen(c *call) error {
	return s.openReview(c, func(r record.Session) error {
		if r.Status.Terminal() {
			return fault.New(fault.InvalidSessionTransition, "This review is over. Reload the list.")
		}
		return nil
	})
}

// openReview returns a fresh link to the review that a page names, if may agrees.
func (s *Server) openReview(c *call, may func(record.Session) error) error {
	in, err := body[openIn](c)
	if err != nil {
		return err
	}
	session, err := s.Reviews.Get(c.ctx(), in.ID)
	if err == nil {
		err = may(session)
	}
	if err != nil {
		return err
	}
	url, err := s.freshLink(c, pagetoken.Review, string(session.ID))
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, openOut{url})
	return nil
}

// tabContinue makes this tab the one that acts on its subject.
func (s *Server) tabContinue(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	if err := s.Desk.Continue(c.ctx(), c.pass); err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, struct{}{})
	return nil
}
