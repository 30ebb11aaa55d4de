package prover

import (
	"context"
	"errors"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// inFlight is how many epochs are requested ahead of the one being verified. keepEvery is how many
// verified epochs are stored at once.
const (
	inFlight  = 8
	keepEvery = 32
)

// idleSteps is the maximum number of epochs that one call of Follow processes.
const idleSteps = 64

// Follow follows the committees by at most idleSteps epochs. It runs in the background while idle.
// Verified steps are stored, so the next call continues from there. It requests no checkpoint if this
// program has no anchor of the chain.
func (c *Chain) Follow() {
	c.work.Go(func() {
		id, err := c.c.Node.ChainIdentifier(c.life)
		if err != nil {
			return
		}
		from, err := c.Begun(c.life, id)
		if err != nil {
			return
		}
		for _, s := range c.c.Starts(id) {
			if s.Anchor.Chain == id {
				from = max(from, s.Anchor.Epoch+1)
			}
		}
		if from == 0 {
			return
		}
		if epoch, err := c.c.Node.Epoch(c.life); err == nil && epoch.Number > from {
			target := epoch.Number
			//mutant:never ./internal/sui/prover TestFollow
			if epoch.Number > from+idleSteps {
				target = from + idleSteps
			}
			_, _ = c.committee(c.life, target)
		}
	})
}

// catchUp is a background task that follows the committees to a target epoch. err is set before done
// is closed.
type catchUp struct {
	target uint64
	done   chan struct{}
	err    error
}

// committee returns the committee of an epoch after following the steps to it. The epoch is reported
// by a node. If the node lies, following ends at a step that it cannot prove. If ctx ends first,
// following continues in the background, and the caller gets ErrLater.
func (c *Chain) committee(ctx context.Context, epoch uint64) (*proof.Committee, error) {
	for {
		c.mu.Lock()
		if who := c.passed[epoch]; who != nil {
			c.mu.Unlock()
			return who, nil
		}
		if c.chain != nil && epoch < c.chain.Newest().Epoch() {
			id, a := c.id, c.chain.Anchor()
			c.mu.Unlock()
			return c.earlier(ctx, id, a, epoch)
		}
		run := c.running
		if run == nil {
			run = &catchUp{target: epoch, done: make(chan struct{})}
			c.running = run
			c.work.Go(func() { c.run(run) })
		}
		c.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the validators of epoch %d are still being followed: %w", epoch, ErrLater)
		case <-run.done:
		}
		// A run to another target may fail for its own reasons, or succeed without reaching this epoch.
		if run.err != nil && run.target == epoch {
			return nil, run.err
		}
	}
}

// earlier returns the committee of a past epoch from the stored steps.
func (c *Chain) earlier(ctx context.Context, id sui.Digest, a proof.Anchor, epoch uint64) (*proof.Committee, error) {
	gone := missing("The validators of epoch %d are older than what this program follows.", epoch)
	if epoch == 0 {
		return nil, gone
	}
	kept, err := c.c.Store.EpochEnds(ctx, id, epoch-1, epoch-1)
	if err != nil {
		return nil, err
	}
	if len(kept) == 0 {
		return nil, gone
	}
	a.Epoch = 0 // accept stored steps that are older than the anchor
	chain, err := resume(a, kept[0])
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pass(chain.Newest())
	return chain.Newest(), nil
}

// resume continues after a stored step.
func resume(a proof.Anchor, step proof.FileStep) (*proof.Chain, error) {
	s, err := sui.DecodeCheckpointSummary(step.Summary)
	if err != nil {
		return nil, err
	}
	if s.EndOfEpoch == nil {
		return nil, errors.New("a stored checkpoint does not end its epoch")
	}
	return proof.ResumeChain(a, step.Epoch+1, s.EndOfEpoch.NextCommittee)
}

// pass keeps a committee in memory. c.mu must be held.
func (c *Chain) pass(who *proof.Committee) {
	for epoch := range c.passed {
		if len(c.passed) >= mostPassed && (c.chain == nil || epoch != c.chain.Newest().Epoch()) {
			delete(c.passed, epoch)
		}
	}
	c.passed[who.Epoch()] = who
}

// run executes a catch-up. Only one runs at a time.
func (c *Chain) run(r *catchUp) {
	err := c.start(c.life)
	if err == nil {
		err = c.advance(c.life, r.target)
	}
	c.mu.Lock()
	r.err, c.running = err, nil
	c.mu.Unlock()
	close(r.done)
}

// start decides where to continue: at the newest stored step or at a newer anchor. A stored step
// is preferred over an older anchor, whose validators may have sold their keys since.
func (c *Chain) start(ctx context.Context) error {
	if c.chain != nil {
		return nil
	}
	id, err := c.c.Node.ChainIdentifier(ctx)
	if err != nil {
		return err
	}
	var best *Start
	for _, s := range c.c.Starts(id) {
		if s.Anchor.Chain == id && (best == nil || s.Anchor.Epoch > best.Anchor.Epoch) {
			best = &s
		}
	}
	if best == nil {
		return missing("This program knows no validators of this chain.")
	}
	chain, err := c.startFrom(ctx, id, *best)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id, c.chain = id, chain
	c.pass(chain.Newest())
	return nil
}

func (c *Chain) startFrom(ctx context.Context, id sui.Digest, best Start) (*proof.Chain, error) {
	newest, kept, err := c.c.Store.NewestEpochEnd(ctx, id)
	if err != nil {
		return nil, err
	}
	//mutant:never ./internal/sui/prover TestResume
	if kept && newest.Epoch >= best.Anchor.Epoch {
		a := best.Anchor
		a.Epoch = 0
		return resume(a, newest)
	}
	if best.Summary == nil {
		w, found, err := c.checkpoint(ctx, best.Anchor.Sequence, false)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, missing("This program's anchor is too old for this node: it knows the validators up to the end "+
				"of epoch %d, which the node no longer keeps. Set an archive node on the settings page (or SUI_ARCHIVE_URL), or "+
				"update this program.", best.Anchor.Epoch)
		}
		best.Summary = w.Summary
	}
	chain, err := proof.NewChain(best.Anchor, best.Summary)
	if err != nil {
		return nil, err
	}
	return chain, c.c.Store.KeepEpochEnds(ctx, id, []proof.FileStep{{Epoch: best.Anchor.Epoch, Summary: best.Summary}})
}

// fetched is the last checkpoint of an epoch as reported by a node.
type fetched struct {
	step rpc.CertifiedCheckpoint
	err  error
}

// advance verifies consecutive epochs up to the target, requesting some ahead. Verified epochs are
// kept even if a later step fails.
func (c *Chain) advance(ctx context.Context, target uint64) (err error) {
	at := c.chain.Newest().Epoch()
	if target <= at {
		return nil
	}
	//mutant:never ./internal/sui/prover TestTooFar
	if target-at > MostSteps {
		return missing("This program's anchor is too old: it knows the validators up to epoch %d, and epoch %d is too far "+
			"from there. Update this program.", at, target)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var pending []proof.FileStep
	defer func() {
		kept := c.c.Store.KeepEpochEnds(context.WithoutCancel(ctx), c.id, pending)
		err = errors.Join(err, kept)
	}()
	var queue []chan fetched
	for asked := at; at < target; at++ {
		for ; asked < target && asked < at+inFlight; asked++ {
			one := make(chan fetched, 1)
			queue = append(queue, one)
			go func(epoch uint64) { one <- c.fetch(ctx, epoch) }(asked)
		}
		f := <-queue[0]
		queue = queue[1:]
		if f.err != nil {
			return f.err
		}
		if err := c.step(f.step); err != nil {
			return err
		}
		if pending = append(pending, proof.StepOf(f.step.Summary, certificate(f.step))); len(pending) == keepEvery {
			if err := c.c.Store.KeepEpochEnds(ctx, c.id, pending); err != nil {
				return err
			}
			pending = nil
		}
	}
	return nil
}

// step verifies the end of one epoch.
func (c *Chain) step(w rpc.CertifiedCheckpoint) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.chain.Advance(w.Summary, certificate(w)); err != nil {
		return err
	}
	c.pass(c.chain.Newest())
	return nil
}

// fetch requests the last checkpoint of an epoch.
func (c *Chain) fetch(ctx context.Context, epoch uint64) fetched {
	number, ended, err := c.epochEnd(ctx, epoch)
	if err != nil {
		return fetched{err: err}
	}
	var w rpc.CertifiedCheckpoint
	if ended {
		if w, ended, err = c.checkpoint(ctx, number, false); err != nil {
			return fetched{err: err}
		}
	}
	if !ended {
		err = missing("The node no longer has the last checkpoint of epoch %d. Set an archive node on the settings page "+
			"(or SUI_ARCHIVE_URL), or update this program.", epoch)
	}
	return fetched{w, err}
}
