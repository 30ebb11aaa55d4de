package activity

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// narrow converts a time window to checkpoints, so that newer pages can be skipped, and reads the
// provider's range. If the provider cannot convert a time, the times of the rows decide. empty
// reports that the window cannot contain any rows.
func (w *walk) narrow(ctx context.Context) (empty bool, err error) {
	has, err := w.source.Range(ctx)
	switch {
	case fault.Is(err, fault.RequestAborted):
		return false, err
	case err == nil:
		w.has, w.chain = &has, has.Chain
	}
	if w.begin.token != "" {
		return false, nil // the cursor contains the window
	}
	w.from, w.to = w.q.From, w.q.To
	if !w.q.Since.IsZero() {
		_, after, err := w.source.CheckpointAt(ctx, w.q.Since)
		switch {
		case fault.Is(err, fault.RequestAborted):
			return false, err
		case err != nil:
		case after == nil:
			return true, nil // the window begins after the newest checkpoint
		case w.from == nil || *w.from < *after:
			w.from = after
		}
	}
	if !w.q.Until.IsZero() {
		before, _, err := w.source.CheckpointAt(ctx, w.q.Until)
		switch {
		case fault.Is(err, fault.RequestAborted):
			return false, err
		case err != nil:
		case before == nil:
			return true, nil // the window ends before the provider's data
		case w.to == nil || *w.to > *before:
			w.to = before
		}
	}
	return w.from != nil && w.to != nil && *w.from > *w.to, nil
}
