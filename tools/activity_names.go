package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// namedActivity reads past transactions and the address book, which has names for addresses.
type namedActivity struct {
	activityReader
	names addressBook
}

// called returns the name of an address, or "" if it has none.
type called func(sui.Address) string

// nobody is a called that knows no names.
func nobody(sui.Address) string { return "" }

// naming returns a function for the names of recipients and of the other addresses, which may be
// nil. If AI clients may not read the address book, it returns nobody.
func (p namedActivity) naming(ctx context.Context, gains []activity.Balance, others ...*sui.Address) called {
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

// mostGains is the maximum number of recipients that a row lists.
const mostGains = 3

// gainsText lists amounts and recipients, as in "1 SUI to “Alice” and 2 SUI to 0x7…". It omits the
// amount if a single recipient got everything that left the account.
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

// joinAnd joins texts with commas and "and", as in "a, b and c".
func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
