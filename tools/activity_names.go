package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// namedDeeds is past activity with the names of the address book.
type namedDeeds struct {
	deeds
	names addressBook
}

// called names an address, or "" if the book has no name for it.
type called func(sui.Address) string

// nobody names no address.
func nobody(sui.Address) string { return "" }

// naming returns the names of the others of transactions: of whoever got something, and of
// the counterparties, which may be nil. A book that AI clients may not read names nobody.
func (p namedDeeds) naming(ctx context.Context, gains []activity.Balance, others ...*sui.Address) called {
	for _, b := range gains {
		others = append(others, b.Owner)
	}
	var asked []string
	for _, o := range others {
		if o != nil {
			asked = append(asked, o.String())
		}
	}
	if len(asked) == 0 || p.names.Readable(ctx) != nil {
		return nobody
	}
	naming, err := p.names.Naming(ctx, asked...)
	if err != nil {
		return nobody
	}
	return func(a sui.Address) string { return naming.Of(a.String()).Called() }
}

// mostGains is how many recipients a row names.
const mostGains = 3

// gainsText says who got what, as in "1 SUI to “Alice” and 2 SUI to 0x7…". A single gain of
// all that left needs no amount.
func gainsText(gains []activity.Balance, out string, name called) string {
	var list []string
	for _, b := range gains[:min(len(gains), mostGains)] {
		who := name(*b.Owner)
		if who == "" {
			who = b.Owner.String()
		}
		what := coinText(b.Amount.Big(), b.Coin)
		if len(gains) == 1 && what == out {
			return " to " + who
		}
		list = append(list, what+" to "+who)
	}
	if more := len(gains) - mostGains; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + joinAnd(list)
}

// joinAnd writes texts as people do: "a", "a and b", "a, b and c".
func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
