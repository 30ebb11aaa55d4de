package floored_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/gate"
)

// twoNodes starts the product with two nodes of one chain. lie, if set, changes the second node's
// answers.
func twoNodes(t *testing.T, lie func(versions.Node) versions.Node) *testkit.Harness {
	t.Helper()
	h := started(t)
	var second *rpc.Client
	h.Compare(func(s *gate.Second) {
		second = s.Chain.(*rpc.Client)
		s.Adapters = floored.Adapters(second, h.Node, nil)
	})
	var asked versions.Node = second
	if lie != nil {
		asked = lie(second)
	}
	h.Use(floored.Adapters(h.Node, asked, nil)...)
	return h
}

func pinned(slug string) sui.ObjectID {
	for _, p := range floor.Known().Protocols {
		if p.Slug == slug {
			return p.Packages[floor.Main].Published
		}
	}
	return sui.ObjectID{}
}

// says returns the check about versions. It returns false if there is none.
func says(s record.Session, slug string) (plan.Check, bool) {
	i := slices.IndexFunc(s.State.Checks, func(c plan.Check) bool { return c.ID == slug+"_newer_version" })
	if i < 0 {
		return plan.Check{}, false
	}
	return s.State.Checks[i], true
}

// retired is the abort of a version that no longer works.
var retired = &ledger.Retired{Module: "lending_market", Code: 1}

// TestNewerVersion: if the known version no longer works, the newer one is called with a minimum, and
// the review has a warning.
func TestNewerVersion(t *testing.T) {
	for name, c := range map[string]struct {
		first []plan.Intent
		in    plan.Intent
	}{
		"a mint":       {nil, swapIntent("springsui", "10", "SUI", "sSUI")},
		"a swap":       {nil, swapIntent("cetus", "10", "USDC", "SUI")},
		"a flash swap": {nil, swapIntent("momentum", "10", "SUI", "USDC")},
		"a supply":     {nil, supplyIntent("suilend", "10", "USDC")},
		"a withdrawal": {[]plan.Intent{supplyIntent("suilend", "25", "USDC")}, withdrawIntent("suilend", "20", "USDC")},
	} {
		t.Run(name, func(t *testing.T) {
			h := twoNodes(t, nil)
			for _, in := range c.first {
				job(t, h, in)
			}
			next := h.Sandbox.Ledger.Publish(pinned(c.in.Protocol), retired, nil)
			ready := h.Ready(c.in)
			if step := ready.Facts.Steps[0]; step.Package != next.Published || len(step.Floors) != 1 {
				t.Errorf("it calls %s with minimums %v", step.Package, step.Floors)
			}
			check, ok := says(ready, c.in.Protocol)
			if !ok || check.Status != plan.CheckWarning || !strings.Contains(check.Message, "which no longer works") {
				t.Errorf("%+v", check)
			}
			if done := h.Settle(ready); done.Status != record.Success {
				t.Errorf("%s: %+v", done.Status, done.Execution)
			}
		})
	}
}

// TestNewerPaysLess: the chain aborts the transaction if unknown code pays one unit less than the
// minimum.
func TestNewerPaysLess(t *testing.T) {
	h := twoNodes(t, nil)
	h.Sandbox.Ledger.Publish(pinned("springsui"), retired, nil)
	ready := h.Ready(swapIntent("springsui", "10", "SUI", "sSUI"))
	least := ready.Facts.Steps[0].Floors[0].Least
	foreign.Lie(h.Sandbox.Ledger, springInfo, uint64(ready.State.Quote.Expected.Raw-least.Raw+1), 0)
	if done := h.Settle(ready); done.Status != record.Failure {
		t.Errorf("%s: %+v", done.Status, done.Execution)
	}
}

// TestKnownVersionFirst: the newer version is not called while the known one works.
func TestKnownVersionFirst(t *testing.T) {
	h := twoNodes(t, nil)
	h.Sandbox.Ledger.Publish(pinned("suilend"), nil, nil)
	ready := h.Ready(supplyIntent("suilend", "10", "USDC"))
	if got := ready.Facts.Steps[0].Package; got != pinned("suilend") {
		t.Errorf("it calls %s", got)
	}
	if check, ok := says(ready, "suilend"); ok {
		t.Errorf("%+v", check)
	}
}

// otherVersions is a node that reports false versions.
type otherVersions struct {
	versions.Node
	list []sui.PackageVersion
}

func (o otherVersions) Versions(ctx context.Context, id sui.ObjectID) ([]sui.PackageVersion, error) {
	list, err := o.Node.Versions(ctx, id)
	return append(list[:len(list)-1:len(list)-1], o.list...), err
}

// longer adds one parameter to every function.
func longer(list []ledger.Function) []ledger.Function {
	for i := range list {
		list[i].Params = append([]ledger.Param{"u64"}, list[i].Params...)
	}
	return list
}

// TestNewerVersionRefused: a newer version is not called, and the review explains why.
func TestNewerVersionRefused(t *testing.T) {
	none := func(n versions.Node) versions.Node { return otherVersions{n, nil} }
	another := func(n versions.Node) versions.Node {
		return otherVersions{n, []sui.PackageVersion{{Published: sui.ObjectID{7}, Version: 99}}}
	}
	supply := supplyIntent("suilend", "10", "USDC")
	for name, c := range map[string]struct {
		in   plan.Intent
		lie  func(versions.Node) versions.Node
		edit func([]ledger.Function) []ledger.Function
		one  bool // there is no second node
		why  string
	}{
		"a changed signature":          {in: supply, edit: longer, why: "a function that is called has changed in it"},
		"no second node":               {in: supply, one: true, why: "no second node is set"},
		"a second node without it":     {in: supply, lie: none, why: "the second node reports something else"},
		"a second node with another":   {in: supply, lie: another, why: "the second node does not confirm it"},
		"a claim kept for the account": {in: withdrawIntent("navi", "1", "SUI"), why: "the transaction sets no minimum"},
		"a supply that has no minimum": {in: supplyIntent("navi", "1", "SUI"), why: "the transaction sets no minimum"},
	} {
		t.Run(name, func(t *testing.T) {
			h := twoNodes(t, c.lie)
			if c.one {
				h.Use(floored.Adapters(h.Node, nil, debts(h))...)
			}
			foreign.Supply(h.Sandbox.Ledger, sandbox.Account, sui.SUI, 2_000_000_000)
			h.Sandbox.Ledger.Publish(pinned(c.in.Protocol), retired, c.edit)
			s := h.Compute(h.Open(c.in))
			if s.Status == record.Ready {
				t.Fatalf("it is ready, and calls %s", s.Facts.Steps[0].Package)
			}
			if check, ok := says(s, c.in.Protocol); c.in.Protocol == "suilend" && (!ok || !strings.Contains(check.Message,
				c.why)) {
				t.Errorf("%+v, not %q", check, c.why)
			}
			if text := s.State.Checks[0].Message; c.in.Protocol == "suilend" && !strings.Contains(text, "was retired") {
				t.Errorf("%q", text)
			}
		})
	}
}
