package web

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/draw"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// deal lists what leaves and what arrives, or what else the transaction does.
type deal struct {
	Rows    []entry
	Payees  []payee // recipients
	Manager *manager
	Law     string
}

// entry is an amount with its label. Hero makes it the largest text of the page.
type entry struct {
	Label     string
	LabelFact string // key of Label among the facts that can change; "" if it cannot
	Amount    amounts.Amount
	Sign      string // shown before the amount
	Tone      string
	Fact      string
	Coin      string // symbol of the coin's mark; "" for none
	Listed    bool
	Hero      bool
	Notes     []aside
	Fine      string
}

// aside is a note next to an amount.
type aside struct{ Text, Fact string }

// entryOf returns the entry of an amount of a coin.
func entryOf(label, fact string, a plan.Amount) entry {
	return entry{Label: label, Fact: fact, Amount: amounts.Of(a), Coin: a.Symbol, Listed: !a.Foreign,
		Fine: whichCoin(a.Asset)}
}

func (e *entry) note(text, fact string) {
	if text != "" {
		e.Notes = append(e.Notes, aside{text, fact})
	}
}

// payee is a recipient, with what is known about the address.
type payee struct {
	Gets              string // the amounts, if several steps pay it
	Address, Note, Do string
	Named             string // its name in the address book
	Known             bool   // it was paid from this machine before
}

// manager is the balance manager that the transaction uses, and its role. A manager that the
// transaction creates has no address yet.
type manager struct{ Role, Address, Name string }

// place fills in the parts of a step that are not movements of the account's coins, and the object
// that holds coins for the account.
func (l look) place(d *deal, s plan.StepFacts) {
	if s.Holder != nil {
		d.Manager = &manager{Role: words.Whole(s.Holder.Part), Name: words.Whole(s.Holder.Term)}
		if !s.Holder.New() {
			d.Manager.Address = s.Holder.ID.String()
		}
	}
	h := s.Headline
	if h == nil {
		return
	}
	doing := entry{Label: words.Whole(h.Label), Amount: amounts.Amount{Number: words.Whole(h.What)}, Fact: h.Terms[0]}
	if number, unit, ok := words.CutFigure(words.Whole(h.What)); h.Amount && ok {
		doing.Amount, doing.Hero = amounts.Amount{Number: number, Symbol: unit}, true
		doing.LabelFact, doing.Fact = h.Terms[0], h.Terms[1]
		doing.Coin, doing.Listed = l.listed(unit)
	}
	doing.note(words.Grouped(words.Whole(h.Price)), "Price limit")
	d.Rows = append(d.Rows, doing)
	if filled, ok := l.filled(); ok {
		d.Rows[len(d.Rows)-1].Hero = false
		d.Rows = append(d.Rows, filled)
	}
}

// foldOrder moves an order's terms into a fold below the ladder. The amounts are not moved.
func (v *view) foldOrder() {
	if v.Ladder == "" || v.Deal == nil || len(v.Locks) == 0 {
		return
	}
	v.Order = &orderTerms{v.Deal.Law, v.Deal.Manager, v.Terms}
	v.Deal.Law, v.Deal.Manager, v.Terms, v.TermTitle = "Only gas leaves your account.", nil, nil, "Costs"
}

// filled returns what an order brings or costs if it fills completely at its price.
func (l look) filled() (entry, bool) {
	in, outlook := l.Session.Intent.Order, l.Session.State.Outlook
	if in == nil || len(outlook) != 1 || outlook[0].Order == nil || outlook[0].Market == nil {
		return entry{}, false
	}
	total, ok := draw.Total(sui.Decimal(in.Price), sui.Decimal(in.Quantity))
	if !ok {
		return entry{}, false
	}
	m := outlook[0].Market
	e := entry{Label: "When all of it fills you get at least",
		Amount: amounts.Amount{Number: total, Symbol: words.Whole(m.Quote.Symbol)},
		Coin:   m.Quote.Symbol, Listed: !m.Quote.Foreign, Hero: true}
	if outlook[0].Order.Buys {
		e.Label = "When all of it fills you pay at most"
	}
	e.note("before fees", "")
	return e, true
}

// listed returns the symbol of a coin of the market, and whether the coin is listed.
func (l look) listed(symbol string) (string, bool) {
	for _, o := range l.Session.State.Outlook {
		if o.Market == nil {
			continue
		}
		for _, a := range []plan.Asset{o.Market.Base, o.Market.Quote} {
			if a.Symbol == symbol {
				return symbol, !a.Foreign
			}
		}
	}
	return "", false
}

// whichCoin returns the full type of an unlisted coin, because its name proves nothing. It returns
// "" for a listed coin.
func whichCoin(a plan.Asset) string {
	if !a.Foreign {
		return ""
	}
	return "The coin is " + words.Whole(string(a.CoinType)) +
		". Its type says which coin it is; nobody vouches for what it calls itself."
}

// payee describes the recipient at an address, in the words of its check.
func (l look) payee(to sui.Address) *payee {
	p := &payee{Address: to.String()}
	for _, c := range l.Session.State.Checks {
		if c.ID == listing.CheckPayee {
			p.Note, p.Do, p.Known = l.brieflyOf(c.Message), l.brieflyOf(c.Do), c.Status == plan.CheckPass
		}
	}
	return p
}

// terms lists the agreed terms other than amounts, as decoded from the bytes. It omits those that
// the page shows elsewhere.
func (l look) terms(f *plan.Facts) []words.Line {
	inFront := []string{}
	if l.Session.State.Quote == nil && !l.ended() {
		moves := len(f.Promise().Of(plan.RoleInput, plan.RoleOutput)) > 0
		for i, s := range f.Steps {
			if o := l.Session.State.Outlook; i < len(o) && o[i].Order != nil {
				inFront = append(inFront, plan.TermAtOnce)
			}
			if s.Holder != nil && !s.Holder.New() {
				inFront = append(inFront, s.Holder.Term)
			}
			if s.Headline != nil && !moves {
				inFront = append(inFront, s.Headline.Terms...)
			}
		}
	}
	var out []words.Line
	for _, t := range f.Terms() {
		if !slices.Contains(inFront, t.Name) {
			out = append(out, termLine(t))
		}
	}
	return out
}

func (l look) ended() bool { return l.Session.Status.Terminal() }

func termLine(t plan.Term) words.Line {
	one := words.Line{Name: words.Whole(t.Name)}
	if !soft(t) {
		one.Fact = one.Name
	}
	switch _, err := sui.ParseAddress(t.Value); {
	case err == nil:
		one.Address = t.Value
	default:
		one.Value, one.Mono = words.Grouped(words.Whole(t.Value)), len(t.Value) > 16 && strings.Trim(t.Value,
			"0123456789") == ""
	}
	return one
}

// locks describes what is tied up and how to undo it, both before signing and after execution.
func (l look) locks() []string {
	h := l.Session.State.HumanReview
	if h == nil || l.ended() && (l.Session.Status != record.Success || h.BoundToCommitment != l.Session.Commitment) {
		return nil
	}
	var out []string
	for _, text := range h.Locks {
		out = append(out, l.brieflyOf(text))
	}
	return out
}

// alike compares two addresses that look alike.
type alike struct {
	*words.Alike
	Asked, Other string
	Called       string // name of Other in the address book; "" for none
}

// mistaken compares the requested address with the one that it imitates. It returns nil if that did
// not block the review.
func mistaken(s record.Session) *alike {
	for _, c := range s.State.Checks {
		if c.ID == listing.CheckPayee && c.Status == plan.CheckFail {
			if both := words.Compare(c.Message, s.Intent.Recipient); both != nil {
				return &alike{both, s.Intent.Recipient, both.Other(), ""}
			}
		}
	}
	return nil
}

// trialNote describes how the result on chain can differ from the simulation. priced and free
// select the causes that apply.
func trialNote(priced, free bool) string {
	const trial = "As a Sui node simulated it"
	if priced {
		return trial + "; never below the guarantee."
	}
	if free {
		return trial + "."
	}
	return trial + ". On chain the gas can differ, within its limit."
}
