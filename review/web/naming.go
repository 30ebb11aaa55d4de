package web

import (
	"context"
	"strings"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/review/plan"
)

// namedAt is an address on a page, and where its name in words goes.
type namedAt struct {
	address string
	words   *string
}

func markLines(lists ...[]line) (out []namedAt) {
	for _, list := range lists {
		for i := range list {
			if list[i].Address != "" {
				out = append(out, namedAt{list[i].Address, &list[i].Named})
			}
		}
	}
	return out
}

// name fills in what the address book says of the addresses of a page, by one reading.
// A book that cannot be read takes no page away: the whole addresses are there.
func (s *Server) name(ctx context.Context, marks []namedAt) { s.nameBy(ctx, marks, names.Name.Words) }

func (s *Server) nameBy(ctx context.Context, marks []namedAt, words func(names.Name) string) {
	if s.Names == nil || len(marks) == 0 {
		return
	}
	var addresses []string
	for _, m := range marks {
		addresses = append(addresses, m.address)
	}
	naming, err := s.Names.Naming(ctx, addresses...)
	if err != nil {
		s.Log.Warn("the address book could not be read for a page", "cause", err)
		return
	}
	for _, m := range marks {
		*m.words = words(naming.Of(m.address))
	}
}

// nameReview names the addresses of a review's page, by the book and by the name that
// was asked for.
func (s *Server) nameReview(ctx context.Context, v *view, asked plan.Intent) {
	marks := markLines(v.Terms, v.Details, v.Technical)
	if v.Deal != nil && v.Deal.Payee != nil {
		marks = append(marks, namedAt{v.Deal.Payee.Address, &v.Deal.Payee.Named})
	}
	if v.Receipt != nil {
		marks = append(marks, markLines(v.Receipt.Happened, v.Receipt.Holds, v.Receipt.Lines)...)
	}
	marks = append(marks, v.Stepped.marks()...)
	words := names.Name.Words
	//mutant:never ./review/web TestTheFirstReceipt
	if v.Receipt != nil || v.Stage == stageSuccess {
		words = names.Name.Afterwards
	}
	s.nameBy(ctx, marks, words)
	for _, in := range asked.Each() {
		for _, m := range marks {
			if in.RecipientName != "" && m.address == in.Recipient {
				*m.words = strings.TrimSpace("Found under the name " + in.RecipientName + " (SuiNS). " + *m.words)
			}
		}
	}
}
