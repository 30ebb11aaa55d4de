package handoff

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Pauses before a subscription is retried. A node without subscriptions refuses every attempt, so
// the pause doubles until one succeeds.
const (
	againAfter  = 15 * time.Second
	againAtMost = 10 * time.Minute
)

// listen subscribes to executed transactions while a review is watched, and wakes the watch of any
// transaction that it sees. It draws no conclusions itself: the watch asks the node, and also polls
// in case the subscription misses something.
func (s *Service) listen(ctx, life context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(life, stop)()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.some:
		}
		s.listenWhileWatched(ctx)
	}
}

func (s *Service) listenWhileWatched(ctx context.Context) {
	for pause := s.again; ; {
		hearing, hush, ok := s.begin(ctx)
		if !ok {
			return
		}
		heard := false
		_ = s.c.Guarded(func() error {
			return s.c.Feed.Executed(hearing, func(_ uint64, digests []sui.Digest) error {
				heard = true
				s.heard(digests)
				return nil
			})
		})
		hushed := hearing.Err() != nil
		hush()
		if hushed {
			continue // begin checks whether something is watched now
		}
		if heard {
			pause = s.again
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		pause = min(pause*2, againAtMost)
	}
}

// begin returns the context of a subscription, which ends with the last watch, or false if nothing
// is watched.
func (s *Service) begin(ctx context.Context) (context.Context, context.CancelFunc, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	//mutant:never ./review/handoff TestFeed/nothing_is_watched
	if len(s.watching) == 0 || ctx.Err() != nil {
		return nil, nil, false
	}
	hearing, hush := context.WithCancel(ctx)
	s.hush = hush
	return hearing, hush, true
}

// heard wakes the watches of executed transactions.
func (s *Service) heard(digests []sui.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range digests {
		id, ok := s.awaited[d]
		if !ok {
			continue
		}
		select {
		case s.watching[id] <- struct{}{}:
		default: // it is already awake
		}
	}
}

// await adds the transactions that wake the watch of a review.
func (s *Service) await(id record.ID, digests []sui.Digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range digests {
		s.awaited[d] = id
	}
}

// forget ends the watch of a review, and the subscription after the last watch.
func (s *Service) forget(id record.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watching, id)
	for d, of := range s.awaited {
		if of == id {
			delete(s.awaited, d)
		}
	}
	if len(s.watching) == 0 {
		s.hush()
	}
}
