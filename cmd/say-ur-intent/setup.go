package main

import (
	"context"
	"log/slog"
	"time"
)

// setup is what all parts of a server are built from, and how they are closed.
type setup struct {
	options options
	process process // the process it runs in
	log     *slog.Logger
	now     func() time.Time

	undo []func() // functions for close to call, in reverse order
}

func newSetup(p process, o options) *setup {
	return &setup{options: o, process: p, log: newLog(p.Stderr), now: p.Now}
}

// later registers a function that close must call.
func (s *setup) later(f func()) { s.undo = append(s.undo, f) }

// close ends everything in reverse order of creation.
func (s *setup) close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
}

// every calls do after a delay, and then repeatedly with a pause after each call, until ending is
// called.
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
