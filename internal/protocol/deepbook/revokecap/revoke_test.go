package revokecap_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/revokecap"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

var agent = sui.MustAddress("0x2a" + strings.Repeat("0", 61) + "e")

func reader(h *testkit.Harness) standing.Reader {
	return deepbook.NewInventory(h.Pools, h.Node).Permissions(h.Node, h.Clock.Now)
}

func adapter(h *testkit.Harness) plan.Adapter {
	return revokecap.New(deepbook.NewInventory(h.Pools, h.Node), reader(h))
}

// capsOf opens a manager with the caps of m, and returns the intents that revoke them.
func capsOf(t *testing.T, h *testkit.Harness, m sandbox.Manager) (intents []plan.Intent) {
	t.Helper()
	m.Registered = true
	if _, err := h.Sandbox.OpenManager(m); err != nil {
		t.Fatal(err)
	}
	found, err := reader(h).List(t.Context(), m.Owner)
	if err != nil || len(found.Permissions) == 0 {
		t.Fatalf("%+v %v", found, err)
	}
	for _, p := range found.Permissions {
		intents = append(intents, plan.Intent{Type: "permission_revoke", Permission: p.ID.String(),
			Manager: p.Manager.String()})
	}
	return intents
}

func TestConformance(t *testing.T) {
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: adapter,
		Make: func(h *testkit.Harness) []plan.Intent {
			return capsOf(t, h, sandbox.Manager{Owner: sandbox.Account, Trader: agent, Depositor: agent, Withdrawer: agent})
		},
		Bad: map[string]func(*plan.Intent){
			"no cap":               func(i *plan.Intent) { i.Permission = "" },
			"no manager":           func(i *plan.Intent) { i.Manager = "" },
			"a part of a manager":  func(i *plan.Intent) { i.Manager = "0x12" },
			"an order besides":     testkit.Own("orderId", "1"),
			"a recipient by name":  func(i *plan.Intent) { i.RecipientName = "alice.sui" },
			"a symbol besides":     func(i *plan.Intent) { i.To.Symbol = "SUI" },
			"a cap that is a word": func(i *plan.Intent) { i.Permission = "trade" },
		},
	})
}

// TestResult revokes a cap, which the manager then no longer lists. The object remains.
func TestResult(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	in := capsOf(t, h, sandbox.Manager{Owner: sandbox.Account, Trader: agent})[0]
	s := h.Ready(in)
	if o := s.State.Outlook; len(o) != 1 || o[0].Subject.Title != "End the right of "+agent.String()+
		" to trade everything in your balance manager" {
		t.Errorf("%+v", o)
	}
	done := h.Settle(s)
	r := done.Execution.Receipt
	if done.Status != record.Success || r.Result.Title != "Ended a right to your balance manager" ||
		len(r.Result.Holds) != 2 ||
		r.Result.Holds[1].Value != "the balance manager no longer lists the cap" {
		t.Fatalf("%s: %+v", done.Status, r)
	}
	if found, err := reader(h).List(t.Context(), sandbox.Account); err != nil || len(found.Permissions) != 0 {
		t.Errorf("still there: %+v %v", found, err)
	}
	if h.Sandbox.Object(sui.MustAddress(in.Permission)) == nil {
		t.Error("the cap of the holder is gone")
	}
	t.Run("a cap that was ended already is told in words", func(t *testing.T) {
		again := h.Compute(h.Open(in))
		if said := again.State.Checks[0].Message; again.Status != record.Blocked || !strings.Contains(said,
			"There is nothing to end: the balance manager") {
			t.Errorf("%s: %q", again.Status, said)
		}
	})
}

// TestAbortInWords explains the chain's abort for a cap that is not on the manager's list, if no node
// reported that earlier.
func TestAbortInWords(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	in := capsOf(t, h, sandbox.Manager{Owner: sandbox.Account, Trader: agent})[0]
	h.Use(revokecap.New(deepbook.NewInventory(h.Pools, h.Node), blind{reader(h)}))
	in.Permission = agent.String()
	s := h.Compute(h.Open(in))
	if said := s.State.Checks[0].Message; s.Reason != plan.ObjectResolutionFailed || !strings.Contains(said,
		"does not admit this cap") {
		t.Errorf("%s (%s): %q", s.Status, s.Reason, said)
	}
	for name, other := range map[string]sui.ObjectID{"another account's manager": mine(t, h, agent),
		"no manager": sui.MustAddress("0x77")} {
		t.Run(name, func(t *testing.T) {
			in.Manager = other.String()
			if s := h.Compute(h.Open(in)); s.Reason != plan.ObjectResolutionFailed {
				t.Errorf("%s (%s): %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
}

// blind reports every cap as being on the list.
type blind struct{ standing.Reader }

func (b blind) Cap(ctx context.Context, account sui.Address, manager, id sui.ObjectID) (standing.Permission, error) {
	return standing.Permission{Kind: standing.ManagerCap, ID: id, Manager: manager, Holder: agent, Right: standing.Trade},
		nil
}

func mine(t *testing.T, h *testkit.Harness, owner sui.Address) sui.ObjectID {
	t.Helper()
	id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestRead rejects transactions that only look like revoking a cap.
func TestRead(t *testing.T) {
	build := func(edit func(*sui.MoveCall)) *sui.Transaction {
		b := plan.NewBuilder(sandbox.Account)
		revokecap.Append(b, deepbook.Holder{ID: agent, Initial: 5, Package: registry.Packages()[0].ID}, agent)
		kind := b.Kind()
		call := kind.Commands[0].(sui.MoveCall)
		edit(&call)
		kind.Commands[0] = call
		return &sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands, Sender: sandbox.Account}
	}
	for name, edit := range map[string]func(*sui.MoveCall){
		"another function":   func(c *sui.MoveCall) { c.Function = "mint_trade_cap" },
		"another package":    func(c *sui.MoveCall) { c.Package = agent },
		"the cap left out":   func(c *sui.MoveCall) { c.Arguments = c.Arguments[:1] },
		"arguments swapped":  func(c *sui.MoveCall) { c.Arguments[0], c.Arguments[1] = c.Arguments[1], c.Arguments[0] },
		"with type argument": func(c *sui.MoveCall) { c.TypeArgs = []sui.TypeTag{sui.MustTypeTag("0x2::sui::SUI")} },
	} {
		if f, err := testkit.Read(revokecap.New(nil, nil), build(edit)); err == nil {
			t.Errorf("%s is read as %+v", name, f)
		}
	}
	if _, err := testkit.Read(revokecap.New(nil, nil), build(func(*sui.MoveCall) {})); err != nil {
		t.Error(errors.Unwrap(err), err)
	}
}
