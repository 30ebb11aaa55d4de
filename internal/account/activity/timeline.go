package activity

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// CoinChange is a stored transaction's change of one of the account's coins.
type CoinChange struct {
	Digest sui.Digest
	At     time.Time
	Coin   sui.CoinType
	Amount *big.Int
}

// Flows contains the stored changes in a span, latest first. Count is the number of all stored rows
// in the span, and Uncertain the number of those with incomplete changes. Covered contains the
// account's covered intervals.
type Flows struct {
	Changes   []CoinChange
	Count     int
	Uncertain int
	Covered   []Interval
}

// Bucket is the length of one bar of a timeline.
type Bucket string

// The lengths. Buckets are aligned to UTC hours and days.
const (
	QuarterHour Bucket = "15m"
	Hour        Bucket = "1h"
	Day         Bucket = "1d"
	Week        Bucket = "1w"
)

// Values lists the valid values.
func (Bucket) Values() []string {
	return []string{string(QuarterHour), string(Hour), string(Day), string(Week)}
}

// Length returns the duration of a bucket.
func (b Bucket) Length() time.Duration {
	switch b {
	case QuarterHour:
		return 15 * time.Minute
	case Hour:
		return time.Hour
	case Week:
		return 7 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Anchor is an account's balance of each coin at a time. It was read between two scans that found
// no change.
type Anchor struct {
	At       time.Time
	Balances map[sui.CoinType]*big.Int
}

// FlowBar contains the inflow and outflow of one coin in one bucket, in raw units.
type FlowBar struct {
	Start    time.Time    `json:"bucketStart"`
	End      time.Time    `json:"bucketEnd"`
	Coin     sui.CoinType `json:"coinType"`
	Increase string       `json:"increaseRaw"`
	Decrease string       `json:"decreaseRaw"`
	Net      string       `json:"netRaw"`
	Count    int          `json:"transactionCount"`
}

// HeldBar contains the balance of one coin at the end of a bucket.
type HeldBar struct {
	End  time.Time    `json:"bucketEnd"`
	Coin sui.CoinType `json:"coinType"`
	Held string       `json:"heldRaw"`
}

// HeldStatus reports whether balances could be reconstructed.
type HeldStatus string

// The statuses. Balances are returned only with HeldReconstructed.
const (
	HeldReconstructed HeldStatus = "reconstructed_from_current_balance"
	HeldNoAnchor      HeldStatus = "unavailable_no_balance_anchor"
	HeldNoCoverage    HeldStatus = "unavailable_coverage_incomplete"
	HeldNegative      HeldStatus = "unavailable_facts_contradict_balance"
)

// Timeline contains an account's net flows and balances over time. Start is inclusive, End
// exclusive.
type Timeline struct {
	Account    sui.Address
	Known      bool
	Start, End time.Time
	Bucket     Bucket
	Count      int // stored transactions in the span
	Uncertain  int // rows with incomplete changes
	Coverage   Coverage
	Flows      []FlowBar
	Held       []HeldBar
	HeldStatus HeldStatus
	Anchor     *Anchor
}

// Timeline adds up the stored changes in a span by bucket and coin. If the stored facts are
// complete up to anchor, it reconstructs balances backward from it. If anchor is nil, it returns
// only flows.
func (s *Service) Timeline(ctx context.Context, span Span, b Bucket, anchor *Anchor) (Timeline, error) {
	t := Timeline{Account: span.Account, Start: span.Since, End: span.Until, Bucket: b, Flows: []FlowBar{},
		Held:       []HeldBar{},
		HeldStatus: HeldNoAnchor, Anchor: anchor}
	if span.Since.IsZero() || span.Until.IsZero() || !span.Since.Before(span.Until) {
		return t, bad("start", "start must be before end.")
	}
	if n := span.Until.Sub(span.Since) / b.Length(); n > MostBuckets {
		return t, fault.New(fault.InputInvalid,
			"That is %d intervals of %s; a timeline has at most %d. Take a longer interval, or a shorter span.",
			n, b, MostBuckets).With("field", "interval")
	}
	var err error
	if t.Known, err = s.isKnown(ctx, span.Account); err != nil {
		return t, err
	}
	whole := span
	if anchor != nil {
		whole.Until = anchor.At.Add(millisecond)
	}
	if whole.Until.Before(span.Until) {
		whole.Until = span.Until
	}
	f, err := s.c.Store.ActivityFlows(ctx, whole)
	if err != nil {
		return t, err
	}
	in := slices.DeleteFunc(slices.Clone(f.Changes), func(c CoinChange) bool { return !c.At.Before(span.Until) })
	inside, err := s.c.Store.ActivityFlows(ctx, span)
	if err != nil {
		return t, err
	}
	t.Count, t.Uncertain = inside.Count, inside.Uncertain
	now := s.c.Now()
	judged := span
	if judged.Until.After(now) {
		judged.Until = time.Time{}
	}
	t.Coverage = coverage(f.Covered, judged, now)
	if t.Uncertain > 0 && t.Coverage == CoverageComplete {
		t.Coverage = CoveragePartial
	}
	t.Flows = flowBars(in, b)
	if anchor != nil {
		t.Held, t.HeldStatus = held(span, b, f, anchor)
	}
	return t, nil
}

// bucketOf returns the start of the bucket that contains a time. Weeks start on Monday, as Go's
// zero time does.
func bucketOf(at time.Time, b Bucket) time.Time { return at.UTC().Truncate(b.Length()) }

func flowBars(changes []CoinChange, b Bucket) []FlowBar {
	type key struct {
		start time.Time
		coin  sui.CoinType
	}
	sums := map[key]*sum{}
	for _, c := range changes {
		k := key{bucketOf(c.At, b), c.Coin}
		if sums[k] == nil {
			sums[k] = &sum{}
		}
		if c.Amount.Sign() < 0 {
			sums[k].out.Sub(&sums[k].out, c.Amount)
		} else {
			sums[k].in.Add(&sums[k].in, c.Amount)
		}
		sums[k].count++
	}
	bars := []FlowBar{}
	for k, s := range sums {
		bars = append(bars, FlowBar{k.start, k.start.Add(b.Length()), k.coin, s.in.String(), s.out.String(), s.net().String(),
			s.count})
	}
	slices.SortFunc(bars, func(a, b FlowBar) int {
		if d := a.Start.Compare(b.Start); d != 0 {
			return d
		}
		return strings.Compare(string(a.Coin), string(b.Coin))
	})
	return bars
}

// held returns the balance at the end of each bucket, by subtracting changes backward from the
// anchor's balances. A negative balance shows that facts are missing; held then returns no
// balances.
func held(span Span, b Bucket, f Flows, anchor *Anchor) ([]HeldBar, HeldStatus) {
	if f.Uncertain > 0 || !Covers(f.Covered, span.Since, anchor.At.Add(-millisecond)) {
		return []HeldBar{}, HeldNoCoverage
	}
	balances := map[sui.CoinType]*big.Int{}
	for coin, n := range anchor.Balances {
		balances[coin] = new(big.Int).Set(n)
	}
	for _, c := range f.Changes {
		if balances[c.Coin] == nil {
			balances[c.Coin] = new(big.Int)
		}
	}
	coins := make([]sui.CoinType, 0, len(balances))
	for coin := range balances {
		coins = append(coins, coin)
	}
	slices.Sort(coins)
	latest := anchor.At
	if span.Until.Before(latest) {
		latest = span.Until
	}
	bars := []HeldBar{}
	next := 0
	for end := bucketOf(latest.Add(-1), b).Add(b.Length()); end.After(span.Since); end = end.Add(-b.Length()) {
		for ; next < len(f.Changes) && !f.Changes[next].At.Before(end); next++ {
			c := f.Changes[next]
			balances[c.Coin].Sub(balances[c.Coin], c.Amount)
		}
		for _, coin := range coins {
			if balances[coin].Sign() < 0 {
				return []HeldBar{}, HeldNegative
			}
			bars = append(bars, HeldBar{end, coin, balances[coin].String()})
		}
	}
	slices.Reverse(bars)
	return bars, HeldReconstructed
}
