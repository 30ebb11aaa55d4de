package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// The states of a stage while a computation runs.
const (
	StageWaiting = "waiting"
	StageRunning = "running"
	StageDone    = "done"
	StageStopped = "stopped"
)

// StageProgress is how far one stage of the last computation is. It lives in
// memory only: after a restart there is none until the next computation.
type StageProgress struct {
	ID     StageID   `json:"id"`
	Status string    `json:"status"`
	At     time.Time `json:"at"`
}

// computation is one run of the pipeline for a review, running or finished.
type computation struct {
	stages  []StageProgress
	running bool
	again   bool // it builds besides an open release of the same wish
	done    chan struct{}
	session Session // the result
	err     error
}

// Compute starts the pipeline for the revision that the caller shows and
// returns. While one runs, another call joins it. Progress and the hub tell how
// it goes; the result is a new revision.
func (s *Service) Compute(ctx context.Context, id ID, revision int64) error {
	_, err := s.start(ctx, id, revision, false)
	return err
}

// ComputeAgain does the same for a person who wants the wish done besides an
// open release of it: the build uses other coins, so that both can happen. The
// session keeps that until it is computed without.
func (s *Service) ComputeAgain(ctx context.Context, id ID, revision int64) error {
	_, err := s.start(ctx, id, revision, true)
	return err
}

// ComputeNow computes and waits for the result.
func (s *Service) ComputeNow(ctx context.Context, id ID, revision int64) (Session, error) {
	return s.computeNow(ctx, id, revision, false)
}

// ComputeAgainNow does what ComputeAgain does and waits for the result.
func (s *Service) ComputeAgainNow(ctx context.Context, id ID, revision int64) (Session, error) {
	return s.computeNow(ctx, id, revision, true)
}

func (s *Service) computeNow(ctx context.Context, id ID, revision int64, again bool) (Session, error) {
	c, err := s.start(ctx, id, revision, again)
	if err != nil {
		return Session{}, err
	}
	select {
	case <-c.done:
		return c.session, c.err
	case <-ctx.Done():
		return Session{}, fault.Wrap(ctx.Err(), fault.RequestAborted, "The caller stopped waiting; the computation goes on.")
	}
}

// Progress gives the stages of the running or last computation, nil when there
// was none in this process.
func (s *Service) Progress(id ID) []StageProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.runs[id]; c != nil {
		return append([]StageProgress{}, c.stages...)
	}
	return nil
}

// Computing reports whether a computation of the review runs at present.
func (s *Service) Computing(id ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id] != nil && s.runs[id].running
}

func (s *Service) start(ctx context.Context, id ID, revision int64, again bool) (*computation, error) {
	session, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.runs[id]; c != nil && c.running {
		if c.again != again {
			return nil, fault.New(fault.InvalidSessionTransition, "The review is being computed. Ask for this once it is done.")
		}
		return c, nil
	}
	if !session.Status.Computable() {
		return nil, notNow(session.Status, "computing it")
	}
	if session.Revision != revision {
		return nil, outdated()
	}
	session.Again = again
	c := &computation{running: true, again: again, done: make(chan struct{})}
	if session.Proposal == nil {
		for _, stage := range Pipeline(AdaptersOf(s.c.Adapters, session.Wanted())...) {
			c.stages = append(c.stages, StageProgress{ID: stage, Status: StageWaiting})
		}
	}
	s.runs[id] = c
	s.background(func(ctx context.Context) {
		var result Session
		err := s.guard.Guarded(func() (err error) { result, err = s.compute(ctx, session); return err })
		s.mu.Lock()
		c.session, c.err, c.running = result, err, false
		s.mu.Unlock()
		close(c.done)
		s.c.Hub.Changed(events.Subject{Kind: events.Review, ID: string(id)})
	})
	return c, nil
}

func outdated() error {
	return fault.New(fault.InvalidSessionTransition, "The review changed since this page showed it. Look at it again first.")
}

// progress notes where a stage is and wakes the pages.
func (s *Service) progress(id ID, stage StageID, status string) {
	s.mu.Lock()
	if c := s.runs[id]; c != nil {
		for i := range c.stages {
			if c.stages[i].ID == stage {
				c.stages[i].Status, c.stages[i].At = status, s.now()
			}
		}
	}
	s.mu.Unlock()
	s.c.Hub.Changed(events.Subject{Kind: events.Review, ID: string(id)})
}

// compute runs the pipeline and stores what it found.
func (s *Service) compute(ctx context.Context, session Session) (Session, error) {
	ctx, cancel := context.WithTimeout(ctx, s.c.Limits.ComputeTime)
	defer cancel()
	found := Examine(ctx, s.gates, session, func(stage StageID, status string) { s.progress(session.ID, stage, status) })
	// Storing must not fail because the node used up the time.
	return s.c.Store.Change(context.WithoutCancel(ctx), session.ID, "computed", func(r *Row) error {
		return adopt(r, session.Revision, found, s.now())
	})
}

// adopt is the law of a finished computation: it counts only for the revision
// that it started from.
func adopt(r *Row, revision int64, f finding, now time.Time) error {
	s := &r.Session
	if !s.Status.Computable() {
		return notNow(s.Status, "computing it")
	}
	if s.Revision != revision {
		return outdated()
	}
	if err := r.move(f.state.Status, now); err != nil {
		return err
	}
	r.dropUnreleased()
	s.State, s.Facts, s.Holdings, s.Reason, s.Again = f.state, f.facts, f.holdings, f.reason, f.again
	if s.ChainID == "" {
		s.ChainID = f.chainID
	}
	if f.material == nil {
		return nil
	}
	r.Materials = append(r.Materials, *f.material)
	s.Commitment, s.BuiltAt, s.BuildExpiresAt = f.commitment, f.material.CreatedAt, f.buildExpires
	return nil
}
