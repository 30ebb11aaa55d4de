package gate_test

import (
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

// refusing is an adapter that refuses every plan with a fault.
type refusing struct {
	plan.Adapter
	code fault.Code
}

func (r refusing) Plan(plan.Intent, time.Time) (plan.Plan, error) {
	return plan.Plan{}, fault.New(r.code, "This is not carried out here.")
}

// ending is one way to reach a reason. meanwhile happens between the opening of
// the page and the computation.
type ending struct {
	reason    plan.Reason
	check     string
	in        plan.Intent
	edit      func(*review.Config)
	meanwhile func(h *testkit.Harness)
}

func endings() []ending {
	swap := testkit.Swap("10", "SUI", "USDC")
	drafting := func(change func(*plan.Step)) func(*review.Config) {
		return func(c *review.Config) { c.Adapters = []plan.Adapter{forger{Adapter: c.Adapters[0], draft: change}} }
	}
	lying := func(lie func(*sui.Simulation)) func(*review.Config) {
		return func(c *review.Config) {
			c.Simulator = &testkit.Interceptor{Simulator: c.Simulator, After: lie}
		}
	}
	return []ending{
		{reason: plan.AdapterNotImplemented, check: "adapter_not_implemented", in: swap,
			meanwhile: func(h *testkit.Harness) { h.Use() }},
		{reason: plan.ProducerStageMissing, check: "transaction_material_build_or_verify_missing", in: swap,
			edit: drafting(func(d *plan.Step) { d.Append = nil })},
		{reason: plan.WalletReviewContractEmitMissing, check: "deepbook_wallet_review_contract_emit_missing", in: swap,
			edit: drafting(func(d *plan.Step) { d.Quote.SourceMoveFunction = "" })},
		{reason: plan.NetworkMismatch, check: "network_chain_identifier", in: swap,
			meanwhile: func(h *testkit.Harness) { h.OtherChain() }},
		{reason: plan.InsufficientBalance, check: "deepbook_insufficient_balance", in: testkit.Swap("5000", "USDC", "SUI")},
		{reason: plan.InsufficientGas, check: "deepbook_insufficient_gas", in: testkit.Swap("1000", "SUI", "USDC")},
		{reason: plan.AllowlistViolation, check: "cross_check_bytes", in: swap,
			edit: forging(swapCall(func(c *sui.MoveCall) { c.Package = thief }))},
		{reason: plan.AssetMismatch, check: "coin_description", in: swap,
			edit: telling(teller{coin: func(m *sui.Metadata) { m.Decimals-- }})},
		{reason: plan.AmountMismatch, check: "cross_check_bytes", in: swap, edit: forging(setPure(1, sui.PureU64(1)))},
		{reason: plan.WalletMismatch, check: "wallet_account", in: swap,
			meanwhile: func(h *testkit.Harness) { h.Connect(sui.MustAddress("0xb0b")) }},
		{reason: plan.UnsupportedAction, check: "deepbook_intent_normalized_unsupported_action", in: swap,
			meanwhile: func(h *testkit.Harness) { h.Use(refusing{h.Product(), fault.UnsupportedAction}) }},
		{reason: plan.ObjectResolutionFailed, check: "transaction_object_ownership_unverified", in: swap,
			edit: telling(teller{object: func(o *sui.Object) {
				if o.Balance != nil {
					o.Owner.Address = thief
				}
			}})},
		{reason: plan.EffectsMismatch, check: "cross_check_effects", in: swap,
			edit: lying(func(s *sui.Simulation) { s.Balances = nil })},
		{reason: plan.QuoteStale, check: "transaction_object_ownership_moved", in: swap,
			edit: telling(teller{object: func(o *sui.Object) { o.Ref.Version++ }})},
		{reason: plan.QuoteUnavailable, check: "deepbook_quote_source_failed", in: testkit.Swap("0.5", "SUI", "USDC")},
		{reason: plan.SimulationTransientFailure, check: "review_time_simulation_transient_failure", in: swap,
			edit: func(c *review.Config) {
				c.Simulator = &testkit.Interceptor{Simulator: c.Simulator, Before: func(checks bool) error {
					if checks {
						return fault.New(fault.ProviderUnavailable, "The node is gone.")
					}
					return nil
				}}
			}},
		{reason: plan.ProviderUnavailable, check: "transaction_object_ownership_read_failed", in: swap,
			meanwhile: func(h *testkit.Harness) { h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "BatchGetObjects"}) }},
		{reason: plan.ProviderUnavailable, check: "transaction_object_ownership_read_failed", in: swap,
			meanwhile: func(h *testkit.Harness) { h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "GetCoinInfo"}) }},
	}
}

// Every reason can occur, and says what to do.
func TestEveryReasonIsReached(t *testing.T) {
	// Reasons that occur elsewhere, with their place.
	elsewhere := map[plan.Reason]string{
		plan.ProposalReviewOnly: "TestProposalIsNeverSignable: it has no adapter",
	}
	reached := map[plan.Reason]bool{}
	for _, e := range endings() {
		reached[e.reason] = true
		t.Run("R004-402 "+string(e.reason)+" by "+e.check, func(t *testing.T) {
			h := testkit.Start(t, time.Now, e.edit)
			s := h.Open(e.in)
			if e.reason == plan.NetworkMismatch {
				s = h.Compute(s) // the first computation notes the chain
			}
			if e.meanwhile != nil {
				e.meanwhile(h)
			}
			judgeEnding(t, e, h.Compute(s))
		})
	}
	for _, r := range append(plan.BlockedReasons(), plan.RefreshReasons()...) {
		if !reached[r] && elsewhere[r] == "" {
			t.Errorf("no case reaches %s", r)
		}
		if reached[r] && elsewhere[r] != "" {
			t.Errorf("%s is reached here and listed as reached elsewhere", r)
		}
	}
}

func judgeEnding(t *testing.T, e ending, s record.Session) {
	t.Helper()
	worst := s.State.Checks[0]
	if s.Reason != e.reason || s.Status != record.StatusOf(e.reason) || s.State.Contract != nil ||
		s.State.Visualization != nil || s.Commitment != "" {
		t.Errorf("%s %s", s.Status, s.Reason)
	}
	if worst.ID != e.check || worst.Status != plan.CheckFail || worst.Message == "" || worst.Do == "" {
		t.Errorf("worst check %+v", worst)
	}
	blocked, refresh := plan.Reason(""), plan.Reason("")
	if s.Status == record.Blocked {
		blocked = e.reason
	} else {
		refresh = e.reason
	}
	if s.State.BlockedReason != blocked || s.State.RefreshReason != refresh {
		t.Errorf("blocked %q, refresh %q", s.State.BlockedReason, s.State.RefreshReason)
	}
	if l := s.State.AdapterLifecycle; e.reason == plan.ProducerStageMissing && len(l.MissingStages) == 0 ||
		e.reason == plan.WalletReviewContractEmitMissing && len(l.MissingStages) != 0 {
		t.Errorf("R004-401: missing stages %v", l.MissingStages)
	}
}
