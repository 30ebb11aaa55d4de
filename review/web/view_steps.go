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

// stepsView describes a transaction with several steps, step by step.
type stepsView struct {
	Law       string // how the steps depend on each other
	Guarantee string // what is guaranteed for each step; "" after the end
	Steps     []stepView
	Done      []string // what each step did, after execution
}

// stepView is one step, decoded from the bytes.
type stepView struct {
	Number int
	Title  string
	Lines  []words.Line
}

// stepped describes every step of a transaction with several steps. It returns nil for other
// transactions.
func (l look) stepped(f *plan.Facts) *stepsView {
	if len(f.Steps) < 2 {
		return nil
	}
	v := &stepsView{Law: "All steps are one transaction with one signature: either all of them happen, or none."}
	if h := l.Session.State.HumanReview; h != nil && !l.ended() {
		v.Guarantee = l.brieflyOf(h.Guarantee)
	}
	switch {
	case l.Session.Status == record.Success:
		v.Law = "All steps were one transaction, which was executed."
		for _, text := range l.Session.Result().Steps {
			v.Done = append(v.Done, words.Whole(text))
		}
	case l.ended():
		v.Law = "All steps are one transaction: either all of them happen, or none."
	}
	for i, s := range f.Steps {
		v.Steps = append(v.Steps, l.oneStep(f, i, s))
	}
	return v
}

// calledInShort returns the name and the short form of an address.
func (l look) calledInShort(a sui.Address) string {
	return strings.TrimSpace(l.named[a.String()] + " " + words.InShort(a.String()))
}

// lawOfSteps describes how the steps of a transaction depend on each other.
func lawOfSteps(paid []payee) string {
	law := "If one step fails, only gas is spent."
	if len(paid) > 0 {
		law += " A payment cannot be taken back."
	}
	return law
}

// onlyPayment makes the paid amount the largest text of the page if it is the only one and nothing
// arrives.
func (d *deal) onlyPayment(p plan.Promise) {
	paid := p.Of(plan.RolePayment)
	if len(paid) != 1 || len(p.Of(plan.RoleOutput)) > 0 {
		return
	}
	gets := entryOf("Somebody else gets at least", "Paid", paid[0].Amount())
	if gets.Hero = true; paid[0].Exact() {
		gets.Label = "Somebody else gets exactly"
	}
	d.Rows, d.Payees[0].Gets = append(d.Rows, gets), ""
}

// payees lists the recipients. With several steps, it includes what each recipient gets.
func (l look) payees(f *plan.Facts) (list []payee) {
	if to := f.Promise().Payee(); len(f.Steps) == 1 && !to.IsZero() {
		return []payee{*l.payee(to)}
	} else if len(f.Steps) == 1 {
		return nil
	}
	gets := map[string][]string{}
	for _, b := range f.Promise().Of(plan.RolePayment) {
		to := b.Party.ID.String()
		if gets[to] == nil {
			list = append(list, payee{Address: to})
		}
		gets[to] = append(gets[to], words.Grouped(words.Whole(b.Promised())))
	}
	for i := range list {
		list[i].Gets = listed(gets[list[i].Address])
	}
	return list
}

// oneStep describes what a step takes, what it gives, and to whom.
func (l look) oneStep(f *plan.Facts, i int, s plan.StepFacts) stepView {
	v := stepView{Number: i + 1}
	add := func(name, value string) {
		v.Lines = append(v.Lines, words.Line{Name: name, Value: words.Grouped(words.Whole(value)),
			Fact: fmt.Sprintf("Step %d: %s", i+1, name)})
	}
	for _, b := range s.Promise.Bounds() {
		amount := b.Promised()
		switch {
		case b.Party.IsResult() && b.Role == plan.RoleInput:
			add("Takes", f.TakenOf(b.Party, b.Coin.Symbol, "results")+": "+amount)
		case b.Party.IsResult():
			add(fmt.Sprintf("Goes on to step %d", f.TakerOf(b.Party)), amount)
		case b.Role == plan.RoleInput:
			add("Leaves your account", amount)
		case b.Role == plan.RoleFee:
			add("Leaves for the fee", amount)
		case b.Role == plan.RoleOutput:
			add("Arrives in your account", amount)
		case b.Role == plan.RoleReturn:
			v.Lines = append(v.Lines, words.Line{Name: "Not used", Value: "comes back to your account"})
		case b.Role == plan.RolePayment:
			add("Somebody else gets", amount)
			to := words.Line{Name: "Paid to", Address: b.Party.ID.String(), Fact: fmt.Sprintf("Step %d: Paid to", i+1)}
			if !l.ended() { // the page shows it in full above
				to.Value, to.Address = l.calledInShort(b.Party.ID), ""
			}
			v.Lines = append(v.Lines, to)
		case b.Role == plan.RoleHolding && b.Least != nil && b.Least.Sign() > 0:
			add("Goes into "+words.Whole(s.Holder.Called()), amount)
		case b.Role == plan.RoleHolding:
			add("Comes out of "+words.Whole(s.Holder.Called()), amount)
		}
	}
	if s.Expected != (plan.Amount{}) && !l.ended() {
		v.Lines = append(v.Lines, words.Line{Name: "Expected, not guaranteed", Value: amounts.Of(s.Expected).String()})
	}
	if h := s.Headline; h != nil {
		v.Lines = append(v.Lines, words.Line{Name: words.Whole(h.Label), Value: words.Grouped(words.Whole(h.What)),
			Note: words.Grouped(words.Whole(h.Price))})
	}
	v.Title = stepTitle(l, i)
	return v
}

// stepTitle returns the name of a step as in its request.
func stepTitle(l look, i int) string {
	if i >= len(l.Session.Intent.Steps) {
		return ""
	}
	return l.brieflyOf(words.UpperFirst(l.Session.Intent.Steps[i].Asked))
}

// marks returns the addresses that steps pay, so that their names can be filled in.
func (v *stepsView) marks() (out []listing.Mark) {
	if v == nil {
		return nil
	}
	for _, s := range v.Steps {
		out = append(out, listing.Marks(s.Lines)...)
	}
	return out
}
