package node

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Guard runs work whose panic ends nothing but the work, and logs the panic.
type Guard struct{ Log *slog.Logger }

// Guarded runs work and returns its error; a panic is one, too, and is logged.
func (g Guard) Guarded(work func() error) (err error) {
	defer func() { g.LogPanic(err) }()
	defer fault.Recover(&err)
	return work()
}

// LogPanic logs a panic, and nothing else that an error may be.
func (g Guard) LogPanic(err error) {
	var p *fault.Panic
	if errors.As(err, &p) {
		g.Log.Error("work on a review panicked", "panic", p)
	}
}

// Together runs independent reads at once and returns the first error. A panic of
// one is its error.
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
