package review_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// TestSimulationChecks follows what the node is asked to simulate: a review is ready after the
// very bytes of its material were simulated with all checks of an execution.
func TestSimulationChecks(t *testing.T) {
	w := &testkit.Interceptor{}
	var asked []bool // of the computation: with checks or without
	w.Before = func(checks bool) error { asked = append(asked, checks); return nil }
	var simulated []sui.Digest
	w.After = func(sim *sui.Simulation) { simulated = append(simulated, sim.Digest) }
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	asked, simulated = nil, nil
	s = h.Compute(s)
	t.Run("R004-380 the last simulation is of the bytes, with checks", func(t *testing.T) {
		if len(asked) == 0 || !asked[len(asked)-1] {
			t.Fatalf("with checks: %v", asked)
		}
		row, err := h.Store.ReviewRow(t.Context(), s.ID)
		if err != nil || len(row.Materials) != 1 || len(simulated) == 0 {
			t.Fatal(row.Materials, simulated, err)
		}
		if got, want := simulated[len(simulated)-1], row.Materials[0].Bytes.Digest(); got != want {
			t.Errorf("%s was simulated, the bytes are of %s", got, want)
		}
	})
}
