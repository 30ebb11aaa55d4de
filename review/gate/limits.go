package gate

import (
	"context"
	"math"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits are the time limits and amounts that bound a review.
type Limits struct {
	QuoteAge       time.Duration // maximum age of a quote when it is used
	BuildLife      time.Duration // how long a built transaction may wait for its release
	SessionLife    time.Duration // how long a review may wait for a release
	MostWait       time.Duration // maximum duration of one Wait
	ComputeTime    time.Duration // timeout of one computation, including all node calls
	FirstLook      time.Duration // timeout of the preflight before a review is created
	MostMerges     int           // maximum number of coins merged into one
	LeastGasBudget uint64        // MIST
	MostGasBudget  uint64        // MIST
	MostDiagram    int           // maximum length of a drawing as text, in characters
}

// DefaultLimits returns the limits that the program uses.
func DefaultLimits() Limits {
	return Limits{
		QuoteAge:       30 * time.Second,
		BuildLife:      60 * time.Second,
		SessionLife:    30 * time.Minute,
		MostWait:       45 * time.Second,
		ComputeTime:    60 * time.Second,
		FirstLook:      2 * time.Second,
		MostMerges:     32,
		LeastGasBudget: 5_000_000,
		MostGasBudget:  1_000_000_000,
		MostDiagram:    20_000,
	}
}

// GasBudget returns 1.2 times the larger of the computation cost and the net cost, rounded up and
// within the limits.
func GasBudget(g sui.GasCost, l Limits) uint64 {
	most := plan.BigInt(g.Computation)
	net := new(big.Int).Add(most, plan.BigInt(g.Storage))
	net.Sub(net, plan.BigInt(g.Rebate))
	if net.Cmp(most) > 0 {
		most = net
	}
	most = new(big.Int).Mul(most, big.NewInt(12))
	most.Add(most, big.NewInt(9)).Div(most, big.NewInt(10))
	budget := uint64(math.MaxUint64)
	if most.IsUint64() {
		budget = most.Uint64()
	}
	return min(max(budget, l.LeastGasBudget), l.MostGasBudget)
}

// limits returns this machine's limits and, if there is a daily limit, the releases that it counts.
// Allowed must be set.
func (c Config) limits(ctx context.Context) (allowed policy.Allowance, handed []record.Handed, err error) {
	allowed, err = c.Allowed(ctx)
	if err == nil && len(allowed.PerDay) > 0 {
		handed, err = c.Store.Handed(ctx, c.Now().Add(-policy.Day))
	}
	return allowed, handed, err
}

// allow checks the facts decoded from the bytes against this machine's limits. The release checks
// them again.
func allow(ctx context.Context, r *described) error {
	if r.c.Allowed == nil {
		return nil
	}
	allowed, handed, err := r.c.limits(ctx)
	if err != nil {
		return record.Unreadable(err)
	}
	if stop := record.Judged(allowed, r.session, *r.facts, handed, r.c.Now()); stop != nil {
		return stop
	}
	if allowed.Limited() {
		r.check(plan.Pass(plan.SourceAdapter, "allowance", "Your own limits",
			"It keeps within the limits and lists that you set on the settings page. Gas is not counted towards them."))
	}
	return nil
}
