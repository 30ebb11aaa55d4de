package review_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/revokecap"
	"github.com/sayurintent/sayurintent/internal/protocol/permission"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// granted is a permission of the test account: how it is ended by a review, and how
// another machine with the same key ends it.
type granted struct {
	in        plan.Intent
	elsewhere func(*plan.Builder)
}

func anAllowance(t *testing.T, h *testkit.Harness) granted {
	t.Helper()
	usdc, _ := coins.BySymbol("USDC")
	id, held := h.Sandbox.Permit(sandbox.Allowance{Funder: sandbox.Account, Spender: sandbox.Spender, Coin: usdc.Type,
		Cap: 100_000_000})
	o := h.Sandbox.Object(id)
	return granted{plan.Intent{Type: "permission_revoke", Permission: id.String()}, func(b *plan.Builder) {
		permission.Append(b, h.Sandbox.Object(held).Ref(), sui.SharedInput{ID: id, InitialVersion: o.Owner.InitialVersion,
			Mutable: true}, o.Type.Struct.Params[0])
	}}
}

func aCap(t *testing.T, h *testkit.Harness) granted {
	t.Helper()
	manager, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Trader: sandbox.Spender})
	if err != nil {
		t.Fatal(err)
	}
	found, err := deepbook.NewInventory(h.Pools, h.Node).Permissions(h.Node, h.Clock.Now).List(t.Context(),
		sandbox.Account)
	if err != nil || len(found.Permissions) != 1 {
		t.Fatalf("%+v %v", found, err)
	}
	id := found.Permissions[0].ID
	return granted{plan.Intent{Type: "permission_revoke", Permission: id.String(), Manager: manager.String()},
		func(b *plan.Builder) {
			revokecap.Append(b, deepbook.Holder{ID: manager, Initial: h.Sandbox.Object(manager).Owner.InitialVersion,
				Package: registry.Packages()[0].ID}, id)
		}}
}

// end ends a permission as another machine does: outside of this program, and with
// another coin than the one that reviews pay gas with.
func (g granted) end(t *testing.T, h *testkit.Harness) {
	t.Helper()
	b := plan.NewBuilder(sandbox.Account)
	g.elsewhere(b)
	var pays sui.ObjectRef
	for _, o := range h.Sandbox.Owned(sandbox.Account) {
		if o.Coin == sui.SUI {
			pays = o.Ref() // the smallest is the last
		}
	}
	kind := b.Kind()
	raw, signature, err := h.Sandbox.Sign(&sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands,
		Sender: sandbox.Account, Expiration: sui.NoExpiration{},
		Gas: sui.Gas{Payment: []sui.ObjectRef{pays}, Owner: sandbox.Account, Price: 1000, Budget: 50_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	if done, err := h.Sandbox.Execute(raw, [][]byte{signature}); err != nil || done.Failure != nil {
		t.Fatalf("%+v %v", done, err)
	}
}

// TestPermissionEndedMeanwhile ends a permission elsewhere between the build and the
// handoff: nothing is handed out, and the review says that there is nothing to end.
func TestPermissionEndedMeanwhile(t *testing.T) {
	for name, grant := range map[string]func(*testing.T, *testkit.Harness) granted{"an allowance": anAllowance,
		"a cap": aCap} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			g := grant(t, h)
			s := h.Ready(g.in)
			g.end(t, h)
			_, err := h.Reviews.Handoff(context.Background(), s.ID, s.Revision, s.Commitment)
			if !fault.Is(err, fault.HandoffUnavailable) || !strings.Contains(err.Error(), "There is nothing to end") {
				t.Errorf("handed out: %v", err)
			}
			if s, err = h.Reviews.Get(context.Background(), s.ID); err != nil || s.Status != record.Blocked ||
				s.Reason != plan.ObjectResolutionFailed {
				t.Errorf("%s (%s) %v", s.Status, s.Reason, err)
			}
		})
	}
}

// TestPermissionEndedTwice has two reviews, as two tabs show them, end one permission.
func TestPermissionEndedTwice(t *testing.T) {
	for name, grant := range map[string]func(*testing.T, *testkit.Harness) granted{"an allowance": anAllowance,
		"a cap": aCap} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			g := grant(t, h)
			first, second := h.Ready(g.in), h.Ready(g.in)
			o := h.HandOff(first)
			twin := h.Twin()
			if _, err := twin.Handoff(context.Background(), second.ID, second.Revision, second.Commitment); !fault.Is(err,
				fault.OtherReleaseOpen) {
				t.Errorf("the second is handed out beside the first: %v", err)
			}
			raw, signature := h.Sign(o)
			if _, err := h.Reviews.Signed(context.Background(), first.ID, o.Nonce, raw, signature); err != nil {
				t.Fatal(err)
			}
			done := h.Until(first.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
			if done.Status != record.Success {
				t.Fatalf("%s: %+v", done.Status, done.Execution)
			}
			_, err := twin.Handoff(context.Background(), second.ID, second.Revision, second.Commitment)
			if !fault.Is(err, fault.HandoffUnavailable) || !strings.Contains(err.Error(), "There is nothing to end") {
				t.Errorf("the second: %v", err)
			}
		})
	}
}

// TestPermissionEndedBeforeSubmission ends a permission elsewhere while the wallet is
// asked. What is signed then is no lie: a cap's end fails on chain, and an allowance's can
// never execute.
func TestPermissionEndedBeforeSubmission(t *testing.T) {
	for name, c := range map[string]struct {
		grant func(*testing.T, *testkit.Harness) granted
		want  record.FailureReason
	}{"an allowance": {anAllowance, record.FailureCannotExecute}, "a cap": {aCap, record.FailureChainExecution}} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			g := c.grant(t, h)
			s := h.Ready(g.in)
			o := h.HandOff(s)
			g.end(t, h)
			raw, signature := h.Sign(o)
			if _, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature); err != nil {
				t.Fatal(err)
			}
			if c.want == record.FailureCannotExecute {
				h.Until(s.ID, "the node refused",
					func(s record.Session) bool { return s.Execution.Submission == record.SubmissionRefused })
				for range 2 {
					h.Sandbox.AdvanceEpoch()
				}
			}
			done := h.Until(s.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
			if done.Status != record.Failure || done.Execution.FailureReason != c.want {
				t.Errorf("%s: %+v", done.Status, done.Execution)
			}
		})
	}
}
