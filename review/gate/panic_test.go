package gate_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

// zero is a value from a node that nobody expected.
var zero atomic.Uint64

// brittle panics when a node is asked.
type brittle struct {
	node.Chain
	objects, epoch bool
}

func (b brittle) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	if b.objects {
		_ = 1 / zero.Load()
	}
	return b.Chain.Objects(ctx, ids)
}

func (b brittle) Epoch(ctx context.Context) (sui.Epoch, error) {
	if b.epoch {
		_ = 1 / zero.Load()
	}
	return b.Chain.Epoch(ctx)
}

// pages is a log that several goroutines write.
type pages struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *pages) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *pages) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// Whatever panics in a computation, it ends in a state that the user can act on, and the process
// continues.
func TestPanicsEndInAFinding(t *testing.T) {
	stage := func(at int) forger {
		return forger{cut: func(stages []plan.Stage) []plan.Stage {
			stages[at].Run = func(context.Context, *plan.Step) error { _ = 1 / zero.Load(); return nil }
			return stages
		}}
	}
	for _, c := range []struct {
		name  string
		start func(*review.Config)
		then  func(*testkit.Harness)
	}{
		{"in a stage of an adapter", nil, func(h *testkit.Harness) { f := stage(1); f.Adapter = h.Product(); h.Use(f) }},
		{"while a build is made", nil, func(h *testkit.Harness) {
			h.Use(forger{Adapter: h.Product(), forge: func(*sui.Kind) { _ = 1 / zero.Load() }})
		}},
		{"while bytes are read", nil, func(h *testkit.Harness) {
			h.Use(forger{Adapter: h.Product(), read: func(f plan.StepFacts) plan.StepFacts { _ = 1 / zero.Load(); return f }})
		}},
		{"beside other reads of the node", func(c *review.Config) { c.Chain = brittle{Chain: c.Chain, objects: true} }, nil},
		{"while the epoch is read", func(c *review.Config) { c.Chain = brittle{Chain: c.Chain, epoch: true} }, nil},
		{"over the second node", nil, func(h *testkit.Harness) {
			h.Compare(func(s *gate.Second) { s.Chain = brittle{Chain: s.Chain, objects: true} })
		}},
		{"in an adapter over the second node", nil, func(h *testkit.Harness) {
			h.Compare(func(s *gate.Second) { f := stage(2); f.Adapter = s.Adapters[0]; s.Adapters = []plan.Adapter{f} })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log pages
			h := testkit.Start(t, time.Now, func(cfg *review.Config) {
				cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
				if c.start != nil {
					c.start(cfg)
				}
			})
			if c.then != nil {
				c.then(h)
			}
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if s.Status != record.RefreshRequired || s.Commitment != "" || s.State.Checks[0].Do == "" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
			if !strings.Contains(log.String(), "divide by zero") {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}

// A watch that panics is taken up again.
func TestPanicOfAWatch(t *testing.T) {
	var broken atomic.Bool
	w := hearsay{say: func(e sui.Executed, known bool) (sui.Executed, bool) {
		if broken.Load() {
			_ = 1 / zero.Load()
		}
		return e, known
	}}
	var log pages
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		w.Executor = c.Executor
		c.Executor, c.Log = w, slog.New(slog.NewTextHandler(&log, nil))
	})
	broken.Store(true)
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	h.Until(s.ID, "told", func(record.Session) bool { return strings.Contains(log.String(), "divide by zero") })
	broken.Store(false)
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s", s.Status)
	}
}
