package stake_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floored"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/protocol/staking/stake"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

func staked(t testing.TB, h *testkit.Harness) []staking.Stake {
	t.Helper()
	h.Sandbox.ShowHoldings()
	all, err := staking.NewReader(h.Node, h.Clock.Now).Stakes(t.Context(), sandbox.Account)
	if err != nil || len(all.List) < 2 {
		t.Fatal(err, all)
	}
	return all.List
}

func validator(t testing.TB, h *testkit.Harness) string {
	t.Helper()
	_, list, err := h.Node.Validators(t.Context())
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	return list[0].Address.String()
}

func ten(validator string) plan.Intent {
	return plan.Intent{Type: "stake", From: plan.IntentSource{Symbol: "SUI", Amount: "10"},
		Own: plan.Own{"validator": validator}}
}

func withdraw(id string) plan.Intent {
	return plan.Intent{Type: "unstake", Own: plan.Own{"stakedSuiId": id}, To: plan.IntentTarget{Symbol: "SUI"}}
}

func TestStakeConformance(t *testing.T) {
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: func(h *testkit.Harness) plan.Adapter { return stake.NewStake(staking.NewReader(h.Node, h.Clock.Now)) },
		Make:    func(h *testkit.Harness) []plan.Intent { return []plan.Intent{ten(validator(t, h))} },
		Bad: map[string]func(*plan.Intent){
			"no validator":     testkit.Own("validator", ""),
			"a name":           testkit.Own("validator", "Birch"),
			"less than a SUI":  func(i *plan.Intent) { i.From.Amount = "0.999999999" },
			"another coin":     func(i *plan.Intent) { i.From.Symbol = "USDC" },
			"a stake besides":  testkit.Own("stakedSuiId", strings.Repeat("0", 64)),
			"a coin to arrive": func(i *plan.Intent) { i.To.Symbol = "SUI" },
		},
	})
}

func TestUnstakeConformance(t *testing.T) {
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: func(h *testkit.Harness) plan.Adapter {
			return stake.NewUnstake(staking.NewReader(h.Node, h.Clock.Now), h.Node)
		},
		Make: func(h *testkit.Harness) (list []plan.Intent) {
			for _, s := range staked(t, h) {
				list = append(list, withdraw(s.ID.String()))
			}
			return list
		},
		Bad: map[string]func(*plan.Intent){
			"no stake":        testkit.Own("stakedSuiId", ""),
			"a part of an id": testkit.Own("stakedSuiId", "0x12"),
			"another coin":    func(i *plan.Intent) { i.To.Symbol = "USDC" },
			"an amount":       func(i *plan.Intent) { i.From = plan.IntentSource{Symbol: "SUI", Amount: "1"} },
		},
	})
}

// TestStakeJob stakes, finds the stake, and withdraws it in the same epoch.
func TestStakeJob(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	done := h.Settle(h.Ready(ten(validator(t, h))))
	if done.Status != record.Success {
		t.Fatalf("%s: %+v", done.Status, done.Execution)
	}
	r := done.Execution.Receipt.Result
	if r.Title != "Staked 10 SUI" || len(r.Holds) != 2 || r.Holds[1].Name != "Stake" {
		t.Fatalf("%+v", r)
	}
	ready := h.Ready(withdraw(r.Holds[1].Value))
	if got := ready.Facts.Steps[0].Promise.Amount(plan.RoleOutput).String(); got != "10 SUI" {
		t.Errorf("a fresh stake pays at least %s", got)
	}
	done = h.Settle(ready)
	if done.Status != record.Success || !strings.Contains(done.Execution.Receipt.Result.Title, "10 SUI") {
		t.Errorf("%s: %+v", done.Status, done.Execution.Receipt)
	}
}

// TestStakeOnDevice: a hardware wallet can show the stake of an account that the user marked as using
// one.
func TestStakeOnDevice(t *testing.T) {
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		c.Device = func(context.Context, sui.Address) (bool, error) { return true, nil }
	})
	ready := h.Ready(ten(validator(t, h)))
	tx := h.Transaction(ready)
	if tx.OnDevice() != sui.DeviceShowsAmounts || ready.Facts.Steps[0].Function != "sui_system::request_add_stake" {
		t.Errorf("the device shows %s of %+v", tx.OnDevice(), tx.Commands)
	}
	if done := h.Settle(ready); done.Status != record.Success || done.Execution.Receipt.Result.Title != "Staked 10 SUI" {
		t.Errorf("%s: %+v", done.Status, done.Execution.Receipt)
	}
}

func TestUnstakeRefused(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	own := staked(t, h)[0].ID
	coin := h.Sandbox.Ledger.Owned(sandbox.Account)[0].ID
	for name, c := range map[string]struct{ id, says string }{
		"nothing":  {"0x" + strings.Repeat("7", 64), "is not a stake that exists"},
		"no stake": {coin.String(), "is not a stake that exists"},
	} {
		if s := h.Compute(h.Open(withdraw(c.id))); s.Status != record.Blocked || !strings.Contains(s.State.Checks[0].Message,
			c.says) {
			t.Errorf("%s: %s, %+v", name, s.Status, s.State.Checks[0])
		}
	}
	reader := staking.NewReader(h.Node, h.Clock.Now)
	if _, _, err := reader.One(t.Context(), sandbox.Spender, own); err == nil || !strings.Contains(err.Error(),
		"does not belong to this account") {
		t.Errorf("the stake of another account: %v", err)
	}
	nothing := lying{h.Node, func(uint64) uint64 { return 0 }}
	h.Use(stake.NewUnstake(reader, nothing))
	if s := h.Compute(h.Open(withdraw(own.String()))); s.Status != record.Blocked ||
		!strings.Contains(s.State.Checks[0].Message, "would pay nothing") {
		t.Errorf("a withdrawal of nothing: %s, %+v", s.Status, s.State.Checks[0])
	}
}

// lying is a node that misreports the result of a simulated call.
type lying struct {
	floored.Chain
	change func(uint64) uint64
}

func (l lying) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	sim, err := l.Chain.Simulate(ctx, tx, checks)
	if b := sim.Returns[0][0].BCS; err == nil && len(b) == 8 {
		sim.Returns[0][0].BCS = binary.LittleEndian.AppendUint64(nil, l.change(binary.LittleEndian.Uint64(b)))
	}
	return sim, err
}

// TestLessComesOut: if a minimum is not reached, the review says so.
func TestLessComesOut(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	own := staked(t, h)
	h.Use(stake.NewUnstake(staking.NewReader(h.Node, h.Clock.Now), lying{h.Node, func(n uint64) uint64 { return n + 1 }}))
	s := h.Compute(h.Open(withdraw(own[0].ID.String())))
	if says := s.State.Checks[0].Message; s.Reason != plan.QuoteStale || !strings.HasPrefix(says, "Less than ") ||
		!strings.HasSuffix(says, " would come out now, so nothing would be done.") {
		t.Errorf("%s (%s): %q", s.Status, s.Reason, says)
	}
}

// TestReadRefuses: a withdrawal without a minimum is rejected.
func TestReadRefuses(t *testing.T) {
	system := sui.SharedInput{ID: sui.MustAddress("0x5"), InitialVersion: 1, Mutable: true}
	tx := &sui.Transaction{Sender: sandbox.Account, Inputs: []sui.Input{system,
		sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.ObjectID{9}}},
		sui.PureAddress(sandbox.Account)}, Commands: []sui.Command{
		sui.MoveCall{Package: sui.MustAddress("0x3"), Module: "sui_system", Function: "request_withdraw_stake_non_entry",
			Arguments: []sui.Argument{sui.InputArg(0), sui.InputArg(1)}},
		sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "from_balance",
			TypeArgs: []sui.TypeTag{sui.SUI.Tag()}, Arguments: []sui.Argument{sui.ResultArg(0)}},
		sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(1)}, Recipient: sui.InputArg(2)},
	}}
	if _, err := testkit.Read(stake.NewUnstake(nil, nil), tx); err == nil || !strings.Contains(err.Error(),
		"with a minimum") {
		t.Error(err)
	}
}
