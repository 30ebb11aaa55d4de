package rpc

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of the search for a checkpoint by time.
const (
	probes       = 32
	searchRounds = 60 // enough to bisect 2^53 checkpoints
)

// Range returns the oldest and newest checkpoint whose transactions the service still has. Older ones
// are unknown.
func (h *History) Range(ctx context.Context) (sui.PastRange, error) {
	var answer struct {
		ChainIdentifier string
		ServiceConfig   struct {
			AvailableRange struct {
				First, Last *graphCheckpoint
			} `graphql:"availableRange(type: \"Query\", field: \"transactions\")"`
		}
	}
	if err := h.put(ctx, &answer, nil); err != nil {
		return sui.PastRange{}, err
	}
	chain, err := h.chain(answer.ChainIdentifier)
	if err != nil {
		return sui.PastRange{}, err
	}
	r := sui.PastRange{Chain: chain}
	reported := answer.ServiceConfig.AvailableRange
	if r.First, err = checkpointOf(reported.First); err != nil {
		return sui.PastRange{}, err
	}
	if r.Last, err = checkpointOf(reported.Last); err != nil {
		return sui.PastRange{}, err
	}
	if r.First.Number > r.Last.Number || r.First.Time.After(r.Last.Time) {
		return sui.PastRange{}, mismatch("its oldest checkpoint is newer than its newest")
	}
	return r, nil
}

// checkpointOf reads a checkpoint, which must have a number and a time.
func checkpointOf(g *graphCheckpoint) (sui.PastCheckpoint, error) {
	if g == nil || g.SequenceNumber == nil || *g.SequenceNumber > maxCheckpoint || g.Timestamp == nil {
		return sui.PastCheckpoint{}, mismatch("it does not report the number and time of a checkpoint")
	}
	at, err := timeOf(g.Timestamp)
	return sui.PastCheckpoint{Number: *g.SequenceNumber, Time: at}, err
}

// CheckpointAt finds the newest checkpoint whose time is not after at, and the oldest whose time is
// not before it. before is nil if at is earlier than everything that the service still has. after is
// nil if the chain has not reached at. A chain of 2^28 checkpoints takes about ten requests. It
// returns fault.ProviderMismatch if a later checkpoint has an earlier time.
func (h *History) CheckpointAt(ctx context.Context, at time.Time) (before, after *uint64, err error) {
	r, err := h.Range(ctx)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case at.Before(r.First.Time):
		return nil, &r.First.Number, nil
	case at.After(r.Last.Time):
		return &r.Last.Number, nil, nil
	}
	reached, err := h.first(ctx, r, func(t time.Time) bool { return !t.Before(at) })
	if err != nil {
		return nil, nil, err
	}
	after = &reached.Number
	if reached.Time.After(at) {
		return ptr(reached.Number - 1), after, nil // not the oldest, because the oldest is not after at
	}
	if r.Last.Time.Equal(at) {
		return &r.Last.Number, after, nil
	}
	passed, err := h.first(ctx, sui.PastRange{First: reached, Last: r.Last}, func(t time.Time) bool { return t.After(at) })
	if err != nil {
		return nil, nil, err
	}
	return ptr(passed.Number - 1), after, nil
}

// first finds the oldest checkpoint of a range for whose time is returns true. is must be monotonic,
// and true for the last checkpoint of the range.
func (h *History) first(ctx context.Context, r sui.PastRange, is func(time.Time) bool) (sui.PastCheckpoint, error) {
	if is(r.First.Time) {
		return r.First, nil
	}
	limits, err := h.Limits(ctx)
	if err != nil {
		return sui.PastCheckpoint{}, err
	}
	for range searchRounds {
		if r.Last.Number-r.First.Number <= 1 {
			return r.Last, nil
		}
		var numbers []uint64
		n, width := uint64(limits.Checkpoints), r.Last.Number-r.First.Number
		for i := uint64(1); i <= n; i++ {
			at := r.First.Number + width*i/(n+1)
			if at > r.First.Number && at < r.Last.Number && (len(numbers) == 0 || at > numbers[len(numbers)-1]) {
				numbers = append(numbers, at)
			}
		}
		if len(numbers) == 0 {
			numbers = []uint64{r.First.Number + width/2}
		}
		found, err := h.checkpoints(ctx, numbers)
		if err != nil {
			return sui.PastCheckpoint{}, err
		}
		for _, c := range append(found, r.Last) {
			if c.Time.Before(r.First.Time) || c.Time.After(r.Last.Time) {
				return sui.PastCheckpoint{}, mismatch("a later checkpoint has an earlier time")
			}
			if is(c.Time) {
				r.Last = c
				break
			}
			r.First = c
		}
	}
	return sui.PastCheckpoint{}, mismatch("its checkpoints cannot be searched")
}

// checkpoints reads all checkpoints with the given numbers.
func (h *History) checkpoints(ctx context.Context, numbers []uint64) ([]sui.PastCheckpoint, error) {
	type UInt53 uint64 // its name in the schema
	var answer struct {
		ChainIdentifier     string
		MultiGetCheckpoints []*graphCheckpoint `graphql:"multiGetCheckpoints(keys: $keys)"`
	}
	keys := make([]UInt53, len(numbers))
	for i, n := range numbers {
		keys[i] = UInt53(n)
	}
	if err := h.put(ctx, &answer, map[string]any{"keys": keys}); err != nil {
		return nil, err
	}
	if err := h.onChain(answer.ChainIdentifier); err != nil {
		return nil, err
	}
	if len(answer.MultiGetCheckpoints) != len(numbers) {
		return nil, mismatch("it returned a different number of checkpoints than requested")
	}
	list := make([]sui.PastCheckpoint, len(numbers))
	for i, reported := range answer.MultiGetCheckpoints {
		c, err := checkpointOf(reported)
		if err != nil {
			return nil, err
		}
		if c.Number != numbers[i] {
			return nil, mismatch("it returned a different checkpoint than requested")
		}
		list[i] = c
	}
	return list, nil
}
