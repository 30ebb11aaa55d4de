package resting

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// pace is how often the follower looks.
type pace struct {
	poll time.Duration // between looks if no checkpoint is reported
	head time.Duration // the least between looks at checkpoints
	wake time.Duration // the least between looks for new orders where none rests
}

var usual = pace{15 * time.Second, 2 * time.Second, 10 * time.Second}

// nodePause passes until a subscription that ended is asked for again.
const nodePause = time.Minute

// Node reports the chain's checkpoints as they come. It returns when the stream ends,
// also because the node has none.
type Node interface {
	Executed(ctx context.Context, each func(checkpoint uint64, digests []sui.Digest) error) error
}

// Run looks whenever placed receives: something may have been placed, or an account
// connected. While orders rest, also those of an earlier process, it looks with the
// chain's checkpoints, and every 15 seconds where the node reports none. While none rests
// it asks the node nothing. It returns when ctx ends.
func (f *Follower) Run(ctx context.Context, node Node, placed <-chan struct{}) {
	f.run(ctx, node, placed, usual)
}

func (f *Follower) run(ctx context.Context, node Node, placed <-chan struct{}, p pace) {
	heads := make(chan struct{}, 1)
	begin := func() context.CancelFunc {
		life, cancel := context.WithCancel(ctx)
		go subscribe(life, node, heads)
		return cancel
	}
	var stop context.CancelFunc // of the subscription, which ends with ctx too
	if kept, err := f.Store.Resting(ctx); err == nil && len(kept) == 0 {
		p.await(ctx, false, heads, placed)
	}
	for ctx.Err() == nil {
		rests, err := f.Look(ctx)
		follows := rests > 0 || err != nil
		if follows && stop == nil {
			stop = begin()
		}
		if !follows && stop != nil {
			stop()
			stop = nil
		}
		p.await(ctx, follows, heads, placed)
	}
}

// await waits for a reason to look again.
func (p pace) await(ctx context.Context, follows bool, heads, placed <-chan struct{}) {
	least, poll := p.wake, (<-chan time.Time)(nil)
	if follows {
		timer := time.NewTimer(p.poll)
		defer timer.Stop()
		least, poll = p.head, timer.C
	}
	if !pause(ctx, least) {
		return
	}
	select {
	case <-ctx.Done():
	case <-placed:
	case <-heads:
	case <-poll:
	}
}

// subscribe keeps a subscription while ctx lasts.
func subscribe(ctx context.Context, node Node, heads chan<- struct{}) {
	for {
		// Without a subscription, looking every 15 seconds continues.
		_ = node.Executed(ctx, func(uint64, []sui.Digest) error {
			select {
			case heads <- struct{}{}:
			default:
			}
			return nil
		})
		if !pause(ctx, nodePause) {
			return
		}
	}
}

// pause reports whether it lasted whole.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
