package activity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// row is one transaction with its effect on the account.
type row struct {
	past   sui.PastTransaction
	effect Effect
}

// Reasons why a scan proves no coverage, or why it ended early.
const (
	ReasonOrdering = "ordering_unverified"
	ReasonRepeats  = "provider_repeats_itself"
	ReasonForeign  = "provider_returned_foreign_rows"
	ReasonError    = "provider_error"
	ReasonPages    = "page_limit_reached"
	ReasonLimit    = "limit_reached"
	ReasonGone     = "older_than_provider_retention"
	ReasonNetwork  = "provider_changed_network"
	ReasonLies     = "provider_contradicts_itself"
)

// walk is a scan in progress. It combines pages of the provider.
type walk struct {
	q        Query
	source   Source
	begin    place
	from, to *uint64        // window in checkpoints
	has      *sui.PastRange // the provider's range; nil if unknown

	rows    []row
	seen    map[sui.Digest]bool
	order   []sui.PastTransaction // all rows in the order received, without detail
	next    string                // the provider's token for older pages; "" at the end
	pages   int
	foreign int    // rows of another sender
	outside int    // rows outside the window
	stop    string // why the walk ended early
	past    bool   // a row older than the window was received
	chain   sui.ChainMark
}

// run requests pages until there are enough rows, there are no more, or the provider stops making
// progress. It returns an error only if the first page fails. A later failure ends the scan with
// the rows so far.
func (w *walk) run(ctx context.Context) error {
	tokens := map[string]bool{w.begin.token: true}
	token := w.begin.token
	for len(w.rows) < w.q.Limit {
		if w.pages == MostPages {
			w.stop = ReasonPages
			break
		}
		most := min(PageSize, w.q.Limit-len(w.rows))
		page, err := w.source.Transactions(ctx, w.q.past(w.from, w.to, token, most))
		switch {
		case err != nil && (w.pages == 0 || fault.Is(err, fault.RequestAborted)):
			return w.refused(err)
		case err != nil:
			w.stop, w.next = stopped(err), token
			return nil
		case w.chain.Differs(page.Chain):
			w.stop, w.next = ReasonNetwork, ""
			return nil
		case len(page.Transactions) > most:
			return fault.New(fault.ProviderMismatch,
				"The provider was asked for at most %d transactions and gave %d. Nothing was concluded from them.", most,
				len(page.Transactions))
		}
		if w.pages++; page.Chain != (sui.ChainMark{}) {
			w.chain = page.Chain
		}
		fresh := w.take(page.Transactions)
		w.next = page.Cursor
		if page.Cursor == "" {
			break
		}
		if tokens[page.Cursor] || (len(page.Transactions) > 0 && fresh == 0) {
			w.stop, w.next = ReasonRepeats, ""
			break
		}
		if w.past {
			break
		}
		tokens[page.Cursor] = true
		token = page.Cursor
	}
	slices.SortStableFunc(w.rows, func(a, b row) int { return newer(a.past, b.past) })
	return nil
}

// stopped returns the reason that corresponds to the error of a later page. The rows of earlier
// pages remain valid.
func stopped(err error) string {
	switch {
	case fault.Is(err, fault.NetworkMismatch):
		return ReasonNetwork
	case fault.Is(err, fault.ProviderMismatch):
		return ReasonLies
	}
	return ReasonError
}

// refused replaces err if the provider no longer accepts the caller's cursor.
func (w *walk) refused(err error) error {
	if w.begin.token != "" && (fault.Is(err, fault.ProviderRefused) || fault.Is(err, fault.InputInvalid)) {
		return fault.Wrap(err, fault.InputInvalid, "The provider no longer accepts this cursor. Omit it to start over. "+
			"Until then, older transactions are unknown.").With("field", "cursor")
	}
	return err
}

// take adds the rows of a page and returns the number of transactions not seen before.
func (w *walk) take(list []sui.PastTransaction) (fresh int) {
	for _, t := range list {
		if w.seen[t.Digest] {
			continue
		}
		w.seen[t.Digest] = true
		fresh++
		w.order = append(w.order, sui.PastTransaction{Checkpoint: t.Checkpoint, Timestamp: t.Timestamp})
		if w.q.Relationship == Sent && (t.Sender == nil || *t.Sender != w.q.Account) {
			w.foreign++
			continue
		}
		if !w.within(t) {
			w.outside++
			continue
		}
		w.rows = append(w.rows, row{t, effectOn(w.q.Account, t)})
	}
	return fresh
}

// within reports whether a row is in the window, according to its own checkpoint and time. A row
// that is older than the window ends the walk.
func (w *walk) within(t sui.PastTransaction) bool {
	if t.Checkpoint != nil {
		if w.from != nil && *t.Checkpoint < *w.from {
			w.past = true
			return false
		}
		if w.to != nil && *t.Checkpoint > *w.to {
			return false
		}
	}
	if t.Timestamp.IsZero() {
		return true
	}
	if !w.q.Since.IsZero() && t.Timestamp.Before(w.q.Since) {
		w.past = true
		return false
	}
	return w.q.Until.IsZero() || !t.Timestamp.After(w.q.Until)
}

// newer orders rows by checkpoint and then by time, newest first. Rows without these values keep
// their place.
func newer(a, b sui.PastTransaction) int {
	if a.Checkpoint != nil && b.Checkpoint != nil && *a.Checkpoint != *b.Checkpoint {
		return cmp.Compare(*b.Checkpoint, *a.Checkpoint)
	}
	if a.Timestamp.IsZero() || b.Timestamp.IsZero() {
		return 0
	}
	return b.Timestamp.Compare(a.Timestamp)
}

// ordered reports whether the rows were received in order, newest first.
func (w *walk) ordered() bool {
	if w.stop == ReasonRepeats {
		return false
	}
	list := w.order
	if w.begin.token != "" {
		last := w.begin.last
		list = append([]sui.PastTransaction{{Checkpoint: &last, Timestamp: time.UnixMilli(w.begin.lastAt)}}, list...)
	}
	for i, t := range list {
		if t.Checkpoint == nil && t.Timestamp.IsZero() {
			return false
		}
		if i == 0 {
			continue
		}
		before := list[i-1]
		if t.Checkpoint != nil && before.Checkpoint != nil && *t.Checkpoint > *before.Checkpoint {
			return false
		}
		if !t.Timestamp.IsZero() && !before.Timestamp.IsZero() && t.Timestamp.After(before.Timestamp) {
			return false
		}
	}
	return true
}

// judge reports whether the window is covered, and why not. complete is nil if the query has no
// lower bound.
func (w *walk) judge() (complete *bool, reason string) {
	yes, no := true, false
	reached := w.next == "" && w.stop == "" || w.past
	switch {
	case w.stop == ReasonRepeats:
		return &no, ReasonRepeats
	case w.foreign > 0:
		return &no, ReasonForeign
	case !w.ordered():
		return &no, ReasonOrdering
	case w.stop != "":
		return &no, w.stop
	case reached && w.gone():
		return &no, ReasonGone
	case reached:
		return &yes, ""
	case !w.q.bounded():
		return nil, ""
	}
	return &no, ReasonLimit
}

// gone reports whether the window begins before the provider's data.
func (w *walk) gone() bool {
	if w.has == nil || w.has.First.Number == 0 || w.past {
		return false
	}
	return (w.from != nil && *w.from < w.has.First.Number) ||
		(!w.q.Since.IsZero() && w.q.Since.Before(w.has.First.Time) && w.q.From == nil)
}

// after returns the cursor for older rows, or "" if there are none.
func (w *walk) after(stored bool) string {
	if w.next == "" || w.past {
		return ""
	}
	p := place{from: w.from, to: w.to, token: w.next, stored: stored, last: w.begin.last, lastAt: w.begin.lastAt}
	if w.begin.token == "" && len(w.order) == 0 {
		p.last, p.lastAt = lastCheckpoint, lastMoment
	}
	for _, t := range w.order {
		if t.Checkpoint != nil {
			p.last = min(*t.Checkpoint, cmp.Or(p.last, *t.Checkpoint))
		}
		if !t.Timestamp.IsZero() {
			p.lastAt = min(milli(t.Timestamp), cmp.Or(p.lastAt, milli(t.Timestamp)))
		}
	}
	return p.cursor(w.q)
}

// The position before every row, for a scan whose pages were all empty.
const (
	lastCheckpoint uint64 = 1<<63 - 1
	lastMoment     int64  = 1<<62 - 1
)
