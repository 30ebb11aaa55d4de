package activity

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// narrow brings a window of time into checkpoints, so that what is newer need not
// be paged through, and reads what the provider has. A provider that cannot say
// leaves the window to the rows' own times. empty says that nothing can be in it.
func (w *walk) narrow(ctx context.Context) (empty bool, err error) {
	has, err := w.source.Range(ctx)
	switch {
	case fault.Is(err, fault.RequestAborted):
		return false, err
	case err == nil:
		w.has, w.chain = &has, has.Chain
	}
	if w.begin.token != "" {
		return false, nil // the cursor brings the window
	}
	w.from, w.to = w.q.From, w.q.To
	if !w.q.Since.IsZero() {
		_, after, err := w.source.CheckpointAt(ctx, w.q.Since)
		switch {
		case fault.Is(err, fault.RequestAborted):
			return false, err
		case err != nil:
		case after == nil:
			return true, nil // younger than everything
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
			return true, nil // older than everything that the provider has
		case w.to == nil || *w.to > *before:
			w.to = before
		}
	}
	return w.from != nil && w.to != nil && *w.from > *w.to, nil
}
