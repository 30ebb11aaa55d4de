package tools

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// namedDeeds is what happened, told with the names of the address book.
type namedDeeds struct {
	deeds
	names addressBook
}

// whom returns for the counterparty of every transaction, nil for none, what adds to the
// words whom the account paid, or who paid it, where the book has the address. A book that the person keeps to
// themselves names nobody.
func (p namedDeeds) whom(ctx context.Context, others ...*sui.Address) []func(what string) string {
	var asked []string
	for _, o := range others {
		if o != nil {
			asked = append(asked, o.String())
		}
	}
	out := make([]func(string) string, len(others))
	for i := range out {
		out[i] = func(what string) string { return what }
	}
	if len(asked) == 0 || p.names.Readable(ctx) != nil {
		return out
	}
	naming, err := p.names.Naming(ctx, asked...)
	if err != nil {
		return out
	}
	for i, o := range others {
		if o == nil {
			continue
		}
		called := naming.Of(o.String()).Called()
		if called == "" {
			continue
		}
		out[i] = func(what string) string {
			switch {
			case strings.HasPrefix(what, "sent "):
				return what + " to " + called
			case strings.HasPrefix(what, "received "):
				return what + " from " + called
			}
			return what
		}
	}
	return out
}
