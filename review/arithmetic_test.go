package review

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
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
	facts.Package, facts.Function, facts.TypeArgs, facts.RouteID, facts.Route = pool, "pool::swap", []string{"u8"}, pool, "SUI_USDC"
	digest := sui.TransactionDigest(lawBytes)
	c := sui.Commitment(digest)
	now := func() time.Time { return lawTime }
	plan := Plan{From: facts.Spends[0].Asset, To: facts.Minimum.Asset}
	r := &run{
		c: Config{Limits: DefaultLimits()}, now: now, session: Session{ID: "law", Account: lawAccount, Network: "sui:sandbox", CreatedAt: lawTime},
		meta: Meta{CheckPrefix: "deepbook", AdapterID: "deepbook-swap", Protocol: "DeepBookV3", Action: "swap", Stages: []StageID{"one"}},
		draft: &Draft{Now: now, QuoteAge: 30 * time.Second, Plan: plan, Target: Target{Package: pool, RouteID: pool},
			Quote: &QuoteEvidence{FetchedAt: lawTime, ExpiresAt: lawTime.Add(30 * time.Second), MaxSlippageBps: 50, SourceMoveFunction: "pool::quote",
				Expected: plan.To.Of(31_000_000), Fee: plan.From.Of(1)}},
		chainID: "chain", bytes: lawBytes, digest: digest, commitment: c, facts: &facts, builtAt: lawTime, described: lawTime,
		tx: &sui.Transaction{Gas: sui.Gas{Owner: lawAccount}},
		ownership: ContractOwnership{BoundToCommitment: c, CheckedAt: lawTime, OwnerAccount: lawAccount, Objects: []OwnershipObject{
			{ObjectID: lawRef.ID, Role: "gas", Ownership: "owned_by_account", Type: sui.SUI.Object(), Version: lawRef.Version},
			{ObjectID: pool, Role: "shared", Ownership: "shared", Type: "0x5::pool::Pool"}}},
		human:   &HumanReview{BoundToCommitment: c, Freshness: Freshness{EvaluatedAt: lawTime}},
		summary: &SimulationSummary{BoundToCommitment: c, Provider: "sui_full_node", ChecksEnabled: true, SimulatedAt: lawTime},
	}
	for _, rule := range Rules() {
		r.draft.Check(Pass(SourceAdapter, rule.Proof, "Proof", "It holds."))
	}
	r.adapter = named{r.meta}
	r.completed = catalog(r.adapter)
	return r
}

// named is an adapter that has names and nothing else.
type named struct{ meta Meta }

func (n named) Meta() Meta                           { return n.meta }
func (n named) Plan(Intent, time.Time) (Plan, error) { return Plan{}, nil }
func (n named) Stages(Plan) []Stage                  { return nil }
func (n named) Read(*sui.Transaction) (Facts, error) { return Facts{}, nil }
func (n named) Told(sui.Address, []sui.Event) ([]Term, error) {
	return nil, nil
}

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
	pool, f := sui.MustAddress("0x9001"), lawFacts
	f.Package, f.Function, f.TypeArgs, f.RouteID = pool, "pool::swap", []string{"u8"}, pool
	f.Gas.Payment = []sui.ObjectRef{lawRef}
	r.facts, r.session.Account, r.epoch = &f, lawAccount, sui.Epoch{Number: 4, GasPrice: 1000}
	r.picked = pick{gas: sui.Coin{Ref: lawRef}, budget: uint64(f.Gas.Budget)}
	r.draft.Target = Target{Package: pool, Function: "pool::swap", RouteID: pool, TypeArgs: []sui.TypeTag{{Kind: sui.TypeU8}}}
	r.draft.Quote.Input, r.draft.Quote.Minimum = f.Spends[0], f.Minimum
	r.tx = &sui.Transaction{}
	return r
}

// Bytes that call another package are stopped before the adapter reads them.
func TestForeignPackage(t *testing.T) {
	r := crossed()
	call := sui.MoveCall{Package: r.draft.Target.Package, Module: "pool", Function: "other"}
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
	cases := []struct {
		name string
		edit func(r *run)
		want Reason
		rule RuleID
	}{
		{"all agree", func(*run) {}, "", ""},
		{"sender", func(r *run) { r.facts.Sender = other }, WalletMismatch, "C08"},
		{"gas owner", func(r *run) { r.facts.Gas.Owner = other }, WalletMismatch, "C08"},
		{"recipient", func(r *run) { r.facts.Recipient = other }, WalletMismatch, "C01"},
		{"a payment that stays with the account", func(r *run) { r.draft.Plan.Recipient = other }, WalletMismatch, "C01"},
		{"package", func(r *run) { r.facts.Package = other }, AllowlistViolation, "C05"},
		{"function", func(r *run) { r.facts.Function = "pool::other" }, AllowlistViolation, "C07"},
		{"pool", func(r *run) { r.facts.RouteID = other }, AllowlistViolation, "C07"},
		{"type arguments", func(r *run) { r.facts.TypeArgs = []string{"u64"} }, AssetMismatch, "C02"},
		{"amount", func(r *run) { r.facts.Spends = []Amount{suiAsset.Of(1)} }, AmountMismatch, ""},
		{"two amounts", func(r *run) { r.facts.Spends = append(r.facts.Spends[:1:1], r.facts.Spends[0]) }, AmountMismatch, ""},
		{"minimum", func(r *run) { r.facts.Minimum.Raw-- }, AmountMismatch, "C03"},
		{"minimum of another coin", func(r *run) { r.facts.Minimum.CoinType = "0x7::gem::GEM" }, AssetMismatch, "C02"},
		{"recipient that looks like the account", func(r *run) { r.facts.Recipient[9] ^= 1 }, WalletMismatch, "C16"},
		{"gas coin", func(r *run) { r.facts.Gas.Payment = []sui.ObjectRef{{ID: other}} }, AllowlistViolation, "C09"},
		{"two gas coins", func(r *run) { r.facts.Gas.Payment = []sui.ObjectRef{lawRef, lawRef} }, AllowlistViolation, "C09"},
		{"gas price", func(r *run) { r.facts.Gas.Price++ }, AllowlistViolation, "C10"},
		{"gas budget", func(r *run) { r.facts.Gas.Budget = 1_000_000_001 }, AllowlistViolation, "C10"},
		{"a smaller gas budget", func(r *run) { r.facts.Gas.Budget-- }, AllowlistViolation, "C10"},
		{"a second coin that nobody wanted", func(r *run) { r.facts.Spends = append(r.facts.Spends[:1:1], Asset{Symbol: "DEEP"}.Of(1)) }, AmountMismatch, ""},
		{"a chosen coin that is not used", func(r *run) { r.picked.selected.Coins = []sui.ObjectRef{{ID: other}} }, AllowlistViolation, ""},
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
