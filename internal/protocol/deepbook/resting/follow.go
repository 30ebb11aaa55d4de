package resting

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// pace determines how often the follower reads the orders.
type pace struct {
	poll time.Duration // interval if no checkpoint is reported
	head time.Duration // minimum interval while checkpoints are reported
	wake time.Duration // minimum interval between reads for new orders while none rests
}

var usual = pace{15 * time.Second, 2 * time.Second, 10 * time.Second}

// nodePause is how long to wait before renewing a subscription that ended.
const nodePause = time.Minute

// Node reports the chain's checkpoints as they arrive. It returns when the stream ends, or if the node
// has none.
type Node interface {
	Executed(ctx context.Context, each func(checkpoint uint64, digests []sui.Digest) error) error
}

// Run reads the orders whenever placed receives, which means that an order may have been placed or an
// account connected. While orders rest, including those of an earlier process, it reads them at each
// checkpoint, or every 15 seconds if the node reports none. While no order rests, it sends the node no
// requests. It returns when ctx ends.
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
	var stop context.CancelFunc // cancels the subscription, which also ends with ctx
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

// await waits until the orders should be read again.
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

// subscribe renews the subscription until ctx ends.
func subscribe(ctx context.Context, node Node, heads chan<- struct{}) {
	for {
		// An error needs no report: without a subscription, Run still reads every 15 seconds.
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

// pause waits for d. It returns false if ctx ended first.
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
