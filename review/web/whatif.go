package web

import (
	"cmp"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review"
)

// whatIf is the form for comparing a review with different values.
type whatIf struct {
	Unit                    string // unit of the amount
	Amount, Slippage, Price string // as requested; "" if it cannot be changed
	Venues                  []venueChoice
}

type venueChoice struct {
	Slug, Label string
	Used        bool
}

// whatIf returns the form, or nil if nothing in the review can be changed.
func (p *Reviews) whatIf(c *web.Call, s record.Session) (*whatIf, error) {
	can := review.Changeable(s)
	if len(can) == 0 {
		return nil, nil
	}
	if alone, err := p.Requests.Single(c.Ctx(), s.ID); err != nil || !alone {
		return nil, err
	}
	w, in := &whatIf{}, s.Wanted()
	for _, field := range can {
		switch field {
		case review.ChangeAmount:
			w.Amount, w.Unit = words.Whole(in.From.Amount), words.Whole(cmp.Or(in.From.Unit.Symbol, in.From.Symbol))
		case review.ChangeSlippage:
			w.Slippage = string(sui.Raw(in.MaxSlippageBps).Decimal(2))
		case review.ChangePrice:
			w.Price = words.Whole(in.Order.Price)
		case review.ChangeVenue:
			w.Venues = p.venues(in)
		}
	}
	return w, nil
}

// venues lists the venues that can execute an intent, or returns nil if there is only one.
func (p *Reviews) venues(in plan.Intent) []venueChoice {
	slug := in.Protocol
	in.Protocol, in.FeeMode = "", ""
	used, others := p.Reviews.Venues(in, slug)
	list := []venueChoice{{used.Slug, used.Label, true}}
	for _, o := range others {
		if o.Why == "" {
			list = append(list, venueChoice{o.Slug, o.Label, false})
		}
	}
	if len(list) == 1 {
		return nil
	}
	return list
}

// changeIn is a change as typed. A value of "" is not changed.
type changeIn struct {
	Revision int64  `json:"revision"`
	Amount   string `json:"amount,omitempty"`
	Slippage string `json:"slippage,omitempty"` // in percent
	Venue    string `json:"venue,omitempty"`
	Price    string `json:"price,omitempty"`
}

func (in changeIn) read() (review.Change, error) {
	c := review.Change{Amount: in.Amount, Venue: in.Venue, Price: in.Price}
	if in.Slippage == "" {
		return c, nil
	}
	bps, err := sui.Decimal(in.Slippage).Raw(2)
	if err != nil || bps < plan.LeastSlippageBps || bps > plan.MostSlippageBps {
		return c, fault.New(fault.InputInvalid, "The price limit is %s to %s below the quote.",
			plan.Percent(plan.LeastSlippageBps), plan.Percent(plan.MostSlippageBps)).With("field", "slippage")
	}
	c.SlippageBps = int(bps)
	return c, nil
}

// found is the comparison of the review with a change.
type found struct {
	In       changeIn
	Problem  string // why nothing could be computed
	Rows     []foundRow
	Blockers []plan.Blocker
	Usable   bool
	Locked   bool   // the browser has no session
	Why      string // why the change cannot be used
	At       string
}

type foundRow struct{ Name, Now, Then string }

// tryChange computes the effect of different values. Any tab may request it, because nothing is
// built, stored or released.
func (p *Reviews) tryChange(c *web.Call, in changeIn) error {
	end, err := p.trials.begin(cmp.Or(c.Pass.Session, c.Pass.ID), c.Now())
	if err != nil {
		return err
	}
	defer end()
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	change, err := in.read()
	var draft record.Session
	var looked record.Looked
	if err == nil {
		draft, looked, err = p.Reviews.WhatIf(c.Ctx(), session, change)
	}
	v := found{In: in, At: words.At(c.Now())}
	switch {
	case c.Ctx().Err() != nil:
		return c.Ctx().Err()
	case err != nil:
		v.Problem = words.Whole(fault.As(err).Text)
		return web.Bare(c, "found", v)
	}
	v.compare(figuresOf(session), figuresOfLook(draft, looked))
	for _, b := range looked.Blockers {
		v.Blockers = append(v.Blockers, plan.Blocker{Message: words.Whole(b.Message), Do: words.Whole(b.Do)})
	}
	switch {
	case change == (review.Change{}):
		v.Why = "These are the figures of this review."
	case c.Pass.Access != pagetoken.Active:
		v.Why = "To use it, choose “Use it here” first."
	case !c.Wide():
		v.Locked = true
	default:
		v.Usable = looked.Never == nil
	}
	return web.Bare(c, "found", v)
}

// useChange replaces the review by one with different values, and responds with its link.
func (p *Reviews) useChange(c *web.Call, in changeIn) error {
	//mutant:never ./review/web TestUseInstead
	if err := c.RequireWide(); err != nil {
		return err
	}
	change, err := in.read()
	if err != nil {
		return err
	}
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	if change == (review.Change{}) {
		return fault.New(fault.InputInvalid, "Nothing was changed.")
	}
	intent, err := review.Changed(session, change)
	if err != nil {
		return err
	}
	next, err := p.Requests.Change(c.Ctx(), session.ID, request.Answer{Revision: in.Revision, Right: c.Right}, intent)
	if err != nil {
		return err
	}
	return c.LeadTo(pagetoken.Review, string(next.ID))
}

// changed fills in the review that replaced this one, and the request that this one replaced.
func (p *Reviews) changed(c *web.Call, v *view, s record.Session) error {
	if c.Wide() {
		v.Successor = string(s.ReplacedBy())
	}
	if s.Intent.Replaces == "" {
		return nil
	}
	old, err := p.Reviews.Get(c.Ctx(), record.ID(s.Intent.Replaces))
	if fault.Is(err, fault.SessionNotFound) {
		return nil
	}
	v.Before = words.Grouped(words.Whole(listing.Asked(old.Intent)))
	return err
}

// figures maps the name of each row of the comparison to its value.
type figures map[string]string

// The rows of a comparison, in order.
const (
	rowPays     = "You pay at most"
	rowGets     = "You get at least"
	rowLikely   = "Likely"
	rowMiddle   = "vs. mid price"
	rowHappens  = "The order"
	rowProvider = "Venue"
)

var foundRows = []string{rowPays, rowGets, rowLikely, rowMiddle, rowHappens, rowProvider}

// figuresOf returns the figures of a review, as far as its transaction was built.
func figuresOf(s record.Session) figures {
	if s.Facts == nil {
		return figures{}
	}
	var o plan.Outlook
	if len(s.State.Outlook) == 1 {
		o = s.State.Outlook[0]
	}
	return figuresBy(s.Facts.Promise(), s.State.Quote, o)
}

func figuresOfLook(draft record.Session, l record.Looked) figures {
	f := figuresBy(l.Promise, l.Expected, l.Outlook)
	if f[rowGets] == "" && draft.Intent.MaxSlippageBps > 0 {
		f[rowGets] = "no quote now"
	}
	return f
}

func figuresBy(p plan.Promise, q *plan.QuoteEvidence, o plan.Outlook) figures {
	f := figures{}
	if list := p.Amounts(plan.RoleInput); len(list) > 0 {
		f[rowPays] = amounts.Of(list[0]).String()
	}
	if q != nil {
		f[rowGets], f[rowLikely] = amounts.Of(q.Minimum).String(), amounts.Of(q.Expected).String()
		f[rowProvider] = words.Whole(q.Provider)
	}
	if o.Trade != nil {
		f[rowMiddle] = againstMiddle("", o.Trade.Guaranteed).Percent
	}
	if o.Order != nil {
		f[rowHappens] = fate(o.Order)
	}
	return f
}

func (v *found) compare(now, then figures) {
	for _, name := range foundRows {
		if (now[name] != "" || then[name] != "") && (name != rowProvider || now[name] != then[name]) {
			v.Rows = append(v.Rows, foundRow{name, cmp.Or(now[name], "–"), cmp.Or(then[name], "–")})
		}
	}
}

// trials allows each browser one computation at a time, and a maximum number per minute.
type trials struct {
	mu   sync.Mutex
	each map[string]*trial
}

type trial struct {
	running bool
	pace    web.Pace
	last    time.Time
}

// Limits of what-if computations for one browser.
const (
	maxTrials   = 30
	trialWindow = time.Minute
)

// begin admits a computation of a browser. Call end when it is done.
func (t *trials) begin(who string, now time.Time) (end func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.each, func(_ string, one *trial) bool { return !one.running && now.Sub(one.last) >= trialWindow })
	if t.each == nil {
		t.each = map[string]*trial{}
	}
	one := t.each[who]
	if one == nil {
		one = &trial{}
		t.each[who] = one
	}
	//mutant:never `one.running` ./review/web TestWhatIfBounds
	if one.running || !one.pace.Admit(now, maxTrials, trialWindow) {
		return nil, web.RefuseAs(http.StatusTooManyRequests, fault.New(fault.RateLimited,
			"One comparison at a time, and %d in a minute. Try again in a moment.", maxTrials))
	}
	one.running, one.last = true, now
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		one.running = false
	}, nil
}
