package main

import (
	"context"
	"log/slog"
	"time"
)

// setup holds the dependencies that all parts of a server share, and closes the parts.
type setup struct {
	options options
	process process // environment of the process
	log     *slog.Logger
	now     func() time.Time

	undo []func() // called by close, last first
}

func newSetup(p process, o options) *setup {
	return &setup{options: o, process: p, log: newLog(p.Stderr), now: p.Now}
}

// later registers a function that close must call.
func (s *setup) later(f func()) { s.undo = append(s.undo, f) }

// close calls the registered functions in reverse order.
func (s *setup) close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
}

// every calls do after the first delay, and then repeatedly with a pause between calls, until
// ending is called.
func every(first, pause time.Duration, do func(context.Context)) (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		next := time.NewTimer(first)
		defer next.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-next.C:
			}
			do(ctx)
			next.Reset(pause)
		}
	}()
	return func() { stop(); <-done }
}
