package gate

import (
	"context"
	"errors"
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Look runs a preflight. It runs the adapter's stages and compares what would leave with the
// account's balances, this machine's limits and earlier recipients, all within Limits.FirstLook.
// The session need not be stored. For an intent with several steps, it checks only whether signing
// is paused; a trial of the whole transaction checks the rest.
func Look(ctx context.Context, c Config, session record.Session) record.Looked {
	adapters := plan.AdaptersOf(c.Adapters, session.Wanted())
	if len(session.Intent.Steps) > 0 {
		l := look{c: c}
		whole := c.Guarded(func() error { return l.stopped(ctx) }) == nil
		return record.Looked{Whole: whole, Blockers: l.limits}
	}
	if len(adapters) != 1 {
		return record.Looked{}
	}
	planned, err := adapters[0].Plan(session.Intent, c.Now())
	if err != nil {
		return record.Looked{}
	}
	ctx, stop := context.WithTimeout(ctx, c.Limits.FirstLook)
	defer stop()
	l := look{c: c, session: session, plan: planned, adapter: adapters[0]}
	whole := c.Together(
		func() error { return l.step(ctx) },
		func() error { return l.meet(ctx) },
		func() error { return l.hold(ctx) },
	)
	l.out.Whole = whole == nil && c.Guarded(func() error { return l.afford(ctx) }) == nil &&
		c.Guarded(func() error { return l.allow(ctx) }) == nil
	l.out.Blockers, l.out.Promise = slices.Concat(l.step1, l.paid, l.short, l.limits), l.promised()
	return l.out
}

// look is one preflight. Its parts run concurrently, each with a separate list.
type look struct {
	c       Config
	session record.Session
	plan    plan.Plan
	adapter plan.Adapter
	did     *plan.Step // nil until its stages have ended
	sets    []coinSet
	out     record.Looked

	step1, paid, short, limits []plan.Blocker
}

// input returns the input for one part of the preflight, with separate notes.
func (l *look) input() *input {
	r := newInput(l.c, l.session)
	r.meta = l.adapter.Meta()
	return r
}

// step runs the adapter's stages as a preflight.
func (l *look) step(ctx context.Context) error {
	s := plan.NewStep(l.plan, l.session.Intent, l.session.Account, l.c.Now, l.c.Limits.QuoteAge)
	s.Meta = l.adapter.Meta()
	s.Funding = (&planned{input: l.input()}).earlier(0, plan.Fed{}, true)
	s.Look()
	r, found := l.input(), []*plan.Stop{}
	for i, stage := range l.adapter.Stages(l.plan) {
		if err := stage.Run(ctx, s); err != nil {
			stop := r.stopped(s.Meta.Stages[i], err)
			if record.StatusOf(stop.Reason) == record.RefreshRequired && !errors.As(err, new(*plan.Stop)) {
				return err // the source did not answer
			}
			found = append(found, stop)
			break
		}
	}
	for _, stop := range append(s.Looked(), found...) {
		l.step1 = append(l.step1, stop.Blocks())
	}
	l.did, l.out.Expected, l.out.Outlook = s, s.Quote, s.Outlook
	return nil
}

// meet checks the recipient of a payment.
func (l *look) meet(ctx context.Context) error {
	to := l.plan.Promise.Payee()
	if to.IsZero() {
		return nil
	}
	return blocks(l.input().meetOne(ctx, to), &l.paid)
}

// hold reads the account's balances of SUI and of the coins that leave according to the intent.
func (l *look) hold(ctx context.Context) error {
	r := l.input()
	assets := shown(l.plan.Promise)
	l.sets = make([]coinSet, len(assets))
	reads := make([]func() error, len(assets))
	for i := range assets {
		reads[i] = func() (err error) { l.sets[i], err = l.read(ctx, r, assets[i]); return err }
	}
	return l.c.Together(reads...)
}

func (l *look) read(ctx context.Context, r *input, of plan.Asset) (s coinSet, err error) {
	s.asset = of
	s.coins, s.held, err = r.held(ctx, of, l.c.Limits.MostMerges+1)
	return s, err
}

// afford compares the account's balances with the needs of the step, or of the intents that would
// remove its blockers.
func (l *look) afford(ctx context.Context) error {
	r := &funded{planned: &planned{input: l.input(), steps: []*plan.Step{{Needs: l.needs()}}}}
	if l.did != nil {
		r.steps[0].Gasless = l.did.Gasless
	}
	p := coinSets{other: map[sui.CoinType]coinSet{}}
	for _, n := range append(r.needs(), need{CoinRequest: plan.CoinRequest{Amount: plan.SUI.Of(0)}}) {
		i := slices.IndexFunc(l.sets, func(s coinSet) bool { return s.asset.CoinType == n.Amount.CoinType })
		if i < 0 {
			set, err := l.read(ctx, r.input, n.Amount.Asset)
			if err != nil {
				return err
			}
			l.sets, i = append(l.sets, set), len(l.sets)
		}
		if p.other[n.Amount.CoinType] = l.sets[i]; n.Amount.CoinType == sui.SUI {
			p.sui = l.sets[i]
		}
	}
	for _, n := range r.needs() {
		held := p.of(n.Amount.CoinType).held
		if held.Total >= n.Amount.Raw {
			continue
		}
		stop := r.tooLittle(p, n, 0, l.c.Limits.LeastGasBudget)
		l.short = append(l.short, stop.Blocks())
		//mutant:never ./tools TestPreflight
		if asked := l.plan.Promise.Of(plan.RoleInput); len(asked) > 0 && asked[0].Coin == n.Amount.Asset &&
			held.Total < asked[0].Amount().Raw {
			l.out.Never = stop
		}
	}
	if len(l.short) > 0 {
		return nil
	}
	if p.free = r.free(ctx, p); p.free {
		return nil
	}
	_, err := r.choose(p, l.c.Limits.LeastGasBudget)
	if noGas(err) {
		if _, free := r.freeOfCoins(ctx, p); free {
			return nil
		}
	}
	return blocks(err, &l.short)
}

// needs lists what leaves the account: the needs of the step or, if it stopped before that, the
// amounts of the intent. If the intent pays nothing, they are the needs of the intents that would
// unblock it.
func (l *look) needs() []plan.CoinRequest {
	if l.did != nil && len(l.did.Needs) > 0 {
		return l.did.Needs
	}
	var list []plan.CoinRequest
	for _, a := range l.plan.Promise.Amounts(plan.RoleInput) {
		list = append(list, plan.CoinRequest{Role: plan.RoleInput, Amount: a})
	}
	for i := len(l.step1) - 1; i >= 0 && len(list) == 0; i-- {
		for _, in := range l.step1[i].Next {
			for _, a := range plan.AdaptersOf(l.c.Adapters, in) {
				p, err := a.Plan(in, l.c.Now())
				if err != nil {
					continue
				}
				for _, leaves := range p.Promise.Amounts(plan.RoleInput) {
					list = append(list, plan.CoinRequest{Role: plan.RoleInput, Amount: leaves})
				}
			}
		}
	}
	return list
}

// stopped checks whether the user paused signing.
func (l *look) stopped(ctx context.Context) error {
	frozen, err := l.c.Store.Frozen(ctx)
	//mutant:never ./tools TestPreflightStopped
	if err == nil && frozen {
		l.limits = append(l.limits, frozenBlocker())
	}
	return err
}

// allow checks what leaves against the pause and against this machine's limits and lists.
func (l *look) allow(ctx context.Context) error {
	if err := l.stopped(ctx); err != nil || l.c.Allowed == nil {
		return err
	}
	allowed, handed, err := l.c.limits(ctx)
	if err != nil {
		return err
	}
	promised := l.promised()
	f := plan.Facts{Sender: l.session.Account, Steps: []plan.StepFacts{{Promise: promised, Sends: promised.Payee()}}}
	if stop := record.Judged(allowed, l.session, f, handed, l.c.Now()); stop != nil {
		l.limits = append(l.limits, stop.Blocks())
	}
	return nil
}

// promised returns the promise derived from the quote, or that of the plan without one.
func (l *look) promised() plan.Promise {
	if l.did != nil && len(l.did.Promise.Outcomes) > 0 {
		return l.did.Promise
	}
	return l.plan.Promise
}

// blocks appends an error that is a stop to a list, and returns any other error.
func blocks(err error, list *[]plan.Blocker) error {
	var stop *plan.Stop
	if !errors.As(err, &stop) {
		return err
	}
	*list = append(*list, stop.Blocks())
	return nil
}
