package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// silent is a node that reports no protocol configuration. It counts how often it was asked.
type silent struct {
	node.Chain
	asked int
}

func (s *silent) GaslessCoins(context.Context) (map[sui.CoinType]sui.Raw, error) {
	s.asked++
	return nil, fault.New(fault.ProviderRefused, "invalid read_mask path: protocol_config.configs")
}

// TestGaslessCoins: which coins move without gas is what the chain's configuration says in the
// current epoch.
func TestGaslessCoins(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	const fdusd = "0xf16e6b723f242ec745dfd7634ad072c42d5c1d9ac9d62a39c381303eaa57693a::fdusd::FDUSD"
	pay := func(amount, coin string) plan.Intent {
		from := plan.IntentSource{Symbol: coin, Amount: amount, Raw: strings.Contains(coin, "::")}
		return plan.Intent{Type: "transfer", From: from, Recipient: testkit.Friend.String()}
	}
	free := func(s record.Session) bool { return s.Facts.Gas.Budget == 0 && s.Facts.Gas.Price == 0 }
	begin := func(t *testing.T, coin sui.CoinType, edit func(*review.Config)) *testkit.Harness {
		h := testkit.Start(t, time.Now, edit)
		h.Sandbox.Hold(sandbox.Account, coin, 0, 50_000_000)
		return h
	}
	t.Run("a listed coin that no protocol here trades", func(t *testing.T) {
		h := begin(t, fdusd, nil)
		s := h.Ready(pay("20000", fdusd))
		if !free(s) {
			t.Fatalf("%+v", s.Facts.Gas)
		}
		if s = h.Settle(s); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
		if s = h.Ready(pay("9999", fdusd)); free(s) {
			t.Error("less than the chain moves without gas")
		}
	})
	t.Run("every coin of the sandbox's list", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		list := h.Sandbox.GaslessCoins()
		if got, err := h.Node.GaslessCoins(t.Context()); err != nil || len(got) != 7 || len(list) != 7 {
			t.Errorf("%v %v, %v", list, got, err)
		}
	})
	t.Run("a coin that the configuration dropped, and one that it added", func(t *testing.T) {
		h := begin(t, usdc.Type, nil)
		h.Sandbox.Hold(sandbox.Account, coins.DEEP, 0, 50_000_000)
		h.Sandbox.Gasless(map[sui.CoinType]sui.Raw{coins.DEEP: 5})
		s := h.Ready(pay("5", "USDC"))
		if _, said := testkit.Check(s, "gasless_unknown"); free(s) || said {
			t.Fatalf("%+v, unknown: %v", s.Facts.Gas, said)
		}
		if s = h.Settle(s); s.Status != record.Success {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		if s = h.Ready(pay("0.000005", "DEEP")); !free(s) {
			t.Errorf("%+v", s.Facts.Gas)
		}
	})
	t.Run("dropped later", func(t *testing.T) {
		h := begin(t, usdc.Type, nil)
		if s := h.Ready(pay("5", "USDC")); !free(s) {
			t.Errorf("before: %+v", s.Facts.Gas)
		}
		h.Sandbox.Gasless(nil)
		if s := h.Ready(pay("5", "USDC")); free(s) {
			t.Errorf("%+v", s.Facts.Gas)
		}
	})
	t.Run("a node that does not report it: gas is paid, and that is said", func(t *testing.T) {
		var mute silent
		h := begin(t, usdc.Type, func(c *review.Config) { mute.Chain, c.Chain = c.Chain, &mute })
		s := h.Ready(pay("5", "USDC"))
		note, said := testkit.Check(s, "gasless_unknown")
		if free(s) || !said || note.Class() != plan.ClassNote || mute.asked == 0 {
			t.Fatalf("%+v %+v, asked %d times", s.Facts.Gas, note, mute.asked)
		}
		if s = h.Settle(s); s.Status != record.Success {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		h.Sandbox.Empty(sandbox.Account)
		h.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 50_000_000)
		s = h.Compute(h.Open(pay("5", "USDC")))
		if _, said = testkit.Check(s, "gasless_unknown"); s.Reason != plan.InsufficientGas || !said {
			t.Errorf("%s %+v", s.Reason, s.State.Checks)
		}
	})
	t.Run("not asked where it does not matter", func(t *testing.T) {
		var mute silent
		h := testkit.Start(t, time.Now, func(c *review.Config) { mute.Chain, c.Chain = c.Chain, &mute })
		h.Ready(pay("5", "SUI"))
		h.Ready(testkit.Swap("3", "USDC", "SUI"))
		if h.Ready(pay("5", "USDC")); mute.asked > 0 {
			t.Errorf("asked %d times", mute.asked)
		}
	})
}
