package web

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// stepsView is a transaction of several steps, step by step.
type stepsView struct {
	Law   string // how the steps depend on each other
	Steps []stepView
	Done  []string // what each did, once it was executed
}

// stepView is one step, decoded from the bytes.
type stepView struct {
	Number int
	Title  string
	Lines  []words.Line
}

// stepped prints every step of a transaction that has several; nil for others.
func (l look) stepped(f *plan.Facts) *stepsView {
	if len(f.Steps) < 2 {
		return nil
	}
	v := &stepsView{Law: "All steps are one transaction with one signature: either all of them happen, or none."}
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

// oneStep prints what a step takes, gives and to whom.
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
			v.Lines = append(v.Lines, words.Line{Name: "Paid to", Address: b.Party.ID.String(),
				Fact: fmt.Sprintf("Step %d: Paid to", i+1)})
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
	v.Title = l.stepTitle(i)
	return v
}

// stepTitle names a step in the words of its request.
func (l look) stepTitle(i int) string {
	if i >= len(l.Session.Intent.Steps) {
		return ""
	}
	return l.brieflyOf(words.UpperFirst(l.Session.Intent.Steps[i].Asked))
}

// marks are the addresses that steps pay, for their names in the book.
func (v *stepsView) marks() (out []listing.Mark) {
	if v == nil {
		return nil
	}
	for _, s := range v.Steps {
		out = append(out, listing.Marks(s.Lines)...)
	}
	return out
}
