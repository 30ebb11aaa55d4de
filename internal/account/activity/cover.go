package activity

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Interval is a range of checkpoints in which every transaction that concerns an account is stored.
// Since and Until are in milliseconds: everything that happened between them, inclusive, is in the
// range. A Since of 0 is the beginning of the chain.
type Interval struct {
	From  uint64 `json:"fromCheckpoint,string"`
	To    uint64 `json:"toCheckpoint,string"`
	Since int64  `json:"since"`
	Until int64  `json:"until"`
}

// Values of Since and Until for unknown times. An interval with one of them covers no time.
const (
	SinceUnknown int64 = math.MaxInt64
	UntilUnknown int64 = -1
)

// milli returns a time in milliseconds, or 0 for the zero time.
func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Merge joins intervals that overlap or are adjacent, and sorts them.
func Merge(list []Interval) []Interval {
	list = slices.DeleteFunc(slices.Clone(list), func(i Interval) bool { return i.From > i.To })
	slices.SortFunc(list, func(a, b Interval) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	var out []Interval
	for _, i := range list {
		if n := len(out) - 1; n >= 0 && (i.From <= out[n].To || i.From == out[n].To+1) {
			out[n].join(i)
			continue
		}
		out = append(out, i)
	}
	return out
}

// join extends i by an interval that begins inside it or directly after it.
func (i *Interval) join(other Interval) {
	if other.From == i.From {
		i.Since = min(i.Since, other.Since)
	}
	switch {
	case other.To > i.To:
		i.To, i.Until = other.To, other.Until
	case other.To == i.To:
		i.Until = max(i.Until, other.Until)
	}
}

// Covers reports whether one of the intervals contains the whole span, inclusive.
func Covers(list []Interval, since, until time.Time) bool {
	return slices.ContainsFunc(list, func(i Interval) bool { return i.Since <= milli(since) && i.Until >= milli(until) })
}

// covered returns the intervals that a scan proves to be complete: the range between its bounds,
// without the checkpoints of rows whose balance changes are incomplete.
func (w *walk) covered() []Interval {
	if !w.proves() {
		return nil
	}
	upper, lower := w.upper(), w.lower()
	if upper.To < lower.From {
		return nil
	}
	out := []Interval{}
	open := Interval{To: upper.To, Until: upper.Until}
	for _, r := range w.rows {
		if r.effect.Completeness == Complete {
			continue
		}
		at := *r.past.Checkpoint
		if at < open.To {
			out = append(out, Interval{From: at + 1, To: open.To, Since: milli(r.past.Timestamp) + 1, Until: open.Until})
		}
		if at == 0 {
			return out
		}
		open = Interval{To: at - 1, Until: milli(r.past.Timestamp) - 1}
	}
	open.From, open.Since = lower.From, lower.Since
	if open.From <= open.To {
		out = append(out, open)
	}
	return out
}

// proves reports whether the scan proves that rows are complete, rather than only that they exist.
func (w *walk) proves() bool {
	if w.q.Function != "" || w.foreign > 0 || w.stop == ReasonNetwork || w.stop == ReasonLies || !w.ordered() {
		return false
	}
	return !slices.ContainsFunc(w.rows, func(r row) bool { return r.past.Checkpoint == nil || r.past.Timestamp.IsZero() })
}

// upper returns the end of the scanned range.
func (w *walk) upper() Interval {
	switch {
	case w.begin.token != "" && w.begin.stored:
		return Interval{To: w.begin.last, Until: w.begin.lastAt - 1}
	case w.begin.token != "" && w.begin.last == 0:
		return Interval{From: 1, Until: UntilUnknown}
	case w.begin.token != "":
		return Interval{To: w.begin.last - 1, Until: w.begin.lastAt - 1}
	}
	end := Interval{Until: UntilUnknown}
	if len(w.rows) > 0 {
		end = Interval{To: *w.rows[0].past.Checkpoint, Until: milli(w.rows[0].past.Timestamp) - 1}
	}
	if w.has != nil {
		tip := w.has.Last
		if tip.Number >= end.To {
			end = Interval{To: tip.Number, Until: milli(tip.Time) - 1}
		}
		if w.to != nil && *w.to <= tip.Number {
			end = Interval{To: *w.to, Until: UntilUnknown}
			if !w.q.Until.IsZero() && w.q.To == nil {
				end.Until = min(milli(w.q.Until), milli(tip.Time)-1)
			}
		}
	}
	return end
}

// lower returns the beginning of the scanned range.
func (w *walk) lower() Interval {
	if w.next != "" && len(w.rows) > 0 {
		last := w.rows[len(w.rows)-1].past
		return Interval{From: *last.Checkpoint + 1, Since: milli(last.Timestamp) + 1}
	}
	if w.next != "" || w.stop != "" {
		return Interval{From: math.MaxUint64, Since: SinceUnknown}
	}
	low := Interval{}
	if w.from != nil {
		low = Interval{From: *w.from, Since: SinceUnknown}
		switch {
		case *w.from == 0:
			low.Since = 0
		case w.q.From == nil && !w.q.Since.IsZero():
			low.Since = milli(w.q.Since)
		case len(w.rows) > 0:
			low.Since = milli(w.rows[len(w.rows)-1].past.Timestamp) + 1
		}
	}
	switch {
	case w.has == nil && w.from == nil:
		return Interval{From: math.MaxUint64, Since: SinceUnknown} // it is unknown where the provider's data begins
	case w.has != nil && w.has.First.Number > low.From:
		low = Interval{From: w.has.First.Number, Since: milli(w.has.First.Time) + 1}
	}
	return low
}
