package swap_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// meanwhile calls one function before the first estimate, and another before the first simulation of
// the exact bytes.
type meanwhile struct {
	node.Simulator
	checked   func() // before the simulation of the exact bytes
	estimated func() // before the first estimate
}

func once(f *func()) {
	if *f != nil {
		run := *f
		*f = nil
		run()
	}
}

func (m *meanwhile) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	once(&m.estimated)
	return m.Simulator.Simulate(ctx, tx, checks)
}

func (m *meanwhile) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	once(&m.checked)
	return m.Simulator.SimulateBytes(ctx, b, checks)
}

// house starts a harness. m may be nil.
func house(t *testing.T, m *meanwhile) *testkit.Harness {
	t.Helper()
	return testkit.Start(t, time.Now, func(c *review.Config) {
		if m != nil {
			m.Simulator, c.Simulator = c.Simulator, m
		}
	})
}

// stranger is an account that holds only what a test gives it.
var stranger = sui.MustAddress("0x57a6")

// computeFor prepares an intent for an account and computes it.
func computeFor(t *testing.T, h *testkit.Harness, owner sui.Address, in plan.Intent) record.Session {
	t.Helper()
	h.Connect(owner)
	ctx := context.Background()
	s, err := h.Reviews.Prepare(ctx, in)
	if err == nil {
		s, err = h.Reviews.Opened(ctx, s.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h.Compute(s)
}

func coinType(t *testing.T, symbol string) sui.CoinType {
	t.Helper()
	c, ok := coins.BySymbol(symbol)
	if !ok {
		t.Fatalf("no coin %s", symbol)
	}
	return c.Type
}

// moved returns how much of a coin the sent transaction moved for the account.
func moved(s record.Session, of sui.CoinType) (leaves, arrives uint64) {
	for _, c := range s.Execution.Receipt.BalanceChanges {
		if c.Coin == of && c.Amount.Negative {
			leaves = uint64(c.Amount.Amount)
		} else if c.Coin == of {
			arrives = uint64(c.Amount.Amount)
		}
	}
	return leaves, arrives
}

// finish signs and sends a ready review and returns its final state.
func finish(t *testing.T, h *testkit.Harness, s record.Session) record.Session {
	t.Helper()
	h.Send(s)
	s = h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() })
	if s.Status != record.Success {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
	for _, p := range s.Execution.Receipt.Promises {
		if !p.Kept {
			t.Errorf("a promise was not kept: %+v", p)
		}
	}
	return s
}

// blockedBy fails unless the worst check of a review is as given.
func blockedBy(t *testing.T, s record.Session, reason plan.Reason, check, says, do string) {
	t.Helper()
	worst := s.State.Checks[0]
	if s.Reason != reason || worst.ID != check || !strings.Contains(worst.Message, says) || !strings.Contains(worst.Do,
		do) {
		t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
	}
	if s.State.Contract != nil || s.Commitment != "" {
		t.Error("something could be signed")
	}
}

func TestFeeInDeep(t *testing.T) {
	h := house(t, nil)
	for _, c := range []struct{ amount, from, to, flow string }{
		{"10.05", "SUI", "USDC", "10.05 SUI in: 10 SUI traded, 0.05 SUI returned; the fee, "},
		{"3000", "USDC", "SUI", " returned; the fee, "},
		{"100", "WAL", "SUI", "100 WAL in: 100 WAL traded; the fee, "},
	} {
		t.Run("R004-375 "+c.amount+" "+c.from+" to "+c.to, func(t *testing.T) {
			s := h.Ready(inDeep(c.amount, c.from, c.to))
			q, leaves := s.State.Quote, s.Facts.Promise().Amounts(plan.RoleInput, plan.RoleFee)
			if q.FeeMode != "deep" || q.Fee.Symbol != "DEEP" || q.Fee.Raw == 0 || strings.HasSuffix(q.SourceMoveFunction,
				"_input_fee") {
				t.Errorf("quoted as %+v", q)
			}
			if !strings.Contains(q.Sentences[0], c.flow+q.Fee.String()) && !strings.Contains(q.Sentences[0], c.flow) {
				t.Errorf("%q", q.Sentences[0])
			}
			if len(leaves) != 2 || leaves[1].CoinType != coins.DEEP || leaves[1].Raw != q.Fee.Raw+q.Fee.Raw/20+1 {
				t.Fatalf("decoded as %+v", leaves)
			}
			for id, says := range map[string]string{
				"deepbook_fee_mode":    "Fee mode deep: DeepBook's fee, " + q.Fee.String(),
				"deepbook_fee_balance": "Up to " + leaves[1].String() + " is attached, of ",
			} {
				if got, ok := testkit.Check(s, id); !ok || got.Status != plan.CheckPass || !strings.Contains(got.Message, says) {
					t.Errorf("%s: %+v", id, got)
				}
			}
			last := s.State.Contract.Amounts[len(s.State.Contract.Amounts)-1]
			if last.Role != "fee_at_most" || last.Amount != leaves[1] {
				t.Errorf("the contract says %+v", last)
			}
			after := finish(t, h, s)
			if paid, _ := moved(after, coins.DEEP); paid != uint64(q.Fee.Raw) {
				t.Errorf("%d DEEP left, the quote said %d", paid, q.Fee.Raw)
			}
			in, out := coinType(t, c.from), coinType(t, c.to)
			used := uint64(q.Input.Raw - q.Unspent.Raw)
			if left, _ := moved(after, in); in != sui.SUI && left != used {
				t.Errorf("%d left, %d was said", left, used)
			}
			if _, came := moved(after, out); out != sui.SUI && came != uint64(q.Expected.Raw) {
				t.Errorf("%d came, %d was expected", came, q.Expected.Raw)
			}
		})
	}
	for _, c := range []struct{ amount, from, to string }{{"500", "DEEP", "SUI"}, {"10", "SUI", "DEEP"}, {"500", "DEEP",
		"USDC"}, {"20", "USDC", "DEEP"}} {
		t.Run("no fee: "+c.from+" to "+c.to, func(t *testing.T) {
			s := h.Ready(inDeep(c.amount, c.from, c.to))
			if q := s.State.Quote; q.FeeMode != "none" || q.Fee.Raw != 0 || len(s.Facts.Promise().Of(plan.RoleInput,
				plan.RoleFee)) != 1 {
				t.Errorf("%s, fee %s, spends %v", q.FeeMode, q.Fee, s.Facts.Promise())
			}
			if got, _ := testkit.Check(s, "deepbook_fee_mode"); !strings.HasPrefix(got.Message, "Fee mode none") {
				t.Errorf("%+v", got)
			}
			finish(t, h, s)
		})
	}
}

func TestDeepThatIsMissing(t *testing.T) {
	const low, advice = "deepbook_insufficient_fee_balance", "feeMode input"
	deep := coins.DEEP
	cases := []struct {
		name  string
		give  func(h *testkit.Harness)
		says  string
		ready bool
	}{
		{"none at all", func(*testkit.Harness) {}, "the account holds 0 DEEP", false},
		{"a little", func(h *testkit.Harness) { h.Sandbox.Hold(stranger, deep, 1, 0) }, "the account holds 0.000001 DEEP",
			false},
		{"as an address balance", func(h *testkit.Harness) { h.Sandbox.Hold(stranger, deep, 0, 1_000_000_000) },
			"DEEP out of your address balance", true},
		{"in crumbs", func(h *testkit.Harness) {
			for range 40 {
				h.Sandbox.Hold(stranger, deep, 1200, 0)
			}
		}, "so many small coins that the 32 largest", false},
		{"in several coins", func(h *testkit.Harness) {
			for range 5 {
				h.Sandbox.Hold(stranger, deep, 20_000, 0)
			}
		}, "Merge", true},
	}
	for _, c := range cases {
		t.Run("R004-402 "+c.name, func(t *testing.T) {
			h := house(t, nil)
			h.Sandbox.Hold(stranger, sui.SUI, 50_000_000_000, 0)
			c.give(h)
			s := computeFor(t, h, stranger, inDeep("10", "SUI", "USDC"))
			if c.ready {
				if s.Status != record.Ready || !strings.Contains(s.Facts.Commands()[1], c.says) {
					t.Errorf("%s %+v %q", s.Status, s.State.Checks[0], s.Facts.Commands())
				}
				return
			}
			blockedBy(t, s, plan.InsufficientBalance, low, c.says, advice)
			if s.Intent.FeeMode != "deep" || s.State.Quote.FeeMode != "deep" {
				t.Error("the fee mode was changed without being asked for")
			}
		})
	}
}

func TestDeepPriceIsMissing(t *testing.T) {
	h := house(t, nil)
	h.Inject(sandbox.Fault{Kind: sandbox.DeepPoints, Pool: "SUI_USDC"})
	s := h.Compute(h.Open(inDeep("10", "SUI", "USDC")))
	blockedBy(t, s, plan.QuoteUnavailable, "deepbook_quote_source_failed", "no price of DEEP", "feeMode input")
	if s = h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != record.Ready {
		t.Errorf("in the other mode: %s %s", s.Status, s.Reason)
	}
	h.Inject(sandbox.Fault{Kind: sandbox.DeepPoints, Pool: "SUI_USDC", Number: 1})
	s = h.Compute(h.Open(inDeep("10", "SUI", "USDC")))
	blockedBy(t, s, plan.QuoteUnavailable, "deepbook_fee_mode", "counts no fee in DEEP", "feeMode input")
}

func TestFeeRisesMeanwhile(t *testing.T) {
	m := &meanwhile{}
	h := house(t, m)
	m.checked = func() { h.Inject(sandbox.Fault{Kind: sandbox.TakerFee, Pool: "SUI_USDC", Number: 1_000_000}) }
	s := h.Compute(h.Open(inDeep("10", "SUI", "USDC")))
	blockedBy(t, s, plan.QuoteStale, "deepbook_swap_refused", "does not cover the fee", "feeMode input")
	if s = h.Compute(s); s.Status != record.Ready {
		t.Errorf("with the present fee: %s %+v", s.Status, s.State.Checks[0])
	}
}
