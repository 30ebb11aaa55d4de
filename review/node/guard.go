package node

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Guard runs functions, recovers their panics and logs them, so that the process continues.
type Guard struct{ Log *slog.Logger }

// Guarded calls work and returns its error. A panic is logged and returned as an error.
func (g Guard) Guarded(work func() error) (err error) {
	defer func() { g.LogPanic(err) }()
	defer fault.Recover(&err)
	return work()
}

// LogPanic logs an error that is a recovered panic, and no other error.
func (g Guard) LogPanic(err error) {
	var p *fault.Panic
	if errors.As(err, &p) {
		g.Log.Error("work on a review panicked", "panic", p)
	}
}

// Together runs independent reads concurrently and returns the first error. A panic in a read
// becomes its error.
func (g Guard) Together(reads ...func() error) error {
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for i, read := range reads {
		wg.Go(func() { errs[i] = g.Guarded(read) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
