package web

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// deal lists what leaves, what is guaranteed and what is expected: all rows of the promise that
// change the account's holdings.
func (l look) deal(f *plan.Facts) *deal {
	d, p := &deal{}, f.Promise()
	gives, gets := p.Of(plan.RoleInput, plan.RoleFee), p.Amounts(plan.RoleOutput)
	if h := l.Session.State.HumanReview; h != nil {
		d.Law = l.brieflyOf(h.Guarantee)
	}
	for i, b := range gives {
		d.Rows = append(d.Rows, l.leaves(b, i == 0, len(gets) == 0))
	}
	if len(gets) > 0 {
		d.Rows = append(d.Rows, l.arrives(f, gets[0]))
		if len(f.Steps) == 1 { // with several steps, each lists what it brings
			for _, a := range gets[1:] {
				d.Rows = append(d.Rows, entryOf("And you get", "Guaranteed besides", a))
			}
		}
		if q := l.Session.State.Quote; q != nil && len(f.Steps) == 1 && len(gives) == 1 && len(gets) == 1 {
			d.Law = "Less than " + amounts.Of(gets[0]).String() + ": nothing is swapped, only gas is spent."
		}
	}
	if d.Payees = l.payees(f); len(f.Steps) > 1 {
		d.Law = lawOfSteps(d.Payees)
		d.onlyPayment(p)
	} else if d.Payees != nil {
		if len(gets) == 0 && len(gives) == 1 && gives[0].Exact() {
			d.Law = "A payment cannot be taken back."
		}
	}
	for _, s := range f.Steps {
		l.place(d, s)
	}
	if h := l.Session.State.HumanReview; len(d.Rows) == 0 && h != nil {
		d.Rows = append(d.Rows, entry{Label: "This is all it does",
			Amount: amounts.Amount{Number: words.Grouped(words.Whole(h.ProposedAction.Title))}})
	}
	if len(gives) == 0 && len(gets) == 0 && !strings.Contains(d.Law, "othing but gas") {
		d.Rows = append(d.Rows, entry{Label: "Leaves your account", Fact: "Leaves your account",
			Amount: amounts.Amount{Number: "nothing but gas"}})
	}
	return d
}

// leaves returns the entry of an outgoing amount. If nothing arrives, an exact amount is prominent.
func (l look) leaves(b plan.Bound, first, alone bool) entry {
	a := b.Amount()
	e := entryOf("You pay at most", "Leaves your account", a)
	switch {
	case !first && b.Role == plan.RoleFee:
		e.Label, e.Fact = "And at most, for the fee", "Leaves besides"
	case !first:
		e.Label, e.Fact = "And at most", "Leaves besides"
	case b.Exact():
		e.Label, e.Hero = "You pay exactly", alone
	}
	if q := l.Session.State.Quote; q != nil && first && q.Unspent.Raw > 0 && q.Input == a {
		e.note("likely "+amounts.Rounded(amounts.Spent(q), true), "")
	}
	e.note(l.share(a), "")
	return e
}

// arrives returns the entry of the guaranteed amount, with the expected amount below it.
func (l look) arrives(f *plan.Facts, least plan.Amount) entry {
	e := entryOf("You get exactly", "Guaranteed", least)
	e.Hero = true
	who := "You get"
	for _, s := range f.Steps {
		if len(s.Promise.Of(plan.RoleOutput)) > 0 && !s.Sends.IsZero() && s.Sends != l.Session.Account {
			who = "Another account than yours gets"
		}
	}
	e.Label = who + " exactly"
	for _, s := range f.Steps {
		if s.Expected == (plan.Amount{}) {
			continue
		}
		arrives := s.Expected
		for _, part := range s.Promise.Amounts(plan.RolePart) {
			arrives = arrives.Of(arrives.Raw - min(part.Raw, arrives.Raw)) // a later step uses it
		}
		e.Label = who + " at least"
		e.note("Likely "+amounts.Of(arrives).String(), "Expected")
		break
	}
	return e
}

// share describes an amount as a share of the account's balance. It returns "" if the balance is
// unknown or the review has ended.
func (l look) share(a plan.Amount) string {
	if l.ended() {
		return ""
	}
	for _, h := range l.Session.Holdings {
		if h.CoinType == a.CoinType && h.Before > 0 {
			return shareOf(plan.ShareBps(a.Raw, h.Before), a.Symbol)
		}
	}
	return ""
}

// shareOf describes a share of the account's balance. bps is in hundredths of a percent.
func shareOf(bps int64, symbol string) string {
	return plan.PercentOf(bps) + " of your " + words.Whole(symbol)
}

// guaranteedOf returns the amount that the bytes guarantee in the step of a quote.
func guaranteedOf(f *plan.Facts, q *plan.QuoteEvidence) plan.Amount {
	for _, s := range f.Steps {
		if s.Promise.Amount(plan.RoleInput) == q.Input {
			return s.Promise.Whole()
		}
	}
	return f.Promise().Amount(plan.RoleOutput)
}

// worst returns the price at the guaranteed minimum, in the unit of the quote.
func worst(q *plan.QuoteEvidence, least plan.Amount) string {
	if q.Direction == "quote_to_base" {
		return amounts.Rate(amounts.Spent(q), least)
	}
	return amounts.Rate(least, amounts.Spent(q))
}

// details lists the costs, and the recipient if that is another account.
func (l look) details(f *plan.Facts) []words.Line {
	s := l.Session
	to, fees := f.Recipient(), f.Promise().Amounts(plan.RoleFee)
	var out []words.Line
	if to != s.Account && len(f.Steps) == 1 && (s.State.Quote != nil || l.ended()) { // otherwise listed by step
		out = append(out, words.Line{Name: "Goes to", Address: to.String(), Fact: "Goes to",
			Note: "not your connected account"})
	}
	if q := s.State.Quote; q != nil {
		fee := words.Line{Name: "Venue fee", Value: "none", Fact: "Venue fee"}
		if q.Fee.Raw > 0 {
			fee.Value, fee.Note = amounts.Of(q.Fee).String(), "included"
			if len(fees) > 0 {
				fee.Note = "besides: at most " + amounts.Of(fees[0]).String() + " leaves, the rest comes back"
			}
		}
		out = append(out, fee)
		if len(s.State.Outlook) == 0 || s.State.Outlook[0].Market == nil {
			out = append(out, words.Line{Name: "Done on", Value: words.Whole(q.Provider)})
		}
	}
	if o := s.State.Outlook; len(o) == 1 && o[0].Other != nil {
		out = append(out, words.Line{Name: "On " + words.Whole(o[0].Other.Venue),
			Value: words.Spaced(words.Whole(string(o[0].Other.Middle))),
			Note:  percent(o[0].Other.ApartBps) + " apart"})
	}
	for _, a := range f.Withdraws {
		note := "part of what leaves"
		if leaves := f.Promise().Amounts(plan.RoleInput); len(leaves) == 1 && leaves[0] == a {
			note = "all of what leaves"
		}
		out = append(out, words.Line{Name: "Taken from your address balance", Value: amounts.Of(a).String(), Note: note})
	}
	from := ""
	if len(f.Gas.Payment) == 0 {
		from = ", out of your address balance"
	}
	most := words.Line{Name: "Gas, at most", Value: amounts.Of(amounts.SUI.Of(f.Gas.Budget)).String(),
		Fact:   "Gas, at most",
		AtMost: f.Gas.Budget.String()}
	most.Note = strings.TrimPrefix(from, ", ")
	if f.Gas.Free() {
		most = words.Line{Name: "Gas", Value: "none", Fact: most.Fact, AtMost: most.AtMost,
			Note: "the chain moves this coin without gas"}
	}
	return append(out, most)
}

// conditions lists the terms of the quote, and when the bytes expire.
func (l look) conditions(f *plan.Facts) []words.Line {
	s := l.Session
	out := []words.Line{{Name: "You asked", Value: l.brieflyOf(listing.Asked(s.Intent))}}
	if q := s.State.Quote; q != nil {
		out = append(out,
			words.Line{Name: "Price limit", Value: plan.Percent(q.MaxSlippageBps) + " below the quote", Note: "guaranteed: " +
				worst(q, guaranteedOf(f, q))},
			words.Line{Name: "Quote", Value: words.Whole(q.Provider) + ", " + words.Whole(q.Route), Note: "asked " +
				words.At(q.FetchedAt)})
	}
	return append(out, words.Line{Name: "Your account", Address: s.Account.String()},
		words.Line{Name: "Usable until", Value: "end of epoch " + words.Spaced(fmt.Sprint(f.LastEpoch)),
			Note: "after that the chain refuses it; on mainnet an epoch lasts a day"})
}

// balances lists holdings before and after the simulation.
func (l look) balances() []balanceLine {
	var out []balanceLine
	if l.facts() == nil || l.Session.Status.Terminal() || l.Session.Status == record.SignedPendingResult {
		return out
	}
	for _, h := range l.Session.Holdings {
		out = append(out, balanceLine{
			Symbol: words.Whole(h.Symbol), Before: words.Spaced(string(h.Before.Decimal(h.Decimals))),
			After:  words.Spaced(string(h.After.Decimal(h.Decimals))),
			Change: amounts.Delta(sui.DeltaOf(h.Before, h.After), h.Asset),
		})
	}
	return out
}

// technical lists ids for comparison.
func (l look) technical(f *plan.Facts) []words.Line {
	out := l.conditions(f)
	for _, step := range f.Steps {
		module, function, called := strings.Cut(step.Function, "::")
		if called {
			out = append(out, words.Line{Name: "Function", Value: words.Whole(step.Function), Mono: true},
				words.Line{Name: "Package", Address: step.Package.String()})
		} else {
			out = append(out, words.Line{Name: "Command", Value: words.Whole(step.Function), Mono: true})
		}
		if at := l.source.place(step.Package, module, function); at != "" {
			out = append(out, words.Line{Name: "Source", Value: at, Mono: true})
		}
		switch {
		case step.RouteID.IsZero():
		case step.Route == "":
			out = append(out, words.Line{Name: "Object", Address: step.RouteID.String()})
		default:
			out = append(out, words.Line{Name: "Market " + words.Whole(step.Route), Address: step.RouteID.String()})
		}
		for i, t := range step.TypeArgs {
			out = append(out, words.Line{Name: fmt.Sprintf("Type %d", i+1), Value: words.Whole(words.ShortType(t)), Mono: true})
		}
	}
	if sim := l.Session.State.Simulation; sim != nil && !f.Gas.Free() {
		out = append(out, words.Line{Name: "Gas, likely", Value: "about " + amounts.Gas(sim.GasNet)})
	}
	out = append(out, words.Line{Name: "Gas price", Value: words.Spaced(f.Gas.Price.String()) + " MIST"})
	if f.Gas.Owner != l.Session.Account {
		out = append(out, words.Line{Name: "Gas paid by", Address: f.Gas.Owner.String()})
	}
	if len(f.Gas.Payment) == 0 {
		out = append(out, words.Line{Name: "Gas coin", Value: "none"})
	}
	for _, p := range f.Gas.Payment {
		out = append(out, words.Line{Name: "Gas coin", Address: p.ID.String(), Note: "version " +
			words.Spaced(fmt.Sprint(p.Version))})
	}
	return append(out, l.nodes...)
}

// names returns the names of ids for the drawing. The facts, decoded from the same bytes, have
// established these ids.
func (l look) names(f *plan.Facts) map[sui.Address]string {
	names := map[sui.Address]string{sui.MustAddress("0x6"): "the chain's clock"}
	for _, s := range f.Steps {
		names[s.Package] = words.Whole(l.protocol())
		if !s.RouteID.IsZero() && s.Route != "" {
			names[s.RouteID] = "market " + words.Whole(s.Route)
		}
		if s.Holder != nil && !s.Holder.New() {
			names[s.Holder.ID] = "your " + strings.ToLower(words.Whole(s.Holder.Term))
		}
	}
	names[l.Session.Account] = "your account"
	for _, p := range f.Gas.Payment {
		names[p.ID] = "your gas coin"
	}
	return names
}

func (l look) protocol() string {
	if h := l.Session.State.HumanReview; h != nil && h.ProposedAction.Protocol != "" {
		return h.ProposedAction.Protocol
	}
	return l.Session.Protocol
}
