package review_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

func TestReadyReview(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10.05", "SUI", "USDC"))
	l := s.State.AdapterLifecycle
	t.Run("R004-381 R004-383 R004-384 every stage is completed, none missing", func(t *testing.T) {
		want := []plan.StageID{"intent_normalized", "pool_resolved", "quote_evidence_fetched", "quote_policy_derived",
			"transaction_material_build_or_verify", "digest_commitment", "object_ownership", "human_readable_review",
			"review_time_simulation"}
		if diff := cmp.Diff(want, l.CompletedStages); diff != "" || len(l.MissingStages) != 0 {
			t.Errorf("missing %v, completed differ:\n%s", l.MissingStages, diff)
		}
		if l.StageCatalogID != "deepbook_swap_review_v1" {
			t.Errorf("catalog %q", l.StageCatalogID)
		}
	})
	t.Run("R004-383 the material is built, unsigned, and its bytes are told to nobody", func(t *testing.T) {
		row, err := h.Store.ReviewRow(context.Background(), s.ID)
		if err != nil || len(row.Materials) != 1 || row.Materials[0].Signature.Size() != 0 {
			t.Fatalf("%d materials, %v", len(row.Materials), err)
		}
		m := row.Materials[0]
		if tx, err := m.Bytes.Transaction(); err != nil || tx.Sender != s.Account || len(tx.Commands) == 0 {
			t.Errorf("%+v, %v", tx, err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		raw := m.Bytes.Bytes()
		for form, bytes := range map[string]string{"base64": base64.StdEncoding.EncodeToString(raw),
			"hex":          hex.EncodeToString(raw),
			"a part of it": base64.StdEncoding.EncodeToString(raw[:48])} {
			if strings.Contains(string(text), bytes) {
				t.Errorf("the session holds the bytes as %s", form)
			}
		}
		done := func(s record.Session) bool {
			return slices.Contains(s.State.AdapterLifecycle.CompletedStages, plan.StageMaterial)
		}
		poor := h.Compute(h.Open(testkit.Swap("20000", "DEEP", "USDC")))
		row, err = h.Store.ReviewRow(context.Background(), poor.ID)
		if err != nil || poor.Status != record.Blocked || len(row.Materials) != 0 || done(poor) || !done(s) {
			t.Errorf("%s: %d materials, stage completed is %v, %v", poor.Status, len(row.Materials), done(poor), err)
		}
	})
	t.Run("R004-378 who owns each object that the bytes name", func(t *testing.T) {
		row, err := h.Store.ReviewRow(context.Background(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := row.Materials[0].Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		told := s.State.Contract.Ownership
		if told.OwnerAccount != s.Account || told.CheckedAt.IsZero() {
			t.Errorf("%+v", told)
		}
		var want, got []string
		for _, ref := range tx.Gas.Payment {
			want = append(want, fmt.Sprint(ref.ID, " gas owned_by_account ", ref.Version))
		}
		for _, input := range tx.Inputs {
			switch in := input.(type) {
			case sui.OwnedInput:
				want = append(want, fmt.Sprint(in.Ref.ID, " coin owned_by_account ", in.Ref.Version))
			case sui.SharedInput:
				want = append(want, fmt.Sprint(in.ID, " shared shared 0"))
			}
		}
		for _, o := range told.Objects {
			got = append(got, fmt.Sprint(o.ObjectID, " ", o.Role, " ", o.Ownership, " ", o.Version))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
			t.Error(diff)
		}
	})
	t.Run("R004-371 R004-372 R004-373 R004-374 R004-376 R004-377 R004-378 R004-379 R004-380 the checks are told",
		func(t *testing.T) {
			for _, id := range []string{"deepbook_display_intent", "deepbook_pool_resolution", "deepbook_raw_quote_evidence",
				"deepbook_quote_policy", "deepbook_fee_mode", "deepbook_transaction_material_built",
				"deepbook_transaction_material_digest_commitment", "transaction_object_ownership_verified",
				"deepbook_human_readable_review_evidence", "review_time_simulation_evidence", "cross_check_bytes",
				"cross_check_effects", "deepbook_wallet_review_contract_emitted"} {
				if c, ok := testkit.Check(s, id); !ok || c.Status != plan.CheckPass {
					t.Errorf("check %s: %+v", id, c)
				}
			}
			if c, _ := testkit.Check(s, "deepbook_unspent_input"); !strings.Contains(c.Message, "10.05 SUI in: 10 SUI traded") ||
				!strings.Contains(c.Message, "returned") {
				t.Errorf("the rest of the lot is told as %q", c.Message)
			}
		})
	t.Run("R004-387 R004-389 R004-390 the review in words rests on the policy", func(t *testing.T) {
		flow := s.State.HumanReview.AssetFlow
		if s.State.HumanReview.Kind != "swap_human_readable_review" || flow.Outgoing.Raw != 10_050_000_000 ||
			flow.MinimumIncoming.Raw != plan.MinimumOut(flow.ExpectedIncoming.Raw, 50) || flow.MinimumIncoming.Decimals != 6 {
			t.Errorf("%+v", flow)
		}
	})
	for _, c := range []struct{ amount, from, to, direction string }{
		{"10.05", "SUI", "USDC", "base_to_quote"}, {"25", "USDC", "SUI", "quote_to_base"},
	} {
		t.Run("R004-390 every amount, the fee, the pool and the direction are those of the policy: "+c.direction,
			func(t *testing.T) {
				s := h.Ready(testkit.Swap(c.amount, c.from, c.to))
				q, human := s.State.Quote, s.State.HumanReview
				want := []record.FlowAmount{
					{Role: "outgoing", Amount: q.Input, RawAmountSource: "quote_policy_evidence"},
					{Role: "expected_incoming", Amount: q.Expected, RawAmountSource: "quote_policy_evidence"},
					{Role: "minimum_incoming", Amount: q.Minimum, RawAmountSource: "quote_policy_evidence"},
					{Role: "fee", Amount: q.Fee, RawAmountSource: "quote_policy_evidence"},
				}
				flow := human.AssetFlow
				if diff := cmp.Diff(want, append([]record.FlowAmount{*flow.Outgoing, *flow.ExpectedIncoming, *flow.MinimumIncoming},
					flow.Fees...)); diff != "" {
					t.Error(diff)
				}
				// The amounts of the policy are four different ones, so that none stands for another.
				if q.Fee.Raw == 0 || q.Fee.Raw >= q.Input.Raw || q.Minimum.Raw >= q.Expected.Raw || q.Fee.Symbol != c.from {
					t.Errorf("%+v", q)
				}
				pool, _ := registry.PoolByKey("SUI_USDC")
				if len(human.Targets) != 1 || human.Targets[0].Direction != c.direction || q.Direction != c.direction ||
					human.Targets[0].Symbol != c.to ||
					human.Targets[0].Route != "SUI_USDC" || human.Targets[0].RouteID != pool.ID.String() ||
					human.Targets[0].CoinType != q.Expected.CoinType {
					t.Errorf("%+v", human.Targets)
				}
			})
	}
	t.Run("R004-388 R004-393 the simulation is summarised", func(t *testing.T) {
		sim := s.State.Simulation
		if !sim.ChecksEnabled || !sim.Success || len(sim.BalanceChanges) < 2 || len(sim.ObjectChanges) == 0 ||
			sim.Gas.Computation == 0 {
			t.Errorf("%+v", sim)
		}
	})
	t.Run("R004-395 R004-396 the contract is bound to one commitment and holds no bytes or digest", func(t *testing.T) {
		row, err := h.Store.ReviewRow(context.Background(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		m := row.Materials[0]
		if s.Commitment != sui.Commitment(m.Bytes.Digest()) ||
			s.State.Contract.TransactionMaterialCommitment != s.Commitment {
			t.Error("the commitment is not that of the stored bytes")
		}
		text, err := json.Marshal(s.State)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), `"boundToCommitment":"`+s.Commitment); n != strings.Count(string(text),
			`"boundToCommitment"`) || n != 6 {
			t.Errorf("%d parts are bound to the commitment", n)
		}
		if strings.Contains(string(text), m.Digest.String()) {
			t.Error("the digest is in the public state")
		}
	})
	t.Run("R004-410 the facts are decoded from the stored bytes", func(t *testing.T) {
		row, err := h.Store.ReviewRow(context.Background(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := row.Materials[0].Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := tx.Encode()
		if err != nil || !bytes.Equal(raw, row.Materials[0].Bytes.Bytes()) {
			t.Error("the stored bytes do not read back to themselves")
		}
		f := s.Facts
		if uint64(f.Gas.Budget) != tx.Gas.Budget || len(tx.Gas.Payment) != 1 ||
			f.Promise().Amount(plan.RoleOutput).Raw != s.State.Quote.Minimum.Raw ||
			f.Promise().Amount(plan.RoleInput).Raw != 10_050_000_000 || f.Recipient() != sandbox.Account ||
			tx.Gas.Budget < 5_000_000 {
			t.Errorf("%+v", f)
		}
		epoch, err := h.Node.Epoch(context.Background())
		if err != nil || f.LastEpoch != epoch.Number+1 {
			t.Errorf("last epoch %d, present %d", f.LastEpoch, epoch.Number)
		}
	})
	t.Run("balances before and after", func(t *testing.T) {
		if len(s.Holdings) != 2 || s.Holdings[0].After >= s.Holdings[0].Before ||
			s.Holdings[1].After <= s.Holdings[1].Before {
			t.Errorf("%+v", s.Holdings)
		}
	})
}

func TestOutagesAreNoBlocks(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	for _, method := range []string{"", "GetServiceInfo", "GetEpoch", "SimulateTransaction", "ListOwnedObjects",
		"GetBalance", "BatchGetObjects"} {
		t.Run("node down: "+method, func(t *testing.T) {
			h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: method})
			s = h.Compute(s)
			h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
			asked := method != "GetServiceInfo" || s.Status != record.Ready // the identifier may be known already
			if asked && (s.Status != record.RefreshRequired || s.Reason != plan.ProviderUnavailable) {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks)
			}
			if s.Status == record.RefreshRequired && (s.Commitment != "" || s.State.Contract != nil) {
				t.Error("something could be signed")
			}
		})
	}
	t.Run("it becomes ready when the node is back", func(t *testing.T) {
		if s = h.Compute(s); s.Status != record.Ready {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
}

func TestOutageInTheLastSimulation(t *testing.T) {
	w := &testkit.Interceptor{Before: func(checks bool) error {
		if checks {
			return fault.New(fault.ProviderUnavailable, "The node is gone.")
		}
		return nil
	}}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
	if s.Status != record.RefreshRequired || s.Reason != plan.SimulationTransientFailure {
		t.Errorf("%s %s", s.Status, s.Reason)
	}
	t.Run("R004-388 R004-401 what is missing is named and not shown", func(t *testing.T) {
		l := s.State.AdapterLifecycle
		if !slices.Equal(l.MissingStages, []plan.StageID{plan.StageSimulation}) || s.State.Simulation != nil {
			t.Errorf("missing %v, simulation %v", l.MissingStages, s.State.Simulation)
		}
	})
}

func TestSlowNode(t *testing.T) {
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		c.Limits = gate.DefaultLimits()
		c.Limits.ComputeTime = 2 * time.Second
	})
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	h.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "GetEpoch", Milliseconds: 60_000})
	if s = h.Compute(s); s.Status != record.RefreshRequired || s.Reason != plan.ProviderUnavailable {
		t.Errorf("%s %s", s.Status, s.Reason)
	}
	h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	if s = h.Compute(s); s.Status != record.Ready {
		t.Errorf("afterwards: %s %s", s.Status, s.Reason)
	}
}

// A node that lies in simulation is found out, and nothing can be signed.
func TestLyingNode(t *testing.T) {
	account := sandbox.Account
	change := func(coin sui.CoinType, f func(*sui.BalanceChange)) func(*sui.Simulation) {
		return func(s *sui.Simulation) {
			for i := range s.Balances {
				if s.Balances[i].Coin == coin && s.Balances[i].Owner == account {
					f(&s.Balances[i])
				}
			}
		}
	}
	const usdc sui.CoinType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
	cases := []struct {
		name   string
		lie    func(*sui.Simulation)
		reason plan.Reason
		check  string
	}{
		{"reports no balance changes", func(s *sui.Simulation) { s.Balances = nil }, plan.EffectsMismatch,
			"cross_check_effects"},
		{"another recipient", change(usdc, func(c *sui.BalanceChange) { c.Owner = sui.MustAddress("0xb0b") }),
			plan.EffectsMismatch, "cross_check_effects"},
		{"less than the minimum", change(usdc, func(c *sui.BalanceChange) { c.Amount.Amount /= 2 }), plan.EffectsMismatch,
			"cross_check_effects"},
		{"nothing arrives", change(usdc, func(c *sui.BalanceChange) { c.Amount.Amount = 0 }), plan.AmountMismatch,
			"cross_check_effects"},
		{"more leaves", change(sui.SUI, func(c *sui.BalanceChange) { c.Amount.Amount += 5_000_000_000 }),
			plan.EffectsMismatch, "cross_check_effects"},
		{"somebody else gains besides", func(s *sui.Simulation) {
			s.Balances = append(s.Balances, sui.BalanceChange{Owner: sui.MustAddress("0xb0b"), Coin: usdc,
				Amount: sui.Delta{Amount: 1}})
		}, plan.EffectsMismatch, "cross_check_effects"},
		{"another coin leaves", func(s *sui.Simulation) {
			s.Balances = append(s.Balances, sui.BalanceChange{Owner: account, Coin: "0x7::gem::GEM",
				Amount: sui.Delta{Negative: true, Amount: 1}})
		}, plan.EffectsMismatch, "cross_check_effects"},
		{"gas above its budget", func(s *sui.Simulation) { s.Gas.Computation += 2_000_000_000 }, plan.EffectsMismatch,
			"cross_check_effects"},
		{"another transaction", func(s *sui.Simulation) { s.Digest[0] ^= 1 }, plan.EffectsMismatch,
			"review_time_simulation_result_invalid"},
		{"another sender", func(s *sui.Simulation) { s.Sender[0] ^= 1 }, plan.EffectsMismatch,
			"review_time_simulation_result_invalid"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &testkit.Interceptor{After: c.lie}
			h := testkit.Start(t, time.Now, func(cfg *review.Config) { w.Simulator, cfg.Simulator = cfg.Simulator, w })
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if s.Status != record.Blocked || s.Reason != c.reason {
				t.Errorf("%s %s", s.Status, s.Reason)
			}
			if got, ok := testkit.Check(s, c.check); !ok || got.Status != plan.CheckFail || s.State.Checks[0].ID != c.check {
				t.Errorf("worst check %+v", s.State.Checks[0])
			}
			if s.State.Contract != nil || s.Commitment != "" {
				t.Error("something could be signed")
			}
		})
	}
	t.Run("ten per cent more is doubted", func(t *testing.T) {
		w := &testkit.Interceptor{After: change(usdc,
			func(c *sui.BalanceChange) { c.Amount.Amount += c.Amount.Amount / 10 })}
		h := testkit.Start(t, time.Now, func(cfg *review.Config) { w.Simulator, cfg.Simulator = cfg.Simulator, w })
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		if c, ok := testkit.Check(s, "cross_check_quote_and_simulation"); !ok || c.Status != plan.CheckWarning {
			t.Errorf("%s, checks %+v", s.Status, s.State.Checks)
		}
	})
	t.Run("over the wire", func(t *testing.T) {
		for _, kind := range []sandbox.FaultKind{sandbox.OmitBalanceChanges, sandbox.OtherRecipient, sandbox.OtherDigest} {
			h := testkit.Start(t, time.Now, nil)
			s := h.Open(testkit.Swap("10", "SUI", "USDC"))
			h.Inject(sandbox.Fault{Kind: kind})
			if s = h.Compute(s); s.Status != record.Blocked {
				t.Errorf("%s: %s %s", kind, s.Status, s.Reason)
			}
			h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
			if s = h.Compute(s); s.Status != record.Ready {
				t.Errorf("%s, then the truth: %s %s", kind, s.Status, s.Reason)
			}
		}
	})
}

func TestBlockedCanBecomeReady(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	poor := sui.MustAddress("0x900d")
	h.Connect(poor)
	ctx := context.Background()
	s, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
	if err == nil {
		s, err = h.Reviews.Opened(ctx, s.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s = h.Compute(s); s.Status != record.Blocked || s.Reason != plan.InsufficientBalance {
		t.Fatalf("without any coin: %s %s", s.Status, s.Reason)
	}
	if err := h.Sandbox.Endow(poor); err != nil {
		t.Fatal(err)
	}
	if s = h.Compute(s); s.Status != record.Ready {
		t.Errorf("after funding: %s %s", s.Status, s.Reason)
	}
}

func TestRefusalsAreSpecific(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	cases := []struct {
		name, amount, from, to string
		reason                 plan.Reason
		says                   string
	}{
		{"more than is held", "5000", "USDC", "SUI", plan.InsufficientBalance,
			"needs 5000 USDC; the account holds 4000 USDC"},
		{"more SUI than is held", "1001", "SUI", "USDC", plan.InsufficientBalance, "holds 1000 SUI"},
		{"nothing left for gas", "1000", "SUI", "USDC", plan.InsufficientGas, "for gas"},
		{"below the least size", "0.5", "SUI", "USDC", plan.QuoteUnavailable, "minimum trade is 1 SUI"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := h.Compute(h.Open(testkit.Swap(c.amount, c.from, c.to)))
			if s.Reason != c.reason || !strings.Contains(s.State.Checks[0].Message, c.says) || s.State.Checks[0].Do == "" {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
	t.Run("the price moves between quote and build", func(t *testing.T) {
		var h *testkit.Harness
		asked := 0
		w := &testkit.Interceptor{Before: func(bool) error {
			if asked++; asked == 1 {
				h.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -500})
			}
			return nil
		}}
		h = testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		if s.Status != record.RefreshRequired || s.Reason != plan.QuoteStale {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
		if s = h.Compute(s); s.Status != record.Ready {
			t.Errorf("at the new price: %s %s", s.Status, s.Reason)
		}
	})
}

func TestQuoteAge(t *testing.T) {
	t.Run("judged when the contract is assembled", func(t *testing.T) {
		var h *testkit.Harness
		w := &testkit.Interceptor{Before: func(checks bool) error {
			if checks {
				h.Clock.Advance(31 * time.Second)
			}
			return nil
		}}
		h = testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		if s.Status != record.RefreshRequired || s.Reason != plan.QuoteStale {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("a slow answer is not from the future", func(t *testing.T) {
		var h *testkit.Harness
		w := &testkit.Interceptor{Before: func(bool) error { h.Clock.Advance(7 * time.Second); return nil }}
		h = testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
		if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != record.Ready {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
}

func TestTimeTakesBuildsBack(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	h.Clock.Advance(61 * time.Second)
	if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
		t.Fatalf("an old build was handed out: %v", err)
	}
	old, err := h.Reviews.Get(ctx, s.ID)
	if err != nil || old.Status != record.RefreshRequired || old.Reason != plan.QuoteStale || old.Revision == s.Revision {
		t.Fatalf("%v %s %s", err, old.Status, old.Reason)
	}
	row, err := h.Store.ReviewRow(ctx, s.ID)
	if err != nil || len(row.Materials) != 0 {
		t.Errorf("%v, %d materials are kept", err, len(row.Materials))
	}
	if s = h.Compute(old); s.Status != record.Ready {
		t.Fatalf("%s", s.Status)
	}
	h.Clock.Advance(31 * time.Minute)
	if s, err = h.Reviews.Get(ctx, s.ID); err != nil || s.Status != record.Expired {
		t.Errorf("%v %s", err, s.Status)
	}
	if _, err = h.Reviews.ComputeNow(ctx, s.ID, s.Revision); !fault.Is(err, fault.SessionExpired) {
		t.Errorf("%v", err)
	}
}
