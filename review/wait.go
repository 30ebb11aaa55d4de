package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/record"
)

// Wait returns the review as soon as stop holds for it, or, with false, as it is after
// max, which is capped at the limit. A cancelled caller gets fault.RequestAborted.
func (s *Service) Wait(ctx context.Context, id record.ID, max time.Duration,
	stop func(record.Session) bool) (record.Session, bool, error) {
	watch := s.c.Hub.Watch(events.Subject{Kind: events.Review, ID: string(id)})
	defer watch.Close()
	end := time.NewTimer(min(max, s.c.Limits.MostWait))
	defer end.Stop()
	for {
		session, err := s.Get(ctx, id)
		if err != nil {
			return record.Session{}, false, aborted(ctx, err)
		}
		if stop(session) {
			return session, true, nil
		}
		expire, cancel := s.untilExpiry(session)
		select {
		case <-watch.C:
		case <-expire:
		case <-end.C:
			cancel()
			return session, false, nil
		case <-ctx.Done():
			cancel()
			return session, false, aborted(ctx, ctx.Err())
		}
		cancel()
	}
}

func aborted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(ctx.Err(), fault.RequestAborted, "The caller stopped waiting.")
	}
	return err
}

// untilExpiry returns a channel that fires when time alone will change the review; it
// never fires when time will not.
func (s *Service) untilExpiry(session record.Session) (<-chan time.Time, func()) {
	due, ok := nextExpiry(session)
	if !ok {
		return nil, func() {}
	}
	timer := time.NewTimer(max(due.Sub(s.c.Now()), time.Millisecond))
	return timer.C, func() { timer.Stop() }
}

// nextExpiry returns the time at which time alone changes the review.
func nextExpiry(session record.Session) (time.Time, bool) {
	for _, at := range []time.Time{session.BuildExpiresAt, session.ExpiresAt} {
		if !at.IsZero() && handoff.Expired(session, at) != "" {
			return at, true
		}
	}
	return time.Time{}, false
}
