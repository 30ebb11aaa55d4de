package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// A wait tool waits for the user or the chain. Each call is shorter than the timeouts of clients,
// and stores nothing: the next call starts a new wait.

const (
	mostWait     = 45 * time.Second // maximum duration of one call
	progressBeat = 10 * time.Second // interval of progress messages
)

// outcome is how a wait ended.
type outcome string

const (
	statusReached outcome = "status_reached"
	timedOut      outcome = "timed_out"
)

// Values lists the outcomes.
func (outcome) Values() []string { return []string{string(statusReached), string(timedOut)} }

// waitMillis is how long to wait, in milliseconds.
type waitMillis int64

// Shape implements tool.Shaped. It has no maximum, because span shortens longer waits.
func (waitMillis) Shape() tool.Shape { return tool.AtLeast(1) }

// span returns how long to wait, and a note if that is less than requested.
func (w waitMillis) span() (time.Duration, string) {
	if int64(w) > mostWait.Milliseconds() {
		return mostWait, fmt.Sprintf("timeoutMs %d was shortened to %d, the maximum for one call. Call again to continue waiting.",
			int64(w), mostWait.Milliseconds())
	}
	return time.Duration(w) * time.Millisecond, ""
}

// waited is the part of a wait tool's answer that describes the wait.
type waited struct {
	Outcome   outcome `json:"outcome" description:"status_reached, or timed_out if nothing changed"`
	TimeoutMs int64   `json:"timeoutMs,omitempty" description:"wait time, if nothing changed"`
	Note      string  `json:"timeoutNote,omitempty" description:"why this is less than requested"`
}

// await calls wait repeatedly until it reports an end, span is over, or the client has closed its
// input. It returns the last value. In the meantime it reports progress to the client, and the call
// does not count as running.
func await[T any](c tool.Call, span time.Duration, message string,
	wait func(ctx context.Context, most time.Duration) (T, bool, error)) (T, bool, error) {
	resume := c.Park()
	defer resume()
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	left := make(chan struct{})
	defer close(left)
	go func() {
		select {
		case <-c.InputEnded():
			stop()
		case <-left:
		}
	}()
	var value T
	for done := time.Duration(0); ; done += progressBeat {
		next, reached, err := wait(ctx, min(progressBeat, span-done))
		gone := ctx.Err() != nil && c.Context().Err() == nil
		if err == nil {
			value = next
		} else if !gone {
			return value, false, err
		}
		if gone && !reached {
			return now(c, value, wait)
		}
		if reached || done+progressBeat >= span {
			return value, reached, nil
		}
		c.Progress(int64((done + progressBeat).Seconds()), int64(span.Seconds()), message)
	}
}

// now reads the current value for a client that has closed its input.
func now[T any](c tool.Call, value T, wait func(context.Context, time.Duration) (T, bool, error)) (T, bool, error) {
	next, reached, err := wait(c.Context(), time.Millisecond)
	if err != nil {
		return value, false, err
	}
	return next, reached, nil
}

// ended describes how a wait ended.
func ended(reached bool, span time.Duration, note string) waited {
	if reached {
		return waited{Outcome: statusReached}
	}
	return waited{Outcome: timedOut, TimeoutMs: span.Milliseconds(), Note: note}
}

// withOutcome adds the fields that describe a wait to the guidance for a status.
func withOutcome(u evidence.Use) evidence.Use {
	u.Can = u.Can.And(evidence.Claims{evidence.WaitOutcome})
	u.Answer = append([]string{"outcome"}, u.Answer...)
	u.Diagnostic = append(append([]string{}, u.Diagnostic...), "timeoutMs", "timeoutNote")
	return u
}
