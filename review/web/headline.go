package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review"
)

// Headline returns the headline of a review: from its bytes, or from the request if they can no longer
// be signed.
func Headline(s record.Session) string {
	return sessionHeadline(s, look{View: review.View{Session: s}}.facts())
}

// headline returns the headline of the review, with names for addresses.
func (l look) headline() string {
	f := l.facts()
	if f == nil && mistaken(l.Session) != nil { // the page shows it below, next to the imitated address
		return strings.ReplaceAll(words.Grouped(words.UpperFirst(listing.Asked(l.Session.Intent))),
			l.Session.Intent.Recipient, unknownAddress)
	}
	if f == nil || len(f.Steps) != 1 {
		return sessionHeadline(l.Session, f)
	}
	to := f.Promise().Payee()
	if gives := f.Promise().Of(plan.RoleInput); !to.IsZero() && len(gives) > 0 && aboutOf(l.Session, 0) == nil {
		return "Send " + atMost(gives[0]) + " to " + l.called(to)
	}
	return sessionHeadline(l.Session, f)
}

// called returns the name of a recipient. Without a name, it returns the short form if the address
// was paid before, otherwise "an unknown address".
func (l look) called(a sui.Address) string {
	if name := l.named[a.String()]; name != "" {
		return name
	}
	if p := l.payee(a); p.Known || l.ended() {
		return words.InShort(a.String())
	}
	return unknownAddress
}

// unknownAddress is the term for an address that has no name and was never paid.
const unknownAddress = "an unknown address"

// short returns the guarantee of a review in a few words, for display next to its button.
func (l look) short() string {
	f := l.facts()
	if f == nil {
		return ""
	}
	if out := f.Promise().Of(plan.RoleOutput); len(out) == 1 && len(f.Promise().Of(plan.RoleInput)) > 0 {
		return words.UpperFirst("get " + atLeast(out[0]))
	}
	if o := orderNow(l); o != nil && o.Fills.Raw == 0 {
		return "This order waits"
	} else if o != nil {
		return "This order fills now"
	}
	if gives := f.Promise().Of(plan.RoleInput); len(f.Steps) == 1 && len(gives) > 0 && !f.Promise().Payee().IsZero() {
		return "Send " + atMost(gives[0])
	}
	return l.headline()
}

// sessionHeadline returns the headline of a review: from the bytes if f is set, otherwise from the request.
func sessionHeadline(s record.Session, f *plan.Facts) string {
	if f == nil {
		return words.Grouped(words.UpperFirst(listing.Asked(s.Intent)))
	}
	titles := titlesOf(s, len(f.Steps))
	all, summed := sends(f.Steps, s.Account)
	for i, step := range f.Steps {
		if slices.Contains(summed, i) {
			continue
		}
		if about := aboutOf(s, i); about != nil {
			title := words.Whole(about.Title)
			if gives := step.Promise.Of(plan.RoleInput); len(gives) == 1 && len(step.Promise.Of(plan.RoleOutput)) == 0 {
				title = withAmount(title, atMost(gives[0]))
			}
			all = append(all, shortened(words.Grouped(title), about.Holder))
			continue
		}
		all = append(all, stepHeadline(step, titles[i], s.Account))
	}
	return strings.Join(all, "; ")
}

// sends adds up several payments by coin and names all recipients. summed are the indexes of those
// steps.
func sends(steps []plan.StepFacts, own sui.Address) (texts []string, summed []int) {
	var totals []plan.Amount
	var to [][]string
	for i, s := range steps {
		gives, payee := s.Promise.Of(plan.RoleInput), s.Promise.Payee()
		if payee.IsZero() || payee == own || len(gives) != 1 || !gives[0].Exact() || gives[0].Party.IsResult() {
			continue
		}
		a := gives[0].Amount()
		n := slices.IndexFunc(totals, func(t plan.Amount) bool { return t.Asset == a.Asset })
		if n < 0 {
			n, totals, to = len(totals), append(totals, a.Of(0)), append(to, nil)
		}
		totals[n] = a.Of(sui.Raw(plan.AddSaturating(uint64(totals[n].Raw), uint64(a.Raw))))
		if short := words.InShort(payee.String()); !slices.Contains(to[n], short) {
			to[n] = append(to[n], short)
		}
		summed = append(summed, i)
	}
	//mutant:always ./review/web TestHeadlineSumsPayments
	if len(summed) < 2 {
		return nil, nil
	}
	for i, t := range totals {
		texts = append(texts, "Send "+amounts.Of(t).String()+" in all to "+listed(to[i]))
	}
	return texts, summed
}

// listed joins words with commas and "and".
func listed(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// aboutOf returns what a node reported about the object of a step. It returns nil if the bytes
// contain everything about it.
func aboutOf(s record.Session, step int) *plan.Subject {
	if step >= len(s.State.Outlook) {
		return nil
	}
	return s.State.Outlook[step].Subject
}

// subjects lists data that a node reported and that can change until the step executes.
func (l look) subjects(f *plan.Facts) (out []words.Line) {
	for i := range f.Steps {
		about := aboutOf(l.Session, i)
		if about == nil || l.ended() {
			continue
		}
		if !about.Holder.IsZero() {
			out = append(out, words.Line{Name: words.Whole(about.Part), Address: about.Holder.String(),
				Note: "as a node reports"})
		}
		out = append(out, words.Line{Name: "As a node reports", Value: shortened(words.Grouped(words.Whole(about.Says)),
			about.Holder, f.Steps[i].RouteID)})
	}
	return out
}

// titlesOf returns the title of every step.
func titlesOf(s record.Session, steps int) []string {
	title := words.UpperFirst(listing.Asked(s.Intent))
	if h := s.State.HumanReview; h != nil && h.ProposedAction.Title != "" {
		title = words.Whole(h.ProposedAction.Title)
	}
	if titles := strings.Split(title, "; "); len(titles) == steps {
		return titles
	}
	titles := make([]string, steps)
	for i := range titles {
		titles[i] = title
	}
	return titles
}

// stepHeadline describes one step by its promise, or else by its headline or its title.
func stepHeadline(s plan.StepFacts, title string, own sui.Address) string {
	p, h := s.Promise, s.Headline
	gives, gets := p.Of(plan.RoleInput), p.Of(plan.RoleOutput)
	switch to := p.Payee(); {
	case len(gives) > 0 && !to.IsZero():
		return "Send " + atMost(gives[0]) + " to " + words.InShort(to.String())
	case len(gives) > 0 && len(gets) > 0:
		out := gets[0]
		if whole := p.Whole(); whole != out.Amount() {
			out = plan.Arrives(whole) // later steps use parts of it
		}
		text := "Swap " + atMost(gives[0]) + " for " + atLeast(out)
		if !s.Sends.IsZero() && s.Sends != own {
			text += ", sent to " + words.InShort(s.Sends.String())
		}
		return text
	case len(gives) > 0 && s.Holder.New():
		return "Put " + atMost(gives[0]) + " into " + words.Whole(s.Holder.Called())
	case h != nil && h.Amount:
		verb, _, _ := strings.Cut(words.Whole(h.Label), " ")
		text := strings.TrimSpace(verb + " " + words.Figure(words.Whole(h.What)) + " " + words.Grouped(words.Whole(h.Price)))
		if s.Holder.New() {
			text += ", out of " + words.Whole(s.Holder.Called())
		}
		return text
	case h != nil:
		return words.Grouped(words.Whole(strings.TrimSpace(title + ": " + words.LowerFirst(h.What) + " " + h.Price)))
	}
	return words.Grouped(words.Whole(title))
}

// withAmount inserts an amount after the verb of a title without one, as in "Stake with a
// validator".
func withAmount(title, amount string) string {
	verb, rest, _ := strings.Cut(title, " ")
	if preposition, _, _ := strings.Cut(rest, " "); !slices.Contains([]string{"with", "to", "into"}, preposition) {
		return title
	}
	return verb + " " + amount + " " + rest
}

func atMost(b plan.Bound) string {
	if b.Party.IsResult() && b.Party.Part() > 0 {
		return fmt.Sprintf("%s of step %d", atLeast(b), b.Party.Step())
	}
	if b.Party.IsResult() {
		return fmt.Sprintf("all %s of step %d, %s,", words.Whole(b.Coin.Symbol), b.Party.Step(), atLeast(b))
	}
	if b.Exact() {
		return amounts.Of(b.Amount()).String()
	}
	return "up to " + amounts.Rounded(b.Amount(), true)
}

func atLeast(b plan.Bound) string {
	if b.Exact() {
		return amounts.Of(b.Amount()).String()
	}
	return "at least " + amounts.Rounded(b.Amount(), false)
}

// shortened abbreviates addresses. full are those that the page shows in full elsewhere.
func shortened(text string, full ...sui.Address) string {
	for _, a := range full {
		if !a.IsZero() {
			text = strings.ReplaceAll(text, a.String(), words.InShort(a.String()))
		}
	}
	return text
}
