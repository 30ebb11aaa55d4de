package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

// look prepares an intent and returns its preflight with the messages of all blockers.
func (w *world) look(intent string) (map[string]any, string) {
	w.t.Helper()
	p := w.must("action.prepare_sui_action_review", `{"intent":`+intent+`}`)["preflight"].(map[string]any)
	var all []string
	for _, b := range p["blockers"].([]any) {
		all = append(all, b.(map[string]any)["message"].(string))
	}
	return p, strings.Join(all, " | ")
}

// nextOf returns the call of one blocker: its tool, its arguments as JSON, and the intents
// in them.
func nextOf(t *testing.T, p map[string]any, blocker int) (tool, arguments string, intents []string) {
	t.Helper()
	next, ok := p["blockers"].([]any)[blocker].(map[string]any)["next"].(map[string]any)
	if !ok {
		t.Fatalf("blocker %d has no next: %v", blocker, p)
	}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	args := next["arguments"].(map[string]any)
	if one, ok := args["intent"]; ok {
		intents = append(intents, text(one))
	}
	steps, _ := args["transactions"].([]any)
	for _, step := range steps {
		intents = append(intents, text(step.(map[string]any)["intent"]))
	}
	return next["tool"].(string), text(args), intents
}

const orderOf = `{"type":"limit-order","order":{"pool":"SUI_USDC","side":"sell","price":"PRICE","quantity":"QUANTITY"}}`

func sellOrder(price, quantity string) string {
	return strings.NewReplacer("PRICE", price, "QUANTITY", quantity).Replace(orderOf)
}

// TestPreflight checks that blockers of a request are reported before its page is opened.
func TestPreflight(t *testing.T) {
	t.Run("a swap that works is clear, and says what it would deliver", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		data := w.must("action.prepare_sui_action_review", tenSUIArgs)
		same(t, data, map[string]any{"preflight.status": "clear", "preflight.blockers": []any{},
			"preflight.expected.feeMode": "input"})
		s := w.Compute(w.Open(tenSUI))
		if got := at(data, "preflight.expected.arrives"); got != s.State.Quote.Expected.String() {
			t.Errorf("%v arrives by the look, %s by the review", got, s.State.Quote.Expected)
		}
		if got := at(data, "preflight.expected.guaranteed"); got != s.State.Quote.Minimum.String() {
			t.Errorf("%v guaranteed, %s by the review", got, s.State.Quote.Minimum)
		}
	})
	t.Run("an order without a manager: one call that makes one, fills it and orders", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		p, says := w.look(sellOrder("9.50001", "10.05"))
		for _, part := range []string{"Prices in SUI_USDC go in steps", "Quantities in SUI_USDC go in steps",
			"No balance manager"} {
			if !strings.Contains(says, part) {
				t.Errorf("%q is missing: %s", part, says)
			}
		}
		last := len(p["blockers"].([]any)) - 1
		tool, args, next := nextOf(t, p, last)
		if len(next) != 3 || !strings.Contains(next[0], "manager-create") || !strings.Contains(next[1], "manager-deposit") {
			t.Fatalf("%v", next)
		}
		w.walkAll(tool, args)
		// The part of the deposit that is not locked covers the additional fee of an order that
		// trades immediately.
		if _, says := w.look(next[2]); !strings.Contains(next[1], `"amount":"10.001250001"`) || !strings.Contains(says,
			"takes up to 10.001250001 SUI") {
			t.Errorf("the deposit is not exactly what the order takes: %s %s", next[1], says)
		}
	})
	t.Run("a manager that has too little: exactly the difference", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		w.open(sandbox.Manager{Owner: sandbox.Account, Registered: true, Deposits: []sandbox.Deposit{{Coin: sui.SUI,
			Amount: 4_000_000_000}}})
		p, _ := w.look(sellOrder("9.5", "10"))
		tool, args, next := nextOf(t, p, 0)
		if len(next) != 2 || !strings.Contains(next[0], "manager-deposit") {
			t.Fatalf("%v", next)
		}
		w.walkAll(tool, args)
	})
	t.Run("money that is not there is refused without a session", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		answer, e := w.call("action.prepare_sui_action_review", strings.Replace(tenSUIArgs, `"10"`, `"10000"`, 1))
		if answer.Fault == nil || answer.Fault.Code != fault.Blocked || !strings.Contains(e["message"].(string),
			"needs 10000 SUI; the account holds") {
			t.Fatalf("%s", answer.Text)
		}
		if list := w.must("read.list_review_activity", `{}`)["activities"]; list != nil && len(list.([]any)) != 0 {
			t.Errorf("a session was made: %v", list)
		}
	})
	t.Run("money that gas decides about is not refused", func(t *testing.T) {
		w := build(t, nil)
		b, err := w.Node.Balance(t.Context(), sandbox.Account, sui.SUI)
		if err != nil {
			t.Fatal(err)
		}
		w.Connect(sandbox.Account)
		p, says := w.look(`{"type":"transfer","from":{"symbol":"SUI","amount":"` + string(b.Total.Decimal(9)) +
			`"},"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}`)
		if p["status"] != "blockers" || !strings.Contains(says, "gas") {
			t.Errorf("%v", p)
		}
	})
	t.Run("too small to trade: the least that trades is named, and trades", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		p, says := w.look(`{"type":"swap","from":{"symbol":"SUI","amount":"1"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}`)
		if !strings.Contains(says, "would trade nothing for 1 SUI") {
			t.Fatal(says)
		}
		_, _, next := nextOf(t, p, 0)
		if len(next) != 1 {
			t.Fatalf("%v", next)
		}
		if p, says := w.look(next[0]); p["status"] != "clear" {
			t.Errorf("%s: %s", next[0], says)
		}
	})
	t.Run("limits of the person and a recipient who is none, at once", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		w.Allow(policy.Allowance{PerTransaction: []policy.CoinLimit{{CoinType: sui.SUI, Most: 1_000_000_000}}})
		m := w.open(sandbox.Manager{Owner: sandbox.Account, Registered: true})
		_, says := w.look(`{"type":"transfer","from":{"symbol":"SUI","amount":"2"},"recipient":"` + m.String() + `"}`)
		if !strings.Contains(says, "Your limit of one transaction is 1 SUI") || !strings.Contains(says,
			"is an object on chain") {
			t.Error(says)
		}
	})
	t.Run("a post-only order that would trade at once", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		w.open(sandbox.Manager{Owner: sandbox.Account, Registered: true, Deposits: []sandbox.Deposit{{Coin: sui.SUI,
			Amount: 40_000_000_000}}})
		_, says := w.look(strings.Replace(sellOrder("0.5", "10"), `"quantity"`, `"postOnly":true,"quantity"`, 1))
		if !strings.Contains(says, "would trade immediately") {
			t.Error(says)
		}
	})
	t.Run("no gas is missed where the chain takes none", func(t *testing.T) {
		const pay = `{"type":"transfer","from":{"symbol":"USDC","amount":"5"},"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}`
		usdc, _ := coins.BySymbol("USDC")
		for name, c := range map[string]struct {
			inCoins, inAddress uint64
			clear              bool
		}{"in the address balance": {0, 5_000_000, true}, "in a coin of more": {6_000_000, 0, true},
			"in a coin of just that": {5_000_000, 0, false}} {
			w := build(t, nil)
			w.Connect(sandbox.Account)
			w.Sandbox.Empty(sandbox.Account)
			w.Sandbox.Hold(sandbox.Account, usdc.Type, c.inCoins, c.inAddress)
			if _, says := w.look(pay); (says == "") != c.clear || !c.clear && !strings.Contains(says,
				"The account has no SUI") {
				t.Errorf("%s: %q", name, says)
			}
		}
	})
	t.Run("a node that does not answer in time does not hold up the link", func(t *testing.T) {
		w := build(t, func(c *review.Config) {
			c.Limits = gate.DefaultLimits()
			c.Limits.FirstLook = time.Nanosecond
		})
		w.Connect(sandbox.Account)
		data := w.must("action.prepare_sui_action_review", tenSUIArgs)
		same(t, data, map[string]any{"preflight.status": "not_checked", "preflight.blockers": []any{}})
		if at(data, "reviewUrl") == nil {
			t.Error("there is no link")
		}
	})
}

// walkAll sends a call that a blocker suggested, and signs the review that it creates.
func (w *world) walkAll(tool, arguments string) {
	w.t.Helper()
	data := w.must(tool, arguments)
	if status := at(data, "preflight.status"); status != "clear" {
		w.t.Fatalf("%s: %v", arguments, at(data, "preflight"))
	}
	id, _ := data["reviewSessionId"].(string)
	s, err := w.Reviews.Opened(context.Background(), record.ID(id))
	if err != nil {
		w.t.Fatal(err)
	}
	w.Settle(w.Compute(s))
}

// walk prepares an intent of one action, and signs its review.
func (w *world) walk(intent string) {
	w.t.Helper()
	w.walkAll("action.prepare_sui_action_review", `{"intent":`+intent+`}`)
}
