package review

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

func TestMinimumOut(t *testing.T) {
	cases := []struct {
		out  sui.Raw
		bps  int
		want sui.Raw
	}{
		{1_000_000, 50, 995_000}, {1_000_001, 50, 995_000}, {199, 50, 198}, {1, 1, 0}, {0, 50, 0}, {10_000, 1, 9_999},
		{10_000, 1000, 9_000}, {math.MaxUint64, 1, 18444899399302180659}, {math.MaxUint64, 1000, 16602069666338596453},
		{100, 10_000, 0}, {100, -1, 0}, {100, 10_001, 0},
	}
	for _, c := range cases {
		if got := MinimumOut(c.out, c.bps); got != c.want {
			t.Errorf("MinimumOut(%d, %d) = %d, want %d", c.out, c.bps, got, c.want)
		}
	}
}

func TestGasBudget(t *testing.T) {
	cases := []struct {
		name string
		gas  sui.GasCost
		want uint64
	}{
		{"storage counts", sui.GasCost{Computation: 1_000_000, Storage: 9_000_000}, 12_000_000},
		{"a rebate lowers it", sui.GasCost{Computation: 10_000_000, Storage: 5_000_000, Rebate: 2_000_000}, 15_600_000},
		{"never below computation", sui.GasCost{Computation: 10_000_000, Storage: 1, Rebate: 50_000_000}, 12_000_000},
		{"rounded up", sui.GasCost{Computation: 5_000_001}, 6_000_002},
		{"the least", sui.GasCost{Computation: 1000}, 5_000_000},
		{"the most", sui.GasCost{Computation: 2_000_000_000}, 1_000_000_000},
		{"nonsense is bounded", sui.GasCost{Computation: math.MaxUint64, Storage: math.MaxUint64}, 1_000_000_000},
	}
	for _, c := range cases {
		if got := GasBudget(c.gas, DefaultLimits()); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestStatusWords(t *testing.T) {
	polling := map[Status]string{Proposed: "pending", AwaitingWallet: "awaiting_wallet", WalletConnected: "awaiting_signature",
		Ready: "awaiting_signature", RefreshRequired: "refresh_required", Blocked: "blocked",
		SignedPendingResult: "signed_pending_result", Success: "success", Failure: "failure", Expired: "expired"}
	category := map[Status]string{Proposed: "non_terminal", AwaitingWallet: "non_terminal", WalletConnected: "non_terminal",
		Ready: "non_terminal", RefreshRequired: "user_action_required", Blocked: "user_action_required",
		SignedPendingResult: "awaiting_chain_result", Success: "final", Failure: "final", Expired: "final"}
	for _, s := range Statuses() {
		if s.Polling() != polling[s] {
			t.Errorf("polling word of %s is %s", s, s.Polling())
		}
		if s.Category() != category[s] {
			t.Errorf("R004-442: category of %s is %s", s, s.Category())
		}
		for _, to := range Statuses() {
			if s.Terminal() && s.CanMove(to) {
				t.Errorf("%s is final and moves to %s", s, to)
			}
			if s == SignedPendingResult && to == Expired && s.CanMove(to) {
				t.Error("a signed transaction expires")
			}
		}
	}
	for _, r := range append(BlockedReasons(), RefreshReasons()...) {
		if r.Status() == "" {
			t.Errorf("%s belongs to no status", r)
		}
	}
}

// assembled gives a computation whose stages are all done.
func assembled() *run {
	facts, pool := lawFacts, sui.MustAddress("0x9001")
	step := facts.Steps[0]
	step.Package, step.Function, step.TypeArgs, step.RouteID, step.Route = pool, "pool::swap", []string{"u8"}, pool, "SUI_USDC"
	facts.Steps = []StepFacts{step}
	digest := sui.TransactionDigest(lawBytes)
	c := sui.Commitment(digest)
	now := func() time.Time { return lawTime }
	meta := Meta{CheckPrefix: "deepbook", AdapterID: "deepbook-swap", Protocol: "DeepBookV3", Action: "swap", Stages: []StageID{"one"}}
	input := step.Promise.Amount(RoleInput)
	r := &run{
		c: GateConfig{Limits: DefaultLimits()}, now: now, session: Session{ID: "law", Action: "swap", Account: lawAccount, Network: "sui:sandbox", CreatedAt: lawTime},
		meta: meta, promise: step.Promise,
		steps: []*Step{{Now: now, QuoteAge: 30 * time.Second, Promise: step.Promise, Target: Target{Package: pool, RouteID: pool}, meta: meta,
			Quote: &QuoteEvidence{FetchedAt: lawTime, ExpiresAt: lawTime.Add(30 * time.Second), MaxSlippageBps: 50, SourceMoveFunction: "pool::quote",
				Expected: lawMinimum.Of(31_000_000), Fee: input.Of(1)}}},
		chainID: "chain", bytes: lawBytes, digest: digest, commitment: c, facts: &facts, builtAt: lawTime, described: lawTime,
		tx: &sui.Transaction{Gas: sui.Gas{Owner: lawAccount}},
		ownership: ContractOwnership{BoundToCommitment: c, CheckedAt: lawTime, OwnerAccount: lawAccount, Objects: []OwnershipObject{
			{ObjectID: lawRef.ID, Role: "gas", Ownership: "owned_by_account", Type: sui.SUI.Object(), Version: lawRef.Version},
			{ObjectID: pool, Role: "shared", Ownership: "shared", Type: "0x5::pool::Pool"}}},
		human:   &HumanReview{BoundToCommitment: c, Freshness: Freshness{EvaluatedAt: lawTime}},
		summary: &SimulationSummary{BoundToCommitment: c, Provider: "sui_full_node", ChecksEnabled: true, SimulatedAt: lawTime},
	}
	for _, rule := range Rules() {
		r.check(Pass(SourceAdapter, rule.Proof, "Proof", "It holds."))
	}
	r.adapters = []Adapter{named{r.meta}}
	r.completed = Pipeline(r.adapters...)
	return r
}

// named is an adapter that has names and nothing else.
type named struct{ meta Meta }

func (n named) Meta() Meta                           { return n.meta }
func (n named) Plan(Intent, time.Time) (Plan, error) { return Plan{}, nil }
func (n named) Stages(Plan) []Stage                  { return nil }
func (n named) Read(*readback.Reader) (StepFacts, error) {
	return StepFacts{}, nil
}
func (n named) FromEvents(sui.Address, []sui.Event) (Reported, error) { return Reported{}, nil }

func TestAssembly(t *testing.T) {
	t.Run("R004-397 R004-398 it declines evidence about another transaction", func(t *testing.T) {
		for name, edit := range map[string]func(*run){
			"simulation": func(r *run) { r.summary.BoundToCommitment = "another" },
			"review":     func(r *run) { r.human.BoundToCommitment = "another" },
			"ownership":  func(r *run) { r.ownership.BoundToCommitment = "another" },
			"bytes":      func(r *run) { r.bytes = []byte("other bytes") },
			"no objects": func(r *run) { r.ownership.Objects = nil },
		} {
			r := assembled()
			edit(r)
			stop := r.stopped("", r.assemble(context.Background()))
			if stop.Reason != WalletReviewContractEmitMissing || stop.Check.ID != "deepbook_wallet_review_contract_emit_missing" {
				t.Errorf("%s: %v", name, stop)
			}
			f := r.finding(stop)
			if len(f.state.AdapterLifecycle.MissingStages) != 0 || f.state.HumanReview == nil || f.state.Simulation == nil || f.material != nil {
				t.Errorf("%s: %+v", name, f.state)
			}
		}
	})
	t.Run("gas that pays back more than it takes is no obstacle", func(t *testing.T) {
		r := assembled()
		r.summary.GasNet = sui.Delta{Negative: true, Amount: 5}
		if err := r.assemble(context.Background()); err != nil || r.contract == nil {
			t.Errorf("%v", err)
		}
	})
}

func TestOutageIsNeverABlock(t *testing.T) {
	for _, info := range fault.All() {
		reason := reasonOf(info.Code)
		if (info.Code == fault.ProviderUnavailable || info.Code == fault.RateLimited) && reason.Status() != RefreshRequired {
			t.Errorf("%s is told as %s", info.Code, reason)
		}
		if reason.Status() == "" {
			t.Errorf("%s has no reason", info.Code)
		}
	}
	r := &run{meta: Meta{CheckPrefix: "deepbook"}}
	if stop := r.stopped(StageSimulation, context.DeadlineExceeded); stop.Reason != SimulationTransientFailure {
		t.Errorf("%v", stop)
	}
	if stop := r.stopped(StageOwnership, context.DeadlineExceeded); stop.Reason != ProviderUnavailable {
		t.Errorf("%v", stop)
	}
}

// crossed gives a computation whose bytes agree with everything.
func crossed() *run {
	r := assembled()
	pool := sui.MustAddress("0x9001")
	r.facts.Gas.Payment = []sui.ObjectRef{lawRef}
	r.session.Account, r.epoch = lawAccount, sui.Epoch{Number: 4, GasPrice: 1000}
	r.chosen = chosen{gas: sui.Coin{Ref: lawRef}, budget: uint64(r.facts.Gas.Budget)}
	r.steps[0].Target = Target{Package: pool, Function: "pool::swap", RouteID: pool, TypeArgs: []sui.TypeTag{{Kind: sui.TypeU8}}}
	r.tx = &sui.Transaction{}
	return r
}

// Bytes that call another package are stopped before the adapter reads them.
func TestForeignPackage(t *testing.T) {
	r := crossed()
	call := sui.MoveCall{Package: r.steps[0].Target.Package, Module: "pool", Function: "other"}
	r.tx.Commands = []sui.Command{call}
	if stop := r.inspect(); stop != nil {
		t.Fatalf("a call of the pinned package: %v", stop)
	}
	call.Package = sui.MustAddress("0xbad")
	r.tx.Commands = []sui.Command{call}
	if stop := r.inspect(); stop == nil || stop.Reason != AllowlistViolation || stop.Check.Rule != "C05" {
		t.Errorf("a call of another package: %v", stop)
	}
}

func TestCrossBytes(t *testing.T) {
	other := sui.MustAddress("0xbad")
	of := func(change func(*StepFacts)) func(*run) { return func(r *run) { edit(r, change) } }
	cases := []struct {
		name string
		edit func(r *run)
		want Reason
		rule RuleID
	}{
		{"all agree", func(*run) {}, "", ""},
		{"sender", func(r *run) { r.facts.Sender = other }, WalletMismatch, "C08"},
		{"gas owner", func(r *run) { r.facts.Gas.Owner = other }, WalletMismatch, "C08"},
		{"recipient", of(func(s *StepFacts) { s.Sends = other }), WalletMismatch, "C01"},
		{"a payment that stays with the account", func(r *run) {
			p := r.steps[0].Promise
			r.steps[0].Promise = Promise{[]Outcome{{Bounds: append(p.Bounds()[:2:2], Moves(RolePayment, Party{ID: other}, lawMinimum, false))}}}
		}, WalletMismatch, "C01"},
		{"package", of(func(s *StepFacts) { s.Package = other }), AllowlistViolation, "C05"},
		{"function", of(func(s *StepFacts) { s.Function = "pool::other" }), AllowlistViolation, "C07"},
		{"pool", of(func(s *StepFacts) { s.RouteID = other }), AllowlistViolation, "C07"},
		{"type arguments", of(func(s *StepFacts) { s.TypeArgs = []string{"u64"} }), AssetMismatch, "C02"},
		{"amount", of(func(s *StepFacts) { s.Promise = SwapPromise([]Amount{suiAsset.Of(1)}, lawMinimum) }), AmountMismatch, ""},
		{"two amounts", of(func(s *StepFacts) {
			a := s.Promise.Amount(RoleInput)
			s.Promise = SwapPromise([]Amount{a, a}, lawMinimum)
		}), AmountMismatch, ""},
		{"another promise besides", of(func(s *StepFacts) { s.Promise = Promise{s.Promise.Outcomes[:1]} }), AmountMismatch, "C07"},
		{"minimum", of(func(s *StepFacts) {
			s.Promise = SwapPromise(s.Promise.Amounts(RoleInput), lawMinimum.Of(lawMinimum.Raw-1))
		}), AmountMismatch, "C03"},
		{"minimum of another coin", of(func(s *StepFacts) {
			gem := lawMinimum
			gem.CoinType = "0x7::gem::GEM"
			s.Promise = SwapPromise(s.Promise.Amounts(RoleInput), gem)
		}), AssetMismatch, "C02"},
		{"recipient that looks like the account", of(func(s *StepFacts) { s.Sends[9] ^= 1 }), WalletMismatch, "C16"},
		{"gas coin", func(r *run) { r.facts.Gas.Payment = []sui.ObjectRef{{ID: other}} }, AllowlistViolation, "C09"},
		{"two gas coins", func(r *run) { r.facts.Gas.Payment = []sui.ObjectRef{lawRef, lawRef} }, AllowlistViolation, "C09"},
		{"gas price", func(r *run) { r.facts.Gas.Price++ }, AllowlistViolation, "C10"},
		{"gas budget", func(r *run) { r.facts.Gas.Budget = 1_000_000_001 }, AllowlistViolation, "C10"},
		{"a smaller gas budget", func(r *run) { r.facts.Gas.Budget-- }, AllowlistViolation, "C10"},
		{"a second coin that nobody wanted", of(func(s *StepFacts) {
			s.Promise = SwapPromise([]Amount{s.Promise.Amount(RoleInput), Asset{Symbol: "DEEP"}.Of(1)}, lawMinimum)
		}), AmountMismatch, ""},
		{"a chosen coin that is not used", func(r *run) { r.chosen.selections = []Selection{{Coins: []sui.ObjectRef{{ID: other}}}} }, AllowlistViolation, ""},
		{"no expiration", func(r *run) { r.facts.LastEpoch = 0 }, AllowlistViolation, "C12"},
		{"a later expiration", func(r *run) { r.facts.LastEpoch++ }, AllowlistViolation, "C12"},
		{"a coin that was not chosen", func(r *run) { r.tx.Inputs = []sui.Input{sui.OwnedInput{Ref: sui.ObjectRef{ID: other}}} }, AllowlistViolation, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := crossed()
			c.edit(r)
			err := r.crossBytes(context.Background())
			var got Reason
			var rule RuleID
			if err != nil {
				stop := r.stopped("", err)
				got, rule = stop.Reason, stop.Check.Rule
			}
			if got != c.want || rule != c.rule {
				t.Errorf("%q by rule %q, want %q by %q", got, rule, c.want, c.rule)
			}
		})
	}
}
