package review

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review/gate"
)

// StageProgress is the progress of one stage of the latest computation. It is kept only in memory,
// so after a restart there is none until the next computation.
type StageProgress struct {
	ID     plan.StageID `json:"id"`
	Words  string       `json:"-"` // what it does, for users
	Status string       `json:"status"`
	At     time.Time    `json:"at"`
}

// computation is a running or finished run of the pipeline for a review.
type computation struct {
	revision int64 // revision of the review when the run started; its result is the next one
	stages   []StageProgress
	running  bool
	again    bool // it builds in addition to an open release of the same request
	done     chan struct{}
	session  record.Session // the result
	err      error
}

// Compute starts the pipeline for the revision that the caller shows and returns immediately. If a
// run is in progress, Compute joins it. Progress and the hub report its stages; the result is a new
// revision.
func (s *Service) Compute(ctx context.Context, id record.ID, revision int64) error {
	_, err := s.start(ctx, id, revision, false)
	return err
}

// ComputeAgain is like Compute, for a user who wants the same request executed in addition to an
// open release of it. The build uses other coins, so both can execute. The session keeps that
// choice until Compute is called.
func (s *Service) ComputeAgain(ctx context.Context, id record.ID, revision int64) error {
	_, err := s.start(ctx, id, revision, true)
	return err
}

// ComputeNow computes and waits for the result.
func (s *Service) ComputeNow(ctx context.Context, id record.ID, revision int64) (record.Session, error) {
	return s.computeNow(ctx, id, revision, false)
}

func (s *Service) computeNow(ctx context.Context, id record.ID, revision int64, again bool) (record.Session, error) {
	c, err := s.start(ctx, id, revision, again)
	if err != nil {
		return record.Session{}, err
	}
	select {
	case <-c.done:
		return c.session, c.err
	case <-ctx.Done():
		return record.Session{}, fault.Wrap(ctx.Err(), fault.RequestAborted,
			"The caller stopped waiting; the computation continues.")
	}
}

// Progress returns the stages of the running or latest computation, or nil if this process has run
// none.
func (s *Service) Progress(id record.ID) []StageProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.runs[id]; c != nil {
		return append([]StageProgress{}, c.stages...)
	}
	return nil
}

// Current returns the review as Get does, and reports whether its revision is being computed.
func (s *Service) Current(ctx context.Context, id record.ID) (record.Session, bool, error) {
	computing := s.computing(id)
	session, err := s.Get(ctx, id)
	return session, err == nil && computing(session), err
}

// computing returns a function that reports whether a session that was read after this call is
// being computed. A run stores its result before it ends. A session that is read afterwards
// therefore has the result, or a later revision that can no longer get it.
func (s *Service) computing(id record.ID) func(record.Session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.runs[id]
	running := c != nil && c.running
	return func(session record.Session) bool {
		//mutant:always ./review TestViewIsOfOneMoment
		return running && session.Revision == c.revision
	}
}

func (s *Service) start(ctx context.Context, id record.ID, revision int64, again bool) (*computation, error) {
	session, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A run for an earlier revision has stored its result, or cannot store it.
	if c := s.runs[id]; c != nil && c.running && c.revision == session.Revision {
		if c.again != again {
			return nil, fault.New(fault.InvalidSessionTransition,
				"The review is being computed. Ask for this once it is done.")
		}
		return c, nil
	}
	if !session.Status.Computable() {
		return nil, record.NotNow(session.Status, "computing it")
	}
	if session.Revision != revision {
		return nil, record.Outdated()
	}
	session.Again = again
	c := &computation{revision: revision, running: true, again: again, done: make(chan struct{})}
	if session.Proposal == nil {
		adapters := plan.AdaptersOf(s.c.Adapters, session.Wanted())
		for _, stage := range gate.Pipeline(adapters...) {
			c.stages = append(c.stages, StageProgress{ID: stage, Words: gate.Words(stage, adapters...),
				Status: gate.StageWaiting})
		}
	}
	s.runs[id] = c
	s.background(func(ctx context.Context) {
		var result record.Session
		err := s.guard.Guarded(func() (err error) { result, err = s.compute(ctx, session, c); return err })
		s.mu.Lock()
		c.session, c.err, c.running = result, err, false
		s.mu.Unlock()
		close(c.done)
		s.c.Hub.Changed(events.Subject{Kind: events.Review, ID: string(id)})
	})
	return c, nil
}

// progress records the state of a stage and notifies pages.
func (s *Service) progress(id record.ID, c *computation, stage plan.StageID, status string) {
	s.mu.Lock()
	for i := range c.stages {
		if c.stages[i].ID == stage {
			c.stages[i].Status, c.stages[i].At = status, s.now()
		}
	}
	s.mu.Unlock()
	s.c.Hub.Changed(events.Subject{Kind: events.Review, ID: string(id)})
}

// compute runs the pipeline and stores the result.
func (s *Service) compute(ctx context.Context, session record.Session, c *computation) (record.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, s.c.Limits.ComputeTime)
	defer cancel()
	teller := &stageTeller{tell: func(stages []plan.StageID) {
		if s.c.Stages != nil {
			_ = s.c.Stages(context.WithoutCancel(ctx), session.ID, stages)
		}
	}}
	found := gate.Examine(ctx, s.gates, session, func(stage plan.StageID, status string) {
		s.progress(session.ID, c, stage, status)
		if status == gate.StageRunning {
			teller.began(stage)
		}
	})
	teller.wait()
	// The store gets a separate context, because the result must be stored even if the node used up
	// the time.
	return s.c.Store.Change(context.WithoutCancel(ctx), session.ID, "computed", func(r *record.Row) error {
		return gate.Adopt(r, session.Revision, found, s.now())
	})
}

// stageTeller records the stages of one computation without delaying it. Stages that begin during a
// write are recorded together by the next write.
type stageTeller struct {
	tell func([]plan.StageID)

	mu   sync.Mutex
	open []plan.StageID
	busy bool
	work sync.WaitGroup
}

func (t *stageTeller) began(stage plan.StageID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, stage)
	if t.busy {
		return
	}
	t.busy = true
	t.work.Go(func() {
		for {
			t.mu.Lock()
			next := t.open
			t.open = nil
			t.busy = len(next) > 0
			t.mu.Unlock()
			if len(next) == 0 {
				return
			}
			t.tell(next)
		}
	})
}

// wait returns when all stages are recorded, so the result is stored after them.
func (t *stageTeller) wait() { t.work.Wait() }
