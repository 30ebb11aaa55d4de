// Package gate computes a review: the stages of an adapter, then the checks C01 to
// C20, which compare what was promised with the bytes, the simulation and a second
// node.
package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/proposal"
	"github.com/sayurintent/sayurintent/review/record"
)

// Config holds what the gates query and the limits they apply. Allowed, Keys, Names, Paid,
// Named, Request, Recent and Second may be nil.
type Config struct {
	node.Guard
	Store     record.Releases
	Adapters  []plan.Adapter
	Chain     node.Chain
	Simulator node.Simulator
	Executor  node.Executor
	Second    *Second
	Epochs    node.Epochs
	Allowed   func(ctx context.Context) (policy.Allowance, error)
	Active    func(ctx context.Context) (record.Account, bool, error)
	Paid      func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	Named     func(ctx context.Context, name string) (record.PaidName, bool, error)
	Keys      func(ctx context.Context, account sui.Address) ([]sui.Address, error)
	// Recent returns the lowest and highest price of a pair in the last 24 hours.
	Recent func(ctx context.Context, base, quote sui.CoinType) (low, high sui.Decimal, err error)
	// Request returns what the other transactions of a review's request give to others.
	Request func(ctx context.Context, id record.ID) ([]plan.Given, error)
	Names   node.Names
	Now     func() time.Time
	Limits  Limits
}

// run is one computation in progress: the steps as adapters left them, and the results
// of the gates. Each adapter sees its own step alone.
type run struct {
	c        Config
	now      func() time.Time
	adapters []plan.Adapter // one for each step
	meta     plan.Meta      // of the first step: what checks of the whole are named after
	session  record.Session
	wish     record.WishReader
	steps    []*plan.Step
	promise  plan.Promise // of all steps
	checks   []plan.Check

	chainID    string
	epoch      sui.Epoch
	venues     []lookout            // other prices, one for each step
	late       *time.Timer          // ends the wait for venues
	open       []record.OpenRelease // of the account, of other reviews
	asked      []record.Asked       // elsewhere, and excluded by no coin
	approval   record.Approval      // that the review is a part of
	keys       []sui.Address        // besides its own that may sign for the account
	chosen     chosen
	tx         *sui.Transaction // decoded from bytes
	bytes      []byte
	digest     sui.Digest
	commitment string
	builtAt    time.Time
	facts      *plan.Facts
	holdings   []record.Holding
	described  time.Time // when a node was heard about the coins
	objects    []sui.Object
	notChecked []plan.RuleID // rules whose facts cannot be had here
	ownership  record.ContractOwnership
	human      *record.HumanReview
	simulated  sui.Simulation
	summary    *record.SimulationSummary
	contract   *record.Contract
	visual     *record.Visualization
	completed  []plan.StageID
}

// gate is one step of the platform.
type gate struct {
	id  plan.StageID
	run func(r *run, ctx context.Context) error
}

// gates follow every adapter's stages. No adapter can leave one out, change
// their order or see them.
func gates() []gate {
	return []gate{
		{plan.StageMaterial, (*run).build},
		{plan.StageDigest, (*run).commit},
		{plan.StageOwnership, (*run).own},
		{plan.StageHumanReview, (*run).describe},
		{plan.StageSimulation, (*run).simulate},
	}
}

// closing gates run after the last stage of the catalog.
func closing() []func(r *run, ctx context.Context) error {
	return []func(r *run, ctx context.Context) error{
		(*run).crossBytes, (*run).crossEffects, (*run).allow, (*run).meet, (*run).weighShares,
		func(r *run, _ context.Context) error { return r.weighGas() }, (*run).weighPrices, (*run).compare, (*run).assemble,
	}
}

// Pipeline returns the stages that a review by these adapters goes through, one for
// each step: their own, then the platform's.
func Pipeline(adapters ...plan.Adapter) []plan.StageID {
	var ids []plan.StageID
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
func stageOf(adapters []plan.Adapter, step int, id plan.StageID) plan.StageID {
	if len(adapters) == 1 {
		return id
	}
	return plan.StageID(fmt.Sprintf("step_%d_%s", step+1, id))
}

// check adds a check to the review.
func (r *run) check(c plan.Check) { r.checks = append(r.checks, c) }

// newRun begins the computation of a session.
func newRun(c Config, session record.Session) *run {
	return &run{c: c, now: c.Now, session: session, adapters: plan.AdaptersOf(c.Adapters, session.Wanted()),
		wish: record.Wishes(c.Adapters, c.Now)}
}

// Examine runs the pipeline and reports how far each stage is. It never fails: every
// error becomes part of the finding.
func Examine(ctx context.Context, c Config, session record.Session, tell func(plan.StageID, string)) Finding {
	r := newRun(c, session)
	var stop *plan.Stop
	if err := c.Guarded(func() error { stop = r.pipeline(ctx, tell); return nil }); err != nil {
		stop = r.stopped("", err)
	}
	return r.finding(stop)
}

// pipeline runs all stages in order and returns the stop, or nil when the review is
// ready.
func (r *run) pipeline(ctx context.Context, tell func(plan.StageID, string)) *plan.Stop {
	if p := r.session.Proposal; p != nil {
		// A proposal queries no node: nothing is ever built from its text.
		checks := p.Checks(r.now())
		r.checks = checks[:len(checks)-1]
		return proposal.Stop()
	}
	if r.adapters == nil {
		return &plan.Stop{Reason: plan.AdapterNotImplemented,
			Check: plan.Fail(plan.SourceAdapter, "adapter_not_implemented", "Adapter",
				"No adapter of this version carries out this review.", "Prepare a new review.")}
	}
	r.meta = r.adapters[0].Meta()
	if stop := r.entry(ctx); stop != nil {
		return stop
	}
	step := func(id plan.StageID, work func() error) *plan.Stop {
		tell(id, StageRunning)
		if err := work(); err != nil {
			tell(id, StageStopped)
			return r.stopped(id, err)
		}
		r.completed = append(r.completed, id)
		tell(id, StageDone)
		return nil
	}
	for i := range r.adapters {
		s, fed, err := r.begin(i)
		if err != nil {
			return r.stopped(stageOf(r.adapters, i, r.adapters[i].Meta().Stages[0]), err)
		}
		r.steps = append(r.steps, s)
		stages := r.adapters[i].Stages(s.Plan)
		for n, id := range s.Meta.Stages {
			if n >= len(stages) || stages[n].ID != id {
				return r.missing(id)
			}
			if stop := step(stageOf(r.adapters, i, id), func() error { return stages[n].Run(ctx, s) }); stop != nil {
				if len(r.adapters) > 1 {
					stop.Next = nil // what would help one step alone is no bundle
					stop.Check.Message = fmt.Sprintf("Step %d: %s", i+1, stop.Check.Message)
				}
				return stop
			}
		}
		if err := r.wire(i, s, fed); err != nil {
			return r.stopped(stageOf(r.adapters, i, s.Meta.Stages[len(s.Meta.Stages)-1]), err)
		}
	}
	stopAsking := r.askVenues(ctx)
	defer stopAsking()
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

// entry checks what must hold before any stage: the account and the chain.
func (r *run) entry(ctx context.Context) *plan.Stop {
	account, ok, err := r.c.Active(ctx)
	if err != nil {
		return r.stopped("", err)
	}
	var active *record.Account
	if ok {
		active = &account
	}
	if check := record.AccountCheck(r.session, active); check != nil {
		return &plan.Stop{Reason: plan.WalletMismatch, Check: *check}
	}
	id, err := r.c.Chain.ChainIdentifier(ctx)
	if err != nil {
		return r.stopped("", err)
	}
	r.chainID = id.String()
	if r.session.ChainID != "" && r.session.ChainID != r.chainID {
		return &plan.Stop{Reason: plan.NetworkMismatch,
			Check: plan.Fail(plan.SourceNetwork, "network_chain_identifier", "Chain",
				"This node is another chain than the one this review was made on.",
				"Connect to the former chain again, or prepare a new review.")}
	}
	return nil
}

// missing is the stop of an adapter that does not do what its catalog lists.
func (r *run) missing(id plan.StageID) *plan.Stop {
	return &plan.Stop{Reason: plan.ProducerStageMissing,
		Check: plan.Fail(plan.SourceAdapter, string(id)+"_missing", "Missing stage",
			"The adapter gave no result for the stage "+string(id)+".", "This is a fault of Say Ur Intent; please report it.")}
}

// stopped converts the error of a stage to the stop of the review. A transport error
// is never reported as a block.
func (r *run) stopped(id plan.StageID, err error) *plan.Stop {
	var stop *plan.Stop
	if errors.As(err, &stop) {
		return stop
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = fault.Wrap(err, fault.ProviderUnavailable, "The Sui node did not answer in time.")
	}
	f := fault.As(err)
	if panicked(err) {
		r.c.LogPanic(err)
		return &plan.Stop{Reason: plan.ProviderUnavailable,
			Check: plan.Fail(plan.SourceAdapter, r.checkID(id, "failed_unexpectedly"), stageLabel(id), f.Text,
				"Nothing is lost. Check again; if it stays, use another node and report it.")}
	}
	reason := plan.ReasonOf(f.Code)
	if id == plan.StageSimulation && reason == plan.ProviderUnavailable {
		reason = plan.SimulationTransientFailure
	}
	source, do := plan.SourceAdapter, "Prepare a new review."
	switch {
	case record.StatusOf(reason) == record.RefreshRequired:
		source, do = plan.SourceNetwork, "Nothing is lost. Check again in a moment."
	case f.Code == fault.ProviderMismatch:
		source, do = plan.SourceNetwork, "Do not trust this node: set another one, then check again."
	case reason == plan.ObjectResolutionFailed:
		source, do = plan.SourceNetwork, "Check again; if it stays, prepare a new review."
	}
	return &plan.Stop{Reason: reason, Check: plan.Fail(source, r.checkID(id, string(reason)), stageLabel(id), f.Text, do)}
}

// panicked reports whether an error is a panic that was recovered.
func panicked(err error) bool {
	var p *fault.Panic
	return errors.As(err, &p)
}

// checkID returns the id of a failed check of a stage.
func (r *run) checkID(id plan.StageID, what string) string {
	switch id {
	case "":
		return "review_" + what
	case plan.StageOwnership:
		return "transaction_object_ownership_" + strings.ReplaceAll(what, string(plan.ProviderUnavailable), "read_failed")
	case plan.StageSimulation:
		return "review_time_simulation_" +
			strings.ReplaceAll(what, string(plan.SimulationTransientFailure), "transient_failure")
	}
	return fmt.Sprintf("%s_%s_%s", r.meta.CheckPrefix, id, what)
}

// stageLabel returns a stage's name in plain words.
func stageLabel(id plan.StageID) string {
	if id == "" {
		return "Review"
	}
	text := strings.ReplaceAll(string(id), "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// The states of a stage while a computation runs.
const (
	StageWaiting = "waiting"
	StageRunning = "running"
	StageDone    = "done"
	StageStopped = "stopped"
)

// judgeForeign compares what a node reports of an unlisted coin with what was reported
// when the review was prepared. Nothing else can confirm it.
func (r *run) judgeForeign(coin plan.Asset, reported sui.Metadata) *plan.Stop {
	fail := func(rule plan.RuleID, message, do string) *plan.Stop {
		return &plan.Stop{Reason: plan.AssetMismatch,
			Check: plan.Fail(plan.SourceNetwork, checkCoins, "Coins", message, do).Under(rule)}
	}
	switch {
	case coin.Counted():
		return nil // its amounts are what the bytes say
	case reported.Decimals != coin.Decimals || plan.QuotedSymbol(reported.Symbol) != coin.Symbol:
		return fail("C18", "The node tells another symbol or other decimals of "+string(coin.CoinType)+
			" than it told when this review was prepared.",
			"Prepare a new review; if it goes on, do not trust this node.")
	case screen.Deceptive(reported.Symbol) || screen.Deceptive(reported.Name):
		return fail("C17", "The coin "+string(coin.CoinType)+
			" describes itself with hidden or mixed characters, as fakes do.",
			"Make sure which coin you mean. What deceives is not signed here.")
	}
	return nil
}

// begin plans a step. One that takes the result of an earlier step is planned with the
// least amount that the earlier one guarantees, so that everything which is derived of
// it, such as a quote, holds for every amount that can arrive.
func (r *run) begin(i int) (*plan.Step, plan.Fed, error) {
	in, adapter := r.session.Intent.Each()[i], r.adapters[i]
	var fed plan.Fed
	planned, err := plan.Plan{}, error(nil)
	if from := in.From.ResultOf; from == 0 {
		planned, err = adapter.Plan(in, r.now())
	} else {
		for _, f := range r.steps[from-1].Feeds {
			if f.Taker == i+1 {
				fed = f
			}
		}
		planned, in, err = plan.PlanFed(adapter, in, fed, r.now())
	}
	s := plan.NewStep(planned, in, r.session.Account, r.now, r.c.Limits.QuoteAge)
	s.Meta, s.Noted = adapter.Meta(), &r.checks
	if i > 0 {
		s.Earlier = r.earlier(i, fed)
	}
	for _, a := range r.adapters[:i] {
		s.Follows = append(s.Follows, a.Meta().Action)
	}
	return s, fed, err
}

// wire connects a step, whose stages are over, with the step before it whose result it
// takes, and with the later ones that take its own.
func (r *run) wire(i int, s *plan.Step, fed plan.Fed) error {
	if fed.Step > 0 {
		s.Takes(fed)
	}
	feeds := r.session.Intent.Feeds(i + 1)
	if len(feeds) == 0 {
		return nil
	}
	feeds, err := s.Divide(feeds)
	if err == nil {
		s.Gives(i+1, feeds)
	}
	return err
}
