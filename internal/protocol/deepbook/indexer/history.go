package indexer

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

// MostCandles is the maximum number of intervals in a history.
const MostCandles = 500

// settling is how long an interval's candle may still change after the interval ends, because the
// indexer aggregates trades on its own schedule.
const settling = time.Minute

// Span selects candles. To is exclusive; zero means now. A zero From means Most intervals before To.
type Span struct {
	Pool     string // key in the pinned registry
	Interval Interval
	From, To time.Time
	Most     int // intervals, 1 to MostCandles
}

// Gap is a run of completed intervals without a candle: either nothing was traded, or the indexer lost
// the data.
type Gap struct {
	From, To  time.Time
	Intervals int
}

// Source describes the indexer's state for an answer. Candles that close after Final can still change.
type Source struct {
	Pool           registry.Pool
	IndexerName    string // the indexer's name of the pool
	IndexedThrough time.Time
	Final          time.Time
	At             time.Time // when this machine received the answer
}

// History holds the candles of a span that was widened to whole intervals.
type History struct {
	Source
	Interval Interval
	From, To time.Time // completed intervals that were read
	Clipped  bool      // the span extended into the future and was cut at now
	Next     time.Time // start of the next page; zero if nothing was cut off
	Candles  []Candle  // oldest first
	Gaps     []Gap
}

// Missing returns fixed texts that explain why a history is incomplete. It is empty if every interval
// of the span has a final candle.
func (h History) Missing() []string {
	reasons := []string{}
	if len(h.Gaps) > 0 {
		reasons = append(reasons, "intervals_without_candle")
	}
	if h.To.After(h.At) {
		reasons = append(reasons, "running_interval")
	}
	over := h.Interval.Open(h.At) // end of the last completed interval
	if h.To.Before(over) {
		over = h.To
	}
	if over.After(h.From) && over.After(h.Final) {
		reasons = append(reasons, "intervals_not_yet_settled")
	}
	if !h.Next.IsZero() {
		reasons = append(reasons, "cut_at_limit")
	}
	return reasons
}

// History reads past candles. It returns fault.RegistryMiss for a pool that is not pinned, and
// fault.InputInvalid for a span that is empty or in the future.
func (c *Client) History(ctx context.Context, s Span) (History, error) {
	pool, err := registry.FindPool(s.Pool)
	if err != nil {
		return History{}, err
	}
	h, err := c.plan(s)
	if err != nil {
		return History{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if h.Source, err = c.source(ctx, pool); err != nil {
		return History{}, err
	}
	if h.Candles, err = c.candles(ctx, h.IndexerName, h.Interval, h.From, h.To); err != nil {
		return History{}, err
	}
	h.At = c.now().UTC()
	h.mark()
	return h, nil
}

// plan widens a span to whole intervals and limits its length.
func (c *Client) plan(s Span) (History, error) {
	length := s.Interval.Length()
	if length == 0 || s.Most < 1 || s.Most > MostCandles {
		return History{}, fault.New(fault.InputInvalid,
			"The interval is unknown, or the number of candles is out of range.")
	}
	now := c.now().UTC()
	h := History{Interval: s.Interval, Clipped: s.To.After(now)}
	end := s.To
	if end.IsZero() || h.Clipped {
		end = now
	}
	h.To = s.Interval.Open(end)
	if h.To.Before(end) {
		h.To = h.To.Add(length)
	}
	h.From = h.To.Add(-time.Duration(s.Most) * length)
	if !s.From.IsZero() {
		if !s.From.Before(end) {
			return History{}, fault.New(fault.InputInvalid,
				"The span is empty: from must be before to and before now, %s.", now.Format(time.RFC3339)).With("field", "from")
		}
		h.From = s.Interval.Open(s.From)
	}
	if most := h.From.Add(time.Duration(s.Most) * length); most.Before(h.To) {
		h.To, h.Next = most, most
	}
	return h, nil
}

// source reads the time up to which candles are final. Call it before reading candles, so that no
// candle is considered final too early.
func (c *Client) source(ctx context.Context, pool registry.Pool) (Source, error) {
	name, err := c.name(ctx, pool)
	if err != nil {
		return Source{}, err
	}
	through, err := c.Indexed(ctx)
	if err != nil {
		return Source{}, err
	}
	return Source{Pool: pool, IndexerName: name, IndexedThrough: through, Final: through.Add(-settling)}, nil
}

// mark sets Final on candles and lists the gaps between them.
func (h *History) mark() {
	length, next := h.Interval.Length(), 0
	for at := h.From; at.Before(h.To); at = at.Add(length) {
		final := !at.Add(length).After(h.Final)
		if next < len(h.Candles) && h.Candles[next].Opens.Equal(at) {
			h.Candles[next].Final = final
			next++
			continue
		}
		if !final {
			continue
		}
		if last := len(h.Gaps) - 1; last >= 0 && h.Gaps[last].To.Equal(at) {
			h.Gaps[last].To = at.Add(length)
			h.Gaps[last].Intervals++
			continue
		}
		h.Gaps = append(h.Gaps, Gap{From: at, To: at.Add(length), Intervals: 1})
	}
}
