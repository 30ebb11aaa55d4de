package activity

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Span is a time range of one account's stored rows: from Since, inclusive, to Until, exclusive.
// Zero means no bound. A row without a time belongs only to a span without bounds.
type Span struct {
	Account      sui.Address
	Since, Until time.Time
}

// Stored is the stored data for a span: the latest rows, counts of all rows, and the account's
// covered intervals.
type Stored struct {
	Rows       []Kept
	Count      int
	Succeeded  int
	Failed     int
	Unknown    int
	Incomplete int // rows from incomplete scans
	Earliest   time.Time
	Latest     time.Time
	Covered    []Interval // covered for affected transactions
}

// StoredRow is one stored transaction in an answer.
type StoredRow struct {
	Transaction
	Role       Role     `json:"role"`
	Effect     Effect   `json:"requestedAccountEffect"`
	Compact    *Compact `json:"compact,omitempty"`
	Incomplete string   `json:"lastScanIncompleteReason,omitempty"`
	Lookup     Lookup   `json:"detailLookup"`
}

// clockSlack is the tolerated lead of chain time over this computer's clock.
const clockSlack = time.Minute

// Coverage is the degree to which stored scans cover a span.
type Coverage string

// Degrees of coverage.
const (
	CoverageComplete Coverage = "complete"
	CoveragePartial  Coverage = "partial"
	CoverageNone     Coverage = "no_stored_scans"
)

// Summary summarizes stored rows of one account, without any request to a provider.
type Summary struct {
	Known     bool // the account was connected here
	Stored    Stored
	Rows      []StoredRow
	Available Availability
	Requested Requested
	Analysis  Analysis
	Coverage  Coverage
}

// Summarize summarizes the stored data for a span. Summary.Rows contains up to
// most rows.
func (s *Service) Summarize(ctx context.Context, span Span, most int) (Summary, error) {
	known, err := s.isKnown(ctx, span.Account)
	if err != nil {
		return Summary{}, err
	}
	stored, err := s.c.Store.Activity(ctx, span, most)
	if err != nil {
		return Summary{}, err
	}
	out := Summary{Known: known, Stored: stored, Rows: []StoredRow{}, Coverage: coverage(stored.Covered, span, s.c.Now()),
		Requested: Requested{Account: span.Account, Completeness: Complete}}
	var all []Transaction
	var flows tally
	for _, k := range stored.Rows {
		t := k.transaction()
		effect := k.Effect()
		out.Rows = append(out.Rows, StoredRow{Transaction: t, Role: k.Role, Effect: effect, Compact: s.compactOf(k.Detail),
			Incomplete: k.Incomplete, Lookup: Lookup{InspectTool, k.Digest}})
		out.Available.count(k.Detail != nil)
		out.Requested.count(effect, &flows)
		all = append(all, t)
	}
	out.Requested.Flows = flows.flows()
	var notes []string
	if stored.Incomplete > 0 {
		notes = append(notes, LimitStored)
	}
	out.Analysis = s.analyse(all, stored.Count, notes...)
	return out, nil
}

func (s *Service) isKnown(ctx context.Context, account sui.Address) (bool, error) {
	known, err := s.known(ctx)
	for _, k := range known {
		if k == account {
			return true, err
		}
	}
	return false, err
}

// transaction converts a stored row. It omits the sender, which is known only if it is the account
// itself.
func (k Kept) transaction() Transaction {
	t := Transaction{Digest: k.Digest, Status: k.Status, Checkpoint: k.Checkpoint, Detail: k.Detail}
	if !k.At.IsZero() {
		at := k.At.UTC()
		t.At = &at
	}
	return t
}

// coverage compares a span with the covered intervals. A span without an end ends now. If the chain
// was seen at a time later than this computer's clock, coverage up to now is unknown.
func coverage(list []Interval, span Span, now time.Time) Coverage {
	until := span.Until
	behind := span.Until.IsZero() && slices.ContainsFunc(list,
		func(i Interval) bool { return i.Until > milli(now.Add(clockSlack)) })
	if until.IsZero() {
		until = now
	} else {
		until = until.Add(-millisecond)
	}
	switch {
	case !behind && Covers(list, span.Since, until):
		return CoverageComplete
	case len(list) > 0:
		return CoveragePartial
	}
	return CoverageNone
}
