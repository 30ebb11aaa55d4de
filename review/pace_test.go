package review_test

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

// timer changes what a node says of epoch and gas price.
type timer struct {
	node.Chain
	say *atomic.Pointer[func(*sui.Epoch)]
}

func (c timer) Epoch(ctx context.Context) (sui.Epoch, error) {
	e, err := c.Chain.Epoch(ctx)
	if f := c.say.Load(); err == nil && f != nil {
		(*f)(&e)
	}
	return e, err
}

// A node's word about time and the price of gas is believed within what can be.
func TestEpochAndGasPriceOfALyingNode(t *testing.T) {
	epoch := func(change func(uint64) uint64) func(*sui.Epoch) {
		return func(e *sui.Epoch) { e.Number = change(e.Number) }
	}
	price := func(n uint64) func(*sui.Epoch) { return func(e *sui.Epoch) { e.GasPrice = n } }
	plus := func(n uint64) func(*sui.Epoch) { return epoch(func(now uint64) uint64 { return now + n }) }
	for _, c := range []struct {
		name         string
		lie          func(*sui.Epoch)
		alone, twice record.Status // with an honest second node
		both         record.Status // where the second tells the same
	}{
		{"the truth", plus(0), record.Ready, record.Ready, record.Ready},
		{"an epoch ahead", plus(1), record.Ready, record.RefreshRequired, record.Ready},
		{"two ahead", plus(2), record.Blocked, record.Blocked, record.Ready},
		{"a million ahead", plus(1_000_000), record.Blocked, record.Blocked, record.Ready},
		{"the last epoch", epoch(func(uint64) uint64 { return math.MaxUint64 }), record.Blocked, record.Blocked,
			record.Blocked},
		{"an epoch behind", epoch(func(n uint64) uint64 { return n - 1 }), record.RefreshRequired, record.RefreshRequired,
			record.RefreshRequired},
		{"the first epoch", epoch(func(uint64) uint64 { return 0 }), record.RefreshRequired, record.RefreshRequired,
			record.RefreshRequired},
		{"the dearest gas", price(10_000), record.Ready, record.Blocked, record.Ready},
		{"dearer gas", price(10_001), record.Blocked, record.Blocked, record.Ready},
	} {
		t.Run(c.name, func(t *testing.T) {
			var say, none atomic.Pointer[func(*sui.Epoch)]
			h := testkit.Start(t, time.Now, func(cfg *review.Config) {
				cfg.Chain, cfg.Pace.Ahead = timer{cfg.Chain, &say}, 1
			})
			say.Store(&c.lie)
			compute := func(with string, want record.Status) {
				t.Helper()
				s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
				if s.Status != want || (s.Commitment != "") != (want == record.Ready) {
					t.Errorf("%s: %s %s %+v", with, s.Status, s.Reason, s.State.Checks[0])
				}
				if want == record.Blocked && !strings.Contains(s.State.Checks[0].Do, "node") {
					t.Errorf("%s: nothing can be done: %+v", with, s.State.Checks[0])
				}
			}
			h.Compare(func(s *gate.Second) { s.Chain = timer{s.Chain, &none} })
			compute("with an honest second node", c.twice)
			h.Compare(func(s *gate.Second) { s.Chain = timer{s.Chain, &say} })
			if c.name != "the last epoch" { // no client lets that number through
				compute("with a second node that says so, too", c.both)
			}
			other := testkit.Start(t, time.Now, func(cfg *review.Config) {
				cfg.Chain, cfg.Pace.Ahead = timer{cfg.Chain, &say}, 1
			})
			h = other
			compute("alone", c.alone)
		})
	}
}

// What is known of a chain outlives the process, and belongs to that chain.
func TestEpochsAreRemembered(t *testing.T) {
	var say atomic.Pointer[func(*sui.Epoch)]
	h := testkit.Start(t, time.Now, func(cfg *review.Config) { cfg.Chain, cfg.Pace.Ahead = timer{cfg.Chain, &say}, 1 })
	lie := func(by uint64) {
		f := func(e *sui.Epoch) { e.Number += by }
		say.Store(&f)
	}
	status := func(want record.Status) {
		t.Helper()
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		if s.Status != want {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	}
	lie(1)
	status(record.Ready)
	h.Restart()
	lie(2) // a node cannot run ahead by one more with every answer
	status(record.Blocked)
	lie(0) // an honest node is not accused because another one lied before
	status(record.Ready)
	h.Clock.Advance(25 * time.Hour) // and the chain's own epoch turns
	lie(0)
	status(record.Ready)
	// Once a second node confirmed it, it is remembered, and an earlier one is a lag.
	lie(0)
	h.Compare(nil)
	status(record.Ready)
	h.Restart()
	behind := func(e *sui.Epoch) { e.Number-- }
	say.Store(&behind)
	status(record.RefreshRequired)
}

// After a transaction executed, ten times its gas price is believed.
func TestGasPriceOfTheLastTransaction(t *testing.T) {
	var say atomic.Pointer[func(*sui.Epoch)]
	h := testkit.Start(t, time.Now, func(cfg *review.Config) { cfg.Chain = timer{cfg.Chain, &say} })
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Fatalf("%s", s.Status)
	}
	h.Restart()
	for price, want := range map[uint64]record.Status{5000: record.Ready, 5001: record.Blocked} {
		f := func(e *sui.Epoch) { e.GasPrice = price }
		say.Store(&f)
		if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != want {
			t.Errorf("%d: %s %+v", price, s.Status, s.State.Checks[0])
		}
	}
}

// The proof that a transaction can never execute rests on no epoch that cannot be.
func TestNoProofByALyingEpoch(t *testing.T) {
	var say atomic.Pointer[func(*sui.Epoch)]
	h := testkit.Start(t, time.Now, func(cfg *review.Config) { cfg.Chain, cfg.Pace.Ahead = timer{cfg.Chain, &say}, 1 })
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	given := h.HandOff(s)
	f := func(e *sui.Epoch) { e.Number += 1_000_000 }
	say.Store(&f)
	raw, signature := h.Sign(given)
	s, err := h.Reviews.Signed(context.Background(), s.ID, given.Nonce, raw, signature)
	if err != nil {
		t.Fatal(err)
	}
	// Effects are looked for although the epoch cannot be used.
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s", s.Status)
	}
}
