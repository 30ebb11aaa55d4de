package permission_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/permission"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/gate"
)

var (
	agent   = sui.MustAddress("0x2a" + strings.Repeat("0", 61) + "e")
	usdc, _ = coins.BySymbol("USDC")
)

// hundred returns an allowance of the test account for 100 USDC within 90 days.
func hundred(now time.Time) ledger.Allowance {
	return ledger.Allowance{Funder: sandbox.Account, Spender: agent, Coin: usdc.Type, Cap: 100_000_000,
		End: uint64(now.Add(90 * 24 * time.Hour).UnixMilli())}
}

func end(id sui.ObjectID) plan.Intent {
	return plan.Intent{Type: "permission_revoke", Permission: id.String()}
}

func adapter(h *testkit.Harness) plan.Adapter {
	return permission.New(deepbook.NewInventory(h.Pools, h.Node).Permissions(h.Node, h.Clock.Now))
}

func TestConformance(t *testing.T) {
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: adapter,
		Make: func(h *testkit.Harness) []plan.Intent {
			first, _ := h.Sandbox.Permit(hundred(h.Clock.Now()))
			endless, _ := h.Sandbox.Permit(ledger.Allowance{Funder: sandbox.Account, Spender: agent, Coin: sui.SUI,
				Limit: 5_000_000_000, Months: 1})
			return []plan.Intent{end(first), end(endless)}
		},
		Bad: map[string]func(*plan.Intent){
			"no id":               func(i *plan.Intent) { i.Permission = "" },
			"a part of an id":     func(i *plan.Intent) { i.Permission = "0x12" },
			"a name":              func(i *plan.Intent) { i.Permission = "alice.sui" },
			"a manager besides":   func(i *plan.Intent) { i.Manager = agent.String() },
			"an amount of a coin": func(i *plan.Intent) { i.From = plan.IntentSource{Symbol: "SUI", Amount: "1"} },
		},
	})
}

// TestRevokeRefused checks allowances that cannot be revoked, and the explanations.
func TestRevokeRefused(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	other := sui.MustAddress("0xabc")
	of := func(edit func(*ledger.Allowance)) sui.ObjectID {
		a := hundred(h.Clock.Now())
		edit(&a)
		id, _ := h.Sandbox.Permit(a)
		return id
	}
	look := of(func(a *ledger.Allowance) { a.Package = sui.MustAddress("0x5") })
	_, held := h.Sandbox.Permit(hundred(h.Clock.Now()))
	for name, c := range map[string]struct {
		id   sui.ObjectID
		says string
	}{
		"a look-alike": {look,
			"is not one of the chain's own allowances: its type is " +
				"0x0000000000000000000000000000000000000000000000000000000000000005::allowance"},
		"of another account": {of(func(a *ledger.Allowance) { a.Funder = other }), "takes from the account " +
			other.String() + ", and only that account can end it"},
		"nothing at all": {sui.MustAddress("0x77"), "There is nothing to end: the object"},
		"its cap":        {held, "is not one of the chain's own allowances"},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.Compute(h.Open(end(c.id)))
			if s.Status != record.Blocked || s.Reason != plan.ObjectResolutionFailed ||
				!strings.Contains(s.State.Checks[0].Message, c.says) {
				t.Errorf("%s (%s): %q", s.Status, s.Reason, s.State.Checks[0].Message)
			}
		})
	}
}

// TestResult revokes an allowance. Afterwards, its spender can take nothing.
func TestResult(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	id, held := h.Sandbox.Permit(hundred(h.Clock.Now()))
	s := h.Ready(end(id))
	if title := s.State.Outlook[0].Subject.Title; title != "End the permission of "+agent.String()+
		" to take up to 100 USDC" {
		t.Errorf("the title is %q", title)
	}
	done := h.Settle(s)
	if done.Status != record.Success || h.Sandbox.Object(id) != nil || h.Sandbox.Object(held) != nil {
		t.Fatalf("%s: %+v", done.Status, done.Execution)
	}
	r := done.Execution.Receipt
	if r.Result.Title != "Ended the permission to take USDC" || len(r.Result.Holds) != 2 ||
		r.Result.Holds[1].Value != "the chain no longer has the allowance" {
		t.Errorf("%+v, %+v", r.Result, r.Outcome)
	}
	if !r.GasNet.Negative {
		t.Errorf("nothing came back for the deleted objects: %s", r.GasNet)
	}
	t.Run("what was not reported to be gone is not said to be", func(t *testing.T) {
		facts := done.Facts.Steps[0]
		told := permission.New(nil).ReportResult(sui.Executed{}, facts)
		if strings.Contains(told.Title, "Ended") {
			t.Errorf("%+v", told)
		}
	})
}

// liar reports a false spender.
type liar struct{ permission.Source }

func (l liar) Allowance(ctx context.Context, account sui.Address, id sui.ObjectID) (standing.Permission, error) {
	p, err := l.Source.Allowance(ctx, account, id)
	p.Holder = sandbox.Spender
	return p, err
}

// TestSecondNode blocks the review if a second node reports another spender, because the spender is not
// in the bytes.
func TestSecondNode(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	id, _ := h.Sandbox.Permit(hundred(h.Clock.Now()))
	h.Compare(nil)
	h.Ready(end(id))
	h.Compare(func(s *gate.Second) {
		for i, a := range s.Adapters {
			if a.Meta().AdapterID == "sui-permission-revoke" {
				s.Adapters[i] = permission.New(liar{deepbook.NewInventory(h.Pools, h.Node).Permissions(h.Node, h.Clock.Now)})
			}
		}
	})
	s := h.Compute(h.Open(end(id)))
	if said := s.State.Checks[0].Message; s.Status != record.Blocked ||
		!strings.Contains(said, "reports another allowance "+id.String()) {
		t.Errorf("%s (%s): %q", s.Status, s.Reason, said)
	}
}
