package review_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// venue is a fixture adapter: a second and third protocol for the same action.
type venue struct {
	plan.Adapter
	slug string
}

func (v venue) Meta() plan.Meta {
	m := v.Adapter.Meta()
	m.Slug = v.slug
	return m
}

func detailList(err error, name string) []string {
	for _, f := range fault.As(err).Detail {
		if f.Name == name {
			return f.List
		}
	}
	return nil
}

func TestPrepare(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	t.Run("R004-338 without an account nothing is made", func(t *testing.T) {
		_, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
		if !fault.Is(err, fault.ActiveAccountNotSet) || fault.As(err).Detail.Get("action") != "connect_wallet_identity" {
			t.Errorf("%v", err)
		}
		if n, err := h.Store.JournalHead(ctx, "review", ""); err != nil || n != 0 {
			t.Errorf("the journal is at %d (%v)", n, err)
		}
	})
	h.Connect(sandbox.Account)
	t.Run("R004-337 the review is bound to the active account", func(t *testing.T) {
		s, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "sui", "usdc"))
		if err != nil {
			t.Fatal(err)
		}
		if s.Account != sandbox.Account || s.WalletName != testkit.WalletName || s.Status != record.Proposed {
			t.Errorf("%+v", s)
		}
		if s.Intent.From.Symbol != "SUI" || s.Intent.To.Symbol != "USDC" {
			t.Errorf("symbols are kept as %+v", s.Intent)
		}
	})
	t.Run("R004-342 one protocol may be left out, and is stored", func(t *testing.T) {
		s, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
		if err != nil || s.Protocol != "deep" {
			t.Errorf("%v %q", err, s.Protocol)
		}
	})
	t.Run("R004-341 the slug is accepted", func(t *testing.T) {
		in := testkit.Swap("10", "SUI", "USDC")
		in.Protocol = "deep"
		if _, err := h.Reviews.Prepare(ctx, in); err != nil {
			t.Error(err)
		}
	})
	t.Run("R004-345 an unknown protocol lists the slugs", func(t *testing.T) {
		in := testkit.Swap("10", "SUI", "USDC")
		in.Protocol = "bazaar"
		_, err := h.Reviews.Prepare(ctx, in)
		if !fault.Is(err, fault.InputInvalid) || fault.As(err).Detail.Get("reason") != "unknown_protocol" ||
			!slices.Equal(detailList(err, "availableProtocols"), slugs(h, "swap")) {
			t.Errorf("%v %+v", err, fault.As(err).Detail)
		}
	})
	t.Run("R004-406 R004-408 the preview is display intent, its result unknown", func(t *testing.T) {
		s, err := h.Reviews.Prepare(ctx, testkit.Swap("10.50", "SUI", "USDC"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Reviews.Preview(s)
		if err != nil {
			t.Fatal(err)
		}
		want := []review.FlowPreview{
			{Direction: "outgoing", Symbol: "SUI", Amount: "10.50", AmountKind: "display_intent"},
			{Direction: "incoming", Symbol: "USDC", Amount: "unknown", AmountKind: "display_intent", Approx: true},
		}
		if !slices.Equal(p.AssetFlowPreview, want) {
			t.Errorf("%+v", p.AssetFlowPreview)
		}
	})
}

// slugs lists the protocols that an action can be asked of.
func slugs(h *testkit.Harness, action string) (list []string) {
	for _, a := range h.Adapters() {
		if m := a.Meta(); m.Action == action {
			list = append(list, m.Slug)
		}
	}
	return list
}

func TestPrepareRefuses(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	edit := func(f func(*plan.Intent)) plan.Intent {
		in := testkit.Swap("10", "SUI", "USDC")
		f(&in)
		return in
	}
	amount := func(text string) plan.Intent { return testkit.Swap(text, "SUI", "USDC") }
	cases := []struct {
		name  string
		in    plan.Intent
		code  fault.Code
		field string
	}{
		{"another action", edit(func(i *plan.Intent) { i.Type = "lend" }), fault.UnsupportedAction, "intent.type"},
		{"unknown symbol to sell", testkit.Swap("10", "GOLD", "USDC"), fault.RegistryMiss, "intent.from.symbol"},
		{"unknown symbol to buy", testkit.Swap("10", "SUI", "GOLD"), fault.RegistryMiss, "intent.to.symbol"},
		{"no symbol", testkit.Swap("10", "SUI", ""), fault.InputInvalid, "intent.to.symbol"},
		{"no direct pool", testkit.Swap("10", "WAL", "NS"), fault.RegistryMiss, "intent.to.symbol"},
		{"the same coin", testkit.Swap("10", "SUI", "SUI"), fault.InputInvalid, "intent.to.symbol"},
		{"zero", amount("0"), fault.InputInvalid, "intent.from.amount"},
		{"zero with decimals", amount("0.000"), fault.InputInvalid, "intent.from.amount"},
		{"negative", amount("-1"), fault.InputInvalid, "intent.from.amount"},
		{"plus sign", amount("+1"), fault.InputInvalid, "intent.from.amount"},
		{"exponent", amount("1e3"), fault.InputInvalid, "intent.from.amount"},
		{"comma", amount("1,5"), fault.InputInvalid, "intent.from.amount"},
		{"unit", amount("10 SUI"), fault.InputInvalid, "intent.from.amount"},
		{"empty", amount(""), fault.InputInvalid, "intent.from.amount"},
		{"too many decimals", amount("1.0000000001"), fault.InputInvalid, "intent.from.amount"},
		{"over 64 bits", amount("18446744073.709551616"), fault.InputInvalid, "intent.from.amount"},
		{"slippage 0", edit(func(i *plan.Intent) { i.MaxSlippageBps = 0 }), fault.InputInvalid, "intent.maxSlippageBps"},
		{"slippage 1001", edit(func(i *plan.Intent) { i.MaxSlippageBps = 1001 }), fault.InputInvalid,
			"intent.maxSlippageBps"},
		{"slippage negative", edit(func(i *plan.Intent) { i.MaxSlippageBps = -5 }), fault.InputInvalid,
			"intent.maxSlippageBps"},
		{"fee mode unknown", edit(func(i *plan.Intent) { i.FeeMode = "free" }), fault.InputInvalid, "intent.feeMode"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := h.Reviews.Prepare(context.Background(), c.in)
			if !fault.Is(err, c.code) || fault.As(err).Detail.Get("field") != c.field {
				t.Errorf("%v (field %q), want %s about %s", err, fault.As(err).Detail.Get("field"), c.code, c.field)
			}
			if err != nil && !strings.HasSuffix(fault.As(err).Text, ".") && !strings.HasSuffix(fault.As(err).Text, "?") {
				t.Errorf("the text is no sentence: %q", fault.As(err).Text)
			}
		})
	}
	for _, good := range []int{1, 1000} {
		if _, err := h.Reviews.Prepare(context.Background(),
			edit(func(i *plan.Intent) { i.MaxSlippageBps = good })); err != nil {
			t.Errorf("slippage %d: %v", good, err)
		}
	}
	if _, err := h.Reviews.Prepare(context.Background(), amount("18446744073.709551615")); err != nil {
		t.Errorf("the largest amount: %v", err)
	}
}

func TestSeveralProtocols(t *testing.T) {
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		base := c.Adapters[0]
		c.Adapters = []plan.Adapter{venue{base, "bazaar"}, venue{base, "agora"}}
	})
	h.Connect(sandbox.Account)
	ctx := context.Background()
	t.Run("R004-343 R004-344 the server asks for a choice", func(t *testing.T) {
		_, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
		if !fault.Is(err, fault.InputInvalid) || fault.As(err).Detail.Get("reason") != "protocol_choice_required" ||
			!slices.Equal(detailList(err, "availableProtocols"), []string{"bazaar", "agora"}) {
			t.Errorf("%v %+v", err, fault.As(err).Detail)
		}
	})
	t.Run("R004-343 the chosen one is used", func(t *testing.T) {
		in := testkit.Swap("10", "SUI", "USDC")
		in.Protocol = "agora"
		s, err := h.Reviews.Prepare(ctx, in)
		if err != nil || s.Protocol != "agora" {
			t.Errorf("%v %q", err, s.Protocol)
		}
	})
	t.Run("R004-345 an unknown one lists both", func(t *testing.T) {
		in := testkit.Swap("10", "SUI", "USDC")
		in.Protocol = "deep"
		_, err := h.Reviews.Prepare(ctx, in)
		if fault.As(err).Detail.Get("reason") != "unknown_protocol" || len(detailList(err, "availableProtocols")) != 2 {
			t.Errorf("%v", err)
		}
	})
}

func TestOpen(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	s, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("another account blocks, the same one again unblocks", func(t *testing.T) {
		h.Connect(sui.MustAddress("0xb0b"))
		s, err := h.Reviews.Opened(ctx, s.ID)
		if err != nil || s.Status != record.Blocked || s.Reason != plan.WalletMismatch {
			t.Fatalf("%v %s %s", err, s.Status, s.Reason)
		}
		s = h.Compute(s)
		if s.Status != record.Blocked || s.Reason != plan.WalletMismatch {
			t.Fatalf("computed for another account: %s %s", s.Status, s.Reason)
		}
		h.Connect(sandbox.Account)
		if s = h.Compute(s); s.Status != record.Ready {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("an unknown review is said to be unknown", func(t *testing.T) {
		if _, err := h.Reviews.Opened(ctx, "nothing"); !fault.Is(err, fault.SessionNotFound) {
			t.Errorf("%v", err)
		}
	})
}
