package review_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/protocol/staking/stake"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// stopwatch measures for how long at least one call to the node was under way.
type stopwatch struct {
	mu    sync.Mutex
	open  int
	begin time.Time
	total time.Duration
}

func (w *stopwatch) call() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open++; w.open == 1 {
		w.begin = time.Now()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.open--; w.open == 0 {
			w.total += time.Since(w.begin)
		}
	}
}

func (w *stopwatch) reset() (total time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	total, w.total = w.total, 0
	return total
}

// timed is a node whose calls a stopwatch measures.
type timed struct {
	node.Chain
	node.Simulator
	w *stopwatch
}

func (t timed) ChainIdentifier(ctx context.Context) (sui.Digest, error) {
	defer t.w.call()()
	return t.Chain.ChainIdentifier(ctx)
}

func (t timed) Epoch(ctx context.Context) (sui.Epoch, error) {
	defer t.w.call()()
	return t.Chain.Epoch(ctx)
}

func (t timed) Coins(ctx context.Context, owner sui.Address, coin sui.CoinType, most int) ([]sui.Coin, error) {
	defer t.w.call()()
	return t.Chain.Coins(ctx, owner, coin, most)
}

func (t timed) Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error) {
	defer t.w.call()()
	return t.Chain.Balance(ctx, owner, coin)
}

func (t timed) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	defer t.w.call()()
	return t.Chain.Objects(ctx, ids)
}

func (t timed) Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error) {
	defer t.w.call()()
	return t.Chain.Metadata(ctx, coin)
}

func (t timed) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	defer t.w.call()()
	return t.Simulator.Simulate(ctx, tx, checks)
}

func (t timed) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	defer t.w.call()()
	return t.Simulator.SimulateBytes(ctx, b, checks)
}

// timedHouse returns a house whose node a stopwatch measures.
func timedHouse(t testing.TB) (*testkit.Harness, *stopwatch) {
	w := &stopwatch{}
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		node := timed{c.Chain, c.Simulator, w}
		c.Chain, c.Simulator = node, node
		c.Adapters = []plan.Adapter{swap.New(deepbook.New(deepbook.Config{Chain: node, Now: c.Now}))}
	})
	return h, w
}

// ownWork returns what one computation takes without the node: building, hashing,
// decoding, judging, assembling and storing.
func ownWork(t testing.TB) func() time.Duration {
	h, w := timedHouse(t)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	return func() time.Duration {
		w.reset()
		begin := time.Now()
		s = h.Compute(s)
		took := time.Since(begin) - w.reset()
		if s.Status != record.Ready {
			t.Fatalf("%s %s", s.Status, s.Reason)
		}
		return took
	}
}

// BenchmarkComputeOwnWork is one computation with the node's time taken off.
func BenchmarkComputeOwnWork(b *testing.B) {
	once := ownWork(b)
	var took []time.Duration
	for b.Loop() {
		took = append(took, once())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "own-ms-median")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "own-ms-p95")
	if best := took[0]; best > 60*time.Millisecond {
		b.Errorf("one computation takes %s or more of its own", best)
	}
}

// timedStakes reads validators and stakes, which a stopwatch measures.
type timedStakes struct {
	stake.Source
	w *stopwatch
}

func (t timedStakes) Validator(ctx context.Context, at sui.Address) (sui.ActiveValidator, bool, error) {
	defer t.w.call()()
	return t.Source.Validator(ctx, at)
}

// BenchmarkStakeToReady is a staking review from the tool call until it is ready. Own is without
// the node's time.
func BenchmarkStakeToReady(b *testing.B) {
	h, w := timedHouse(b)
	h.Use(stake.NewStake(timedStakes{staking.NewReader(h.Node, h.Clock.Now), w}))
	_, list, err := h.Node.Validators(b.Context())
	if err != nil || len(list) == 0 {
		b.Fatalf("%d validators, %v", len(list), err)
	}
	in := plan.Intent{Type: "stake", From: plan.IntentSource{Symbol: "SUI", Amount: "10"},
		Own: plan.Own{"validator": list[0].Address.String()}}
	h.Connect(sandbox.Account)
	var own, whole []time.Duration
	for b.Loop() {
		w.reset()
		begin := time.Now()
		s, err := h.Reviews.Prepare(b.Context(), in)
		if err == nil {
			s, err = h.Reviews.Opened(b.Context(), s.ID)
		}
		if err != nil {
			b.Fatal(err)
		}
		if s = h.Compute(s); s.Status != record.Ready {
			b.Fatalf("%s %s", s.Status, s.Reason)
		}
		took := time.Since(begin)
		own, whole = append(own, took-w.reset()), append(whole, took)
	}
	slices.Sort(own)
	slices.Sort(whole)
	b.ReportMetric(float64(own[len(own)/2].Microseconds())/1000, "own-ms-median")
	b.ReportMetric(float64(own[len(own)*95/100].Microseconds())/1000, "own-ms-p95")
	b.ReportMetric(float64(whole[len(whole)/2].Microseconds())/1000, "ms-median")
	if own[0] > 60*time.Millisecond {
		b.Errorf("a staking review takes %s or more of its own", own[0])
	}
}

// BenchmarkReleaseToBytes is from the page's request to the bytes in hand: the
// coins read once more, the release durable. Own is without the node's time.
func BenchmarkReleaseToBytes(b *testing.B) {
	h, w := timedHouse(b)
	var own, whole []time.Duration
	for b.Loop() {
		s := h.Ready(testkit.Swap("2", "SUI", "USDC"))
		w.reset()
		begin := time.Now()
		h.HandOff(s)
		took := time.Since(begin)
		own, whole = append(own, took-w.reset()), append(whole, took)
	}
	slices.Sort(own)
	slices.Sort(whole)
	b.ReportMetric(float64(own[len(own)/2].Microseconds())/1000, "own-ms-median")
	b.ReportMetric(float64(whole[len(whole)/2].Microseconds())/1000, "ms-median")
}
