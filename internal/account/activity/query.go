package activity

import (
	"math"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Relationship selects transactions by an account's relationship to them.
type Relationship string

// The relationships. An account is affected by a transaction if it appears in the effects. It is
// always affected by the transactions that it sent.
const (
	Affected Relationship = "affected"
	Sent     Relationship = "sent"
)

// Values lists the valid values.
func (Relationship) Values() []string { return []string{string(Affected), string(Sent)} }

// Query describes one bounded scan, newest first. Bounds are inclusive; nil and zero mean no bound.
// Function has the form package::module::function and implies Sent. Cursor comes from an earlier
// scan with the same query.
type Query struct {
	Account      sui.Address
	Relationship Relationship
	Function     string
	Limit        int
	Cursor       string
	From, To     *uint64 // bounds in checkpoints
	Since, Until time.Time
}

// check validates a query and normalizes its function's address.
func (q *Query) check() error {
	if q.Limit < 1 || q.Limit > MostRows {
		return bad("limit", "limit is a whole number from 1 to %d.", MostRows)
	}
	return q.checkWindow()
}

// Check returns fault.InputInvalid if the query is invalid. It ignores the limit.
func (q Query) Check() error {
	if err := q.checkWindow(); err != nil {
		return err
	}
	_, err := q.place()
	return err
}

func (q *Query) checkWindow() error {
	if q.Relationship != Affected && q.Relationship != Sent {
		return bad("relationship", "relationship is %s or %s.", Affected, Sent)
	}
	for field, n := range map[string]*uint64{"fromCheckpoint": q.From, "toCheckpoint": q.To} {
		if n != nil && *n > math.MaxInt64-1 {
			return bad(field, "%s is larger than any checkpoint.", field)
		}
	}
	if q.From != nil && q.To != nil && *q.From > *q.To {
		return bad("fromCheckpoint", "fromCheckpoint %d is after toCheckpoint %d: no checkpoint is in that window.", *q.From,
			*q.To)
	}
	if !q.Since.IsZero() && !q.Until.IsZero() && q.Since.After(q.Until) {
		return bad("fromTimestamp", "fromTimestamp is after toTimestamp: no moment is in that window.")
	}
	if q.Function == "" {
		return nil
	}
	full, err := functionTarget(q.Function)
	if err != nil {
		return err
	}
	q.Function, q.Relationship = full, Sent
	return nil
}

func bad(field, text string, args ...any) error {
	return fault.New(fault.InputInvalid, text, args...).With("field", field)
}

// functionTarget validates package::module::function and expands the package to a full address. It
// returns fault.InputInvalid for any other form.
func functionTarget(s string) (string, error) {
	const form = "function must be exactly package::module::function, as in 0x2::coin::split"
	if strings.ContainsAny(s, "<>") {
		return "", bad("function", "%s: without type arguments.", form)
	}
	parts := strings.Split(s, "::")
	switch len(parts) {
	case 1:
		return "", bad("function", "%s. A package alone cannot be scanned for.", form)
	case 2:
		return "", bad("function", "%s. A whole module cannot be scanned for.", form)
	case 3:
	default:
		return "", bad("function", "%s. This has %d parts.", form, len(parts))
	}
	id, err := sui.ParseAddress(parts[0])
	if err != nil {
		return "", bad("function", "%s. The package is 0x and 1 to 64 hexadecimal digits; names are not resolved.", form)
	}
	if !sui.ValidIdentifier(parts[1]) || !sui.ValidIdentifier(parts[2]) {
		return "", bad("function", "%s. Module and function are identifiers of letters, digits and underscores.", form)
	}
	return id.String() + "::" + parts[1] + "::" + parts[2], nil
}

// past converts q to a query for the provider.
func (q Query) past(from, to *uint64, cursor string, most int) sui.PastQuery {
	p := sui.PastQuery{Function: q.Function, From: from, To: to, Cursor: cursor, Most: most}
	account := q.Account
	if q.Relationship == Sent {
		p.Sent = &account
	} else {
		p.Affected = &account
	}
	return p
}

// bounded reports whether the query has a lower bound.
func (q Query) bounded() bool { return q.From != nil || !q.Since.IsZero() }
