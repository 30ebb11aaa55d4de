package floored_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

const usdc sui.CoinType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"

func swapIntent(slug, amount, from, to string) plan.Intent {
	return plan.Intent{Type: "swap", Protocol: slug, From: plan.IntentSource{Symbol: from, Amount: amount},
		To: plan.IntentTarget{Symbol: to}, MaxSlippageBps: 50}
}

func supplyIntent(slug, amount, coin string) plan.Intent {
	return plan.Intent{Type: "supply", Protocol: slug, From: plan.IntentSource{Symbol: coin, Amount: amount}}
}

func withdrawIntent(slug, amount, coin string) plan.Intent {
	return plan.Intent{Type: "supply-withdraw", Protocol: slug, To: plan.IntentTarget{Symbol: coin, Amount: amount}}
}

// job executes an intent and returns its receipt's title.
func job(t *testing.T, h *testkit.Harness, in plan.Intent) string {
	t.Helper()
	done := h.Settle(h.Ready(in))
	if done.Status != record.Success {
		t.Fatalf("%+v: %s: %+v", in, done.Status, done.Execution)
	}
	return done.Execution.Receipt.Result.Title
}

// adapter returns the adapter of a protocol's action.
func adapter(h *testkit.Harness, slug, action string) plan.Adapter {
	for _, a := range floored.Adapters(h.Node, nil, debts(h)) {
		if a.Meta().Slug == slug && a.Meta().Action == action {
			return a
		}
	}
	return nil
}

// symbolOf returns the symbol of a coin that the sandbox's account has, or can buy from a described
// protocol. It returns "" for any other coin.
func symbolOf(coin sui.CoinType) (symbol string, own bool) {
	c, ok := floor.Known().CoinByType(coin)
	_, listed := coins.ByType(coin)
	if !ok || listed && c.Symbol != "SUI" && c.Symbol != "USDC" {
		return "", false
	}
	return c.Symbol, !listed
}

// described returns intents for every way of an action, and those to execute first.
func described(p *floor.Protocol, of floor.Action) (first, good []plan.Intent) {
	for _, w := range p.Ways(of) {
		in, own := symbolOf(w.In)
		out, bought := symbolOf(w.Out)
		switch {
		case of == floor.Supply && in != "":
			good = append(good, supplyIntent(p.Slug, "10", in))
		case of == floor.SupplyWithdraw && out != "":
			first = append(first, supplyIntent(p.Slug, "25", out))
			good = append(good, withdrawIntent(p.Slug, "4", out), withdrawIntent(p.Slug, "", out))
		case of == floor.Swap && in != "" && out != "":
			if bought {
				first = append(first, swapIntent(p.Slug, "20", in, out))
			}
			good = append(good, swapIntent(p.Slug, map[bool]string{true: "2.5", false: "10"}[own], in, out))
		}
	}
	return first, good
}

// TestConformance runs the adapters' conformance suite for every action of every description.
func TestConformance(t *testing.T) {
	for _, p := range floor.Known().Protocols {
		for _, action := range p.Actions() {
			t.Run(p.Slug+" "+action, func(t *testing.T) { conforms(t, p, floor.Action(action)) })
		}
	}
}

func conforms(t *testing.T, p *floor.Protocol, action floor.Action) {
	first, good := described(p, action)
	strict := slices.ContainsFunc(p.Ways(action)[0].Function.Steps, func(s floor.Step) bool {
		return slices.Contains(s.Args, "amount") && action == floor.Supply // the call takes the payment and its amount
	})
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: func(h *testkit.Harness) plan.Adapter {
			h.Use(floored.Adapters(h.Node, nil, debts(h))...)
			for _, in := range first {
				job(t, h, in)
			}
			return adapter(h, p.Slug, string(action))
		}, Good: good, Strict: strict})
}

// TestNewProtocol adds only a description. Its actions can be prepared and executed, and a minimum that
// is not reached stops them.
func TestNewProtocol(t *testing.T) {
	data, err := os.ReadFile("testdata/brook.json")
	if err != nil {
		t.Fatal(err)
	}
	brook, err := floor.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	known := floor.Known
	t.Cleanup(func() { floor.Known = known })
	with := &floor.Catalog{Protocols: append(slices.Clone(known().Protocols), brook)}
	floor.Known = func() *floor.Catalog { return with }
	for _, action := range brook.Actions() {
		t.Run(action, func(t *testing.T) { conforms(t, brook, floor.Action(action)) })
	}
	h := started(t)
	for _, c := range []struct {
		in    plan.Intent
		title string
	}{
		{swapIntent("brook", "10", "SUI", "brSUI"), "Swapped 10 SUI for 9.433962264 brSUI"},
		{swapIntent("brook", "5", "brSUI", "SUI"), "Swapped 5 brSUI for 5.3 SUI"},
		{supplyIntent("brook", "10", "USDC"), "Supplied 10 USDC to Brook"},
	} {
		if title := job(t, h, c.in); !strings.HasPrefix(title, c.title) {
			t.Errorf("%s: %q", c.title, title)
		}
	}
	ready := h.Ready(swapIntent("brook", "10", "SUI", "brSUI"))
	foreign.Lie(h.Sandbox.Ledger, brook.Objects[0].ID, uint64(ready.State.Quote.Expected.Raw), 0)
	if done := h.Settle(ready); done.Status != record.Failure {
		t.Errorf("a minimum that is not reached: %s, %+v", done.Status, done.Execution)
	}
}

// TestJobs performs a series of typical actions.
func TestJobs(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(floored.Adapters(h.Node, nil, debts(h))...)
	for _, c := range []struct {
		in    plan.Intent
		title string
	}{
		{swapIntent("springsui", "10", "SUI", "sSUI"), "Swapped 10 SUI for 9.433962264 sSUI"},
		{swapIntent("springsui", "5", "sSUI", "SUI"), "Swapped 5 sSUI for"},
		{supplyIntent("suilend", "100", "USDC"), "Supplied 100 USDC to Suilend"},
		{withdrawIntent("suilend", "40", "USDC"), "Withdrew 40.000002 USDC from Suilend"},
		{withdrawIntent("suilend", "", "USDC"), "Withdrew 59.99"},
		{supplyIntent("navi", "3", "SUI"), "Supplied 3 SUI to NAVI"},
		{withdrawIntent("navi", "1", "SUI"), "Withdrew 1 SUI from NAVI"},
		{withdrawIntent("navi", "", "SUI"), "Withdrew 2 SUI from NAVI"},
		{swapIntent("cetus", "10", "SUI", "USDC"), "Swapped 10 SUI for"},
		{swapIntent("cetus", "10", "USDC", "SUI"), "Swapped 10 USDC for"},
		{swapIntent("momentum", "10", "SUI", "USDC"), "Swapped 10 SUI for"},
		{swapIntent("momentum", "10", "USDC", "SUI"), "Swapped 10 USDC for"},
	} {
		if title := job(t, h, c.in); !strings.HasPrefix(title, c.title) {
			t.Errorf("%s: %q", c.title, title)
		}
	}
	if got := h.Sandbox.Holding(sandbox.Account, foreign.CToken(usdc)); got.Coins != 0 || got.InAddress != 0 {
		t.Errorf("%v receipts are left", got)
	}
}
