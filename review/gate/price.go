package gate

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// This file compares the price of what trades at once with the mid price from the quote's reading,
// another venue, the cross rate through other markets, and the range of the last day. None of this
// needs a second node.

// The bounds of a price in basis points: how far the guaranteed amount is below the mid price, and
// how far apart two venues are.
const (
	cautionFrom = 300
	acceptFrom  = 1000
	apartFrom   = 500
)

// venuePatience is how long to wait for other prices. They are only references, which no review
// needs.
const venuePatience = 2 * time.Second

// acceptVenues is the id for accepting that venues' prices differ.
const acceptVenues = "venues"

const (
	checkMiddle = "price_against_middle"
	checkVenues = "price_other_venue"
)

// pays returns what a step pays immediately and the coin that arrives, or false if it trades
// nothing immediately.
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

// pricing asks one adapter for the price of a step's trade.
type pricing func(context.Context, sui.Address, plan.Amount, plan.Asset) (plan.Reference, error)

// asked has the channels with answers from adapters on the first node and, if it was asked, the
// second. A nil channel means that nobody was asked.
type asked struct{ own, second <-chan *plan.Reference }

// lookout has the other prices that one step is compared with.
type lookout struct {
	venue, cross asked
	day          <-chan *dayRange
}

// dayRange is the lowest and the highest price of the last 24 hours, in quote coins per base coin.
type dayRange struct{ low, high sui.Decimal }

// askVenues starts to query other prices for what each step trades, while the gates run. The
// returned function cancels the queries.
func (r *planned) askVenues(ctx context.Context) context.CancelFunc {
	ctx, stop := context.WithTimeout(ctx, venuePatience)
	r.late = time.NewTimer(venuePatience)
	r.venues = make([]lookout, len(r.steps))
	for i, s := range r.steps {
		in, out, trades := pays(s)
		if !trades {
			continue
		}
		if s.Outlook.Market == nil {
			r.venues[i].venue = asked{own: r.askOthers(ctx, r.c.Adapters, pricesOf(""), s.Account, in, out)}
			continue
		}
		ask := func(pick func(plan.Adapter) pricing) (a asked) {
			a.own = r.askOthers(ctx, r.c.Adapters, pick, s.Account, in, out)
			if r.c.Second != nil {
				a.second = r.askOthers(ctx, r.c.Second.Adapters, pick, s.Account, in, out)
			}
			return a
		}
		venue := s.Outlook.Market.Venue
		r.venues[i] = lookout{day: r.askDay(ctx, *s.Outlook.Market), venue: ask(pricesOf(venue)),
			cross: ask(func(a plan.Adapter) pricing {
				if p, ok := a.(plan.CrossPricer); ok {
					return p.CrossPrice
				}
				return nil
			})}
	}
	return func() { stop(); r.late.Stop() }
}

// pricesOf returns a function that picks adapters of venues other than but that can report a price.
func pricesOf(but string) func(plan.Adapter) pricing {
	return func(a plan.Adapter) pricing {
		if p, ok := a.(plan.ReferencePricer); ok && a.Meta().Label != but {
			return p.ReferencePrice
		}
		return nil
	}
}

// askDay queries the range of prices of the last day. It always sends exactly one value, even if
// the source panics.
func (r *input) askDay(ctx context.Context, m plan.Market) <-chan *dayRange {
	if r.c.Recent == nil {
		return nil
	}
	reported := make(chan *dayRange, 1)
	go func() {
		var found *dayRange
		defer func() { reported <- found }()
		var d dayRange
		if err := r.c.Guarded(func() (err error) {
			d.low, d.high, err = r.c.Recent(ctx, m.Base.CoinType, m.Quote.CoinType)
			return err
		}); err == nil {
			found = &d
		}
	}()
	return reported
}

// askOthers queries the adapters that pick selects, in order, and sends the first answer, or nil.
// It always sends exactly one value, even if an adapter panics.
func (r *input) askOthers(ctx context.Context, adapters []plan.Adapter, pick func(plan.Adapter) pricing,
	account sui.Address, in plan.Amount,
	out plan.Asset) <-chan *plan.Reference {
	reported := make(chan *plan.Reference, 1)
	var others []pricing
	for _, a := range adapters {
		if ask := pick(a); ask != nil {
			others = append(others, ask)
		}
	}
	go func() {
		var found *plan.Reference
		defer func() { reported <- found }()
		for _, ask := range others {
			var ref plan.Reference
			//mutant:never ./review/gate TestOtherVenue
			if err := r.c.Guarded(func() (err error) { ref, err = ask(ctx, account, in, out); return err }); err == nil {
				found = &ref
				return
			}
		}
	}()
	return reported
}

// comparison compares the guaranteed amount with one price.
type comparison struct {
	with string // as in "the market’s mid price"
	less plan.Shortfall
}

// weighPrices checks the price of every step that trades immediately, by its worst comparison. It
// waits for other prices at most venuePatience.
func weighPrices(ctx context.Context, r *planned) error {
	for i, s := range r.steps {
		in, _, trades := pays(s)
		if !trades {
			continue
		}
		m, t := s.Outlook.Market, s.Outlook.Trade
		if m == nil && s.Quote != nil {
			r.weighElsewhere(s, waited(ctx, r.late, r.venues[i].venue.own))
			continue
		}
		if m == nil || t == nil {
			r.withoutMiddle(s)
			continue
		}
		others, err := r.others(ctx, i, s, in.Asset)
		if err != nil {
			return err
		}
		r.weighPrice(s, append([]comparison{{"the market’s mid price", t.Guaranteed}}, others...))
		r.nameCompared(others)
	}
	return nil
}

// weighElsewhere checks the price of a trade whose venue reports no market against another venue.
func (r *planned) weighElsewhere(s *plan.Step, ref *plan.Reference) {
	q := s.Quote
	if ref != nil {
		m := plan.Market{Venue: ref.Venue, Pool: ref.Pool, Base: q.Input.Asset, Quote: q.Minimum.Asset, Middle: ref.Price}
		paid := q.Input.Of(q.Input.Raw - q.Unspent.Raw)
		if t, ok := m.Against(plan.Traded{Paid: paid, Fee: q.Fee, Arrives: q.Minimum}, plan.Traded{Paid: paid, Fee: q.Fee,
			Arrives: q.Expected}); ok {
			r.weighPrice(s, []comparison{{"the mid price on " + ref.Venue, t.Guaranteed}})
			return
		}
	}
	r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price",
		"No other venue reports a price of this pair, so the price was not compared with anything.",
		"Compare the price elsewhere before you sign."))
}

// others compares a step with every price other than its own market's.
func (r *planned) others(ctx context.Context, i int, s *plan.Step, in plan.Asset) (list []comparison, err error) {
	m, t, from := *s.Outlook.Market, *s.Outlook.Trade, r.venues[i]
	ref, err := r.agreed(ctx, from.venue, func(own *plan.Reference) bool { return farAway(s, in, own) })
	if err != nil {
		return nil, err
	}
	if ref != nil {
		r.weighVenues(s, in, *ref)
		if other, ok := m.Compare(in, *ref); ok {
			if less, ok := m.ShortfallAt(t, other.Middle); ok {
				list = append(list, comparison{"the mid price on " + other.Venue, less})
			}
		}
	}
	beside := func(ref *plan.Reference) (plan.Shortfall, bool) {
		if ref == nil {
			return plan.Shortfall{}, false
		}
		other, ok := m.Compare(in, *ref)
		if !ok {
			return plan.Shortfall{}, false
		}
		return m.ShortfallAt(t, other.Middle)
	}
	cross, err := r.agreed(ctx, from.cross, func(own *plan.Reference) bool {
		less, ok := beside(own)
		return ok &&
			less.Bps >= cautionFrom
	})
	if err != nil {
		return nil, err
	}
	if less, ok := beside(cross); ok {
		list = append(list, comparison{"the cross rate of " + cross.Venue + " over " + cross.Pool, less})
	}
	if day := waited(ctx, r.late, from.day); day != nil {
		edge, words := day.high, "the highest price of the last 24 hours"
		if m.Sells(in) {
			edge, words = day.low, "the lowest price of the last 24 hours"
		}
		if less, ok := m.ShortfallAt(t, edge); ok {
			list = append(list, comparison{words, less})
		}
	}
	return list, nil
}

// agreed waits for a reference price. With a second node, that node's answer counts, and the first
// node's must not contradict it. If the second node has none, the first node's answer cannot
// reassure the user, but it still counts if warns returns true.
func (r *planned) agreed(ctx context.Context, from asked, warns func(*plan.Reference) bool) (*plan.Reference, error) {
	own := waited(ctx, r.late, from.own)
	if r.c.Second == nil {
		return own, nil
	}
	second := waited(ctx, r.late, from.second)
	if differ(own, second) {
		return nil, disagreement(plan.EffectsMismatch, "reports a different price on "+second.Venue)
	}
	//mutant:never ./review/gate TestOtherVenueOfTwoNodes
	if second != nil || own == nil || !warns(own) {
		return second, nil
	}
	return own, nil
}

// farAway reports whether another venue's price is so far from the market's that the user has to
// accept it.
func farAway(s *plan.Step, in plan.Asset, ref *plan.Reference) bool {
	if ref == nil {
		return false
	}
	other, ok := s.Outlook.Market.Compare(in, *ref)
	return ok && other.ApartBps >= apartFrom
}

// waited waits for an answer until late fires, and returns nil if there is none.
func waited[A any](ctx context.Context, late *time.Timer, from <-chan *A) *A {
	if from == nil {
		return nil
	}
	select {
	case found := <-from:
		return found // even if late has fired, too
	default:
	}
	select {
	case found := <-from:
		return found
	case <-late.C:
		late.Reset(0) // for the next answer, too
	case <-ctx.Done():
	}
	return nil
}

// differ reports whether two answers about the same venue differ by more than one percent.
func differ(a, b *plan.Reference) bool {
	if a == nil || b == nil || a.Venue != b.Venue {
		return false
	}
	own, ok := plan.Rational(a.Price)
	theirs, both := plan.Rational(b.Price)
	//mutant:never ./review/gate TestOtherVenueOfTwoNodes
	return ok && both && !withinHundredth(own, theirs)
}

// withoutMiddle warns that a market has no price for comparison.
func (r *input) withoutMiddle(s *plan.Step) {
	m := s.Outlook.Market
	if s.Limit != nil && s.Limit.Middle == 0 {
		return // judgeLimit reports it
	}
	why := "The market has no mid price now; one side may be empty."
	if m != nil && m.Middle != "" {
		why = "The market’s mid price, as the node reports it, fits no comparison with this trade."
	}
	r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price", why+" So the price was not compared with anything.",
		"Compare the price elsewhere before you sign."))
}

// betterPrice is the advice in every warning about a guaranteed amount.
const betterPrice = "Try a smaller amount or less slippage."

// weighPrice checks the guaranteed amount by its worst comparison.
func (r *input) weighPrice(s *plan.Step, list []comparison) {
	worst := slices.MaxFunc(list, func(a, b comparison) int { return cmp.Compare(a.less.Bps, b.less.Bps) })
	g := worst.less
	if g.Bps <= 0 {
		r.check(plan.Pass(plan.SourceQuote, checkMiddle, "Price",
			"Even the guaranteed minimum is not less than at "+worst.with+"."))
		return
	}
	less := plan.PercentOf(g.Bps) + " less than at " + worst.with + " (" + g.Amount.String() + " less)"
	text := "At the guaranteed minimum you get " + less + "."
	do := betterPrice
	if s.Quote == nil && s.Intent.MaxSlippageBps == 0 {
		do = "" // the user set the price of the order
	}
	switch {
	//mutant:never ./review/gate TestPriceAgainstTheMiddle
	case g.Bps >= acceptFrom:
		figure := string(sui.Raw(g.Bps).Decimal(2))
		r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price", text, do).MustAccept(plan.AcceptPrice+figure,
			"You may get "+less+". To accept that, type the percentage: "+figure))
	//mutant:never ./review/gate TestPriceAgainstTheMiddle
	case g.Bps >= cautionFrom:
		r.check(plan.Warn(plan.SourceQuote, checkMiddle, "Price", text, do))
	default:
		r.check(plan.Pass(plan.SourceQuote, checkMiddle, "Price", text))
	}
}

// nameCompared lists the prices used for comparison other than the market's own.
func (r *input) nameCompared(others []comparison) {
	if len(others) == 0 {
		r.check(plan.Warn(plan.SourceQuote, plan.CheckCompared, "Price comparison",
			"The price was not compared with other markets, because no other price was available.",
			"Compare the price elsewhere before you sign.").AsNote())
		return
	}
	names := make([]string, 0, len(others))
	for _, o := range others {
		names = append(names, o.with)
	}
	r.check(plan.Pass(plan.SourceQuote, plan.CheckCompared, "Price comparison",
		"The price was compared with the market’s mid price, "+strings.Join(names, ", ")+"."))
}

// weighVenues compares the mid prices of two venues.
func (r *input) weighVenues(s *plan.Step, in plan.Asset, ref plan.Reference) {
	m := s.Outlook.Market
	other, ok := m.Compare(in, ref)
	if !ok {
		return
	}
	s.Outlook.Other = other
	unit := " " + m.Quote.Symbol + " per " + m.Base.Symbol
	apart := plan.PercentOf(other.ApartBps) + " apart"
	text := "The mid price is " + string(m.Middle) + unit + " here and " + string(other.Middle) + unit + " on " +
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

// outlook returns what nodes reported about every step, or nil if they reported nothing.
func (r *planned) outlook() (all []plan.Outlook) {
	reported := false
	for _, s := range r.steps {
		all = append(all, s.Outlook)
		reported = reported || s.Outlook.HasContent()
	}
	if !reported {
		return nil
	}
	return all
}

// judgeLimit compares the limit of an order with the mid price of the market. If a second node was
// asked, the worse of the two prices counts; if only one node reports a price, that price counts.
func (r *input) judgeLimit(s, second *plan.Step) error {
	l := *s.Limit
	if second != nil && second.Limit != nil && second.Limit.Middle > 0 &&
		(l.Middle == 0 || second.Limit.Worse().Cmp(l.Worse()) > 0) {
		l.Middle, l.Text = second.Limit.Middle, second.Limit.Text
	}
	if l.Middle == 0 {
		r.check(plan.Warn(plan.SourceQuote, checkPrice, "Price",
			"Not compared: the market reports no mid price now; a side of it may be empty.",
			"Compare the price elsewhere before you sign.").Under("C04"))
		return nil
	}
	worse := l.Worse()
	if own := s.Limit; worse.Cmp(big.NewInt(blockedFrom)) <= 0 && own.Middle > 0 && second != nil &&
		second.Limit != nil && second.Limit.Middle > 0 &&
		!withinHundredth(new(big.Rat).SetInt(plan.BigInt(own.Middle)),
			new(big.Rat).SetInt(plan.BigInt(second.Limit.Middle))) {
		return disagreement(plan.EffectsMismatch, "reports a different mid price, "+second.Limit.Text+" instead of "+own.Text)
	}
	if worse.Sign() <= 0 {
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price",
			"The price is no worse than the market's mid price, "+l.Text+"."))
		return nil
	}
	text := "The price is " + percent(worse) + " worse than the market's mid price, " + l.Text + "."
	const do = "The order can trade that far from the market price. Compare the price, and prepare a new review " +
		"with another one."
	switch {
	//mutant:never ./review/gate TestLimitOfTwoNodes
	case worse.Cmp(big.NewInt(blockedFrom)) > 0:
		return &plan.Stop{Reason: plan.AmountMismatch,
			Check: plan.Fail(plan.SourceQuote, checkPrice, "Price", text, do).Under("C04")}
	case worse.Cmp(big.NewInt(warnedFrom)) >= 0:
		c := plan.Warn(plan.SourceQuote, checkPrice, "Price", text, do).Under("C04")
		if s.Outlook.Trade != nil {
			c = c.AsNote() // weighPrices checked what trades immediately
		}
		r.check(c)
	default:
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price", text))
	}
	return nil
}

// percent formats basis points of any size.
func percent(bps *big.Int) string {
	return new(big.Rat).SetFrac(bps, big.NewInt(100)).FloatString(2) + "%"
}
