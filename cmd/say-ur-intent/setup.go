package main

import (
	"context"
	"log/slog"
	"time"
)

// setup is what everything in a server is built from, and how it ends.
type setup struct {
	options options
	process process // that it runs in
	log     *slog.Logger
	now     func() time.Time

	undo []func() // what close does, in reverse order
}

func newSetup(p process, o options) *setup {
	return &setup{options: o, process: p, log: newLog(p.Stderr), now: p.Now}
}

// later registers what close must do.
func (s *setup) later(f func()) { s.undo = append(s.undo, f) }

// close ends everything in the opposite order of its beginning.
func (s *setup) close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.undo = nil
}

// every runs do after a time and then with a pause after each run, until ending is called.
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
