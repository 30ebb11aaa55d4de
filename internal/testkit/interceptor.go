package testkit

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// Interceptor intercepts a node's simulations. Before, unless nil, can fail one; After, unless nil, can
// change its result.
type Interceptor struct {
	node.Simulator
	Before func(checks bool) error
	After  func(*sui.Simulation)
}

// Simulate calls Before and passes the simulation on. It does not call After.
func (w *Interceptor) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	if err := w.before(checks); err != nil {
		return sui.Simulation{}, err
	}
	return w.Simulator.Simulate(ctx, tx, checks)
}

// SimulateBytes calls Before, passes the simulation on, and calls After with its result.
func (w *Interceptor) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	if err := w.before(checks); err != nil {
		return sui.Simulation{}, err
	}
	sim, err := w.Simulator.SimulateBytes(ctx, b, checks)
	if w.After != nil && err == nil {
		w.After(&sim)
	}
	return sim, err
}

func (w *Interceptor) before(checks bool) error {
	if w.Before == nil {
		return nil
	}
	return w.Before(checks)
}
