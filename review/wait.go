package review

import (
	"context"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// Wait returns the review as soon as stop returns true, or its current state and false after max,
// which is capped at Limits.MostWait. If ctx is canceled, Wait returns fault.RequestAborted.
func (s *Service) Wait(ctx context.Context, id record.ID, max time.Duration,
	stop func(record.Session) bool) (record.Session, bool, error) {
	within, end := context.WithTimeout(ctx, min(max, s.c.Limits.MostWait))
	defer end()
	var session record.Session
	err := s.c.Hub.Until(within, func() (bool, time.Duration, error) {
		now, err := s.Get(ctx, id)
		if err != nil {
			return false, 0, err
		}
		session = now
		return stop(session), s.untilExpiry(session), nil
	}, events.Subject{Kind: events.Review, ID: string(id)})
	switch {
	case err == nil:
		return session, true, nil
	case ctx.Err() == nil && errors.Is(err, within.Err()):
		return session, false, nil
	}
	return session, false, aborted(ctx, err)
}

func aborted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(ctx.Err(), fault.RequestAborted, "The caller stopped waiting.")
	}
	return err
}

// untilExpiry returns the time until the review or its build expires; 0 if neither does.
func (s *Service) untilExpiry(session record.Session) time.Duration {
	due, ok := nextExpiry(session)
	if !ok {
		return 0
	}
	return max(due.Sub(s.c.Now()), time.Millisecond)
}

// nextExpiry returns the time at which the review or its build expires, or false if neither does.
func nextExpiry(session record.Session) (time.Time, bool) {
	for _, at := range []time.Time{session.BuildExpiresAt, session.ExpiresAt} {
		if !at.IsZero() && handoff.Expired(session, at) != "" {
			return at, true
		}
	}
	return time.Time{}, false
}
