package gate

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/review/plan"
)

// The price of what trades at once, against the middle price that one node reported in
// the reading of the quote, and against another venue. No second node is needed.

// The bounds of a price in basis points: how far the guaranteed amount is under the
// middle price, and how far apart two venues are.
const (
	cautionFrom = 300
	acceptFrom  = 1000
	apartFrom   = 500
)

// venuePatience is how long another venue is waited for: what it reports is a
// reference, and no review needs it.
const venuePatience = 2 * time.Second

// The ids that a person accepts a price by (contracts 2).
const (
	acceptPrice  = "price"
	acceptVenues = "venues"
)

const (
	checkMiddle = "price_against_middle"
	checkVenues = "price_other_venue"
)

// pays returns what a step pays at once and the coin that arrives; false for a step
// that trades nothing now.
func pays(s *plan.Step) (in plan.Amount, out plan.Asset, trades bool) {
	switch o := s.Outlook.Order; {
	case s.Quote != nil:
		return s.Quote.Input, s.Quote.Expected.Asset, true
	case o == nil || o.Fills.Raw == 0:
		return in, out, false
	case o.Buys:
		return o.FillsFor, o.Fills.Asset, true
	default:
		return o.Fills, o.FillsFor.Asset, true
	}
}

// asked is where the answers about one step arrive: of adapters over the first node, and
// over the second one where there is one. nil is asked of nobody.
type asked struct{ own, second <-chan *plan.Reference }

// askVenues asks other venues for the price of what each step trades, while the gates
// run. The returned function ends the queries.
func (r *run) askVenues(ctx context.Context) context.CancelFunc {
	ctx, stop := context.WithTimeout(ctx, venuePatience)
	r.late = time.NewTimer(venuePatience)
	r.venues = make([]asked, len(r.steps))
	for i, s := range r.steps {
		if in, out, trades := pays(s); trades && s.Outlook.Market != nil {
			r.venues[i].own = r.askOthers(ctx, r.c.Adapters, s, in, out)
			if r.c.Second != nil {
				r.venues[i].second = r.askOthers(ctx, r.c.Second.Adapters, s, in, out)
			}
		}
	}
	return func() { stop(); r.late.Stop() }
}

// askOthers asks every adapter of another venue that can be asked, and reports the
// first answer in the order of the adapters, or nil. Whatever an adapter does, it
// reports once.
func (r *run) askOthers(ctx context.Context, adapters []plan.Adapter, s *plan.Step, in plan.Amount, out plan.Asset) <-chan *plan.Reference {
	reported := make(chan *plan.Reference, 1)
	var others []plan.ReferencePricer
	for _, a := range adapters {
		if p, ok := a.(plan.ReferencePricer); ok && a.Meta().Label != s.Outlook.Market.Venue {
			others = append(others, p)
		}
	}
	account := s.Account
	go func() {
		var found *plan.Reference
		defer func() { reported <- found }()
		for _, p := range others {
			var ref plan.Reference
			//mutant:never ./review/gate TestOtherVenue
			if err := r.c.Guarded(func() (err error) { ref, err = p.ReferencePrice(ctx, account, in, out); return err }); err == nil {
				found = &ref
				return
			}
		}
	}()
	return reported
}

// weighPrices judges the price of every step that trades at once. What another venue
// reports is waited for only as long as askVenues allows.
func (r *run) weighPrices(ctx context.Context) error {
	for i, s := range r.steps {
		in, _, trades := pays(s)
		if !trades {
			continue
		}
		r.weighMiddle(s)
		own := r.answer(ctx, r.venues[i].own)
		ref := own
		if r.c.Second != nil {
			// The second node's word counts, which the first one's must not contradict.
			// Where it has none, the first one's alone reassures nobody, and warns still.
			second := r.answer(ctx, r.venues[i].second)
			if differ(own, second) {
				return r.disagreement(plan.EffectsMismatch, "tells another price on "+second.Venue)
			}
			//mutant:never ./review/gate TestOtherVenueOfTwoNodes
			if second != nil || !farAway(s, in.Asset, own) {
				ref = second
			}
		}
		if ref != nil {
			r.weighVenues(s, in.Asset, *ref)
		}
	}
	return nil
}

// farAway reports whether another venue's price is so far from the market's that the
// person has to accept it.
func farAway(s *plan.Step, in plan.Asset, ref *plan.Reference) bool {
	if ref == nil {
		return false
	}
	other, ok := s.Outlook.Market.Compare(in, *ref)
	return ok && other.ApartBps >= apartFrom
}

// answer waits for an answer as long as venues are waited for, and returns nil where
// there is none.
func (r *run) answer(ctx context.Context, from <-chan *plan.Reference) *plan.Reference {
	if from == nil {
		return nil
	}
	select {
	case ref := <-from:
		return ref
	case <-r.late.C:
		r.late.Reset(0) // for the next answer, too
	case <-ctx.Done():
	}
	return nil
}

// differ reports whether two answers about the same venue are more than a hundredth
// apart.
func differ(a, b *plan.Reference) bool {
	if a == nil || b == nil || a.Venue != b.Venue {
		return false
	}
	own, ok := plan.Rational(a.Price)
	theirs, both := plan.Rational(b.Price)
	//mutant:never ./review/gate TestOtherVenueOfTwoNodes
	return ok && both && !withinHundredth(own, theirs)
}

// weighMiddle judges what is guaranteed against the market's middle price.
func (r *run) weighMiddle(s *plan.Step) {
	m, t := s.Outlook.Market, s.Outlook.Trade
	if t == nil {
		if s.Limit != nil && s.Limit.Middle == 0 {
			return // judgeLimit says so
		}
		why := "The market has no middle price at present; a side of it may be empty."
		if m != nil && m.Middle != "" {
			why = "The market’s middle price, as the node reports it, fits no comparison with this trade."
		}
		r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price", why+" So there is nothing to compare the price with.",
			"Compare the price elsewhere before you sign."))
		return
	}
	g := t.Guaranteed
	if g.Bps <= 0 {
		r.check(plan.Pass(plan.SourceQuote, checkMiddle, "Price",
			"Even the guaranteed minimum is not less than at the market’s middle price."))
		return
	}
	less := plan.PercentOf(g.Bps) + " less than at the market’s middle price (" + g.Amount.String() + " less)"
	text := "At the guaranteed minimum you get " + less + "."
	const do = "A smaller amount, or less slippage, usually gets a better price. Prepare a new review."
	switch {
	//mutant:never ./review/gate TestPriceAgainstTheMiddle
	case g.Bps >= acceptFrom:
		r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price", text, do).
			MustAccept(acceptPrice, "I accept that I may get "+less+"."))
	//mutant:never ./review/gate TestPriceAgainstTheMiddle
	case g.Bps >= cautionFrom:
		r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price", text, do))
	default:
		r.check(plan.Pass(plan.SourceQuote, checkMiddle, "Price", text))
	}
}

// weighVenues compares the middle prices of two venues.
func (r *run) weighVenues(s *plan.Step, in plan.Asset, ref plan.Reference) {
	m := s.Outlook.Market
	other, ok := m.Compare(in, ref)
	if !ok {
		return
	}
	s.Outlook.Other = other
	unit := " " + m.Quote.Symbol + " per " + m.Base.Symbol
	apart := plan.PercentOf(other.ApartBps) + " apart"
	text := "The middle price is " + string(m.Middle) + unit + " here and " + string(other.Middle) + unit + " on " +
		other.Venue + ": " + apart + "."
	//mutant:never ./review/gate TestOtherVenue
	if other.ApartBps >= apartFrom {
		r.check(plan.Warn(plan.SourceQuote, checkVenues, "Other venue", text+" One of the two is far from the market.",
			"Compare the price elsewhere before you sign.").
			MustAccept(acceptVenues, "I accept that the prices here and on "+other.Venue+" are "+apart+"."))
		return
	}
	r.check(plan.Pass(plan.SourceQuote, checkVenues, "Other venue", text))
}

// outlook returns what was reported around every step, nil where that is nothing.
func (r *run) outlook() (all []plan.Outlook) {
	told := false
	for _, s := range r.steps {
		all = append(all, s.Outlook)
		told = told || s.Outlook.Told()
	}
	if !told {
		return nil
	}
	return all
}

// judgeLimit compares the limit of an order with the middle price of the market. If a
// second node was asked, the worse of the two prices counts; if only one node reports
// a price, that one.
func (r *run) judgeLimit(s, second *plan.Step) error {
	l := *s.Limit
	if second != nil && second.Limit != nil && second.Limit.Middle > 0 &&
		(l.Middle == 0 || second.Limit.Worse().Cmp(l.Worse()) > 0) {
		l.Middle, l.Text = second.Limit.Middle, second.Limit.Text
	}
	if l.Middle == 0 {
		r.check(plan.Warn(plan.SourceQuote, checkPrice, "Price",
			"Not compared: the market tells no middle price at present; a side of it may be empty.",
			"Compare the price elsewhere before you sign.").Under("C04"))
		return nil
	}
	worse := l.Worse()
	if own := s.Limit; worse.Cmp(big.NewInt(blockedFrom)) <= 0 && own.Middle > 0 && second != nil &&
		second.Limit != nil && second.Limit.Middle > 0 &&
		!withinHundredth(new(big.Rat).SetInt(plan.BigInt(own.Middle)),
			new(big.Rat).SetInt(plan.BigInt(second.Limit.Middle))) {
		return r.disagreement(plan.EffectsMismatch, "tells another middle price, "+second.Limit.Text+" instead of "+own.Text)
	}
	if worse.Sign() <= 0 {
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price",
			"The price is no worse than the market's middle price, "+l.Text+"."))
		return nil
	}
	text := "The price is " + percent(worse) + " worse than the market's middle price, " + l.Text + "."
	const do = "The order may trade that far away from the market. Compare the price, and prepare a new review " +
		"with another one."
	switch {
	//mutant:never ./review/gate TestLimitOfTwoNodes
	case worse.Cmp(big.NewInt(blockedFrom)) > 0:
		return &plan.Stop{Reason: plan.AmountMismatch,
			Check: plan.Fail(plan.SourceQuote, checkPrice, "Price", text, do).Under("C04")}
	case worse.Cmp(big.NewInt(warnedFrom)) >= 0:
		c := plan.Warn(plan.SourceQuote, checkPrice, "Price", text, do).Under("C04")
		if s.Outlook.Trade != nil {
			c = c.AsNote() // weighPrices judged what trades at once
		}
		r.check(c)
	default:
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price", text))
	}
	return nil
}

// percent shows basis points of any size.
func percent(bps *big.Int) string {
	return new(big.Rat).SetFrac(bps, big.NewInt(100)).FloatString(2) + "%"
}
