package handoff

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// How often a review's watch asks the chain.
const (
	firstPause  = 150 * time.Millisecond
	mostPause   = 5 * time.Second
	silentPause = time.Minute      // after a long time without changes
	silentAfter = 10 * time.Minute // after the release, the signature or the last attempt to send
	resendFor   = time.Minute      // after this, the user decides whether to send again
	rescan      = 15 * time.Second // interval between reads of unsettled reviews
)

const (
	noAnswer   = "The Sui node gives no answer; the result is not known yet."
	otherChain = "This node is another chain than the one the transaction was signed for; " +
		"its result cannot be read here."
)

// Run watches every review with a release until the chain, or a proof, settles it. It returns when
// ctx ends. Each process has only one Run.
func (s *Service) Run(ctx context.Context) error {
	if s.c.Feed != nil {
		s.c.Go(func(life context.Context) { s.listen(ctx, life) })
	}
	if s.c.Prover != nil && s.c.Unproved != nil {
		s.c.Go(s.proveEarlier)
	}
	s.followed = s.now() // the first call comes only after some idle time
	tick := time.NewTicker(rescan)
	defer tick.Stop()
	for {
		for _, list := range []func(context.Context) ([]record.ID, error){s.c.Store.Unsettled, s.c.LookedFor} {
			if list == nil {
				continue
			}
			ids, err := list(ctx)
			if err != nil {
				continue // the next scan asks again
			}
			for _, id := range ids {
				s.track(ctx, id)
			}
		}
	waiting:
		for {
			select {
			case <-ctx.Done():
				return nil
			case id := <-s.watcher:
				s.track(ctx, id)
			case <-tick.C:
				//mutant:never ./review/handoff TestRunFollowsWhenIdle
				//mutant:always `s.idle(s.now())` ./review/handoff TestRunFollowsWhenIdle
				if s.c.Prover != nil && s.idle(s.now()) {
					s.c.Prover.Follow()
				}
				break waiting
			}
		}
	}
}

// When Run first follows the validators without a request for a proof, and how often after that.
const (
	followFirst = 10 * time.Minute
	followEvery = time.Hour
)

// idle reports whether it is time to follow the validators: nothing is watched or sent, and they
// were not followed recently. If so, it records the time.
func (s *Service) idle(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := followEvery
	if !s.following {
		wait = followFirst
	}
	//mutant:never ./review/handoff TestIdle
	if len(s.watching) > 0 || len(s.sending) > 0 || now.Sub(s.followed) < wait {
		return false
	}
	s.followed, s.following = now, true
	return true
}

// watch passes a changed review to Run, which wakes or starts its watch.
func (s *Service) watch(id record.ID) {
	s.mu.Lock()
	wake := s.watching[id]
	s.mu.Unlock()
	if wake != nil {
		select {
		case wake <- struct{}{}:
		default:
		}
		return
	}
	select {
	case s.watcher <- id:
	default: // Run finds it at its next scan
	}
}

// track starts the watch of a review unless it is already running.
func (s *Service) track(ctx context.Context, id record.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watching[id] != nil {
		return
	}
	wake := make(chan struct{}, 1)
	s.watching[id] = wake
	select {
	case s.some <- struct{}{}:
	default: // listen has not taken the last one yet
	}
	s.c.Go(func(life context.Context) { // after a panic, Run's next scan starts it again
		defer s.forget(id)
		s.follow(ctx, life, id, wake)
	})
}

// follow asks about one review repeatedly, with growing pauses. A change of the review resets the
// pause. follow ends when either context does.
func (s *Service) follow(ctx, life context.Context, id record.ID, wake <-chan struct{}) {
	w := s.Watcher(id)
	pause := firstPause
	for {
		settled, quiet := w.Look(ctx)
		if settled {
			select {
			case <-wake: // it changed since
				continue
			default:
				return
			}
		}
		s.await(id, w.released)
		longest := mostPause
		if quiet {
			longest = silentPause
		}
		pause = min(pause, longest)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-life.Done():
			timer.Stop()
			return
		case <-wake:
			timer.Stop()
			pause = firstPause
		case <-timer.C:
			pause = min(pause*2, longest)
		}
	}
}

// Watcher asks the chain about one review, one round at a time.
type Watcher struct {
	service *Service
	id      record.ID
	proofs  map[sui.Digest]heldProof
	// released lists the releases that the last Look asked about.
	released []sui.Digest
	reported map[sui.Digest]time.Time // when a node first reported effects that wait for their proof
}

// Watcher returns a Watcher without any proofs.
func (s *Service) Watcher(id record.ID) *Watcher {
	return &Watcher{service: s, id: id, proofs: map[sui.Digest]heldProof{}, reported: map[sui.Digest]time.Time{}}
}

// Look asks the chain once about every release of the review. quiet reports that nothing has
// changed for a long time.
func (w *Watcher) Look(ctx context.Context) (settled, quiet bool) {
	s, id, proofs := w.service, w.id, w.proofs
	session, err := s.c.Store.Review(ctx, id)
	if err != nil {
		return fault.Is(err, fault.SessionNotFound), false
	}
	outstanding := session.Watched()
	if len(outstanding) == 0 {
		return true, false
	}
	quiet, w.released = true, nil
	for _, rel := range outstanding {
		w.released = append(w.released, rel.Digest)
		for _, heard := range []time.Time{rel.At, rel.SignedAt, rel.SubmittedAt} {
			quiet = quiet && (s.now().Sub(heard) > silentAfter || rel.Dead)
		}
	}
	first := s.sameChain(ctx, session)
	if !first {
		clear(proofs)
	}
	if !first && s.c.Second == nil {
		return false, quiet
	}
	note := ""
	for _, rel := range outstanding {
		var done bool
		var why string
		err := s.c.Guarded(func() (err error) { done, why, err = w.ask(ctx, session, first, rel); return err })
		if done {
			return true, false
		}
		if err != nil {
			clear(proofs)
			s.remark(ctx, id, noteOf(err))
			if fault.As(err).Text == unlike {
				_ = s.notProved(ctx, id, rel.Digest, record.Proof{State: record.Mismatched, At: s.now()})
			}
			return false, quiet
		}
		if why != "" {
			note = why
		}
	}
	if first {
		s.remark(ctx, id, note)
		s.resend(session)
	}
	return false, quiet
}

// sameChain reports whether the node serves the chain of the review.
func (s *Service) sameChain(ctx context.Context, session record.Session) bool {
	chain, err := s.c.Chain.ChainIdentifier(ctx)
	switch {
	case err != nil:
		s.remark(ctx, session.ID, noteOf(err))
		return false
	case chain.String() != session.ChainID:
		s.remark(ctx, session.ID, otherChain)
		return false
	}
	return true
}

// ask looks up one release. Effects settle the review, whatever else a node says. A proof that the
// release can never execute must be confirmed, and found twice in a row; why explains what prevents
// one. first reports whether the first node serves the review's chain; if not, only the second one
// is asked.
func (w *Watcher) ask(ctx context.Context, session record.Session, first bool, rel record.Release) (done bool,
	why string, err error) {
	s, proofs := w.service, w.proofs
	epoch, unread := s.c.Epochs.Present(ctx, s.now()) // first, so that later reads are not older
	found, known, err := s.lookup(ctx, session, first, rel.Digest)
	switch {
	case known:
		return w.known(ctx, session, found)
	case !first || err != nil:
		return false, "", err
	case unread != nil:
		return false, "", unread
	case rel.Dead:
		return false, "", s.lookOn(ctx, session, rel, epoch.Number)
	}
	v, err := s.deathProof(ctx, session, rel, epoch.Number)
	if err != nil {
		return false, "", err
	}
	what, transition := "weighed", func(r *record.Row) error { return weigh(r, rel.Digest, v, epoch.Number, s.now()) }
	if v.sure {
		if !confirmed(proofs, rel.Digest, v.proof) {
			return false, v.why, nil
		}
		what, transition = "proved: cannot execute", func(r *record.Row) error {
			return bury(r, rel.Digest, *v.proof, epoch.Number+epochsLooked, s.now())
		}
	} else {
		delete(proofs, rel.Digest)
	}
	after, err := s.c.Store.Change(ctx, session.ID, what, transition)
	if now := after.Released(rel.Digest); err == nil && now != nil && now.BelievedDead() && !now.Dead {
		v.why = believedNote
	}
	return err == nil && after.Status.Terminal(), v.why, nil
}

// known settles a review by reported effects: at once if they are proved, and otherwise after
// waiting for the proof or if there can be none.
func (w *Watcher) known(ctx context.Context, session record.Session, reported sui.Executed) (bool, string, error) {
	s := w.service
	if session.Released(reported.Digest) == nil || reported.Sender != session.Account {
		return false, "", fault.New(fault.ProviderMismatch,
			"The Sui node answered for another transaction; its answer is not used.")
	}
	if w.reported[reported.Digest].IsZero() {
		w.reported[reported.Digest] = s.now()
	}
	e, p, err := s.proved(ctx, reported)
	if err != nil {
		return false, "", err
	}
	//mutant:never ./review TestFailureOfOneNode
	if !e.Status.OK && p.State != record.Proved && !s.failedToo(ctx, reported.Digest) {
		return false, failedAtOne, nil
	}
	if p.State == record.ReportedNow && s.now().Sub(w.reported[reported.Digest]) < proofWait {
		return false, p.Sentence(), s.notProved(ctx, session.ID, reported.Digest, p)
	}
	if p.State == record.ReportedNow {
		p.State = record.Reported
	}
	allowed, err := s.allowed(ctx)
	if err != nil {
		return false, "", err
	}
	//mutant:never ./review TestOnlyProvedResultsAreFinal
	if allowed.ProvedOnly && p.State == record.Reported {
		return false, p.Sentence() + onlyProved, s.notProved(ctx, session.ID, reported.Digest, p)
	}
	done, err := s.settled(ctx, session, e, p)
	if done && p.State == record.Reported && s.c.Prover != nil {
		s.c.Go(func(life context.Context) { s.late(life, session.ID) })
	}
	return done, "", err
}

// settled records the effects of one of the review's releases.
func (s *Service) settled(ctx context.Context, session record.Session, e sui.Executed, p record.Proof) (bool, error) {
	rel := session.Released(e.Digest)
	adapters := plan.AdaptersOf(s.c.Adapters, session.Wanted())
	said := ReportOf(adapters, e, session.Account, rel.Facts)
	said.readAfter(ctx, adapters, e, rel.Facts)
	if p.State == record.Proved {
		s.c.Epochs.NoteSigned(ctx, session.ChainID, p.Epoch, e.Timestamp)
	}
	s.c.Epochs.NotePrice(ctx, session.ChainID, rel.Facts.Gas.Price)
	after, err := s.c.Store.Change(ctx, session.ID, "effects",
		func(r *record.Row) error { return settle(r, e, said, p, s.now()) })
	return err == nil && after.Status.Terminal(), nil
}

func (s *Service) remark(ctx context.Context, id record.ID, note string) {
	_, _ = s.c.Store.Change(ctx, id, "noted", func(r *record.Row) error { return remark(r, note, s.now()) })
}

// resend automatically submits again only shortly after the signature. A swap that executes much
// later would surprise the user, who can still ask to send it.
func (s *Service) resend(session record.Session) {
	x := session.Execution
	if session.Status != record.SignedPendingResult || x == nil || signedDead(&session) {
		return
	}
	if lost(x) && s.now().Sub(x.SignedAt) < resendFor {
		s.send(session.ID, false)
	}
}
