// Package gate computes a review: it runs the stages of the adapters, then the checks C01 to C20,
// which compare what was promised with the bytes, the simulation and a second node.
package gate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// Config holds the sources and limits of the gates. Allowed, Keys, Names, Paid, Named, Request,
// Recent and Second may be nil.
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
	// Device reports whether an account signs with a hardware wallet. If Device is nil, none does.
	Device func(ctx context.Context, account sui.Address) (bool, error)
	Names  node.Names
	Now    func() time.Time
	Limits Limits
}

// Pipeline returns the stages of a review with these adapters, one per step: first their own, then
// the platform's.
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

// Words describes a stage of a review with these adapters.
func Words(id plan.StageID, adapters ...plan.Adapter) string {
	words := plan.StageWords{plan.StageIntent: "Reading what was asked"}
	for _, g := range gates() {
		words[g.id] = g.words
	}
	if len(adapters) == 1 {
		maps.Copy(words, adapters[0].Meta().Words)
	}
	if text, ok := words[id]; ok {
		return text
	}
	return strings.ReplaceAll(string(id), "_", " ")
}

// stageOf returns the id of one step's stage, which contains the step's number if there are
// several.
func stageOf(adapters []plan.Adapter, step int, id plan.StageID) plan.StageID {
	if len(adapters) == 1 {
		return id
	}
	return plan.StageID(fmt.Sprintf("step_%d_%s", step+1, id))
}

// newInput starts the computation of a session.
func newInput(c Config, session record.Session) *input {
	return &input{c: c, session: session, adapters: plan.AdaptersOf(c.Adapters, session.Wanted()),
		wish: record.Wishes(c.Adapters, c.Now), notes: &notes{}}
}

// Examine runs the pipeline and reports the progress of each stage to tell. It never fails, because
// every error becomes part of the finding.
func Examine(ctx context.Context, c Config, session record.Session, tell func(plan.StageID, string)) Finding {
	e := newExamination(c, session, tell)
	var stop *plan.Stop
	if err := c.Guarded(func() error { stop = e.run(ctx); return nil }); err != nil {
		stop = e.at.start().stopped("", err)
	}
	return finding(e.at, stop)
}

// examination is a computation in progress.
type examination struct {
	at   stage // last stage that was started
	tell func(plan.StageID, string)
}

func newExamination(c Config, session record.Session, tell func(plan.StageID, string)) *examination {
	return &examination{at: newInput(c, session), tell: tell}
}

// run runs all stages in order and returns the stop, or nil if the review is ready.
func (e *examination) run(ctx context.Context) *plan.Stop {
	in := e.at.start()
	if p := in.session.Proposal; p != nil {
		// A proposal asks no node, because nothing is built from it.
		checks := p.Checks(in.c.Now())
		in.checks = checks[:len(checks)-1]
		return proposal.Stop()
	}
	if in.adapters == nil {
		return &plan.Stop{Reason: plan.AdapterNotImplemented,
			Check: plan.Fail(plan.SourceAdapter, "adapter_not_implemented", "Adapter",
				"This version does not support this review.", "Prepare a new review.")}
	}
	in.meta = in.adapters[0].Meta()
	if stop := in.entry(ctx); stop != nil {
		return stop
	}
	steps := &planned{input: in}
	e.at = steps
	for i := range in.adapters {
		if stop := e.plan(ctx, steps, i); stop != nil {
			return stop
		}
	}
	stopAsking := steps.askVenues(ctx)
	defer stopAsking()
	for _, g := range gates() {
		if stop := e.step(g.id, func() (err error) { e.at, err = g.run(ctx, e.at); return err }); stop != nil {
			return stop
		}
	}
	return e.judge(ctx, e.at.(*simulated))
}

// judge runs every check and completes the review if all pass.
func (e *examination) judge(ctx context.Context, r *simulated) *plan.Stop {
	for _, judge := range checks() {
		if err := judge(ctx, r); err != nil {
			return r.stopped("", err)
		}
	}
	ready, err := assemble(r)
	if err != nil {
		return r.stopped("", err)
	}
	e.at = ready
	return nil
}

// step runs one stage and reports its progress.
func (e *examination) step(id plan.StageID, work func() error) *plan.Stop {
	e.tell(id, StageRunning)
	if err := work(); err != nil {
		e.tell(id, StageStopped)
		return e.at.start().stopped(id, err)
	}
	in := e.at.start()
	in.completed = append(in.completed, id)
	e.tell(id, StageDone)
	return nil
}

// plan runs the stages of one step's adapter.
func (e *examination) plan(ctx context.Context, r *planned, i int) *plan.Stop {
	s, fed, err := r.begin(i)
	if err != nil {
		return r.stopped(stageOf(r.adapters, i, r.adapters[i].Meta().Stages[0]), err)
	}
	r.steps = append(r.steps, s)
	stages := r.adapters[i].Stages(s.Plan)
	for n, id := range s.Meta.Stages {
		if n >= len(stages) || stages[n].ID != id {
			return missing(id)
		}
		if stop := e.step(stageOf(r.adapters, i, id), func() error { return stages[n].Run(ctx, s) }); stop != nil {
			if len(r.adapters) > 1 {
				stop.Next = nil // a fix for one step does not help the bundle
				stop.Check.Message = fmt.Sprintf("Step %d: %s", i+1, stop.Check.Message)
			}
			return stop
		}
	}
	if err := r.wire(i, s, fed); err != nil {
		return r.stopped(stageOf(r.adapters, i, s.Meta.Stages[len(s.Meta.Stages)-1]), err)
	}
	return nil
}

// entry checks the account and the chain before any stage.
func (r *input) entry(ctx context.Context) *plan.Stop {
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
	if r.c.Device != nil {
		if r.device, err = r.c.Device(ctx, r.session.Account); err != nil {
			return r.stopped("", err)
		}
	}
	return nil
}

// missing returns the stop for an adapter that does not produce what its catalog lists.
func missing(id plan.StageID) *plan.Stop {
	return &plan.Stop{Reason: plan.ProducerStageMissing,
		Check: plan.Fail(plan.SourceAdapter, string(id)+"_missing", "Missing stage",
			"The adapter gave no result for the stage "+string(id)+".",
			"This is a fault of Say Ur Intent; please report it.")}
}

// stopped converts the error of a stage to the stop of the review. A transport error never blocks
// the review; it only requires a refresh.
func (r *input) stopped(id plan.StageID, err error) *plan.Stop {
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
				"Nothing is lost. Check again. If the problem persists, use another node and report it.")}
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
		source, do = plan.SourceNetwork, "Check again. If the problem persists, prepare a new review."
	}
	return &plan.Stop{Reason: reason, Check: plan.Fail(source, r.checkID(id, string(reason)), stageLabel(id), f.Text,
		do)}
}

// panicked reports whether an error is a recovered panic.
func panicked(err error) bool {
	var p *fault.Panic
	return errors.As(err, &p)
}

// checkID returns the id of a failed check of a stage.
func (r *input) checkID(id plan.StageID, what string) string {
	switch id {
	case "":
		return "review_" + what
	case plan.StageOwnership:
		return "transaction_object_ownership_" +
			strings.ReplaceAll(what, string(plan.ProviderUnavailable), "read_failed")
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

// judgeForeign compares a node's report about an unlisted coin with the report from when the review
// was prepared. Nothing else can confirm it.
func judgeForeign(coin plan.Asset, reported sui.Metadata) *plan.Stop {
	fail := func(rule plan.RuleID, message, do string) *plan.Stop {
		return &plan.Stop{Reason: plan.AssetMismatch,
			Check: plan.Fail(plan.SourceNetwork, checkCoins, "Coins", message, do).Under(rule)}
	}
	switch {
	case coin.Counted():
		return nil // its amounts are in the bytes
	case reported.Decimals != coin.Decimals || plan.QuotedSymbol(reported.Symbol) != coin.Symbol:
		return fail("C18", "The node reports a different symbol or decimals for "+string(coin.CoinType)+
			" than when this review was prepared.",
			"Prepare a new review. If it happens again, do not trust this node.")
	case screen.Deceptive(reported.Symbol) || screen.Deceptive(reported.Name):
		return fail("C17", "The coin "+string(coin.CoinType)+
			" describes itself with hidden or mixed characters, as fakes do.",
			"Make sure which coin you mean. What deceives is not signed here.")
	}
	return nil
}

// begin plans a step. A step that takes an earlier result is planned with the result's guaranteed
// minimum, so that everything derived from it, such as a quote, holds for every possible amount.
func (r *planned) begin(i int) (*plan.Step, plan.Fed, error) {
	in, adapter := r.session.Intent.Each()[i], r.adapters[i]
	var fed plan.Fed
	planned, err := plan.Plan{}, error(nil)
	if from := in.From.ResultOf; from == 0 {
		planned, err = adapter.Plan(in, r.c.Now())
	} else {
		for _, f := range r.steps[from-1].Feeds {
			if f.Taker == i+1 {
				fed = f
			}
		}
		planned, in, err = plan.PlanFed(adapter, in, fed, r.c.Now())
	}
	s := plan.NewStep(planned, in, r.session.Account, r.c.Now, r.c.Limits.QuoteAge)
	s.Meta, s.Noted, s.Device = adapter.Meta(), &r.checks, r.device
	if i > 0 {
		s.Earlier = r.earlier(i, fed, false)
	}
	s.Funding = r.earlier(i, fed, true)
	for _, a := range r.adapters[:i] {
		s.Follows = append(s.Follows, a.Meta().Action)
	}
	return s, fed, err
}

// wire connects a step, after its stages, with the earlier step whose result it takes and the later
// steps that take its own result.
func (r *planned) wire(i int, s *plan.Step, fed plan.Fed) error {
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
