package activity

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Keep is the data stored in one transaction: rows of one known account, and the intervals that are
// covered with them.
type Keep struct {
	Account      sui.Address
	Chain        sui.Digest
	Relationship Relationship
	Rows         []Kept
	Covered      []Interval
}

// Kept is one stored row. It identifies no party but the account: no other owner, sender or payer.
// Detail is nil if none was reported. Incomplete is the reason why the scan that returned the row
// proves no coverage.
type Kept struct {
	Digest       sui.Digest
	Status       sui.PastStatus
	Checkpoint   *uint64
	At           time.Time // zero if it was not reported
	Role         Role
	Completeness Completeness // completeness of Balances
	Balances     []Balance    // all reported changes of the account
	Detail       *Detail
	Incomplete   string
}

// Effect returns the row's effect on the account, in the form that a scan returns.
func (k Kept) Effect() Effect {
	e := Effect{Scope: ScopeRequested, Role: k.Role, Completeness: k.Completeness, Balances: k.Balances,
		Flows: flowsOf(k.Balances), Limitations: []string{}}
	if e.Balances == nil {
		e.Balances = []Balance{}
	}
	if d := k.Detail; d != nil && d.Paid && d.Gas != nil {
		e.GasPaid, e.GasKnown = &d.Gas.Net, true
	}
	switch k.Completeness {
	case Truncated:
		e.Limitations = append(e.Limitations, limitTruncated)
	case Unavailable:
		e.Limitations = append(e.Limitations, limitUnavailable)
	}
	e.report(k.Detail)
	e.judge()
	return e
}

// keptOf returns the part of a transaction that may be stored for an account, or false if nothing
// in the report relates it to the account.
func (l labels) keptOf(owner sui.Address, p sui.PastTransaction, e Effect, reason string) (Kept, bool) {
	if e.Role != RoleSender && len(e.Balances) == 0 {
		return Kept{}, false
	}
	t := l.normalise(p, scanCaps)
	k := Kept{Digest: t.Digest, Status: t.Status, Checkpoint: t.Checkpoint, Role: e.Role, Completeness: e.Completeness,
		Balances: e.Balances, Detail: t.Detail, Incomplete: reason}
	if t.At != nil {
		k.At = *t.At
	}
	if k.Detail != nil {
		k.Detail.Paid = e.GasPaid != nil
		strip(owner, k.Detail)
		if e.Role != RoleSender {
			k.Detail.Report = sui.Report{} // they are another sender's actions
		}
		fit(k.Detail)
	}
	return k, true
}

// strip removes every party except the account.
func strip(owner sui.Address, d *Detail) {
	for i, b := range d.Balances {
		if b.Owner != nil && *b.Owner != owner {
			d.Balances[i].Owner = nil
		}
	}
	for i, e := range d.Events {
		if e.Sender != nil && *e.Sender != owner {
			d.Events[i].Sender = nil
		}
	}
	if d.Failure != nil {
		// The node's message may name anybody. The location of the abort is stored separately.
		d.Failure.Message = withoutAddresses(d.Failure.Message)
	}
}

// itemBytes is the maximum size of an item of a detail as JSON, without its texts. signBytes is the
// maximum size of one character of a text, because JSON escapes HTML characters with six bytes.
const (
	itemBytes = 400
	signBytes = 6
)

// atMost returns an upper bound of a detail's size as JSON. It is faster than encoding.
func (d *Detail) atMost() int {
	items, signs := 4, len(d.Kind)
	for _, c := range d.Calls {
		signs += len(c.Module) + len(c.Function) + len(c.Target)
	}
	for _, b := range d.Balances {
		signs += len(b.Coin)
	}
	for _, o := range d.Objects {
		signs += len(o.Change) + len(o.Type)
	}
	for _, e := range d.Events {
		signs += len(e.Module) + len(e.Type)
	}
	if f := d.Failure; f != nil {
		signs += len(f.Message) + len(f.Module) + len(f.Function)
	}
	items += len(d.Calls) + len(d.Balances) + len(d.Objects) + len(d.Events) + len(d.Shared) + len(d.Report.Actions) +
		len(d.Report.Fees)
	return items*itemBytes + signs*signBytes
}

// fit shortens lists until the detail has at most MostDetail bytes, and marks them as truncated.
func fit(d *Detail) {
	if d.atMost() <= MostDetail {
		return
	}
	for {
		text, err := json.Marshal(d)
		if err != nil || len(text) <= MostDetail {
			return
		}
		switch {
		case halve(&d.Objects, &d.Lists.Objects), halve(&d.Events, &d.Lists.Events), halve(&d.Calls, &d.Lists.Calls),
			halve(&d.Balances, &d.Lists.Balances), halve(&d.Shared, &d.Lists.Shared):
		default:
			d.Failure = nil
			return
		}
	}
}

func halve[T any](list *[]T, c *Completeness) bool {
	if len(*list) == 0 {
		return false
	}
	*list, *c = (*list)[:len(*list)/2], Truncated
	return true
}

// keep stores a walk's rows if its account was connected here. A failure to store is reported in
// the Persistence and does not fail the scan.
func (s *Service) keep(ctx context.Context, w *walk, reason string) (Persistence, error) {
	known, err := s.known(ctx)
	if err != nil {
		return Persistence{}, err
	}
	all := len(w.rows) + w.foreign + w.outside
	if !slices.Contains(known, w.q.Account) {
		return Persistence{Skipped: all, Reason: ReasonUnknownAccount}, nil
	}
	k := Keep{Account: w.q.Account, Relationship: w.q.Relationship, Covered: w.covered()}
	for _, r := range w.rows {
		if kept, ok := s.labels.keptOf(w.q.Account, r.past, r.effect, reason); ok {
			k.Rows = append(k.Rows, kept)
		}
	}
	return s.store(ctx, k, w.chain, all-len(k.Rows))
}

// store stores rows, unless the provider is on a different chain than the node.
func (s *Service) store(ctx context.Context, k Keep, reported sui.ChainMark, skipped int) (Persistence, error) {
	var err error
	if k.Chain, err = s.c.Chain(ctx); err != nil {
		if fault.Is(err, fault.RequestAborted) {
			return Persistence{}, err
		}
		return Persistence{Skipped: skipped + len(k.Rows), Reason: ReasonError}, nil
	}
	if reported.Differs(sui.MarkOf(k.Chain)) {
		return Persistence{Skipped: skipped + len(k.Rows), Reason: ReasonOtherChain}, nil
	}
	known, err := s.c.Store.KeepActivity(ctx, k)
	switch {
	case fault.Is(err, fault.RequestAborted):
		return Persistence{}, err
	case err != nil:
		return Persistence{Skipped: skipped + len(k.Rows), Reason: ReasonStoreFailed}, nil
	case !known:
		return Persistence{Skipped: skipped + len(k.Rows), Reason: ReasonUnknownAccount}, nil
	}
	return Persistence{Stored: true, Count: len(k.Rows), Skipped: skipped}, nil
}

// known returns the addresses of the accounts that were connected here.
func (s *Service) known(ctx context.Context) ([]sui.Address, error) {
	list, err := s.c.Accounts.Known(ctx)
	var out []sui.Address
	for _, k := range list {
		out = append(out, k.Account)
	}
	return out, err
}

var _ Accounts = (*account.Service)(nil)
