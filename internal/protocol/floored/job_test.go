package floored_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
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

// job carries an intent out, and returns its receipt's title.
func job(t *testing.T, h *testkit.Harness, in plan.Intent) string {
	t.Helper()
	done := h.Settle(h.Ready(in))
	if done.Status != record.Success {
		t.Fatalf("%+v: %s: %+v", in, done.Status, done.Execution)
	}
	return done.Execution.Receipt.Result.Title
}

// adapter picks an action of a protocol.
func adapter(h *testkit.Harness, slug, action string) plan.Adapter {
	for _, a := range floored.Adapters(h.Node, nil, debts(h)) {
		if a.Meta().Slug == slug && a.Meta().Action == action {
			return a
		}
	}
	return nil
}

// TestConformance holds every action of every description to the rules of adapters.
func TestConformance(t *testing.T) {
	for name, c := range map[string]struct {
		first []plan.Intent // carried out before
		good  []plan.Intent
	}{
		"springsui swap": {[]plan.Intent{swapIntent("springsui", "20", "SUI", "sSUI")}, []plan.Intent{swapIntent("springsui",
			"10", "SUI", "sSUI"), swapIntent("springsui", "2.5", "sSUI", "SUI")}},
		"cetus swap": {nil, []plan.Intent{swapIntent("cetus", "10", "SUI", "USDC"), swapIntent("cetus", "25", "USDC",
			"SUI")}},
		"momentum swap": {nil, []plan.Intent{swapIntent("momentum", "10", "SUI", "USDC"), swapIntent("momentum", "25",
			"USDC", "SUI")}},
		"suilend supply": {nil, []plan.Intent{supplyIntent("suilend", "10", "SUI"), supplyIntent("suilend", "25", "USDC")}},
		"navi supply":    {nil, []plan.Intent{supplyIntent("navi", "10", "SUI"), supplyIntent("navi", "25", "USDC")}},
		"suilend supply-withdraw": {[]plan.Intent{supplyIntent("suilend", "10", "SUI"), supplyIntent("suilend", "25",
			"USDC")},
			[]plan.Intent{withdrawIntent("suilend", "4", "SUI"), withdrawIntent("suilend", "", "SUI"), withdrawIntent("suilend",
				"20", "USDC")}},
		"navi supply-withdraw": {[]plan.Intent{supplyIntent("navi", "10", "SUI"), supplyIntent("navi", "25", "USDC")},
			[]plan.Intent{withdrawIntent("navi", "4", "SUI"), withdrawIntent("navi", "", "SUI"), withdrawIntent("navi", "25",
				"USDC")}},
	} {
		t.Run(name, func(t *testing.T) {
			slug, action, _ := strings.Cut(name, " ")
			testkit.Adapter(t, time.Now, testkit.Subject{
				Adapter: func(h *testkit.Harness) plan.Adapter {
					h.Use(floored.Adapters(h.Node, nil, debts(h))...)
					for _, in := range c.first {
						job(t, h, in)
					}
					return adapter(h, slug, action)
				}, Good: c.good, Strict: name == "navi supply"})
		})
	}
}

// TestJobs does what a person would, one after the other.
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
