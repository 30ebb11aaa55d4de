package web

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// nameHeadline fills in the names for the headline: those of recipients, and of an address that another
// one imitates.
func (p *Reviews) nameHeadline(ctx context.Context, l *look) {
	var to []string
	if both := mistaken(l.Session); both != nil {
		to = append(to, both.Other)
	}
	if f := l.facts(); f != nil {
		for _, s := range f.Steps {
			if payee := s.Promise.Payee(); !payee.IsZero() {
				to = append(to, payee.String())
			}
		}
	}
	called, marks := make([]string, len(to)), make([]listing.Mark, len(to))
	for i := range to {
		marks[i] = listing.Mark{Address: to[i], Words: &called[i]}
	}
	p.Lists.NameBy(ctx, marks, names.Name.Called)
	l.named = map[string]string{}
	for i := range to {
		l.named[to[i]] = called[i]
	}
}

// nameReview names the addresses on a review's page, using the address book and the requested name.
func (p *Reviews) nameReview(ctx context.Context, v *view, asked plan.Intent) {
	marks := listing.Marks(v.Terms, v.Details, v.Technical)
	if v.Deal != nil {
		for i := range v.Deal.Payees {
			marks = append(marks, listing.Mark{Address: v.Deal.Payees[i].Address, Words: &v.Deal.Payees[i].Named})
		}
	}
	if v.Receipt != nil {
		marks = append(marks, listing.Marks(v.Receipt.Happened, v.Receipt.Holds)...)
		if to := v.Receipt.Payee; to != nil {
			marks = append(marks, listing.Mark{Address: to.Address, Words: &to.Named})
		}
	}
	if v.Order != nil {
		marks = append(marks, listing.Marks(v.Order.Terms)...)
	}
	marks = append(marks, v.Stepped.marks()...)
	if v.Collect != nil {
		for i := range v.Collect.Members {
			m := &v.Collect.Members[i]
			marks = append(marks, listing.Mark{Address: m.Address, Words: &m.Named})
		}
	}
	words := names.Name.Words
	//mutant:never ./review/web TestTheFirstReceipt
	if v.Receipt != nil || v.Stage == stageSuccess {
		words = names.Name.Afterwards
	}
	p.Lists.NameBy(ctx, marks, words)
	for _, in := range asked.Each() {
		for _, m := range marks {
			if in.RecipientName != "" && m.Address == in.Recipient {
				*m.Words = strings.TrimSpace("Found under the name " + in.RecipientName + " (SuiNS). " + *m.Words)
			}
		}
	}
}

// sourceOf returns a lookup of functions in the registered projects.
func (p *Reviews) sourceOf(ctx context.Context) source {
	return func(pkg sui.Address, module, function string) string {
		place, ok := p.Locate(ctx, pkg.String(), module, function)
		switch {
		case !ok:
			return ""
		case place.File == "":
			return "the package " + words.Whole(place.Package) + " of your project " + place.Project
		}
		return words.Whole(place.File) + ":" + strconv.Itoa(place.Line) + " in your project " + place.Project
	}
}

// place looks up a function if f is not nil.
func (f source) place(pkg sui.Address, module, function string) string {
	if f == nil {
		return ""
	}
	return f(pkg, module, function)
}

// met fills in how often the recipient of a payment was paid before.
func (p *Reviews) met(ctx context.Context, v *view) error {
	var to *payee
	switch {
	case v.Receipt != nil && v.Receipt.Payee != nil:
		to = v.Receipt.Payee
	case v.Deal != nil && len(v.Deal.Payees) == 1 && v.Deal.Payees[0].Known:
		to = &v.Deal.Payees[0]
	default:
		return nil
	}
	paid, err := p.Payments(ctx, []string{to.Address})
	if err != nil {
		return err
	}
	switch before := paid[to.Address]; {
	//mutant:never ./review/web TestTheFirstReceipt
	case before.Times == 1 && v.Receipt != nil:
		to.Note = "Your first payment to this address"
	case before.Times > 0:
		to.Note = words.UpperFirst(listing.PaidWords(before))
	}
	return nil
}

// quietRequests is the number of requests in ten minutes that need no notice.
const quietRequests = 2

// Nth counts an account's requests in the ten minutes before a time.
type Nth func(ctx context.Context, account sui.Address, at time.Time) (int, error)

// words describes the count for an account, such as "3rd request in ten minutes". It returns ""
// if there were few.
func (count Nth) words(ctx context.Context, account sui.Address, at time.Time) (string, error) {
	if account.IsZero() {
		return "", nil
	}
	n, err := count(ctx, account, at)
	if err != nil || n <= quietRequests {
		return "", err
	}
	return fmt.Sprintf("This is the %d%s request in ten minutes for this account.", n, ordinal(n)), nil
}

// ordinal returns the suffix of an ordinal number, such as "th".
func ordinal(n int) string {
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}
