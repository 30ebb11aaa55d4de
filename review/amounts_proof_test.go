package review_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	validators "github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// adder tells of executed transactions what edit makes of their changes of coins.
type adder struct {
	node.Executor
	edit atomic.Pointer[func([]sui.BalanceChange) []sui.BalanceChange]
}

func (a *adder) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	e, ok, err := a.Executor.Transaction(ctx, d)
	if edit := a.edit.Load(); edit != nil {
		e.Balances = (*edit)(e.Balances)
	}
	return e, ok, err
}

// unread proves all but amounts, as over a node that forgot the coins of before; forged is
// what it says of amounts instead.
type unread struct {
	node.Prover
	says atomic.Pointer[error]
}

func (u *unread) Amounts(ctx context.Context, o *validators.Outcome) ([]sui.BalanceChange, error) {
	if err := u.says.Load(); err != nil {
		return nil, *err
	}
	return u.Prover.Amounts(ctx, o)
}

// What everybody gained and lost is proved by the coins before and after.
func TestAmountsAreProved(t *testing.T) {
	start := func(t *testing.T) (*testkit.Harness, *adder, *unread) {
		a, u := &adder{}, &unread{}
		h := testkit.Start(t, time.Now, func(c *review.Config) {
			a.Executor, c.Executor = c.Executor, a
			u.Prover, c.Prover = c.Prover, u
		})
		return h, a, u
	}
	t.Run("of a swap", func(t *testing.T) {
		h, _, _ := start(t)
		s := h.Settle(h.Ready(testkit.Swap("10", "SUI", "USDC")))
		if p := s.Execution.Proof(); p.State != record.Proved || !p.Amounts {
			t.Errorf("%+v", p)
		}
	})
	mine := func(list []sui.BalanceChange, edit func(*sui.BalanceChange)) []sui.BalanceChange {
		out := append([]sui.BalanceChange{}, list...)
		for i := range out {
			if out[i].Owner == sandbox.Account && out[i].Coin != sui.SUI {
				edit(&out[i])
			}
		}
		return out
	}
	for name, edit := range map[string]func([]sui.BalanceChange) []sui.BalanceChange{
		"more arrived than did": func(list []sui.BalanceChange) []sui.BalanceChange {
			return mine(list, func(c *sui.BalanceChange) { c.Amount.Amount++ })
		},
		"another coin arrived": func(list []sui.BalanceChange) []sui.BalanceChange {
			return mine(list, func(c *sui.BalanceChange) {
				c.Coin = "0x0000000000000000000000000000000000000000000000000000000000000bad::coin::COIN"
			})
		},
		"nothing arrived": func(list []sui.BalanceChange) []sui.BalanceChange {
			return list[:1]
		},
		"a coin besides": func(list []sui.BalanceChange) []sui.BalanceChange {
			return append(list[:len(list):len(list)], sui.BalanceChange{Owner: sandbox.Account,
				Coin:   "0x0000000000000000000000000000000000000000000000000000000000000bad::coin::COIN",
				Amount: sui.Delta{Amount: 1}})
		},
	} {
		t.Run("told falsely: "+name, func(t *testing.T) {
			h, a, _ := start(t)
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			a.edit.Store(&edit)
			_, s = h.Send(s)
			s = until(t, h, s.ID, "a mismatch",
				func(s record.Session) bool { return s.Execution.Proof().State == record.Mismatched })
			if s.Status != record.SignedPendingResult || s.Execution.Receipt != nil {
				t.Errorf("%s %+v", s.Status, s.Execution.Receipt)
			}
			a.edit.Store(nil)
			until(t, h, s.ID, "proved", settledWith(record.Proved))
		})
	}
	t.Run("what is not told is what was signed", func(t *testing.T) {
		h, a, _ := start(t)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		none := func([]sui.BalanceChange) []sui.BalanceChange { return nil }
		a.edit.Store(&none)
		_, s = h.Send(s)
		s = until(t, h, s.ID, "proved", settledWith(record.Proved))
		if !s.Execution.Proved.Amounts || len(s.Execution.Receipt.BalanceChanges) != 2 {
			t.Errorf("%+v", s.Execution.Receipt.BalanceChanges)
		}
	})
	t.Run("coins that the node forgot leave the amounts told", func(t *testing.T) {
		h, _, u := start(t)
		gone := error(&validators.Refusal{Reason: validators.Missing})
		u.says.Store(&gone)
		s := h.Settle(h.Ready(testkit.Swap("10", "SUI", "USDC")))
		if p := s.Execution.Proof(); p.State != record.Proved || p.Amounts {
			t.Errorf("%+v", p)
		}
	})
	t.Run("forged coins settle nothing", func(t *testing.T) {
		h, _, u := start(t)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		forged := error(&validators.Refusal{Reason: validators.Mismatch})
		u.says.Store(&forged)
		_, s = h.Send(s)
		until(t, h, s.ID, "a mismatch", func(s record.Session) bool { return s.Execution.Proof().State == record.Mismatched })
	})
	t.Run("a receipt with false amounts is found out later", func(t *testing.T) {
		h, s := sent(t, sandbox.NoCertificate)
		s = until(t, h, s.ID, "told", settledWith(record.Reported))
		_, err := h.Store.Change(t.Context(), s.ID, "test", func(r *record.Row) error {
			r.Session.Execution.Receipt.BalanceChanges[0].Amount.Amount++
			r.Touch(h.Clock.Now())
			return nil
		})
		if err == nil {
			err = h.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		}
		if err != nil {
			t.Fatal(err)
		}
		h.Reviews.ProveAgain(t.Context(), s.ID)
		until(t, h, s.ID, "a mismatch", settledWith(record.Mismatched))
	})
}
