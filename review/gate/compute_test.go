package gate_test

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// wedge intercepts the node's simulations.
type wedge struct {
	node.Simulator
	before func(checks bool) error
	after  func(*sui.Simulation)
}

func (w *wedge) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	if err := w.before(checks); err != nil {
		return sui.Simulation{}, err
	}
	return w.Simulator.Simulate(ctx, tx, checks)
}

func (w *wedge) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	if err := w.before(checks); err != nil {
		return sui.Simulation{}, err
	}
	sim, err := w.Simulator.SimulateBytes(ctx, b, checks)
	if w.after != nil && err == nil {
		w.after(&sim)
	}
	return sim, err
}
