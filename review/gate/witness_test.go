package gate_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

// retold returns the events with one of them changed; nil contents leave it out.
func retold(list []sui.Event, module, name string, edit func([]byte) []byte) []sui.Event {
	var out []sui.Event
	for _, e := range list {
		if e.Type == registry.EventType(module, name) {
			if e.Contents = edit(bytes.Clone(e.Contents)); e.Contents == nil {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// at writes a number into an event.
func at(n int, v uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[n:], v); return b }
}

func omitted([]byte) []byte { return nil }

// Positions of fields in OrderInfo.
const (
	inOrderManager = 32 + 16
	inOrderKind    = 32 + 16 + 32 + 8 + 32
	inOrderEnd     = inOrderKind + 2 + 8 + 1 + 8 + 9
	inOrderFeeKind = inOrderEnd + 8 + 16 + 1
)

// told lists ways in which events differ from what was agreed.
type told struct {
	act, name, module, event string
	edit                     func([]byte) []byte
	says                     string // in the check; empty: that they do not fit
}

func tales() []told {
	const sell, buy, cancel, deposit, take, create = "order to sell", "order to buy, post only, with an end",
		"cancellation", "deposit of SUI", "withdrawal", "making a manager"
	flip := func(n int) func([]byte) []byte { return func(b []byte) []byte { b[n] ^= 1; return b } }
	kind := func(n byte) func([]byte) []byte { return func(b []byte) []byte { b[inOrderKind] = n; return b } }
	end := func(b []byte, back int) int { return len(b) - back }
	return []told{
		{sell, "no order", "order_info", "OrderInfo", omitted, "something different from, or more than"},
		{sell, "an order of another manager", "order_info", "OrderInfo", flip(inOrderManager), ""},
		{sell, "a fee in DEEP", "order_info", "OrderInfo", flip(inOrderFeeKind),
			"“Fee” is reported as “In DEEP” but was agreed as “In SUI”."},
		{sell, "a post-only order", "order_info", "OrderInfo", kind(3), "“Trades at once” is reported as “No"},
		{buy, "an order that may trade", "order_info", "OrderInfo", kind(0), "“Trades at once” is reported as “Yes"},
		{buy, "an order of another kind", "order_info", "OrderInfo", kind(1), "a kind of order that is not reviewed"},
		{buy, "what rests ends later", "order_info", "OrderPlaced", func(b []byte) []byte {
			return at(end(b, 16),
				7_226_582_400_001)(b)
		}, "contradict each other"},
		{buy, "an event cut short", "order_info", "OrderInfo", func(b []byte) []byte { return b[:len(b)-1] },
			"unexpected shape"},
		{cancel, "no cancellation", "order", "OrderCanceled", omitted, "reported no events of the simulation"},
		{cancel, "the order of another manager", "order", "OrderCanceled", flip(0), "“Balance manager” is reported as"},
		{cancel, "an order in another market", "order", "OrderCanceled", flip(32), "not pinned"},
		{cancel, "another order", "order", "OrderCanceled", flip(64), "“Order number” is reported as"},
		{deposit, "no deposit", "balance_manager", "BalanceEvent", omitted, "reported no events of the simulation"},
		{deposit, "a deposit into another manager", "balance_manager", "BalanceEvent", flip(0),
			"“Balance manager” is reported as"},
		{deposit, "a smaller deposit", "balance_manager", "BalanceEvent", func(b []byte) []byte {
			return at(end(b, 9),
				9_999_999_999)(b)
		}, "reported as “9.999999999 SUI” but was agreed as “10 SUI”"},
		{deposit, "a withdrawal instead", "balance_manager", "BalanceEvent", func(b []byte) []byte {
			return flip(end(b,
				1))(b)
		}, "something else, or more"},
		{take, "a withdrawal of another coin", "balance_manager", "BalanceEvent",
			func(b []byte) []byte { return bytes.Replace(b, []byte("usdc::USDC"), []byte("usdc::USDD"), 1) }, "not pinned"},
		{create, "no manager", "balance_manager", "BalanceManagerEvent", omitted, "reported no events of the simulation"},
		{create, "a manager of somebody else", "balance_manager", "BalanceManagerEvent", flip(32), "“Owner” is reported as"},
	}
}

// Events in the simulation must match what was agreed: a missing, changed or additional event
// blocks, from either node.
func TestEventsOfTheSimulation(t *testing.T) {
	w := &testkit.Interceptor{}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	acts, _ := testkit.Stage(t, h)
	for _, c := range tales() {
		a := testkit.Named(t, acts, c.act)
		t.Run(c.act+": the events tell of "+c.name, func(t *testing.T) {
			w.After = func(sim *sui.Simulation) { sim.Events = retold(sim.Events, c.module, c.event, c.edit) }
			s := h.Compute(h.Open(a.Intent))
			worst := s.State.Checks[0]
			if s.Status != record.Blocked || s.Reason != plan.EffectsMismatch || worst.ID != "cross_check_effects" ||
				worst.Rule != "C19" ||
				!strings.Contains(worst.Message, c.says) || s.State.Contract != nil {
				t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
			}
		})
	}
	t.Run("every event that is left out blocks, and so does any at all told twice", func(t *testing.T) {
		for _, a := range acts {
			var events []sui.Event
			w.After = func(sim *sui.Simulation) { events = sim.Events }
			s := h.Ready(a.Intent)
			if len(s.Facts.Terms()) == 0 {
				continue
			}
			for i := range events {
				for name, edit := range map[string]func([]sui.Event) []sui.Event{
					"left out":   func(list []sui.Event) []sui.Event { return slices.Delete(slices.Clone(list), i, i+1) },
					"told twice": func(list []sui.Event) []sui.Event { return append(slices.Clone(list), list[i]) },
				} {
					w.After = func(sim *sui.Simulation) { sim.Events = edit(sim.Events) }
					// An order that rests has a matching event; an order without one is also valid.
					if placed := events[i].Type == registry.EventType("order_info", "OrderPlaced"); placed && name == "left out" {
						continue
					}
					if s := h.Compute(h.Open(a.Intent)); s.Status != record.Blocked || s.Reason != plan.EffectsMismatch {
						t.Errorf("%s, event %d %s: %s %s", a.Name, i, name, s.Status, s.Reason)
					}
				}
			}
		}
	})
	w.After = nil
	h.Compare(func(s *gate.Second) {
		w = &testkit.Interceptor{Simulator: s.Simulator, Before: w.Before}
		s.Simulator = w
	})
	for _, c := range tales() {
		a := testkit.Named(t, acts, c.act)
		t.Run("C20 "+c.act+": the second node’s events tell of "+c.name, func(t *testing.T) {
			w.After = func(sim *sui.Simulation) { sim.Events = retold(sim.Events, c.module, c.event, c.edit) }
			s := h.Compute(h.Open(a.Intent))
			if worst := s.State.Checks[0]; s.Status != record.Blocked || s.Reason != plan.EffectsMismatch ||
				worst.ID != "provider_mismatch" || worst.Rule != "C20" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
			}
		})
	}
}

// FlowX's events name only the pool; other terms rely on the bytes.
func TestEventsOfAnotherProtocol(t *testing.T) {
	w := &testkit.Interceptor{}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	h.Use(h.FlowX())
	in := testkit.Swap("10", "SUI", "USDC")
	for name, edit := range map[string]func([]sui.Event) []sui.Event{
		"no swap":      func([]sui.Event) []sui.Event { return nil },
		"two swaps":    func(list []sui.Event) []sui.Event { return append(list, list...) },
		"another pool": func(list []sui.Event) []sui.Event { list[0].Contents[40] ^= 1; return list },
		"somebody else": func(list []sui.Event) []sui.Event {
			list[0].Contents[3] ^= 1
			return list
		},
	} {
		t.Run("the events tell of "+name, func(t *testing.T) {
			w.After = func(sim *sui.Simulation) { sim.Events = edit(sim.Events) }
			if s := h.Compute(h.Open(in)); s.Status != record.Blocked || s.Reason != plan.EffectsMismatch ||
				s.State.Checks[0].ID != "cross_check_effects" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
	w.After = nil
	t.Run("a receipt holds the pool, and not the deadline, against the events", func(t *testing.T) {
		s := h.Settle(h.Ready(in))
		var ids []string
		for _, p := range s.Execution.Receipt.Promises {
			if strings.HasPrefix(p.ID, "term_") && p.Kept {
				ids = append(ids, p.ID)
			}
		}
		if len(s.Facts.Terms()) != 2 || len(ids) != 1 || ids[0] != "term_pool" {
			t.Errorf("%v of %+v", ids, s.Facts.Terms())
		}
	})
}

// reteller changes the events of executed transactions.
type reteller struct {
	node.Executor
	edit func([]sui.Event) []sui.Event
}

func (r *reteller) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	e, ok, err := r.Executor.Transaction(ctx, d)
	if r.edit != nil {
		e.Events = r.edit(e.Events)
	}
	return e, ok, err
}

// A receipt compares every term with the events of the execution.
func TestReceiptOfTerms(t *testing.T) {
	r := &reteller{}
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		r.Executor, c.Executor = c.Executor, r
		c.Prover = nil // with proofs, only signed events can settle
	})
	acts, _ := testkit.Stage(t, h)
	terms := func(s record.Session) map[string]record.PromiseResult {
		out := map[string]record.PromiseResult{}
		for _, p := range s.Execution.Receipt.Promises {
			if strings.HasPrefix(p.ID, "term_") {
				out[p.Label] = p
			}
		}
		return out
	}
	for _, a := range acts {
		if a.Intent.Type == "transfer" {
			continue // it has no terms, and takes the others' coins
		}
		t.Run(a.Name+": all terms are kept", func(t *testing.T) {
			s := h.Settle(h.Ready(a.Intent))
			list := terms(s)
			if s.Status != record.Success || len(list) != len(s.Facts.Terms()) {
				t.Fatalf("%s %+v", s.Status, s.Execution)
			}
			for _, term := range s.Facts.Terms() {
				if p := list[term.Name]; !p.Kept || p.Promised != term.Value || p.Actual != term.Value {
					t.Errorf("%+v, agreed %+v", p, term)
				}
			}
		})
	}
	sell := testkit.Named(t, acts, "order to sell").Intent
	for name, c := range map[string]struct {
		edit func([]sui.Event) []sui.Event
		kept int
		says string
	}{
		"another end": {func(list []sui.Event) []sui.Event {
			list = retold(list, "order_info", "OrderPlaced", func(b []byte) []byte {
				return at(len(b)-16,
					7_226_582_400_000)(b)
			})
			return retold(list, "order_info", "OrderInfo", at(inOrderEnd, 7_226_582_400_000))
		}, 7, "2199-01-01 00:00:00 UTC"},
		"a second order": {func(list []sui.Event) []sui.Event { return append(list, list...) }, 0, "something different from, or more than"},
	} {
		t.Run("a receipt says what was not kept: "+name, func(t *testing.T) {
			r.edit = c.edit
			s := h.Settle(h.Ready(sell))
			kept, said := 0, false
			for _, p := range terms(s) {
				if p.Kept {
					kept++
				} else {
					said = said || strings.Contains(p.Actual, c.says)
				}
			}
			if kept != c.kept || !said {
				t.Errorf("%d kept, %+v", kept, s.Execution.Receipt.Promises)
			}
		})
	}
	t.Run("what a node does not tell is not known, and no broken promise", func(t *testing.T) {
		r.edit = func([]sui.Event) []sui.Event { return nil }
		s := h.Settle(h.Ready(sell))
		if out := s.Execution.Receipt.Outcome; len(terms(s)) != 0 || len(out) != 1 || !strings.HasPrefix(out[0].Value,
			"Not known") {
			t.Errorf("%+v %+v", terms(s), out)
		}
	})
}
