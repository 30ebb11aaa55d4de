package floored_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// debts returns a reader of loans that uses the harness's node.
func debts(h *testkit.Harness) floored.Debts {
	return positions.NewReader(h.Node, staking.NewReader(h.Node, h.Clock.Now))
}

// springInfo is SpringSui's sSUI object, with its exchange rate.
var springInfo = sui.MustAddress("0x15eda7330c8f99c30e430b4d82fd7ab2af3ead4ae17046fcb224aa9bad394f6b")

func started(t *testing.T) *testkit.Harness {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	h.Use(floored.Adapters(h.Node, nil, debts(h))...)
	return h
}

// TestOneUnitLess: a protocol that returns one unit less than the minimum aborts, and the receipt says
// so.
func TestOneUnitLess(t *testing.T) {
	for name, c := range map[string]struct {
		in plan.Intent
		at sui.ObjectID
	}{
		"a swap":       {swapIntent("cetus", "10", "SUI", "USDC"), foreign.CetusPool},
		"a mint":       {swapIntent("springsui", "10", "SUI", "sSUI"), springInfo},
		"a supply":     {supplyIntent("suilend", "10", "USDC"), foreign.Market},
		"a withdrawal": {withdrawIntent("navi", "1", "SUI"), foreign.Storage},
	} {
		t.Run(name, func(t *testing.T) {
			h := started(t)
			foreign.Supply(h.Sandbox.Ledger, sandbox.Account, sui.SUI, 2_000_000_000)
			ready := h.Ready(c.in)
			before := h.Sandbox.Holding(sandbox.Account, usdc)
			least := ready.Facts.Steps[0].Floors[0].Least
			paid := least.Raw
			if q := ready.State.Quote; q != nil {
				paid = q.Expected.Raw
			} else if c.in.Type == "supply" {
				paid = 10_000_000 * 1_000_000_000_000 / 1_060_000_000_000
			}
			foreign.Lie(h.Sandbox.Ledger, c.at, uint64(paid-least.Raw+1), 0)
			done := h.Settle(ready)
			if done.Status != record.Failure {
				t.Fatalf("%s: %+v", done.Status, done.Execution)
			}
			text, _ := json.Marshal(done.Execution)
			if want := "Less than " + least.String() + " would have come out"; !strings.Contains(string(text), want) {
				t.Errorf("%q is not in %s", want, text)
			}
			if after := h.Sandbox.Holding(sandbox.Account, usdc); after != before {
				t.Errorf("the account had %+v and has %+v", before, after)
			}
		})
	}
}

// TestLoansRefused: an account with loans is refused before anything is built; one without is not.
func TestLoansRefused(t *testing.T) {
	h := started(t)
	foreign.Supply(h.Sandbox.Ledger, sandbox.Account, sui.SUI, 2_000_000_000)
	foreign.Borrow(h.Sandbox.Ledger, sandbox.Account, usdc, 1)
	refused := func(in plan.Intent, why string) {
		t.Helper()
		s := h.Compute(h.Open(in))
		if s.Status != record.Blocked || !strings.Contains(s.State.Checks[0].Message, why) {
			t.Errorf("%s: %s, %+v", in.Type, s.Status, s.State.Checks[0])
		}
	}
	refused(supplyIntent("navi", "1", "SUI"), "has loans at NAVI")
	refused(withdrawIntent("navi", "1", "SUI"), "has loans at NAVI")

	// A position without loans does not prevent an action, and neither do receipts in the account.
	job(t, h, supplyIntent("suilend", "3", "SUI"))
	foreign.Position(h.Sandbox.Ledger, sandbox.Account, sui.SUI, 4_000_000_000, 0)
	job(t, h, supplyIntent("suilend", "2", "SUI"))
	foreign.Position(h.Sandbox.Ledger, sandbox.Account, usdc, 0, 5_000_000)
	refused(supplyIntent("suilend", "1", "SUI"), "has loans at Suilend")
	refused(withdrawIntent("suilend", "1", "SUI"), "has loans at Suilend")
}

// TestUnreadPosition: a position of an unknown form may have loans.
func TestUnreadPosition(t *testing.T) {
	h := started(t)
	foreign.Position(h.Sandbox.Ledger, sandbox.Account, "", 0, 0)
	s := h.Compute(h.Open(supplyIntent("suilend", "1", "SUI")))
	if s.Status != record.Blocked || !strings.Contains(s.State.Checks[0].Message, "could not be read") {
		t.Errorf("%s, %+v", s.Status, s.State.Checks[0])
	}
}

// silent is a node whose simulations return nothing.
type silent struct{ floored.Chain }

func (s silent) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	sim, err := s.Chain.Simulate(ctx, tx, checks)
	if err == nil {
		sim.Returns = nil
	}
	return sim, err
}

// TestGuardUnanswered: without the protocol's answer about an account, the account may have loans.
func TestGuardUnanswered(t *testing.T) {
	h := started(t)
	h.Use(floored.Adapters(silent{h.Node}, nil, debts(h))...)
	s := h.Compute(h.Open(supplyIntent("navi", "1", "SUI")))
	if s.Status == record.Ready || !strings.Contains(s.State.Checks[0].Message, "does not show whether") {
		t.Errorf("%s, %+v", s.Status, s.State.Checks[0])
	}
}

// TestNothingSupplied: there is nothing to withdraw, or less than requested.
func TestNothingSupplied(t *testing.T) {
	h := started(t)
	for slug, says := range map[string]string{"suilend": "supplied no SUI to Suilend",
		"navi": "Nothing is supplied there."} {
		if s := h.Compute(h.Open(withdrawIntent(slug, "", "SUI"))); s.Status == record.Ready ||
			!strings.Contains(s.State.Checks[0].Message, says) {
			t.Errorf("%s: %s, %+v", slug, s.Status, s.State.Checks[0])
		}
	}
	foreign.Supply(h.Sandbox.Ledger, sandbox.Account, sui.SUI, 2_000_000_000)
	s := h.Compute(h.Open(withdrawIntent("navi", "3", "SUI")))
	if s.Reason != plan.InsufficientBalance || !strings.Contains(s.State.Checks[0].Message,
		"All that this account can withdraw now is 2 SUI.") {
		t.Errorf("%s, %+v", s.Reason, s.State.Checks[0])
	}
}

// TestSupplies reads the supply that NAVI records for an account.
func TestSupplies(t *testing.T) {
	h := started(t)
	job(t, h, supplyIntent("navi", "3", "SUI"))
	found, err := floored.Supplies(t.Context(), h.Node, h.Clock.Now, sandbox.Account)
	if err != nil || len(found) != 1 || found[0] != (floored.Supply{Protocol: "NAVI", Coin: sui.SUI,
		Amount: 3_000_000_000}) {
		t.Errorf("%+v, %v", found, err)
	}
}

// other is a node that reports an object as another type.
type other struct{ floored.Chain }

func (o other) Present(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	list, err := o.Chain.Present(ctx, ids)
	for i := range list {
		list[i].Type = "0x2::coin::Coin<0x2::sui::SUI>"
	}
	return list, err
}

// TestObjectsAreRead: an object must match the description.
func TestObjectsAreRead(t *testing.T) {
	h := started(t)
	h.Use(floored.Adapters(other{h.Node}, nil, nil)...)
	s := h.Compute(h.Open(swapIntent("cetus", "10", "SUI", "USDC")))
	if s.Status != record.Blocked || !strings.Contains(s.State.Checks[0].Message, "as this program knows it") {
		t.Errorf("%s, %+v", s.Status, s.State.Checks[0])
	}
}

// TestReserveIsTheCoin: the review is refused if the pinned reserve holds another coin.
func TestReserveIsTheCoin(t *testing.T) {
	h := started(t)
	job(t, h, supplyIntent("suilend", "10", "USDC"))
	foreign.MoveReserve(h.Sandbox.Ledger, usdc, 8)
	for _, in := range []plan.Intent{supplyIntent("suilend", "10", "USDC"), withdrawIntent("suilend", "5", "USDC")} {
		s := h.Compute(h.Open(in))
		if s.Status == record.Ready || !strings.Contains(s.State.Checks[0].Message, "keeps another coin in the reserve") {
			t.Errorf("%s: %s, %+v", in.Type, s.Status, s.State.Checks[0])
		}
	}
}

// TestReadRefuses changes a built transaction so that it uses another object, value or amount, or has
// no minimum.
func TestReadRefuses(t *testing.T) {
	h := started(t)
	s := h.Ready(supplyIntent("suilend", "10", "USDC"))
	swap := h.Ready(swapIntent("cetus", "10", "SUI", "USDC"))
	for name, c := range map[string]struct {
		of   record.Session
		edit func(*sui.Transaction)
	}{
		"another reserve": {s, func(tx *sui.Transaction) { set(tx, sui.PureU64(7), sui.PureU64(8)) }},
		"another amount":  {swap, func(tx *sui.Transaction) { set(tx, sui.PureU64(10_000_000_000), sui.PureU64(9)) }},
		"another pool": {swap, func(tx *sui.Transaction) {
			for i, in := range tx.Inputs {
				if shared, ok := in.(sui.SharedInput); ok && shared.ID == foreign.CetusPool {
					shared.ID = sui.ObjectID{7}
					tx.Inputs[i] = shared
				}
			}
		}},
		"no minimum": {swap, func(tx *sui.Transaction) {
			for i, c := range tx.Commands {
				if call, ok := c.(sui.MoveCall); ok && call.Function == "swap" {
					send := tx.Commands[len(tx.Commands)-1].(sui.TransferObjects)
					tx.Commands = append(tx.Commands[:i+1], send)
				}
			}
		}},
	} {
		row, err := h.Store.ReviewRow(t.Context(), c.of.ID)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := row.Materials[0].Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		a := adapter(h, c.of.Protocol, c.of.Action)
		if _, err := testkit.Read(a, tx); err != nil {
			t.Fatalf("%s: unchanged: %v", name, err)
		}
		c.edit(tx)
		if _, err := testkit.Read(a, tx); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// set replaces the last input with a value.
func set(tx *sui.Transaction, old, new sui.PureInput) {
	for i := len(tx.Inputs) - 1; i >= 0; i-- {
		if in, ok := tx.Inputs[i].(sui.PureInput); ok && string(in.Bytes) == string(old.Bytes) {
			tx.Inputs[i] = new
			return
		}
	}
}

// TestChoice: if several venues can do it, the choices show the expected amounts.
func TestChoice(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(adapters.Over(h.Node, nil, h.Pools, nil, h.Clock.Now)...)
	h.Connect(sandbox.Account)
	for _, in := range []plan.Intent{swapIntent("", "10", "SUI", "USDC"), swapIntent("", "25", "USDC", "SUI")} {
		_, err := h.Reviews.Prepare(t.Context(), in)
		if err == nil || fault.As(err).Detail.Get("reason") != "protocol_choice_required" {
			t.Fatal(err)
		}
		text, _ := json.Marshal(fault.As(err).Detail)
		for _, slug := range []string{"deep", "flowx", "cetus", "momentum"} {
			if !strings.Contains(string(text), `{"slug":"`+slug+`"`) {
				t.Errorf("%s is not among the choices: %s", slug, text)
			}
		}
		if strings.Count(string(text), `"expected":`) != strings.Count(string(text), `"slug":`) {
			t.Errorf("%s", text)
		}
	}
}
