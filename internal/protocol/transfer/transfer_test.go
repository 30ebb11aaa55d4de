package transfer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

const somebody = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"

func send(amount, symbol, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, Amount: amount}, Recipient: to}
}

// gem is a coin that is not pinned.
const gem = sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000fed::gem::GEM")

// dust is a coin without a description on chain, whose type has a parameter.
const dust = sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000fed::dust::DUST<0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI>")

// byType sends a coin that is named by its type, in the form of an intent after the chain was queried
// about it.
func byType(amount string, of sui.CoinType, u plan.IntentUnit) plan.Intent {
	in := send(amount, string(of), somebody)
	in.From.Unit, in.From.Raw = u, !u.Known
	return in
}

// mine gives the account coins that are not pinned.
func mine(h *testkit.Harness) {
	h.Sandbox.Describe(sui.Metadata{Type: gem, Decimals: 4, Symbol: "GEM", Name: "A gem"})
	for range 3 {
		h.Sandbox.Hold(sandbox.Account, gem, 1_000_000, 0)
		h.Sandbox.Hold(sandbox.Account, dust, 500, 0)
	}
}

func to(text string) func(*plan.Intent) { return func(i *plan.Intent) { i.Recipient = text } }

func TestConformance(t *testing.T) {
	pool := registry.Pools()[0].ID.String()
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: func(*testkit.Harness) plan.Adapter { return transfer.New(registry.NoWallet, nil) },
		Good: []plan.Intent{
			send("10", "SUI", somebody),
			send("700", "SUI", somebody), // coins merged into the gas coin
			send("0.000001", "USDC", somebody),
			send("3000", "USDC", somebody), // coins merged
		},
		Make: func(h *testkit.Harness) []plan.Intent {
			mine(h)
			told := plan.IntentUnit{Known: true, Decimals: 4, Symbol: "GEM"}
			return []plan.Intent{byType("12.5", gem, told), byType("250", gem, told), byType("700", dust, plan.IntentUnit{})}
		},
		Bad: map[string]func(*plan.Intent){
			"raw units of a pinned coin":       func(i *plan.Intent) { i.From.Raw = true },
			"no type":                          func(i *plan.Intent) { i.From.Symbol = "0x2::gem" },
			"a type of which nothing is known": func(i *plan.Intent) { i.From.Symbol = string(gem) },
			"nobody":                           to(""), "a name": to("alice.sui"), "short": to("0x5a5a"),
			"no hexadecimal": to("0x" + strings.Repeat("zz",
				32)),
			"zero": to("0x" + strings.Repeat("0", 64)), "the framework": to(sui.MustAddress("0x2").String()), "a pool": to(pool),
			"a contract": to(registry.Packages()[0].ID.String()), "without 0x": to(strings.Repeat("5a", 32)),
		},
	})
}

// Reviews check the recipient of a payment.
func TestRecipients(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(transfer.New(registry.NoWallet, nil))
	account := sandbox.Account
	find := func(s record.Session, id string) plan.Check {
		for _, c := range s.State.Checks {
			if c.ID == id {
				return c
			}
		}
		t.Fatalf("no check %s: %s %+v", id, s.Reason, s.State.Checks)
		return plan.Check{}
	}
	t.Run("C01 C15 a new recipient is said to be new, a paid one to be known", func(t *testing.T) {
		s := h.Ready(send("1", "USDC", somebody))
		if c := find(s, "payment_recipient"); c.Status != plan.CheckWarning || c.Rule != "C15" {
			t.Errorf("%+v", c)
		}
		h.Settle(s)
		s = h.Ready(send("1", "USDC", somebody))
		if c := find(s, "payment_recipient"); c.Status != plan.CheckPass {
			t.Errorf("%+v", c)
		}
	})
	t.Run("C16 an address that looks like a paid one, or like the own one, blocks", func(t *testing.T) {
		own := account.String()
		for _, alike := range []string{
			somebody[:6] + strings.Repeat("1", 56) + somebody[62:],
			own[:6] + strings.Repeat("1", 56) + own[62:],
		} {
			s := h.Compute(h.Open(send("1", "USDC", alike)))
			if s.Reason != plan.WalletMismatch || s.State.Checks[0].Rule != "C16" {
				t.Errorf("%s: %s %s %+v", alike, s.Status, s.Reason, s.State.Checks[0])
			}
		}
	})
	t.Run("the own account is no recipient", func(t *testing.T) {
		if s := h.Compute(h.Open(send("1", "USDC", account.String()))); s.Reason != plan.UnsupportedAction {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("the recipient gets it, and the receipt says so", func(t *testing.T) {
		s := h.Settle(h.Ready(send("2.5", "SUI", somebody)))
		kept := map[string]bool{}
		for _, p := range s.Execution.Receipt.Promises {
			kept[p.ID] = p.Kept
		}
		if s.Status != record.Success || !kept["recipient_gained"] || !kept["spent_at_most"] || !kept["nobody_else_gained"] ||
			kept["minimum_arrived"] {
			t.Errorf("%s %+v", s.Status, s.Execution.Receipt.Promises)
		}
		held, err := h.Node.Balance(context.Background(), sui.MustAddress(somebody), sui.SUI)
		if err != nil || held.Total != 2_500_000_000 {
			t.Errorf("%v %+v", err, held)
		}
	})
}

// Any coin can be sent. Its type identifies it, the chain reports its decimals, and its name is not
// trusted.
func TestAnyCoin(t *testing.T) {
	ctx := context.Background()
	begin := func(t *testing.T) *testkit.Harness {
		h := testkit.Start(t, time.Now, nil)
		mine(h)
		h.Connect(sandbox.Account)
		return h
	}
	by := func(amount string, of sui.CoinType) plan.Intent { return send(amount, string(of), somebody) }
	refused := func(t *testing.T, h *testkit.Harness, in plan.Intent, field, says string) {
		t.Helper()
		_, err := h.Reviews.Prepare(ctx, in)
		if f := fault.As(err); err == nil || f.Code != fault.InputInvalid || f.Detail.Get("field") != field ||
			!strings.Contains(f.Text, says) {
			t.Errorf("%v, field %s", err, fault.As(err).Detail.Get("field"))
		}
	}
	t.Run("C18 decimals are the chain’s, the symbol is in quotation marks, and the recipient gets it", func(t *testing.T) {
		h := begin(t)
		s := h.Ready(by("12.5", gem))
		spend := s.Facts.Promise().Amount(plan.RoleInput)
		if spend.String() != "12.5 “GEM”" || spend.CoinType != gem || spend.Raw != 125_000 || !spend.Foreign ||
			s.Intent.From.Symbol != string(gem) {
			t.Errorf("%+v", spend)
		}
		if c, ok := testkit.Check(s, "coin_description"); !ok || !strings.Contains(c.Message, "nobody vouches for its name") {
			t.Errorf("%+v", c)
		}
		if _, flagged := testkit.Check(s, "transfer_coin_resembles"); flagged {
			t.Error("an ordinary name is flagged")
		}
		s = h.Settle(s)
		held, err := h.Node.Balance(ctx, sui.MustAddress(somebody), gem)
		if s.Status != record.Success || err != nil || held.Total != 125_000 {
			t.Fatalf("%s %v %+v", s.Status, err, held)
		}
		for _, p := range s.Execution.Receipt.Promises {
			if !p.Kept || p.ID == "recipient_gained" && p.Actual != "12.5 “GEM”" {
				t.Errorf("%+v", p)
			}
		}
	})
	t.Run("a coin without description is refused, unless the amount is in its smallest units", func(t *testing.T) {
		h := begin(t)
		refused(t, h, by("7", dust), "intent.from.amount", "intent.from.raw")
		in := by("700", dust)
		in.From.Raw = true
		s := h.Ready(in)
		if got := s.Facts.Promise().Amount(plan.RoleInput).String(); got != "700 smallest units" {
			t.Errorf("%s", got)
		}
		h.Settle(s)
		held, err := h.Node.Balance(ctx, sui.MustAddress(somebody), dust)
		if err != nil || held.Total != 700 {
			t.Errorf("%v %+v", err, held)
		}
		in.From.Amount = "7.5"
		refused(t, h, in, "intent.from.amount", "decimal")
	})
	t.Run("an amount in smallest units of a coin with decimals is shown in its own", func(t *testing.T) {
		in := by("125000", gem)
		in.From.Raw = true
		if got := begin(t).Ready(in).Facts.Promise().Amount(plan.RoleInput).String(); got != "12.5 “GEM”" {
			t.Errorf("%s", got)
		}
	})
	t.Run("more than 18 decimals are shown in smallest units only", func(t *testing.T) {
		h := begin(t)
		h.Sandbox.Describe(sui.Metadata{Type: gem, Decimals: 19, Symbol: "GEM", Name: "Gem"})
		refused(t, h, by("0.00000000000001", gem), "intent.from.amount", "smallest units only")
		in := by("125000", gem)
		in.From.Raw = true
		s := h.Ready(in)
		if got := s.Facts.Promise().Amount(plan.RoleInput).String(); got != "125000 smallest units" {
			t.Errorf("%s", got)
		}
	})
	t.Run("a pinned coin by its type is the pinned coin", func(t *testing.T) {
		usdc, _ := coins.BySymbol("USDC")
		s := begin(t).Ready(by("2.5", usdc.Type))
		if got := s.Facts.Promise().Amount(plan.RoleInput); got.String() != "2.5 USDC" || got.Foreign {
			t.Errorf("%+v", got)
		}
	})
	t.Run("what a client says of a coin is not taken", func(t *testing.T) {
		in := by("12.5", gem)
		in.From.Unit = plan.IntentUnit{Known: true, Decimals: 0, Symbol: "USDC"}
		if got := begin(t).Ready(in).Facts.Promise().Amount(plan.RoleInput).String(); got != "12.5 “GEM”" {
			t.Errorf("%s", got)
		}
	})
	t.Run("C17 a coin that calls itself like a pinned one is said to be another", func(t *testing.T) {
		for _, name := range []string{"USDC", "USDС", "usdc", "U S D C"} {
			h := begin(t)
			h.Sandbox.Describe(sui.Metadata{Type: gem, Decimals: 4, Symbol: name, Name: "USD Coin"})
			s := h.Compute(h.Open(by("1", gem)))
			c, flagged := testkit.Check(s, "transfer_coin_resembles")
			switch mixed := name == "USDС"; {
			case mixed && (s.Reason != plan.AssetMismatch || s.State.Checks[0].Rule != "C17"):
				t.Errorf("%s: %s %s %+v", name, s.Status, s.Reason, s.State.Checks[0])
			case !mixed && (s.Status != record.Ready || !flagged || c.Status != plan.CheckWarning || c.Rule != "C17" ||
				!strings.Contains(c.Message, string(gem))):
				t.Errorf("%s: %s %s %+v", name, s.Status, s.Reason, c)
			}
		}
	})
	t.Run("C18 a coin that is described otherwise later blocks", func(t *testing.T) {
		for _, later := range []sui.Metadata{{Type: gem, Decimals: 5, Symbol: "GEM"}, {Type: gem, Decimals: 4,
			Symbol: "USDC"}} {
			h := begin(t)
			s := h.Open(by("1", gem))
			h.Sandbox.Describe(later)
			if s = h.Compute(s); s.Status != record.Blocked || s.Reason != plan.AssetMismatch ||
				s.State.Checks[0].Rule != "C18" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		}
	})
	t.Run("C20 with a second node", func(t *testing.T) {
		h := begin(t)
		h.Compare(nil)
		h.Ready(by("1", gem))
		in := by("700", dust)
		in.From.Raw = true
		h.Ready(in)
	})
	t.Run("who is barred from a coin, and a coin that is paused, are told", func(t *testing.T) {
		for who, says := range map[sui.Address]string{sui.MustAddress(somebody): "has blocked", {}: "has paused"} {
			h := begin(t)
			h.Sandbox.Deny(gem, who)
			s := h.Compute(h.Open(by("1", gem)))
			if s.Status != record.Blocked || s.Reason != plan.UnsupportedAction || !strings.Contains(s.State.Checks[0].Message,
				says) {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		}
	})
	t.Run("more than is held, and a node that is away", func(t *testing.T) {
		h := begin(t)
		if s := h.Compute(h.Open(by("1000", gem))); s.Reason != plan.InsufficientBalance ||
			!strings.Contains(s.State.Checks[0].Message, "holds 300 “GEM”") {
			t.Errorf("%s %+v", s.Reason, s.State.Checks[0])
		}
		h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "GetCoinInfo"})
		if _, err := h.Reviews.Prepare(ctx, by("1", gem)); !fault.Is(err, fault.ProviderUnavailable) {
			t.Errorf("%v", err)
		}
	})
	t.Run("only a payment takes it", func(t *testing.T) {
		h := begin(t)
		in := testkit.Swap("10", string(gem), "USDC")
		if _, err := h.Reviews.Prepare(ctx, in); !fault.Is(err, fault.RegistryMiss) && !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%v", err)
		}
	})
}
