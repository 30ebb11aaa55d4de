package gate

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

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

// assembled returns a computation with all stages done.
func assembled() *simulated {
	facts, pool := lawFacts, sui.MustAddress("0x9001")
	step := facts.Steps[0]
	step.Package, step.Function, step.TypeArgs, step.RouteID, step.Route = pool, "pool::swap", []string{"u8"}, pool,
		"SUI_USDC"
	facts.Steps = []plan.StepFacts{step}
	digest := sui.TransactionDigest(lawBytes)
	c := sui.Commitment(digest)
	now := func() time.Time { return lawTime }
	meta := plan.Meta{CheckPrefix: "deepbook", AdapterID: "deepbook-swap", Protocol: "DeepBookV3", Action: "swap",
		Stages: []plan.StageID{"one"}}
	gives := step.Promise.Amount(plan.RoleInput)
	in := &input{c: Config{Limits: DefaultLimits(), Now: now}, meta: meta, chainID: "chain", notes: &notes{},
		session: record.Session{ID: "law", Action: "swap", Account: lawAccount, Network: "sui:sandbox", CreatedAt: lawTime}}
	steps := &planned{input: in, steps: []*plan.Step{{
		Setup: plan.Setup{Now: now, QuoteAge: 30 * time.Second, Meta: meta}, Promise: step.Promise,
		Target: plan.Target{Package: pool, RouteID: pool},
		Quote: &plan.QuoteEvidence{FetchedAt: lawTime, ExpiresAt: lawTime.Add(30 * time.Second), MaxSlippageBps: 50,
			SourceMoveFunction: "pool::quote",
			Expected:           lawMinimum.Of(31_000_000), Fee: gives.Of(1)}}}}
	bytes := &built{funded: &funded{planned: steps, promise: step.Promise}, bytes: lawBytes, builtAt: lawTime}
	tx := &decoded{built: bytes, digest: digest, commitment: c, tx: &sui.Transaction{Gas: sui.Gas{Owner: lawAccount}}}
	objects := &owned{decoded: tx, coinsAt: lawTime,
		ownership: record.ContractOwnership{BoundToCommitment: c, CheckedAt: lawTime, OwnerAccount: lawAccount,
			Objects: []record.OwnershipObject{
				{ObjectID: lawRef.ID, Role: "gas", Ownership: "owned_by_account", Type: sui.SUI.Object(), Version: lawRef.Version},
				{ObjectID: pool, Role: "shared", Ownership: "shared", Type: "0x5::pool::Pool"}}}}
	words := &described{owned: objects, facts: &facts,
		human: &record.HumanReview{BoundToCommitment: c, Freshness: record.Freshness{EvaluatedAt: lawTime}}}
	r := &simulated{described: words,
		summary: &record.SimulationSummary{BoundToCommitment: c, Provider: "sui_full_node", ChecksEnabled: true,
			SimulatedAt: lawTime}}
	for _, rule := range Rules() {
		r.check(plan.Pass(plan.SourceAdapter, rule.Proof, "Proof", "It holds."))
	}
	r.adapters = []plan.Adapter{named{r.meta}}
	r.completed = Pipeline(r.adapters...)
	return r
}

// named is an adapter that has only names.
type named struct{ meta plan.Meta }

func (n named) Meta() plan.Meta                                { return n.meta }
func (n named) Plan(plan.Intent, time.Time) (plan.Plan, error) { return plan.Plan{}, nil }
func (n named) Stages(plan.Plan) []plan.Stage                  { return nil }
func (n named) Read(*readback.Reader) (plan.StepFacts, error) {
	return plan.StepFacts{}, nil
}
func (n named) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

func TestAssembly(t *testing.T) {
	t.Run("R004-397 R004-398 it declines evidence about another transaction", func(t *testing.T) {
		for name, edit := range map[string]func(*simulated){
			"simulation": func(r *simulated) { r.summary.BoundToCommitment = "another" },
			"review":     func(r *simulated) { r.human.BoundToCommitment = "another" },
			"ownership":  func(r *simulated) { r.ownership.BoundToCommitment = "another" },
			"bytes":      func(r *simulated) { r.bytes = []byte("other bytes") },
			"no objects": func(r *simulated) { r.ownership.Objects = nil },
		} {
			r := assembled()
			edit(r)
			_, err := assemble(r)
			stop := r.stopped("", err)
			if stop.Reason != plan.WalletReviewContractEmitMissing ||
				stop.Check.ID != "deepbook_wallet_review_contract_emit_missing" {
				t.Errorf("%s: %v", name, stop)
			}
			f := finding(r, stop)
			if len(f.State.AdapterLifecycle.MissingStages) != 0 || f.State.HumanReview == nil || f.State.Simulation == nil ||
				f.Material != nil {
				t.Errorf("%s: %+v", name, f.State)
			}
		}
	})
	t.Run("gas that pays back more than it takes is no obstacle", func(t *testing.T) {
		r := assembled()
		r.summary.GasNet = sui.Delta{Negative: true, Amount: 5}
		if ready, err := assemble(r); err != nil || ready.contract == nil {
			t.Errorf("%v", err)
		}
	})
}

func TestOutageIsNeverABlock(t *testing.T) {
	for _, info := range fault.All() {
		reason := plan.ReasonOf(info.Code)
		if (info.Code == fault.ProviderUnavailable || info.Code == fault.RateLimited) &&
			record.StatusOf(reason) != record.RefreshRequired {
			t.Errorf("%s is told as %s", info.Code, reason)
		}
		if record.StatusOf(reason) == "" {
			t.Errorf("%s has no reason", info.Code)
		}
	}
	r := &input{meta: plan.Meta{CheckPrefix: "deepbook"}}
	if stop := r.stopped(plan.StageSimulation, context.DeadlineExceeded); stop.Reason != plan.SimulationTransientFailure {
		t.Errorf("%v", stop)
	}
	if stop := r.stopped(plan.StageOwnership, context.DeadlineExceeded); stop.Reason != plan.ProviderUnavailable {
		t.Errorf("%v", stop)
	}
}

// crossed returns a computation whose bytes agree with everything.
func crossed() *simulated {
	r := assembled()
	pool := sui.MustAddress("0x9001")
	r.facts.Gas.Payment = []sui.ObjectRef{lawRef}
	r.session.Account, r.epoch = lawAccount, sui.Epoch{Number: 4, GasPrice: 1000}
	r.chosen = chosen{gas: &sui.Coin{Ref: lawRef}, budget: uint64(r.facts.Gas.Budget)}
	r.steps[0].Target = plan.Target{Package: pool, Function: "pool::swap", RouteID: pool,
		TypeArgs: []sui.TypeTag{{Kind: sui.TypeU8}}}
	r.tx = &sui.Transaction{Expiration: sui.EpochExpiration{Epoch: 5}}
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
	if stop := r.inspect(); stop == nil || stop.Reason != plan.AllowlistViolation || stop.Check.Rule != "C05" {
		t.Errorf("a call of another package: %v", stop)
	}
}

// TestFrameworkCalls lets a step call a function of the chain's own that its adapter
// declares and its target names, with the objects that the step uses up, and no other.
func TestFrameworkCalls(t *testing.T) {
	framework, object := sui.MustAddress("0x2"), sui.ObjectRef{ID: sui.MustAddress("0x77"), Version: 3}
	ends := func() *simulated {
		r := crossed()
		s := r.steps[0]
		s.Target = plan.Target{Package: framework, Function: "thing::end", TypeArgs: []sui.TypeTag{{Kind: sui.TypeU8}}}
		s.Meta.Packages, s.Meta.Functions = []sui.ObjectID{framework}, []string{"thing::end"}
		s.Objects = []plan.OwnedObject{{Ref: object, Type: "0x2::thing::Thing"}}
		r.tx.Inputs = []sui.Input{sui.OwnedInput{Ref: object}}
		r.tx.Commands = []sui.Command{sui.MoveCall{Package: framework, Module: "thing", Function: "end",
			TypeArgs:  s.Target.TypeArgs,
			Arguments: []sui.Argument{sui.InputArg(0)}}}
		return r
	}
	if r := ends(); r.inspect() != nil || !r.onlyChosenCoins() {
		t.Fatal("what is declared is refused")
	}
	for name, edit := range map[string]func(*simulated){
		"not declared":           func(r *simulated) { r.steps[0].Meta.Functions = nil },
		"of no declared package": func(r *simulated) { r.steps[0].Meta.Packages = nil },
		"not of the target":      func(r *simulated) { r.steps[0].Target.Function = "thing::other" },
		"of another type":        func(r *simulated) { r.steps[0].Target.TypeArgs = []sui.TypeTag{{Kind: sui.TypeU64}} },
		"and it takes gas's coin": func(r *simulated) {
			c := r.tx.Commands[0].(sui.MoveCall)
			c.Arguments = []sui.Argument{sui.GasCoin}
			r.tx.Commands[0] = c
		},
	} {
		r := ends()
		edit(r)
		if stop := r.inspect(); stop == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for name, edit := range map[string]func(*simulated){
		"another object": func(r *simulated) { r.tx.Inputs[0] = sui.OwnedInput{Ref: lawRef} },
		"another version": func(r *simulated) {
			r.tx.Inputs[0] = sui.OwnedInput{Ref: sui.ObjectRef{ID: object.ID,
				Version: 4}}
		},
		"none":     func(r *simulated) { r.tx.Inputs = nil },
		"one more": func(r *simulated) { r.tx.Inputs = append(r.tx.Inputs, sui.OwnedInput{Ref: lawRef}) },
	} {
		r := ends()
		edit(r)
		if r.onlyChosenCoins() {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestFundsSentBesideGas: funds of an address balance are sent only in a transaction that
// pays no gas, even to the account itself.
func TestFundsSentBesideGas(t *testing.T) {
	for _, free := range []bool{false, true} {
		for _, module := range []string{"balance", "coin"} {
			r := crossed()
			r.chosen.free = free
			r.tx.Inputs = []sui.Input{sui.PureAddress(lawAccount)}
			stop := r.inspectFramework(sui.MoveCall{Package: sui.MustAddress("0x2"), Module: module, Function: "send_funds",
				Arguments: []sui.Argument{sui.GasCoin, sui.InputArg(0)}})
			if free != (stop == nil) || stop != nil && (stop.Reason != plan.AllowlistViolation || stop.Check.Rule != "C07") {
				t.Errorf("%s::send_funds, free %t: %v", module, free, stop)
			}
		}
	}
}

func TestCrossBytes(t *testing.T) {
	other := sui.MustAddress("0xbad")
	of := func(change func(*plan.StepFacts)) func(*simulated) { return func(r *simulated) { edit(r, change) } }
	cases := []struct {
		name string
		edit func(r *simulated)
		want plan.Reason
		rule plan.RuleID
	}{
		{"all agree", func(*simulated) {}, "", ""},
		{"sender", func(r *simulated) { r.facts.Sender = other }, plan.WalletMismatch, "C08"},
		{"gas owner", func(r *simulated) { r.facts.Gas.Owner = other }, plan.WalletMismatch, "C08"},
		{"recipient", of(func(s *plan.StepFacts) { s.Sends = other }), plan.WalletMismatch, "C01"},
		{"a payment that stays with the account", func(r *simulated) {
			p := r.steps[0].Promise
			r.steps[0].Promise = plan.Promise{Outcomes: []plan.Outcome{{Bounds: append(p.Bounds()[:2:2],
				plan.Moves(plan.RolePayment, plan.AddressParty(other), lawMinimum, false))}}}
		}, plan.WalletMismatch, "C01"},
		{"package", of(func(s *plan.StepFacts) { s.Package = other }), plan.AllowlistViolation, "C05"},
		{"function", of(func(s *plan.StepFacts) { s.Function = "pool::other" }), plan.AllowlistViolation, "C07"},
		{"pool", of(func(s *plan.StepFacts) { s.RouteID = other }), plan.AllowlistViolation, "C07"},
		{"type arguments", of(func(s *plan.StepFacts) { s.TypeArgs = []string{"u64"} }), plan.AssetMismatch, "C02"},
		{"amount", of(func(s *plan.StepFacts) { s.Promise = plan.SwapPromise([]plan.Amount{plan.SUI.Of(1)}, lawMinimum) }),
			plan.AmountMismatch, ""},
		{"two amounts", of(func(s *plan.StepFacts) {
			a := s.Promise.Amount(plan.RoleInput)
			s.Promise = plan.SwapPromise([]plan.Amount{a, a}, lawMinimum)
		}), plan.AmountMismatch, ""},
		{"another promise besides",
			of(func(s *plan.StepFacts) { s.Promise = plan.Promise{Outcomes: s.Promise.Outcomes[:1]} }), plan.AmountMismatch,
			"C07"},
		{"minimum", of(func(s *plan.StepFacts) {
			s.Promise = plan.SwapPromise(s.Promise.Amounts(plan.RoleInput), lawMinimum.Of(lawMinimum.Raw-1))
		}), plan.AmountMismatch, "C03"},
		{"minimum of another coin", of(func(s *plan.StepFacts) {
			gem := lawMinimum
			gem.CoinType = "0x7::gem::GEM"
			s.Promise = plan.SwapPromise(s.Promise.Amounts(plan.RoleInput), gem)
		}), plan.AssetMismatch, "C02"},
		{"recipient that looks like the account", of(func(s *plan.StepFacts) { s.Sends[9] ^= 1 }), plan.WalletMismatch,
			"C16"},
		{"gas coin", func(r *simulated) { r.facts.Gas.Payment = []sui.ObjectRef{{ID: other}} }, plan.AllowlistViolation,
			"C09"},
		{"two gas coins", func(r *simulated) { r.facts.Gas.Payment = []sui.ObjectRef{lawRef, lawRef} },
			plan.AllowlistViolation, "C09"},
		{"gas price", func(r *simulated) { r.facts.Gas.Price++ }, plan.AllowlistViolation, "C10"},
		{"gas budget", func(r *simulated) { r.facts.Gas.Budget = 1_000_000_001 }, plan.AllowlistViolation, "C10"},
		{"a smaller gas budget", func(r *simulated) { r.facts.Gas.Budget-- }, plan.AllowlistViolation, "C10"},
		{"a second coin that nobody wanted", of(func(s *plan.StepFacts) {
			s.Promise = plan.SwapPromise([]plan.Amount{s.Promise.Amount(plan.RoleInput), plan.Asset{Symbol: "DEEP"}.Of(1)},
				lawMinimum)
		}), plan.AmountMismatch, ""},
		{"a chosen coin that is not used",
			func(r *simulated) { r.chosen.selections = []plan.Selection{{Coins: []sui.ObjectRef{{ID: other}}}} },
			plan.AllowlistViolation, ""},
		{"no expiration", func(r *simulated) { r.facts.LastEpoch = 0 }, plan.AllowlistViolation, "C12"},
		{"a later expiration", func(r *simulated) { r.facts.LastEpoch++ }, plan.AllowlistViolation, "C12"},
		{"a coin that was not chosen",
			func(r *simulated) { r.tx.Inputs = []sui.Input{sui.OwnedInput{Ref: sui.ObjectRef{ID: other}}} },
			plan.AllowlistViolation, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := crossed()
			c.edit(r)
			err := crossBytes(context.Background(), r.described)
			var got plan.Reason
			var rule plan.RuleID
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

// A transaction without a gas coin expires with its epoch, on its chain, and in no other way.
func TestExpirationWithoutCoin(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*sui.ValidDuring)
		ok   bool
	}{
		"as built":                  {func(*sui.ValidDuring) {}, true},
		"another nonce":             {func(v *sui.ValidDuring) { v.Nonce++ }, true},
		"an epoch more":             {func(v *sui.ValidDuring) { n := *v.MaxEpoch + 1; v.MaxEpoch = &n }, false},
		"from an epoch before":      {func(v *sui.ValidDuring) { n := *v.MinEpoch - 1; v.MinEpoch = &n }, false},
		"without a beginning":       {func(v *sui.ValidDuring) { v.MinEpoch = nil }, false},
		"of another chain":          {func(v *sui.ValidDuring) { v.Chain[0]++ }, false},
		"with a time":               {func(v *sui.ValidDuring) { n := uint64(1); v.MaxTimestamp = &n }, false},
		"and not the epochs at all": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := crossed()
			r.chainID, r.chosen.gas, r.facts.Gas.Payment = sui.Digest{7}.String(), nil, nil
			built, err := r.expiration(0)
			if err != nil {
				t.Fatal(err)
			}
			r.tx.Expiration, r.facts.LastEpoch = sui.EpochExpiration{Epoch: r.epoch.Number}, r.epoch.Number
			if c.edit != nil {
				v := built.(sui.ValidDuring)
				c.edit(&v)
				r.tx.Expiration = v
			}
			err = crossBytes(t.Context(), r.described)
			var stop *plan.Stop
			if c.ok != (err == nil) || err != nil && (!errors.As(err, &stop) || stop.Check.Rule != "C12") {
				t.Errorf("%v", err)
			}
		})
	}
}
