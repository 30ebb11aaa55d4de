package listing

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Mark is an address on a page. Name stores the address's name in *Words.
type Mark struct {
	Address string
	Words   *string
}

// Marks returns the addresses in lines.
func Marks(lists ...[]words.Line) (out []Mark) {
	for _, list := range lists {
		for i := range list {
			if list[i].Address != "" {
				out = append(out, Mark{list[i].Address, &list[i].Named})
			}
		}
	}
	return out
}

// Name fills in the names of addresses. If the address book cannot be read, the page shows
// addresses without names.
func (l *Lists) Name(ctx context.Context, marks []Mark) { l.NameBy(ctx, marks, book.Name.Words) }

// NameBy is Name with another format for names.
func (l *Lists) NameBy(ctx context.Context, marks []Mark, words func(book.Name) string) {
	if len(marks) == 0 {
		return
	}
	var addresses []string
	for _, m := range marks {
		addresses = append(addresses, m.Address)
	}
	naming, err := l.Book.Naming(ctx, addresses...)
	if err != nil {
		l.Log.Warn("the address book could not be read for a page", "cause", err)
		return
	}
	for _, m := range marks {
		*m.Words = words(naming.Of(m.Address))
	}
}

// PaidWords describes how often an address was paid.
func PaidWords(p record.Payments) string {
	text := "paid once"
	if p.Times > 1 {
		text = fmt.Sprintf("paid %d times", p.Times)
	}
	switch {
	case p.Last != "" && p.Times > 1:
		text += ", last " + words.Grouped(words.Whole(p.Last))
	case p.Last != "":
		text += ", " + words.Grouped(words.Whole(p.Last))
	}
	return text
}
