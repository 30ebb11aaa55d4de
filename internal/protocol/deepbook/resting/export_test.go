package resting

import (
	"context"
	"time"
)

// RunFast is like Run, but without pauses between reads and without polling.
func (f *Follower) RunFast(ctx context.Context, node Node, placed <-chan struct{}) {
	f.run(ctx, node, placed, pace{poll: time.Hour, head: time.Millisecond, wake: time.Millisecond})
}
