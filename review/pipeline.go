package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// GateConfig is what the gates ask, and what they judge by. Allowed, Paid and
// Second may be nil.
type GateConfig struct {
	Guard
	Store     Releases
	Adapters  []Adapter
	Chain     Chain
	Simulator Simulator
	Executor  Executor
	Second    *Second
	Epochs    Epochs
	Allowed   func(ctx context.Context) (policy.Allowance, error)
	Active    func(ctx context.Context) (Account, bool, error)
	Paid      func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	Now       func() time.Time
	Limits    Limits
}

// run is one computation under way: the steps as adapters left them, and what the
// gates made of them. Adapters see their own step alone.
type run struct {
	c        GateConfig
	now      func() time.Time
	adapters []Adapter // one for each step
	meta     Meta      // of the first step: what checks of the whole are named after
	session  Session
	wish     wishReader
	steps    []*Step
	promise  Promise // of all steps
	checks   []Check

	chainID    string
	epoch      sui.Epoch
	open       []OpenRelease // of the account, of other reviews
	chosen     chosen
	tx         *sui.Transaction // decoded from bytes
	bytes      []byte
	digest     sui.Digest
	commitment string
	builtAt    time.Time
	facts      *Facts
	holdings   []Holding
	described  time.Time // when a node was heard about the coins
	objects    []sui.Object
	notChecked []RuleID // rules whose facts cannot be had here
	ownership  ContractOwnership
	human      *HumanReview
	simulated  sui.Simulation
	summary    *SimulationSummary
	contract   *Contract
	visual     *Visualization
	completed  []StageID
}

// gate is one step of the platform.
type gate struct {
	id  StageID
	run func(r *run, ctx context.Context) error
}

// gates follow every adapter's stages. No adapter can leave one out, change
// their order or see them.
func gates() []gate {
	return []gate{
		{StageMaterial, (*run).build},
		{StageDigest, (*run).commit},
		{StageOwnership, (*run).own},
		{StageHumanReview, (*run).describe},
		{StageSimulation, (*run).simulate},
	}
}

// closing gates run after the last stage of the catalog.
func closing() []func(r *run, ctx context.Context) error {
	return []func(r *run, ctx context.Context) error{
		(*run).crossBytes, (*run).crossEffects, (*run).allow, (*run).meet,
		func(r *run, _ context.Context) error { return r.weighGas() }, (*run).compare, (*run).assemble,
	}
}

// Pipeline returns the stages that a review by these adapters goes through, one for
// each step: their own, then the platform's.
func Pipeline(adapters ...Adapter) []StageID {
	var ids []StageID
	for i, a := range adapters {
		for _, id := range a.Meta().Stages {
			ids = append(ids, stageOf(adapters, i, id))
		}
	}
	for _, g := range gates() {
		ids = append(ids, g.id)
	}
	return ids
}

// stageOf names a stage of one step: by its number, where there are several.
func stageOf(adapters []Adapter, step int, id StageID) StageID {
	if len(adapters) == 1 {
		return id
	}
	return StageID(fmt.Sprintf("step_%d_%s", step+1, id))
}

// check adds a check to the review.
func (r *run) check(c Check) { r.checks = append(r.checks, c) }

// finding is what a computation ends with.
type finding struct {
	state        State
	reason       Reason
	chainID      string
	facts        *Facts
	holdings     []Holding
	commitment   string
	material     *Material // only when ready
	buildExpires time.Time
	again        bool
}

// newRun begins the computation of a session.
func newRun(c GateConfig, session Session) *run {
	return &run{c: c, now: c.Now, session: session, adapters: AdaptersOf(c.Adapters, session.Wanted()), wish: wishes(c.Adapters, c.Now)}
}

// Examine runs the pipeline and reports how far each stage is. It never fails:
// every trouble is a finding.
func Examine(ctx context.Context, c GateConfig, session Session, tell func(StageID, string)) finding {
	r := newRun(c, session)
	var stop *Stop
	if err := c.Guarded(func() error { stop = r.pipeline(ctx, tell); return nil }); err != nil {
		stop = r.stopped("", err)
	}
	return r.finding(stop)
}

// pipeline runs everything in order and gives how it stopped, nil when ready.
func (r *run) pipeline(ctx context.Context, tell func(StageID, string)) *Stop {
	if p := r.session.Proposal; p != nil {
		// Nobody is asked anything: there is nothing to build from somebody's words.
		checks := p.checks(r.now())
		r.checks = checks[:len(checks)-1]
		return proposalStop()
	}
	if r.adapters == nil {
		return &Stop{AdapterNotImplemented, Fail(SourceAdapter, "adapter_not_implemented", "Adapter",
			"No adapter of this version carries out this review.", "Prepare a new review.")}
	}
	r.meta = r.adapters[0].Meta()
	if stop := r.entry(ctx); stop != nil {
		return stop
	}
	for i, in := range r.session.Intent.steps() {
		plan, err := r.adapters[i].Plan(in, r.now())
		if err != nil {
			return r.stopped(stageOf(r.adapters, i, r.adapters[i].Meta().Stages[0]), err)
		}
		s := NewStep(plan, in, r.session.Account, r.now, r.c.Limits.QuoteAge)
		s.meta, s.checks = r.adapters[i].Meta(), &r.checks
		r.steps = append(r.steps, s)
	}
	step := func(id StageID, work func() error) *Stop {
		tell(id, StageRunning)
		if err := work(); err != nil {
			tell(id, StageStopped)
			return r.stopped(id, err)
		}
		r.completed = append(r.completed, id)
		tell(id, StageDone)
		return nil
	}
	for i, s := range r.steps {
		stages := r.adapters[i].Stages(s.Plan)
		for n, id := range s.meta.Stages {
			if n >= len(stages) || stages[n].ID != id {
				return r.missing(id)
			}
			if stop := step(stageOf(r.adapters, i, id), func() error { return stages[n].Run(ctx, s) }); stop != nil {
				return stop
			}
		}
	}
	for _, g := range gates() {
		if stop := step(g.id, func() error { return g.run(r, ctx) }); stop != nil {
			return stop
		}
	}
	for _, last := range closing() {
		if err := last(r, ctx); err != nil {
			return r.stopped("", err)
		}
	}
	return nil
}

// entry judges what must hold before any stage: the account and the chain.
func (r *run) entry(ctx context.Context) *Stop {
	account, ok, err := r.c.Active(ctx)
	if err != nil {
		return r.stopped("", err)
	}
	var active *Account
	if ok {
		active = &account
	}
	if check := accountCheck(r.session, active); check != nil {
		return &Stop{WalletMismatch, *check}
	}
	id, err := r.c.Chain.ChainIdentifier(ctx)
	if err != nil {
		return r.stopped("", err)
	}
	r.chainID = id.String()
	if r.session.ChainID != "" && r.session.ChainID != r.chainID {
		return &Stop{NetworkMismatch, Fail(SourceNetwork, "network_chain_identifier", "Chain",
			"This node is another chain than the one this review was made on.",
			"Connect to the former chain again, or prepare a new review.")}
	}
	return nil
}

// missing is an adapter that does not do what its catalog says.
func (r *run) missing(id StageID) *Stop {
	return &Stop{ProducerStageMissing, Fail(SourceAdapter, string(id)+"_missing", "Missing stage",
		"The adapter gave no result for the stage "+string(id)+".", "This is a fault of Say Ur Intent; please report it.")}
}

// stopped turns the error of a stage into how the review ends. Transport
// trouble is never told as a block.
func (r *run) stopped(id StageID, err error) *Stop {
	var stop *Stop
	if errors.As(err, &stop) {
		return stop
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = fault.Wrap(err, fault.ProviderUnavailable, "The Sui node did not answer in time.")
	}
	f := fault.As(err)
	if panicked(err) {
		r.c.LogPanic(err)
		return &Stop{ProviderUnavailable, Fail(SourceAdapter, r.checkID(id, "failed_unexpectedly"), stageLabel(id), f.Text,
			"Nothing is lost. Refresh; if it stays, use another node and report it.")}
	}
	reason := reasonOf(f.Code)
	if id == StageSimulation && reason == ProviderUnavailable {
		reason = SimulationTransientFailure
	}
	source, do := SourceAdapter, "Prepare a new review."
	switch {
	case reason.Status() == RefreshRequired:
		source, do = SourceNetwork, "Nothing is lost. Refresh in a moment."
	case f.Code == fault.ProviderMismatch:
		source, do = SourceNetwork, "Do not trust this node: set another one, then refresh."
	case reason == ObjectResolutionFailed:
		source, do = SourceNetwork, "Refresh; if it stays, prepare a new review."
	}
	return &Stop{reason, Fail(source, r.checkID(id, string(reason)), stageLabel(id), f.Text, do)}
}

// panicked reports whether an error is a panic that was recovered.
func panicked(err error) bool {
	var p *fault.Panic
	return errors.As(err, &p)
}

func reasonOf(c fault.Code) Reason {
	switch c {
	case fault.ProviderUnavailable, fault.RateLimited, fault.RequestAborted, fault.ClockSkew:
		return ProviderUnavailable
	case fault.QuoteUnavailable:
		return QuoteUnavailable
	case fault.NetworkMismatch:
		return NetworkMismatch
	case fault.RegistryMiss:
		return AssetMismatch
	case fault.InputInvalid:
		return AmountMismatch
	case fault.UnsupportedAction:
		return UnsupportedAction
	}
	return ObjectResolutionFailed
}

// checkID gives the id of a failed check of a stage.
func (r *run) checkID(id StageID, what string) string {
	switch id {
	case "":
		return "review_" + what
	case StageOwnership:
		return "transaction_object_ownership_" + strings.ReplaceAll(what, string(ProviderUnavailable), "read_failed")
	case StageSimulation:
		return "review_time_simulation_" + strings.ReplaceAll(what, string(SimulationTransientFailure), "transient_failure")
	}
	return fmt.Sprintf("%s_%s_%s", r.meta.CheckPrefix, id, what)
}

// stageLabel gives a stage's name in plain words.
func stageLabel(id StageID) string {
	if id == "" {
		return "Review"
	}
	text := strings.ReplaceAll(string(id), "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// finding assembles the public state and what is stored beside it.
func (r *run) finding(stop *Stop) finding {
	f := finding{chainID: r.chainID, facts: r.facts, holdings: r.holdings, again: r.session.Again}
	st := &f.state
	st.ComputedAt = r.now()
	checks := r.checks
	for _, s := range r.steps {
		if st.Quote == nil {
			st.Quote = s.Quote
		}
	}
	st.HumanReview, st.Simulation = r.human, r.summary
	if r.adapters != nil {
		all := Pipeline(r.adapters...)
		st.AdapterLifecycle = &Lifecycle{
			StageCatalogID: r.meta.StageCatalog, AdapterID: r.meta.AdapterID, Protocol: r.meta.Protocol,
			ActionKind: r.meta.Action, CompletedStages: append([]StageID{}, r.completed...),
			MissingStages: append([]StageID{}, all[len(r.completed):]...),
		}
	}
	if stop != nil {
		f.reason = stop.Reason
		st.Status = stop.Reason.Status()
		if st.Status == Blocked {
			st.BlockedReason = stop.Reason
		} else {
			st.RefreshReason = stop.Reason
		}
		checks = append(append([]Check{}, checks...), stop.Check)
		st.Checks, st.Rules = worstFirst(checks), summarise(checks, r.notChecked)
		return f
	}
	st.Status, st.Contract, st.Visualization = Ready, r.contract, r.visual
	st.Checks, st.Rules = worstFirst(checks), summarise(checks, r.notChecked)
	f.commitment = r.commitment
	f.material = &Material{Digest: r.digest, Bytes: sui.NewMaterial(r.bytes), CreatedAt: r.builtAt}
	f.buildExpires = r.builtAt.Add(r.c.Limits.BuildLife)
	return f
}
