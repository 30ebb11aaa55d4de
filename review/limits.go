package review

import "time"

// Limits are the times and amounts that bound a review.
type Limits struct {
	QuoteAge       time.Duration // how old a quote may be when it is used
	BuildLife      time.Duration // how long a built transaction waits for its release
	SessionLife    time.Duration // how long a review lives without a release
	MostWait       time.Duration // one Wait; more is clamped
	ComputeTime    time.Duration // one computation, all node calls together
	MostMerges     int           // coins merged into another one
	LeastGasBudget uint64        // MIST
	MostGasBudget  uint64        // MIST
	MostDiagram    int           // characters of a drawing in text
}

// DefaultLimits are the limits of the product.
func DefaultLimits() Limits {
	return Limits{
		QuoteAge:       30 * time.Second,
		BuildLife:      60 * time.Second,
		SessionLife:    30 * time.Minute,
		MostWait:       45 * time.Second,
		ComputeTime:    60 * time.Second,
		MostMerges:     32,
		LeastGasBudget: 5_000_000,
		MostGasBudget:  1_000_000_000,
		MostDiagram:    20_000,
	}
}

// The bounds of Intent.MaxSlippageBps.
const (
	LeastSlippageBps = 1
	MostSlippageBps  = 1000
)
